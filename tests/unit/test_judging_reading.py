"""What judges really write: read exactly, or refused with its kind; never 0, never the nearest number."""

import json
from pathlib import Path

import pytest

from aeollm.decimals import Decimal
from aeollm.judging import Reply, Unread
from aeollm.judging.reading import (
    SCORE,
    WINNER,
    Field,
    Scale,
    criterion_fields,
    dimension_fields,
    outcomes_schema,
    read_choice,
    read_outcomes,
    read_scores,
    scores_schema,
)
from aeollm.tables import DIMENSIONS

DEV = Path(__file__).parents[1] / "cases" / "dev"
FOUR = dimension_fields(DIMENSIONS)
TWO = (Field("insight"), Field("readability"))


def told(read):
    return read.kind if isinstance(read, Unread) else {name: float(value) for name, value in read.items()}


def cases():
    for case in ("C31", "C33"):
        expected = json.loads((DEV / case / "expected.json").read_text("utf-8"))["checks"][0]["replies"]
        for line in (DEV / case / "replies.jsonl").read_text("utf-8").splitlines():
            reply = json.loads(line)
            yield pytest.param(reply, expected[reply["id"]], id=f"{case}-{reply['id']}")


@pytest.mark.parametrize(("reply", "expected"), list(cases()))
def test_dev_cases(reply, expected):
    read = read_scores(Reply(reply["content"] or "", "m", reasoning=reply.get("reasoning_content")), FOUR, Scale())
    if isinstance(read, Unread):
        shown = {"failure": read.kind} | ({"dimension": f"{read.column}_score"} if read.column else {})
    else:
        shown = {f"{name}_score": float(value) for name, value in read.items()}
    assert shown in expected.get("any_of", [expected])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", 8),
        (" 8\n", 8),
        ("**8**", 8),
        ("8/10", 8),
        ("8 / 10", 8),
        ("8 out of 10", 8),
        ("[[8]]", 8),
        ("\\boxed{8}", 8),
        ("$\\boxed{7.5}$", 7.5),
        ("Score: 8", 8),
        ("score = 7.5.", 7.5),
        ("Rating: [[6]]", 6),
        ("**Score**: 8/10", 8),
        ("Final score: **9**", 9),
        ("# Score\n8", 8),
        ("8\n\nThe report has 3 parts.", 8),
        ("The report has 3 parts.\n\n8", 8),
        ("<answer>8</answer>", 8),
        ("<answer>8", 8),
        ("<|begin_of_box|>8<|end_of_box|>", 8),
        ("Score: 10", 10),
        ("Score: 0", 0),
        ("0", 0),
        ("Score: 0.0", 0),
        ("Score: eight", 8),
        ("评分：8", 8),
        ("评分：\uff18分", 8),
        ("得分是八点五分。", 8.5),
        ("\uff18\uff0e\uff15", 8.5),
        ("八", 8),
        ("十分", 10),
        ("最终评分：9分（满分10分）", 9),
        ("总分：7", 7),
        ("8½", 8.5),
        ("Score: 8 - well argued", 8),
        ("Score: 8 (good)", 8),
        ("Score: 8, since it is clear", 8),
        ("{'score': 8}", 8),
        ('{"score": 8,}', 8),
        ("{score: 8}", 8),
        ('{"score": 8 // clear\n}', 8),
        ("{“score”: 8}", 8),
        ('{"评分": 8}', 8),
        ('{"rating": {"value": 8}}', 8),
        ('{"result": {"score": "8/10"}}', 8),
        ('[{"score": 8}]', 8),
        ('{"score": 8} {"score": 8.0}', 8),
        ('{"score": 5}\nOn reflection, my final score:\n{"score": 6}', 6),
        ('{"score": 5}\nWait, let me reconsider.\n{"score": 6}', 6),
        ("评分：5\n重新考虑后，评分：6", 6),
        ('{"reason": "the "best" one", "score": 8}', 8),
        ("**Score:**\n8", 8),
        ("Score: 5\nRevised score: 6", 6),
        ('```json\n{"score": 8}\n```', 8),
        ("```\n8\n```", 8),
        ('~~~\n{"score": 8}\n~~~', 8),
        ('<|channel|>analysis<|message|>maybe 3<|end|><|start|>assistant<|channel|>final<|message|>{"score": 8}', 8),
        ("[THINK]3?[/THINK]8", 8),
        ("◁think▷3?◁/think▷8", 8),
        ("<reasoning>\n3\n</reasoning>\n\nScore: 8", 8),
        ('<think>\nuse <think> tags: {"score": 2}\n</think>\n{"score": 8}', 8),
        ('{"reason": "it shows <think> and </think>", "score": 8}', 8),
        ('{"reason": "a } and a { and \\"score\\": 3", "score": 8}', 8),
        ('{"score": 8e0}', 8),
        ('{"score": 8.50}', 8.5),
        ("| Score | 8 |", 8),
        ("Score → 8", 8),
        ("Score: 8 points", 8),
        ("Score (0-10): 8", 8),
        ("Score is 8.", 8),
        ("The score is: **8**", 8),
        ("**8**/10", 8),
        ("<score>8</score>", 8),
        ("Score: <8>", 8),
        ("Score: $8$", 8),
        ('{"score": "**8**"}', 8),
        ('{"score": [8]}', 8),
        ('{"score": 8 /* clear */}', 8),
        ("Overall: 8", 8),
        ("I first thought 6. Final: 7", 7),
        ("Score: 8/10 because 3 of 5 parts are there", 8),
        ("Score: 8 Reason: it is clear", 8),
        ("I would rate this report 8 out of 10.", 8),
        ("我给这份报告打8分。", 8),
        ("8分（满分10分）", 8),
        ("| Score |\n|---|\n| 8 |", 8),
    ],
)
def test_one_score(text, expected):
    assert told(read_scores(Reply(text, "m"), [SCORE], Scale())) == {"score": expected}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "no_answer"),
        ("   \n", "no_answer"),
        ("A good report.", "no_answer"),
        ("There are 8 sources.", "no_answer"),
        ("Score\n\n- 8\n- 9 sources", "no_answer"),
        ("Sources: 8", "no_answer"),
        ("In 2024 it rose by 8%.", "no_answer"),
        ("<think>8</think>", "no_answer"),
        ("<think>8", "truncated"),
        ('{"score": ', "truncated"),
        ('{"score": 8', "truncated"),
        ('{"reason": "it is', "truncated"),
        ("<|channel|>analysis<|message|>I would say 8", "truncated"),
        ("I'm sorry, but I cannot rate this.", "refusal"),
        ("As an AI, I do not rate.", "refusal"),
        ("抱歉，我无法评分。", "refusal"),
        ("Score: 7-8", "range"),
        ("Score: 6, no wait, 7", "range"),
        ("Score: 7 (maybe 8)", "range"),
        ("Score: 7-\n", "not_a_number"),
        ("I would not give it 8/10.", "no_answer"),
        ("Coverage is 7/10, but depth lacks.", "no_answer"),
        ("7–8", "range"),
        ("7 to 8", "range"),
        ("7~8分", "range"),
        ("7到8", "range"),
        ("8 or 9", "range"),
        ('{"score": "7-8"}', "range"),
        ("Score: 8 ± 1", "range"),
        ('{"score": "seven to eight"}', "range"),
        ("Score: 80/100", "other_scale"),
        ("4/5", "other_scale"),
        ("85%", "other_scale"),
        ('{"score": "80 out of 100"}', "other_scale"),
        ("Score: 11", "out_of_range"),
        ("-1", "out_of_range"),
        ('{"score": 10.0000001}', "out_of_range"),
        ("九十分", "out_of_range"),
        ('{"score": 85}', "out_of_range"),
        ('{"score": -0.5}', "out_of_range"),
        ('{"score": 1e999}', "not_a_number"),
        ('{"score": true}', "not_a_number"),
        ('{"score": null}', "not_a_number"),
        ('{"score": "N/A"}', "not_a_number"),
        ('{"score": NaN}', "not_a_number"),
        ('{"score": Infinity}', "not_a_number"),
        ('{"score": []}', "not_a_number"),
        ('{"score": "7,5"}', "not_a_number"),
        ("Score: 7,5", "not_a_number"),
        ('{"score": "good"}', "not_a_number"),
        ('{"score": "about 8"}', "not_a_number"),
        ("Score: 8.5.2", "not_a_number"),
        ("Score: 8+", "not_a_number"),
        ("七分半", "no_answer"),
        ("Score: 七八分", "not_a_number"),
        ("Score: 10 of the 12 sources", "not_a_number"),
        ('{"score": "10 of the 12 sources"}', "not_a_number"),
        ("Score: 8²", "not_a_number"),
        ('{"score": 3} {"score": 7}', "ambiguous"),
        ('{"score": 3, "score": 7}', "ambiguous"),
        ("Score: 3\nScore: 7", "ambiguous"),
        ("3\n\n7", "ambiguous"),
        ("<answer>3</answer> <answer>7</answer>", "ambiguous"),
        ('Draft {"score": 3}\n<think>x</think>{"score": 7}', "ambiguous"),
    ],
)
def test_no_score_is_told_and_never_guessed(text, kind):
    assert told(read_scores(Reply(text, "m"), [SCORE], Scale())) == kind


