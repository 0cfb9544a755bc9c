"""What may be told about hidden labels: rounding, types without room for more, fields of a submission."""

import copy
import logging
import pickle
from dataclasses import fields
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm import read_labels
from aeollm.errors import HostingError
from aeollm.exports import live_board_csv
from aeollm.sources import LabelSet
from aeollm.submissions import Aggregate, Figure, Rounded, split_file_name
from aeollm.submissions.fields import check_fields
from aeollm.submissions.hidden import HiddenLabels
from aeollm.tables import Policy
from tests.hosted import HALF, KEY, LABELS, draft, host
from tests.small_files import labels_csv, run_text

MEASURES = ("spearman", "kendall", "accuracy")
SIGNATURE = "labels=x@1"


def figures(mean=None, views=("overall",), measures=MEASURES):
    return {view: {measure: Figure(mean, 0) for measure in measures} for view in views}


@given(st.floats(-1, 1), st.integers(0, 4))
def test_rounding_is_that_of_exact_arithmetic(number, decimals):
    # Python rounds a Fraction exactly, half to even.
    assert Rounded.of(number, decimals).units == round(Fraction(number) * 10**decimals)


def test_how_numbers_are_written():
    written = [str(Rounded.of(x, 3)) for x in (0.5, -0.25, 1.0, -1.0, 0.0004, -0.0004, 0.0005)]
    # 0.0005 in binary is a little above its half.
    assert written == ["0.500", "-0.250", "1.000", "-1.000", "0.000", "0.000", "0.001"]
    assert str(Rounded.of(0.7, 0)) == "1"
    assert float(Rounded.of(0.12345, 2)) == 0.12


def test_undefined_is_not_zero():
    assert Rounded.of(None, 4) is None
    assert Rounded.of(float("nan"), 4) is None


@pytest.mark.parametrize("made", [(5, 5), (11, 1), (-11, 1), (0, -1), (0.5, 2), (True, 2)])
def test_a_rounded_number_holds_nothing_else(made):
    with pytest.raises(ValueError, match="needed"):
        Rounded(*made)


def test_an_aggregate_holds_views_and_measures_only():
    many = ("overall", *(f"question {n}" for n in range(20)))
    finer = figures(Rounded(5, 4))
    for wrong, decimals in (
        (figures(views=("insight",)), 4),
        (figures(views=many), 4),
        (figures(measures=("spearman",)), 4),
        (figures(measures=(*MEASURES, "q1")), 4),
        (finer, 3),
    ):
        with pytest.raises(ValueError, match=r"needed|decimals"):
            Aggregate(wrong, decimals, SIGNATURE)
    assert {field.name for field in fields(Aggregate)} == {"figures", "decimals", "signature"}
    assert Aggregate(finer, 4, SIGNATURE).to_json()["scores"]["overall"]["kendall"] == {"mean": 0.0005, "undefined": 0}


def hidden(**fields):
    labels = read_labels(labels_csv([*LABELS[:-1], ("2", "c", "7.7531")]), name="own")
    return HiddenLabels(LabelSet(labels, None), "hidden", fields.get("key", KEY))


def test_hidden_labels_cannot_be_looked_at_or_copied():
    labels = hidden()
    public = [name for name in dir(labels) if not name.startswith("_")]
    values = {name: getattr(labels, name) for name in public if not callable(getattr(labels, name))}
    assert values == {
        "answers": 6,
        "demo": False,
        "dimensions": ("comprehensiveness", "insight", "instruction_following", "readability"),
        "name": "hidden",
        "questions": 2,
        "version": labels.version,
    }
    for told in (repr(labels), str(labels), repr(vars(type(labels))), repr(labels.check(HALF, "f"))):
        assert "7.75" not in told
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            take(labels)


def test_the_version_of_hidden_labels_is_no_hash_that_a_guess_can_be_checked_against():
    labels = read_labels(labels_csv([*LABELS[:-1], ("2", "c", "7.7531")]), name="own")
    versions = [hidden(key=key).version for key in (KEY, KEY, KEY + "2")]
    assert versions[0] == versions[1] != versions[2]
    assert labels.digest[:8] not in (*versions, hidden().signature(Policy(), "0" * 64))


