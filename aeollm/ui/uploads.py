"""Files as the browser sends them: paths inside the upload folder, under the names people gave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aeollm.errors import LabelsError, Problem, RunError, UsageError
from aeollm.tables import Labels

MOST_FILES = 100
MOST_ANSWERS = 20_000
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
    uploads = [] if uploads is None else uploads
    if not isinstance(uploads, list | tuple):
        message = "run files are a list of uploads."
        raise UsageError("run_files", [Problem("error", "not_uploaded", message, "Use handle_file of gradio_client.")])
    if len(uploads) > MOST_FILES:
        message = f"{len(uploads)} files; at most {MOST_FILES} are scored together."
        raise RunError("upload", [Problem("error", "too_many_files", message, "Drop fewer at once.")])
    return [_named(upload) for upload in uploads]


def refuse_many(labels: Labels) -> None:
    """Keep what one visitor's labels can cost the others within bounds.

    Raises
    ------
    LabelsError
        For more answers than the page scores.
    """
    if len(labels) > MOST_ANSWERS:
        message = f"the labels have {len(labels):,} answers; the page takes {MOST_ANSWERS:,}."
        raise LabelsError(labels.name, [Problem("error", "too_many_answers", message, "Use `python -m aeollm score`.")])


def _named(upload: Upload) -> tuple[Path, str]:
    # gradio checks the path of everything marked as its file data against the upload folder, and of
    # nothing else: without the mark a path could be any file of the server.
    meta = upload.get("meta") if isinstance(upload, dict) else None
    if not isinstance(meta, dict) or meta.get("_type") != "gradio.FileData" or not isinstance(upload.get("path"), str):
        message = "run files have to be uploaded; a path is not enough."
        raise UsageError("run_files", [Problem("error", "not_uploaded", message, "Use handle_file of gradio_client.")])
    path = Path(upload["path"])
    return path, str(upload.get("orig_name") or path.name).replace("\\", "/").rsplit("/", 1)[-1]
