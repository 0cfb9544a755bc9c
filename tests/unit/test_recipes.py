"""Recipes: read with all problems at once, written back, carried out, and what each step brings."""

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm.errors import AeollmError, RecipeError
from aeollm.files import read_labels, read_run
from aeollm.recipes import (
    REPORTS,
    STEPS,
    Recipe,
    build,
    read_as_far,
    read_materials,
    read_recipe,
    step_of,
    write_recipe,
)
from aeollm.scoring import score
from aeollm.tables import write_run


def labels_of(questions):
    rows = [f"{q},d{a},{(a * 3 + q) % 7},{a}" for q in questions for a in range(5)]
    return read_labels("\n".join(["questionId,answerId,x_score,y_score", *rows]).encode(), name="small")


LABELS = labels_of(range(1, 5))
HEAD = 'recipe = 1\nname = "r"\n[inputs]\n'


def criteria(noise=0):
    rows = ["questionId,answerId,dimension,criterion,score,order"]
    for q, a, order in itertools.product(range(1, 5), range(5), ("original", "reversed")):
        shift = noise * ((a + q) % 3 - 1) * (1 if order == "original" else -1)
        rows.append(f"{q},d{a},x,only,{(a * 3 + q) % 7 + shift},{order}")
        rows.append(f"{q},d{a},y,only,{a},{order}")
    return "\n".join(rows).encode()


def pairs(dimension="x", worth=lambda q, a: (a * 3 + q) % 7):
    rows = ["questionId,dimension,left,right,winner"]
    for q in range(1, 5):
        for one, other in itertools.permutations(range(5), 2):
            lead = worth(q, one) - worth(q, other)
            winner = "left" if lead > 0 else "right" if lead < 0 else "tie"
            rows.append(f"{q},{dimension},d{one},d{other},{winner}")
    return "\n".join(rows).encode()


def run_file(worth):
    rows = ["taskId questionId answerId x_score y_score"]
    rows += [f"0 {q} d{a} {worth(q, a)} {worth(q, a)}" for q in range(1, 5) for a in range(5)]
    return "\n".join(rows).encode()


def built(recipe, labels=LABELS, **files):
    recipe = read_recipe((HEAD + recipe).encode())
    return build(recipe, read_materials(recipe, files, labels=labels))


def test_a_recipe_is_read_and_written_back_with_all_its_options():
    text = HEAD + 'c = "c.csv"\n[[step]]\ndo = "criteria"\nfrom = "c"\n[[step]]\ndo = "ties"\nby = "criteria"\n'
    recipe = read_recipe(text.encode())
    assert [(step.do, step.name, step.sources) for step in recipe.steps] == [
        ("criteria", "criteria", ("c",)),
        ("ties", "ties", ("criteria",)),
    ]
    written = write_recipe(recipe)
    assert read_recipe(written.encode()) == recipe
    assert 'orders = "average"\nmissing = "renormalise"' in written


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8), st.just(0.0) | st.floats(1e-6, 1e4))
def test_what_is_written_is_read_back(name, file, number):
    step = step_of("pairwise", ("in",), name="in" + name, ridge=number, dimensions=(name, file))
    recipe = Recipe(name, {"in": file}, (step,), rubrics=file, reports=name)
    text = write_recipe(recipe)
    assert read_recipe(text.encode()) == recipe
    assert write_recipe(read_recipe(text.encode())) == text


def test_every_problem_of_a_recipe_comes_at_once_with_its_line():
    text = """\
name = 7
colour = "red"
[inputs]
c = "c.csv"
p = 3
[[step]]
do = "criteria"
from = "d"
missing = "guess"
[[step]]
do = "dance"
[[step]]
do = "ties"
name = "c"
[[step]]
do = "pairwise"
from = "c"
ridge = -1
speed = 2
anchor = "c"
[[step]]
do = "criteria"
from = "c"
"""
    with pytest.raises(RecipeError) as error:
        read_recipe(text.encode())
    assert [(problem.kind, problem.line) for problem in error.value.problems] == [
        ("unknown_key", 2),
        ("version", None),
        ("no_text", 1),
        ("no_text", 5),
        ("unknown_name", 8),
        ("option", 9),
        ("unknown_step", 11),
        ("missing_option", 12),
        ("name_taken", 14),
        ("unknown_option", 19),
        ("other_kind", 17),
        ("option", 18),
        ("other_kind", 23),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("recipe = 1\nname = \n", "toml", 2),
        ("", "empty", None),
        ("recipe = 1\n", "no_inputs", None),
        ("recipe = 1\n[inputs]\na = 'b'\n", "no_steps", None),
        ("[inputs]\na = 'b'\n", "version", None),
        ("recipe = 1\n[inputs]\nreports = 'b'\n[[step]]\ndo='run'\nfrom='reports'\n", "name_taken", 3),
        ("recipe = true\n", "version", 1),
        ("recipe = 1.0\n", "version", 1),
        (f"recipe = {'9' * 5000}\n", "toml", None),
        ('{"recipe": 1}', "toml", 1),
        (HEAD + "a = 'b'\n[[step]]\ndo='dimensions'\nfrom='a'\nof='a'\ndimensions=[]\n", "option", 9),
    ],
)
def test_what_is_no_recipe_is_told(text, kind, line):
    with pytest.raises(RecipeError) as error:
        read_recipe(text.encode())
    assert (kind, line) in [(problem.kind, problem.line) for problem in error.value.problems]


