"""The words of the interface: complete, used, and in two languages."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from aeollm.errors import Severity
from aeollm.leaderboard import PUBLISHED, ntcir18_dry_run, read_table
from aeollm.reporting.html import Html, spoken
from aeollm.reporting.words import both, in_words, known, told, words
from aeollm.ui.judge_setup import Wanted
from aeollm.ui.rendering import HEADING_WORDS, QUESTION_HEADERS
from aeollm.ui.words import heading_styles, say, translations

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "\n".join(path.read_text("utf-8") for path in (ROOT / "aeollm").rglob("*.py"))
# Columns of published tables, the first edition's subtasks, languages as `question_language` calls them.
NAMED = {name for path in PUBLISHED.glob("*.csv") for name in read_table(path)[0]} | {"chinese", "english"}
NAMED |= set(ntcir18_dry_run()[0].values)
# The fields of the Judge tab's settings.
NAMED |= {f"j_{field.name}" for field in fields(Wanted)} | {f"j_{severity}" for severity in get_args(Severity)}
# Keys that are put together: an f-string with at least three letters of its own stands for all that fit it.
BUILT = [re.sub(r"\{[^}]*\}", r"\\w+", found) for found in re.findall(r'f"([a-z_]*\{[^"{}]+\}[a-z_]*)"', SOURCE)]
BUILT = [pattern for pattern in BUILT if len(re.sub(r"\\w\+|_", "", pattern)) >= 3]
IN_VALUES = re.compile(r"\{(\w+)\}")


def test_every_word_is_there_in_both_languages():
    for key, there in words().items():
        assert set(there) == {"en", "zh"}, key
        assert all(text.strip() == text and text for text in there.values()), key
        assert sorted(IN_VALUES.findall(there["en"])) == sorted(IN_VALUES.findall(there["zh"])), key


def test_chinese_words_are_chinese():
    """Names of methods, formats and letters of mathematics are the same in both."""
    alike = {key for key, there in words().items() if there["en"] == there["zh"]}
    names = {"spearman", "kendall", "spearman_long", "kendall_long", "spearman_title", "kendall_title"}
    names |= {"spearman_short", "kendall_short", "correction_holm", "correction_bh", "interval_bca", "p"}
    names |= {"build_f", "build_is_bradley_terry", "build_is_copeland"}
    assert alike <= names
    for key, there in words().items():
        assert key in alike or re.search("[\u4e00-\u9fff]", there["zh"]), key


def test_every_word_is_used():
    assert len(BUILT) > 5
    unused = []
    for key in words():
        base = key.removesuffix("_one")
        written = re.search(rf"[\"']{base}[\"']", SOURCE) or base in NAMED
        if not written and not any(re.fullmatch(pattern, base) for pattern in BUILT):
            unused.append(key)
    assert unused == []


def test_kinds_of_problems_have_words():
    """Those of what is scored are shown folded, by kind; an unknown kind is shown in English."""
    made = set(re.findall(r'Problem\(\s*"(?:warning|note)",\s*"(\w+)"', SOURCE))
    unseen = {"no_labels", "missing_rating"}  # of annotators' ratings, which the page does not take
    assert {kind for kind in made if not known(f"kind_{kind}")} <= unseen


def test_values_are_filled_in_and_escaped():
    assert spoken(both("n_questions", n=1)) == "1 question"
    assert spoken(both("n_questions", n=1200)) == "1,200 questions"
    assert told("labels_named", name="<b>") == "Labels &lt;b&gt;"
    assert "标注集 &lt;b&gt;" in both("labels_named", name="<b>")
    assert told("labels_named", name=Html("<b>x</b>")) == "Labels <b>x</b>"
    assert told("labels_named", name="{name}") == "Labels {name}"


def test_views_of_others_are_called_as_they_are():
    assert in_words(told, "insight") == "insight"
    assert in_words(told, "my_view") == "my_view"
    assert in_words(told, "home") == "home"  # a word of ours, but not a view


def test_an_attribute_gets_the_english_alone():
    assert spoken(both("by_language", view=both("overall"), seed=0)).startswith("By language of the question (overall;")


def test_headings_of_gradios_tables_have_styles():
    style = heading_styles(("a", "b"), HEADING_WORDS)
    assert (
        ':lang(zh) :is(#a, #b) th[title="tied run"] .header::after { font-size: .875rem; content: "运行并列"; }'
        in style
    )
    assert set(QUESTION_HEADERS) - set(HEADING_WORDS) == {"ρ", "τ-b"}


def test_gradio_knows_every_word():
    for there in translations().translations_dict.values():
        assert {f"word_{key}" for key in words()} <= there.keys()
    assert "word_measure" in say("measure")
    with pytest.raises(KeyError):
        say("no such word")
