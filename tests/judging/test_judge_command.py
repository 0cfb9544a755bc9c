"""The command `judge` against a scripted endpoint: what is asked, what comes out, what is told when something lacks."""

import csv
import time
from dataclasses import replace

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
from tests.small_files import DIMENSIONS


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


def test_the_model_that_answered_is_told_beside_the_one_that_was_asked_for(judge, judging):
    judge.script = lambda seen: replace(by_quality(seen), model=f"{seen.body['model']}-of-may")
    _, _, _, out = judging("tie-break", "--judge", "second=n")
    assert report(out)["judges"] == {
        "first": {"model": "m", "answered_as": ["m-of-may"]},
        "second": {"model": "n", "answered_as": ["n-of-may"]},
    }
    asked = len(judge.seen)
    judging("tie-break", "--judge", "second=n")
    assert len(judge.seen) == asked


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


def test_one_call_in_both_orders_gives_every_criterion_both_places(judge, judging, tmp_path):
    recipe = tmp_path / "own.toml"
    recipe.write_text(
        'recipe = 1\nname = "own"\n[[ask]]\ndo = "one-call"\norders = "both"\n[[step]]\ndo = "criteria"\n'
        'from = "one-call"\n'
    )
    judge.script = lambda seen: replied(seen, {name: number + 1 for number, name in enumerate(wanted(seen))})
    code, _, _, out = judging(recipe)
    assert code == 0
    assert len(judge.seen) == 24
    # Eight criteria: 1 and 8, 2 and 7, and so on.
    assert set(map(tuple, run_rows(out / "run.txt").values())) == {("4.5",) * 4}
    table = rows(out / "one-call.tsv")
    own = [row for row in table if (row["questionId"], row["answerId"], row["criterion"]) == ("1", "Doc_01", "1")]
    # Judges are called as in the recipe, not as their models, of which several may be one.
    assert {row["judge"] for row in table} == {"judge"}
    # The first of two criteria: places 1, 3, 5, 7, and backwards 8, 6, 4, 2.
    assert [(row["order"], row["dimension"], row["score"]) for row in own] == [
        *(("original", name, str(place)) for name, place in zip(DIMENSIONS, (1, 3, 5, 7), strict=True)),
        *(("reversed", name, str(place)) for name, place in zip(DIMENSIONS[::-1], (2, 4, 6, 8), strict=True)),
    ]


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


def test_opinions_on_reports_alone_with_as_many_answers_as_each_question_has(judge, judging, tmp_path):
    judge.script = with_probabilities
    recipe = tmp_path / "own.toml"
    recipe.write_text(
        'recipe = 1\nname = "own"\n[[ask]]\ndo = "llm-rubric"\nname = "opinions"\nrequest = "no"\n'
        '[[question]]\nname = "Q0"\ntext = { en = "Is it good?" }\noptions = { en = ["no", "hardly", "yes"] }\n'
        '[[question]]\nname = "Q1"\ntext = { en = "How good?" }\noptions = { en = ["a", "b", "c", "d"] }\n'
    )
    _, _, _, out = judging(recipe)
    assert len(judge.seen) == 24
    assert not any("cooling a small data centre" in whole(seen) for seen in judge.seen)
    by_question = {row["criterion"]: row for row in rows(out / "opinions.tsv")}
    values = {name: [row[f"answer{n}_prob"] for n in (1, 2, 3, 4)] for name, row in by_question.items()}
    # Half of the mass on 3; the quarter on 4 is no answer to the first question.
    assert [float(value) for value in values["Q0"]] == pytest.approx([0, 0, 0.5, 0])
    assert [float(value) for value in values["Q1"]] == pytest.approx([0, 0, 0.5, 0.25])
    assert {name: row["n_options"] for name, row in by_question.items()} == {"Q0": "3", "Q1": "4"}


