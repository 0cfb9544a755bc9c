"""Bundled recipes on judges of known verdicts, beside what follows from these by hand or by an independent program."""

import json
import re
import shutil
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.commands import call
from tests.judging.judging_commands import CASES, QUALITY, by_quality, qualities, replied, run_rows, wanted, whole
from tests.judging.scripted import Answer, ScriptedJudge
from tests.small_files import DIMENSIONS

ANSWERS = [f"Doc_0{number}" for number in (1, 2, 3, 4)]
SECOND = ("--judge", "second=n")


def column(out, question, dimension):
    """Give a dimension of a question's answers in the run."""
    found, place = run_rows(out / "run.txt"), DIMENSIONS.index(dimension)
    return np.array([float(found[question, answer][place]) for answer in ANSWERS])


def quality_of(question):
    return [QUALITY[question, answer] for answer in ANSWERS]


def order(figures):
    return np.argsort(figures).tolist()


def against_quality(seen):
    """Prefer the worse report of two, and score one the worse the better it is."""
    own = [9 - quality for quality in qualities(seen)]
    if len(own) == 1:
        return replied(seen, dict.fromkeys(wanted(seen), own[0]))
    return replied(seen, dict.fromkeys(wanted(seen), "tie" if own[0] == own[1] else "A" if own[0] > own[1] else "B"))


def test_bradley_terry_for_each_dimension_by_itself(judge, judging):
    def script(seen):
        first, second = qualities(seen)
        by_place = "A" if first > second else "B" if second > first else "tie"
        # Insight is what the others are not; readability is always even, and so is what is near in comprehensiveness.
        against = {"A": "B", "B": "A", "tie": "tie"}[by_place]
        near = "tie" if abs(first - second) < 2 else by_place
        return replied(seen, dict(zip(wanted(seen), (near, against, by_place, "tie"), strict=True)))

    judge.script = script
    _, _, _, out = judging("pairwise")

    def expected(worth):
        """Fit strengths by scipy: a tie is half a win, 0.01 times their squares is taken off; then 10 x win share."""
        # A pair in both orders is one comparison.
        wins = np.array([[worth(one, other) for other in own] for one in own])

        def loss(strengths):
            apart = strengths[:, None] - strengths
            return (wins * np.logaddexp(0, -apart)).sum() + 0.01 * (strengths**2).sum()

        found = minimize(loss, np.zeros(len(own)), method="BFGS", options={"gtol": 1e-9}).x
        shares = 1 / (1 + np.exp(found - found[:, None]))
        return 10 * (shares.sum(axis=1) - 0.5) / (len(own) - 1)

    def better(one, other):
        return (one > other) + 0.5 * (one == other)

    def apart(one, other):
        return 0.5 if abs(one - other) < 2 else better(one, other)

    for question in "123":
        own = quality_of(question)
        off = ~np.eye(len(own), dtype=bool)
        assert off.sum() == 12
        for dimension, worth in zip(
            DIMENSIONS, (apart, lambda a, b: better(b, a), better, lambda *_: 0.5), strict=True
        ):
            assert column(out, question, dimension) == pytest.approx(expected(worth), abs=1e-4), (question, dimension)


def davidson(own):
    """Fit strengths by scipy, of one question's anchors: two verdicts of three against the better of two near ones.

    Davidson 1970: a win has the probability e^(d/2) / (e^(d/2) + e^(-d/2) + nu), a tie nu in its place. Taken off is
    once the squared distance to the anchors less their mean.
    """
    centred = own - own.mean()
    near = [(i, j) for i, j in combinations(range(len(own)), 2) if abs(own[i] - own[j]) <= 1]

    def loss(values):
        *strengths, log_nu = values
        total = sum((strengths - centred) ** 2)
        for i, j in near:
            half = (strengths[i] - strengths[j]) / 2
            # Four judges; one ties, and all where there is no worse one.
            ties, sign = (4, 0) if own[i] == own[j] else (1, -1 if own[i] > own[j] else 1)
            total += 4 * np.logaddexp(np.logaddexp(half, -half), log_nu) - ties * log_nu - (4 - ties) * sign * half
        return total

    if all(own[i] == own[j] for i, j in near):
        # Nothing but ties moves nobody.
        return centred
    return minimize(loss, np.append(centred, 0.0), method="BFGS", options={"gtol": 1e-9}).x[:-1]


