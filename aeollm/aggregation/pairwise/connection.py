"""Which answers the comparisons cannot place against each other, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aeollm.aggregation.pairwise.comparisons import Comparisons
from aeollm.errors import Problem

Bools = NDArray[np.bool_]
Places = NDArray[np.intp]

Groups = tuple[tuple[str, ...], ...]

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Separation:
    """Why the likelihood of one question and dimension has no maximum, or no single one.

    Attributes
    ----------
    islands : groups of answers of which none was compared with an answer outside, where there is more than one.
    undefeated : groups of answers that never lost to, nor tied with, an answer outside (and met some).
    winless : groups that never won against, nor tied with, an answer outside (and met some).
    all_tied : whether there are ties and no winner at all, so that any strengths explain them (Davidson's model).
    uncontradicted : whether all wins fit a ranking with a threshold for ties, so that strengths and threshold can grow
        together without end (Davidson's model).
    """

    question: str
    dimension: str
    islands: Groups = ()
    undefeated: Groups = ()
    winless: Groups = ()
    all_tied: bool = False
    uncontradicted: bool = False

    @property
    def sentence(self) -> str:
        """Say it in words, naming the first few answers."""
        parts = []
        if self.islands:
            parts.append(f"{len(self.islands)} groups are not compared with each other: {_listed(self.islands)}")
        if self.undefeated:
            parts.append(f"undefeated: {_listed(self.undefeated)}")
        if self.winless:
            parts.append(f"without a win: {_listed(self.winless)}")
        if self.all_tied:
            parts.append("every comparison is a tie")
        if self.uncontradicted:
            parts.append("the wins fit a ranking with a threshold for ties, without a contradiction")
        return "; ".join(parts)

    def problem(self, *, held: bool) -> Problem:
        """Give it as a finding; ``held`` where a penalty gave the strengths that the comparisons do not."""
        told = f"Question {self.question}, {self.dimension}: {self.sentence}."
        if held:
            return Problem(
                # Answers that never met are where the penalty puts them, and nowhere else.
                severity="warning" if self.islands else "note",
                kind="separated",
                message=f"{told} How far apart these stand is the penalty's doing.",
                question=self.question,
                column=self.dimension,
            )
        return Problem(
            severity="warning",
            kind="separated",
            message=f"{told} No strengths are most likely, so there are none.",
            remedy="Set a ridge (0.1 is mild) or give anchors, or compare more pairs.",
            question=self.question,
            column=self.dimension,
        )


def _listed(groups: Groups) -> str:
    shown = [
        ", ".join(names[:_SHOWN]) + (f", … ({len(names)} answers)" if len(names) > _SHOWN else "")
        for names in groups[:_SHOWN]
    ]
    return " | ".join(shown) + (f" and {len(groups) - _SHOWN} more" if len(groups) > _SHOWN else "")


def separations(comparisons: Comparisons, *, ties: bool) -> dict[int, Separation]:
    """Find the groups whose comparisons have no best strengths, and say why.

    A maximum exists where, however the answers are parted in two, each side won or tied against the other (Ford 1957,
    American Mathematical Monthly 64(8):28-33): where the graph of wins is strongly connected. Davidson's threshold
    asks for more: the likelihood also grows without end along strengths that set every winner apart by at least what
    no tie is apart by. Such strengths exist exactly where the constraints have no cycle of negative length.

    Parameters
    ----------
    comparisons : of any number of groups.
    ties : whether ties are outcomes of their own (Davidson) or half a win each way.
    """
    if not len(comparisons):
        return {}
    from scipy.sparse import coo_array  # noqa: PLC0415  scoring does not wait for scipy
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  as above

    sources, targets = _edges(comparisons)
    size = int(comparisons.starts[-1])
    graph = coo_array((np.ones(len(sources)), (sources, targets)), shape=(size, size)).tocsr()
    _, strong = connected_components(graph, directed=True, connection="strong")
    _, weak = connected_components(graph, directed=False)
    crossing = strong[sources] != strong[targets]
    beaten, winning = (np.zeros(size, dtype=bool) for _ in range(2))
    beaten[strong[targets[crossing]]] = True
    winning[strong[sources[crossing]]] = True
    all_tied, uncontradicted = _thresholds(comparisons) if ties else (np.zeros(len(comparisons), dtype=bool),) * 2
    found = {}
    for group in range(len(comparisons)):
        members = slice(comparisons.starts[group], comparisons.starts[group + 1])
        parts = strong[members]
        connected = bool((parts == parts[:1]).all())
        if connected and not all_tied[group] and not uncontradicted[group]:
            continue
        names = comparisons.answers[group]
        met = beaten[parts] | winning[parts]
        islands = _gathered(names, weak[members], np.ones(len(names), dtype=bool))
        found[group] = Separation(
            comparisons.questions[group],
            comparisons.dimensions[group],
            islands=islands if len(islands) > 1 else (),
            undefeated=_gathered(names, parts, met & ~beaten[parts]),
            winless=_gathered(names, parts, met & ~winning[parts]),
            all_tied=bool(all_tied[group]),
            uncontradicted=bool(uncontradicted[group]) and connected,
        )
    return found


def _edges(comparisons: Comparisons) -> tuple[Places, Places]:
    """Point from every answer to those it won against; a tie points both ways."""
    won, tied, lost = comparisons.outcomes.T
    a, b = comparisons.flat_first, comparisons.flat_second
    forth, back = won + tied > 0, lost + tied > 0
    return np.concatenate([a[forth], b[back]]), np.concatenate([b[forth], a[back]])


def _gathered(names: Sequence[str], parts: NDArray[np.integer], wanted: Bools) -> Groups:
    gathered: dict[int, list[str]] = {}
    for name, part, want in zip(names, parts.tolist(), wanted.tolist(), strict=True):
        if want:
            gathered.setdefault(part, []).append(name)
    return tuple(tuple(members) for members in gathered.values())


def _thresholds(comparisons: Comparisons) -> tuple[Bools, Bools]:
    """Say which groups have ties only, and which have ties that no cycle of wins holds down.

    With answers at places d and a tie's threshold 1, a win asks for d(loser) <= d(winner) - 1 and a tie for a distance
    of at most 1 either way: a system of difference constraints, solvable unless some cycle is of negative length
    (Bellman and Ford).
    """
    won, tied, lost = comparisons.outcomes.T
    any_tied, any_won = comparisons.totals(tied) > 0, comparisons.totals(won + lost) > 0
    asked = any_tied & any_won
    return any_tied & ~any_won, asked & ~_negative_cycles(comparisons, asked[comparisons.group])


def _negative_cycles(comparisons: Comparisons, asked: Bools) -> Bools:
    """Say which groups have a cycle of negative length among the pairs asked for."""
    won, tied, lost = (column[asked] for column in comparisons.outcomes.T)
    a, b = comparisons.flat_first[asked], comparisons.flat_second[asked]
    kinds = ((a, b, won > 0, -1), (b, a, lost > 0, -1), (a, b, tied > 0, 1), (b, a, tied > 0, 1))
    sources = np.concatenate([source[chosen] for source, _, chosen, _ in kinds])
    targets = np.concatenate([target[chosen] for _, target, chosen, _ in kinds])
    lengths = np.concatenate([np.full(int(chosen.sum()), length) for *_, chosen, length in kinds])
    distance = np.zeros(int(comparisons.starts[-1]), dtype=np.int64)
    found = np.zeros(len(comparisons), dtype=bool)
    rounds = 0
    while len(sources):
        before = distance.copy()
        np.minimum.at(distance, targets, before[sources] + lengths)
        rounds += 1
        moved = np.zeros(len(comparisons), dtype=bool)
        moved[comparisons.of_answer[distance < before]] = True
        # A shortest path has fewer steps than there are answers; what still shortens goes round a negative cycle.
        found |= moved & (rounds >= comparisons.sizes)
        going_on = (moved & ~found)[comparisons.of_answer[sources]]
        sources, targets, lengths = sources[going_on], targets[going_on], lengths[going_on]
    return found