def test_a_recipe_names_dimensions_and_scale(judge, judging, tmp_path):
    recipe = tmp_path / "own.toml"
    recipe.write_text(
        'recipe = 1\nname = "own"\n[[ask]]\ndo = "holistic"\ndimensions = ["insight", "readability"]\n'
        'scale = [2, 7]\n[[step]]\ndo = "run"\nfrom = "holistic"\n'
    )
    judge.script = by_quality
    _, _, _, out = judging(recipe)
    assert {tuple(wanted(seen)) for seen in judge.seen} == {("insight", "readability")}
    assert all('"insight": <2-7>' in seen.asked for seen in judge.seen)
    header, *lines = (out / "holistic.txt").read_text().splitlines()
    assert header.split("\t")[3:] == ["insight_score", "readability_score"]
    # 8, 9 and 8 lie above the scale, and none below it.
    kept = {key: [str(quality)] * 2 for key, quality in QUALITY.items() if 2 <= quality <= 7}
    assert len(lines) == len(kept) == 9
    assert run_rows(out / "holistic.txt") == kept
    assert {own["kind"] for own in report(out)["missing"]} == {"out_of_range"}


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


def test_an_answer_that_one_of_two_judges_lost_is_left_out_and_no_other(judge, judging):
    def script(seen):
        lost = seen.body["model"] == "n" and qualities(seen) == [9]
        return Answer(text="no", model="n") if lost else by_quality(seen)

    judge.script = script
    code, _, _, out = judging("anchored-pairs", "--judge", "second=n")
    assert code == 1
    assert run_rows(out / "run.txt").keys() == QUALITY.keys() - {("2", "Doc_03")}


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


@pytest.mark.parametrize(
    ("recipe", "column", "blank"),
    [
        # Two criteria of insight in two orders, all eight criteria, and three pairs in four dimensions and two orders.
        ("one-dimension", "score", 4),
        ("one-call", "score", 8),
        ("pairwise", "winner", 24),
    ],
)
def test_what_a_lost_call_was_to_give_stays_blank(judge, judging, recipe, column, blank):
    def script(seen):
        lost = 9 in qualities(seen) and (recipe != "one-dimension" or "Weighs trade-offs" in whole(seen))
        return Answer(text="no", model="m") if lost else by_quality(seen)

    judge.script = script
    code, _, _, out = judging(recipe, "--attempts", "1")
    assert code == 1
    table = rows(out / f"{recipe}.tsv")
    lost = [row for row in table if row[column] == ""]
    assert len(lost) == blank
    assert all("Doc_03" in row.values() and row["questionId"] == "2" for row in lost)
    assert {row[column] for row in table} <= {"", *"23456789", "left", "right", "tie"}
    if recipe != "pairwise":
        assert run_rows(out / "run.txt").keys() == QUALITY.keys() - {("2", "Doc_03")}


def test_what_the_order_of_criteria_does_is_told(judge, judging):
    last = ("Gives figures", "Draws a reasoned conclusion", "Keeps the requested form", "Plain wording")

    def script(seen):
        backwards = any(f"C1. {text}" in whole(seen) for text in last)
        return replied(seen, dict.fromkeys(wanted(seen), qualities(seen)[0] + backwards))

    judge.script = script
    _, _, _, out = judging("one-dimension")
    # Of two criteria of twelve answers: a point more backwards; the variance of two numbers a point apart is a half.
    for dimension in DIMENSIONS:
        assert f"| `one-dimension` | {dimension} | 24 | 1.0000 | 0.5000 |" in (out / "report.md").read_text()


def test_money_is_told_at_a_price_only_and_nothing_costs_twice(judge, judging):
    judge.script = by_quality
    _, _, _, out = judging("holistic")
    assert (report(out)["money"], report(out)["this_time"]["money"]) == (None, None)
    judging("holistic", "--price", "1,2")
    # 12 replies of 10 tokens in and 5 out, which were there already.
    assert report(out)["money"] == pytest.approx((120 + 2 * 60) / 1e6)
    assert report(out)["this_time"]["money"] == 0


def test_a_written_recipe_is_not_repeated_on_other_reports(judge, judging, tmp_path, capsys):
    judge.script = by_quality
    _, _, _, out = judging("holistic")
    path = tmp_path / "reports.jsonl"
    path.write_text(path.read_text().replace("Of quality 9", "Of quality 8"))
    judge.reset(by_quality)
    code, _, complaint = call(capsys, "judge", out / "recipe.toml", "-o", tmp_path / "again")
    assert code == 2
    assert "their texts differ" in complaint
    assert judge.seen == []


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
    # The first of every question, so that every language is tried.
    assert run_rows(out / "run.txt").keys() == {(question, "Doc_01") for question in "123"}
    # That the rest is not there is meant, and no error.
    assert "error" not in {own["severity"] for own in report(out)["built"]["problems"]}
    code, _, _, _ = judging("holistic")
    assert (code, len(judge.seen), len(run_rows(out / "run.txt"))) == (0, 12, 12)


