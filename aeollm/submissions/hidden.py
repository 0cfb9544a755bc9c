"""Hidden labels: runs go in, rounded aggregates come out, nothing else does."""

from __future__ import annotations

import hmac
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import numpy as np

from aeollm.decimals import Decimals
from aeollm.errors import AeollmError, HostingError, HubError, Problem, UsageError
from aeollm.files import inspect_run
from aeollm.resampling import compare_runs
from aeollm.scoring import score_against_run, score_runs
from aeollm.sources import DEMO, LabelSet, Settings, demo_set, find_labels, read_set
from aeollm.submissions.figures import MOST_VIEWS, Aggregate, Figure, Rounded
from aeollm.submissions.hiding import tells
from aeollm.submissions.remote import is_public
from aeollm.submissions.settings import HostSettings, HubPlace
from aeollm.tables import MEASURES, Comparison, Labels, Plan, Policy, Run, Scores, signature

PLAN = Plan(resamples=2_000)
"""Of the leaderboard's intervals and tests: shown to two decimals, they need no more resamples."""
INTERVAL_DECIMALS = 2
_RETRY_SECONDS = 60
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """What can be told about a file without its scores: everything found, coverage, and whether it can be submitted."""

    name: str
    digest: str
    accepted: bool
    problems: tuple[Problem, ...]
    coverage: tuple[int, int]


class HiddenLabels:
    """A label set whose scores do not leave this object: it has no attribute, repr, copy or pickle that shows them."""

    __slots__ = ("__keys", "__set", "answers", "demo", "dimensions", "name", "questions", "version")

    def __init__(self, label_set: LabelSet, name: str, key: str) -> None:
        labels = label_set.labels
        if not labels.labelled or len(labels.views) > MOST_VIEWS:
            message = f"the label set {name} has {len(labels.dimensions)} dimensions with human scores."
            remedy = f"Name a set with 1 to {MOST_VIEWS - 1}."
            raise HostingError(name, [Problem("error", "no_scores", message, remedy)])
        # A plain hash of the file would let a guess of the labels be checked at home; nobody else has the key.
        keyed = hmac.new(key.encode(), labels.digest.encode(), sha256).hexdigest()[:8]
        version = labels.revision or (keyed if key else labels.digest[:8])
        self.__set = replace(label_set, labels=replace(labels, name=name, revision=version, problems=()))
        self.__keys = _without_scores(self.__set.labels)
        self.name, self.version, self.demo = name, version, labels.demo
        self.questions, self.answers, self.dimensions = len(labels.question_order), len(labels), labels.dimensions

    def __repr__(self) -> str:
        """Name the set."""
        return f"HiddenLabels({self.name}@{self.version}, {self.questions} questions, {self.answers} answers)"

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled, so that no cache or session takes the labels along."""
        raise TypeError("hidden labels stay where they are")

    def signature(self, policy: Policy, digest: str) -> str:
        """Say how a run is scored."""
        return signature(self.__keys.signed, self.__set.weights_signed, policy, digest)

    def check(self, content: bytes, name: str) -> Check:
        """Check a file's form and coverage as the page does for public labels; its scores do not matter for it."""
        found = inspect_run(content, self.__keys, name=name)
        problems = found.problems
        if found.run is not None:
            # Against itself: what is said of ties and constant scores then depends on the run alone.
            problems = score_against_run(found.run, found.run, self.__keys).problems
        return Check(found.name, found.digest, found.run is not None, problems, found.coverage)

    def told_by(self, labels: Labels) -> bool:
        """Say whether other labels tell these, so that they must not be shown either."""
        return tells(labels, self.__set.labels)

    def aggregates(self, contents: Sequence[bytes], policy: Policy, decimals: int) -> list[Aggregate | None]:
        """Score files that were accepted, each for itself; None for one that is no run for these labels (any more)."""
        runs = [self.__run(content) for content in contents]
        scored = iter(self.__score([run for run in runs if run is not None], policy))
        return [None if run is None else _aggregate(next(scored), decimals) for run in runs]

    def compared(self, contents: Sequence[bytes], policy: Policy, decimals: int) -> list[Aggregate]:
        """Score files together: means with intervals and clusters, over all of them.

        Parameters as for `aggregates`; at least one file, and each a run for these labels.
        """
        scored = self.__score([run for run in map(self.__run, contents) if run is not None], policy)
        comparison = compare_runs(scored, [str(number) for number in range(len(scored))], PLAN)
        return [_compared(scores, comparison, place, decimals) for place, scores in enumerate(scored)]

    def __score(self, runs: Sequence[Run], policy: Policy) -> list[Scores]:
        return score_runs(runs, self.__set.labels, self.__set.rubrics, policy)

    def __run(self, content: bytes) -> Run | None:
        return inspect_run(content, self.__keys).run


