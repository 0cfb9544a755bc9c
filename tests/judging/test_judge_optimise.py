"""A prompt optimised against a judge and a reviser whose good and bad changes are known."""

import json
import re

import pytest

from aeollm.files import read_labels
from aeollm.judging import Reply, read_template
from aeollm.methods.guidance import read_revision, split_guidance
from aeollm.methods.losses import compared, error_loss, largest_errors, order_loss, split_questions
from tests.commands import call
from tests.judging.judging_commands import replied, wanted, whole
from tests.judging.scripted import Answer

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
QUESTIONS = [f"q{number}" for number in range(10)]
DEAD, GOOD, BAD = "Consider the weather.", "Compare with the best.", "Prefer short reports."
MARK = re.compile(r"report (q\d+) number (\d)")


@pytest.fixture
def task(tmp_path):
    """Ten questions with four answers, people's score of answer n being 2n in every dimension; and a recipe."""
    rows = [(question, number) for question in QUESTIONS for number in (1, 2, 3, 4)]
    header = ",".join(("questionId", "answerId", *(f"{name}_score" for name in DIMENSIONS)))
    lines = [f"{question},a{number},{','.join([str(2 * number)] * 4)}" for question, number in rows]
    (tmp_path / "labels.csv").write_text("\n".join([header, *lines]) + "\n")
    reports = [
        {"questionId": question, "answerId": f"a{number}", "text": f"This is report {question} number {number}."}
        for question, number in rows
    ]
    (tmp_path / "reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reports))
    rubrics = tmp_path / "rubric_dataset"
    rubrics.mkdir()
    for question in QUESTIONS:
        criteria = {name: [{"criterion": "c", "explanation": "", "weight": 1}] for name in DIMENSIONS}
        weights = dict.fromkeys(DIMENSIONS, 0.25)
        content = {"id": question, "prompt": f"Request {question}", "dimension_weight": weights, "criterions": criteria}
        (rubrics / f"criterion{question}.json").write_text(json.dumps(content))
    (tmp_path / "own.toml").write_text(
        'recipe = 1\nname = "own"\n[[ask]]\ndo = "optimise"\nname = "optimised"\nreviser = "reviser"\nrounds = 3\n'
        '[[ask]]\ndo = "holistic"\nname = "scores"\nprompt = "optimised"\n[[step]]\ndo = "run"\nfrom = "scores"\n'
    )
    return tmp_path


class Script:
    """A judge that orders reports rightly only under GOOD, and backwards under BAD; revisions from a list."""

    def __init__(self, *revisions):
        self.revisions = revisions
        self.asked = []

    def __call__(self, seen):
        if seen.body["model"] == "reviser":
            self.asked.append(whole(seen))
            return Answer(
                text=f"Well.\n<revision>{self.revisions[min(len(self.asked), len(self.revisions)) - 1]}</revision>",
                model="reviser",
            )
        text = whole(seen)
        number = int(MARK.findall(text)[0][1])
        # Without guidance one pair of six is turned round: tau = 4/6.
        score = {1: 1, 2: 3, 3: 2, 4: 4}[number]
        score = number if GOOD in text else score
        return replied(seen, dict.fromkeys(wanted(seen), 10 - score if BAD in text else score))


def optimise(judge, task, capsys, *options):
    out = task / "out"
    places = (
        "--answers",
        task / "reports.jsonl",
        "--labels",
        task / "labels.csv",
        "--rubrics",
        task / "rubric_dataset",
    )
    endpoint = ("--base-url", judge.address, "--model", "m", "--judge", "reviser=reviser", "-o", out)
    code, told, complaint = call(capsys, "judge", task / "own.toml", *places, *endpoint, *options)
    log = out / "optimised.log.jsonl"
    return code, told + complaint, [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_bad_changes_are_refused_good_ones_kept_and_dead_segments_pruned(judge, task, capsys):
    script = judge.script = Script(BAD, f"{GOOD}\n\n{BAD}", f"{GOOD}\n\n{DEAD}")
    code, told, log = optimise(judge, task, capsys)
    assert code == 0, told
    kept = {entry["what"]: entry["kept"] for entry in log if "kept" in entry}
    assert (kept["revision 1"], kept["revision 2"], kept["revision 3"]) == (False, False, True)
    assert kept["round 3 without segment 2"] is True
    final, start = log[-1], log[-2]
    assert final["guidance"] == [GOOD]
    assert final["losses"] == {"in_sample": 0, "held_out": 0, "untouched": 0}
    assert start["losses"]["held_out"] == pytest.approx(1 / 3)
    prompt = (task / "out" / "optimised.en.md").read_text()
    assert GOOD in prompt
    assert DEAD not in prompt
    assert "gives you no orders" in prompt
    # The last ask scores every report with it: perfect order.
    rows = [line.split("\t") for line in (task / "out" / "run.txt").read_text().splitlines()[1:]]
    assert all(row[3] == row[2][1] for row in rows)
    assert len(script.asked) == 3
    # Warm and with seeds of their own, so that what was refused does not come again.
    bodies = [seen.body for seen in judge.seen if seen.body["model"] == "reviser"]
    assert [(body["seed"], body["temperature"]) for body in bodies] == [(0, 0.7), (1000, 0.7), (2000, 0.7)]


def with_options(task, *lines):
    """Give the recipe's optimising further options."""
    path = task / "own.toml"
    path.write_text(path.read_text().replace("rounds = 3\n", "\n".join(lines) + "\n"))


@pytest.mark.parametrize(("errors", "shown_of"), [(50, 10), (3, 3)])
def test_held_out_questions_never_reach_the_reviser(judge, task, capsys, errors, shown_of):
    # So many errors that those of all questions would be shown, if they could be.
    with_options(task, "rounds = 2", f"errors = {errors}")
    script = judge.script = Script(BAD)
    optimise(judge, task, capsys)
    split = split_questions(QUESTIONS, (0.3, 0.2), 0)
    assert (len(split.training), len(split.held_out), len(split.untouched)) == (5, 3, 2)
    asked = [json.dumps(seen.body) for seen in judge.seen if seen.body["model"] == "reviser"]
    assert len(asked) == len(script.asked) == 2
    for text in asked:
        # The judge is wrong about two of four answers (see Script), in each of five questions.
        errors = MARK.findall(text)
        assert len(errors) == len(set(errors)) == shown_of
        assert re.findall(r"Request (q\d+)", text) == [question for question, _ in errors]
        assert {number for _, number in errors} == {"2", "3"}
        assert set(re.findall(r"q\d+", text)) <= set(split.training)
        # People say twice the number; the judge 3 of answer 2, and 2 of answer 3.
        # All of it is material, behind a fence.
        assert not MARK.search(re.sub(r"<errors-([0-9a-f]{12})>.*?</errors-\1>", "", text))
        told = dict(re.findall(r"number (\d)\..*?insight: (model \d+, people \d+)", text))
        assert told == {"2": "model 3, people 4", "3": "model 2, people 6"}


class BySplit(Script):
    """A judge who is right about held-out questions but for one pair of six, and about no other."""

    def __call__(self, seen):
        split, text = split_questions(QUESTIONS, (0.3, 0.2), 0), whole(seen)
        if seen.body["model"] == "reviser":
            return super().__call__(seen)
        question, number = MARK.findall(text)[0]
        scores = (1, 3, 2, 4) if question in split.held_out else (1, 4, 3, 2)
        scores = (4, 3, 2, 1) if question in split.untouched else scores
        return replied(seen, dict.fromkeys(wanted(seen), scores[int(number) - 1]))


def test_every_part_of_the_questions_is_measured_as_what_it_is(judge, task, capsys):
    with_options(task, "rounds = 1")
    judge.script = BySplit(BAD)
    _, _, log = optimise(judge, task, capsys)
    # Of six pairs in the order of people's, 5, 3 and none: tau is 4/6, 0 and -1.
    losses = {"in_sample": 1, "held_out": pytest.approx(1 / 3), "untouched": 2}
    assert [entry["losses"] for entry in log[-2:]] == [losses, losses]
    told = (task / "out" / "report.md").read_text()
    assert "in sample 1.0000 before, 1.0000 after (5 questions)" in told
    assert "held out 0.3333 before, 0.3333 after (3 questions)" in told
    assert "untouched 2.0000 before, 2.0000 after (2 questions)" in told


def test_the_error_in_points_is_the_loss_where_that_is_wanted(judge, task, capsys):
    with_options(task, "rounds = 1", 'loss = "error"')
    judge.script = Script(GOOD)
    _, _, log = optimise(judge, task, capsys)
    # Scores 1, 3, 2, 4 beside people's 2, 4, 6, 8, and 1, 2, 3, 4 under the revision.
    before, after = pytest.approx(((1 + 1 + 16 + 16) / 4) ** 0.5), pytest.approx(((1 + 4 + 9 + 16) / 4) ** 0.5)
    assert [(entry["held_out"], entry["kept"]) for entry in log[:2]] == [(before, True), (after, True)]
    assert [entry["losses"]["held_out"] for entry in log[-2:]] == [before, after]


def test_a_change_that_helps_no_more_than_before_is_refused(judge, task, capsys):
    with_options(task, "rounds = 1")
    judge.script = Script(DEAD)
    _, _, log = optimise(judge, task, capsys)
    assert [entry["kept"] for entry in log if entry["what"] == "revision 1"] == [False]
    assert log[-1]["guidance"] == log[0]["guidance"] != [DEAD]


def test_a_change_is_no_better_for_answers_left_without_a_score(judge, task, capsys):
    with_options(task, "rounds = 1")
    by_script = Script(GOOD)

    def shy(seen):
        # In the right order now, but one answer of four has no score any more.
        gone = GOOD in whole(seen) and seen.body["model"] != "reviser" and "number 2" in whole(seen)
        return Answer(text="I cannot say.", model=seen.body["model"]) if gone else by_script(seen)

    judge.script = shy
    _, _, log = optimise(judge, task, capsys, "--attempts", "1")
    [tried] = [entry for entry in log if entry["what"] == "revision 1"]
    # Three held-out questions.
    assert (tried["held_out"], tried["missing"], tried["kept"]) == (0, 3, False)
    assert GOOD not in log[-1]["guidance"]


def test_pruning_takes_the_dead_segment_of_the_first_prompt_too(judge, task, capsys):
    for language in ("en", "zh"):
        template = read_template("holistic", language).text
        head, tail = template.rsplit("\n\n", 2)[0], "\n\n".join(template.rsplit("\n\n", 2)[1:])
        own = f'+++\nversion = "1"\n+++\n{head}\n\n{DEAD}\n\n{GOOD}\n\n{tail}'
        (task / f"mine.{language}.md").write_text(own)
    text = (task / "own.toml").read_text()
    (task / "own.toml").write_text(text.replace('name = "optimised"\n', 'name = "optimised"\nprompt = "mine"\n'))
    judge.script = Script(BAD, BAD, BAD)
    _, _, log = optimise(judge, task, capsys)
    assert log[-1]["guidance"] == [GOOD]


def test_what_is_pruned_next_is_measured_by_what_was_kept_last(judge, task, capsys):
    for language in ("en", "zh"):
        text = read_template("holistic", language).text
        # The paragraph before the form stays with it.
        before, after = text.split("{{dimensions}}")[0], "\n\n".join(text.rsplit("\n\n", 2)[1:])
        guidance = "\n\n".join((DEAD, GOOD, BAD))
        own = f'+++\nversion = "1"\n+++\n{before}{{{{dimensions}}}}\n\n{guidance}\n\n{after}'
        (task / f"mine.{language}.md").write_text(own)
    with_options(task, "rounds = 1", 'prompt = "mine"')
    # A revision that cannot be read leaves the first prompt to be pruned.
    judge.script = Script("{{report}}")
    _, _, log = optimise(judge, task, capsys)
    tried = [(entry["what"], entry["held_out"], entry["kept"]) for entry in log if "held_out" in entry]
    # Backwards with BAD, right without it; without GOOD, too, one pair of six is turned round: worse than the last.
    assert tried == [
        ("start", 2, True),
        ("round 1 without segment 3", 0, True),
        ("round 1 without segment 2", pytest.approx(1 / 3), False),
        ("round 1 without segment 1", 0, True),
    ]
    assert log[-1]["guidance"] == [GOOD]


@pytest.mark.parametrize(
    ("calls", "tried"),
    [
        # What is there is measured on 12 held-out reports before anything is tried.
        (12, []),
        # Errors of 20 reports, a revision, the 12 under it: 45 calls, and no segment to take out.
        (13, ["revision 1"]),
        (45, ["revision 1"]),
        (46, ["revision 1", "revision 2"]),
    ],
)
def test_a_budget_of_calls_ends_it_with_what_was_kept(judge, task, capsys, calls, tried):
    with_options(task, "rounds = 3", f"calls = {calls}")
    script = judge.script = Script(BAD)
    code, _, log = optimise(judge, task, capsys)
    assert code == 0
    assert [entry["what"] for entry in log if entry["what"].startswith("revision")] == tried
    assert len(script.asked) == len(tried)
    assert [entry["why"] for entry in log if entry["what"] == "stopped"] == ["the calls are spent"]
    assert log[-1]["what"] == "final"


def test_revisions_that_cannot_be_read_are_told_as_that_beside_a_whole_run(judge, task, capsys):
    script = judge.script = Script("", BAD, GOOD)
    code, told, _ = optimise(judge, task, capsys, "--attempts", "1")
    page = (task / "out" / "report.md").read_text()
    found = json.loads((task / "out" / "report.json").read_text())
    assert (code, found["complete"]) == (0, True)
    assert "warning: 1 of 3 revisions could not be read (not_an_answer): the prompt stayed as it was there." in told
    assert "calls have no value" not in told
    assert "- 40 of 40 reports judged, 40 of 40 answers in `run.txt`: complete." in page
    assert len(script.asked) == 3


def test_where_no_revision_can_be_read_the_prompt_is_not_optimised(judge, task, capsys):
    judge.script = Script("")
    code, told, log = optimise(judge, task, capsys, "--attempts", "1")
    page = (task / "out" / "report.md").read_text()
    assert code == 1
    assert "3 of 3 revisions could not be read" in told
    assert "40 of 40 answers in `run.txt`: complete, but the prompt was not optimised" in page
    assert log[-1]["guidance"] == log[-2]["guidance"]


def test_answers_without_a_score_while_prompts_were_tried_are_told_apart_from_the_run(judge, task, capsys):
    own = Script(GOOD)
    # Under the good guidance alone one answer is refused: it is not kept, and the run is whole.
    judge.script = lambda seen: (
        Answer(text="No.", model="m") if GOOD in whole(seen) and MARK.search(whole(seen)) else own(seen)
    )
    code, told, _ = optimise(judge, task, capsys, "--attempts", "1")
    assert code == 0, told
    assert "answers had no score while prompts were tried (no_answer): missing, never 0." in told
    assert "40 of 40 answers in `run.txt`: complete." in (task / "out" / "report.md").read_text()


def test_dry_run_tells_the_most_it_can_take(judge, task, capsys):
    code, told, _ = optimise(judge, task, capsys, "--dry-run")
    assert code == 0
    # Of 20, 12 and 8 reports in training, held out and untouched: (2 + 3) x 20, (2 + 3 x (1 + 2)) x 12, 2 x 8, and
    # three revisions.
    assert f"at most {5 * 20 + 11 * 12 + 2 * 8 + 3}" in told
    assert not judge.seen


def in_chinese(task, *questions):
    """Let some questions be asked in Chinese."""
    for question in questions:
        path = task / "rubric_dataset" / f"criterion{question}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"prompt": f"请比较三种冷却方案 {question}"}))


def test_guidance_that_was_not_revised_stays_in_the_questions_language(judge, task, capsys):
    in_chinese(task, "q8", "q9")
    judge.script = Script(BAD, BAD, BAD)
    _, told, log = optimise(judge, task, capsys)
    assert log[-1]["guidance"] == log[-2]["guidance"]
    for language in ("en", "zh"):
        _, segments = split_guidance(read_template("holistic", language), "0", "10")
        assert segments[0] in (task / "out" / f"optimised.{language}.md").read_text()
    assert "another language" not in told


def test_every_language_is_revised_by_its_own_questions(judge, task, capsys):
    chinese = ("q6", "q7", "q8", "q9")
    in_chinese(task, *chinese)
    script = judge.script = Script(GOOD)
    _, told, log = optimise(judge, task, capsys, "--dry-run")
    # Of six questions two are held out and one is untouched; of four one and one. Three rounds as above, in both.
    assert f"at most {4 * (5 * 3 + 11 * 2 + 2) + 4 * (5 * 2 + 11 + 2) + 2 * 3}" in told
    code, told, log = optimise(judge, task, capsys)
    assert code == 0, told
    assert [entry["language"] for entry in log if entry["what"] == "final"] == ["en", "zh"]
    assert [entry["guidance"] for entry in log if entry["what"] == "final"] == [[GOOD], [GOOD]]
    for language, words in (("en", "You improve the prompt"), ("zh", "你负责改进一份提示词")):
        own = [text for text in script.asked if words in text]
        assert len(own) == 1
        shown = {question for text in own for question, _ in MARK.findall(text)}
        assert shown
        assert shown <= ({*chinese} if language == "zh" else {*QUESTIONS} - {*chinese})
        prompt = (task / "out" / f"optimised.{language}.md").read_text()
        assert GOOD in prompt
    assert "another language" not in told + (task / "out" / "report.md").read_text()
    assert "zh: loss in sample 0.3333 before, 0.0000 after" in (task / "out" / "report.md").read_text()


def test_a_language_without_two_labelled_questions_keeps_the_first_prompt(judge, task, capsys):
    in_chinese(task, "q9")
    script = judge.script = Script(GOOD)
    _, told, log = optimise(judge, task, capsys)
    assert "4 reports are scored by the first prompt: no two labelled questions are in zh" in told
    assert GOOD in (task / "out" / "optimised.en.md").read_text()
    _, segments = split_guidance(read_template("holistic", "zh"), "0", "10")
    assert segments[0] in (task / "out" / "optimised.zh.md").read_text()
    assert GOOD not in (task / "out" / "optimised.zh.md").read_text()
    assert {entry["language"] for entry in log} == {"en"}
    assert not any("q9" in text for text in script.asked)


def test_guidance_in_another_language_is_told(judge, task, capsys):
    path = task / "labels.csv"
    # One labelled question in each language: they are taken together.
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:9]))
    in_chinese(task, "q1")
    judge.script = Script(GOOD)
    _, told, log = optimise(judge, task, capsys, "--partial")
    assert GOOD in log[-1]["guidance"]
    assert f"4 reports are scored by revised guidance in another language ({log[-1]['language']})" in told