def test_the_order_of_the_reports_changes_no_byte(judge, judging, tmp_path):
    judge.script = by_quality
    names = ("run.txt", "pairs.tsv", "criteria.tsv", "scores.txt", "recipe.toml", "build.toml")
    options = ("--judge", "second=n", "--trial", "7")
    _, _, _, out = judging("tie-break", *options)
    before = {name: (out / name).read_bytes() for name in names if (out / name).exists()}
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    judge.reset(by_quality)
    judging("tie-break", *options)
    # Nor is anything asked anew: the same reports are the first seven.
    assert judge.seen == []
    assert {"run.txt", "scores.txt", "recipe.toml"} <= before.keys()
    assert {name: (out / name).read_bytes() for name in before} == before


def test_a_budget_stops_cleanly_and_the_same_command_goes_on(judge, judging):
    judge.script = by_quality
    code, told, _, out = judging("holistic", "--budget-calls", "5")
    assert code == 1
    assert "stopped: the budget of 5 calls is spent" in told
    assert (len(judge.seen), len(run_rows(out / "run.txt"))) == (5, 5)
    code, _, _, _ = judging("holistic")
    assert (code, len(judge.seen), len(run_rows(out / "run.txt"))) == (0, 12, 12)


@pytest.mark.parametrize("limit", [("--budget-tokens",), ("--price", "1e6,1e6", "--budget-money")])
def test_tokens_and_money_are_spent_up_to_the_budget_and_no_further(judge, judging, limit):
    judge.script = by_quality
    judging("holistic", "--trial", "1", folder="trial")
    [body] = [seen.body for seen in judge.seen]
    # 0.3 tokens a letter, 8 a message, and all that may come back.
    most = sum(round(0.3 * len(message["content"])) + 8 for message in body["messages"]) + body["max_tokens"]
    judge.reset(by_quality)
    # A call takes 15 tokens: before the first, 15 after it, 30 and 45 there is room for one at its most.
    code, told, _, out = judging("holistic", *limit, str(most + 45), "--concurrency", "1")
    assert code == 1
    assert len(judge.seen) == len(run_rows(out / "run.txt")) == 4
    assert report(out)["stopped"]["kind"] == "budget"
    assert "stopped: the next call could pass the budget" in told


def test_how_to_ask_is_as_the_options_say(judge, judging, capsys):
    judge.script = lambda seen: Answer(text="no", model="m", wait=0.05) if qualities(seen) == [9] else waiting(seen)
    options = ("--temperature", "0.7", "--seed", "5", "--extra", '{"top_k": 3}', "--attempts", "2")
    code, _, _, out = judging("holistic", *options, "--concurrency", "3")
    assert code == 1
    assert judge.most_at_once == 3
    bodies = [seen.body for seen in judge.seen]
    assert {body["temperature"] for body in bodies} == {0.7}
    assert {body["top_k"] for body in bodies} == {3}
    # The unreadable one again, as another sample.
    assert sorted(body["seed"] for body in bodies) == [5] * 12 + [6]
    assert (report(out)["temperature"], report(out)["seed"]) == (0.7, 5)
    again = out.parent / "again"
    judge.reset(judge.script)
    call(capsys, "judge", out / "recipe.toml", "-o", again, "--attempts", "2")
    assert {(seen.body["temperature"], seen.body["top_k"]) for seen in judge.seen} == {(0.7, 3)}
    assert sorted(seen.body["seed"] for seen in judge.seen) == [5] * 12 + [6]
    assert (again / "run.txt").read_bytes() == (out / "run.txt").read_bytes()


def waiting(seen):
    return replace(by_quality(seen), wait=0.05)


def test_no_call_takes_longer_than_it_may(judge, judging):
    judge.script = lambda seen: Answer(hang=True) if seen.number == 0 else by_quality(seen)
    start = time.monotonic()
    code, _, _, _ = judging("holistic", "--timeout", "0.5")
    assert (code, len(judge.seen)) == (0, 13)
    assert time.monotonic() - start < 25


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