def _without_scores(labels: Labels) -> Labels:
    """Keep the keys and the names of dimensions: all zero, and none of them given."""
    shape = (len(labels), len(labels.dimensions))
    scores = Decimals(np.zeros(shape, dtype=np.int64), 0)
    return replace(labels, scores=scores, given=np.zeros(shape, dtype=bool), digest="")


def _aggregate(scores: Scores, decimals: int) -> Aggregate:
    figures: dict[str, dict[str, Figure]] = {}
    for view in scores.views:
        means = {measure: scores.mean(view, measure) for measure in MEASURES}
        figures[view] = {m: Figure(Rounded.of(mean.mean, decimals), mean.undefined) for m, mean in means.items()}
    return Aggregate(figures, decimals, scores.signature)


def _compared(scores: Scores, comparison: Comparison, place: int, decimals: int) -> Aggregate:
    alone, runs = _aggregate(scores, decimals), comparison.runs
    ends = min(decimals, INTERVAL_DECIMALS)
    figures = {
        view: {
            measure: replace(
                alone.figures[view][measure],
                low=Rounded.of(runs.low[place, v, m].item(), ends),
                high=Rounded.of(runs.high[place, v, m].item(), ends),
                cluster=runs.cluster[place, v, m].item(),
            )
            for m, measure in enumerate(MEASURES)
        }
        for v, view in enumerate(scores.views)
    }
    return replace(alone, figures=figures)


class Shelf:
    """The hidden label sets of a host, each read when it is first needed.

    Where one cannot be had (the Hub is away, the token is wrong), it is tried again a minute later; the reason is
    told to the organisers only.
    """

    def __init__(self, settings: HostSettings) -> None:
        self._settings = settings
        self._sets: dict[str, HiddenLabels] = {}
        self._failed: dict[str, tuple[float, AeollmError]] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> HiddenLabels:
        """Give a label set.

        Raises
        ------
        HostingError
            If it cannot be had for now.
        """
        with self._lock:
            if name not in self._sets:
                self._read(name)
            return self._sets[name]

    def _read(self, name: str) -> None:
        failed, error = self._failed.get(name, (0.0, None))
        if error is None or time.monotonic() - failed > _RETRY_SECONDS:
            try:
                self._sets[name] = HiddenLabels(_reader(self._settings, name)(), name, self._settings.key)
                self._failed.pop(name, None)
                return
            except AeollmError as trouble:
                error = trouble
                self._failed[name] = (time.monotonic(), trouble)
                _LOG.warning("%s", _for_organisers(name, trouble))
        message = "the labels of this phase cannot be had for now."
        raise HostingError(name, [Problem("error", "labels_away", message, "Please try again in a few minutes.")])

    def troubles(self) -> list[Problem]:
        """Say, for the organisers, what is wrong with sets that were asked for and cannot be had."""
        return [_for_organisers(name, error) for name, (_, error) in dict(self._failed).items()]

    def states(self) -> dict[str, str]:
        """Say of each set that was asked for: its version, or of what kind the trouble with it is."""
        versions = {name: found.version for name, found in dict(self._sets).items()}
        return versions | {name: error.problems[0].kind for name, (_, error) in dict(self._failed).items()}

    @property
    def complete(self) -> bool:
        """Say whether there is no trouble with any set that was asked for."""
        return not self._failed


def _for_organisers(name: str, error: AeollmError) -> Problem:
    """Say why a label set cannot be had; what is wrong inside of it without a value, which may stand in logs."""
    first = error.problems[0]
    if isinstance(error, UsageError | HubError | HostingError) or first.kind in {"unreadable_file", "no_labels"}:
        return Problem("error", first.kind, f"the hidden label set {name}: {first.message}", first.remedy)
    found = f"{first.kind}, line {first.line}" if first.line is not None else first.kind
    message = f"the hidden label set {name} cannot be used; problems: {len(error.problems)}, first {found}."
    return Problem("error", first.kind, message, "`python -m aeollm score RUN --labels PLACE` tells them all.")


def _reader(settings: HostSettings, name: str) -> Callable[[], LabelSet]:
    if isinstance(settings.labels, HubPlace):
        return partial(_private_set, settings.labels, settings.token, name)
    return demo_set if settings.demo and settings.labels == Path(DEMO) else partial(read_set, settings.labels, name)


def _private_set(place: HubPlace, token: str | None, name: str) -> LabelSet:
    hub = Settings(repo=place.repo, revision=place.revision, folders=(name,), token=token)
    found = find_labels(hub, name)
    if is_public(place.repo):
        message = f"everybody can read {place.repo}, so that nothing in it is hidden."
        raise HostingError(name, [Problem("error", "labels_public", message, "Make the data set private.")])
    return found
