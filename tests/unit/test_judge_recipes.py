"""Judge recipe files: read whole or refused with every problem, and written back as the same recipe."""

import pytest

from aeollm.errors import RecipeError
from aeollm.methods import ASKS, bundled_recipes, read_method, write_method

STEP = '[[step]]\ndo = "run"\nfrom = "holistic"\n'
HEAD = 'recipe = 1\nname = "own"\n'
HOLISTIC = f'{HEAD}[[ask]]\ndo = "holistic"\n{STEP}'


def problems(text):
    with pytest.raises(RecipeError) as caught:
        read_method(text.encode(), name="own.toml")
    return [(problem.kind, problem.line) for problem in caught.value.problems]


def test_all_recipes_of_the_issue_are_bundled():
    assert set(bundled_recipes()) == {
        "holistic", "one-dimension", "one-call", "per-criterion", "tie-break", "pairwise", "anchored-pairs",
        "llm-rubric", "optimise",
    }  # fmt: skip
    used = {ask.do for name in bundled_recipes() for ask in read_method(name).asks}
    assert used == set(ASKS)


@pytest.mark.parametrize("name", bundled_recipes())
def test_a_recipe_written_is_the_same_recipe(name):
    method = read_method(name)
    text = write_method(method)
    again = read_method(text.encode())
    assert again == method
    assert write_method(again) == text


def test_texts_that_toml_has_to_escape_survive():
    text = HOLISTIC.replace('"own"', r'"a \"b\" \\ 评 \u007f"') + '[judge.judge]\nmodel = "m\\"x"\n'
    method = read_method(text.encode())
    assert read_method(write_method(method).encode()) == method
    assert method.name == 'a "b" \\ 评 \x7f'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("recipe = 1\nname = = 2\n", [("toml", 2)]),
        (HEAD, [("no_asks", None)]),
        (f"{HEAD}[[ask]]\n{STEP}", [("unknown_ask", 3)]),
        (HOLISTIC.replace('do = "holistic"', 'do = "holistic"\nscale = [10, 0]'), [("option", 5)]),
        (HOLISTIC.replace('do = "holistic"', 'do = "holistic"\nmax_tokens = 0.5'), [("option", 5)]),
        (HOLISTIC.replace('do = "holistic"', 'do = "holistic"\norders = "both"'), [("unknown_key", 5)]),
        (HOLISTIC.replace('do = "holistic"', 'do = "holistic"\nname = "../run"'), [("name", 5), ("unknown_name", 8)]),
        (f'{HEAD}[[ask]]\ndo = "holistic"\n', [("no_steps", None)]),
        (HOLISTIC.replace('do = "run"', 'do = "criteria"'), [("other_kind", None)]),
        (f'{HEAD}[[ask]]\ndo = "llm-rubric"\n', [("no_questions", None)]),
        (HOLISTIC + '[judge.judge]\nurl = "x"\n', [("unknown_key", None), ("no_model", None)]),
        (HOLISTIC + "[judging]\ntemperature = 3\nseed = 0.5\n", [("option", None), ("option", None)]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, found):
    assert problems(text) == found


def test_asks_build_on_what_was_asked_before_only():
    pairs = '[[ask]]\ndo = "pairwise"\nnear = "anchor"\n'
    scores = '[[ask]]\ndo = "holistic"\n'
    steps = (
        '[[step]]\ndo = "run"\nname = "anchor"\nfrom = "holistic"\n'
        '[[step]]\ndo = "pairwise"\nfrom = "pairwise"\nanchor = "anchor"\n'
    )
    assert read_method((HEAD + scores + pairs + steps).encode()).asks[1].builds_on == "anchor"
    assert problems(HEAD + pairs + scores + steps) == [("unknown_name", 5)]


def test_rubric_questions_have_the_same_answers_in_all_languages():
    start = f'{HEAD}[[ask]]\ndo = "llm-rubric"\n[[question]]\nname = "Q"\n'
    good = 'text = { en = "a", zh = "b" }\noptions = { en = ["1", "2"], zh = ["1", "2"] }\n'
    question = read_method((start + good).encode()).questions[0]
    assert (question.numbers, question.language("zh")) == (("1", "2"), "zh")
    for wrong in (
        'text = { en = "a" }\noptions = { en = ["1"] }\n',
        'text = { en = "a", zh = "b" }\noptions = { en = ["1", "2"], zh = ["1"] }\n',
        'text = { en = "a", fr = "b" }\noptions = { en = ["1", "2"], fr = ["1", "2"] }\n',
        'text = "a"\noptions = ["1", "2"]\n',
    ):
        assert problems(start + wrong) == [("question", 5)]


STEP = '[[step]]\ndo = "run"\nfrom = "holistic"\n'


@pytest.mark.parametrize(
    "lines",
    [
        "max_tokens = 1.5",
        "max_tokens = 0",
        'dimensions = ["insight", "insight"]',
        'prompt = "../../elsewhere/prompt"',
    ],
)
def test_values_that_cannot_be_meant_are_told_by_line(lines):
    assert problems(f'{HEAD}[[ask]]\ndo = "holistic"\n{lines}\n{STEP}') == [("option", 5)]


@pytest.mark.parametrize("names", ["[]", '["a", "a"]'])
def test_judges_are_named_once(names):
    steps = '[[step]]\ndo = "pairwise"\nfrom = "pairwise"\n'
    assert problems(f'{HEAD}[[ask]]\ndo = "pairwise"\njudges = {names}\n{steps}') == [("option", 5)]


@pytest.mark.parametrize(
    "line",
    [
        "answers = 5",
        "partial = 'no'",
        "trial = 0",
        "trial = true",
        "shard = 3",
        "shard = '9/1'",
        "digest = ['x']",
        "seed = 99999999999999999999",
        "extra = '{\"messages\": []}'",
        "extra = '{\"a\": NaN}'",
    ],
)
def test_what_a_run_is_said_to_have_been_is_checked(line):
    whole = f'{HEAD}[[ask]]\ndo = "holistic"\n{STEP}[judging]\n{line}\n'
    assert [kind for kind, _ in problems(whole)] == ["option"]


def test_a_recipe_without_steps_has_a_version_too():
    question = '[[question]]\nname = "Q"\ntext = { en = "a" }\noptions = { en = ["1", "2"] }\n'
    assert problems(f'recipe = 9\n[[ask]]\ndo = "llm-rubric"\n{question}') == [("version", 1)]
    assert problems(f'{HEAD}[[ask]]\ndo = "llm-rubric"\n{question}wight = 1\n') == [("unknown_key", 9)]
