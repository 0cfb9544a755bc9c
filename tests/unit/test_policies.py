"""The policy: what may be chosen, the means it takes, and the signature it leaves."""

import math

import pytest

from aeollm import Policy, __version__
from aeollm.tables import signature

NAN = math.nan


def test_defaults_are_the_papers():
    policy = Policy()
    assert (policy.ties, policy.undefined, policy.min_answers) == ("exact", "skip", 2)
    assert (policy.partial, policy.inner_join, policy.score_range) == (False, False, None)


def test_the_official_script():
    policy = Policy.official()
    assert (policy.ties, policy.undefined, policy.min_answers) == ("float64", "skip", 3)
    assert (policy.partial, policy.inner_join) == (True, True)


@pytest.mark.parametrize("choice", [{"ties": "Exact"}, {"ties": "float"}, {"undefined": "drop"}, {"undefined": ""}])
def test_a_misspelt_choice_is_refused(choice):
    (name,) = choice
    with pytest.raises(ValueError, match=name):
        Policy(**choice)


@pytest.mark.parametrize(
    ("undefined", "values", "mean"),
    [
        ("skip", [1.0, NAN, 0.5], 0.75),
        ("zero", [1.0, NAN, 0.5], 0.5),
        ("strict", [1.0, NAN, 0.5], None),
        ("strict", [1.0, 0.5], 0.75),
        ("skip", [NAN], None),
        ("zero", [NAN, NAN], 0.0),
        ("strict", [NAN], None),
        ("skip", [], None),
        ("zero", [], None),
        ("strict", [], None),
        ("skip", [0.0, NAN], 0.0),
        # From left to right the sum is 0.
        ("skip", [1e16, 1.0, -1e16], 1 / 3),
    ],
)
def test_means(undefined, values, mean):
    assert Policy(undefined=undefined).average(values) == mean


@pytest.mark.parametrize("values", [[0.1] * 10, [1e16, 1.0, -1e16], [0.1, 0.2, 0.3, -0.6]])
def test_a_mean_does_not_depend_on_the_order(values):
    policy = Policy()
    assert policy.average(values) == policy.average(values[::-1]) == policy.average(sorted(values))


def test_signature():
    tail = f"aeollm={__version__}"
    assert signature("set@abc", "equal", Policy()) == (
        f"labels=set@abc|weights=equal|ties=exact|undefined=skip|average=macro|partial=no|{tail}"
    )
    assert signature("set@abc", "rubric@12", Policy(undefined="zero"), "0123456789", partial=True) == (
        f"labels=set@abc|weights=rubric@12|run=01234567|ties=exact|undefined=zero|average=macro|partial=yes|{tail}"
    )
    assert signature("a", "b", Policy.official(), "f" * 64) == (
        "labels=a|weights=b|run=ffffffff|ties=float64|undefined=skip|average=macro|partial=no"
        f"|join=inner|min_answers=3|{tail}"
    )
