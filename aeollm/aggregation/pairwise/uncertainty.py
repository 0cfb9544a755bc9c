"""How sure strengths are: from the curvature of the likelihood, and by weighting pairs at random."""

from __future__ import annotations

import numpy as np

from aeollm.aggregation.pairwise.models import Strengths, block_of, fit_copies, outcomes_for
from aeollm.aggregation.pairwise.newton import information
from aeollm.aggregation.pairwise.pairs import Floats

_SMALLEST = 1e-300
_NUMBERS = 1_000_000


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
    defined = ~np.isnan(strengths.nu)
    for members in comparisons.blocks():
        groups = members[defined[members]]
        if not len(groups):
            continue
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
    # As many draws at once as take little memory.
    together = max(1, _NUMBERS // max(len(strengths.comparisons.group), 1))
    drawn = range(0, resamples, together)
    fits = [_refitted(strengths, rng, min(together, resamples - done)) for done in drawn]
    return np.asarray(np.concatenate(fits).std(axis=0, ddof=1))


def _refitted(strengths: Strengths, rng: np.random.Generator, copies: int) -> Floats:
    """Fit under random weights, shape (copies, answers)."""
    comparisons = strengths.comparisons
    weights = rng.standard_exponential((copies, len(comparisons.group)))
    pairs = np.bincount(comparisons.group, minlength=len(comparisons))
    totals = np.stack([comparisons.totals(own) for own in weights])
    weights *= (pairs / np.maximum(totals, _SMALLEST))[:, comparisons.group]
    outcomes = weights[:, :, None] * outcomes_for(strengths.model, comparisons.outcomes)
    centre = np.broadcast_to(strengths.centre, (copies, len(strengths.values)))
    penalty = np.broadcast_to(strengths.penalty, (copies, len(comparisons)))
    return fit_copies(comparisons, np.flatnonzero(np.isfinite(strengths.nu)), outcomes, centre, penalty)