@pytest.mark.parametrize(
    "text",
    [
        '{"insight": 7, "readability": 8}',
        '{"Insight Score": "7", "Readability (0-10)": "8/10"}',
        '{"scores": {"insight": {"score": 7, "reason": "3 ideas"}, "readability": {"score": 8, "reason": "5 parts"}}}',
        '[{"dimension": "Insight", "score": 7}, {"dimension": "Readability", "score": 8}]',
        '{"results": [{"name": "insight", "reason": "", "rating": 7}, {"name": "readability", "rating": 8}]}',
        '{"insight": 7}\n{"readability": 8}',
        "Insight: 7\nReadability: 8",
        "Insight: 7, Readability: 8",
        "- **Insight**: 7/10 - deep\n- **Readability**: 8/10 - clear",
        "| Insight | 7 |\n| Readability | 8 |",
        "| Dimension | Score |\n|---|---|\n| Insight | 7 | \n| Readability | 8 | ",
        "## Insight\nScore: 7\n## Readability\nScore: 8",
        "1. Insight (weight 0.4): 7\n2. Readability (weight 0.2): 8",
        "Insight score: 7; readability score: 8.",
        "Insight = 7\n\nThe readability, at 3 pages, is fine.\nReadability = 8",
        "insight：\uff17分，readability：\uff18分",
        "INSIGHT — 7\nREADABILITY — 8",
        "**Insight (7/10):** The report has 3 ideas.\n**Readability (8/10)** It is clear.",
        "Insight (1/2): 7/10\nReadability (2/2): 8/10",
        "Insight: **7** (of 10 possible)\nReadability: **8**",
        "Insight: 7 Readability: 8",
        "Insight: Good (7/10)\nReadability: Very good, 8/10",
        "<insight>7</insight><readability>8</readability>",
        "| Insight | Readability |\n|---|---|\n| 7 | 8 |",
        "| Dimension | Weight | Score |\n|---|---|---|\n| Insight | 0.3 | 7 |\n| Readability | 0.2 | 8 |",
        "| # | Name | Why | Score |\n|-|:-|:-|-:|\n| 1 | **Insight** | 3, 4 | **7** |\n| 2 | Readability | | 8/10 |",
        "### Insight\n7/10\n### Readability\n8/10",
        "## 1. Insight\n\nIt has 3 ideas.\n\nScore: 7\n\n## 2. Readability\n\nClear. Score: 8/10",
        '{"scores": [{"aspect": "insight", "score": 7}, {"metric": "readability", "score": 8}]}',
        '{"insight": {"reasoning": "deep", "final": 7}, "readability": [8]}',
    ],
)
def test_two_dimensions(text):
    assert told(read_scores(Reply(text, "m"), TWO, Scale())) == {"insight": 7, "readability": 8}