WRONG = """\
[[step]]
do = "judges"
do = ["x"]
from = ["a", "r"]
from = 1
weights = [1, nan]
weights = [99999999999999999999]
by = "z"
dimensions = [1]
a = "f"
"é" = "f"
[[[
step = 3
inputs = "x"
"""


@given(st.lists(st.sampled_from([*HEAD.split("\n"), *WRONG.split("\n")]), max_size=12))
def test_the_reader_is_total(lines):
    try:
        found = read_recipe("\n".join(lines).encode())
    except AeollmError as error:
        found = error
    assert isinstance(found, Recipe) or found.problems


@pytest.mark.parametrize(
    ("ridge", "fits"),
    [("0", True), ("1e-6", True), ("1e4", True), ("1e-7", False), ("1e5", False), ("true", False)],
)
def test_a_ridge_is_0_or_what_the_models_can_be_fitted_with(ridge, fits):
    text = HEAD + f'p = "p"\n[[step]]\ndo = "pairwise"\nfrom = "p"\nridge = {ridge}\n'
    if fits:
        assert read_recipe(text.encode()).steps[0].options["ridge"] == float(ridge)
    else:
        with pytest.raises(RecipeError, match="0, or a number from 1e-06 to 10000"):
            read_recipe(text.encode())


def test_every_step_can_be_written_and_read():
    for do, kind in STEPS.items():
        needed = {key: "a" if o.kind == "name" else ("x",) for key, o in kind.options.items() if o.required}
        recipe = Recipe("r", {"a": "f", "b": "g"}, (step_of(do, ("b",), name="s", **needed),))
        assert read_recipe(write_recipe(recipe).encode()) == recipe


def test_criterion_scores_become_the_run_and_each_order_is_told_alone():
    found = built('c = "c"\n[[step]]\ndo = "criteria"\nname = "s"\nfrom = "c"\n', c=criteria(noise=2))
    # The orders' shifts cancel, so that the average is what people say.
    assert [stage.name for stage in found.stages] == ["s: original order alone", "s: reversed order alone", "s"]
    assert [stage.base for stage in found.stages] == [None, None, "s: original order alone"]
    values = [stage.value("x", "kendall") for stage in found.stages]
    assert values[2] == pytest.approx(1)
    assert max(values[:2]) < 0.9
    assert found.inspection.run is not None
    assert read_run(found.text.encode(), LABELS).digest == found.run.digest
    assert (found.ties["x"], found.broken) == (0, {})


def test_a_stage_has_the_score_of_the_run_that_it_gives():
    found = built('c = "c"\n[[step]]\ndo = "criteria"\nname = "s"\nfrom = "c"\n', c=criteria(noise=1))
    scores = score(read_run(found.text.encode(), LABELS), LABELS)
    for view in LABELS.views:
        for measure in ("spearman", "kendall", "accuracy"):
            assert found.stages[-1].value(view, measure) == scores.mean(view, measure).mean


@pytest.mark.parametrize("model", ["davidson", "bradley-terry", "win-rate", "copeland"])
def test_comparisons_order_the_answers_as_the_judge_did(model):
    text = 'p = "p"\na = "a"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\nanchor = "a"\nstrength = 0.0\n'
    found = built(text + f'model = "{model}"\n', p=pairs(), a=run_file(lambda _, a: a))
    assert found.stages[-1].value("x", "kendall") == pytest.approx(1)
    # What was not compared is the anchor's.
    assert found.stages[-1].value("y", "kendall") == pytest.approx(1)
    assert found.position_bias["p"][0].flips.found == 0


