"""What a method takes, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aeollm.judging import Data, Estimate, Estimator, Options, Price, ReplyStore, Sized, Sizer, Template, Usage
from aeollm.methods.calls import Asking, Row
from aeollm.methods.carrying import Task
from aeollm.methods.collecting import requests_of
from aeollm.methods.opinions import opinion_calls
from aeollm.methods.optimising import first_templates
from aeollm.methods.prompting import Prompts
from aeollm.methods.running import REPLIES

READS, WRITES = 1_500, 40
"""Tokens a second that a call is assumed to read and write, until replies on disk have told it."""
_SHORT, _MINUTE, _HOUR = 9.95, 60, 3_600


@dataclass(frozen=True, slots=True)
class Estimated:
    """What one way of asking takes; ``at_most`` where what is asked depends on earlier replies.

    ``shared`` counts requests whose reply another call brings. ``scale`` is what estimated tokens of prompts were
    multiplied by, as the endpoints counted ``counted`` replies on disk, and ``pace`` the seconds that such a call took;
    None where no endpoint has told it. ``samples`` are asked for every answer where there are no token probabilities:
    they are counted, unless no reply has told yet whether there are, and ``instead`` is the calls that it then takes.
    """

    name: str
    calls: int
    on_disk: int
    prompt: int
    completion: int
    longest: int
    money: float
    at_most: bool
    shared: int = 0
    scale: float | None = None
    counted: int = 0
    pace: float | None = None
    samples: int = 0
    instead: int = 0

    @property
    def wanted(self) -> int:
        """Count the answers."""
        return self.calls + self.on_disk + self.shared

    def wanted_with(self, *, samples: bool) -> int:
        """Count them once it is known whether samples are asked instead of token probabilities."""
        return self.wanted + (self.instead - self.calls if samples and self.instead else 0)


@dataclass(frozen=True)
class _Measured(Asking):
    """Asking whose requests are measured and not written."""

    sizer: Sizer = field(default_factory=Sizer)

    def request(self, place: Row, template: Template, values: Mapping[str, str | Data], options: Options) -> Sized:
        """Measure a request."""
        return self.sizer.request((self.ask.name, *place), template, values, options)


def estimated(task: Task, price: Price, store: ReplyStore | None = None) -> tuple[Estimated, ...]:
    """Add up what a method takes, before anything is sent; asking again comes on top."""
    # Replies are found by what is written; where there are none, nothing has to be.
    kept = store if store is not None and (len(store) or store.lacks) else None
    estimator, sizer, task = Estimator(kept), Sizer(), with_first_prompts(task)
    rows = []
    for ask in task.method.asks:
        asking = task.asking(ask)
        if kept is None:
            asking = _Measured(**vars(asking), sizer=sizer)
        if ask.kind.gives == "opinions":
            rows.append((ask, *_of_opinions(asking, (estimator, kept), price)))
            continue
        own = estimator.add_up(requests_of(asking), price, stand_ins=ask.kind.gives == "prompt")
        rows.append((ask, own, 0, 0))
    told, found = estimator.counted, []
    scale = told.scale or 1.0
    for ask, own, samples, instead in rows:
        most = Usage(round(scale * own.most.prompt), own.most.completion, estimated=True)
        longest = own.longest + round((scale - 1) * max(own.longest - int(ask.options["max_tokens"]), 0))
        figures = (own.calls, own.on_disk, most.prompt, most.completion, longest, price.of(most))
        at_most = ask.builds_on is not None or ask.kind.gives == "prompt"
        rests_on = (told.scale, told.replies, told.pace)
        found.append(Estimated(ask.name, *figures, at_most, own.shared, *rests_on, samples, instead))
    return tuple(found)


def _of_opinions(asking: Asking, by: tuple[Estimator, ReplyStore | None], price: Price) -> tuple[Estimate, int, int]:
    """Add up what opinions take; with the samples for each, and the calls where there may have to be some."""
    estimator, kept = by
    (judge,) = asking.asked
    samples, tells = int(asking.ask.options["samples"]), kept.tells_probabilities(judge.model) if kept else None
    counted = samples if tells is False else 0
    own = estimator.add_up(opinion_calls(asking, kept), price, samples=counted)
    if tells is None and samples:
        return own, samples, own.calls + samples * own.probes if own.probes else 0
    return own, counted, 0


def number_of_calls(task: Task, name: str) -> int:
    """Count the calls of one way of asking as they are numbered; 0 where there is none of this name."""
    task, sizer = with_first_prompts(task), Sizer()
    asks = [task.asking(ask) for ask in task.method.asks if ask.name == name]
    return sum(1 for asking in asks for _ in requests_of(_Measured(**vars(asking), sizer=sizer)))


def estimated_in(folder: Path | None, task: Task, price: Price) -> tuple[Estimated, ...]:
    """Add up what a method takes, less the replies that are on disk in a run's folder."""
    path = None if folder is None else folder / REPLIES
    if path is None or not path.is_file():
        return estimated(task, price)
    with ReplyStore(path) as store:
        return estimated(task, price, store)


def seconds_of(rows: Sequence[Estimated], concurrency: int, pace: float | None) -> float:
    """Give the time that calls take, several at once: at the pace measured, or as assumed."""
    calls = sum(own.calls for own in rows)
    assumed = sum(own.prompt / READS + own.completion / WRITES for own in rows)
    whole = assumed if pace is None else calls * pace
    return whole / max(min(concurrency, calls), 1)


def in_units(seconds: float) -> dict[str, str]:
    """Give a time in its two largest units, of hours, minutes and seconds.

    >>> in_units(7.24), in_units(75), in_units(7_300)
    ({'s': '7.2'}, {'min': '1', 's': '15'}, {'h': '2', 'min': '1'})
    """
    whole = round(seconds)
    if seconds < _SHORT:
        return {"s": f"{seconds:.1f}"}
    if whole < _MINUTE:
        return {"s": f"{whole}"}
    if whole < _HOUR:
        return {"min": f"{whole // _MINUTE}", "s": f"{whole % _MINUTE}"}
    return {"h": f"{whole // _HOUR}", "min": f"{whole % _HOUR // _MINUTE}"}


def duration(seconds: float) -> str:
    """Write a time in its two largest units.

    >>> duration(75)
    '1 min 15 s'
    """
    return " ".join(f"{count} {unit}" for unit, count in in_units(seconds).items())


def with_first_prompts(task: Task) -> Task:
    """Let the prompts that an optimisation starts from stand for those that it will make."""
    made = dict(task.prompts.made)
    for ask in task.method.asks:
        if ask.kind.gives == "prompt":
            made |= first_templates(task.asking(ask))
    return replace(task, prompts=Prompts(task.prompts.folder, made))