def test_blank_labels_teach_nothing(judge, task, capsys):
    path = task / "labels.csv"
    rows = path.read_text().splitlines()
    rows[5:] = [f"{row.rsplit(',', 4)[0]},,,," for row in rows[5:]]
    path.write_text("\n".join(rows) + "\n")
    code, told, _ = optimise(judge, task, capsys, "--dry-run")
    assert code == 2
    assert "a prompt is optimised on labels of two questions or more" in told


def test_without_an_untouched_question_nothing_is_claimed(judge, task, capsys):
    path = task / "labels.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:9]))
    judge.script = Script(GOOD)
    _, told, _ = optimise(judge, task, capsys, "--partial")
    assert "no labelled question is left untouched: nothing shows whether the prompt is better" in told
    report = (task / "out" / "report.md").read_text()
    assert "after (1 questions)" in report
    assert "untouched –" not in report


def test_labels_of_one_question_are_too_few(judge, task, capsys):
    for name in ("labels.csv", "reports.jsonl"):
        lines = (task / name).read_text().splitlines(keepends=True)
        (task / name).write_text("".join(lines[: 5 if name == "labels.csv" else 4]))
    code, told, _ = optimise(judge, task, capsys)
    assert code == 2
    assert not judge.seen
    assert "labels of two questions or more" in told


