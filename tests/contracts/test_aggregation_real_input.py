"""Aggregation on real data: several metrics as judges, annotators, published rubrics."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from aeollm.aggregation.criteria import dimension_scores
from aeollm.aggregation.judges import combine_judges
from aeollm.agreement import annotation_scores, labels_of_ratings
from aeollm.files import read_annotations, read_criterion_scores, read_labels, read_rubrics, read_run
from aeollm.scoring import score
from aeollm.tables import AnswerScores


@pytest.fixture(scope="module")
def pingouin():
    return pytest.importorskip("pingouin", exc_type=ImportError)


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "dialsummeval"


@pytest.fixture(scope="module")
def labels(folder):
    return read_labels(folder / "labels.csv")


@pytest.fixture(scope="module")
def metrics(folder):
    return [AnswerScores.of_run(read_run(path)) for path in sorted(folder.glob("run_*.txt"))]


def kendall(table, labels):
    return score(table.to_run(), labels).mean("overall", "kendall").mean


def test_fused_ranks_of_seven_metrics_agree_better_with_people_than_the_best_of_them(metrics, labels):
    single = {metric.name: kendall(metric, labels) for metric in metrics}
    fused = {by: kendall(combine_judges(metrics, by), labels) for by in ("z", "borda")}
    # Found: the best alone .239 (ROUGE-L), Borda ranks .285, z-scores .299.
    assert max(single.values()) == pytest.approx(single["run_rouge_l.txt"])
    assert min(fused.values()) > max(single.values()) + 0.04


def test_fused_ranks_are_those_of_scipy(metrics):
    fused = combine_judges(metrics, "borda")
    frame = pd.DataFrame({metric.name: metric.floats[:, 0] for metric in metrics})
    frame["question"] = [question for question, _ in metrics[0].keys]
    ranks = frame.groupby("question").transform(stats.rankdata)
    expected = (ranks - 1).mean(axis=1) * 10 / 13
    assert fused.floats[:, 0] == pytest.approx(expected.to_numpy(), abs=1e-9)


def test_scores_on_unlike_scales_are_warned_of_in_a_mean(metrics):
    assert [p.kind for p in combine_judges(metrics, "mean").problems] == ["unequal_judges"]
    assert combine_judges(metrics, "z").problems == ()


# pingouin 0.7 calls pandas 3.1 in a way that pandas will drop.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_two_annotators_and_a_third_where_they_differ(folder, pingouin):
    annotations = read_annotations(folder / "annotations.csv")
    found = labels_of_ratings(annotation_scores(annotations, "insight"), Fraction(1), dimension="insight", third=["A3"])
    table = annotations.table("insight")
    first, second, third = table.T
    disputed = np.abs(first - second) > 1
    expected = np.where(disputed, table.mean(axis=1), (first + second) / 2)
    assert [float(label) for label in found.labels.values()] == pytest.approx(expected, abs=1e-12)
    assert len(found.disagreements) == disputed.sum() > 0
    assert [float(one.third[1]) for one in found.disagreements] == third[disputed].tolist()
    few = 200
    found = labels_of_ratings(
        dict(list(annotation_scores(annotations, "insight").items())[:few]),
        Fraction(1),
        dimension="insight",
        third=["A3"],
    )
    frame = pd.DataFrame({"item": np.tile(np.arange(few), 2), "who": np.repeat(["a", "b"], few)})
    frame["rating"] = np.concatenate([first[:few], second[:few]])
    icc = pingouin.intraclass_corr(frame, targets="item", raters="who", ratings="rating")["ICC"].to_numpy()
    assert sorted(form.value for form in found.icc.forms.values()) == pytest.approx(sorted(icc), abs=1e-9)


def test_published_rubrics_weigh_criterion_scores(shared_data):
    rubrics = read_rubrics(shared_data / "rubrics")
    rng = np.random.default_rng(1)
    rows, expected = ["questionId\tanswerId\tdimension\tcriterion\tscore"], {}
    for question, dimensions in rubrics.criteria.items():
        for dimension, criteria in dimensions.items():
            scores = rng.integers(0, 11, len(criteria)).tolist()
            for criterion, own in zip(criteria, scores, strict=True):
                rows.append(f'{question}\tDoc_1\t{dimension}\t"{criterion.text.replace(chr(34), chr(34) * 2)}"\t{own}')
            weights = [float(criterion.weight) for criterion in criteria]
            expected[question, dimension] = np.average(scores, weights=weights)
    found = dimension_scores(read_criterion_scores("\n".join(rows).encode()), rubrics)
    assert len(expected) == 40
    for (question, dimension), value in expected.items():
        assert float(found.get((question, "Doc_1"), dimension)) == pytest.approx(value, abs=1e-11)
