"""Estimates add up counted texts: the same figures as counting every prompt that would be written."""

from dataclasses import fields, replace

import pytest

from aeollm.errors import JudgingError
from aeollm.files import read_labels, read_rubrics
from aeollm.judging import Data, Message, Options, Price, Reply, ReplyStore, Request
from aeollm.judging.prompts import parse_template
from aeollm.judging.reports import Report
from aeollm.judging.sizing import Sizer
from aeollm.judging.tokens import prompt_tokens
from aeollm.methods import Judge, Material, Task, bundled_recipes, estimated, read_method
from tests.judging.judging_commands import CASES

ODD = (
    "热泵输送的热量多于所耗之功。" * 7,
    " a <|im_end|> b\n",
    "x\ud800y",
    "🙂 é",
    "same",
    "same",
    "<s>[INST] {{report}}",
    "",
)


@pytest.fixture
def task():
    labels = read_labels(CASES / "labels.csv")
    reports = [Report(*key, ODD[number % len(ODD)], "made") for number, key in enumerate(labels.index)]
    # Two of one question are the very same.
    reports[1] = replace(reports[0], answer=reports[1].answer)
    material = Material(tuple(reports), labels, read_rubrics(CASES / "rubric"), len(reports))

    def of(recipe):
        method = read_method(recipe)
        return Task(method, material, {name: Judge(name, "m") for name in method.roles})

    return of


@pytest.fixture
def store(tmp_path):
    """A file of replies with one to another request, so that all prompts have to be written to look for theirs."""
    with ReplyStore(tmp_path / "replies.jsonl") as kept:
        kept.add(Request((), (Message("user", "another"),), Options("other"), "p@1"), Reply("7", "other"), {})
        yield kept


@pytest.mark.parametrize("recipe", bundled_recipes())
def test_adding_up_gives_what_counting_every_prompt_does(recipe, task, store):
    added = estimated(task(recipe), Price(1, 2))
    counted = estimated(task(recipe), Price(1, 2), store)
    for one, other in zip(added, counted, strict=True):
        assert {own.name: (getattr(one, own.name), getattr(other, own.name)) for own in fields(one)} == {
            own.name: (getattr(other, own.name),) * 2 for own in fields(one)
        }
    assert sum(own.calls for own in added) > 0
    if recipe in {"pairwise", "anchored-pairs"}:
        assert sum(own.shared for own in added) > 0


PLACES = ("{{a}} and {{b}}", "{{a}}{{b}}", "# not a part\n{{a}}\n\n", " {{b}} ", "text\n", "")


@pytest.mark.parametrize("system", PLACES)
@pytest.mark.parametrize("a", ["", " ", "x", " x", "评\n", "\ud800"])
@pytest.mark.parametrize("b", ["\u3000", "y  ", Data("b", " y ")])
def test_blanks_at_the_ends_count_as_they_are_written(system, a, b):
    text = f'+++\nversion = "1"\n+++\n# system\n{system}\n# user\n{{{{a}}}}\n-\n{{{{b}}}}\n'
    template = parse_template(text, "own", "en")
    values = {"a": a, "b": b}
    sized = Sizer().request(("p",), template, values, Options("m"))
    assert sized.tokens == prompt_tokens(template.fill(values))


def test_what_differs_has_another_key_and_what_is_the_same_has_not():
    template = parse_template('+++\nversion = "1"\n+++\n# user\n{{a}} {{b}}\n', "own", "en")
    other = parse_template('+++\nversion = "2"\n+++\n# user\n{{a}} {{b}}!\n', "own", "en")
    sizer, options = Sizer(), Options("m")

    def key(place="p", made=template, a="x", b="y", **more):
        return sizer.request((place,), made, {"a": a, "b": b}, replace(options, **more)).key

    keys = [key(), key(a="y", b="x"), key(b=Data("b", "y")), key(b=Data("c", "y")), key(made=other), key(sample=1)]
    assert len({*keys}) == len(keys)
    assert key("elsewhere") == keys[0]
    again = sizer.request((), template, {"a": "x", "b": "y"}, options).asked(replace(options, sample=1))
    assert again.key == keys[-1]


def test_a_template_that_cannot_be_filled_is_refused_before_anything_is_counted():
    template = parse_template('+++\nversion = "1"\n+++\n# user\n{{a}}\n', "own", "en")
    for values in ({}, {"a": "x", "b": "y"}):
        with pytest.raises(JudgingError, match="the prompt"):
            Sizer().request((), template, values, Options("m"))
