"""Run files: bytes to a Run, with every problem of form, ids, coverage and scale in one pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from aeollm.decimals import Decimals
from aeollm.errors import Problem, RunError
from aeollm.files.archives import is_zip, unpack_run
from aeollm.files.coverage import Coverage, duplicates
from aeollm.files.decoding import Source, Unreadable, decode, open_source
from aeollm.files.lines import Rows, read_rows
from aeollm.files.scale import scale_problems
from aeollm.tables import Labels, Policy, Run

_SPARE_LINES = 1_000
_SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a run file turned out to be; ``run`` is None where it is refused.

    ``coverage`` is (labelled answers found, labelled answers), also for refused runs.
    """

    name: str
    digest: str
    run: Run | None
    problems: tuple[Problem, ...]
    coverage: tuple[int, int]


def inspect_run(
    path: str | Path | bytes, labels: Labels | None = None, policy: Policy | None = None, *, name: str | None = None
) -> Inspection:
    """Read a run file and check it against labels, whatever it holds: nothing is raised for its content.

    Parameters
    ----------
    path : a file (text, or a zip with one run in it), or its bytes.
    labels : the label set or key list it is for; without it only the form is checked.
    policy : coverage and score range; the paper's by default.
    name : the name to show, where it is not the file's.
    """
    policy = policy or Policy()
    total = len(labels) if labels is not None else 0
    source = Source(name or ("bytes" if isinstance(path, bytes) else Path(path).name or str(path)), b"")
    try:
        source = open_source(path, name)
        digest = source.digest
        inner, problems = unpack_run(source) if is_zip(source.content) else (source, [])
        text = decode(inner.content)
    except Unreadable as unreadable:
        return Inspection(source.name, source.digest, None, (unreadable.problem,), (0, total))
    # A run that drops what the labels do not know may be as long as it likes; any other this long is refused anyway.
    most = None if labels is None or policy.inner_join else 2 * len(labels) + _SPARE_LINES
    rows = read_rows(text.content, labels.run_dimensions if labels is not None else None, most)
    rows.problems[:0] = problems + text.problems
    return _inspect_rows((source.name, digest), rows, labels, policy)


def _inspect_rows(known_as: tuple[str, str], rows: Rows, labels: Labels | None, policy: Policy) -> Inspection:
    problems = rows.problems + duplicates(rows)
    kept, coverage = list(range(len(rows.lines))), (0, 0)
    if labels is not None:
        check = Coverage(labels, policy)
        check.check(rows)
        problems += check.problems
        kept, coverage = check.kept, (len(check.found), len(labels))
    if not rows.lines and not any(problem.severity == "error" for problem in problems):
        problems.append(Problem("error", "empty", "the file has no row.", "Write one line an answer."))
    # Scores of readable rows are judged even when the run is refused: all problems at once.
    readable = _run(known_as, rows, [row for row in kept if rows.scores[row] is not None])
    problems += scale_problems(readable, labels, policy)
    problems.sort(key=lambda problem: (_SEVERITIES.index(problem.severity), problem.line or 10**9))
    accepted = not any(problem.severity == "error" for problem in problems)
    run = replace(readable, problems=tuple(problems)) if accepted else None
    return Inspection(*known_as, run, tuple(problems), coverage)


def _run(known_as: tuple[str, str], rows: Rows, kept: list[int]) -> Run:
    scores = [number for row in kept for number in rows.scores[row] or ()]
    name, digest = known_as
    return Run(
        name=name,
        digest=digest,
        tasks=tuple(rows.tasks[row] for row in kept),
        questions=tuple(rows.questions[row] for row in kept),
        answers=tuple(rows.answers[row] for row in kept),
        dimensions=rows.dimensions,
        scores=Decimals.of(scores, (len(kept), len(rows.dimensions))),
        lines=tuple(rows.lines[row] for row in kept),
    )


def read_run(
    path: str | Path | bytes, labels: Labels | None = None, policy: Policy | None = None, *, name: str | None = None
) -> Run:
    """Read a run file; with labels its coverage is checked too.

    Parameters are those of `inspect_run`.

    Raises
    ------
    RunError
        With every problem, if the run is refused.
    """
    inspection = inspect_run(path, labels, policy, name=name)
    if inspection.run is None:
        raise RunError(inspection.name, inspection.problems)
    return inspection.run