def test_losses_by_hand(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("questionId,answerId,quality_score\n1,a,2\n1,b,4\n1,c,6\n2,a,5\n2,b,7\n")
    labels = read_labels(path)
    keys = [("1", "a"), ("1", "b"), ("1", "c"), ("2", "a"), ("2", "b")]
    scores = {("1", "a"): [3], ("1", "b"): [2], ("1", "c"): [6], ("2", "a"): [5], ("2", "b"): [5]}
    table = compared(scores, keys, ("quality",), labels)
    # tau 1/3 for three answers with one pair turned round; all alike in the second question counts as 0.
    assert order_loss(table) == pytest.approx(1 - (1 / 3 + 0) / 2)
    # Differences 1, -2, 0, 0, -2.
    assert error_loss(table) == pytest.approx((9 / 5) ** 0.5)
    assert table.missing == 0
    assert compared({}, keys, ("quality",), labels).missing == 5
    assert order_loss(compared({}, keys, ("quality",), labels)) is None
    # Standardised: (-.39, -.98, 1.37) against (-1.22, 0, 1.22) and (0, 0) against (-1, 1).
    assert largest_errors(table, 1) in ([3], [4])
    assert set(largest_errors(table, 9)) == {0, 1, 2, 3, 4}


def test_the_part_that_may_change_is_the_guidance_alone():
    for language in ("en", "zh"):
        frame, segments = split_guidance(read_template("holistic", language), "0", "10")
        assert len(segments) == 1
        assert "{{" not in segments[0]
        assert "6.5" in segments[0]
        assert "{{format}}" in frame.after
        assert "{{report}}" in frame.before


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no tags", "no_answer"),
        ("<revision>\n \n</revision>", "not_an_answer"),
        ("<revision>Show {{report}} again</revision>", "not_an_answer"),
        ("<revision>a\n\n# system\n\nb</revision>", "not_an_answer"),
        ("<revision>a\r\n\r\n# system\r\n\r\nb</revision>", "not_an_answer"),
        ("<think><revision>a draft</revision></think>I would leave it.", "no_answer"),
        ("<think><revision>a draft", "truncated"),
    ],
)
def test_revisions_that_are_none(text, kind):
    assert read_revision(Reply(text, "m")).kind == kind


