"""What must not change a score, and what it must equal: Hypothesis on files, not on tables."""

import json
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from aeollm import Policy, read_labels, read_rubrics, read_run, score, score_runs
from tests import oracle
from tests.small_files import DIMENSIONS, labels_csv, rubric, run_text

SCORES = st.one_of(
    st.integers(0, 4).map(str),
    st.integers(0, 20).map(lambda number: f"{number / 2}"),
    st.sampled_from(["7.333333333333333", "7.333333333333334", "7.30", "7.3", "1e-3", "0.001", "-2", "1e20"]),
)
WEIGHTS = st.sampled_from(
    [
        ("0.3", "0.3", "0.2", "0.2"),
        ("0.30", "0.36", "0.20", "0.14"),
        ("0.1", "0.2", "0.3", "0.4"),
        ("0", "0.5", "0.5", "0"),
        ("0.1234567890123456789", "1", "3", "0.7"),
    ]
)

HALF = settings(max_examples=settings.default.max_examples // 2)


@st.composite
def inputs(draw):
    """Give (run, labels, weights): both sides by key, weights by question or None."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    keys = [(f"q{q}", f"a{a}") for q, size in enumerate(sizes) for a in range(size)]
    rows = st.tuples(*[SCORES] * 4)
    run, labels = ({key: draw(rows) for key in keys} for _ in range(2))
    weights = draw(st.one_of(st.none(), st.fixed_dictionaries({f"q{q}": WEIGHTS for q in range(len(sizes))})))
    return run, labels, weights


def scored(run, labels, weights, policy=None):
    gold = read_labels(labels_csv([(*key, *cells) for key, cells in labels.items()]))
    files = {f"criterion{question}.json": rubric(question, own) for question, own in (weights or {}).items()}
    judged = read_run(run_text([(*key, *cells) for key, cells in run.items()]), gold, policy)
    return score(judged, gold, read_rubrics(files, gold) if weights else None, policy)


def numbers(scores, names=None):
    """Write measures, pair counts and near ties byte for byte, without names and hashes."""
    found = scores.to_json(per_question=True)
    kept = {name: found[name] for name in ("scores", "near_ties", "questions", "coverage", "partial")}
    for question in kept["questions"]:
        question["question"] = (names or {}).get(question["question"], question["question"])
    return json.dumps(kept)


def times(cell, factor):
    """Multiply a decimal as it is written, to the last digit."""
    return str(Decimal(cell) * factor)


@HALF
@given(inputs(), st.randoms(use_true_random=False))
def test_shuffled_lines(given_inputs, rng):
    run, labels, weights = given_inputs
    lines = list(run.items())
    rng.shuffle(lines)
    assert numbers(scored(dict(lines), labels, weights)) == numbers(scored(run, labels, weights))


@HALF
@given(inputs(), st.randoms(use_true_random=False))
def test_renamed_ids(given_inputs, rng):
    run, labels, weights = given_inputs
    names = [f"{letter}{number:03d}" for number in range(6) for letter in "zay"]
    rng.shuffle(names)
    questions = dict(zip(dict.fromkeys(question for question, _ in labels), names, strict=False))
    rng.shuffle(names)
    answers = {f"a{number}": name for number, name in enumerate(names)}
    renamed = [{(questions[q], answers[a]): cells for (q, a), cells in side.items()} for side in (run, labels)]
    own = weights and {questions[question]: weights[question] for question in weights}
    back = {new: old for old, new in questions.items()}
    assert numbers(scored(*renamed, own), back) == numbers(scored(run, labels, weights))


@HALF
@given(inputs())
def test_a_run_multiplied_by_ten(given_inputs):
    run, labels, weights = given_inputs
    tenfold = {key: tuple(times(cell, 10) for cell in cells) for key, cells in run.items()}
    assert numbers(scored(tenfold, labels, weights)) == numbers(scored(run, labels, weights))


@HALF
@given(inputs())
def test_weights_multiplied_by_seven(given_inputs):
    run, labels, weights = given_inputs
    weights = weights or dict.fromkeys((question for question, _ in labels), ("0.25",) * 4)
    sevenfold = {question: tuple(times(weight, 7) for weight in own) for question, own in weights.items()}
    assert numbers(scored(run, labels, sevenfold)) == numbers(scored(run, labels, weights))


@HALF
@given(inputs())
def test_numbers_written_in_another_way(given_inputs):
    run, labels, weights = given_inputs
    other = {key: tuple(f"{Decimal(cell) * 1000:f}e-3" for cell in cells) for key, cells in run.items()}
    assert numbers(scored(other, labels, weights)) == numbers(scored(run, labels, weights))


@HALF
@given(inputs(), st.randoms(use_true_random=False))
def test_shuffled_labels_move_questions_and_change_no_mean(given_inputs, rng):
    run, labels, weights = given_inputs
    rows = list(labels.items())
    rng.shuffle(rows)
    first, second = scored(run, labels, weights), scored(run, dict(rows), weights)
    assert second.questions == tuple(dict.fromkeys(question for (question, _), _ in rows))
    assert first.to_json()["scores"] == second.to_json()["scores"]
    found = [
        {own["question"]: own for own in scores.to_json(per_question=True)["questions"]} for scores in (first, second)
    ]
    assert found[0] == found[1]


@HALF
@given(inputs(), st.booleans())
def test_scores_are_those_of_the_long_way(given_inputs, floats):
    run, labels, weights = given_inputs
    found = scored(run, labels, weights, Policy(ties="float64" if floats else "exact"))
    wanted = oracle.questions((run, labels), DIMENSIONS, weights, floats=floats)
    for ours, theirs in zip(found.to_json(per_question=True)["questions"], wanted, strict=True):
        for view in found.views:
            assert (ours[view]["answers"], ours[view]["pairs"]) == (theirs[view]["answers"], theirs[view]["pairs"])
            assert ours[view]["accuracy"] == theirs[view]["accuracy"]
            for measure in ("spearman", "kendall"):
                assert (ours[view][measure] is None) == (theirs[view][measure] is None)
                assert abs((ours[view][measure] or 0) - (theirs[view][measure] or 0)) < 1e-12


@HALF
@given(inputs())
def test_the_labels_as_a_run_agree_with_themselves(given_inputs):
    _, labels, weights = given_inputs
    found = scored(labels, labels, weights)
    for view in found.views:
        for measure in ("spearman", "kendall", "accuracy"):
            mean = found.mean(view, measure)
            assert mean.mean in (None, 1.0)
    assert found.pairs[..., 1:4].sum() == 0


@HALF
@given(inputs())
def test_a_run_turned_around_has_the_opposite_sign(given_inputs):
    run, labels, weights = given_inputs
    first = scored(run, labels, weights)
    second = scored({key: tuple(times(cell, -1) for cell in cells) for key, cells in run.items()}, labels, weights)
    for view in first.views:
        for measure in ("spearman", "kendall"):
            one, other = first.mean(view, measure), second.mean(view, measure)
            assert one[1:] == other[1:]
            assert one.mean is None if other.mean is None else one.mean == -other.mean
    turned = second.pairs[..., [1, 0, 2, 3, 4]]
    assert (first.pairs == turned).all()


@HALF
@given(inputs(), st.sets(st.integers(0, 23)))
def test_a_partial_run_is_scored_on_what_it_has(given_inputs, dropped):
    run, labels, weights = given_inputs
    kept = {key: cells for place, (key, cells) in enumerate(run.items()) if place not in dropped} or run
    found = scored(kept, labels, weights, Policy(partial=True))
    wanted = oracle.questions((kept, labels), DIMENSIONS, weights)
    for ours, theirs in zip(found.to_json(per_question=True)["questions"], wanted, strict=True):
        assert [ours[view]["pairs"] for view in found.views] == [theirs[view]["pairs"] for view in found.views]
        assert [ours[view]["answers"] for view in found.views] == [theirs[view]["answers"] for view in found.views]
    assert found.partial is (len(kept) < len(labels))


@HALF
@given(inputs(), st.lists(st.randoms(use_true_random=False), min_size=1, max_size=4))
def test_runs_scored_together_are_scored_as_alone(given_inputs, generators):
    run, labels, weights = given_inputs
    gold = read_labels(labels_csv([(*key, *cells) for key, cells in labels.items()]))
    files = {f"criterion{question}.json": rubric(question, own) for question, own in (weights or {}).items()}
    rubrics, policy = read_rubrics(files, gold) if weights else None, Policy(partial=True)
    runs = []
    for rng in generators:
        kept = rng.sample(sorted(run), rng.randint(1, len(run)))
        runs.append(read_run(run_text([(*key, *run[rng.choice(kept)]) for key in kept]), gold, policy))
    together = score_runs(runs, gold, rubrics, policy)
    assert [found.to_json(per_question=True) for found in together] == [
        score(own, gold, rubrics, policy).to_json(per_question=True) for own in runs
    ]
