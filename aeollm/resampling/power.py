"""What a number of questions can show: the two-sided paired t-test's power."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_QUESTIONS = 10**9
"""Where more would be needed, none is named."""
_CERTAIN = 100.0
"""A true difference of so many standard errors is shown by any test that can show one."""
_EXACT_BELOW = 10**5
"""From here the normal approximation is exact to a millionth of the questions."""


def detectable_effect(questions: ArrayLike, *, alpha: float = 0.05, power: float = 0.8) -> Floats:
    """Give the smallest mean difference, in standard deviations, that a paired test shows with the given power.

    nan where the exact sign-flip test cannot reach alpha with so few questions, however large the difference. Solved
    from the noncentral t distribution (Cohen 1988, chapter 2), both tails counted.

    >>> detectable_effect([3, 10, 20, 40]).round(3).tolist()
    [nan, 0.996, 0.66, 0.454]
    """
    n = np.asarray(questions, dtype=np.float64)
    sizes, place = np.unique(n, return_inverse=True)
    low, high = np.zeros(len(sizes)), np.full(len(sizes), _CERTAIN)
    able = sizes >= fewest_questions(alpha)
    usable = np.where(able, sizes, 2.0)
    # The bracket shrinks below what float64 can tell.
    for _ in range(60):
        middle = (low + high) / 2
        enough = _power(middle, usable, alpha) >= power
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    effects = np.where(able, high / np.sqrt(usable), np.nan)
    return np.asarray(effects[place].reshape(n.shape))


def questions_needed(effect: ArrayLike, *, alpha: float = 0.05, power: float = 0.8) -> Ints:
    """Give the smallest number of questions that show a mean difference with the given power.

    Parameters
    ----------
    effect : array_like
        The true difference over the standard deviation of the differences per question. Taken from the data it
        is optimistic: the differences one looks at are those that came out large.
    alpha, power : as for `detectable_effect`.

    Returns
    -------
    int array
        0 where no number can be given: an effect that is 0 or nan, or one that needs over a billion questions.

    Examples
    --------
    >>> questions_needed([0.66, 0.2, 0.0]).tolist()
    [21, 199, 0]
    """
    from scipy import special  # noqa: PLC0415  scoring does not wait for scipy

    size = np.abs(np.asarray(effect, dtype=np.float64)).ravel()
    quantiles = float(special.ndtri(power) - special.ndtri(alpha / 2))
    with np.errstate(divide="ignore", over="ignore"):
        # Guenther 1981, The American Statistician 35:243-244: the normal sample size, corrected for the t quantile.
        guess = (quantiles / size) ** 2 + float(special.ndtri(alpha / 2)) ** 2 / 2
    possible = guess < MOST_QUESTIONS
    fewest = fewest_questions(alpha)
    needed = np.where(possible, np.maximum(np.ceil(np.where(possible, guess, 0.0)) - 2, fewest), 0.0)
    searched = possible & (needed < _EXACT_BELOW)
    while bool(searched.any()):
        short = searched.copy()
        noncentrality = np.minimum(size[searched] * np.sqrt(needed[searched]), _CERTAIN)
        short[searched] = _power(noncentrality, needed[searched], alpha) < power
        needed[short] += 1
        searched = short
    return needed.astype(np.int64).reshape(np.shape(effect))


def fewest_questions(alpha: float) -> int:
    """Give the fewest questions with which the exact sign-flip test can reach alpha, its smallest p being 2**(1-n)."""
    return max(2, 1 - math.floor(math.log2(alpha)))


def _power(noncentrality: Floats, questions: Floats, alpha: float) -> Floats:
    from scipy import special  # noqa: PLC0415  as above

    degrees = questions - 1
    critical = special.stdtrit(degrees, 1 - alpha / 2)
    below = special.nctdtr(degrees, noncentrality, critical)
    beneath = special.nctdtr(degrees, noncentrality, -critical)
    # nan is what scipy gives far in a tail, where the probability is 0 to many digits.
    return np.asarray(1 - np.nan_to_num(below) + np.nan_to_num(beneath))
