"""Preference data from human scores: verdicts, balance of places, split by question, form."""

import json
from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest

from aeollm.aggregation.preferences import preferences_of_labels, split_questions
from aeollm.errors import JudgmentsError
from aeollm.exports.preferences_jsonl import preferences_jsonl
from aeollm.files import read_labels

LABELS = read_labels(
    b"questionId,answerId,insight_score,clarity_score\n1,a,7.3,1\n1,b,7.0,2\n1,c,7.0,\n1,d,9,1\n2,a,1,1\n2,b,2,1\n",
    name="small",
)


def preferences(seed=0, **options):
    return preferences_of_labels(LABELS, rng=np.random.default_rng(seed), **options)


def better(preference):
    """Give {the pair of answers: the better one or None} by dimension."""
    names = {"A": preference.first, "B": preference.second, "tie": None}
    pair = frozenset((preference.first, preference.second))
    return {(preference.question, pair, dimension): names[verdict] for dimension, verdict in preference.verdicts}


def by_hand(margin):
    insight = {"1": {"a": F("7.3"), "b": F(7), "c": F(7), "d": F(9)}, "2": {"a": F(1), "b": F(2)}}
    clarity = {"1": {"a": F(1), "b": F(2), "d": F(1)}, "2": {"a": F(1), "b": F(1)}}
    found = {}
    for name, scores in (("insight", insight), ("clarity", clarity)):
        for question, own in scores.items():
            for one in own:
                for other in own:
                    if one < other:
                        gap = own[one] - own[other]
                        winner = None if abs(gap) <= margin else one if gap > 0 else other
                        found[question, frozenset((one, other)), name] = winner
    return found


@pytest.mark.parametrize("margin", [F(0), F("0.3"), F(5)])
@pytest.mark.parametrize("per", ["dimension", "pair"])
def test_verdicts_follow_the_scores_and_the_margin(margin, per):
    found = {}
    for preference in preferences(margin=margin, per=per):
        found.update(better(preference))
    assert found == by_hand(margin)


def test_the_margin_is_exact():
    # 7.3 - 7.0 is .2999... in float64; as written it is the margin itself, and so a tie.
    assert F("0.3") not in {abs(F(7.3) - F(7.0))}
    tied = [better(own) for own in preferences(margin=F("0.3"), per="pair")]
    assert all(own.get(("1", frozenset("ab"), "insight")) is None for own in tied)


@pytest.mark.parametrize("seed", range(5))
def test_the_better_answer_stands_first_as_often_as_second(seed):
    labels = read_labels("\n".join(["questionId,answerId,worth_score", *(f"1,d{n},{n}" for n in range(9))]).encode())
    found = preferences_of_labels(labels, rng=np.random.default_rng(seed))
    counts = Counter(verdict for preference in found for _, verdict in preference.verdicts)
    assert counts == {"A": 18, "B": 18}


def test_both_orders_hold_every_pair_twice_with_exchanged_verdicts():
    found = preferences(orders="both", per="pair")
    assert len(found) == 2 * (6 + 1)
    assert all(one.exchanged() == other for one, other in zip(found[::2], found[1::2], strict=True))


def test_the_seed_alone_decides_what_is_drawn():
    assert preferences(seed=3) == preferences(seed=3)
    assert preferences(seed=3) != preferences(seed=4)


def test_questions_are_split_whole():
    names = [f"q{n}" for n in range(10)]
    train, held = split_questions(names, 0.2, rng=np.random.default_rng(0))
    assert sorted(train + held) == names
    assert len(held) == 2
    assert split_questions(names[:2], 0.01, rng=np.random.default_rng(0))[1]
    assert split_questions(names, 0, rng=np.random.default_rng(0)) == (names, [])
    with pytest.raises(ValueError, match="below 1"):
        split_questions(names, 1, rng=np.random.default_rng(0))


TEXTS = {(question, answer): f"report {question}{answer} {{x}}" for question in "12" for answer in "abcd"}


def test_lines_are_conversations_of_prompt_and_completion():
    lines = list(preferences_jsonl(preferences(per="pair"), {"1": "Compare {things}", "2": "比较三种方案"}, TEXTS))
    rows = [json.loads(line) for line in lines]
    for row in rows:
        (prompt,), (completion,) = row["prompt"], row["completion"]
        assert (prompt["role"], completion["role"]) == ("user", "assistant")
        first, second = (TEXTS[row["questionId"], row[side]] for side in ("answerA", "answerB"))
        assert prompt["content"].index(first) < prompt["content"].index(second)
        names = [line.split(": ")[0] for line in completion["content"].split("\n")]
        assert len(names) == 1 or names == row["dimensions"]
    assert "Compare {things}" in rows[0]["prompt"][0]["content"]
    assert "哪" in rows[-1]["prompt"][0]["content"] or "每个方面" in rows[-1]["prompt"][0]["content"]


def test_all_reports_that_are_not_there_are_named():
    with pytest.raises(JudgmentsError) as error:
        preferences_jsonl(preferences(), {}, {key: text for key, text in TEXTS.items() if key[1] != "d"})
    assert [(problem.kind, problem.question, problem.answer) for problem in error.value.problems] == [
        ("missing_text", "1", "d")
    ]


def test_a_margin_below_zero_is_refused():
    with pytest.raises(ValueError, match="0 or more"):
        preferences(margin=F(-1))