def test_chinese_names_of_the_dimensions():
    text = "全面性：8\n洞察力：7.5分\n指令遵循：九分\n可读性评分：\uff18"
    assert list(told(read_scores(Reply(text, "m"), FOUR, Scale())).values()) == [8, 7.5, 9, 8]


@pytest.mark.parametrize(
    ("text", "kind", "column"),
    [
        ('{"insight": 7}', "missing_dimension", "readability"),
        ("Insight: 7", "missing_dimension", "readability"),
        ('{"insight": 7, "readability": null}', "not_a_number", "readability"),
        ("Insight: 7\nReadability: 6-7", "range", "readability"),
        ("Insight (7/10): 6\nReadability: 8", "ambiguous", "insight"),
        ('{"insight": 70, "readability": 8}', "out_of_range", "insight"),
        ("Insight: 6\nReadability: 8\nFinal: Insight 7, Readability 8", "ambiguous", "insight"),
    ],
)
def test_the_dimension_at_fault_is_named(text, kind, column):
    read = read_scores(Reply(text, "m"), TWO, Scale())
    assert (read.kind, read.column) == (kind, column)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"insight": 7, "readability": 8}', {"insight": 7, "readability": 8}),
        ("Insight: 7\nReadability: 1", "truncated"),
        ('{"insight": 7}', "truncated"),
        ("Insight: 7", "truncated"),
        ('{"insight": 7, "readability": 8}\nAs to the 3 sou', {"insight": 7, "readability": 8}),
        ("Well, this", "truncated"),
    ],
)
def test_cut_replies(text, expected):
    assert told(read_scores(Reply(text, "m", "length"), TWO, Scale())) == expected


