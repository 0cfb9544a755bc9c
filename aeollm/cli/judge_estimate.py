"""``judge --dry-run``: what asking takes, and on what that rests."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from aeollm.cli.text_tables import aligned
from aeollm.judging import Price
from aeollm.methods import Estimated, Task, duration, estimated_in, seconds_of
from aeollm.methods.estimating import READS, WRITES

_GUESSED = (
    "rough: tokens in are guessed by 0.3 a letter and 0.6 a Chinese character; some models count half as many again."
)
_TRY = "Judge a few first (--trial 3): the same command then goes by what the endpoint counted."


def estimate_lines(options: argparse.Namespace, task: Task) -> list[str]:
    """Tell what a method takes."""
    found = estimated_in(options.output, task, options.price)
    priced = options.price != Price()
    rows = [["asked", "calls", "on disk", "tokens in", "tokens out at most", "longest call", *["money"][:priced]]]
    rows += [_row(own, priced=priced) for own in found]
    if len(found) > 1:
        total = [sum(getattr(own, key) for own in found) for key in ("calls", "on_disk", "prompt", "completion")]
        calls = ("at most " if any(own.at_most for own in found) else "") + str(total[0])
        money = [f"{sum(own.money for own in found):.4g}"][:priced]
        rows.append(["together", calls, *map(str, [*total[1:], max(own.longest for own in found)]), *money])
    return [
        f"{task.method.name}: {len(task.material.reports)} reports",
        *aligned(rows, 1),
        *_sampling(found),
        *_basis(found, priced=priced),
        _time(found, options.concurrency),
        "(nothing was sent)",
    ]


def _row(own: Estimated, *, priced: bool) -> list[str]:
    calls = ("at most " if own.at_most else "") + str(own.calls)
    numbers = map(str, (own.on_disk, own.prompt, own.completion, own.longest))
    return [own.name, calls, *numbers, *[f"{own.money:.4g}"][:priced]]


def _sampling(found: Sequence[Estimated]) -> list[str]:
    """Say what depends on whether the endpoint gives token probabilities."""
    unknown = "the rest in proportion. After a trial (--trial 3) this goes by what the endpoint gave"
    return [
        f"{own.name}: where the endpoint gives no token probabilities, at most {own.instead} calls instead "
        f"(each once, then {own.samples} samples), and {unknown}."
        if own.instead
        else f"{own.name}: the endpoint gave no token probabilities: {own.samples} samples of every answer are counted."
        for own in found
        if own.samples
    ]


def _basis(found: Sequence[Estimated], *, priced: bool) -> list[str]:
    """Say what the figures rest on."""
    scale, counted, shared = found[0].scale, found[0].counted, sum(own.shared for own in found)
    told = f"{_GUESSED} {_TRY}"
    if scale is not None:
        told = (
            f"tokens in: the guess from letters times {scale:.2f}, as the endpoint counted {counted} replies on disk."
        )
    lines = [told]
    if priced:
        rough = "" if scale is not None else ", so that it may be more"
        lines.append(f"money: by these tokens in{rough}, and every reply as long as max_tokens lets it be.")
    else:
        lines.append("money: not told without --price IN,OUT (of a million tokens).")
    if shared:
        lines.append(
            f"{shared} more answers share a call: the very same words to the same model are sent and paid once."
        )
    return [*lines, "Asking again after replies that cannot be read comes on top."]


def _time(found: Sequence[Estimated], concurrency: int) -> str:
    pace = found[0].pace
    basis = f"assumed: a call reads {READS} tokens a second and writes {WRITES}, up to its longest reply"
    if pace is not None:
        basis = f"measured: a call took {pace:.2g} s, of those on disk"
    seconds = duration(seconds_of(found, concurrency, pace))
    return f"time: about {seconds} at {concurrency} calls at a time ({basis})."