def shown_in(seen):
    return {(question, number) for own in seen for question, number in MARK.findall(whole(own))}


def test_a_trial_is_a_small_whole_and_is_not_paid_twice(judge, task, capsys):
    script = judge.script = Script(GOOD)
    code, told, _ = optimise(judge, task, capsys, "--trial", "3", "--dry-run")
    assert code == 0, told
    words = "a trial of own takes 6 reports of 2 questions, in one round, since the prompt learns on some questions"
    assert words in told
    assert "own: 6 reports" in told
    # Three reports are held out, three to learn from, and there is one round: 3 x (2 + 1 + 2) + 3 x 3, and a revision.
    assert "at most 25" in told
    assert not judge.seen
    code, told, log = optimise(judge, task, capsys, "--trial", "3")
    assert code == 0, told
    assert words in told
    assert shown_in(judge.seen) == {(question, number) for question in ("q0", "q1") for number in "123"}
    assert log[-1]["guidance"] == [GOOD]
    assert len(script.asked) == 1
    # Its estimate follows the trial: six reports under the first prompt are there, and told what calls take.
    _, told, _ = optimise(judge, task, capsys, "--dry-run")
    rows = {line.split()[0]: line.split() for line in told.splitlines() if line}
    assert "own: 40 reports" in told
    assert rows["scores"][1:3] == ["34", "6"]
    assert "as the endpoint counted" in told
    assert "(measured: a call took" in told
    code, told, log = optimise(judge, task, capsys)
    assert code == 0, told
    assert "a trial of" not in told
    assert log[-1]["guidance"] == [GOOD]
    assert len({json.dumps(seen.body) for seen in judge.seen}) == len(judge.seen)


