"""The label sets the page offers to everyone: local, from the Hub, the demo."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from aeollm.errors import AeollmError
from aeollm.sources import DEMO, LabelSet, Settings, demo_set, hub_sets, local_sets

_RETRY_SECONDS = 60
_LOG = logging.getLogger(__name__)


def _told(error: AeollmError) -> str:
    return " ".join(str(problem) for problem in error.problems[:3])


def _without_path(found: LabelSet) -> LabelSet:
    """Keep the server's folders to the server."""
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
    """Label sets of a server. The Hub is asked in the background, so that the page opens at once."""

    settings: Settings
    demo: LabelSet = field(default_factory=demo_set)
    _offer: Offer = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed_at: float = 0.0

    def __post_init__(self) -> None:
        """Read local labels, or start asking the Hub."""
        own = {DEMO: self.demo}
        if self.settings.labels is not None:
            try:
                sets = {name: _without_path(found) for name, found in local_sets(self.settings.labels).items()}
                self._offer = Offer(sets | own, _default(sets))
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
            sets = hub_sets(self.settings)
            self._offer = Offer(sets | own, _default(sets))
        except AeollmError as error:
            self._failed_at = time.monotonic()
            self._offer = Offer(own, DEMO, trouble=_told(error))
        except Exception:
            _LOG.exception("loading the labels failed")
            self._failed_at = time.monotonic()
            self._offer = Offer(own, DEMO, trouble="Loading the labels failed; the server's log says why.")
            raise