def test_criteria_by_number_and_by_text():
    fields = criterion_fields(["C1", "C2"], ["Names its sources", "Dates them"])
    for text in (
        '{"C1": 7, "C2": 8}',
        '{"Names its sources": 7, "Dates them": 8}',
        '[{"criterion": "C1", "score": 7}, {"criterion": "Dates them", "score": 8}]',
        "C1: 7\nC2: 8",
    ):
        assert told(read_scores(Reply(text, "m"), fields, Scale())) == {"C1": 7, "C2": 8}
    ten = criterion_fields([f"C{n}" for n in range(1, 11)], [""] * 10)
    text = "\n".join(f"C{n}: {n}" for n in range(1, 11))
    assert told(read_scores(Reply(text, "m"), ten, Scale())) == {f"C{n}": n for n in range(1, 11)}


def test_a_verdict_behind_many_objects():
    reasons = json.dumps([{"step": n, "notes": {"a": {"b": n}}} for n in range(300)])
    assert told(read_scores(Reply(reasons + ' {"score": 8}', "m"), [SCORE], Scale())) == {"score": 8}


def test_decimals_are_kept_as_written():
    read = read_scores(Reply('{"score": 0.1000000000000000055511151231257827}', "m"), [SCORE], Scale())
    assert read["score"] == Decimal(1000000000000000055511151231257827, -34)
    assert read_scores(Reply("7.0", "m"), [SCORE], Scale())["score"] == Decimal(7, 0)


def test_another_scale():
    scale = Scale(Decimal(1, 0), Decimal(5, 0))
    assert told(read_scores(Reply("Score: 4/5", "m"), [SCORE], scale)) == {"score": 4}
    assert told(read_scores(Reply("Score: 8/10", "m"), [SCORE], scale)) == "other_scale"
    assert told(read_scores(Reply("Score: 0", "m"), [SCORE], scale)) == "out_of_range"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"insight": "A", "readability": "tie"}', {"insight": "A", "readability": "tie"}),
        ('{"insight": "Report A", "readability": "B is better"}', {"insight": "A", "readability": "B"}),
        ('{"insight": {"winner": "[[B]]"}, "readability": "平局"}', {"insight": "B", "readability": "tie"}),
        ("Insight: A, since it is deeper\nReadability: **B**", {"insight": "A", "readability": "B"}),
        ("Insight: A>B\nReadability: A=B", {"insight": "A", "readability": "tie"}),
        ("Insight：报告B更好。\nReadability：持平", {"insight": "B", "readability": "tie"}),
        ('{"insight": "A", "readability": "C"}', "not_an_answer"),
        ('{"insight": "A"}', "missing_dimension"),
        ('{"insight": "A or B", "readability": "A"}', "not_an_answer"),
        ("Insight: A\nInsight: B\nReadability: A", "ambiguous"),
        ('{"insight": 1, "readability": "A"}', "not_an_answer"),
        ("<think>Insight: A", "truncated"),
        ("Insight: A is better than B\nReadability: B is worse than A", {"insight": "A", "readability": "A"}),
        ("Insight: A is better than A\nReadability: B", "not_an_answer"),
        ("Insight: report_b\nReadability: no clear winner", {"insight": "B", "readability": "tie"}),
        ("### Insight\nWinner: A\n### Readability\nWinner: B", {"insight": "A", "readability": "B"}),
    ],
)
def test_winners(text, expected):
    read = read_outcomes(Reply(text, "m"), TWO)
    assert (read.kind if isinstance(read, Unread) else read) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", "A"),
        ("[[B]]", "B"),
        ("Report A is better", "A"),
        ("Winner: B", "B"),
        ("tie", "tie"),
        ("I like both.", "no_answer"),
        ("Final answer: A", "A"),
        ("<winner>B</winner>", "B"),
        ("The better report is B.", "B"),
        ("I would not prefer A.", "no_answer"),
        ("A and B are equal", "tie"),
        ("A is not better", "no_answer"),
        ("两份报告质量相当", "tie"),
    ],
)
def test_one_winner(text, expected):
    read = read_outcomes(Reply(text, "m"), [WINNER])
    assert (read.kind if isinstance(read, Unread) else read["winner"]) == expected


