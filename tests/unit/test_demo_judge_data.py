"""The demo's judge outputs have the effects that their script states, and the script makes the same bytes again."""

import importlib.util
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from aeollm.aggregation.orders import order_effects
from aeollm.aggregation.pairwise import comparisons_of, fit_davidson, pairs_of, position_bias
from aeollm.agreement import aspect_scores, labels_of_ratings
from aeollm.files import read_aspects, read_criterion_scores, read_features, read_judgments, read_labels, recognise

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "make_demo_judge.py"
JUDGE = ROOT / "assets" / "demo" / "judge"


@pytest.fixture(scope="module")
def stated():
    """Load the script for the effects that it states."""
    spec = importlib.util.spec_from_file_location("make_demo_judge", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def labels():
    return read_labels(ROOT / "assets" / "demo" / "aeollm-2-train" / "train_deepresearch.csv")


def test_the_script_makes_the_same_bytes():
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_files_are_small_and_told_apart():
    sizes = {path.name: path.stat().st_size for path in JUDGE.iterdir()}
    assert sum(sizes.values()) < 240_000
    kinds = {path.name: recognise(path.read_bytes(), path.name) for path in JUDGE.iterdir()}
    assert kinds == {
        "criteria.tsv": "criterion scores",
        "pairs.tsv": "pairwise judgments",
        "annotators.tsv": "aspect ratings",
        "counts.tsv": "counts of reports",
        "two_judges.toml": "recipe",
        "tie_break.toml": "recipe",
        "length.toml": "recipe",
    }


def test_the_order_effect_is_the_one_stated(stated):
    found = [effect for effect in order_effects(read_criterion_scores(JUDGE / "criteria.tsv")) if not effect.criterion]
    assert len(found) == 4
    # Order, noise, and rounding to whole numbers (a twelfth); 128 answers' shifts tell it to about a fifth.
    expected = stated.ORDER**2 + stated.NOISE**2 + 1 / 12
    assert [effect.both for effect in found] == pytest.approx([expected] * 4, rel=0.2)


def test_the_first_judge_leans_to_the_first_place_and_the_second_does_not():
    told = position_bias(pairs_of(read_judgments(JUDGE / "pairs.tsv")), rng=np.random.default_rng(0))
    first, second = (next(own for own in told if own.judge == judge) for judge in ("J1", "J2"))
    assert first.p_questions < 0.05 < second.p_questions
    assert first.first_share.share > 0.6
    assert abs(second.first_share.share - 0.5) < 0.05


@pytest.mark.parametrize(("judge", "place"), [("J1", "PLACE"), ("J2", None)])
def test_replies_follow_the_human_differences_by_the_slope_stated(judge, place, stated, labels):
    judgments = read_judgments(JUDGE / "pairs.tsv")
    rows = [row for row, who in enumerate(judgments.judges) if who == judge and judgments.outcomes[row]]
    human = labels.scores.values[:, 1]
    index = labels.index
    lead = np.array(
        [
            human[index[judgments.questions[r], judgments.left[r]]]
            - human[index[judgments.questions[r], judgments.right[r]]]
            for r in rows
        ]
    )
    won = judgments.outcomes[rows] > 0

    def loss(slopes):
        odds = slopes[0] * lead + slopes[1]
        return np.logaddexp(0, np.where(won, -odds, odds)).sum()

    slope, shift = optimize.minimize(loss, [0.0, 0.0]).x
    # Given that there is a winner, Davidson's model is logistic; about 550 replies tell both to .15.
    assert slope == pytest.approx(stated.SLOPE, abs=0.45)
    assert shift == pytest.approx(getattr(stated, place) if place else 0, abs=0.3)


def test_strengths_order_the_answers_much_as_people_do(labels):
    found = fit_davidson(comparisons_of(read_judgments(JUDGE / "pairs.tsv")), ridge=0.01)
    taus = []
    for question in found.comparisons.questions:
        strengths = found.of(question, "insight")
        human = [labels.scores.values[labels.index[question, answer], 1] for answer in strengths]
        taus.append(stats.kendalltau(human, list(strengths.values())).statistic)
    assert np.mean(taus) > 0.75


def test_a_third_annotator_is_there_just_where_the_rule_asks_for_one(stated):
    ratings, problems = aspect_scores(read_aspects(JUDGE / "annotators.tsv"))
    found = labels_of_ratings(ratings, Fraction(stated.RULE), dimension="readability")
    assert problems == found.problems == ()
    third = {key for key, given in ratings.items() if len(given) == 3}
    assert third == {(one.question, one.answer) for one in found.disagreements}
    assert len(ratings) == 16 * stated.ANNOTATED


def test_words_follow_the_length_that_the_biased_judge_rewards(labels):
    counts = read_features(JUDGE / "counts.tsv")
    assert counts.names == ("words", "headings", "citations")
    assert set(counts.values) == set(labels.index)
    rows = [
        line.split("\t") for line in (ROOT / "assets/demo/runs/length_biased_judge.txt").read_text().splitlines()[1:]
    ]
    words = np.log([counts.values[row[1], row[2]][0] for row in rows])
    assert np.corrcoef(words, [float(row[5]) for row in rows])[0, 1] > 0.7
