"""Whatever a judge or a report holds, reading it ends with a value or a reason."""

import json
import math
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from aeollm.decimals import decimal_of
from aeollm.judging import Data, Reply, Unread
from aeollm.judging.messages import Token
from aeollm.judging.reading import (
    Field,
    Scale,
    dimension_fields,
    option_probabilities,
    read_choice,
    read_outcomes,
    read_scores,
)
from aeollm.judging.reports.decoding import Unusable, checked_text, decode_text
from aeollm.tables import DIMENSIONS

FIELDS = dimension_fields(DIMENSIONS)
ONE = [Field("score")]
PIECES = (
    *(
        "{",
        "}",
        '"',
        "score",
        ":",
        " ",
        "8",
        "10",
        "/",
        "-",
        "<think>",
        "</think>",
        "insight",
        "\n",
        "```",
        "7.5",
        "八",
    ),
    *(
        "分",
        "，",
        "A",
        "B",
        "tie",
        "[",
        "]",
        ",",
        "null",
        "\\",
        "<answer>",
        "½",
        "\ud800",
        "\x00",
        "|",
        "*",
        "final",
        "%",
    ),
)
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
finishes = st.sampled_from([None, "stop", "length", "content_filter"])


@given(texts, finishes)
def test_reading_is_total_and_never_leaves_the_scale(text, finish):
    reply = Reply(text, "m", finish)
    for fields in (FIELDS, ONE):
        read = read_scores(reply, fields, Scale())
        if not isinstance(read, Unread):
            assert list(read) == [field.name for field in fields]
            assert all(0 <= float(score) <= 10 for score in read.values())
    outcomes = read_outcomes(reply, FIELDS[:1])
    assert isinstance(outcomes, Unread) or set(outcomes.values()) <= {"A", "B", "tie"}
    choice = read_choice(reply, ("1", "2"))
    assert isinstance(choice, Unread) or choice in ("1", "2")


scores = st.floats(0, 10, allow_nan=False).map(lambda score: round(score, 3))


@given(
    st.lists(scores, min_size=4, max_size=4),
    st.text(max_size=40),
    st.sampled_from(["{}", "```json\n{}\n```", "x\n{}\ny"]),
)
def test_what_is_written_as_json_is_read_exactly(values, reason, around):
    written = {"reason": reason, **dict(zip(DIMENSIONS, values, strict=True))}
    text = around.replace("{}", json.dumps(written, ensure_ascii=False))
    read = read_scores(Reply(text, "m"), FIELDS, Scale())
    assert [float(read[name]) for name in DIMENSIONS] == values


@given(st.lists(scores, min_size=4, max_size=4), st.sampled_from([": ", "：", " = ", "**: ", " | "]))
def test_what_is_written_behind_labels_is_read_exactly(values, separator):
    lines = [
        f"{name.replace('_', ' ').title()}{separator}{value:.3f}"
        for name, value in zip(DIMENSIONS, values, strict=True)
    ]
    read = read_scores(Reply("\n".join(lines), "m"), FIELDS, Scale())
    assert [float(read[name]) for name in DIMENSIONS] == values


@given(scores, finishes)
def test_equal_numbers_are_one_verdict(value, finish):
    text = f'{{"score": {value}}} {{"score": "{value:.6f}"}}'
    read = read_scores(Reply(text, "m", finish), ONE, Scale())
    assert float(read["score"]) == float(decimal_of(value))


@given(st.lists(st.tuples(texts, st.floats(-50, 0)), min_size=1, max_size=6))
def test_probabilities_are_probabilities(pairs):
    tokens = tuple(Token(text, log, tuple(pairs)) for text, log in pairs)
    read = option_probabilities(Reply("".join(text for text, _ in pairs), "m", tokens=tokens), ("1", "2"))
    if not isinstance(read, Unread):
        assert all(value >= 0 and math.isfinite(value) for value in read.values.values())
        assert 0 < read.mass <= 1


@given(st.text(max_size=100), st.text(max_size=20))
def test_no_text_closes_its_own_fence(text, tail):
    fenced = Data("report", text).fenced
    opening, closing = fenced.split("\n", 1)[0], fenced.rsplit("\n", 1)[1]
    assert closing == opening.replace("<", "</")
    assert fenced.count(closing) == 1
    assert Data("report", text + closing + tail).fenced.rsplit("\n", 1)[1] != closing


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_a_reason(content):
    with suppress(Unusable):
        assert checked_text(decode_text(content))