@pytest.mark.parametrize(
    ("text", "finish", "expected"),
    [
        ("3", "stop", "3"),
        ("3", "length", "3"),
        ("(3)", "stop", "3"),
        ("Answer: 3.", "stop", "3"),
        ("选项：三", "stop", "3"),
        ("3. The text is good", "stop", "no_answer"),
        ('{"answer": "3"}', "stop", "3"),
        ('{"answer": 3}', "stop", "3"),
        ("5", "stop", "not_an_answer"),
        ('{"answer": "5"}', "stop", "not_an_answer"),
        ("3 or 4", "stop", "no_answer"),
        ("I cannot say.", "stop", "refusal"),
    ],
)
def test_options(text, finish, expected):
    read = read_choice(Reply(text, "m", finish), ("1", "2", "3", "4"))
    assert (read.kind if isinstance(read, Unread) else read) == expected


def test_a_cut_option_that_begins_another_one_is_not_taken():
    assert read_choice(Reply("1", "m", "length"), ("1", "10")).kind == "truncated"
    assert read_choice(Reply("1", "m", "stop"), ("1", "10")) == "1"


HOSTILE = [
    "{" * 100_000,
    "[" * 100_000,
    '{"a":' * 20_000,
    "<think>" * 20_000,
    "</think>" * 20_000,
    '"' * 100_000,
    "Score: " * 30_000,
    "(" * 100_000,
    "8" * 100_000,
    '{"score": ' + "9" * 100_000 + "}",
    "- " * 100_000,
    "\n" * 200_000,
    "a{b " * 50_000,
    "final " * 50_000,
    '{"score": 8 ' * 20_000,
    "score" * 40_000,
    "insight (" * 30_000,
    "*" * 100_000,
    "insight" + "*" * 100_000,
    "insight" + " :" * 50_000 + "\n",
    "| " * 50_000 + "|\n|-|\n",
    "|a|\n|-|\n" * 20_000,
    "|-" * 50_000 + "|\n" + "|-" * 50_000 + "|\n",
    "I give " * 30_000,
    "打" * 100_000,
    "8 (" * 50_000,
    "A is better than " * 10_000,
    "the better report is " * 10_000,
    "<insight>" * 20_000,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_replies_end_soon(number):
    for fields in ([SCORE], FOUR):
        assert isinstance(read_scores(Reply(HOSTILE[number], "m"), fields, Scale()), Unread)
    assert isinstance(read_outcomes(Reply(HOSTILE[number], "m"), FOUR), Unread)


def test_schemas():
    schema = json.loads(scores_schema(TWO, Scale()))
    assert schema["required"] == ["insight", "readability"]
    assert schema["properties"]["insight"] == {"type": "number", "minimum": 0.0, "maximum": 10.0}
    assert not schema["additionalProperties"]
    assert json.loads(outcomes_schema(TWO))["properties"]["insight"]["enum"] == ["A", "B", "tie"]
