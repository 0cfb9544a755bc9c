"""Smooth calibration error against relplot, by the authors of the measure."""

import numpy as np
import pytest
from relplot.metrics import smECE

from aeollm.calibration import smooth_ece

RNG = np.random.default_rng(0)
# relplot reflects its grid without doubling what lies on the first and last points, so that forecasts within a
# thousandth of 0 or 1 lose up to half of their weight; where many lie there the two differ by a few per cent.
SHAPES = {"in the middle": (2, 3, 0.001), "to one side": (8, 2, 0.001), "at the ends": (0.4, 0.6, 0.006)}


@pytest.mark.parametrize("n", [60, 662, 4000])
@pytest.mark.parametrize("shift", [0.0, 0.1, -0.25])
@pytest.mark.parametrize(("a", "b", "tolerance"), SHAPES.values(), ids=SHAPES)
def test_it_is_that_of_relplot(n, shift, a, b, tolerance):
    forecasts = RNG.beta(a, b, n)
    outcomes = (RNG.random(n) < np.clip(forecasts + shift, 0, 1)).astype(float)
    assert smooth_ece(forecasts, outcomes) == pytest.approx(smECE(forecasts, outcomes), abs=tolerance)