def test_strengths_take_the_anchors_mean_and_spread():
    text = 'p = "p"\na = "a"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\nanchor = "a"\nscale = "anchors"\n'
    found = built(text, p=pairs(), a=run_file(lambda q, a: 2 * a + q))
    numbers = found.stages[-1].table.floats[:, 0].reshape(4, 5)
    anchors = [[2 * a + q for a in range(5)] for q in range(1, 5)]
    assert numbers.mean(axis=1) == pytest.approx([sum(own) / 5 for own in anchors], abs=1e-8)
    # 0, 2, 4, 6, 8 have the variance 8 in every question.
    assert numbers.std(axis=1) == pytest.approx([8**0.5] * 4, abs=1e-8)


def test_whole_answers_compared_give_all_dimensions_the_same():
    text = 'p = "p"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\n'
    content = pairs().replace(b"questionId,dimension", b"questionId").replace(b",x,", b",")
    found = built(text, labels=None, p=content)
    assert found.run.dimensions == ("comprehensiveness", "insight", "instruction_following", "readability")
    assert (found.run.scores.units == found.run.scores.units[:, :1]).all()


@pytest.mark.parametrize("model", ["davidson", "copeland"])
@pytest.mark.parametrize("anchored", [False, True])
def test_whole_answers_compared_leave_dimensions_compared_by_themselves(model, anchored):
    text = f'p = "p"\na = "a"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\nmodel = "{model}"\n'
    text += 'anchor = "a"\nstrength = 0.01\n' if anchored else ""
    name = "x" if anchored else "insight"
    # Whole answers in the order of their numbers, the dimension in the opposite order.
    both = [pairs(name, lambda _, a: -a), pairs("overall", lambda _, a: a).split(b"\n", 1)[1]]
    found = built(text, labels=None, p=b"\n".join(both), a=run_file(lambda _, a: a % 2))
    run = found.run
    column = {dimension: run.scores.units[:5, d].tolist() for d, dimension in enumerate(run.dimensions)}
    assert column[name] == sorted(column[name], reverse=True)
    others = [values for dimension, values in column.items() if dimension != name]
    assert others
    assert all(values == sorted(values) and len(set(values)) == 5 for values in others)


def test_some_dimensions_only_are_checked_and_scored_alone_and_the_reason_is_told():
    found = built('p = "p"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\n', p=pairs())
    (stage,) = found.stages
    assert stage.value("x", "kendall") == pytest.approx(1)
    assert stage.value("overall", "kendall") is None
    assert stage.reason == "no scores for y"
    assert (found.inspection.run, found.in_part, found.inspection.coverage) == (None, True, (20, 20))
    (told,) = (problem for problem in found.inspection.problems if problem.kind == "missing_dimension")
    assert (told.severity, "no scores for y" in told.message) == ("warning", True)


@pytest.mark.parametrize(("wrong", "coverage"), [(b",x,d1,", (20, 20)), (b",other,d0,", (0, 20))])
def test_a_run_that_the_labels_do_not_know_is_refused_and_not_only_in_part(wrong, coverage):
    content = pairs().replace(b",x,", b",other,") if b"other" in wrong else pairs().replace(wrong, b",x,zz,")
    found = built('p = "p"\n[[step]]\ndo = "pairwise"\nfrom = "p"\norders = "any"\n', p=content)
    assert (found.inspection.run, found.in_part) == (None, False)
    assert found.inspection.coverage == coverage
    assert any(problem.severity == "error" for problem in found.inspection.problems)


def test_dimensions_are_taken_from_other_scores():
    text = (
        'a = "a"\np = "p"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\n'
        '[[step]]\ndo = "dimensions"\nfrom = "a"\nof = "s"\ndimensions = ["x"]\n'
    )
    found = built(text, p=pairs(), a=run_file(lambda _, a: 4 - a))
    assert found.stages[-1].value("x", "kendall") == pytest.approx(1)
    assert found.stages[-1].value("y", "kendall") == pytest.approx(-1)


