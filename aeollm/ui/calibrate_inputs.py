"""What a visitor hands in to be calibrated: the example, two files in any order, or a run that is scored already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aeollm.errors import Problem, UsageError, printable
from aeollm.files import kind_of
from aeollm.trials import DEMO_PAIR, Files, Material, Pair, Reading, of_pairs, of_run, read_pairs
from aeollm.ui.session import Session
from aeollm.ui.uploads import Upload, named_files

EXAMPLE, FILES, RUN = "example", "files", "run"
_PAIR = 2
MOST_ROWS = 20_000


def example() -> Material:
    """Read the bundled simulated example."""
    train, _ = read_pairs(DEMO_PAIR, None, Reading())
    return of_pairs(train, None, train.targets[0])


def is_example(material: Material) -> bool:
    """Tell whether it is made of the bundled files alone, untouched: only then may others see what came of it."""
    known = example()
    return material.signed == known.signed and _digests(material) == _digests(known)


def _digests(material: Material) -> list[tuple[str, str] | None]:
    pairs = material.pairs or (None, None)
    return [None if pair is None else (pair.opinions.digest, pair.answers.digest) for pair in pairs]


def from_uploads(
    uploads: Sequence[Upload] | None, tests: Sequence[Upload] | None, renames: str | None
) -> Material | None:
    """Read dropped files; None while one of a pair is missing.

    Raises
    ------
    AeollmError
        With everything that is wrong with the files.
    """
    train, test = named_files(uploads), named_files(tests)
    if len(train) < _PAIR or len(test) == 1:
        for path, name in (*train, *test):
            refuse_kind(path, name)
        return None
    reading = Reading(rename=read_renames(renames or ""))
    first, second = read_pairs(sorted_pair(train), sorted_pair(test) if test else None, reading)
    target = _first_target(first, second)
    material = of_pairs(first, second, target)
    if len(material.train) > MOST_ROWS:
        message = f"{len(material.train):,} answers; the page takes {MOST_ROWS:,}."
        raise _refused("too_many_answers", message, "Use `python -m aeollm calibrate`.")
    return material


def from_session(session: Session, name: str | None) -> Material | None:
    """Take a run that was scored; None where there is none.

    Raises
    ------
    UsageError
        If its labels have no human scores.
    """
    names = [shown for shown, _ in session.scored]
    labels = session.evaluation.label_set.labels
    if not names or not labels.dimensions:
        return None
    return of_run(session.run(name if name in names else names[0]), labels, labels.dimensions[0])


def sorted_pair(files: Sequence[tuple[Path, str]]) -> Files:
    """Tell opinions and answers apart by what is in them, whatever their order.

    Raises
    ------
    UsageError
        For other than two files, two of a kind, or one that is neither.
    """
    if len(files) != _PAIR:
        raise _refused("file_count", f"{len(files)} files, but opinions and answers are two.", "Remove the others.")
    kinds = [refuse_kind(path, name) for path, name in files]
    if kinds[0] == kinds[1] and kinds[0] is not None:
        names = " and ".join(printable(name, 60) for _, name in files)
        missing = {"opinions": "answers", "answers": "opinions"}[kinds[0]]
        raise _refused("two_of_a_kind", f"{names} both look like {kinds[0]}.", f"Exchange one for the {missing}.")
    first, second = files
    # A file that tells nothing of itself is read as what is missing, and its reader says what is wrong with it.
    return (second, first) if kinds[0] == "answers" or kinds[1] == "opinions" else (first, second)


def refuse_kind(path: Path, name: str) -> str | None:
    """Give the kind of a file, None where it tells none.

    Raises
    ------
    UsageError
        For labels and runs.
    """
    kind = kind_of(path.read_bytes())
    if kind in ("labels", "run"):
        remedy = "Drop it on the Score tab; a scored run can be calibrated here."
        raise _refused("other_kind", f"{printable(name, 60)} looks like {_ARTICLE[kind]}.", remedy)
    return kind


_ARTICLE = {"labels": "AEOLLM labels", "run": "an AEOLLM run"}


def read_renames(text: str) -> dict[str, str]:
    """Read ``Q1=Q2 Q2=Q1``.

    Raises
    ------
    UsageError
        For anything else.
    """
    pairs = [part.partition("=") for part in text.replace(",", " ").split()]
    wrong = [old for old, sign, new in pairs if not (old and sign and new)]
    if wrong:
        raise _refused("rename", f"{printable(wrong[0], 40)!r} is no renaming.", "Write COLUMN=CRITERION, as in Q1=Q2.")
    olds = [old for old, _, _ in pairs]
    if twice := [old for old in olds if olds.count(old) > 1]:
        raise _refused("rename", f"{printable(twice[0], 40)!r} is renamed twice.", "Say once what it is.")
    return {old: new for old, _, new in pairs}


def _first_target(train: Pair, test: Pair | None) -> str:
    common = [name for name in train.targets if test is None or name in test.targets]
    if not common:
        raise _refused("no_target", "no criterion has opinions and answers in all files.", "Rename columns.")
    return common[0]


def _refused(kind: str, message: str, remedy: str) -> UsageError:
    return UsageError("calibrate", [Problem("error", kind, message, remedy)])
