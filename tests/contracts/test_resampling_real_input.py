"""Comparisons from files to figures: a case of the project, and seven published metrics with undefined questions."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from aeollm.agreement import adjudicators, intraclass_correlations, ranking_agreement, reference_scores
from aeollm.decimals import Decimals
from aeollm.files import read_labels, read_rubrics, read_run
from aeollm.resampling import compare_runs, pair_sentence
from aeollm.scoring import human_order, score_runs
from aeollm.tables import MEASURES, Comparison, Plan, Run

CASES = Path(__file__).resolve().parents[1] / "cases"


def test_case_c26_a_run_against_itself():
    # C26: base_run.txt against its lines in reverse: difference and interval 0, p 1, three questions, smallest p 1/4.
    labels = read_labels(CASES / "labels.csv")
    text = (CASES / "base_run.txt").read_text()
    runs = [
        read_run(content.encode(), name=name)
        for content, name in ((text, "a"), ("\n".join(text.split("\n")[::-1]), "b"))
    ]
    rubrics = read_rubrics(CASES / "rubric")
    for correction in ("tukey", "holm", "bh", "none"):
        scored = score_runs(runs, labels, rubrics)
        content = compare_runs(scored, ["a", "b"], Plan(correction=correction)).to_json()
        assert content["smallest_p"] == content["smallest_p_adjusted"] == 0.25
        (pair,) = content["pairs"]
        for view in ("overall", *labels.dimensions):
            for measure in MEASURES:
                cell = pair[view][measure]
                assert [cell[key] for key in ("difference", "low", "high", "p", "p_adjusted")] == [0, 0, 0, 1, 1]
                assert (cell["questions"], cell["ties"], cell["exact"]) == (3, 3, True)
        json.dumps(content, allow_nan=False)


@pytest.fixture(scope="module")
def seven(shared_data):
    """Score the seven metrics of DialSummEval: 100 questions, two metrics constant on some."""
    folder = shared_data / "dialsummeval"
    labels = read_labels(folder / "labels.csv")
    runs = [read_run(path) for path in sorted(folder.glob("run_*.txt"))]
    return labels, score_runs(runs, labels)


def test_seven_published_metrics(seven):
    _, scored = seven
    names = [scores.name for scores in scored]
    comparison = compare_runs(scored, names, Plan(correction="holm"))
    text = json.dumps(comparison.to_json(), allow_nan=False)
    assert json.dumps(Comparison.from_json(json.loads(text)).to_json()) == text
    view, measure = comparison.place("insight", "kendall")
    undefined = np.isnan(comparison.values[:, view, measure]).sum(axis=1)
    assert undefined.max() > 0
    dropped = comparison.pairs.dropped[:, view, measure]
    first, second = np.triu_indices(7, 1)
    assert (dropped >= np.maximum(undefined[first], undefined[second])).all()
    for r, scores in enumerate(scored):
        assert comparison.runs.mean[r, view, measure] == scores.mean("insight", "kendall").mean
    for pair in comparison.pair_names:
        assert pair_sentence(comparison, pair, "insight", "kendall").endswith(".")


def test_a_pair_of_them_against_scipy(seven):
    _, scored = seven
    one, other = (scores.kendall[0] for scores in scored[:2])
    cell = compare_runs(scored[:2], ["a", "b"], Plan(resamples=20_000)).to_json()["pairs"][0]["overall"]["kendall"]
    differences = (one - other)[~np.isnan(one - other)]
    expected = stats.permutation_test(
        (differences, np.zeros(len(differences))),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    )
    assert cell["exact"] is False
    assert cell["difference"] == pytest.approx(expected.statistic)
    assert cell["p"] == pytest.approx(expected.pvalue, abs=0.015)


def test_random_runs_score_what_the_labels_ties_leave(seven):
    labels, _ = seven
    shape = (len(labels), len(labels.dimensions))
    runs = []
    for seed in range(60):
        # Ranks in random order: no ties, in no dimension.
        units = np.argsort(np.random.default_rng(seed).random(shape), axis=0)
        fields = {"dimensions": labels.dimensions, "scores": Decimals(units, -2), "lines": tuple(range(shape[0]))}
        runs.append(Run("random", "0" * 64, ("0",) * shape[0], labels.questions, labels.answers, **fields))
    found = score_runs(runs, labels)
    expected = reference_scores(human_order(labels)).means()["random"]
    for v, view in enumerate(labels.views[1:], 1):
        for measure in MEASURES:
            # 60 runs on 100 questions of 14 answers: standard errors of .0036 (rho), .0026 and .0013.
            mean = np.mean([scores.mean(view, measure).mean for scores in found])
            assert mean == pytest.approx(expected[measure][v], abs=0.015)


def test_its_three_annotators(shared_data):
    rows = [line.split(",") for line in (shared_data / "dialsummeval/annotations.csv").read_text().split()[1:]]
    items = list(dict.fromkeys((row[0], row[1]) for row in rows))
    annotators = sorted({row[2] for row in rows})
    ratings = np.full((len(items), len(annotators)), np.nan)
    place = {item: i for i, item in enumerate(items)}
    for question, answer, annotator, *scores in rows:
        ratings[place[question, answer], annotators.index(annotator)] = float(scores[3])
    found = intraclass_correlations(ratings)
    assert (found.items_used, found.raters) == (1400, 3)
    assert found.forms["(1,1)"].low < found.forms["(1,1)"].value < found.forms["(1,k)"].value
    assert not adjudicators(ratings).any()
    agreement = ranking_agreement(ratings, [question for question, _ in items])
    assert agreement.kendall.shape == (3, 100)
    assert 0 < agreement.mean(0)[0] < 1
