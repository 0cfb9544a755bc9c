"""Where labels come from: a local folder or file, the Hub data set, an upload, the bundled demo."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath

from aeollm.errors import AeollmError, LabelsError, Problem, UsageError, printable
from aeollm.files import MOST_ENTRIES_LABELS, RUBRIC_NAME, Unreadable, is_zip, read_labels, read_rubrics, unpack
from aeollm.hub import DEFAULT_FOLDERS, DEFAULT_REPO, fetch_snapshot
from aeollm.tables import Labels, Rubrics

DEMO = "demo"
ASSETS = Path(__file__).parent.parent / "assets"
DEMO_FOLDER = ASSETS / "demo"
RUBRIC_FOLDER = "rubric_dataset"
_DEMO_LABELS = DEMO_FOLDER / "aeollm-2-train" / "train_deepresearch.csv"


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Labels with the rubrics that weigh them; ``rubrics`` None weighs all dimensions alike.

    ``notice`` says, for Hub sets, how fresh the copy is, where that needs saying.
    """

    labels: Labels
    rubrics: Rubrics | None
    notice: str = ""

    @property
    def weights_signed(self) -> str:
        """Give the weights as a signature names them."""
        return self.rubrics.signed if self.rubrics is not None else "equal"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to look: a local path, else a Hub data set at a revision."""

    labels: Path | None = None
    repo: str = DEFAULT_REPO
    revision: str = "main"
    folders: tuple[str, ...] = DEFAULT_FOLDERS
    token: str | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read ``AEOLLM_LABELS``, ``AEOLLM_REPO``, ``AEOLLM_REVISION``, ``AEOLLM_FOLDERS`` and ``HF_TOKEN``."""
        folders = tuple(name.strip() for name in environment.get("AEOLLM_FOLDERS", "").split(",") if name.strip())
        return cls(
            Path(environment["AEOLLM_LABELS"]) if environment.get("AEOLLM_LABELS") else None,
            environment.get("AEOLLM_REPO") or DEFAULT_REPO,
            environment.get("AEOLLM_REVISION") or "main",
            folders or DEFAULT_FOLDERS,
            environment.get("HF_TOKEN") or None,
        )

    def __repr__(self) -> str:
        """Leave the token out."""
        return f"Settings(labels={self.labels}, repo={self.repo}, revision={self.revision}, folders={self.folders})"


def find_labels(settings: Settings, name: str | None = None, rubrics: Path | None = None) -> LabelSet:
    """Load the label set that settings and name point to; the demo only by its name.

    Raises
    ------
    UsageError
        If the name is unknown, or several sets could be meant.
    AeollmError
        If labels or rubrics cannot be read, or the Hub cannot be had.
    """
    if name == DEMO and settings.labels is None:
        return demo_set()
    if settings.labels is not None:
        return read_set(settings.labels, name, rubrics)
    sets = hub_sets(settings, None if name is None else [name])
    if name is not None:
        return sets[name]
    return next(iter(sets.values()))


def demo_set() -> LabelSet:
    """Load the bundled demo, whose human scores are simulated."""
    found = read_set(DEMO_FOLDER)
    return replace(found, labels=replace(found.labels, source="bundled demo"))


@cache
def _demo_digest() -> str:
    return sha256(_DEMO_LABELS.read_bytes()).hexdigest()


def read_set(path: Path, name: str | None = None, rubrics: Path | None = None) -> LabelSet:
    """Read a label set from a CSV, or from a folder with a CSV and ``rubric_dataset/`` in it.

    A folder may also hold several sets (a folder each, as on the Hub); ``name`` then chooses.

    Raises
    ------
    UsageError, LabelsError, RubricsError
    """
    try:
        return _read_set(path, name, rubrics)
    except OSError as error:
        message = f"cannot be opened: {error.strerror}."
        raise LabelsError(str(path), [Problem("error", "unreadable_file", message, "Check the path.")]) from None


def _read_set(path: Path, name: str | None, rubrics: Path | None) -> LabelSet:
    if path.is_file():
        return _read_file(path, name or path.stem, rubrics, asked=rubrics is not None)
    sets = _sets_in(path)
    own = [known for known, table in sets.items() if table.parent == path]
    chosen = own[0] if name is None and len(own) == 1 else _choose(sets, name, str(path))
    folder = rubrics or sets[chosen].parent / RUBRIC_FOLDER
    return _read_file(sets[chosen], chosen, folder if rubrics or folder.is_dir() else None, asked=True)


def local_sets(path: Path) -> dict[str, LabelSet]:
    """Read every label set of a local file or folder, by name.

    Raises
    ------
    LabelsError, RubricsError
    """
    names = [path.stem] if path.is_file() else list(_sets_in(path))
    if not names:
        raise _no_labels(str(path))
    sets = [read_set(path, name) for name in names]
    return {found.labels.name: found for found in sets}


