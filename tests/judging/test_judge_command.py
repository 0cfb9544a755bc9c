"""The command `judge` against a scripted endpoint: what is asked, what comes out, what is told when something lacks."""

import csv

import pytest

from aeollm.files import read_judgments
from tests.commands import call
from tests.judging.conftest import KEY
from tests.judging.judging_commands import (
    LABELS,
    QUALITY,
    by_quality,
    qualities,
    replied,
    report,
    run_rows,
    wanted,
    whole,
)
from tests.judging.scripted import Answer, refused


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_holistic_scores_every_report_in_one_call(judge, judging):
    def script(seen):
        quality = qualities(seen)[0]
        return replied(seen, dict(zip(wanted(seen), (quality, quality - 1, "6.5", 5), strict=True)))

    judge.script = script
    code, told, _, out = judging("holistic")
    assert code == 0, told
    assert run_rows(out / "run.txt") == {key: [str(q), str(q - 1), "6.5", "5"] for key, q in QUALITY.items()}
    assert len(judge.seen) == 12
    assert {seen.body["temperature"] for seen in judge.seen} == {0}
    found = report(out)
    assert found["complete"]
    assert found["judges"] == {"judge": {"model": "m", "answered_as": ["m"]}}
    assert found["tokens"] == {"prompt": 120, "completion": 60, "estimated": False}
    assert found["this_time"]["calls"] == 12
    again, _, _, _ = judging("holistic")
    assert again == 0
    assert len(judge.seen) == 12


def test_one_dimension_averages_both_orders_and_tells_their_effect(judge, judging):
    def first_shown_gets_a_point_more(seen):
        first, *others = wanted(seen)
        return replied(seen, {first: qualities(seen)[0] + 1, **dict.fromkeys(others, qualities(seen)[0])})

    judge.script = first_shown_gets_a_point_more
    code, _, _, out = judging("one-dimension")
    assert code == 0
    # 12 reports, 4 dimensions, 2 orders. Each criterion is first once: half a point more, whatever its weight.
    assert len(judge.seen) == 96
    assert run_rows(out / "run.txt")["1", "Doc_02"] == ["6.5"] * 4
    effects = [own for own in report(out)["built"]["order_effects"]["one-dimension"] if own["criterion"] == "1"]
    assert {own["shift"] for own in effects} == {-1.0}


def test_one_call_holds_all_criteria_and_weights_them(judge, judging):
    judge.script = lambda seen: replied(seen, {name: number + 1 for number, name in enumerate(wanted(seen))})
    code, _, _, out = judging("one-call")
    assert code == 0
    assert len(judge.seen) == 12
    # Eight criteria in the rubric's order, weights .6/.4, .5/.5, .7/.3, .5/.5: .6 x 1 + .4 x 2 = 1.4, and so on.
    assert run_rows(out / "run.txt")["3", "Doc_04"] == ["1.4", "3.5", "5.3", "7.5"]


def test_per_criterion_asks_each_alone(judge, judging):
    judge.script = lambda seen: replied(seen, {"score": 9 if "Gives figures" in whole(seen) else qualities(seen)[0]})
    code, _, _, out = judging("per-criterion")
    assert code == 0
    assert len(judge.seen) == 96
    # .6 x 6 + .4 x 9 = 7.2
    assert run_rows(out / "run.txt")["1", "Doc_02"] == ["7.2", "6", "6", "6"]


def test_per_criterion_learns_where_labels_allow(judge, judging):
    judge.script = by_quality
    taught = judging("per-criterion")[3]
    stages = report(taught)["built"]["stages"]
    assert [own["name"] for own in stages if own["learned"]] == ["structure", "length"]
    assert (taught / "counts.tsv").is_file()
    code, _, _, out = judging("per-criterion", folder="untaught", labels=LABELS[2:])
    assert code == 0
    told = [own["message"] for own in report(out)["built"]["problems"] if own["kind"] == "untaught"]
    assert told == [
        f"{step}: nothing is corrected: {step} learns from labels, and there are none."
        for step in ("structure", "length")
    ]
    # Counting takes longer than all the rest.
    assert not (out / "counts.tsv").exists()
    assert set(map(tuple, run_rows(out / "run.txt").values())) == {(str(own),) * 4 for own in QUALITY.values()}