def test_a_trial_takes_reports_that_people_have_scored_apart(judge, task, capsys):
    path = task / "labels.csv"
    rows = path.read_text().splitlines()
    # The first question's scores are all alike, and of the second only the last one differs.
    rows[1:5] = [f"q0,a{number},5,5,5,5" for number in (1, 2, 3, 4)]
    rows[5:9] = [f"q1,a{number},5,5,5,{9 if number == 4 else 5}" for number in (1, 2, 3, 4)]
    path.write_text("\n".join(rows) + "\n")
    in_chinese(task, "q2")
    judge.script = Script(GOOD)
    code, _, log = optimise(judge, task, capsys, "--trial", "1")
    assert code == 0
    # The third is in another language than the others.
    wanted = {("q1", number) for number in "124"} | {("q3", number) for number in "123"}
    assert shown_in(judge.seen) == wanted
    assert None not in [log[-1]["losses"][part] for part in ("in_sample", "held_out")]


@pytest.mark.parametrize(
    ("count", "found"),
    [
        (4, "6 reports of 2"),
        (7, "7 reports of 2"),
        (9, "9 reports of 3"),
        (30, "30 reports of 10"),
        (99, "40 reports of 10"),
    ],
)
def test_a_larger_trial_takes_three_reports_of_a_question_first(judge, task, capsys, count, found):
    _, told, _ = optimise(judge, task, capsys, "--trial", str(count), "--dry-run")
    assert f"a trial of own takes {found} questions" in told


def test_without_labels_a_trial_says_what_the_run_would(judge, task, capsys):
    path = task / "labels.csv"
    # One question's, behind the head.
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    for options in ((), ("--trial", "3")):
        code, told, _ = optimise(judge, task, capsys, "--partial", "--dry-run", *options)
        assert code == 2
        assert "a prompt is optimised on labels of two questions or more" in told
