"""A verdict that the judge takes back is not taken, nor is the new one guessed; other prose takes nothing back."""

import json
import time

import pytest

from aeollm.judging import Reply, Unread
from aeollm.judging.reading import SCORE, WINNER, Scale, dimension_fields, read_choice, read_outcomes, read_scores
from aeollm.tables import DIMENSIONS

FOUR = dimension_fields(DIMENSIONS)
OBJECT = '{"comprehensiveness": 7, "insight": 6.5, "instruction_following": 8, "readability": 5}'
LINES = "Comprehensiveness: 7\nInsight: 6.5\nInstruction following: 8\nReadability: 5"
MEANT = {"comprehensiveness": 7, "insight": 6.5, "instruction_following": 8, "readability": 5}


def scores(text, fields=FOUR):
    read = read_scores(Reply(text, "m"), fields, Scale())
    return read.kind if isinstance(read, Unread) else {name: float(value) for name, value in read.items()}


def score(text):
    read = scores(text, [SCORE])
    return read if isinstance(read, str) else read["score"]


def winner(text):
    read = read_outcomes(Reply(text, "m"), [WINNER])
    return read.kind if isinstance(read, Unread) else read["winner"]


@pytest.mark.parametrize(
    "text",
    [
        "Score: 7. On second thought: 8",
        "Score: 7. On second thought, 8.",
        "Score: 7\nOn second thought, score: 8",
        "Score: 7\n\nActually, 8.",
        "Score: 7/10. Correction: 6/10",
        "Score: 7. Actually I would rather give 5.",
        "Score: 7. Hmm, make it an 8.",
        "Score: 7. Wait. 8.",
        "Score: 7\nWait, that is too high:\n8",
        "Score: 7. Sorry, I meant 6.",
        "Score: 7\n\nI would lower it to 6/10.",
        "Score: 7\n\nLet me revise that to 6.",
        "Score: 7. In fact, it deserves a 5.",
        "Score: 7\n\nOn reflection, the sources are thin. I would give it 5/10.",
        "Score: 7\n\nScratch that, **6**.",
        "Score: 7. Actually, 5-6.",
        "Score: 7. Actually, eight.",
        "Score: 7/10. It should be 6/10.",
        "Score: 9.5 out of 10, no, 8.5 out of 10",
        "**8**\n\nOn closer inspection: 6",
        "I would rate this 8 out of 10. Thinking about it more, 6 out of 10.",
        '{"score": 7}\n\nOn reflection I would give 6.',
        '{"score": 7}\nActually, make that 6/10.',
        '{"score": 7}\nWait, on reflection:\n{"score": 3}',
        '{"score": 7}\nMy final score: 6',
        '{"score": 7}\nCorrection: \\boxed{6}',
        '{"score": 7}\nHold on, my verdict is 6.',
        '```json\n{"score": 7}\n```\nOops, that should have been 8.',
        "| Score |\n|---|\n| 7 |\n\nActually, 6.",
        "Score: 7. Upon further reflection I think a 6 is fairer.",
        "Score: 7. I have changed my mind: 6.",
        "Score: 7. EDIT: 6/10",
        "Score: 7\n\nI now think it is a 6.",
        "Score: 7. No! 6.",
        "Score: 7. Hmm, 6 then.",
        "评分：8分。更正：7分",
        "评分：8分，不，应为7分",
        "评分：8，应改为7",
        "评分：8分\n重新考虑后，评分应为7分。",
        "评分：8分。其实，我认为应该给六分。",
        "评分：8分\n\n等等，仔细想了想，改为7分。",
        '{"score": 8}\n更正：\uff17分',
        "得分为8.5。抱歉，应该是7.5分。",
        "评分：8分。我改主意了，7分吧。",
        "评分：8分。或者说7分。",
        "评分：8分。不是，7分。",
    ],
)
def test_a_score_that_is_taken_back_is_asked_again(text):
    assert score(text) == "ambiguous"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I would give 7/10; actually the structure is good.", 7),
        ('{"score": 7, "reason": "Actually, 8 would be too much; wait, 6 too little."}', 7),
        ('{"reason": "On second thought: 6.", "score": 7}', 7),
        ("I first thought 6. Actually, 8. No, 7 is right.\nScore: 7", 7),
        ("No, the report lacks 3 sources.\n\nScore: 7", 7),
        ("Wait, does it cite them? No, 2 of 5 only.\n\n7", 7),
        ("Score: 7. Actually, the structure is good.", 7),
        ("Score: 7. Actually, 7 is what it deserves.", 7),
        ("Score: 7. On reflection I would still give 7/10.", 7),
        ("Score: 7, actually covers all 5 parts", 7),
        ("Score: 7\n\nActually, 3 of the 5 sources are dead.", 7),
        ("Score: 7\n\nNo. 3 is missing.", 7),
        ("Score: 7\n\nIn fact, Table 3 is wrong.", 7),
        ("Score: 7\n\nTo raise it to 9/10, add sources.", 7),
        ("Score: 7\n\nIt could be an 8 with more sources.", 7),
        ("Score: 7\n\nI would raise it to 9 if it had sources.", 7),
        ("Score: 7\n\nWait for more data before 2026.", 7),
        ("Score: 7\n\nActually:\n1. It is clear.\n2. It is deep.", 7),
        ("Score: 7. Sorry, the text has no sources.", 7),
        ("Score: 7\nCorrections: 3 typos.", 7),
        ("Score: 7\n\nThe second section should be 2 pages.", 7),
        ("Score: 7. Make it 2 pages shorter.", 7),
        ("Score: 7. It actually improves by 20% over 2024.", 7),
        ("8\n\nOn second thought, nothing is missing.", 8),
        ("Score: 5\nRevised score: 6", 6),
        ("Draft score: 5. On reflection it is deeper.\nFinal score: 6", 6),
        ('{"score": 5}\nOn second thought, my final score:\n{"score": 6}', 6),
        ('{"score": 7} Actually, I am sure of it: {"score": 7}', 7),
        ("评分：8分。其实结构很好。", 8),
        ("评分：8分，不，没有遗漏。", 8),
        ("评分：8分\n实际上，报告引用了3篇文献。", 8),
        ("起初我想给6分，不，7分。\n评分：8分", 8),
        ("评分：8分\n若补充来源，可提高到9分。", 8),
        ("初评：6分\n最终评分：8分", 8),
    ],
)
def test_prose_that_takes_no_score_back(text, expected):
    assert score(text) == expected