def test_davidson_drawn_to_the_mean_of_two_judges(judge, judging):
    def script(seen):
        own, model = qualities(seen), seen.body["model"]
        if len(own) == 1:
            return replied(seen, dict.fromkeys(wanted(seen), own[0] + (model == "n")))
        # Three judges prefer the worse of two that are near each other; one finds them alike.
        return replied(seen, {"insight": "tie"}) if model == "p" else against_quality(seen)

    judge.script = script
    code, _, _, out = judging("anchored-pairs", *SECOND, "--judge", "third=o", "--judge", "fourth=p")
    assert code == 0
    anchors = {question: np.array(quality_of(question)) + 0.5 for question in "123"}
    # Root mean square of the questions' standard deviations.
    spread = np.mean([own.var() for own in anchors.values()]) ** 0.5
    for question, own in anchors.items():
        strengths = davidson(own)
        scores = own.mean() + spread * strengths / np.mean(strengths**2) ** 0.5
        assert column(out, question, "insight") == pytest.approx(scores, abs=1e-4), question
        assert column(out, question, "readability").tolist() == own.tolist()


def by_thirds_first(then):
    """Let the first judge score thirds of the quality, so that some tie, and others do as a script says."""

    def script(seen):
        if seen.body["model"] == "m":
            return replied(seen, dict.fromkeys(wanted(seen), qualities(seen)[0] // 3))
        return then(seen)

    return script


def test_a_tie_break_decides_exact_ties_and_nothing_else(judge, judging):
    judge.script = by_thirds_first(against_quality)
    _, _, _, out = judging("tie-break", *SECOND)
    for question in "123":
        own = quality_of(question)
        # By the first judge, then against the quality; equal qualities stay tied.
        expected = [(quality // 3, -quality) for quality in own]
        for dimension in DIMENSIONS:
            found = column(out, question, dimension)
            for i, j in combinations(range(4), 2):
                assert np.sign(found[i] - found[j]) == (expected[i] > expected[j]) - (expected[i] < expected[j])
            # What did not tie has the score that it had, others nearly so.
            tied = [sum(quality // 3 == other // 3 for other in own) > 1 for quality in own]
            assert all(found[n] == own[n] // 3 for n in range(4) if not tied[n])
            assert np.abs(found - [quality // 3 for quality in own]).max() < 0.5


def test_pairs_that_turn_with_the_order_leave_a_tie_to_the_scores_by_criteria(judge, judging):
    def second(seen):
        own = qualities(seen)
        if len(own) == 2:
            # Of documents 2 and 3 of question 1 whichever stands first.
            return replied(seen, dict.fromkeys(wanted(seen), "A")) if sorted(own) == [6, 7] else by_quality(seen)
        # By criteria the worse of the two is better.
        return replied(seen, dict.fromkeys(wanted(seen), {6: 7, 7: 6}.get(own[0], own[0])))

    judge.script = by_thirds_first(second)
    code, _, _, out = judging("tie-break", *SECOND)
    assert code == 0
    for dimension in DIMENSIONS:
        # Of 8, 6 and 7, which tie as thirds: pairs put 8 first, criteria then 6 before 7.
        assert order(column(out, "1", dimension)) == [3, 2, 1, 0]


DOUBLINGS = {"1": (3, 0, 1, 2), "2": (1, 0, 3, 2), "3": (0, 3, 1, 2)}
HEADINGS = {"1": (2, 4, 1, 3), "2": (1, 3, 4, 2), "3": (4, 3, 1, 2)}


def write_long_and_structured(folder):
    """Write reports of 64 words, doubled so many times, under 1, 3, 7 or 15 headings; and what people say of them.

    That is what the judge says, in two dimensions less 2.5 a doubling of the words, and of one more than the headings.
    """
    reports, people = [], {}
    for (question, answer), quality in QUALITY.items():
        doubled, marked = (table[question][ANSWERS.index(answer)] for table in (DOUBLINGS, HEADINGS))
        headings = 2**marked - 1
        # Numbered, so that no phrase is there twice.
        words = " ".join(f"w{n}" for n in range(64 * 2**doubled - headings - 3))
        text = "".join(f"# Part{n}\n\n" for n in range(headings)) + f"Of quality {quality} {words}."
        reports.append(json.dumps({"questionId": question, "answerId": answer, "text": text}))
        people[question, answer] = (quality, quality, 12 + quality - 2.5 * doubled, 12 + quality - 2.5 * marked)
    lines = [",".join(("questionId", "answerId", *(f"{name}_score" for name in DIMENSIONS)))]
    lines += [",".join((*key, *map(str, scores))) for key, scores in people.items()]
    (folder / "reports.jsonl").write_text("\n".join(reports) + "\n")
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    return people


def test_what_length_and_structure_do_goes_to_their_dimensions(judge, judging, tmp_path):
    people = write_long_and_structured(tmp_path)
    judge.script = by_quality
    labels = ("--labels", tmp_path / "labels.csv", "--rubrics", CASES / "rubric")
    code, told, _, out = judging("per-criterion", labels=labels)
    assert code == 0, told
    for question in "123":
        own = quality_of(question)
        for place, dimension in enumerate(DIMENSIONS):
            found, scores = column(out, question, dimension), [people[question, answer][place] for answer in ANSWERS]
            if place < 2:
                assert found.tolist() == own
            else:
                # What the other questions teach gives people's order, which is not the judge's, around its mean.
                assert order(found) == order(scores) != order(own), dimension
                assert found.mean() == pytest.approx(np.mean(own))


def test_a_judge_at_an_endpoint_of_its_own_is_asked_there_and_nowhere_else(judge, judging, tmp_path, capsys):
    judge.script = by_thirds_first(by_quality)
    with ScriptedJudge() as other:
        other.script = by_quality
        code, _, _, out = judging("tie-break", "--judge", f"second=n@{other.address}")
        assert code == 0
        assert {seen.body["model"] for seen in judge.seen} == {"m"}
        assert {seen.body["model"] for seen in other.seen} == {"n"}
        # 12 reports; as many by criteria, and nine tied pairs in four dimensions and two orders.
        assert (len(judge.seen), len(other.seen)) == (12, 12 + 9 * 4 * 2)
        judge.reset(judge.script)
        other.reset(other.script)
        # The recipe that repeats the run knows both places.
        assert call(capsys, "judge", out / "recipe.toml", "-o", tmp_path / "again")[0] == 0
        assert (len(judge.seen), len(other.seen)) == (12, 12 + 9 * 4 * 2)


def test_a_prompt_is_in_the_language_of_the_question_all_of_it(judge, judging, tmp_path):
    request = "请比较三种冷却方案"
    folder = shutil.copytree(CASES / "rubric", tmp_path / "rubric")
    [path] = folder.glob("*2.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"prompt": request}))
    token = {"token": "3", "logprob": -0.1}
    judge.script = Answer(text="3", model="m", logprobs={"content": [{**token, "top_logprobs": [token]}]})
    judging("llm-rubric", labels=("--labels", CASES / "labels.csv", "--rubrics", folder))
    for is_chinese in (True, False):
        texts = [seen.asked for seen in judge.seen if (request in whole(seen)) == is_chinese]
        # Six questions about each of four reports, or eight.
        assert len(texts) == (24 if is_chinese else 48)
        for text in texts:
            # Without the fences and the report itself, which is in English.
            ours = re.sub(r"</?text-[0-9a-f]+>|# Report [123] Doc_0\d\s+Of quality \d\.", "", text)
            assert bool(re.search(r"[A-Za-z]", ours)) != is_chinese, ours
            assert bool(re.search(r"[\u4e00-\u9fff]", ours)) == is_chinese, ours
