"""The six ICCs and their intervals agree with pingouin, which works from another analysis of variance."""

import numpy as np
import pandas as pd
import pytest

from aeollm.agreement import intraclass_correlations

pytestmark = [
    # pingouin 0.7 calls pandas 3.1 in a way that pandas will drop.
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
]
NAMES = {"(1,1)": "ICC(1,1)", "(2,1)": "ICC(A,1)", "(3,1)": "ICC(C,1)"}
NAMES |= {"(1,k)": "ICC(1,k)", "(2,k)": "ICC(A,k)", "(3,k)": "ICC(C,k)"}


@pytest.fixture(scope="module")
def pingouin():
    module = pytest.importorskip("pingouin", exc_type=ImportError)
    kept = module.options["round.column.CI95"]
    module.options["round.column.CI95"] = None
    yield module
    module.options["round.column.CI95"] = kept


def table(seed, items, raters, noise):
    rng = np.random.default_rng(seed)
    quality, severity = rng.normal(6, 2, (items, 1)), rng.normal(0, 1, raters)
    return np.rint(np.clip(quality + severity + rng.normal(0, noise, (items, raters)), 0, 10) * 2) / 2


@pytest.mark.parametrize(("items", "raters"), [(3, 2), (5, 3), (6, 2), (30, 2), (12, 7), (200, 3)])
@pytest.mark.parametrize("noise", [0.3, 1.5, 8.0])
def test_values_and_intervals(pingouin, items, raters, noise):
    ratings = table(items * raters, items, raters, noise)
    rows = [(i, r, ratings[i, r]) for i in range(items) for r in range(raters)]
    frame = pd.DataFrame(rows, columns=["item", "rater", "rating"])
    expected = pingouin.intraclass_corr(frame, "item", "rater", "rating").set_index("Type")
    found = intraclass_correlations(ratings)
    for form, name in NAMES.items():
        ours, theirs = found.forms[form], expected.loc[name]
        if ours.value is None:
            assert theirs["ICC"] > 1
            continue
        assert ours.value == pytest.approx(theirs["ICC"], abs=1e-8)
        assert ours.f == pytest.approx(theirs["F"], rel=1e-8)
        assert (ours.df1, ours.df2) == (theirs["df1"], theirs["df2"])
        assert ours.p == pytest.approx(theirs["pval"], rel=1e-6)
        low, high = theirs["CI95"]
        # Absolute agreement's interval is an approximation, which may miss the value; there we give none.
        if ours.low is None:
            assert form in ("(2,1)", "(2,k)")
            single = expected.loc["ICC(A,1)"]
            assert not -1 / (raters - 1) < single["CI95"][0] <= single["ICC"] <= single["CI95"][1]
        else:
            assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-6)
