"""A scoring prompt revised by a model that is shown its errors, and pruned; held-out questions decide what is kept.

After the published description of ISLab's method: revision from scoring errors, pruning of segments that add little.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aeollm.errors import Problem
from aeollm.judging import Answer, Missing, Session
from aeollm.methods.calls import Rows
from aeollm.methods.guidance import read_revision
from aeollm.methods.losses import Compared, compared, error_loss, largest_errors, order_loss
from aeollm.methods.optimising.setup import Guidance, Setup
from aeollm.methods.pointwise import holistic
from aeollm.tables import Key

_LOSSES = {"order": order_loss, "error": error_loss}


@dataclass(frozen=True)
class Measured:
    """What a guidance is worth on some questions: the loss, None for none, and answers without a score."""

    loss: float | None
    missing: int
    table: Compared


@dataclass(frozen=True)
class Optimised:
    """The outcome: the templates with the guidance kept, by name and language, and everything tried in its order.

    ``whole`` says that a revision could be read where any was asked for, and that no answer lacks a score under the
    guidance kept; what else has no value was lost on the way there.
    """

    templates: Mapping[tuple[str, str], str]
    log: tuple[Mapping[str, object], ...]
    problems: tuple[Problem, ...]
    whole: bool = True


@dataclass
class Optimiser:
    """One language's optimisation, or that of several together.

    ``answers`` takes every answer that comes, to be counted, ``revisions`` the reviser's again; ``calls`` are counted
    from those that were made before it.
    """

    setup: Setup
    session: Session
    answers: list[Answer[Any]] = field(default_factory=list)
    revisions: list[Answer[Guidance]] = field(default_factory=list)
    log: list[Mapping[str, object]] = field(default_factory=list)
    calls: int = 0

    @property
    def options(self) -> Mapping[str, Any]:
        """Give the ask's options."""
        return self.setup.asking.ask.options

    async def run(self) -> Optimised:
        """Revise and prune, round by round, within the budget."""
        best, held = self.setup.start, await self.measure(self.setup.start, self.setup.split.held_out)
        self.note("start", best, held, kept=True)
        for number in range(int(self.options["rounds"])):
            if self.over(held):
                break
            revised = await self.revision(best, number)
            if revised is not None:
                best, held = await self.tried(f"revision {number + 1}", revised, (best, held))
            if self.options["prune"] == "yes":
                best, held = await self.pruned(best, held, number)
        missing = await self.last(best)
        whole = not missing and (not self.revisions or any(own.value is not None for own in self.revisions))
        templates = self.setup.templates(self.setup.asking.ask.name, best)
        log = tuple({**entry, "language": self.setup.language} for entry in self.log)
        return Optimised(templates, log, tuple(map(self.named, (*self.told(best), *self.lost()))), whole)

    def named(self, problem: Problem) -> Problem:
        """Say of which language a problem tells, where there are others."""
        setup = self.setup
        return replace(problem, message=f"{setup.language}: {problem.message}") if setup.among_others else problem

    def over(self, held: Measured) -> bool:
        """Tell whether to stop: nothing to compare, the session's end, or the most calls made."""
        stop = self.session.stopped
        spent = self.calls >= self.options["calls"]
        if held.loss is None or stop is not None or spent:
            why = "no score" if held.loss is None else stop.words if stop is not None else "the calls are spent"
            self.log.append({"what": "stopped", "why": why})
            return True
        return False

    async def tried(self, what: str, guidance: Guidance, best: tuple[Guidance, Measured]) -> tuple[Guidance, Measured]:
        """Keep a guidance if the held-out loss falls, and no more answers are without a score."""
        held = await self.measure(guidance, self.setup.split.held_out)
        kept = better(held, best[1], equal=False)
        self.note(what, guidance, held, kept=kept)
        return (guidance, held) if kept else best

    async def pruned(self, best: Guidance, held: Measured, number: int) -> tuple[Guidance, Measured]:
        """Take out every segment without which the held-out loss is no larger, from the last to the first."""
        for place in reversed(range(len(best))):
            if len(best) == 1 or self.over(held):
                break
            without = (*best[:place], *best[place + 1 :])
            measured = await self.measure(without, self.setup.split.held_out)
            kept = better(measured, held, equal=True)
            self.note(f"round {number + 1} without segment {place + 1}", without, measured, kept=kept)
            if kept:
                best, held = without, measured
        return best, held

    async def measure(self, guidance: Guidance, questions: Sequence[str]) -> Measured:
        """Have reports of some questions scored under a guidance."""
        asking = self.setup.scoring(guidance, questions)
        scores: dict[Key, list[float]] = {}
        calls = list(holistic(asking))
        self.calls += len(calls)
        async for answer in self.session.run_each((call.request, call.read) for call in calls):
            self.answers.append(answer)
            rows: Rows = answer.value or ()
            scores |= {(row[1], row[2]): [float(cell) for cell in row[3:]] for row in rows}
        keys = [report.key for report in asking.material.reports if report.key in self.setup.labels.index]
        table = compared(scores, keys, asking.dimensions, self.setup.labels)
        return Measured(_LOSSES[str(self.options["loss"])](table), table.missing, table)

    async def revision(self, guidance: Guidance, number: int) -> Guidance | None:
        """Have the guidance revised from errors on the training questions."""
        training = await self.measure(guidance, self.setup.split.training)
        rows = largest_errors(training.table, int(self.options["errors"]))
        if not rows:
            self.log.append({"what": f"revision {number + 1}", "why": "there are no errors to learn from"})
            return None
        self.calls += 1
        answer = await self.session.one(
            self.setup.reviser(guidance, self.setup.errors(training.table, rows), number), read_revision
        )
        self.answers.append(answer)
        self.revisions.append(answer)
        if answer.missing is not None:
            self.log.append({"what": f"revision {number + 1}", "why": answer.missing.words})
        return answer.value

    async def last(self, best: Guidance) -> int:
        """Measure the start, and what was kept, on every part; count the answers without a score under the latter."""
        missing = 0
        split = self.setup.split
        parts = {"in_sample": split.training, "held_out": split.held_out, "untouched": split.untouched}
        for name, guidance in (("start", self.setup.start), ("final", best)):
            found = {part: await self.measure(guidance, own) for part, own in parts.items() if own}
            losses = {part: measured.loss for part, measured in found.items()}
            self.log.append({"what": name, "guidance": list(guidance), "losses": losses})
            missing = sum(measured.missing for measured in found.values())
        return missing

    def note(self, what: str, guidance: Guidance, held: Measured, *, kept: bool) -> None:
        """Log what was tried."""
        entry = {"what": what, "guidance": list(guidance), "held_out": held.loss, "missing": held.missing, "kept": kept}
        self.log.append(entry)

    def told(self, best: Guidance) -> Iterator[Problem]:
        """Say what the final prompt is worth, and on which questions that can be believed."""
        start, final = (entry.get("losses") for entry in self.log[-2:])
        split = self.setup.split
        parts = {"in_sample": ("in sample", split.training), "held_out": ("held out", split.held_out)}
        parts["untouched"] = ("untouched", split.untouched)
        told = [
            f"{words} {_shown(start, key)} before, {_shown(final, key)} after ({len(own)} questions)"
            for key, (words, own) in parts.items()
            if own
        ]
        remedy = "The held-out questions chose the prompt and flatter it; only untouched ones say what it is worth."
        yield Problem("note", "learned", f"loss {'; '.join(told)}.", remedy)
        if not split.untouched:
            message = "no labelled question is left untouched: nothing shows whether the prompt is better than before."
            yield Problem("warning", "no_untouched", message, "Name labels of more questions: three at the least.")
        foreign = self.setup.foreign(best)
        if foreign:
            message = f"{foreign} reports are scored by revised guidance in another language ({self.setup.language})."
            remedy = "Optimise each language apart, by labels and reports of its questions."
            yield Problem("warning", "other_language", message, remedy)

    def lost(self) -> Iterator[Problem]:
        """Say what has no value: revisions, and scores under what was tried."""
        own = {answer.request.key: answer.missing for answer in self.revisions if answer.missing is not None}
        if own:
            count = f"{len(own)} of {len(self.revisions)} revisions could not be read ({_kinds(own.values())})"
            remedy = "The same command asks failed calls again; a larger reviser keeps to the form more often."
            if any(missing.kind == "truncated" for missing in own.values()):
                remedy = "Cut ones need more room, for a reviser that thinks above all: --max-tokens 16384 or so."
            yield Problem("warning", "unread_revisions", f"{count}: the prompt stayed as it was there.", remedy)
        every = {answer.request.key: answer.missing for answer in self.answers if answer.missing is not None}
        scores = [missing for key, missing in every.items() if key not in own]
        if scores:
            message = (
                f"{len(scores)} answers had no score while prompts were tried ({_kinds(scores)}): missing, never 0."
            )
            yield Problem("warning", "missing_values", message)


def _kinds(lost: Iterable[Missing]) -> str:
    return ", ".join(sorted({missing.kind for missing in lost}))


def _shown(losses: object, key: str) -> str:
    value = losses.get(key) if isinstance(losses, Mapping) else None
    return "–" if value is None else f"{value:.4f}"


def better(one: Measured, other: Measured, *, equal: bool) -> bool:
    """Tell whether one loss is smaller, or as small; a loss over fewer scored answers is no proof."""
    if one.loss is None or other.loss is None or one.missing > other.missing:
        return False
    return one.loss <= other.loss if equal else one.loss < other.loss


def log_lines(log: Sequence[Mapping[str, object]]) -> bytes:
    """Write a log as JSON lines."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in log).encode("utf-8", "surrogatepass")
