"""Files as the browser sends them: paths inside the upload folder, under the names people gave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aeollm.errors import Problem, RunError, UsageError

MOST_FILES = 100
LARGEST = "5mb"

Upload = dict[str, Any]
"""What gradio makes of one upload: ``path``, ``orig_name``, ``size``, ``meta``."""


def named_files(uploads: Sequence[Upload] | None) -> list[tuple[Path, str]]:
    """Give path and original name of every upload; gradio strips characters from the name in the path.

    Raises
    ------
    RunError
        For more files than are taken at once.
    UsageError
        For anything that did not come through an upload.
    """
    uploads = uploads or []
    if len(uploads) > MOST_FILES:
        message = f"{len(uploads)} files; at most {MOST_FILES} are scored together."
        raise RunError("upload", [Problem("error", "too_many_files", message, "Drop fewer at once.")])
    return [_named(upload) for upload in uploads]


def _named(upload: Upload) -> tuple[Path, str]:
    # gradio checks the path of everything marked as its file data against the upload folder, and of
    # nothing else: without the mark a path could be any file of the server.
    meta = upload.get("meta") if isinstance(upload, dict) else None
    if not isinstance(meta, dict) or meta.get("_type") != "gradio.FileData" or not isinstance(upload.get("path"), str):
        message = "run files have to be uploaded; a path is not enough."
        raise UsageError("run_files", [Problem("error", "not_uploaded", message, "Use handle_file of gradio_client.")])
    path = Path(upload["path"])
    return path, str(upload.get("orig_name") or path.name).replace("\\", "/").rsplit("/", 1)[-1]