@pytest.mark.parametrize("verdict", [OBJECT, LINES])
@pytest.mark.parametrize(
    "more",
    [
        "On second thought, comprehensiveness should be 5.",
        "Actually comprehensiveness: 5.",
        "Wait, I would lower the insight score to 5/10.",
        "Hmm, readability deserves a 6.",
        "Final: insight 7",
        "更正：洞察力应为7分。",
        "其实可读性改为6",
        "Actually, make that 6/10.",
    ],
)
def test_one_of_four_scores_that_is_taken_back(verdict, more):
    assert scores(f"{verdict}\n\n{more}") == "ambiguous"


@pytest.mark.parametrize(
    "text",
    [
        LINES.replace("7", "7. On second thought: 6", 1),
        LINES.replace("8", "8/10. No, 7/10", 1),
        "| Dimension | Score |\n|---|---|\n"
        + "".join(f"| {name} | 7 |\n" for name in MEANT)
        + "\nActually, insight is 5.",
        "".join(f"## {name}\nScore: 7. Wait, 6.\n" for name in MEANT),
        f"{OBJECT}\nWait, on reflection:\n{OBJECT.replace('7', '3')}",
    ],
)
def test_four_scores_of_which_one_has_a_second_thought(text):
    assert scores(text) == "ambiguous"


@pytest.mark.parametrize("verdict", [OBJECT, LINES])
@pytest.mark.parametrize(
    "more",
    [
        "",
        "Actually, the insight is in section 3.",
        "On reflection, comprehensiveness is 7.",
        "Overall score: 6.6",
        "Final score: 6.6/10",
        "Total: 26.5. Actually, the text is clear.",
        "No, readability is not helped by its 12 tables.",
        "其实全面性很好，共有5节。",
    ],
)
def test_prose_that_takes_none_of_four_scores_back(verdict, more):
    assert scores(f"{verdict}\n\n{more}") == MEANT


