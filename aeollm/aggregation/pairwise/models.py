"""Strengths of answers from comparisons: Bradley-Terry, Davidson's model with ties, and both drawn to a centre."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.aggregation.pairwise.comparisons import MOST_CELLS, Comparisons
from aeollm.aggregation.pairwise.connection import Separation, separations
from aeollm.aggregation.pairwise.newton import Block, maximise
from aeollm.errors import Problem

Floats = NDArray[np.float64]
Model = Literal["bradley-terry", "davidson"]

LEAST_PENALTY, MOST_PENALTY = 1e-6, 1e4
"""What a ridge or an anchor's strength may be, beside 0."""
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths of all answers of all groups, on the log scale; in every group they sum to zero.

    A difference d between two answers that cannot tie means that the better one wins with probability
    1 / (1 + e^-d). ``values`` has one entry an answer, in the order of the comparisons' answers, nan where no
    strengths are most likely: ``separations`` says by group why, also where a penalty held the strengths. ``nu``,
    Davidson's threshold, is 0 without ties and infinite without anything else. ``log_likelihood`` is without the
    penalty; ``centre`` and ``penalty`` say what the strengths were drawn to, and how strongly (0: not at all).
    """

    model: Model
    comparisons: Comparisons
    values: Floats
    nu: Floats
    log_likelihood: Floats
    centre: Floats
    penalty: Floats
    separations: Mapping[int, Separation]

    def of(self, question: str, dimension: str) -> dict[str, float]:
        """Give the strength of every answer of one group.

        Raises
        ------
        KeyError
            For a group that was not compared.
        """
        group = self.comparisons.places()[question, dimension]
        start, end = self.comparisons.starts[group : group + 2]
        return dict(zip(self.comparisons.answers[group], self.values[start:end].tolist(), strict=True))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Tell what the comparisons leave out, and what they cannot place."""
        told = [
            found.problem(held=bool(self.penalty[group])) for group, found in self.separations.items() if found.sentence
        ]
        return (*self.comparisons.problems, *told)

    @cached_property
    def win_shares(self) -> Floats:
        """Give every answer's expected share of wins against all others of its group, a tie being half a win.

        nan where the strengths are, and for an answer without others.
        """
        shares = np.full(len(self.values), np.nan)
        for group, size in enumerate(self.comparisons.sizes.tolist()):
            start = self.comparisons.starts[group]
            strengths = self.values[start : start + size]
            if size > 1 and not np.isnan(strengths).any():
                half = (strengths[:, None] - strengths) / 2
                lead = np.zeros_like(half) if np.isinf(self.nu[group]) else _lead(half, float(self.nu[group]))
                shares[start : start + size] = 0.5 + lead.sum(axis=-1) / (2 * (size - 1))
        return shares


def _lead(half: Floats, nu: float) -> Floats:
    """Give the probability of a win less that of a loss."""
    smaller = np.exp(-2 * np.abs(half))
    return np.asarray(np.sign(half) * (1 - smaller) / (1 + smaller + nu * np.sqrt(smaller)))


def fit_bradley_terry(comparisons: Comparisons, *, ridge: float = 0.0) -> Strengths:
    """Fit Bradley and Terry's model by maximum likelihood; a tie is half a win each way.

    Parameters
    ----------
    ridge : multiplies the sum of squared strengths, which is taken from the log-likelihood: strengths are normal
        beforehand with variance 1 / (2 ridge). With 0, groups without a maximum have no strengths. The ridge weighs
        against comparisons: with more of them it matters less.

    Examples
    --------
    >>> strengths = fit_bradley_terry(Comparisons.of_counts([[0, 3], [1, 0]]))
    >>> strengths.values.round(4).tolist()  # log(3) apart
    [0.5493, -0.5493]

    Raises
    ------
    ValueError
        For a ridge that is neither 0 nor from 1e-6 to 1e4.
    """
    return _fit("bradley-terry", comparisons, np.zeros(int(comparisons.starts[-1])), ridge)


def fit_davidson(comparisons: Comparisons, *, ridge: float = 0.0) -> Strengths:
    """Fit Davidson's model of wins and ties by maximum likelihood, with a threshold ``nu`` for each group.

    Davidson 1970, Journal of the American Statistical Association 65:317-328. ``ridge`` is that of
    `fit_bradley_terry`; it does not bear on ``nu``.

    Examples
    --------
    >>> strengths = fit_davidson(Comparisons.of_counts([[0, 12], [5, 0]], [[0, 8], [8, 0]]))
    >>> strengths.nu.round(6).tolist()  # 8 / sqrt(12 * 5)
    [1.032796]

    Raises
    ------
    ValueError
        For a ridge that is neither 0 nor from 1e-6 to 1e4.
    """
    return _fit("davidson", comparisons, np.zeros(int(comparisons.starts[-1])), ridge)


def fit_anchored(
    comparisons: Comparisons,
    centre: ArrayLike,
    strength: float | ArrayLike,
    *,
    model: Model = "davidson",
) -> Strengths:
    """Fit a model whose strengths are drawn to a centre, such as pointwise scores of the same answers.

    What is taken from the log-likelihood is strength * sum((strengths - centre)**2), with the centre shifted to sum
    zero in every group: `centred_anchors` makes it from scores and a slope.

    Parameters
    ----------
    centre : array_like, shape (answers,)
        In the order of the comparisons' answers, without nan.
    strength : from 1e-6 to 1e4, one for all or one a group.

    Raises
    ------
    ValueError
        For a centre of another shape or with nan, or a strength out of its range.
    """
    drawn = np.asarray(centre, dtype=np.float64)
    if drawn.shape != (int(comparisons.starts[-1]),) or not np.isfinite(drawn).all():
        raise ValueError("the centre has one finite number an answer")
    if not (np.asarray(strength) > 0).all():
        raise ValueError("an anchor's strength is above 0")
    return _fit(model, comparisons, drawn, strength)


