"""Bootstrap intervals agree with scipy.stats.bootstrap, up to what other random draws change."""

import numpy as np
import pytest
from scipy import stats

from aeollm.resampling import bootstrap_intervals

DATA = {
    "even": np.random.default_rng(1).normal(0.6, 0.2, 20),
    "skewed": np.random.default_rng(2).exponential(0.3, 25),
    "few": np.random.default_rng(3).uniform(0, 1, 8),
    "many": np.random.default_rng(4).normal(0.5, 0.1, 100),
    # Counts of a few pairs: many resamples have exactly the mean seen, which counts half.
    "coarse": np.random.default_rng(5).integers(0, 4, 12) / 4,
}
METHODS = {"percentile": "percentile", "bca": "BCa"}
RESAMPLES = 50_000


@pytest.mark.parametrize("kind", METHODS)
@pytest.mark.parametrize("values", DATA.values(), ids=DATA)
def test_scipys_bootstrap(values, kind):
    options = {"method": METHODS[kind], "n_resamples": RESAMPLES, "rng": np.random.default_rng(9)}
    expected = stats.bootstrap((values,), np.mean, **options).confidence_interval
    found = bootstrap_intervals(values, rng=np.random.default_rng(10), resamples=RESAMPLES, kind=kind)
    # A quantile near .025 has a standard error of about .012 standard errors of the mean with 50,000 resamples; of
    # values in steps, one step of the mean.
    error = stats.sem(values)
    tolerance = max(0.08 * error, 1.01 / (4 * len(values)) if len(np.unique(values)) < 5 else 0)
    assert float(found.low) == pytest.approx(expected.low, abs=tolerance)
    assert float(found.high) == pytest.approx(expected.high, abs=tolerance)


def test_undefined_questions_are_drawn_but_do_not_count():
    values = np.random.default_rng(6).normal(0.5, 0.2, 20)
    values[[2, 7, 11]] = np.nan
    expected = stats.bootstrap(
        (values,), np.nanmean, method="percentile", n_resamples=RESAMPLES, rng=np.random.default_rng(9)
    ).confidence_interval
    found = bootstrap_intervals(values, rng=np.random.default_rng(10), resamples=RESAMPLES, kind="percentile")
    assert float(found.low) == pytest.approx(expected.low, abs=0.005)
    assert float(found.high) == pytest.approx(expected.high, abs=0.005)


def test_the_expanded_interval_covers_like_students_t():
    # For normal data the t interval is exact; the expanded percentile interval was made to equal it but for the
    # narrowness factor that its levels undo.
    values = np.random.default_rng(7).normal(0, 1, (40, 20))
    found = bootstrap_intervals(values, rng=np.random.default_rng(0))
    width = found.high - found.low
    expected = 2 * stats.t.ppf(0.975, 19) * stats.sem(values, axis=-1)
    assert float(np.mean(width / expected)) == pytest.approx(1, abs=0.03)
