"""The label sets the page offers to everyone: local, from the Hub, the demo."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from aeollm.errors import AeollmError
from aeollm.sources import DEMO, LabelSet, Settings, demo_set, hub_sets, local_sets
from aeollm.submissions import Host

_RETRY_SECONDS = 60
_HIDDEN = "The configured labels are those of the evaluation hosted here; they stay hidden."
_LOG = logging.getLogger(__name__)


def _told(error: AeollmError) -> str:
    return " ".join(str(problem) for problem in error.problems[:3])


def _shown(found: LabelSet) -> LabelSet:
    """Keep the server's folders to the server; a data set's place has a revision, and is everybody's."""
    if found.labels.revision is not None:
        return found
    return replace(found, labels=replace(found.labels, source=Path(found.labels.source).name))


def _default(sets: dict[str, LabelSet]) -> str:
    """Choose the first set with human scores; a list of keys only where there is nothing else."""
    return next((name for name, found in sets.items() if found.labels.labelled), next(iter(sets)))


@dataclass(frozen=True, slots=True)
class Offer:
    """What is there at one moment; ``trouble`` says why the configured labels are not."""

    sets: dict[str, LabelSet]
    default: str
    pending: str = ""
    trouble: str = ""


@dataclass
class Catalogue:
    """Label sets of a server. The Hub is asked in the background, so that the page opens at once.

    What the ``host`` of an evaluation hides is not offered; where it cannot be told for now, nothing configured is.
    """

    settings: Settings
    demo: LabelSet = field(default_factory=demo_set)
    host: Host | None = None
    _offer: Offer = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed_at: float = 0.0

    def __post_init__(self) -> None:
        """Read local labels, or start asking the Hub."""
        own = {DEMO: self.demo}
        if self.host is not None and self.host.hides_place(self.settings):
            # Nothing is read: what is told of a broken file quotes it.
            self._offer = Offer(own, DEMO, trouble=_HIDDEN)
            return
        if self.settings.labels is not None:
            try:
                self._offer = self._offered(local_sets(self.settings.labels), own)
            except AeollmError as error:
                self._offer = Offer(own, DEMO, trouble=_told(error))
            return
        self._offer = Offer(own, DEMO)
        self._ask_hub()

    def offer(self, *, retry: bool = False) -> Offer:
        """Give what is there now; ``retry`` asks a Hub that failed a minute ago again, and says so."""
        if retry and self._failed_at and time.monotonic() - self._failed_at > _RETRY_SECONDS:
            self._ask_hub()
        return self._offer

    def _ask_hub(self) -> None:
        with self._lock:
            if self._offer.pending:
                return
            self._failed_at = 0.0
            self._offer = Offer(self._offer.sets, self._offer.default, pending=self.settings.repo)
        threading.Thread(target=self._load, name="labels from the Hub", daemon=True).start()

    def _load(self) -> None:
        own = {DEMO: self.demo}
        try:
            self._offer = self._offered(hub_sets(self.settings), own)
        except AeollmError as error:
            self._failed_at = time.monotonic()
            self._offer = Offer(own, DEMO, trouble=_told(error))
        except Exception:
            _LOG.exception("loading the labels failed")
            self._failed_at = time.monotonic()
            self._offer = Offer(own, DEMO, trouble="Loading the labels failed; the server's log says why.")
            raise

    def _offered(self, found: Mapping[str, LabelSet], own: dict[str, LabelSet]) -> Offer:
        """Offer what may be seen of the configured sets; whether it may is asked with their full place."""
        hidden = {name for name, known in found.items() if self.host is not None and self.host.hides(known.labels)}
        sets = {name: _shown(known) for name, known in found.items() if name not in hidden}
        return Offer(sets | own, _default(sets)) if sets else Offer(own, DEMO, trouble=_HIDDEN)
