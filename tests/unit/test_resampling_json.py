"""A saved comparison comes back as it was; anything else is refused with its place."""

import copy
import json
import math

import numpy as np
import pytest

from aeollm.resampling import compare_runs
from aeollm.tables import Comparison, Plan
from tests.scored import scores

NAN = math.nan


def saved(views=("overall", "insight"), **choices):
    rows = np.random.default_rng(2).uniform(0.3, 0.9, (3, len(views), 6))
    rows[1, 0, 2] = NAN
    rows[2, -1] = NAN
    found = compare_runs([scores(row, views=views) for row in rows], ["one", "two", "three"], Plan(**choices))
    return json.loads(json.dumps(found.to_json(), allow_nan=False))


CONTENT = saved(resamples=100, seed=5, correction="bh", interval="bca", alpha=0.1, power=0.9)


def test_a_round_trip_changes_nothing():
    loaded = Comparison.from_json(CONTENT)
    assert json.dumps(loaded.to_json()) == json.dumps(CONTENT)
    assert loaded.plan == Plan(seed=5, resamples=100, correction="bh", interval="bca", alpha=0.1, power=0.9)
    assert loaded.names == ("one", "two", "three")
    assert loaded.values.shape == (3, 2, 3, 6)
    assert loaded.runs.cluster.dtype == loaded.pairs.questions_needed.dtype == np.int64
    assert loaded.undefined == "skip"


def test_dimensions_named_like_other_keys_keep_their_figures():
    content = saved(views=("overall", "a", "name", "partial"), resamples=50)
    assert list(content["pairs"][0]) == ["a", "b", "overall", "a_score", "name_score", "partial_score"]
    assert content["runs"][0]["name"] == "one"
    loaded = Comparison.from_json(content)
    assert loaded.views == ("overall", "a", "name", "partial")
    assert json.dumps(loaded.to_json()) == json.dumps(content)


def test_whole_numbers_are_read_as_numbers():
    content = copy.deepcopy(CONTENT)
    content["runs"][0]["overall"]["accuracy"]["values"][0] = 1
    content["pairs"][0]["overall"]["accuracy"]["p"] = 1
    assert Comparison.from_json(content).pairs.p[0, 0, 2] == 1.0


def changed(path, value):
    content = copy.deepcopy(CONTENT)
    *steps, last = path
    holder = content
    for step in steps:
        holder = holder[step]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return content


CELL = ("runs", 1, "insight", "kendall")
PAIR = ("pairs", 2, "overall", "accuracy")
WRONG = {
    "no view": (("views",), []),
    "a view twice": (("views",), ["overall", "overall"]),
    "a view of no cells": (("views",), ["overall", "readability"]),
    "views no list": (("views",), "overall"),
    "questions no texts": (("questions",), [1, 2, 3, 4, 5, 6]),
    "another number of questions": (("questions",), ["q1", "q2"]),
    "no signature": (("signature",), ...),
    "a seed that is no number": (("seed",), "0"),
    "a true seed": (("seed",), True),
    "a negative seed": (("seed",), -1),
    "an unknown interval": (("interval",), "exact"),
    "an unknown correction": (("correction",), None),
    "alpha beyond float": (("alpha",), 10**400),
    "no runs": (("runs",), []),
    "runs no list": (("runs",), {}),
    "a run that is none": (("runs", 0), 7),
    "two runs of a name": (("runs", 0, "name"), "two"),
    "a name that is none": (("runs", 0, "name"), None),
    "a pair too few": (("pairs", 2), ...),
    "no families": (("families",), ...),
    "a view missing": (("runs", 1, "insight"), ...),
    "a measure missing": (CELL, ...),
    "a figure missing": ((*CELL, "cluster"), ...),
    "an infinite figure": ((*CELL, "mean"), math.inf),
    "a nan": ((*CELL, "mean"), NAN),
    "a text as figure": ((*CELL, "mean"), "0.5"),
    "a huge whole number": ((*CELL, "mean"), 10**400),
    "a true mean": ((*CELL, "mean"), True),
    "half a count": ((*PAIR, "wins"), 0.5),
    "a negative count": ((*PAIR, "wins"), -1),
    "a count beyond int64": ((*PAIR, "wins"), 2**70),
    "exact no truth value": ((*PAIR, "exact"), 1),
    "values missing": ((*CELL, "values"), ...),
    "a value too few": ((*CELL, "values"), [0.5]),
    "a value outside the measures": ((*CELL, "values", 0), 1.5),
    "a list as value": ((*CELL, "values", 0), [0.5]),
}


@pytest.mark.parametrize(("path", "value"), WRONG.values(), ids=WRONG)
def test_anything_else_is_refused(path, value):
    with pytest.raises(ValueError, match=r"."):
        Comparison.from_json(changed(path, value))


@pytest.mark.parametrize("content", [None, 3, "text", [], {}, {"runs": [{}]}, [CONTENT]])
def test_what_is_no_comparison_is_refused(content):
    with pytest.raises(ValueError, match="needed"):
        Comparison.from_json(content)