def test_labels_without_scores_cannot_be_hidden_ones():
    keys = read_labels(b"questionId,answerId\n1,a\n1,b\n", name="own")
    with pytest.raises(HostingError, match="0 dimensions"):
        HiddenLabels(LabelSet(keys, None), "hidden", KEY)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("teamId_methods.txt", ("teamId", "methods")),
        ("ISLab_llama3-1_baseline5.txt", ("ISLab", "llama3-1_baseline5")),
        ("C:\\runs\\A_b.c.tsv", ("A", "b.c")),
        ("../../A_b", ("A", "b")),
        ("队伍_方法.txt", ("队伍", "方法")),
        ("run.txt", (None, None)),
        ("_b.txt", (None, None)),
        ("A_.txt", (None, None)),
        ("", (None, None)),
    ],
)
def test_file_names_are_split_at_the_first_underscore_only(name, parts):
    assert tuple(split_file_name(name)) == parts


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("a.txt", "m", ""), []),
        (("a.txt", "方法 <b>&amp;</b>", "line\nline"), []),
        (("", "", ""), ["field_empty", "field_empty"]),
        (("/", " \t ", ""), ["field_empty", "field_empty"]),
        (("n" * 256, "m" * 81, "d" * 2001), ["field_too_long"] * 3),
        (("n" * 255, "m" * 80, "d" * 2000), []),
        (("a\x00b", "m\x1b[31m", "d\x07"), ["field_characters"] * 3),
        (("a", "m\u202egpj", "d\u2028e"), ["field_characters"] * 2),
        (("a", "two\nlines", "tab\there"), ["field_characters"] * 2),
        (("a", "\ud800", "\ufeff"), ["field_characters"] * 2),
        (("a", "क\u200dष", ""), []),
        # Drawn as nothing, or over the lines around.
        (("\u200d", "\u0301\u0301", ""), ["field_empty"] * 2),
        (("a\u3164", "\u2800", "\u115f"), ["field_characters"] * 3),
        (("a", "m" + "\u0337" * 5, "d" + "\u0e49" * 4), ["field_characters"]),
    ],
)
def test_texts_beside_the_file(texts, expected):
    assert [problem.kind for problem in check_fields(*texts)[1]] == expected


def test_texts_are_kept_in_one_normal_form():
    kept, _ = check_fields("dir/A_b.txt", " Me\u0301thode ", "one\r\ntwo\rthree\n")
    assert kept == ("A_b.txt", "Méthode", "one\ntwo\nthree")


def test_nothing_that_a_host_gives_holds_a_label_or_a_question(tmp_path, caplog):
    """Labels and question ids that occur nowhere else are looked for in everything that comes out."""
    caplog.set_level(logging.DEBUG)
    rows = [(f"canary{q}", a, f"{s}.31415926{q}") for q in (1, 2, 3) for a, s in zip("abcd", (1, 2, 3, 4), strict=True)]
    orders = ("1234", "2143", "1342")  # tau 1, 1/3 and 1/3
    run = run_text(
        [
            (f"canary{q}", a, s)
            for q, order in zip((1, 2, 3), orders, strict=True)
            for a, s in zip("abcd", order, strict=True)
        ]
    )
    shown = host(tmp_path, rows=rows)
    done = shown.submit(draft(run))
    given = [
        done,
        done.receipt.to_json(),
        shown.own("ann", "A"),
        shown.board("dry"),
        shown.health(),
        shown.check(run, "f", "dry"),
    ]
    told = (
        repr(given)
        + live_board_csv(shown.board("dry")).decode()
        + caplog.text
        + repr(vars(shown))
        + repr(vars(shown._scoreboard))
    )
    assert "31415926" not in told
    assert "canary" not in told
    # The mean of the three, 5/9, and no value of a question alone.
    assert str(done.own.aggregate.mean("overall", "kendall")) == "0.5556"
    assert "3333" not in told
