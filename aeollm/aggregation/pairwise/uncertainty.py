"""How sure strengths are: from the curvature of the likelihood, and by weighting pairs at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aeollm.aggregation.pairwise.comparisons import MOST_CELLS
from aeollm.aggregation.pairwise.models import Strengths, answers_of, block_of, outcomes_for
from aeollm.aggregation.pairwise.newton import Block, information, maximise
from aeollm.aggregation.pairwise.pairs import Floats

_SMALLEST = 1e-300


def covariances(strengths: Strengths) -> tuple[Floats, ...]:
    """Give every group's covariances of strengths that sum to zero, from the observed information.

    Rows sum to zero; the variance of a difference of two answers is c[i, i] + c[j, j] - 2 c[i, j]. With a penalty
    these are those of the posterior's normal approximation. nan where strengths are.

    Examples
    --------
    >>> from aeollm.aggregation.pairwise import Comparisons, fit_bradley_terry
    >>> fitted = fit_bradley_terry(Comparisons.of_counts([[0, 3], [1, 0]]))
    >>> covariances(fitted)[0].round(4).tolist()  # a log odds of 3 to 1 has variance 1/3 + 1
    [[0.3333, -0.3333], [-0.3333, 0.3333]]
    """
    comparisons = strengths.comparisons
    found = [np.full((size, size), np.nan) for size in comparisons.sizes.tolist()]
    outcomes = outcomes_for(strengths.model, comparisons.outcomes)
    # Ties alone say nothing of strengths, so that what is left is the penalty's.
    outcomes = np.where(np.isinf(strengths.nu)[comparisons.group][:, None], 0.0, outcomes)
    for groups in _blocks(strengths, ~np.isnan(strengths.nu)):
        block = block_of(comparisons, outcomes, groups, strengths.values, strengths.penalty)
        with np.errstate(divide="ignore"):
            log_nu = np.where(block.tying, np.log(strengths.nu[groups]), -np.inf)
        inverse = np.linalg.inv(information(block, block.centre, log_nu))
        for number, group in enumerate(groups.tolist()):
            size = int(comparisons.sizes[group])
            own = inverse[number, :size, :size]
            found[group] = own - own.mean(axis=0) - own.mean(axis=1, keepdims=True) + own.mean()
    return tuple(found)


def standard_errors(strengths: Strengths) -> Floats:
    """Give the standard error of every strength, the strengths of a group summing to zero, from `covariances`."""
    diagonals = [np.sqrt(np.maximum(np.diag(own), 0.0)) for own in covariances(strengths)]
    return np.concatenate([np.empty(0), *diagonals])


def bootstrap_errors(strengths: Strengths, *, rng: np.random.Generator, resamples: int = 200) -> Floats:
    """Give standard errors by refitting under random weights of pairs, drawn within every question.

    The pair is the unit: what all judges said about it in both orders gets one weight, since it hangs together. The
    weights are exponential and in every group average 1 (the weighted likelihood bootstrap: Newton and Raftery 1994,
    Journal of the Royal Statistical Society B 56:3-48), so that no pair is dropped and each refit has a maximum where
    the fit has. nan where strengths are, and where all comparisons are ties.
    """
    comparisons = strengths.comparisons
    outcomes = outcomes_for(strengths.model, comparisons.outcomes)
    widest = int(comparisons.sizes.max(initial=0)) + 1
    copies = max(1, min(resamples, MOST_CELLS // widest**2))
    fits = [_refitted(strengths, outcomes, rng, min(copies, resamples - done)) for done in range(0, resamples, copies)]
    return np.asarray(np.concatenate(fits).std(axis=0, ddof=1))


def _refitted(strengths: Strengths, outcomes: Floats, rng: np.random.Generator, copies: int) -> Floats:
    """Fit under ``copies`` draws of weights, shape (copies, answers)."""
    comparisons = strengths.comparisons
    weights = rng.standard_exponential((copies, len(comparisons.group)))
    totals = np.stack([comparisons.totals(own) for own in weights])
    pairs = np.bincount(comparisons.group, minlength=len(comparisons))
    weights *= (pairs / np.maximum(totals, _SMALLEST))[:, comparisons.group]
    found = np.full((copies, len(strengths.values)), np.nan)
    for groups in _blocks(strengths, np.isfinite(strengths.nu), copies):
        block = block_of(comparisons, outcomes, groups, strengths.centre, strengths.penalty)
        chosen = np.isin(comparisons.group, groups)
        fitted = maximise(_repeated(block, weights[:, chosen])).strengths
        found[:, answers_of(comparisons, groups)] = fitted.reshape(copies, *block.present.shape)[:, block.present]
    return found


def _repeated(block: Block, weights: Floats) -> Block:
    """Lay a block out once for every draw of weights."""
    copies, groups = len(weights), len(block.present)
    return Block(
        group=(np.arange(copies)[:, None] * groups + block.group).reshape(-1),
        first=np.tile(block.first, copies),
        second=np.tile(block.second, copies),
        outcomes=(weights[:, :, None] * block.outcomes).reshape(-1, 3),
        present=np.tile(block.present, (copies, 1)),
        centre=np.tile(block.centre, (copies, 1)),
        penalty=np.tile(block.penalty, copies),
    )


def _blocks(strengths: Strengths, chosen: NDArray[np.bool_], copies: int = 1) -> Iterator[NDArray[np.intp]]:
    for groups in strengths.comparisons.blocks(copies):
        if chosen[groups].any():
            yield groups[chosen[groups]]
