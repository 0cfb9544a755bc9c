"""Scoring against values known by hand and against the long way (``tests/oracle.py``)."""

import gc
import math
import random
import weakref
from dataclasses import replace

import numpy as np
import pytest

from aeollm import (
    LabelsError,
    Policy,
    RubricsError,
    RunError,
    __version__,
    read_labels,
    read_rubrics,
    read_run,
    score,
    score_runs,
)
from aeollm.scoring import examine_labels
from tests import oracle
from tests.small_files import DIMENSIONS, labels_csv, rubric, run_text

TWO = ("truth", "style")
HEADED = b"taskId questionId answerId truth_score style_score\n"


def labels_of(table, dimensions=DIMENSIONS):
    return read_labels(labels_csv([(*key, *scores) for key, scores in table.items()], dimensions), name="set")


def run_of(table, labels, policy=None, name="run"):
    dimensions = labels.run_dimensions
    header = b"" if dimensions == DIMENSIONS else HEADED
    return read_run(header + run_text([(*key, *scores) for key, scores in table.items()]), labels, policy, name=name)


def rubrics_of(weights, labels):
    files = {f"criterion{q}.json": rubric(q, own, labels.dimensions) for q, own in weights.items()}
    return read_rubrics(files, labels)


def close(found, wanted):
    """Compare a run's questions with the oracle's: counts and what is undefined exactly, numbers to 1e-12."""
    assert [question["question"] for question in found] == [question["question"] for question in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        assert list(ours) == list(theirs)
        for view in list(ours)[1:]:
            assert ours[view]["pairs"] == theirs[view]["pairs"]
            assert ours[view]["answers"] == theirs[view]["answers"]
            for measure in ("spearman", "kendall", "accuracy"):
                value = theirs[view][measure]
                assert ours[view][measure] == (value if value is None else pytest.approx(value, abs=1e-12))


def questions(scores):
    return scores.to_json(per_question=True)["questions"]


# One question by hand: with weights .3 and .7 the human totals of A and B are both 4.5, in decimals.

TIED_LABELS = {("q", "A"): ("8", "3"), ("q", "B"): ("1", "6"), ("q", "C"): ("9", "9"), ("q", "D"): ("0", "0")}
TIED_RUN = {("q", "A"): ("2", "1"), ("q", "B"): ("1", "2"), ("q", "C"): ("8", "9"), ("q", "D"): ("0", "0")}
WEIGHTS = {"q": ("0.3", "0.7"), "u": ("1", "0")}


def tied(policy=None, more_labels=None, more_run=None):
    labels = labels_of(TIED_LABELS | (more_labels or {}), TWO)
    rubrics = rubrics_of({q: WEIGHTS[q] for q in labels.question_order}, labels)
    return score(run_of(TIED_RUN | (more_run or {}), labels), labels, rubrics, policy)


def test_a_tie_of_weighted_totals_by_hand():
    (question,) = questions(tied())
    # Run totals 1.3, 1.7, 8.7, 0; labels 4.5, 4.5, 9, 0: five pairs in order, one tied in the labels.
    assert question["overall"] == {
        "answers": 4,
        "spearman": pytest.approx(4.5 / math.sqrt(5 * 4.5), abs=1e-15),
        "kendall": pytest.approx(5 / math.sqrt(6 * 5), abs=1e-15),
        "accuracy": 5 / 6,
        "pairs": {"concordant": 5, "discordant": 0, "tied_run": 0, "tied_labels": 1, "tied_both": 0},
    }
    for view in TWO:
        assert question[view]["pairs"]["concordant"] == 6


def test_floats_break_that_tie_and_the_change_is_told():
    # .3 * 1 + .7 * 6 falls short of .3 * 8 + .7 * 3, and the run has A below B.
    assert 0.3 / 1.0 * 1 + 0.7 / 1.0 * 6 < 0.3 / 1.0 * 8 + 0.7 / 1.0 * 3
    exact, floats = tied(), tied(Policy(ties="float64"))
    pairs = questions(floats)[0]["overall"]["pairs"]
    assert pairs == {"concordant": 5, "discordant": 1, "tied_run": 0, "tied_labels": 0, "tied_both": 0}
    assert questions(floats)[0]["truth"] == questions(exact)[0]["truth"]
    for scores in (exact, floats):
        assert scores.float64.questions == ("q",)
        assert scores.float64.mean_change == {
            "spearman": pytest.approx(0.8 - 4.5 / math.sqrt(22.5), abs=1e-15),
            "kendall": pytest.approx(4 / 6 - 5 / math.sqrt(30), abs=1e-15),
            "accuracy": 0.0,
        }


UNDEFINED = {("u", "A"): ("1", "1"), ("u", "B"): ("2", "2")}, {("u", "A"): ("5", "1"), ("u", "B"): ("5", "2")}


@pytest.mark.parametrize("undefined", ["skip", "zero", "strict"])
def test_the_change_is_that_of_the_means_under_the_policy_for_undefined_questions(undefined):
    exact, floats = (tied(Policy(ties=ties, undefined=undefined), *UNDEFINED) for ties in ("exact", "float64"))
    for measure, change in exact.float64.mean_change.items():
        before, after = exact.mean("overall", measure).mean, floats.mean("overall", measure).mean
        assert change == (None if before is None else after - before)
    kendall = 4 / 6 - 5 / math.sqrt(30)
    wanted = {"skip": kendall, "zero": kendall / 2, "strict": None}[undefined]
    assert exact.float64.mean_change["kendall"] == (wanted and pytest.approx(wanted, abs=1e-15))


def test_a_question_that_only_floats_can_order_has_no_change_but_is_named():
    labels = labels_of({("q", "A"): ("2", "2"), ("q", "B"): ("1", "1")}, TWO)
    run = {key: TIED_LABELS[key] for key in [("q", "A"), ("q", "B")]}
    rubrics = rubrics_of({"q": WEIGHTS["q"]}, labels)
    exact = score(run_of(run, labels), labels, rubrics)
    assert exact.mean("overall", "kendall")[:3] == (None, 0, 1)
    assert score(run_of(run, labels), labels, rubrics, Policy(ties="float64")).mean("overall", "kendall").mean == 1.0
    assert exact.float64.questions == ("q",)
    assert exact.float64.mean_change == {"spearman": None, "kendall": None, "accuracy": 1.0}


def test_the_change_names_questions_whose_ranks_alone_change():
    # Exact: A = B, and C > D by a hair; floats: A > B, and C = D. The pair counts agree, Spearman does not.
    gold = {("q", a): (s, "0") for a, s in zip("ABCDE", "86412", strict=True)}
    labels = labels_of(gold, TWO)
    run = {key: TIED_LABELS[key] for key in [("q", "A"), ("q", "B")]}
    run |= {("q", "C"): ("1", "1e-20"), ("q", "D"): ("1", "0"), ("q", "E"): ("0", "0")}
    rubrics = rubrics_of({"q": WEIGHTS["q"]}, labels)
    exact = score(run_of(run, labels), labels, rubrics)
    floats = score(run_of(run, labels), labels, rubrics, Policy(ties="float64"))
    assert exact.pairs[0].tolist() == floats.pairs[0].tolist() == [[8, 1, 1, 0, 0]]
    # Centred ranks of the labels 2, 1, 0, -2, -1.
    assert exact.spearman[0, 0] == pytest.approx(8.5 / math.sqrt(9.5 * 10), abs=1e-15)
    assert floats.spearman[0, 0] == pytest.approx(8.0 / math.sqrt(9.5 * 10), abs=1e-15)
    assert exact.float64.questions == ("q",)


def test_no_change_where_floats_order_alike():
    labels = labels_of(TIED_LABELS, TWO)
    # Equal weights make the totals 5.5 and 3.5.
    assert score(run_of(TIED_RUN, labels), labels).float64 is None


# The long way


def decimals(rng, kind):
    return {
        "integers": lambda: str(rng.randint(0, 10)),
        "halves": lambda: f"{rng.randint(0, 20) / 2:g}",
        "one decimal": lambda: f"{rng.randint(0, 100) / 10:.1f}",
        "long": lambda: f"{rng.random() * 10:.17f}",
        "wild": lambda: f"{rng.randint(-99, 99)}e{rng.randint(-300, 300)}",
        "nearly": lambda: "7." + "3" * rng.randint(14, 18),
        "few": lambda: rng.choice(["3", "3.0", "4", "0.04e2"]),
    }[kind]


WEIGHT_KINDS = {
    "none": None,
    "tenths": lambda rng: rng.choice(
        [("0.3", "0.3", "0.2", "0.2"), ("0.1", "0.2", "0.3", "0.4"), ("0", "0", "1", "0")]
    ),
    "hundredths": lambda _: ("0.30", "0.36", "0.20", "0.14"),
    "long": lambda rng: tuple(f"{rng.random():.16f}" for _ in range(4)),
    "large": lambda rng: tuple(f"{rng.randint(1, 40)}.00000000000000000" for _ in range(4)),
    "far apart": lambda _: ("1e-30", "1", "1e-300", "0"),
}


def made(seed, kind, weight_kind):
    rng = random.Random(f"{seed} {kind} {weight_kind}")
    draw = decimals(rng, kind)
    keys = [(f"q{q}", f"a{a}") for q in range(4) for a in range(rng.randint(1, 7))]
    rng.shuffle(keys)
    labels, run = ({key: tuple(draw() for _ in DIMENSIONS) for key in keys} for _ in range(2))
    weigh = WEIGHT_KINDS[weight_kind]
    weights = weigh and {question: weigh(rng) for question in dict.fromkeys(question for question, _ in keys)}
    return rng, run, labels, weights


@pytest.mark.parametrize("weight_kind", WEIGHT_KINDS)
@pytest.mark.parametrize("kind", ["integers", "halves", "one decimal", "long", "wild", "nearly", "few"])
@pytest.mark.parametrize("seed", range(2))
def test_against_fractions_and_every_pair(seed, kind, weight_kind):
    _, run, gold, weights = made(seed, kind, weight_kind)
    labels = labels_of(gold)
    rubrics = weights and rubrics_of(weights, labels)
    shuffled = dict(random.Random(seed).sample(sorted(run.items()), len(run)))
    exact = score(run_of(shuffled, labels), labels, rubrics)
    wanted = oracle.questions((run, gold), DIMENSIONS, weights)
    close(questions(exact), wanted)
    floats = score(run_of(shuffled, labels), labels, rubrics, Policy(ties="float64"))
    in_floats = oracle.questions((run, gold), DIMENSIONS, weights, floats=True)
    close(questions(floats), in_floats)
    for view in exact.views:
        for measure in ("spearman", "kendall", "accuracy"):
            value, defined, undefined = oracle.mean(wanted, view, measure)
            mean = exact.mean(view, measure)
            assert (mean.defined, mean.undefined) == (defined, undefined)
            assert mean.mean == (value if value is None else pytest.approx(value, abs=1e-12))
        assert exact.mean(view, "accuracy").pooled == oracle.pooled(wanted, view)
        assert exact.mean(view, "kendall").pooled is None
    own = {q: {key: run[key] for key in run if key[0] == q} for q in labels.question_order}
    assert exact.near_ties == sum(oracle.near_pairs(own[q], weights and weights[q]) for q in own)
    check_change(exact, floats, wanted, in_floats)


def check_change(exact, floats, wanted, in_floats):
    views = exact.views
    differ = [a["question"] for a, b in zip(wanted, in_floats, strict=True) if any(a[v] != b[v] for v in views)]
    for scores in (exact, floats):
        if not differ:
            assert scores.float64 is None
            continue
        assert list(scores.float64.questions) == differ
        for measure, change in scores.float64.mean_change.items():
            before, after = exact.mean("overall", measure).mean, floats.mean("overall", measure).mean
            assert change == (None if before is None or after is None else after - before)


def test_the_long_way_finds_ties_that_floats_break():
    found = [made(seed, kind, "hundredths") for seed in range(3) for kind in ("integers", "few", "nearly")]
    differ = [
        oracle.questions((run, gold), DIMENSIONS, weights)
        != oracle.questions((run, gold), DIMENSIONS, weights, floats=True)
        for _, run, gold, weights in found
    ]
    assert any(differ)
    assert not all(differ)


NINE = tuple(f"view{place}" for place in range(9))


@pytest.mark.parametrize("seed", range(4))
def test_floats_are_summed_from_left_to_right_over_many_dimensions(seed):
    rng = random.Random(seed)
    gold, run = ({("q", f"a{a}"): tuple(rng.sample("123456789", 9)) for a in range(12)} for _ in range(2))
    labels = labels_of(gold, NINE)
    header = f"taskId questionId answerId {' '.join(NINE)}\n".encode()
    judged = read_run(header + run_text([(*key, *cells) for key, cells in run.items()]), labels)
    # All totals tie, in decimals; in floats the order of summation decides.
    assert score(judged, labels).pairs[0].tolist() == [[0, 0, 0, 0, 66]]
    floats = score(judged, labels, policy=Policy(ties="float64"))
    wanted = oracle.questions((run, gold), NINE, floats=True)
    close(questions(floats), wanted)
    assert wanted[0]["overall"]["pairs"]["tied_both"] < 66


# Blanks, partial runs, ragged questions


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("policy", [Policy(partial=True), replace(Policy.official(), ties="exact"), Policy.official()])
def test_blank_labels_and_missing_answers(seed, policy):
    rng, run, gold, weights = made(seed, "halves", "hundredths")
    gold = {key: tuple("" if rng.random() < 0.15 else cell for cell in cells) for key, cells in gold.items()}
    first = next(iter(gold))
    gold[first] = ("1", "2", "3", "4")
    kept = {key: scores for key, scores in run.items() if rng.random() < 0.8 or key == first}
    labels = labels_of(gold)
    scores = score(run_of(kept, labels, policy), labels, rubrics_of(weights, labels), policy)
    floats = policy.ties == "float64"
    fewest = 3 if policy.inner_join else 2
    close(questions(scores), oracle.questions((kept, gold), DIMENSIONS, weights, floats=floats, fewest=fewest))
    assert scores.coverage == (len(kept), len(gold))
    assert scores.partial is (len(kept) < len(gold))
    assert f"partial={'yes' if scores.partial else 'no'}" in scores.signature


def test_partial_questions_with_fewer_than_two_answers_are_undefined():
    gold = {(q, a): (str(n),) * 4 for q in "pqr" for n, a in enumerate("ABC")}
    labels, policy = labels_of(gold), Policy(partial=True)
    kept = {key: gold[key] for key in [("p", "A"), ("p", "B"), ("q", "C")]}
    scores = score(run_of(kept, labels, policy), labels, policy=policy)
    assert scores.answers[0].tolist() == [2, 1, 0]
    for measure in ("spearman", "kendall", "accuracy"):
        assert [value if value == value else None for value in scores.values(measure)[0].tolist()] == [1.0, None, None]
        assert scores.mean("overall", measure)[:3] == (1.0, 1, 2)
    assert scores.mean("overall", "accuracy").pooled == 1.0
    assert scores.undefined_reason(0, 1) == scores.undefined_reason(0, 2) == "fewer than 2 answers"


def test_official_policy_needs_three_answers():
    gold = {("two", "A"): "1", ("two", "B"): "2", ("three", "A"): "1", ("three", "B"): "2", ("three", "C"): "3"}
    labels = labels_of({key: (value,) * 4 for key, value in gold.items()})
    run = run_of({key: (value,) * 4 for key, value in gold.items()}, labels)
    paper, official = score(run, labels), score(run, labels, policy=Policy.official())
    assert paper.mean("overall", "accuracy")[:3] == (1.0, 2, 0)
    assert paper.pairs[0].sum(axis=1).tolist() == [1, 3]
    assert official.mean("overall", "accuracy")[:3] == (1.0, 1, 1)
    assert official.pairs[0].sum(axis=1).tolist() == [0, 3]
    assert official.answers[0].tolist() == [2, 3]
    assert official.undefined_reason(0, 0) == "fewer than 3 answers"
    for part in ("ties=float64", "undefined=skip", "average=macro", "join=inner", "min_answers=3"):
        assert part in official.signature


def test_official_mean_stays_macro_and_pooled_is_the_official_value():
    gold = {("p", a): (s,) * 4 for a, s in zip("ABC", "123", strict=True)}
    gold |= {("q", a): (s,) * 4 for a, s in zip("ABCDE", "12345", strict=True)}
    run = gold | {("p", "A"): ("9",) * 4}
    labels = labels_of(gold)
    accuracy = score(run_of(run, labels), labels, policy=Policy.official()).mean("overall", "accuracy")
    # One of three pairs of p is right, all ten of q.
    assert accuracy.mean == math.fsum([1 / 3, 1]) / 2
    assert accuracy.pooled == 11 / 13
    assert accuracy.pooled_differs


def test_inner_join_drops_what_the_labels_do_not_know():
    gold = {("q", a): (s,) * 4 for a, s in zip("ABC", "123", strict=True)}
    labels, policy = labels_of(gold), Policy.official()
    run = run_of(gold | {("q", "X"): ("9",) * 4, ("z", "A"): ("9",) * 4}, labels, policy)
    assert score(run, labels, policy=policy).mean("overall", "kendall").mean == 1.0


def test_the_order_of_questions_is_that_of_the_labels():
    gold = {(q, a): (a,) * 4 for a in "12" for q in ("z", "10", "9", "a")}
    labels = labels_of(gold)
    run = run_of(dict(sorted(gold.items())), labels)
    assert score(run, labels).questions == ("z", "10", "9", "a")


def test_one_question_and_one_answer():
    single = labels_of({("q", "A"): ("1", "2", "3", "4")})
    scores = score(run_of({("q", "A"): ("4", "3", "2", "1")}, single), single)
    assert scores.answers.tolist() == [[1]] * 5
    assert scores.pairs.sum() == 0
    assert scores.mean("overall", "accuracy") == (None, 0, 1, None)
    assert scores.undefined_reason(0, 0) == "fewer than 2 answers"
    assert score(run_of({("q", "A"): ("4",) * 4}, single), single, policy=Policy(undefined="zero")).mean(
        "insight", "kendall"
    ) == (0.0, 0, 1, None)


def test_magnitudes_far_apart_are_compared_exactly():
    gold = {("q", a): (s, "0") for a, s in zip("ABCD", "1234", strict=True)}
    run = {
        ("q", "A"): ("1e300", "1e-300"),
        ("q", "B"): ("1e300", "2e-300"),
        ("q", "C"): ("1e300", "2.0e-300"),
        ("q", "D"): ("1e300", "-1e-330"),
    }
    labels = labels_of(gold, TWO)
    scores = score(run_of(run, labels), labels)
    close(questions(scores), oracle.questions((run, gold), TWO))
    assert questions(scores)[0]["overall"]["pairs"] == {
        "concordant": 2, "discordant": 3, "tied_run": 1, "tied_labels": 0, "tied_both": 0,
    }  # fmt: skip
    floats = score(run_of(run, labels), labels, policy=Policy(ties="float64"))
    assert questions(floats)[0]["overall"]["pairs"]["tied_run"] == 6
    assert scores.float64.questions == ("q",)


@pytest.mark.parametrize("side", ["run", "labels"])
@pytest.mark.parametrize(
    ("truth", "style"),
    [
        (("1e-330", "2e-330", "3e-330"), ("1e-316", "2e-316", "3e-316")),
        (("9007199254740991.1", "9007199254740991.2", "9007199254740991.3"), ("1", "2", "3")),
        (("72057594037927936", "72057594037927937", "72057594037927938"), ("1", "2", "3")),
    ],
)
def test_scores_that_only_floats_tie_in_a_view_without_weight(side, truth, style):
    tiny = {("q", a): pair for a, pair in zip("123", zip(truth, style, strict=True), strict=True)}
    plain = {key: (key[1], key[1]) for key in tiny}
    run, gold = (tiny, plain) if side == "run" else (plain, tiny)
    labels = labels_of(gold, TWO)
    rubrics = rubrics_of({"q": ("0", "1")}, labels)
    exact = score(run_of(run, labels), labels, rubrics)
    floats = score(run_of(run, labels), labels, rubrics, Policy(ties="float64"))
    assert exact.mean("truth", "kendall").mean == 1.0
    assert exact.mean("overall", "kendall").mean == floats.mean("overall", "kendall").mean == 1.0
    close(questions(floats), oracle.questions((run, gold), TWO, {"q": ("0", "1")}, floats=True))
    assert len({float(score) for score in truth}) < 3
    assert exact.float64.questions == floats.float64.questions == ("q",)


def test_totals_at_the_end_of_float64_do_not_overflow():
    top = "1.7976931348623157e308"
    run = {("q", "A"): (top,) * 4, ("q", "B"): (top, top, top, "1.7976931348623156e308"), ("q", "C"): ("-" + top,) * 4}
    gold = {key: (value,) * 4 for key, value in zip(run, "321", strict=True)}
    labels = labels_of(gold)
    assert score(run_of(run, labels), labels).mean("overall", "kendall").mean == 1.0


# Undefined questions


@pytest.mark.parametrize("weight_kind", ["none", "hundredths"])
def test_undefined_policies_change_means_only(weight_kind):
    _, run, gold, weights = made(1, "few", weight_kind)
    labels = labels_of(gold)
    rubrics = weights and rubrics_of(weights, labels)
    skip, zero, strict = (
        score(run_of(run, labels), labels, rubrics, Policy(undefined=name)) for name in ("skip", "zero", "strict")
    )
    assert questions(skip) == questions(zero) == questions(strict)
    seen = set()
    for view in skip.views:
        for measure in ("spearman", "kendall", "accuracy"):
            means = [scores.mean(view, measure) for scores in (skip, zero, strict)]
            assert len({mean[1:] for mean in means}) == 1
            values = [v for v in skip.values(measure)[skip.views.index(view)].tolist() if v == v]
            total = means[0].defined + means[0].undefined
            assert means[0].mean == (math.fsum(values) / len(values) if values else None)
            assert means[1].mean == math.fsum(values) / total
            assert means[2].mean == (None if means[0].undefined else means[0].mean)
            seen.add(means[0].undefined > 0)
    assert seen == {True, False}
    assert "undefined=strict" in strict.signature


@pytest.mark.parametrize(
    ("run", "gold", "reason", "accuracy"),
    [
        ("555", "123", "all run scores equal", 0.0),
        ("123", "555", "all human scores equal", 0.0),
        ("777", "555", "all scores equal in run and labels", 1.0),
        ("112", "122", None, 1 / 3),
    ],
)
def test_why_a_question_is_undefined(run, gold, reason, accuracy):
    labels = labels_of({("q", str(n)): (s,) * 4 for n, s in enumerate(gold)})
    scores = score(run_of({("q", str(n)): (s,) * 4 for n, s in enumerate(run)}, labels), labels)
    for view in range(5):
        assert scores.undefined_reason(view, 0) == reason
        assert np.isnan(scores.kendall[view, 0]) == (reason is not None)
        assert scores.accuracy[view, 0] == accuracy


# Near ties


@pytest.mark.parametrize(
    ("values", "count"),
    [
        # Spread 1: a difference counts below 1e-9.
        (("0", "1", "0.5", "0.5000000009999999"), 1),
        (("0", "1", "0.5", "0.500000001"), 0),
        (("0", "1", "0.5", "0.5"), 0),
        (("0", "2", "0.5", "0.500000002"), 0),
        (("0", "2", "0.5", "0.500000001"), 1),
        (("0", "1", "7.5e-1", "0.75000000000000000000000000000000000001"), 1),
        # Three neighbours are three pairs.
        (("0", "1", "0.5", "0.5000000001", "0.5000000002"), 3),
        # Spread 1000: below 1e-6.
        (("0", "1000", "5", "5.0000009"), 1),
        (("0", "1000", "5", "5.000001"), 0),
        # Without anything else the difference is the spread.
        (("5", "5.000000000000001"), 0),
        (("-1e300", "1e300", "1e-300", "2e-300"), 1),
        (("7.333333333333333", "7.333333333333334", "2", "3"), 1),
        (("9007199254740993", "9007199254740992", "0", "1e9"), 1),
    ],
)
def test_near_ties_by_hand(values, count):
    gold = {("q", str(n)): ("1", "2") if n % 2 else ("2", "1") for n in range(len(values))}
    labels = labels_of(gold, TWO)
    run = {key: (value, "0") for key, value in zip(gold, values, strict=True)}
    assert oracle.near_pairs(run) == count
    scores = score(run_of(run, labels), labels)
    assert scores.near_ties == count
    found = [problem for problem in scores.problems if problem.kind == "near_ties"]
    assert [problem.message.split()[0] for problem in found] == [str(count)] * (count > 0)


def test_near_ties_count_pairs_once_over_views_and_only_within_questions():
    gold = {(q, a): ("1", "2") for q in "pq" for a in "ABC"}
    labels = labels_of(gold, TWO)
    near = {("p", "A"): ("0", "9"), ("p", "B"): ("5", "5"), ("p", "C"): ("5.000000001", "5.000000001")}
    far = {("q", "A"): ("0", "9"), ("q", "B"): ("5.0000000005", "5"), ("q", "C"): ("9", "0")}
    assert score(run_of(near | far, labels), labels).near_ties == 1


def test_near_ties_leave_out_answers_that_do_not_count():
    gold = {("q", a): ("1", "2") for a in "ABCD"} | {("q", "D"): ("", "2")}
    labels = labels_of(gold, TWO)
    run = {("q", "A"): ("0", "0"), ("q", "B"): ("5", "5"), ("q", "C"): ("9", "9"), ("q", "D"): ("5.0000000001", "1")}
    assert score(run_of(run, labels), labels).near_ties == 0
    assert score(run_of(run, labels), labels_of(gold | {("q", "D"): ("1", "2")}, TWO)).near_ties == 1


def test_near_ties_of_the_labels_are_a_note():
    gold = {("q", a): (s,) * 4 for a, s in zip("ABCD", ("0", "9", "5", "5.0000000000001"), strict=True)}
    (note,) = examine_labels(labels_of(gold))
    assert (note.severity, note.kind, note.message.split()[0]) == ("note", "near_ties", "1")


# What is told about a run


def findings(run, gold, dimensions=DIMENSIONS):
    labels = labels_of(gold, dimensions)
    return [problem for problem in score(run_of(run, labels), labels).problems if problem.severity == "warning"]


def test_a_constant_view_is_named_with_its_question():
    gold = {(q, a): (a, a) for q in ("p", "q") for a in "123"}
    run = {key: (key[1], "5" if key[0] == "q" else key[1]) for key in gold}
    (problem,) = findings(run, gold, TWO)
    assert (problem.severity, problem.kind, problem.question, problem.column) == (
        "warning", "constant_view", "q", "style_score",
    )  # fmt: skip
    assert "style" in problem.message


def test_labels_constant_in_a_view_are_named():
    gold = {(q, a): (a, "5" if q == "q" else a) for q in ("p", "q") for a in "123"}
    (problem,) = examine_labels(labels_of(gold, TWO))
    assert (problem.kind, problem.question, problem.column) == ("constant_view", "q", "style_score")


@pytest.mark.parametrize(("values", "warned"), [("1123", False), ("1112", False), ("1111", True), ("11112", True)])
def test_more_than_half_of_the_pairs_tied(values, warned):
    # Tied pairs: 1 of 6, 3 of 6, 6 of 6, 6 of 10.
    gold = {("q", str(n)): (str(n), str(n)) for n in range(len(values))}
    run = {key: (value, key[1]) for key, value in zip(gold, values, strict=True)}
    found = [problem for problem in findings(run, gold, TWO) if problem.kind == "many_ties"]
    assert [problem.column for problem in found] == ["truth_score"] * warned
    assert all("tied" in problem.message for problem in found)


# Several runs


@pytest.mark.parametrize("policy", [Policy(partial=True), Policy.official()])
def test_a_batch_of_runs_with_different_coverage_equals_single_runs(policy):
    rng, _, gold, weights = made(5, "halves", "hundredths")
    labels = labels_of(gold)
    rubrics = rubrics_of(weights, labels)
    runs = []
    for number in range(12):
        kept = [key for key in gold if number % 3 == 0 or rng.random() < 0.7] or list(gold)
        draw = decimals(rng, ["integers", "wild", "nearly", "few"][number % 4])
        run = {key: tuple(draw() for _ in DIMENSIONS) for key in kept}
        runs.append(run_of(run, labels, policy, name=f"run{number}"))
    together = score_runs(runs, labels, rubrics, policy)
    single = [score(run, labels, rubrics, policy) for run in runs]
    assert [scores.name for scores in together] == [run.name for run in runs]
    assert [scores.to_json(per_question=True) for scores in together] == [
        scores.to_json(per_question=True) for scores in single
    ]
    assert len({scores.coverage for scores in together}) > 3


def test_scoring_keeps_no_labels_alive():
    alive = []
    for _ in range(20):
        labels = labels_of(TIED_LABELS, TWO)
        score(run_of(TIED_RUN, labels), labels)
        alive.append(weakref.ref(labels))
        del labels
    gc.collect()
    assert sum(reference() is not None for reference in alive) < 10


def test_no_run_is_no_score():
    labels = labels_of(TIED_LABELS, TWO)
    assert score_runs([], labels) == []


# Signature


def test_the_signature_says_how_a_number_was_made():
    labels = labels_of(TIED_LABELS, TWO)
    run, rubrics = run_of(TIED_RUN, labels), rubrics_of({"q": WEIGHTS["q"]}, labels)
    assert score(run, labels, rubrics).signature == (
        f"labels=set@{labels.digest[:8]}|weights=rubric@{rubrics.digest[:8]}|run={run.digest[:8]}"
        f"|ties=exact|undefined=skip|average=macro|partial=no|aeollm={__version__}"
    )
    hub = replace(labels, revision="3f2a91c")
    signature = score(run, hub, policy=Policy(ties="float64", undefined="zero")).signature
    assert signature.startswith(f"labels=set@3f2a91c|weights=equal|run={run.digest[:8]}|ties=float64|undefined=zero|")


def test_a_bar_in_a_name_does_not_break_the_signature():
    labels = replace(labels_of(TIED_LABELS, TWO), name="a|b")
    assert score(run_of(TIED_RUN, labels), labels).signature.count("|") == 7


# Refused


def test_labels_without_scores():
    keys = read_labels(b"questionId,answerId\nq,A\n")
    with pytest.raises(LabelsError) as raised:
        score(read_run(b"0 q A 1 2 3 4", keys), keys)
    assert [problem.kind for problem in raised.value.problems] == ["no_scores"]


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([("q", "A"), ("q", "B")], ["missing_answers"]),
        ([("q", "A"), ("q", "B"), ("q", "C"), ("z", "A")], ["unknown_answer"]),
        ([("q", "A"), ("z", "A")], ["unknown_answer", "missing_answers"]),
    ],
)
def test_runs_that_were_not_checked_at_the_door(rows, kinds):
    labels = labels_of({("q", a): ("1", "2", "3", "4") for a in "ABC"})
    unchecked = read_run(run_text([(*row, 1) for row in rows]))
    with pytest.raises(RunError) as raised:
        score(unchecked, labels)
    assert [problem.kind for problem in raised.value.problems] == kinds


def test_a_run_with_other_dimensions():
    labels = labels_of(TIED_LABELS, TWO)
    with pytest.raises(RunError) as raised:
        score(read_run(run_text([(*key, 1) for key in TIED_LABELS])), labels)
    assert [problem.kind for problem in raised.value.problems] == ["header"]


def test_rubrics_that_do_not_weigh_every_question_and_dimension():
    labels = labels_of(TIED_LABELS, TWO)
    run = run_of(TIED_RUN, labels)
    for other in ({"criterionz.json": rubric("z")}, {"criterionq.json": rubric("q")}):
        with pytest.raises(RubricsError) as raised:
            score(run, labels, read_rubrics(other))
        assert [problem.kind for problem in raised.value.problems] == ["missing_rubric"]