def test_what_a_step_brings_is_told_over_questions():
    # Three questions of four gain, one stays: signs of three differences can be flipped in eight ways.
    text = 'a = "a"\nb = "b"\n[[step]]\ndo = "dimensions"\nfrom = "a"\nof = "b"\ndimensions = ["y"]\n'
    found = built(text, a=run_file(lambda q, a: a if q == 1 else -a), b=run_file(lambda _, a: a))
    before, _, after = found.stages
    gain = after.gains["y", "kendall"]
    assert before.gains == {}
    apart = [0, 2, 2, 2]
    assert (gain.difference, gain.questions) == (pytest.approx(np.mean(apart)), 4)
    assert gain.p == pytest.approx(2 / 8)
    means = [np.mean(drawn) for drawn in itertools.product(apart, repeat=4)]
    assert min(means) <= gain.low < gain.difference < gain.high == pytest.approx(max(means))
    # The dimension that was not taken over has not changed, and is told as no change.
    assert (after.gains["x", "kendall"].difference, after.gains["x", "kendall"].p) == (0, 1)
    assert built(text, a=run_file(lambda q, a: a if q == 1 else -a), b=run_file(lambda _, a: a)).stages[2].gains == (
        after.gains
    )


def test_judges_and_ties_are_told_step_by_step():
    text = (
        'a = "a"\nb = "b"\n[[step]]\ndo = "judges"\nname = "j"\nfrom = ["a", "b"]\nby = "borda"\n'
        '[[step]]\ndo = "ties"\nname = "t"\nby = "b"\n'
    )
    found = built(text, a=run_file(lambda _, a: a // 3), b=run_file(lambda _, a: a))
    assert [(stage.name, stage.base) for stage in found.stages] == [("a", None), ("b", None), ("j", "a"), ("t", "j")]
    assert {count.view for count in found.broken["t"]} == {"overall", "x", "y"}
    assert any("ties broken" in problem.message for problem in found.problems)


def test_learning_how_strongly_to_anchor_shows_held_out_beside_in_sample():
    text = 'p = "p"\na = "a"\n[[step]]\ndo = "pairwise"\nname = "s"\nfrom = "p"\nanchor = "a"\nanchoring = "learned"\n'
    found = built(text, p=pairs(), a=run_file(lambda q, a: (a * 3 + q + a % 2) % 7))
    stage = found.stages[-1]
    assert stage.learned
    assert stage.in_sample is not None
    assert any(problem.kind == "learned" and "held out" in problem.message for problem in found.problems)
    with pytest.raises(RecipeError, match="takes an anchor, labels"):
        built(text, labels=None, p=pairs(), a=run_file(lambda _, a: a))


TIED = """s = "s.txt"
p = "p.csv"
[[step]]
do = "pairwise"
from = "p"
orders = "agreeing"
anchor = "s"
[[step]]
do = "ties"
from = "s"
by = "pairwise"
"""


def always_left(dimension="x"):
    rows = ["questionId,dimension,left,right,winner", *(f"1,{dimension},d{a},d{b},left" for a, b in ((0, 1), (1, 0)))]
    return "\n".join(rows).encode()


def test_a_step_without_anything_to_work_on_leaves_the_scores_before_it():
    recipe = read_recipe((HEAD + TIED).encode())
    files = {"s": run_file(lambda q, a: (q + a) % 3), "p": always_left()}
    with pytest.raises(RecipeError, match="no pair is left"):
        build(recipe, read_materials(recipe, files, labels=LABELS))
    found = build(recipe, read_materials(recipe, files, labels=LABELS), as_far=True)
    assert found.instead == "s"
    assert [problem.kind for problem in found.problems if problem.severity == "error"] == ["no_pairs"]
    assert found.text.splitlines()[1:] == [
        f"0\t{q}\td{a}\t{(q + a) % 3}\t{(q + a) % 3}" for q in range(1, 5) for a in range(5)
    ]
    assert [stage.name for stage in found.stages] == ["s", "s-instead"]
    assert found.position_bias["p"][0].flips.found == 1


def test_inputs_that_are_not_there_keep_only_their_own_steps_back():
    recipe = read_recipe((HEAD + TIED).encode())
    found = build(recipe, read_as_far(recipe, {"s": run_file(lambda _, a: a)}, labels=LABELS), as_far=True)
    assert (found.instead, len(found.run)) == ("s", 20)
    assert any("p.csv is not among the files" in problem.message for problem in found.problems)
    with pytest.raises(RecipeError, match="not among the files given"):
        build(recipe, read_as_far(recipe, {"p": pairs()}, labels=LABELS), as_far=True)


def test_problems_of_inputs_come_all_at_once_with_the_inputs_names():
    text = (
        'c = "c.csv"\np = "p.csv"\na = "a.txt"\n[[step]]\ndo = "criteria"\nfrom = "c"\n'
        '[[step]]\ndo = "ties"\nby = "a"\n[[step]]\ndo = "pairwise"\nfrom = "p"\n'
    )
    recipe = read_recipe((HEAD + text).encode())
    with pytest.raises(RecipeError) as error:
        read_materials(recipe, {"c": pairs(), "a": criteria()})
    told = [problem.message for problem in error.value.problems]
    assert [message.split(":")[0] for message in told] == ["c", "a", "p"]
    assert "looks like criterion scores" in told[1]
    assert "p.csv is not among the files given" in told[2]


def test_an_input_may_have_any_name_even_none():
    text = 'None = "n"\na = "a"\n[[step]]\ndo = "ties"\nfrom = "a"\nby = "None"\n'
    recipe = read_recipe((HEAD + text).encode())
    assert recipe.needed == {"a": "scores", "None": "scores"}
    found = built(text, a=run_file(lambda _, a: a // 3), **{"None": run_file(lambda _, a: a)})
    assert found.ties["x"] == 0


def test_a_step_that_cannot_be_done_is_named():
    text = 'a = "a"\nb = "b"\n[[step]]\ndo = "judges"\nname = "both"\nfrom = ["a", "b"]\n'
    short = b"\n".join(run_file(lambda _, a: a).split(b"\n")[:-1])
    with pytest.raises(RecipeError, match="both: 2 scores are not given by all judges"):
        built(text, a=run_file(lambda _, a: a), b=short)


def test_spreads_that_differ_threefold_are_warned_of():
    rows = ["taskId questionId answerId x_score y_score"]
    rows += [f"0 {q} d{a} {a} {a / 10}" for q in range(1, 5) for a in range(5)]
    found = built('a = "a"\n[[step]]\ndo = "run"\nfrom = "a"\n', a="\n".join(rows).encode())
    assert [problem.kind for problem in found.problems] == ["uneven_spreads"]
    assert found.spreads == {"x": pytest.approx(2**0.5), "y": pytest.approx(2**0.5 / 10)}


def test_the_same_recipe_gives_the_same_bytes():
    text = 'c = "c"\n[[step]]\ndo = "criteria"\nname = "s"\nfrom = "c"\n'
    assert built(text, c=criteria(1)).text == built(text, c=criteria(1)).text


def test_a_run_taken_by_a_recipe_keeps_its_scores():
    content = run_file(lambda _, a: f"{a}.1234567890123456789")
    found = built('a = "a"\n[[step]]\ndo = "run"\nfrom = "a"\n', a=content)
    assert write_run(read_run(content, LABELS)) == found.text


COUNTS = b"questionId,answerId,words\n" + b"".join(
    f"{q},d{a},{100 * 2 ** ((a * 2 + q) % 5)}\n".encode() for q in range(1, 6) for a in range(5)
)
LENGTH = 'a = "a"\n[[step]]\ndo = "length"\nname = "s"\nfrom = "a"\ndimension = "x"\n'


def biased(questions=range(1, 5)):
    """Give what people say of x plus two points for every doubling of the words, and y as it is."""
    rows = ["taskId questionId answerId x_score y_score"]
    rows += [f"0 {q} d{a} {(a * 3 + q) % 7 + 2 * ((a * 2 + q) % 5)} {a}" for q in questions for a in range(5)]
    return "\n".join(rows).encode()


def corrected(run, **files):
    recipe = read_recipe((HEAD + LENGTH).encode())
    return build(recipe, read_materials(recipe, {"a": run, **files}, labels=LABELS))


def test_what_length_does_is_learned_and_taken_out_with_the_question_held_out():
    found = corrected(biased(), **{REPORTS: COUNTS})
    before, after = found.stages
    assert before.value("x", "kendall") < after.value("x", "kendall")
    assert (after.learned, before.learned) == (True, False)
    assert after.in_sample.mean("x", "kendall").mean == pytest.approx(1)
    assert after.value("y", "kendall") == before.value("y", "kendall")


def test_a_question_without_labels_is_corrected_by_what_all_teach():
    found = corrected(biased(range(1, 6)), **{REPORTS: COUNTS})
    table = found.stages[-1].table
    new = [float(table.get(("5", f"d{a}"), "x")) for a in range(5)]
    # In the order of what people would say.
    assert sorted(range(5), key=new.__getitem__) == sorted(range(5), key=lambda a: (a * 3 + 5) % 7)


def test_steps_that_learn_say_what_they_lack():
    with pytest.raises(RecipeError, match="needs the reports"):
        corrected(biased())


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (None, "length learns from labels, and there are none."),
        (labels_of((1, 2)), "2 questions have labels of x; a correction is learned from three."),
    ],
)
def test_scores_are_passed_on_where_labels_teach_nothing_if_that_is_wanted(labels, why):
    passing = LENGTH + 'untaught = "pass"\n'
    files = {"a": biased(), REPORTS: COUNTS}
    found = build(read := read_recipe((HEAD + passing).encode()), read_materials(read, files, labels=labels))
    assert found.text == built('a = "a"\n[[step]]\ndo = "run"\nfrom = "a"\n', labels, a=biased()).text
    assert f"s: nothing is corrected: {why}" in [own.message for own in found.problems]
    assert not found.stages[-1].learned
    read = read_recipe((HEAD + LENGTH).encode())
    with pytest.raises(RecipeError, match=re.escape(why)):
        build(read, read_materials(read, files, labels=labels))


def test_what_is_made_of_learned_scores_is_marked_as_learned():
    text = (
        'a = "a"\nb = "b"\n[[step]]\ndo = "rescale"\nname = "s"\nfrom = "a"\n'
        '[[step]]\ndo = "judges"\nname = "j"\nfrom = ["b", "s"]\n'
        '[[step]]\ndo = "ties"\nname = "t"\nfrom = "b"\nby = "s"\n'
        '[[step]]\ndo = "judges"\nname = "k"\nfrom = ["a", "b"]\n'
    )
    found = built(text, a=run_file(lambda q, a: a + q), b=run_file(lambda _, a: -a))
    marked = {stage.name: (stage.learned, stage.in_sample is not None) for stage in found.stages}
    assert marked == {
        "a": (False, False),
        "s": (True, True),
        "b": (False, False),
        "j": (True, False),
        "t": (True, False),
        "k": (False, False),
    }


def test_rescaling_puts_scores_on_the_peoples_scale():
    text = 'a = "a"\n[[step]]\ndo = "rescale"\nname = "s"\nfrom = "a"\n'
    found = built(text, a=run_file(lambda _, a: 3 * a + 7))
    table = found.stages[-1].table
    assert [float(table.get(("1", f"d{a}"), "y")) for a in range(5)] == pytest.approx([0, 1, 2, 3, 4], abs=1e-6)


def test_a_recipes_own_rubrics_weigh_criteria_of_the_labels_dimensions(tmp_path):
    for question in range(1, 5):
        rubric = {
            "id": str(question),
            "prompt": "p",
            "dimension_weight": {"x": 0.5, "y": 0.5},
            "criterions": {
                "x": [{"criterion": "only", "weight": 0.25}, {"criterion": "other", "weight": 0.75}],
                "y": [{"criterion": "only", "weight": 1}],
            },
        }
        (tmp_path / f"criterion{question}.json").write_text(json.dumps(rubric))
    content = criteria() + b"".join(b"\n%d,d%d,x,other,0,original" % (q, a) for q in range(1, 5) for a in range(5))
    text = 'c = "c"\n[[step]]\ndo = "criteria"\nfrom = "c"\nname = "s"\n'
    recipe = read_recipe(HEAD.replace("[inputs]", 'rubrics = "."\n[inputs]').encode() + text.encode())
    found = build(recipe, read_materials(recipe, {"c": content}, labels=LABELS, folder=tmp_path))
    # A quarter of what people say, the other three quarters being 0.
    assert found.stages[-1].table.floats[:, 0] == pytest.approx(LABELS.scores.values[:, 0] / 4)


def test_each_judge_of_a_file_is_told_alone():
    lines = criteria().decode().split("\n")
    rows = [lines[0] + ",judge", *(f"{line},good" for line in lines[1:])]
    rows += [",".join((*line.split(",")[:4], "5", line.split(",")[5], "flat")) for line in lines[1:]]
    found = built('c = "c"\n[[step]]\ndo = "criteria"\nname = "s"\nfrom = "c"\n', c="\n".join(rows).encode())
    assert [stage.label for stage in found.stages] == [
        "original order alone", "reversed order alone", "judge good alone", "judge flat alone", "criteria",
    ]  # fmt: skip
    assert found.stages[2].value("x", "kendall") == pytest.approx(1)
    assert found.stages[3].value("x", "kendall") is None
    # Half of what people say and half of five.
    assert found.stages[4].table.floats[:, 0] == pytest.approx(LABELS.scores.values[:, 0] / 2 + 2.5)