def _read_file(path: Path, name: str, rubrics: Path | None, *, asked: bool) -> LabelSet:
    labels = read_labels(path, name=name)
    if labels.digest == _demo_digest():
        labels = replace(labels, name=DEMO, demo=True)
    if not asked and (path.parent / RUBRIC_FOLDER).is_dir():
        message = f"{RUBRIC_FOLDER} beside the labels was not asked for; all dimensions weigh the same."
        note = Problem("warning", "equal_weights", message, "Name the folder of both, or the rubrics as well.")
        labels = replace(labels, problems=(*labels.problems, note))
    return LabelSet(labels, read_rubrics(rubrics, labels) if rubrics is not None else None)


def _sets_in(folder: Path) -> dict[str, Path]:
    """Find the CSVs of a folder and of the folders in it, by set name: the folder's where it holds one only."""
    if not folder.is_dir():
        problem = Problem("error", "unreadable_file", "there is no such file or folder.", "Check the path.")
        raise LabelsError(str(folder), [problem])
    found: dict[str, Path] = {}
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        tables = sorted(path for path in place.iterdir() if path.suffix.lower() == ".csv")
        own = place.resolve().name
        several = "" if place == folder else f"{own}/"
        for table in tables:
            found.setdefault(own if len(tables) == 1 else several + table.stem, table)
    return found


def _no_labels(where: str) -> LabelsError:
    message = "no CSV is in the folder or in a folder of it."
    return LabelsError(where, [Problem("error", "no_labels", message, "Name the file or its folder.")])


def _choose(sets: Mapping[str, object], name: str | None, where: str) -> str:
    known = ", ".join(printable(known) for known in sets)
    if not sets:
        raise _no_labels(where)
    if name is None and len(sets) > 1:
        raise UsageError(where, [Problem("error", "ambiguous_set", f"several label sets: {known}.", "Choose one.")])
    if name is not None and name not in sets:
        message = f"there is no label set {printable(name)!r}; there is {known}."
        raise UsageError(where, [Problem("error", "unknown_set", message, "Choose one of these.")])
    return name if name is not None else next(iter(sets))


def hub_sets(settings: Settings, names: list[str] | None = None) -> dict[str, LabelSet]:
    """Load the label sets of the Hub data set by name, in the order of the folders configured.

    Raises
    ------
    HubError
        If the Hub cannot be had and no complete copy is at hand.
    UsageError
        If a name asked for is no folder of the data set.
    LabelsError, RubricsError
        If nothing of what was downloaded can be read; otherwise the other sets' ``notice`` says what cannot.
    """
    folders = tuple(names) if names is not None else settings.folders
    snapshot = fetch_snapshot(settings.repo, settings.revision, folders, token=settings.token)
    source = f"{snapshot.repo}@{snapshot.revision}"
    notice = ""
    if snapshot.cached:
        notice = f"local copy of {snapshot.fetched}" if snapshot.fetched else "local copy"
        notice += f"; the Hub could not be asked ({snapshot.stale.replace('_', ' ')})" if snapshot.stale else ""
    sets: dict[str, LabelSet] = {}
    broken: dict[str, AeollmError] = {}
    for name in folders:
        if not (snapshot.folder / name).is_dir():
            continue
        try:
            found = read_set(snapshot.folder / name)
        except AeollmError as error:
            broken[name] = error
            continue
        labels = replace(found.labels, name=name, source=source, revision=snapshot.revision)
        sets[name] = LabelSet(labels, found.rubrics, notice)
    if broken and not sets:
        raise next(iter(broken.values()))
    told = [notice, *(f"{name} cannot be used: {error.problems[0]}" for name, error in broken.items())]
    return {name: replace(found, notice="; ".join(filter(None, told))) for name, found in sets.items()}


def read_upload(content: bytes, name: str) -> LabelSet:
    """Read uploaded labels: a CSV, or a zip with one CSV and rubric files in it.

    Raises
    ------
    LabelsError, RubricsError
    """
    stem = PurePosixPath(name).stem or "labels"
    if not is_zip(content):
        return LabelSet(_uploaded(content, stem), None)
    try:
        files = unpack(content, MOST_ENTRIES_LABELS)
    except Unreadable as unreadable:
        raise LabelsError(name, [unreadable.problem]) from None
    tables = [path for path in files if path.lower().endswith(".csv")]
    if len(tables) != 1:
        shown = ", ".join(printable(path, 60) for path in tables) or "none"
        message = f"the zip needs one CSV of labels; it holds {shown}."
        raise LabelsError(name, [Problem("error", "archive_ambiguous", message, "Pack one label set a zip.")])
    labels = _uploaded(files[tables[0]], stem)
    rubrics = [path for path in files if RUBRIC_NAME.fullmatch(PurePosixPath(path).name)]
    by_name = {PurePosixPath(path).name: files[path] for path in rubrics}
    if len(by_name) < len(rubrics):
        message = "rubric files of one name lie in several folders of the zip."
        raise LabelsError(name, [Problem("error", "archive_ambiguous", message, "Pack one label set a zip.")])
    return LabelSet(labels, read_rubrics(by_name, labels) if rubrics else None)


def _uploaded(content: bytes, name: str) -> Labels:
    labels = read_labels(content, name=name, source="upload")
    return replace(labels, name=DEMO, demo=True) if labels.digest == _demo_digest() else labels
