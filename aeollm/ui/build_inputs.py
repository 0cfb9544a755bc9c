"""What is dropped into the Build tab, told apart by its columns; a file of no use is told what it looks like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from aeollm.errors import AeollmError, Problem, UsageError, printable
from aeollm.evaluation import distinct
from aeollm.files import MOST_ENTRIES_LABELS, RUBRIC_NAME, Unreadable, is_zip, read_rubrics, recognise, unpack
from aeollm.recipes import REPORTS, Recipe, read_recipe
from aeollm.sources import DEMO_FOLDER
from aeollm.tables import Rubrics

MOST_INPUTS = 12
MOST_BYTES = 8_000_000
DEMO_FILES = (DEMO_FOLDER / "judge" / "criteria.tsv", DEMO_FOLDER / "judge" / "pairs.tsv")
RUBRICS = "rubrics"
"""The folder that a recipe looks for rubric files in."""

Use = Literal["run", "criterion scores", "pairwise judgments", "reports", "rubrics", "recipe", "unknown"]
_USES: dict[str, Use] = {
    "run": "run",
    "criterion scores": "criterion scores",
    "pairwise judgments": "pairwise judgments",
    "reports": "reports",
    "counts of reports": "reports",
    "recipe": "recipe",
}
_ELSEWHERE = {
    "labels": "Take labels by “Own labels…” on the Score tab.",
    "aspect ratings": "Make labels of it by `python -m aeollm aggregate annotators`.",
    "annotations": "Read it by `python -m aeollm agreement`.",
}
_EXPECTED = (
    "Expected were criterion scores (questionId, answerId, dimension, criterion, score), comparisons (questionId, "
    "left, right, winner) or runs (seven columns); beside them reports (questionId, answerId, text) or counts of them, "
    "rubric files, a recipe."
)
_START, _HEAD = 60, 400


@dataclass(frozen=True, slots=True)
class Given:
    """A file: where it lies, what it is called (in a recipe too), what it is, and how steps call it."""

    path: Path
    file: str
    looks: str
    use: Use
    name: str


@dataclass(frozen=True)
class Handed:
    """Everything handed in; ``problems`` tell of the files that are of no use."""

    files: tuple[Given, ...] = ()
    rubrics: Rubrics | None = None
    recipe: Recipe | None = None
    problems: tuple[Problem, ...] = ()
    demo: bool = False

    @property
    def inputs(self) -> dict[str, Given]:
        """Give the judge outputs by name."""
        return {given.name: given for given in self.files if given.use not in ("reports", "rubrics", "recipe")}

    @property
    def reports(self) -> Given | None:
        """Give the reports, or the counts of them."""
        return next((given for given in self.files if given.use == "reports"), None)

    def of(self, use: Use) -> tuple[str, ...]:
        """List the inputs of one kind."""
        return tuple(name for name, given in self.inputs.items() if given.use == use)


def demo_files() -> Handed:
    """Take the bundled criterion scores in two orders, and comparisons by a judge who favours the first place."""
    return replace(sort([(path, path.name) for path in DEMO_FILES]), demo=True)


def sort(files: Sequence[tuple[Path, str]]) -> Handed:
    """Tell files apart.

    Raises
    ------
    UsageError
        For more, or more in them, than the page takes.
    """
    contents = [path.read_bytes() for path, _ in files]
    names = distinct([name for _, name in files])
    sorter = _Sorter()
    for (path, given), name, content in zip(files, names, contents, strict=True):
        sorter.take(path, name, content, renamed=name != given)
    sorter.refuse_much()
    return sorter.handed()


@dataclass
class _Sorter:
    taken: list[tuple[Path, str, str, Use]] = field(default_factory=list)
    rubrics: dict[str, bytes] = field(default_factory=dict)
    recipe: Recipe | None = None
    problems: list[Problem] = field(default_factory=list)
    size: int = 0

    def take(self, path: Path, name: str, content: bytes, *, renamed: bool) -> None:
        """Say what one file is, and keep it if it is of use."""
        rubrics = _rubric_files(name, content)
        if rubrics:
            self.rubrics |= rubrics
            self.taken.append((path, name, "rubrics", "rubrics"))
            return
        looks = recognise(content, name)
        use = _USES.get(looks, "unknown")
        if use == "unknown":
            self._unfit(name, looks, content)
        elif use == "recipe":
            self._recipe(path, name, content)
        elif use == "reports" and any(own == "reports" for *_, own in self.taken):
            self._wrong("several_reports", name, "reports are there already.", "Drop one table of them.")
        else:
            self.size += len(content)
            self.taken.append((path, name, looks, use))
        if renamed:
            message = f"another file has its name; the recipe calls this one {printable(name, 60)}."
            self.problems.append(Problem("warning", "same_name", message, "Rename it so before you use the recipe."))

    def refuse_much(self) -> None:
        """Keep what one visitor can ask for within bounds.

        Raises
        ------
        UsageError
        """
        inputs = sum(use not in ("rubrics", "recipe") for *_, use in self.taken)
        if inputs > MOST_INPUTS or self.size > MOST_BYTES:
            told = f"{inputs} files with {self.size / 1e6:.1f} MB; the page takes {MOST_INPUTS} with "
            message = f"{told}{MOST_BYTES / 1e6:.0f} MB together."
            raise UsageError("files", [Problem("error", "too_much", message, "Use `python -m aeollm build`.")])

    def handed(self) -> Handed:
        """Give the whole, with a name for every input: the recipe's, or else the file's without its ending."""
        own = {} if self.recipe is None else {_base(file): name for name, file in self.recipe.inputs.items()}
        known = [own.get(name) for _, name, *_ in self.taken]
        stems = [
            printable(Path(name).stem or name, _START)
            for (_, name, *_), called in zip(self.taken, known, strict=True)
            if not called
        ]
        free = iter(distinct(stems, [REPORTS, *(called for called in known if called)]))
        files = tuple(
            Given(path, name, looks, use, called or next(free))
            for (path, name, looks, use), called in zip(self.taken, known, strict=True)
        )
        return Handed(files, self._read_rubrics(), self.recipe, tuple(self.problems))

    def _recipe(self, path: Path, name: str, content: bytes) -> None:
        if self.recipe is not None:
            self._wrong("several_recipes", name, "a recipe is there already.", "Drop one.")
            return
        try:
            self.recipe = read_recipe(content, name=name)
        except AeollmError as error:
            self.problems += [_named(problem, name) for problem in error.problems]
            return
        self.taken.append((path, name, "recipe", "recipe"))

    def _read_rubrics(self) -> Rubrics | None:
        if not self.rubrics:
            return None
        try:
            return read_rubrics(self.rubrics)
        except AeollmError as error:
            self.problems += error.problems
            return None

    def _unfit(self, name: str, looks: str, content: bytes) -> None:
        if looks in _ELSEWHERE:
            self._wrong("other_kind", name, f"this looks like {looks}.", f"{_EXPECTED} {_ELSEWHERE[looks]}")
            return
        start = content[:_HEAD].decode("utf-8", "replace").strip()
        first = printable(start.partition("\n")[0], _START)
        begins = f"it begins with {first!r}" if start and "\0" not in start else "it is no text"
        self._wrong("unknown_kind", name, f"this looks like nothing known: {begins}.", _EXPECTED)

    def _wrong(self, kind: str, name: str, message: str, remedy: str) -> None:
        self.problems.append(_named(Problem("error", kind, message, remedy), name))


def _rubric_files(name: str, content: bytes) -> dict[str, bytes]:
    """Give the rubric files that a file is or, zipped, holds."""
    if RUBRIC_NAME.fullmatch(name):
        return {name: content}
    if not is_zip(content):
        return {}
    try:
        files = unpack(content, MOST_ENTRIES_LABELS)
    except Unreadable:
        # Its reader will tell what is wrong with it.
        return {}
    found = ((PurePosixPath(path).name, text) for path, text in files.items())
    return {base: text for base, text in found if RUBRIC_NAME.fullmatch(base)}


def _named(problem: Problem, name: str) -> Problem:
    return replace(problem, message=f"{printable(name, 60)}: {problem.message}")


def _base(file: str) -> str:
    return PurePosixPath(file.replace("\\", "/")).name


def used(handed: Handed, names: Iterable[str]) -> dict[str, str]:
    """Map inputs to their files, in the order they were handed in, as a recipe lists them."""
    wanted = set(names)
    return {name: given.file for name, given in handed.inputs.items() if name in wanted}