def test_reasons_between_four_scores_take_none_back():
    text = (
        "1. Comprehensiveness: 7, actually broad\n2. Insight: 6.5 - no, it is not shallow, wait for section 3\n"
        "3. Instruction following: 8. Fine, actually\n4. Readability: 5"
    )
    assert scores(text) == MEANT
    sections = "".join(
        f"## {name}\n\nActually good.\nScore: {value}/10\n\nIt is clear, actually.\n" for name, value in MEANT.items()
    )
    assert scores(sections) == MEANT
    sentences = " ".join(f"The {name} score: {value}/10, which is actually fair." for name, value in MEANT.items())
    assert scores(sentences) == MEANT


def test_a_draft_before_a_final_verdict_is_left_aside():
    again = f"First pass:\n{OBJECT.replace('7', '3')}\n\nAfter checking again my final answer is:\n{OBJECT}"
    assert scores(again) == MEANT


@pytest.mark.parametrize(
    "text",
    [
        "Winner: A, no, B",
        "Winner: A. On second thought: B",
        "Winner: A\n\nActually, B is better.",
        "Winner: A. Wait, it is a tie.",
        "Winner: A. Hmm, B instead.",
        "Winner: A. I take that back: B.",
        "Winner: A. I would rather choose Report B.",
        "[[A]]\n\nCorrection: [[B]]",
        '{"winner": "A"}\nActually, B is better.',
        '{"winner": "A"}\nHmm, on reflection I prefer B.',
        '{"winner": "A"}\nMy final verdict: B',
        "结论：A。更正：B",
        "胜者：A\n不，报告B更好。",
        "更好：A。其实应该是平局。",
    ],
)
def test_a_winner_that_is_taken_back_is_asked_again(text):
    assert winner(text) == "ambiguous"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No, the second report lacks sources, so A is better.\n\nWinner: A", "A"),
        ("Actually B is better at first sight.\nWinner: A", "A"),
        ("Winner: A. Actually, both lack sources.", "A"),
        ("Winner: A. Actually, B is worse.", "A"),
        ("Winner: A\nNo, B is not deeper than A.", "A"),
        ("Winner: A\nWait, a good point of B is its table.", "A"),
        ("Winner: A. Actually A is better than B.", "A"),
        ('{"reason": "Actually, B is better in style.", "winner": "A"}', "A"),
        ('{"winner": "A"}\nOn reflection, B cites more, but A argues better.', "A"),
        ("I prefer B. Actually, its style is better.", "B"),
        ("结论：A。其实B也不错。", "A"),
        ("不，B没有来源。结论：A", "A"),
    ],
)
def test_prose_that_takes_no_winner_back(text, expected):
    assert winner(text) == expected


def test_options():
    options = ("1", "2", "3")
    assert read_choice(Reply("Answer: 2. Actually, 3.", "m"), options).kind == "ambiguous"
    assert read_choice(Reply("Answer: 2. Actually, 3 parts are good.", "m"), options) == "2"
    assert read_choice(Reply("答案：2。更正：三", "m"), options).kind == "ambiguous"


def test_the_field_and_both_values_are_told():
    read = read_scores(Reply(f"{OBJECT}\nActually, insight should be 5/10.", "m"), FOUR, Scale())
    assert (read.kind, read.column) == ("ambiguous", "insight")
    assert "6.5" in read.words
    assert "5/10" in read.words


@pytest.mark.parametrize("more", ["wait " * 40_000, "no, " * 40_000, "insight " * 25_000, "final insight: " * 12_000,
                                  "actually" + " it is" * 30_000, "不，" * 90_000, "(" * 190_000])  # fmt: skip
def test_hostile_second_thoughts_end_soon(more):
    begin = time.process_time()
    scores(f"{json.dumps(MEANT)}\n{more}")
    assert time.process_time() - begin < 2
