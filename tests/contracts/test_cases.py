"""The project's dev cases: every figure and every error expected here is read from their ``expected.json``."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aeollm.cli import main
from aeollm.evaluation import evaluate
from aeollm.measures import kendall, pair_counts, spearman
from aeollm.sources import LabelSet, read_set
from aeollm.tables import Policy

CASES = Path(__file__).resolve().parents[1] / "cases"
DEV = CASES / "dev"
OTHERWISE = {
    "C24": "two vectors, below",
    "C28": "annotators, tested with the command `agreement`",
    "C31": "a judge's replies, tested with the reading",
    "C33": "a judge's replies, tested with the reading",
    "C36": "comparisons in two orders, tested with the pairwise models",
    "C38": "a download, tested with the exports",
    "C42": "the Hub, tested with the fake one",
    "C44": "two sessions, below",
}
VIEWS = {"total": "overall"}
MEASURES = {"spearman": "spearman", "kendall_tau_b": "kendall", "pairwise_accuracy": "accuracy"}
PAIRS = {
    "concordant": "concordant",
    "discordant": "discordant",
    "tied_gold_only": "tied_labels",
    "tied_pred_only": "tied_run",
    "tied_both": "tied_both",
}
TOLERANCE = 1e-9


def expected(case):
    return json.loads((DEV / case / "expected.json").read_text("utf-8"))


def checks():
    for folder in sorted(path.name for path in DEV.iterdir() if path.is_dir()):
        if folder not in OTHERWISE:
            for check in expected(folder)["checks"]:
                yield pytest.param(folder, check, id=f"{folder}-{Path(check['input']).name}")


CHECKS = list(checks())


def paths(case, check):
    whole = expected(case)
    rubric = whole["rubric"].split(" (")[0]
    return DEV / case / check["input"], DEV / case / check.get("labels", whole["labels"]), DEV / case / rubric


def evaluated(case, check, policy=None):
    run, labels, rubrics = paths(case, check)
    return evaluate([(run, None)], read_set(labels, rubrics=rubrics), policy)


def printed(case, check, capsys, *options):
    run, labels, rubrics = paths(case, check)
    code = main(["score", str(run), "--labels", str(labels), "--rubrics", str(rubrics), *options])
    return code, capsys.readouterr().out


def problems(evaluation, severity):
    told = [*evaluation.results[0].problems, *evaluation.label_problems]
    return [problem for problem in told if problem.severity == severity]


def outcome(evaluation):
    if not evaluation.results[0].accepted:
        return "reject"
    return "accept_with_warning" if problems(evaluation, "warning") else "accept"


def matching(wanted, found):
    """Give the problems that an expected error may be: same kind, line, column and value."""
    named = {"line": "line", "column_name": "column", "value": "value"}
    return [
        problem
        for problem in found
        if problem.kind == wanted["kind"]
        and all(getattr(problem, ours) == wanted[theirs] for theirs, ours in named.items() if theirs in wanted)
        and ("key" not in wanted or [problem.question, problem.answer] == wanted["key"])
    ]


def says(text, words):
    """Check that words stand in a text, numbers not as parts of other numbers."""
    for word in words:
        assert re.search(rf"(?<![\w.]){re.escape(str(word))}(?![\w])", text), (word, text)


def check_errors(wanted, found):
    for error in wanted:
        matches = matching(error, found)
        if "missing" in error:
            assert [[problem.question, problem.answer] for problem in matches] == error["missing"]
            says(matches[0].message, [error["n_missing"], error["n_wanted"]])
            continue
        assert len(matches) == 1, (error, found)
        problem = matches[0]
        assert problem.remedy
        says(problem.message, [error[name] for name in ("found", "wanted", "other_line") if name in error])
        says(problem.remedy, [error["hint"]] if "hint" in error else [])
        says(problem.message, error.get("must_mention", []))
        says(problem.message, [error["character"]] if "character" in error else [])
        if "same_scores" in error:
            assert ("the same scores" in problem.message) is error["same_scores"]


def check_mean(scores, view, wanted):
    for theirs, ours in MEASURES.items():
        mean, figures = scores.mean(view, ours), wanted[theirs]
        with_answers = int((scores.answers[scores.views.index(view)] > 0).sum())
        if "pooled" in figures:
            assert mean.mean == pytest.approx(figures["mean_over_questions"], abs=TOLERANCE)
            assert mean.pooled == pytest.approx(figures["pooled"], abs=TOLERANCE)
            pairs = dict(zip(PAIRS, scores.pairs[scores.views.index(view)].sum(axis=0).tolist(), strict=True))
            assert pairs["concordant"] + pairs["tied_both"] == figures["pairs_correct"]
            assert sum(pairs.values()) == figures["pairs_total"]
        else:
            assert mean.mean == pytest.approx(figures["mean_over_defined"], abs=TOLERANCE)
            assert (mean.defined, with_answers) == (figures["n_defined"], figures["n_questions"])


def check_question(question, view, wanted):
    got = question[VIEWS.get(view, view)]
    assert got["answers"] == wanted["n"]
    for theirs, ours in MEASURES.items():
        assert got[ours] == (None if wanted[theirs] is None else pytest.approx(wanted[theirs], abs=TOLERANCE))
    pairs = dict(wanted["pair_counts"])
    assert sum(got["pairs"].values()) == pairs.pop("pairs") == wanted["pairs_total"]
    assert got["pairs"] == {PAIRS[name]: count for name, count in pairs.items()}
    assert got["pairs"]["concordant"] + got["pairs"]["tied_both"] == wanted["pairs_correct"]


def check_values(scores, wanted, case):
    if "same_as" in wanted:
        check_values(scores, json.loads((DEV / case / wanted["same_as"]).read_text())["values"], case)
    questions = {question["question"]: question for question in scores.to_json(per_question=True)["questions"]}
    for name, views in wanted.get("per_question", {}).items():
        for view, figures in ({"total": views} if "n" in views else views).items():
            check_question(questions[name], view, figures)
    for view, figures in wanted.get("overall", {}).items():
        check_mean(scores, VIEWS.get(view, view), figures)
    if "overall_total" in wanted:
        check_mean(scores, "overall", wanted["overall_total"])


def test_every_case_is_checked_here_or_its_reason_is_known():
    folders = {path.name for path in DEV.iterdir() if path.is_dir()}
    assert folders == {param.values[0] for param in CHECKS} | OTHERWISE.keys()
    assert len(folders) == 22


@pytest.mark.parametrize(("case", "check"), CHECKS)
def test_outcome(case, check):
    assert outcome(evaluated(case, check)) == check["outcome"]


@pytest.mark.parametrize(("case", "check"), CHECKS)
def test_errors(case, check):
    evaluation = evaluated(case, check)
    found = problems(evaluation, "error")
    check_errors(check.get("errors", []), found)
    check_errors(check.get("warnings", []), problems(evaluation, "warning"))
    if check["outcome"] == "reject":
        assert found
        assert evaluation.results[0].scores is None
    if "errors" in check and "n_bad_cells" not in check and case != "C19":
        kinds_and_lines = {(error["kind"], error.get("line")) for error in check["errors"]}
        assert {(problem.kind, problem.line) for problem in found} == kinds_and_lines


@pytest.mark.parametrize(("case", "check"), [param for param in CHECKS if "values" in param.values[1]])
def test_values(case, check):
    check_values(evaluated(case, check).results[0].scores, check["values"], case)


@pytest.mark.parametrize(("case", "check"), CHECKS)
def test_command_line(case, check, capsys):
    code, text = printed(case, check, capsys)
    assert code == (1 if check["outcome"] == "reject" else 0)
    says(text, check.get("must_mention", []))
    for error in check.get("errors", []):
        says(text, [error[name] for name in ("hint", "line", "other_line") if name in error])
        says(text, error.get("must_mention", []))
        says(text, [answer for _, answer in error.get("missing", [])])


def test_byte_order_mark_is_no_second_task_id():
    (check, joined) = expected("C05")["checks"]
    run = evaluated("C05", check).results[0].inspection.run
    assert len(run) == check["rows"]
    scores = [f"{score:.1f}" for score in run.scores.values[0]]
    assert [run.tasks[0], run.questions[0], run.answers[0], *scores] == check["first_row"]
    assert set(evaluated("C05", joined).results[0].inspection.run.tasks) == {check["first_row"][0]}


def test_chinese_ids_survive_gb18030():
    gbk, utf8 = (evaluated("C07", check).results[0].inspection.run for check in expected("C07")["checks"])
    assert gbk.answers == utf8.answers
    assert "\ufffd" not in "".join(gbk.answers)


def test_ids_that_look_like_missing_values():
    (check,) = expected("C08")["checks"]
    assert list(evaluated("C08", check).results[0].inspection.run.answers) == check["answer_ids"]


def test_partial_score_of_a_run_that_leaves_out_the_hard_question(capsys):
    (check,) = expected("C14")["checks"]
    wanted = check["if_partial_mode"]
    scores = evaluated("C14", check, Policy(partial=True)).results[0].scores
    check_values(scores, wanted["values"], "C14")
    assert list(scores.coverage) == wanted["coverage"]["answers"]
    defined = scores.mean("overall", "accuracy")
    assert [defined.defined, defined.defined + defined.undefined] == wanted["coverage"]["questions"]
    assert scores.partial
    assert "partial=yes" in scores.signature
    code, text = printed("C14", check, capsys, "--partial")
    assert code == 0
    overall = next(line for line in text.splitlines() if "spearman" in line)
    assert "partial" in overall
    assert "{}/{}".format(*wanted["coverage"]["questions"]) in overall
    assert "{} of {} answers".format(*wanted["coverage"]["answers"]) in text


def test_missing_answers_are_named_without_their_human_scores(capsys):
    (check,) = expected("C14")["checks"]
    for problem in problems(evaluated("C14", check), "error"):
        assert not re.search(r"\d[.,]\d", str(problem.to_json()))
    assert not re.search(r"\d[.,]\d", printed("C14", check, capsys)[1])


def test_many_bad_cells_are_counted_one_by_one_and_shown_as_a_group(capsys):
    check = next(check for check in expected("C16")["checks"] if "n_bad_cells" in check)
    found = problems(evaluated("C16", check), "error")
    assert len(found) == check["n_bad_cells"]
    code, text = printed("C16", check, capsys)
    shown = [line for line in text.splitlines() if "decimal comma" in line]
    (more,) = re.findall(r"and (\d+) more", text)
    assert code == 1
    assert len(shown) + int(more) == check["n_bad_cells"]
    assert len(shown) <= 10


def test_full_width_digit_in_a_question_id_is_called_full_width():
    (check,) = expected("C18")["checks"]
    error = check["errors"][0]
    (problem,) = matching(error, problems(evaluated("C18", check), "error"))
    assert "full-width" in problem.message
    says(problem.message, [f"U+{ord(error['value']):04X}"])


def test_unbalanced_quote_swallows_no_line():
    check = expected("C19")["checks"][0]
    evaluation = evaluated("C19", check)
    found = problems(evaluation, "error")
    assert len(found) == len(check["errors"])
    unread = sum(error["kind"] == "unknown_answer" for error in check["errors"])
    assert evaluation.results[0].inspection.coverage == (check["rows_seen"] - unread, check["rows_seen"])


def test_shuffled_lines_change_nothing():
    first, second = (evaluated("C20", check).results[0].scores for check in expected("C20")["checks"])
    own = {"name", "file_sha256", "signature"}
    before, after = (
        {name: value for name, value in scores.to_json(per_question=True).items() if name not in own}
        for scores in (first, second)
    )
    assert json.dumps(before) == json.dumps(after)


def test_blank_human_scores_are_counted_and_shown(capsys):
    (check,) = expected("C22")["checks"]
    told = problems(evaluated("C22", check), "warning")
    assert {problem.column: problem.message.split(" cells")[0] for problem in told} == {
        "comprehensiveness_score": "1 of 12 comprehensiveness",
        "insight_score": "2 of 12 insight",
        "instruction_following_score": "1 of 12 instruction_following",
        "readability_score": "1 of 12 readability",
    }
    assert "2 of 12 insight cells are blank" in printed("C22", check, capsys)[1]


def test_which_tau():
    (check,) = expected("C24")["checks"]
    vectors = json.loads((DEV / "C24" / check["input"]).read_text())
    assert vectors.keys() == check["values"].keys()
    for name, wanted in check["values"].items():
        run, labels = vectors[name]["pred"], vectors[name]["gold"]
        assert float(spearman(run, labels)) == pytest.approx(wanted["spearman"], abs=TOLERANCE)
        assert float(kendall(run, labels)) == pytest.approx(wanted["kendall_tau_b"], abs=TOLERANCE)
        counts = {theirs: int(getattr(pair_counts(run, labels), ours)) for theirs, ours in PAIRS.items()}
        assert counts | {"pairs": sum(counts.values())} == wanted["pair_counts"]


@pytest.mark.parametrize("check", expected("C30")["checks"], ids=lambda check: check["input"])
def test_declared_range(check, capsys):
    assert outcome(evaluated("C30", check)) == "accept_with_warning"
    run = evaluated("C30", check).results[0].inspection.run
    for warning in check.get("warnings", []):
        row = run.lines.index(warning["line"])
        assert run.scores.values[row, warning["column"] - 4] == float(warning["value"])
        (problem,) = matching(warning, run.problems)
        says(problem.message, [warning["low"], warning["high"]])
    found = [problem for problem in run.problems if problem.kind == "out_of_range"]
    assert "n_bad_cells" not in check or len(found) == check["n_bad_cells"]
    if "with_declared_range_0_10" in check:
        assert outcome(evaluated("C30", check, Policy(score_range=(0, 10)))) == check["with_declared_range_0_10"]
        assert printed("C30", check, capsys, "--score-range", "0,10")[0] == 1


def test_two_people_upload_at_once():
    (check,) = expected("C44")["checks"]
    uploads = json.loads((DEV / "C44" / check["input"]).read_text("utf-8"))
    found = read_set(CASES / "labels.csv", rubrics=CASES / "rubric")
    label_set = LabelSet(found.labels, found.rubrics)

    def upload(entry):
        content = (DEV / "C44" / entry["file"]).read_bytes()
        return evaluate([(content, entry["orig_name"])], label_set).results[0]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(upload, uploads * 5))
    assert len(uploads) == 7
    for entry, result in zip(uploads * 5, results, strict=True):
        assert result.name == entry["orig_name"]
        check_values(result.scores, check[f"values_{entry['session']}"], "C44")