def _fit(model: Model, comparisons: Comparisons, centre: Floats, penalty: float | ArrayLike) -> Strengths:
    strengths = np.broadcast_to(np.asarray(penalty, dtype=np.float64), (len(comparisons),))
    if not ((strengths == 0) | (strengths >= LEAST_PENALTY) & (strengths <= MOST_PENALTY)).all():
        raise ValueError(f"a penalty is 0, or from {LEAST_PENALTY:g} to {MOST_PENALTY:g}")
    outcomes = outcomes_for(model, comparisons.outcomes)
    found = separations(comparisons, ties=model == "davidson")
    tied_only = np.array([group in found and found[group].all_tied for group in range(len(comparisons))], dtype=bool)
    undefined = np.array([group in found for group in range(len(comparisons))], dtype=bool) & (strengths == 0)
    size = np.maximum(comparisons.sizes, 1)
    means = np.bincount(comparisons.of_answer, weights=centre, minlength=len(comparisons)) / size
    drawn = centre - means[comparisons.of_answer]
    # Ties alone say nothing of strengths, whatever the threshold, and everything with an infinite one.
    values = np.where(undefined[comparisons.of_answer], np.nan, drawn)
    nu = np.where(undefined, np.nan, np.where(tied_only, np.inf, 0.0))
    likelihood = np.where(undefined, np.nan, 0.0)
    for groups in comparisons.blocks():
        fitted = groups[~(undefined | tied_only)[groups]]
        if len(fitted):
            block = block_of(comparisons, outcomes, fitted, drawn, strengths)
            estimate = maximise(block)
            values[answers_of(comparisons, fitted)] = estimate.strengths[block.present]
            nu[fitted] = np.exp(estimate.log_nu)
            likelihood[fitted] = estimate.log_likelihood
    return Strengths(model, comparisons, _settled(comparisons, values), nu, likelihood, drawn, strengths, found)


def _settled(comparisons: Comparisons, values: Floats) -> Floats:
    """Make strengths one that only rounding tells apart, so that answers of equal records are tied."""
    order = np.lexsort((values, comparisons.of_answer))
    ordered, group = values[order], comparisons.of_answer[order]
    apart = ~(np.diff(ordered) <= _ROUNDING * (1 + np.abs(ordered[1:]))) | (np.diff(group) > 0)
    cluster = np.concatenate([np.zeros(min(len(order), 1), dtype=np.intp), np.cumsum(apart)])
    means = np.bincount(cluster, weights=ordered) / np.maximum(np.bincount(cluster), 1)
    settled = np.empty_like(values)
    settled[order] = means[cluster]
    return settled


def outcomes_for(model: Model, outcomes: Floats) -> Floats:
    """Give the outcomes a model knows: to Bradley and Terry's a tie is half a win each way."""
    if model == "davidson":
        return outcomes
    halves = outcomes[:, 1:2] / 2
    return np.concatenate([outcomes[:, :1] + halves, np.zeros_like(halves), outcomes[:, 2:] + halves], axis=-1)


def answers_of(comparisons: Comparisons, groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the places of the groups' answers among those of all groups, group by group."""
    return np.concatenate([np.arange(comparisons.starts[group], comparisons.starts[group + 1]) for group in groups])


def fit_copies(
    comparisons: Comparisons, groups: NDArray[np.intp], outcomes: Floats, centre: Floats, penalty: Floats
) -> Floats:
    """Fit groups several times over, under other weights, centres or penalties, as far as they fit in memory together.

    Parameters
    ----------
    groups : those to fit, all of which have a maximum.
    outcomes, centre, penalty : as the model knows them, shapes (copies, pairs, 3), (copies, answers), (copies, groups).

    Returns
    -------
    float array, shape (copies, answers)
        nan outside the groups.
    """
    chosen = np.zeros(len(comparisons), dtype=bool)
    chosen[groups] = True
    copies, widest = len(outcomes), int(comparisons.sizes.max(initial=0)) + 1
    together = max(1, MOST_CELLS // widest**2)
    found = np.full(centre.shape, np.nan)
    for start in range(0, copies, together):
        part = slice(start, min(start + together, copies))
        for members in comparisons.blocks(part.stop - start):
            kept = members[chosen[members]]
            if len(kept):
                block = block_of(comparisons, outcomes[0], kept, centre[0], penalty[0])
                places, pairs = answers_of(comparisons, kept), np.isin(comparisons.group, kept)
                laid_out = np.zeros((part.stop - start, *block.present.shape))
                laid_out[:, block.present] = centre[part, places]
                own = block.repeated(outcomes[part, pairs], laid_out, penalty[part][:, kept])
                fitted = maximise(own).strengths.reshape(laid_out.shape)
                found[part, places] = fitted[:, block.present]
    return found


def block_of(
    comparisons: Comparisons, outcomes: Floats, groups: NDArray[np.intp], centre: Floats, penalty: Floats
) -> Block:
    """Lay some groups out for fitting together."""
    sizes = comparisons.sizes[groups]
    present = np.arange(sizes.max()) < sizes[:, None]
    place = np.full(len(comparisons), -1, dtype=np.intp)
    place[groups] = np.arange(len(groups))
    chosen = place[comparisons.group] >= 0
    laid_out = np.zeros(present.shape)
    laid_out[present] = centre[answers_of(comparisons, groups)]
    return Block(
        group=place[comparisons.group][chosen],
        first=comparisons.first[chosen],
        second=comparisons.second[chosen],
        outcomes=outcomes[chosen],
        present=present,
        centre=laid_out,
        penalty=penalty[groups],
    )
