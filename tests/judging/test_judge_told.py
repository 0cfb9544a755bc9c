"""What `judge` tells, before, during and after asking; and that a later step loses nothing that was paid for."""

import ast
import json
import re
import shutil
from pathlib import Path
from typing import get_args

import pytest

from aeollm.cli.judge_progress import Telling
from aeollm.exports.judged import REASONS
from aeollm.judging import Price, Progress, Spent, Usage
from aeollm.judging.messages import FailureKind
from aeollm.methods import Ask, Estimated, bundled_recipes, read_method, seconds_of
from tests.commands import ROOT, call
from tests.judging.judging_commands import (
    CASES,
    LABELS,
    QUALITY,
    by_quality,
    qualities,
    replied,
    report,
    run_rows,
    wanted,
    write_reports,
)
from tests.judging.scripted import Answer, refused


def page(out):
    return (out / "report.md").read_text()


def by_thirds_and_place(seen):
    """Score reports by thirds of their quality, so that some tie; of two, always prefer the one shown first."""
    own = qualities(seen)
    return replied(seen, dict.fromkeys(wanted(seen), own[0] // 3 if len(own) == 1 else "A"))


def test_a_judge_of_places_leaves_the_first_scores_as_the_run(judge, judging):
    judge.script = by_thirds_and_place
    code, told, _, out = judging("tie-break", "--judge", "second=n")
    assert code == 1
    assert run_rows(out / "run.txt") == {key: [str(quality // 3)] * 4 for key, quality in QUALITY.items()}
    found = report(out)
    assert (found["built"]["instead"], found["complete"]) == ("scores", False)
    assert "second-signal: no pair is left to compare" in told
    assert "the run holds the scores of scores" in told
    text = page(out)
    assert "`run.txt` holds the scores of `scores` as they are" in text
    # Nine tied pairs (see test_judge_command), in four dimensions: each lost by the report shown second, both ways.
    assert "| `pairs` | `all` | 36 | 0.000 | 1.000 | 1.000 |" in text
    assert "| `scores` | kendall | 12/12 |" in text
    # The tables and build.toml give the same run once more.
    assert {"scores.txt", "criteria.tsv", "pairs.tsv", "build.toml"} <= {path.name for path in out.iterdir()}


def test_without_a_tie_there_is_nothing_to_break_and_nothing_wrong(judge, judging, capsys):
    def script(seen):
        # Every report of a question has a score of its own.
        place = int(seen.asked.split("Doc_0")[1][0])
        return replied(seen, dict.fromkeys(wanted(seen), place))

    judge.script = script
    code, told, _, out = judging("tie-break", "--judge", "second=n")
    assert code == 0, told
    assert run_rows(out / "run.txt") == {key: [key[1][-1]] * 4 for key in QUALITY}
    assert report(out)["complete"]
    assert "12 of 12 answers in `run.txt`: complete." in page(out)
    assert "there was nothing to ask for the steps after it" in page(out)
    assert call(capsys, "build", out / "build.toml", *LABELS, "-o", out / "built.txt")[0] == 0
    assert (out / "built.txt").read_bytes() == (out / "run.txt").read_bytes()


@pytest.mark.parametrize(("recipe", "kept"), [("tie-break", "scores"), ("anchored-pairs", "anchor")])
def test_an_ask_that_fails_whole_leaves_what_came_before_it(judge, judging, recipe, kept):
    def script(seen):
        return refused(400, "too hard") if len(qualities(seen)) == 2 else by_thirds_and_place(seen)

    judge.script = script
    code, told, _, out = judging(recipe, "--judge", "second=n")
    assert code == 1
    assert len(run_rows(out / "run.txt")) == 12
    assert report(out)["built"]["instead"] == kept
    assert "calls have no value (refused_request)" in told
    assert "pairs gave nothing to build a run of" in told
    assert "Write left, right or tie" not in told + page(out)
    # A table of another time is not left for one of this.
    (out / "pairs.tsv").write_text("of another run")
    _, told, _, _ = judging(recipe, "--judge", "second=n")
    assert "put aside: earlier-pairs.tsv" in told


def test_asks_that_build_on_what_failed_are_told_to(judge, judging):
    judge.script = refused(400, "no")
    code, told, _, out = judging("anchored-pairs", "--judge", "second=n")
    assert code == 1
    assert "pairs: nothing was asked: first-scores, second-scores did not give what anchor is made of" in told
    assert "not among the files" not in told + page(out)
    assert ", no run: PARTIAL." in page(out)
    assert "there is no run: first-scores, second-scores, pairs gave nothing to build it of." in told


def test_how_much_is_there_is_told(judge, judging, tmp_path):
    judge.script = by_quality
    _, _, _, out = judging("holistic", "--budget-calls", "1")
    text = page(out)
    assert "- 12 of 12 reports judged, 1 of 12 answers in `run.txt`: PARTIAL." in text
    assert "| `holistic` | spearman | 1/12 |" in text
    assert "These are figures of a part of the answers, and none of the whole." in text
    assert "- `budget`: the budget of this start was spent before its turn." in text
    assert "ask for a partial score" not in text
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    code, _, complaint, _ = judging("holistic", "--partial")
    # An incomplete set that is meant is no failure, but no complete run either.
    assert code == 0
    assert "- 11 of 12 reports judged, 11 of 12 answers in `run.txt`: PARTIAL." in page(out)
    assert "question 3, answer Doc_04: its report is missing" in complaint


def test_figures_of_agreement_say_on_how_many_questions_they_rest(judge, judging):
    judge.script = lambda seen: replied(
        seen, dict.fromkeys(wanted(seen), 5 if "Report 1" in seen.asked else qualities(seen)[0])
    )
    _, _, _, out = judging("holistic")
    # One score for all of a question's answers has no correlation: two questions of three are left.
    found = report(out)["built"]["stages"][0]["scores"]["insight"]["spearman"]
    assert (found["defined"], found["undefined"]) == (2, 1)
    assert f"{found['mean']:.4f} 2/3" in page(out)
    # The step `run` only takes the scores over, and is no row of its own.
    assert page(out).count("| spearman |") == 1


def test_a_dry_run_tells_the_same_whether_prompts_are_written_or_added_up(judge, judging):
    judge.script = by_quality
    judging("holistic", "--trial", "1", "--seed", "5")
    # Where there are replies, though none to these requests, every prompt is written to look for its own.
    for recipe in ("holistic", "pairwise"):
        written, added = (judging(recipe, "--dry-run", folder=folder)[1] for folder in ("out", None))
        assert written == added
        assert "tokens in" in added


def test_replies_that_are_shared_are_counted_and_paid_once(judge, judging):
    judge.script = by_quality
    # Two judges that are one model: the same words twice.
    code, told, _, _ = judging("anchored-pairs", "--dry-run", "--price", "1,2", folder="none")
    assert code == 0
    rows = {line.split()[0]: line for line in told.splitlines() if line}
    assert rows["first-scores"].split()[1] == "12"
    assert rows["second-scores"].split()[1] == "0"
    assert "more answers share a call" in told
    _, _, _, out = judging("anchored-pairs", "--price", "1,2")
    found = report(out)
    assert found["tokens"]["prompt"] == found["this_time"]["prompt_tokens"] == 10 * len(judge.seen)
    assert found["money"] == pytest.approx(found["this_time"]["money"])
    assert sum(own["tokens"]["prompt"] for own in found["asked"]) > found["tokens"]["prompt"]


def test_a_dry_run_needs_no_folder_and_tells_its_basis(judge, judging):
    code, told, complaint, _ = judging("one-dimension", "--dry-run", folder=None)
    assert (code, complaint) == (0, "")
    assert "rough: tokens in are guessed" in told
    assert "money: not told without --price" in told
    assert " money" not in told.splitlines()[1]
    assert "at 8 calls at a time (assumed: a call reads 1500 tokens a second" in told
    assert judging("holistic", "--show-prompt", folder=None)[0] == 0
    code, _, complaint, _ = judging("holistic", folder=None)
    assert code == 2
    assert "Name it by -o" in complaint
    assert not judge.seen


@pytest.mark.parametrize(
    ("calls", "at_once", "pace", "seconds"),
    [
        # 15,000 tokens read at 1,500 a second and 400 written at 40, in two ways of asking: 20 s, four at a time.
        (3, 4, None, 10),
        (3, 100, None, 40 / 6),
        (1, 4, None, 20),
        # 6 calls of 3 s each.
        (3, 4, 3.0, 4.5),
        (0, 4, 3.0, 0),
    ],
)
def test_the_time_that_calls_take_together(calls, at_once, pace, seconds):
    rows = [Estimated(name, calls, 5, 15_000, 400, 0, 0.0, at_most=False) for name in "ab"]
    assert seconds_of(rows, at_once, pace) == pytest.approx(seconds)


def test_after_a_trial_the_estimate_goes_by_what_the_endpoint_counted(judge, judging):
    judge.script = by_quality
    judging("holistic", "--trial", "3")
    _, told, _, _ = judging("holistic", "--dry-run", "--price", "1000000,0")
    cells = next(line for line in told.splitlines() if line.startswith("holistic ")).split()
    # The server counts 10 tokens a prompt; all prompts are of one length, but for a digit.
    assert cells[1:3] == ["9", "3"]
    assert float(cells[3]) == pytest.approx(90, abs=2)
    assert float(cells[6]) == pytest.approx(float(cells[3]))
    assert "as the endpoint counted 3 replies on disk" in told
    assert "(measured: a call took" in told


FENCED = re.compile(r"<([a-z-]+)-([0-9a-f]{12})>\n.*?\n</\1-\2>", re.DOTALL)


@pytest.mark.parametrize("recipe", bundled_recipes())
def test_whatever_others_wrote_stands_behind_a_fence(judging, tmp_path, recipe):
    planted = {"report": "PLANTED in a report", "prompt": "PLANTED in a request", "criterion": "PLANTED in a criterion"}
    path = tmp_path / "reports.jsonl"
    path.write_text(path.read_text().replace("Of quality", planted["report"]))
    folder = shutil.copytree(CASES / "rubric", tmp_path / "rubric")
    for path in folder.iterdir():
        found = json.loads(path.read_text())
        criteria = (own for dimension in found["criterions"].values() for own in dimension)
        for criterion in criteria:
            criterion["criterion"] += f" {planted['criterion']}"
        path.write_text(json.dumps(found | {"prompt": planted["prompt"]}))
    labels = ("--labels", CASES / "labels.csv", "--rubrics", folder)
    _, told, _, _ = judging(recipe, "--show-prompt", folder=None, labels=labels)
    # Criteria are shown where they are asked for.
    criteria = any(ask.kind.rubrics for ask in read_method(recipe).asks)
    shown = planted.keys() if criteria else planted.keys() - {"criterion"}
    assert {name for name, text in planted.items() if text in told} == shown
    assert "PLANTED" not in FENCED.sub("", told)


def test_what_is_known_is_told_before_anything_is_paid(judging, tmp_path):
    with (tmp_path / "reports.jsonl").open("a") as file:
        file.write(json.dumps({"questionId": "9", "answerId": "Doc_01", "text": "Of quality 1."}) + "\n")
    code, _, complaint, _ = judging("anchored-pairs", "--dry-run", folder=None)
    assert code == 0
    assert "question '9' is not in the labels" in complaint
    assert "first, second are one model" in complaint


def test_the_wrong_labels_are_told_first(judging, tmp_path):
    write_reports(tmp_path)
    path = tmp_path / "reports.jsonl"
    path.write_text(path.read_text().replace('"questionId": "', '"questionId": "other'))
    code, _, complaint, _ = judging("holistic")
    assert code == 2
    assert "no report is one of the labels'" in complaint.splitlines()[1 if complaint.startswith("reports") else 0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--base-url", "ftp://x"), "does not start with http"),
        (("--token-env", "NOT_SET_ANYWHERE"), "NOT_SET_ANYWHERE is not set"),
    ],
)
def test_a_dry_run_refuses_what_the_run_would(judging, options, words):
    code, _, complaint, _ = judging("holistic", "--dry-run", *options, folder=None)
    assert code == 2
    assert words in complaint


def test_a_recipe_that_is_not_there_is_told_with_those_that_are(judging, tmp_path):
    code, _, complaint, _ = judging("holistc")
    assert code == 2
    assert "Did you mean holistic? There are anchored-pairs, holistic," in complaint
    own = tmp_path / "own.toml"
    own.write_text(
        'recipe = 1\nname = "own"\n[[ask]]\ndo = "holistic"\nprompt = "strict"\n'
        '[[step]]\ndo = "run"\nfrom = "holistic"\n'
    )
    code, _, complaint, _ = judging(own)
    assert code == 2
    assert f"strict.en.md is neither in {tmp_path} nor bundled" in complaint
    assert "FileNotFoundError" not in complaint


def test_nothing_at_the_address_is_told_with_what_to_do(judging):
    code, told, _, out = judging("holistic", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 1
    assert "asked 0 times" in told
    assert "nothing answers at http://127.0.0.1:9/v1" in told
    assert "Check that the server runs, and --base-url; then the same command goes on from here." in told
    assert "which answered nothing" in page(out)
    assert "- `unreachable`: nothing answers at the address." in page(out)


def test_a_wrong_path_does_not_promise_that_the_same_command_goes_on(judge, judging):
    judge.script = refused(404, "File Not Found")
    _, told, _, _ = judging("holistic")
    assert "Check --model and --base-url, with its path such as /v1; then the same command goes on" in told


def test_opinions_tell_their_mass_and_the_next_command(judge, judging):
    top = [{"token": "3", "logprob": -0.6931471805599453}, {"token": "Well", "logprob": -1.0}]
    judge.script = Answer(text="3", model="m", logprobs={"content": [{**top[0], "top_logprobs": top}]})
    code, told, _, out = judging("llm-rubric")
    assert code == 0
    assert "| `opinions.tsv` | 72 | `logprobs` 72 | 0.5000 | 0.5000 | 0 |" in page(out)
    assert "calibrate --opinions opinions.tsv --answers PEOPLE.tsv --target Q0" in page(out)
    assert f"next: python -m aeollm calibrate --opinions {out}/opinions.tsv" in told


def test_every_reason_has_words():
    kinds = set(get_args(FailureKind))
    for path in (ROOT / "aeollm").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                kinds |= {node.args[0].value} if name in {"Unread", "Missing", "_stop", "AskFailed"} else set()
    assert {"no_answer", "budget", "cancelled", "unreachable"} <= kinds
    assert kinds <= REASONS.keys()


def test_progress_is_a_line_now_and_then(capsys):
    now = 0.0
    rows = [
        Estimated("a", 6, 2, 0, 0, 0, 0.0, at_most=False),
        Estimated("b", 10, 0, 0, 0, 0, 0.0, at_most=True),
    ]
    telling = Telling(rows, Price(1, 1), lambda: now)
    telling.ask(Ask("holistic", "a", {}))
    telling.progress(Progress(1, 0, 2, Spent(0, Usage(0, 0), 0.0)))
    now = 31.0
    telling.progress(Progress(4, 1, 2, Spent(3, Usage(900, 100), 0.25)))
    now = 40.0
    telling.progress(Progress(5, 1, 2, Spent(4, Usage(900, 100), 0.25)))
    telling.ask(Ask("holistic", "b", {}))
    now = 62.0
    telling.progress(Progress(10, 1, 2, Spent(8, Usage(900, 100), 0.25), "paused", "HTTP 429"))
    now = 63.0
    telling.progress(Progress(10, 1, 2, Spent(8, Usage(900, 100), 0.25), None, "HTTP 500", 2))
    now = 64.0
    telling.progress(Progress(10, 1, 2, Spent(8, Usage(900, 100), 0.25), None, "HTTP 500", 2))
    now = 65.0
    telling.progress(Progress(10, 1, 2, Spent(8, Usage(900, 100), 0.25), None, "HTTP 500", 3))
    telling.stopping(2, now=False)
    # 18 wanted, 5 over: 13 left, 31 s for 3 calls. Then a's six are over: 10 of b less 5.
    assert capsys.readouterr().err.splitlines() == [
        "asking: a",
        "a: 4 done, 1 missing, at most 13 left; 3 calls, 1000 tokens, 0.25; at most about 2 min 14 s left",
        "asking: b",
        # What goes wrong is told at once, then two seconds later if it is something else, then after four.
        "b: HTTP 429",
        "b: 10 done, 1 missing, at most 5 left; 8 calls, 1000 tokens, 0.25; at most about 39 s left; paused; HTTP 429",
        "b: HTTP 500 (2 failures in a row)",
        "stopping: 2 calls under way will be waited for and kept. Ctrl-C again gives them up.",
    ]


def test_what_is_left_goes_by_samples_once_they_are_needed():
    row = Estimated("a", 6, 0, 0, 0, 0, 0.0, at_most=False, samples=4, instead=30)
    telling = Telling([row], Price(), lambda: 0.0)
    for instead, left in ((0, "5 left"), (1, "at most 29 left")):
        progress = Progress(1, 0, 0, Spent(1, Usage(9, 1), 0.0), instead=instead)
        telling.progress(progress)
        assert f"1 done, 0 missing, {left}" in telling.line(progress)


def names_of(found):
    return [run["name"] for run in found["runs"]]


def test_runs_of_one_name_are_told_apart(capsys, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(ROOT / "assets" / "demo" / "runs" / "good_judge.txt", tmp_path / name / "run.txt")
    one, two = (tmp_path / name / "run.txt" for name in ("one", "two"))
    other = shutil.copy(ROOT / "assets" / "demo" / "runs" / "coarse_judge.txt", tmp_path)
    code, told, _ = call(capsys, "score", one, two, other, two, "--labels-set", "demo")
    assert code == 0
    names = ["one/run.txt", "two/run.txt", "coarse_judge.txt", "two/run.txt (2)"]
    shown = [line.split("  ")[0] for line in told.splitlines()]
    assert [name for name in shown if name in names] == names
    for command in ("score", "check"):
        found = json.loads(call(capsys, command, one, two, other, two, "--labels-set", "demo", "--json")[1])
        assert names_of(found) == names
    found = json.loads(call(capsys, "check", one, two, other, two, "--json")[1])
    assert names_of(found) == names
    saved = tmp_path / "saved.json"
    saved.write_text(call(capsys, "compare", one, other, "--labels-set", "demo", "--resamples", "99", "--json")[1])
    assert names_of(json.loads(saved.read_text())) == ["run.txt", "coarse_judge.txt"]
    # Another run of the saved one's file name: where that lay is not known any more.
    shutil.copy(ROOT / "assets" / "demo" / "runs" / "length_biased_judge.txt", two)
    found = json.loads(call(capsys, "compare", two, "--labels-set", "demo", "--extend", saved, "--json")[1])
    assert names_of(found) == ["run.txt", "coarse_judge.txt", "run.txt (2)"]
    found = json.loads(call(capsys, "compare", one, two, "--labels-set", "demo", "--resamples", "99", "--json")[1])
    assert names_of(found) == ["one/run.txt", "two/run.txt"]
    assert (
        call(capsys, "report", one, two, "--labels-set", "demo", "--resamples", "99", "-o", tmp_path / "r.html")[0] == 0
    )
    page = (tmp_path / "r.html").read_text()
    assert "one/run.txt" in page
    assert "run.txt (2)" not in page


def test_there_is_no_folder_left_by_looking(judging, tmp_path):
    judging("holistic", "--dry-run", folder="never")
    assert not Path(tmp_path / "never").exists()
