"""Intraclass correlations of annotators: the six forms of Shrout and Fleiss, and the one-way form of unequal groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bounds = tuple[float, float]

_ROUNDING = 1e-12
"""Deviations below this share of the ratings' range are rounding, not disagreement; so are those that the largest
rating, as a float, cannot tell."""


@dataclass(frozen=True, slots=True)
class ICC:
    """One intraclass correlation with its F test and interval; None where undefined.

    ``degenerate`` marks a point as interval: the annotators do not differ beyond what the form forgives.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    f: float | None = None
    df1: int | None = None
    df2: int | None = None
    p: float | None = None
    degenerate: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """The ICCs of a table of annotators.

    ``forms`` has "(1,1)", "(2,1)", "(3,1)" for one annotator and "(1,k)", "(2,k)", "(3,k)" for the mean of
    ``raters``, over the ``items_used`` that all rated, out of ``items_total``. ``unbalanced`` has "(1,1)" and
    "(1,k)" over the ``unbalanced_items`` with two ratings or more, k being ``mean_ratings`` (k0); its intervals
    are approximate where the numbers of ratings differ. ``reason`` and ``unbalanced_reason`` say in words why there
    is none.
    """

    forms: dict[str, ICC]
    items_used: int
    items_total: int
    raters: int
    reason: str | None
    unbalanced: dict[str, ICC]
    unbalanced_items: int
    mean_ratings: float | None
    unbalanced_reason: str | None


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares between items (b), within (w), between annotators (j) and of what is left (e)."""

    items: int
    raters: int
    b: float
    w: float
    j: float
    e: float


@dataclass(frozen=True, slots=True)
class _Scaled:
    """Ratings from 0 to 1, and what of them is rounding."""

    table: Floats
    rounding: float

    @classmethod
    def of(cls, table: Floats) -> _Scaled:
        """Shift and scale; correlations have neither origin nor unit, and here no square overflows or vanishes."""
        largest = np.nanmax(np.abs(table), initial=0.0)
        # By a power of two, which rounds nothing; to a half, so that no difference overflows.
        table = np.ldexp(table, -np.frexp(largest)[1] - 1)
        lowest = float(np.nanmin(table, initial=np.inf))
        spread = float(np.nanmax(table, initial=-np.inf)) - lowest
        if not spread > 0:
            return cls(np.where(np.isnan(table), np.nan, 0.0), _ROUNDING)
        return cls((table - lowest) / spread, max(_ROUNDING, float(np.finfo(np.float64).eps) / spread / 2))


def intraclass_correlations(ratings: ArrayLike, *, level: float = 0.95) -> Agreement:
    """Give all ICCs of a table of ratings.

    Values and F tests: Shrout and Fleiss 1979, Psychological Bulletin 86:420-428; intervals: McGraw and Wong 1996,
    Psychological Methods 1:30-46. Their A forms (absolute agreement) are (2,.), their C forms (consistency)
    (3,.). Third ratings made only where the first two disagree do not belong in the table: see
    `set_adjudication_aside`.

    Parameters
    ----------
    ratings : array_like, shape (items, annotators)
        nan where an annotator did not rate the item.
    level : of the intervals.

    Examples
    --------
    >>> found = intraclass_correlations([[9, 7, 8], [6, 5, 7], [8, 8, 9], [4, 3, 6]])
    >>> round(found.forms["(2,1)"].value, 4), round(found.forms["(2,k)"].value, 4)
    (0.7391, 0.8947)
    """
    table = np.asarray(ratings, dtype=np.float64)
    table = table[:, ~np.isnan(table).all(axis=0)]
    scaled = _Scaled.of(table)
    table = scaled.table
    counts = (~np.isnan(table)).sum(axis=1)
    complete = table[counts == table.shape[1]]
    reason = _reason(counts, len(complete), table.shape[1])
    forms = dict.fromkeys(("(1,1)", "(2,1)", "(3,1)", "(1,k)", "(2,k)", "(3,k)"), ICC(None))
    if reason is None:
        forms = _six_forms(_two_way(complete, scaled.rounding), level)
        reason = None if any(form.value is not None for form in forms.values()) else "all ratings are equal"
    several = table[counts > 1]
    unbalanced_reason = _reason(counts, len(several), 2)
    unbalanced, k0 = dict.fromkeys(("(1,1)", "(1,k)"), ICC(None)), None
    if unbalanced_reason is None:
        unbalanced, k0 = _unbalanced(several, scaled.rounding, level)
        unbalanced_reason = None if unbalanced["(1,1)"].value is not None else "all ratings are equal"
    return Agreement(
        forms=forms,
        items_used=len(complete) if table.shape[1] > 1 else 0,
        items_total=len(table),
        raters=table.shape[1],
        reason=reason,
        unbalanced=unbalanced,
        unbalanced_items=len(several),
        mean_ratings=k0,
        unbalanced_reason=unbalanced_reason,
    )


def _reason(counts: NDArray[np.int64], usable: int, raters: int) -> str | None:
    if not counts.any():
        return "no item has a rating"
    if counts.max() == 1:
        return "each item has one rating"
    if usable < 2:
        return f"fewer than two items have {'the ratings of all' if raters > 2 else 'two ratings'}"
    return None


def _two_way(table: Floats, rounding: float) -> _Squares:
    n, k = table.shape
    of_item, of_rater, grand = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True), table.mean()
    floor = n * k * rounding**2

    def mean_square(deviations: Floats, times: int, degrees: int) -> float:
        return _floored(times * float((deviations**2).sum()), floor) / degrees

    return _Squares(
        items=n,
        raters=k,
        b=mean_square(of_item - grand, k, n - 1),
        w=mean_square(table - of_item, 1, n * (k - 1)),
        j=mean_square(of_rater - grand, n, k - 1),
        e=mean_square(table - of_item - of_rater + grand, 1, (n - 1) * (k - 1)),
    )


def _six_forms(squares: _Squares, level: float) -> dict[str, ICC]:
    n, k, b, e = squares.items, squares.raters, squares.b, squares.e
    agreeing = _one_way(b, squares.w, k, (n - 1, n * (k - 1)), level)
    consistent = _one_way(b, e, k, (n - 1, (n - 1) * (k - 1)), level)
    shift = (squares.j - e) / n
    absolute = (_ratio(b - e, b + (k - 1) * e + k * shift), _ratio(b - e, b + shift))
    bounds = _absolute_bounds(squares, absolute[0], level)
    return {
        "(1,1)": agreeing[0],
        "(2,1)": _absolute(absolute[0], bounds, consistent[0]),
        "(3,1)": consistent[0],
        "(1,k)": agreeing[1],
        "(2,k)": _absolute(absolute[1], _of_mean(bounds, k), consistent[0]),
        "(3,k)": consistent[1],
    }


def _one_way(between: float, error: float, k: float, degrees: tuple[int, int], level: float) -> tuple[ICC, ICC]:
    """Give the forms for one annotator and for the mean of k, whose interval is that of F = between / error."""
    from scipy import special  # noqa: PLC0415  scoring does not wait for scipy

    single, mean = _ratio(between - error, between + (k - 1) * error), _ratio(between - error, between)
    if error == 0:
        return (ICC(None), ICC(None)) if single is None else (ICC(1.0, 1.0, 1.0, degenerate=True),) * 2
    f, tail = between / error, (1 + level) / 2
    low = f / float(special.fdtri(*degrees, tail))
    high = f * float(special.fdtri(*degrees[::-1], tail))
    p = float(special.fdtrc(*degrees, f))
    tested = (f, *degrees, p)
    return (
        ICC(single, (low - 1) / (low + k - 1), (high - 1) / (high + k - 1), *tested),
        ICC(None) if mean is None else ICC(mean, 1 - 1 / low, 1 - 1 / high, *tested),
    )


def _absolute_bounds(squares: _Squares, value: float | None, level: float) -> Bounds | None:
    """Give the interval of (2,1); None where its approximation fails: nothing varies, or it misses the value."""
    from scipy import special  # noqa: PLC0415  as above

    n, k, b, j, e = squares.items, squares.raters, squares.b, squares.j, squares.e
    if value is None:
        return None
    own = n * (1 + (k - 1) * value) - k * value
    # Both sides multiplied by e**2, so that the formula holds without error variance too.
    varied = (n - 1) * (k * value * j) ** 2 + (own * e) ** 2
    if varied == 0:
        return None
    degrees = (k - 1) * (n - 1) * (k * value * j + own * e) ** 2 / varied
    tail = (1 + level) / 2
    low, high = float(special.fdtri(n - 1, degrees, tail)), float(special.fdtri(degrees, n - 1, tail))
    rest = k * j + (k * n - k - n) * e
    bounds = n * (b - low * e) / (low * rest + n * b), n * (high * b - e) / (rest + n * high * b)
    return bounds if bounds[0] <= value <= bounds[1] else None


def _of_mean(bounds: Bounds | None, k: int) -> Bounds | None:
    """Step an interval up from one annotator to the mean of k (Spearman-Brown)."""
    if bounds is None or bounds[0] * (k - 1) <= -1:
        return None
    low, high = (k * bound / (1 + (k - 1) * bound) for bound in bounds)
    return low, high


def _absolute(value: float | None, bounds: Bounds | None, tested: ICC) -> ICC:
    if value is None:
        return ICC(None)
    if bounds is None:
        return ICC(value, value, value, degenerate=True) if value == 1 else ICC(value)
    return ICC(value, bounds[0], bounds[1], tested.f, tested.df1, tested.df2, tested.p)


def _unbalanced(table: Floats, rounding: float, level: float) -> tuple[dict[str, ICC], float]:
    """Give the one-way forms of groups of unequal size (Searle, Casella and McCulloch 1992, chapter 3)."""
    rated = ~np.isnan(table)
    counts = rated.sum(axis=1)
    items, ratings = len(table), int(counts.sum())
    of_item, grand = np.nansum(table, axis=1) / counts, float(np.nansum(table)) / ratings
    floor = ratings * rounding**2
    within = _floored(float(np.nansum((table - of_item[:, None]) ** 2)), floor) / (ratings - items)
    between = _floored(float((counts * (of_item - grand) ** 2).sum()), floor) / (items - 1)
    k0 = (ratings - float((counts**2).sum()) / ratings) / (items - 1)
    single, mean = _one_way(between, within, k0, (items - 1, ratings - items), level)
    return {"(1,1)": single, "(1,k)": mean}, k0


def _floored(squares: float, floor: float) -> float:
    return squares if squares > floor else 0.0


def _ratio(numerator: float, denominator: float) -> float | None:
    """Divide by a variance, whose estimate can come out below 0: undefined then, as without any."""
    return numerator / denominator if denominator > 0 else None
