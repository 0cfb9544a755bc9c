"""What is wrong with a run's scale and ties. Never a ranking: a run can be far off and order perfectly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeollm.tables import PAIR_KINDS, Scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ScaleDiagnostics:
    """A run's scores against human scores on the human scale, arrays of one shape; nan is undefined.

    ``bias`` is the mean of run minus human: above 0 is lenient. ``slope`` is that of the least-squares line of
    human on run scores: 1 is calibrated, below 1 the run exaggerates differences. ``spread_ratio`` is the run's
    standard deviation over the human one.
    """

    answers: Ints
    bias: Floats
    rmse: Floats
    mae: Floats
    slope: Floats
    spread_ratio: Floats
    distinct_run: Ints
    distinct_labels: Ints


def scale_diagnostics(run: ArrayLike, labels: ArrayLike) -> ScaleDiagnostics:
    """Compare scores along the last axis: one question's answers, or all of a view's.

    Parameters
    ----------
    run, labels : array_like, shape (..., answers)
        Scores of the same answers; those that are nan on either side are left out.

    Examples
    --------
    >>> found = scale_diagnostics([6.0, 7.0, 8.0], [5.0, 5.5, 6.0])
    >>> float(found.bias), float(found.slope), float(found.spread_ratio)
    (1.5, 0.5, 2.0)
    """
    x, y = np.broadcast_arrays(np.asarray(run, dtype=np.float64), np.asarray(labels, dtype=np.float64))
    both = ~(np.isnan(x) | np.isnan(y))
    n = np.asarray(both.sum(axis=-1), dtype=np.int64)
    # Scores may lie anywhere in float64's range, where squares may not: nan then.
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.where(both, x - y, 0.0)
        from_mean = [_from_mean(side, both, n) for side in (x, y)]
        squares, label_squares = ((side**2).sum(axis=-1) for side in from_mean)
        products = (from_mean[0] * from_mean[1]).sum(axis=-1)
        errors, error_squares, absolute = (kind.sum(axis=-1) for kind in (error, error**2, np.abs(error)))
    return ScaleDiagnostics(
        answers=n,
        bias=_over(errors, n),
        rmse=np.sqrt(_over(error_squares, n)),
        mae=_over(absolute, n),
        slope=_over(products, squares),
        spread_ratio=np.sqrt(_over(squares, label_squares)),
        distinct_run=_distinct(x, both),
        distinct_labels=_distinct(y, both),
    )


@dataclass(frozen=True, slots=True, eq=False)
class TieDiagnostics:
    """How many pairs a run ties, and what that costs, arrays of shape (views,); nan is undefined.

    Shares of all pairs: tied by the run, tied by people, wrong because only the run ties, and wrong because only
    people tie (which no run without ties can avoid). ``price`` is the mean of ``(1 + tau) / 2 - accuracy`` over the
    ``price_questions`` on which people tie nothing and tau is defined: 0 without ties in the run.
    ``near_ties`` counts the run's pairs that nearly tie in some view.
    """

    pairs: Ints
    run_ties: Floats
    label_ties: Floats
    lost_to_run_ties: Floats
    lost_to_label_ties: Floats
    price: Floats
    price_questions: Ints
    near_ties: int


def tie_diagnostics(scores: Scores) -> TieDiagnostics:
    """Count a run's ties in every view, and what they cost."""
    counts = {kind: scores.pairs[..., place] for place, kind in enumerate(PAIR_KINDS)}
    pairs = scores.pairs.sum(axis=(1, 2))
    run_only, labels_only, both = (counts[kind].sum(axis=1) for kind in ("tied_run", "tied_labels", "tied_both"))
    untied = (counts["tied_labels"] + counts["tied_both"] == 0) & ~np.isnan(scores.kendall)
    price = np.where(untied, (1 + scores.kendall) / 2 - scores.accuracy, 0.0)
    return TieDiagnostics(
        pairs=pairs,
        run_ties=_over(run_only + both, pairs),
        label_ties=_over(labels_only + both, pairs),
        lost_to_run_ties=_over(run_only, pairs),
        lost_to_label_ties=_over(labels_only, pairs),
        price=_over(price.sum(axis=1), untied.sum(axis=1)),
        price_questions=untied.sum(axis=1),
        near_ties=scores.near_ties,
    )


def _from_mean(side: Floats, both: NDArray[np.bool_], n: Ints) -> Floats:
    """Give deviations from the mean; exactly 0 for equal scores, whose mean may be off by rounding."""
    used = np.where(both, side, np.nan)
    mean = _over(np.where(both, side, 0.0).sum(axis=-1), n)[..., None]
    lowest = np.where(both, side, np.inf).min(axis=-1, keepdims=True, initial=np.inf)
    constant = (np.where(both, side, lowest) == lowest).all(axis=-1, keepdims=True)
    return np.where(both & ~constant, used - mean, 0.0)


def _distinct(side: Floats, both: NDArray[np.bool_]) -> Ints:
    """Count different scores; blanks stand last, as nan, which is unlike everything."""
    ordered = np.sort(np.where(both, side, np.nan), axis=-1)
    steps = (ordered[..., 1:] > ordered[..., :-1]).sum(axis=-1)
    return np.asarray(steps + both.any(axis=-1), dtype=np.int64)


def _over(sums: NDArray[np.generic], of: NDArray[np.generic]) -> Floats:
    numerator, denominator = np.asarray(sums, dtype=np.float64), np.asarray(of, dtype=np.float64)
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    able = np.isfinite(numerator) & np.isfinite(denominator) & (denominator > 0)
    return np.asarray(np.divide(numerator, denominator, out=out, where=able))
