"""Call ``fetch_snapshot`` with the arguments of each line of input (JSON); write what came of it as a line.

A process of its own, since the client reads HF_ENDPOINT, HF_HOME and HF_HUB_OFFLINE when it is imported.
"""

import json
import sys
import threading
import time
import traceback

from aeollm.errors import HubError
from aeollm.hub import fetch_snapshot


def outcome(arguments: dict[str, object]) -> dict[str, object]:
    begin = time.monotonic()
    try:
        snapshot = fetch_snapshot(**arguments)
    except HubError as error:
        seconds = time.monotonic() - begin
        (problem,) = error.problems
        told = [str(error), repr(error), traceback.format_exc(), repr(error.__cause__), repr(error.__context__)]
        return {"seconds": seconds, "problem": problem.to_json(), "told": "\n".join(told)}
    seconds = time.monotonic() - begin
    texts = {
        path.relative_to(snapshot.folder).as_posix(): path.read_text("utf-8")
        for path in sorted(snapshot.folder.rglob("*"))
        if path.is_file()
    }
    fields = {name: getattr(snapshot, name) for name in ("repo", "revision", "cached", "fetched", "stale")}
    return {"seconds": seconds, "snapshot": fields, "texts": texts}


if __name__ == "__main__":
    for line in sys.stdin:
        answer = outcome(json.loads(line))
        for thread in threading.enumerate():  # a request under way after a failure would reach into the next call
            if thread is not threading.current_thread():
                thread.join(10)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
