"""All pairs of runs: differences, tests, what they can show, and the families the tests belong to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from aeollm.resampling.corrections import benjamini_hochberg, holm
from aeollm.resampling.draws import Purpose, draws
from aeollm.resampling.intervals import bootstrap_intervals, degenerate, exact_means, exact_sums
from aeollm.resampling.power import detectable_effect, questions_needed
from aeollm.resampling.sign_flip import SignFlip, sign_flip_test
from aeollm.resampling.tukey import tukey_hsd_test
from aeollm.tables import FamilyFigures, PairFigures, Plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Adjust = Callable[[Floats], Floats]

_SAME = 1e-12
"""Equal pair counts can give tau through different square roots, unlike in the last digit."""
_ADJUST: dict[str, Adjust] = {"holm": holm, "bh": benjamini_hochberg, "none": np.copy}


def pair_figures(used: Floats, plan: Plan) -> tuple[PairFigures, FamilyFigures]:
    """Compare every pair of runs in every column, and give the families, arrays flat: (pairs, columns) and (columns,).

    Parameters
    ----------
    used : array, shape (runs, columns, questions)
        Values with the policy for undefined questions applied.
    plan : how to compare.
    """
    first, second = np.triu_indices(len(used), 1)
    differences = used[first] - used[second]
    differences[np.abs(differences) <= _SAME] = 0.0
    questions = (~np.isnan(differences)).sum(axis=-1)
    tested = sign_flip_test(differences, rng=draws(plan, Purpose.SIGNS), resamples=plan.resamples)
    adjusted, families = _families(used, tested, plan)
    difference = exact_means(differences)
    detectable, needed = _power(differences, difference, tested, plan)
    intervals = bootstrap_intervals(
        differences,
        rng=draws(plan, Purpose.BOOTSTRAP),
        resamples=plan.resamples,
        kind=plan.interval,
        level=1 - plan.alpha,
    )
    headline = exact_means(used)
    headline_difference = headline[first] - headline[second]
    same = np.abs(headline_difference - difference) <= _SAME
    figures = PairFigures(
        difference=difference,
        low=intervals.low,
        high=intervals.high,
        p=tested.p,
        p_adjusted=adjusted,
        exact=tested.exact,
        questions=questions,
        wins=(differences > 0).sum(axis=-1),
        ties=(differences == 0).sum(axis=-1),
        losses=(differences < 0).sum(axis=-1),
        detectable=detectable,
        questions_needed=needed,
        smallest_p=tested.smallest,
        dropped=used.shape[-1] - questions,
        headline_difference=np.where(same, np.nan, headline_difference),
        resamples_left_out=intervals.left_out,
        degenerate=intervals.degenerate,
    )
    return figures, families


def _power(differences: Floats, difference: Floats, tested: SignFlip, plan: Plan) -> tuple[Floats, Ints]:
    """Say what so many questions can show, where the differences have a spread to tell it from."""
    questions = (~np.isnan(differences)).sum(axis=-1)
    spread = _spread(differences, difference, questions)
    able = tested.smallest <= plan.alpha
    effect = detectable_effect(np.where(able, questions, 0), alpha=plan.alpha, power=plan.power)
    needed = questions_needed(difference / spread, alpha=plan.alpha, power=plan.power)
    return effect * spread, needed


def _spread(differences: Floats, difference: Floats, questions: Ints) -> Floats:
    """Give the standard deviation of every pair's differences; nan where they are fewer than two or all the same."""
    squares = exact_sums(np.nan_to_num(differences - difference[..., None]) ** 2)
    varied = (questions > 1) & ~degenerate(differences)
    return np.asarray(np.sqrt(np.divide(squares, questions - 1, out=np.full(squares.shape, np.nan), where=varied)))


def _families(used: Floats, tested: SignFlip, plan: Plan) -> tuple[Floats, FamilyFigures]:
    """Adjust p over all pairs in a column, and say what the family could show at best.

    An adjusted p never falls when a p rises, so that the smallest one reachable is that of the smallest p's.
    """
    pairs = (~np.isnan(tested.p)).sum(axis=0)
    takes_part = (~np.isnan(used)).any(axis=-1, keepdims=True)
    complete = ((~np.isnan(used) | ~takes_part).all(axis=0) & takes_part.any(axis=0)).sum(axis=-1)
    # Without runs to differ, nothing is tested: all nan.
    smallest_p = _smallest(tested.smallest)
    if plan.correction == "tukey":
        adjusted, smallest = tested.p.copy(), smallest_p.copy()
        several = pairs > 1
        if several.any():
            found = tukey_hsd_test(used[:, several], rng=draws(plan, Purpose.SHUFFLES), resamples=plan.resamples)
            # The test of all runs at once may reject where that of the pair cannot; adjusting never lowers a p.
            adjusted[:, several] = np.maximum(found.p, tested.p[:, several])
            smallest[several] = np.maximum(found.smallest, smallest_p[several])
    else:
        adjust = _ADJUST[plan.correction]
        adjusted, smallest = adjust(tested.p.T).T, _smallest(adjust(tested.smallest.T).T)
    return adjusted, FamilyFigures(complete, pairs, smallest_p, smallest)


def _smallest(p: Floats) -> Floats:
    """Give the smallest p of every column, nan where there is none."""
    least = np.where(np.isnan(p), np.inf, p).min(axis=0, initial=np.inf)
    return np.where(np.isinf(least), np.nan, least)
