"""Parts of a run, judged on several machines, made one: as if it had never been split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aeollm.errors import JudgingError, Problem, printable
from aeollm.judging import Merged, merge, read_shard
from aeollm.methods.method import Judge, Method
from aeollm.methods.reading import read_method
from aeollm.methods.running import RECIPE, REPLIES

_OWN = ("shard", "answers", "labels", "rubrics")
"""What may differ between parts: which part it is, and where the same files lie."""


@dataclass(frozen=True)
class Parts:
    """The method that all parts carried out, and what is to be said about them."""

    method: Method
    problems: tuple[Problem, ...]


def read_parts(folders: Sequence[Path]) -> Parts:
    """Read what the folders are parts of.

    Raises
    ------
    AeollmError
        If a folder is no part of a run, or they are not parts of one run.
    """
    methods = [read_method(folder / RECIPE, name=f"{folder.name}/{RECIPE}") for folder in folders]
    first = _bare(methods[0])
    for folder, method in zip(folders, methods, strict=True):
        if _bare(method) != first:
            message = f"{printable(folder.name)} is part of another run than {printable(folders[0].name)}."
            remedy = f"Compare their {RECIPE}: recipe, models, temperature, seed and reports have to be the same."
            raise JudgingError("merge", [Problem("error", "other_run", message, remedy)])
    made = {key: value for key, value in methods[0].made.items() if key != "shard"}
    return Parts(replace(methods[0], made=made), tuple(_lacking(methods)))


def merge_replies(folders: Sequence[Path], into: Path) -> Merged:
    """Write the replies of all parts to one folder; the same replies give the same bytes, however they were split.

    Raises
    ------
    JudgingError
        If a part has no replies, or different models answered to one name.
    """
    return merge([folder / REPLIES for folder in folders], into / REPLIES)


def _bare(method: Method) -> Method:
    """Leave out what may differ; where a judge was asked does not make it another one."""
    made = {key: value for key, value in method.made.items() if key not in _OWN}
    judges = {name: Judge(name, judge.model) for name, judge in method.judges.items()}
    return replace(method, made=made, judges=judges)


def _lacking(methods: Sequence[Method]) -> list[Problem]:
    """Name parts that are not there."""
    shards = [read_shard(method.made["shard"]) for method in methods if method.made.get("shard")]
    counts = {shard.of for shard in shards}
    absent = sorted({number for of in counts for number in range(1, of + 1)} - {shard.number for shard in shards})
    if len(shards) < len(methods) or not absent:
        return []
    message = f"part {', '.join(map(str, absent))} of {max(counts)} is not there."
    return [Problem("warning", "missing_part", message, "Its answers are missing.")]
