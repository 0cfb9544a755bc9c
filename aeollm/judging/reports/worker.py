"""The converter's process: a path a line in, an object a line out, until PARENT (its process id, the argument) ends."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from aeollm.judging.reports.decoding import Unusable, checked_text, read_bytes
from aeollm.judging.reports.documents import markdown_of_docx, markdown_of_html
from aeollm.judging.reports.pdf import markdown_of_pdf

FORMATS: Mapping[str, Callable[[bytes], str]] = {
    ".docx": markdown_of_docx,
    ".html": markdown_of_html,
    ".htm": markdown_of_html,
    ".pdf": markdown_of_pdf,
}
_MOST_MEMORY = 3 * 2**30


def convert(path: Path) -> dict[str, str]:
    """Give the Markdown of a document, or what is wrong with it."""
    try:
        return {"text": checked_text(FORMATS[path.suffix.lower()](read_bytes(path)))}
    except Unusable as reason:
        return {"kind": reason.kind, "message": reason.message, "remedy": reason.remedy}
    except ModuleNotFoundError as error:
        message = f"needs the package {error.name}, which is not installed."
        return {"kind": "not_installed", "message": message, "remedy": "pip install -r requirements-judge.txt"}
    except (RecursionError, MemoryError) as error:
        message = f"is nested too deep or too large ({type(error).__name__})."
        return {"kind": "damaged", "message": message, "remedy": "Save it anew, or as text."}


def _end_with(parent: int) -> None:
    """End when the process that asks is no more: one that was killed cannot say so, and a document may take long."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main() -> None:
    """Answer until there is no more input."""
    if sys.platform != "win32":
        # Named by the one who asks: it may be gone before this process has come so far.
        threading.Thread(target=_end_with, args=(int(sys.argv[1]),), daemon=True).start()
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  there is none on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(convert(Path(json.loads(line)))), file=answers, flush=True)


if __name__ == "__main__":
    main()