def test_pairwise_compares_all_pairs_in_both_orders(judge, judging):
    judge.script = by_quality
    code, _, _, out = judging("pairwise")
    assert code == 0
    # 3 questions, 6 pairs, 2 orders
    assert len(judge.seen) == 36
    found = run_rows(out / "run.txt")
    assert found["2", "Doc_01"] == found["2", "Doc_02"]
    for question in "123":
        own = {key: scores for key, scores in found.items() if key[0] == question}
        by_run = sorted(own, key=lambda key: (float(own[key][1]), key))
        assert [QUALITY[key] for key in by_run] == sorted(QUALITY[key] for key in own)
    bias = report(out)["built"]["position_bias"]["pairwise"][0]
    assert bias["flips"] == {"found": 0, "of": 72}


def test_a_judge_of_places_is_told(judge, judging):
    judge.script = lambda seen: replied(seen, dict.fromkeys(wanted(seen), "A"))
    _, _, _, out = judging("pairwise")
    bias = report(out)["built"]["position_bias"]["pairwise"][0]
    assert bias["flips"] == {"found": 72, "of": 72}
    assert "72 | 0.000 | 1.000 | 1.000" in (out / "report.md").read_text()


def test_tie_break_asks_the_second_judge_about_ties_only(judge, judging):
    def script(seen):
        if seen.body["model"] == "m":
            return replied(seen, dict.fromkeys(wanted(seen), qualities(seen)[0] // 3))
        return by_quality(seen)

    judge.script = script
    code, _, _, out = judging("tie-break", "--judge", "second=n")
    assert code == 0
    pairs = [seen for seen in judge.seen if len(qualities(seen)) == 2]
    # Qualities 8, 6, 7, 4 | 3, 3, 9, 5 | 2, 8, 6, 6 by threes: 2 2 2 1 | 1 1 3 1 | 0 2 2 2. Three ties each, in four
    # dimensions and two orders.
    assert len(pairs) == 3 * 3 * 4 * 2
    assert {seen.body["model"] for seen in pairs} == {"n"}
    found = run_rows(out / "run.txt")
    first = [float(found["1", f"Doc_0{n}"][0]) for n in (4, 2, 3, 1)]
    assert first == sorted(set(first))
    assert found["2", "Doc_01"] == found["2", "Doc_02"]
    assert float(found["2", "Doc_04"][0]) > float(found["2", "Doc_01"][0])


def test_anchored_pairs_compare_what_is_near_and_move_insight_only(judge, judging):
    def script(seen):
        own = qualities(seen)
        shift = {"m": 0, "n": 1}.get(seen.body["model"], 0)
        return replied(seen, dict.fromkeys(wanted(seen), own[0] + shift)) if len(own) == 1 else by_quality(seen)

    judge.script = script
    others = ("--judge", "second=n", "--judge", "third=o", "--judge", "fourth=p")
    code, _, _, out = judging("anchored-pairs", *others)
    assert code == 0
    found = run_rows(out / "run.txt")
    assert all([row[0], row[2], row[3]] == [f"{QUALITY[key]}.5"] * 3 for key, row in found.items())
    # At most a point apart: 8-7 and 7-6, 3-3, 6-6; two orders, four judges.
    table = read_judgments(out / "pairs.tsv")
    assert len(table) == 4 * 2 * 4
    assert set(table.judges) == {"first", "second", "third", "fourth"}
    assert {seen.body["model"] for seen in judge.seen if len(qualities(seen)) == 2} == {"m", "n", "o", "p"}
    assert float(found["1", "Doc_01"][1]) > float(found["1", "Doc_03"][1]) > float(found["1", "Doc_02"][1])


def with_probabilities(seen):
    """Say 3 with half of the mass, 4 in two spellings with a quarter, something else with the rest."""
    top = [("3", -0.6931471805599453), (" 4", -2.0794415416798357), ("\uff14", -2.0794415416798357), ("Well", -1.4)]
    tokens = [{"token": text, "logprob": log} for text, log in top]
    return Answer(text="3", model=seen.body["model"], logprobs={"content": [{**tokens[0], "top_logprobs": tokens}]})


def test_llm_rubric_gives_opinions_that_are_not_renormalised(judge, judging):
    judge.script = with_probabilities
    code, _, _, out = judging("llm-rubric")
    assert code == 0
    found = rows(out / "opinions.tsv")
    assert len(found) == 12 * 6
    assert len(judge.seen) == 12 * 6
    assert list(found[0])[:6] == ["text_id", "criterion", *(f"answer{number}_prob" for number in (1, 2, 3, 4))]
    assert [(row["text_id"], row["criterion"]) for row in found[:2]] == [("1/Doc_01", "Q0"), ("1/Doc_01", "Q1")]
    values = [float(found[0][f"answer{number}_prob"]) for number in (1, 2, 3, 4)]
    assert values == pytest.approx([0, 0, 0.5, 0.25], rel=1e-12)
    assert {row["source"] for row in found} == {"logprobs"}
    assert not (out / "run.txt").exists()
    # Which request comes first is the network's matter.
    assert sum("quality 9" in whole(seen) for seen in judge.seen) == 6
    assert sum("cooling a small data centre" in whole(seen) for seen in judge.seen) == 4 * 6


def test_llm_rubric_without_probabilities_asks_again_and_says_so(judge, judging, tmp_path):
    def script(seen):
        if seen.body.get("logprobs"):
            return refused(400, "logprobs are not supported")
        return Answer(text="2" if seen.body["seed"] % 2000 else "3", model="m")

    judge.script = script
    recipe = tmp_path / "own.toml"
    recipe.write_text(
        'recipe = 1\nname = "own"\n[[ask]]\ndo = "llm-rubric"\nname = "opinions"\nsamples = 4\n'
        '[[question]]\nname = "Q0"\ntext = { en = "Is it good?" }\noptions = { en = ["no", "hardly", "yes"] }\n'
    )
    code, told, _, out = judging(recipe)
    assert code == 0
    found = rows(out / "opinions.tsv")
    # Samples 0 to 3 are sent with seeds 0, 1000, 2000, 3000: twice 3, twice 2.
    assert [found[0][f"answer{number}_prob"] for number in (1, 2, 3)] == ["0.0", "0.5", "0.5"]
    assert {(row["source"], row["samples"]) for row in found} == {("samples", "4")}
    assert "shares of repeated replies" in told
    assert "shares of repeated replies" in (out / "report.md").read_text()


def test_what_is_missing_is_told_and_nowhere_zero(judge, judging):
    def script(seen):
        if qualities(seen) == [9]:
            return Answer(text="I cannot help with that.", model="m")
        return by_quality(seen)

    judge.script = script
    code, told, _, out = judging("holistic")
    assert code == 1
    assert ("2", "Doc_03") not in run_rows(out / "run.txt")
    assert len(run_rows(out / "run.txt")) == 11
    found = report(out)
    assert not found["complete"]
    assert [(own["place"], own["kind"]) for own in found["missing"]] == [
        (["holistic", "judge", "2", "Doc_03"], "refusal")
    ]
    assert "never 0" in told
    assert "PARTIAL" in (out / "report.md").read_text()
    # Three attempts each, no more: unreadable replies are not asked for again.
    assert sum(qualities(seen) == [9] for seen in judge.seen) == 3
    judging("holistic")
    assert sum(qualities(seen) == [9] for seen in judge.seen) == 3


def test_a_lost_criterion_leaves_the_answer_out(judge, judging):
    def script(seen):
        lost = qualities(seen) == [9] and "Gives figures" in whole(seen)
        return Answer(text="no", model="m") if lost else by_quality(seen)

    judge.script = script
    code, _, _, out = judging("per-criterion")
    assert code == 1
    assert len(run_rows(out / "run.txt")) == 11
    blank = [row for row in rows(out / "per-criterion.tsv") if row["score"] == ""]
    assert [(row["questionId"], row["answerId"], row["criterion"]) for row in blank] == [("2", "Doc_03", "2")]


def test_the_written_recipes_repeat_the_run(judge, judging, tmp_path, capsys):
    judge.script = by_quality
    _, _, _, out = judging("one-dimension", "--seed", "7")
    asked = len(judge.seen)
    assert {seen.body["seed"] for seen in judge.seen} == {7}
    again = tmp_path / "again"
    code, _, _ = call(capsys, "judge", out / "recipe.toml", "-o", again)
    assert code == 0
    assert len(judge.seen) == 2 * asked
    for name in ("run.txt", "one-dimension.tsv", "build.toml", "recipe.toml"):
        assert (again / name).read_bytes() == (out / name).read_bytes()
    code, _, _ = call(capsys, "build", out / "build.toml", *LABELS, "-o", tmp_path / "built.txt")
    assert code == 0
    assert (tmp_path / "built.txt").read_bytes() == (out / "run.txt").read_bytes()


def test_dry_run_and_prompt_send_nothing(judge, judging):
    code, told, _, out = judging("per-criterion", "--dry-run", "--price", "1,2")
    assert code == 0
    assert told.splitlines()[2].split()[:3] == ["per-criterion", "96", "0"]
    code, told, _, _ = judging("holistic", "--show-prompt")
    assert code == 0
    assert "--- holistic (holistic.en@" in told
    assert "Of quality 8." in told
    assert told.count("<report-") >= 2
    assert not out.exists()
    assert not judge.seen


def test_a_trial_is_not_paid_again(judge, judging):
    judge.script = by_quality
    code, _, _, out = judging("holistic", "--trial", "3")
    assert code == 0
    assert len(run_rows(out / "run.txt")) == 3
    code, _, _, _ = judging("holistic")
    assert (code, len(judge.seen), len(run_rows(out / "run.txt"))) == (0, 12, 12)


def test_a_budget_stops_cleanly_and_the_same_command_goes_on(judge, judging):
    judge.script = by_quality
    code, told, _, out = judging("holistic", "--budget-calls", "5")
    assert code == 1
    assert "stopped: the budget of 5 calls is spent" in told
    assert (len(judge.seen), len(run_rows(out / "run.txt"))) == (5, 5)
    code, _, _, _ = judging("holistic")
    assert (code, len(judge.seen), len(run_rows(out / "run.txt"))) == (0, 12, 12)


def test_no_key_in_any_file_or_message(judge, judging, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    judge.script = refused(401, f"the key {KEY} is not known")
    code, told, complaint, out = judging("holistic", "--token-env", "MY_KEY")
    assert code == 1
    assert judge.seen[0].authorization == f"Bearer {KEY}"
    written = "".join(path.read_text() for path in out.iterdir())
    assert "unauthorised" in written
    assert KEY not in written + told + complaint


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--token-env", "NOT_SET"), "NOT_SET is not set"),
        (("--judge", "other=m"), "no judge other"),
        (("--budget-money", "1"), "--budget-money needs a price"),
        (("--shard", "3/2"), "no part of a whole"),
    ],
)
def test_wrong_usage_is_told(judge, judging, options, words):
    code, _, complaint, _ = judging("holistic", *options)
    assert code == 2
    assert words in complaint
    assert not judge.seen


def test_one_model_under_two_names_is_told(judge, judging):
    judge.script = by_quality
    _, told, _, _ = judging("anchored-pairs")
    assert "first, second are one model" in told
    # Here they are asked different things.
    _, told, _, _ = judging("tie-break", folder="tie-break")
    assert "are one model" not in told


def test_a_file_that_cannot_be_used_is_named_and_stops_nothing_else(judge, judging, tmp_path):
    """All answers of the labels have their report; what lies beside them is an answer of nobody's."""
    judge.script = by_quality
    path = tmp_path / "reports.jsonl"
    path.write_text(path.read_text() + '{"questionId": "9", "answerId": "Doc 1", "text": "A plan."}\nno json\n')
    code, _, complaint, out = judging("holistic")
    assert code == 0
    assert "line 13: the line's answerId holds a blank" in complaint
    assert "line 14: the line is no JSON object" in complaint
    assert len(run_rows(out / "run.txt")) == 12
    assert "- 12 of 12 reports judged, 12 of 12 answers in `run.txt`: complete." in (out / "report.md").read_text(
        "utf-8"
    )


def test_missing_reports_are_an_error_unless_partial_is_meant(judge, judging, tmp_path):
    judge.script = by_quality
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    code, _, complaint, _ = judging("holistic")
    assert code == 2
    assert "question 3, answer Doc_04" in complaint
    assert not judge.seen
    code, _, _, out = judging("holistic", "--partial")
    assert code == 0
    assert len(run_rows(out / "run.txt")) == 11
