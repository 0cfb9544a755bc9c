"""Rubric files: weights as decimals, and every error with its file and key."""

import contextlib
import json

import pytest

from aeollm import DIMENSIONS, RubricsError, read_labels, read_rubrics
from tests.small_files import labels_csv, rubric

LABELS = read_labels(labels_csv([("7", "A", 1), ("x_2", "A", 1)]))
OTHER = rubric("x_2")


def of(content, name="criterion7.json"):
    return read_rubrics({name: content, "criterionx_2.json": OTHER}, LABELS)


def the_error(content, name="criterion7.json"):
    with pytest.raises(RubricsError) as raised:
        of(content, name)
    (problem,) = [problem for problem in raised.value.problems if problem.severity == "error"]
    assert name in problem.message
    assert problem.remedy
    return problem


def changed(change):
    """Give question 7's file after a change to its object."""
    content = json.loads(rubric("7"))
    change(content)
    return json.dumps(content).encode()


def test_weights_prompts_and_criteria():
    rubrics = of(rubric("7", ("0.30", "3e-1", "0.25", "0.15")))
    assert rubrics.weights["7"] == dict(zip(DIMENSIONS, [(30, -2), (3, -1), (25, -2), (15, -2)], strict=True))
    assert rubrics.prompts == {"7": "Why?", "x_2": "Why?"}
    assert [(c.text, c.explanation, tuple(c.weight)) for c in rubrics.criteria["7"]["insight"]] == [
        ("Says it", "All of it", (1, 0))
    ]
    assert rubrics.problems == ()


@pytest.mark.parametrize("number", ['"7"', "7"])
def test_the_id_may_be_text_or_a_number(number):
    assert of(rubric("7").replace(b'"7"', number.encode())).problems == ()


@pytest.mark.parametrize("name", ["criterion7.json", "criteria7.json"])
def test_both_names(name):
    assert set(of(rubric("7"), name).weights) == {"7", "x_2"}


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n ", b"\xef\xbb\xbf\r\n"])
def test_a_mark_or_white_space_before_the_object(before):
    assert of(before + rubric("7")).problems == ()


def test_a_folder_with_other_files(tmp_path):
    for name, content in {
        "criterion7.json": rubric("7"),
        "criteriax_2.json": OTHER,
        "notes.json": b"{",
        "x.md": b"",
    }.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "criterion99.json").write_text("of a question nobody labelled: {")
    assert list(read_rubrics(tmp_path, LABELS).weights) == ["7", "x_2"]
    assert read_rubrics(str(tmp_path), LABELS).digest == read_rubrics(tmp_path, LABELS).digest


def test_the_digest_tells_contents_apart():
    digests = {of(rubric("7")).digest, of(rubric("7", "4321")).digest, of(rubric("7"), "criteria7.json").digest}
    assert len(digests) == 3
    assert of(rubric("7")).signed == f"rubric@{of(rubric('7')).digest[:8]}"


def test_without_labels_every_file_is_read():
    assert list(read_rubrics({"criterion3.json": rubric("3"), "b.txt": b""}).weights) == ["3"]
    with pytest.raises(RubricsError, match="criterion"):
        read_rubrics({"readme.md": b""})


def test_dimensions_are_those_of_the_labels():
    labels = read_labels(labels_csv([("1", "A", 1, 2)], ("truth", "style")))
    rubrics = read_rubrics({"criterion1.json": rubric("1", "34", ("truth", "style"))}, labels)
    assert rubrics.weights["1"] == {"truth": (3, 0), "style": (4, 0)}
    with pytest.raises(RubricsError) as raised:
        read_rubrics({"criterion1.json": rubric("1")}, labels)
    assert {problem.kind for problem in raised.value.problems} == {"unknown_dimension", "missing_dimension"}


def test_a_key_list_may_have_rubrics():
    keys = read_labels(b"questionId,answerId\n7,A\n")
    assert list(read_rubrics({"criterion7.json": rubric("7")}, keys).weights) == ["7"]


# Errors


@pytest.mark.parametrize("where", ["dimension_weight", "criterions"])
def test_unknown_and_missing_dimensions(where):
    problem = the_error(changed(lambda content: content[where].update(depth=content[where]["insight"])))
    assert (problem.kind, problem.column, problem.question) == ("unknown_dimension", f"{where}.depth", "7")
    problem = the_error(changed(lambda content: content[where].pop("insight")))
    assert (problem.kind, problem.column) == ("missing_dimension", f"{where}.insight")


@pytest.mark.parametrize(
    ("weight", "kind", "value"),
    [
        ("-0.25", "negative_weight", "-0.25"),
        ("-1e-300", "negative_weight", "-1e-300"),
        ("NaN", "non_finite", "NaN"),
        ("Infinity", "non_finite", "Infinity"),
        ("-Infinity", "non_finite", "-Infinity"),
        ("1e400", "too_large", "1e400"),
        ("1" * 41, "too_many_digits", "1" * 41),
        ('"0.25"', "not_a_number", '"0.25"'),
        ("null", "not_a_number", "null"),
        ("true", "not_a_number", "true"),
        ("[0.25]", "not_a_number", "a list"),
        ('{"w": 1}', "not_a_number", "an object"),
    ],
)
def test_weights_that_are_none(weight, kind, value):
    problem = the_error(rubric("7", ("0.25", weight, "0.25", "0.25")))
    assert (problem.kind, problem.column, problem.question) == (kind, "dimension_weight.insight", "7")
    assert value.strip('"') in problem.message
    listed = rubric("7").replace(b'"weight": 1', f'"weight": {weight}'.encode(), 1)
    assert the_error(listed).column == "criterions.comprehensiveness[0].weight"


def test_all_weights_zero():
    problem = the_error(rubric("7", ("0", "0.0", "-0", "0e5")))
    assert (problem.kind, problem.column) == ("zero_weights", "dimension_weight")
    assert of(rubric("7", ("0", "0", "1", "0"))).problems == ()


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        (b'"id": "7"', b'"id": "7", "id": "7"', "id"),
        (b'"insight": 0.25', b'"insight": 0.25, "insight": 0.25', "insight"),
        (b'"weight": 1', b'"weight": 1, "weight": 1', "weight"),
    ],
)
def test_a_repeated_key(old, new, key):
    problem = the_error(rubric("7").replace(old, new, 1))
    assert (problem.kind, problem.column) == ("repeated_key", key)


@pytest.mark.parametrize("number", ["8", '"07"', "7.0", "true", "null", "[7]", '"7 "'])
def test_an_id_unlike_the_file_name(number):
    problem = the_error(rubric("7").replace(b'"7"', number.encode(), 1))
    assert (problem.kind, problem.column) == ("rubric_id", "id")
    assert "7" in problem.remedy


@pytest.mark.parametrize("listed", [[], None, "all of it", {"criterion": "Says it", "weight": 1}])
def test_a_dimension_without_criteria(listed):
    problem = the_error(changed(lambda content: content["criterions"].update(insight=listed)))
    assert (problem.kind, problem.column) == ("no_criteria", "criterions.insight")


@pytest.mark.parametrize("entry", [{"weight": 1}, {"criterion": 3.5j, "weight": 1}, "Says it", None])
def test_a_criterion_without_text(entry):
    text = json.dumps(entry, default=lambda _: None)
    content = rubric("7").replace(
        b'{"criterion": "Says it", "explanation": "All of it", "weight": 1}', text.encode(), 1
    )
    problem = the_error(content)
    assert (problem.kind, problem.column) == ("missing_key", "criterions.comprehensiveness[0]")


@pytest.mark.parametrize("key", ["prompt", "dimension_weight", "criterions"])
@pytest.mark.parametrize("value", [None, [], "gone"])
def test_keys_that_are_missing_or_of_another_kind(key, value):
    def change(content):
        if value == "gone":
            content.pop(key)
        else:
            content[key] = value

    problem = the_error(changed(change))
    assert (problem.kind, problem.column) == ("missing_key", key)


def test_a_labelled_question_without_its_file():
    with pytest.raises(RubricsError) as raised:
        read_rubrics({"criterionx_2.json": OTHER, "Criterion7.json": rubric("7")}, LABELS)
    (problem,) = raised.value.problems
    assert (problem.kind, problem.question) == ("missing_rubric", "7")
    assert "criterion7.json" in problem.message


def test_two_files_for_one_question():
    with pytest.raises(RubricsError) as raised:
        read_rubrics(
            {"criteria7.json": rubric("7"), "criterion7.json": rubric("7"), "criterionx_2.json": OTHER}, LABELS
        )
    (problem,) = raised.value.problems
    assert problem.kind == "duplicate_rubric"
    assert "criteria7.json" in problem.message
    assert "criterion7.json" in problem.message


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html>", "html"),
        (b"version https://git-lfs.github.com/spec/v1\n", "lfs_pointer"),
        (b"[1]", "json"),
        (b'"text"', "json"),
        (b"{", "json"),
        (rubric("7")[:-1], "json"),
        (rubric("7") + b"}", "json"),
        (rubric("7").replace(b"Why?", b"\xff"), "json"),
        (rubric("7").decode().encode("utf-16"), "json"),
    ],
)
def test_files_that_are_no_json_object(content, kind):
    assert the_error(content).kind == kind


@pytest.mark.parametrize("depth", [*range(900, 1001, 5), 10**5])
@pytest.mark.parametrize("place", [b'"7"', b'"Why?"', b"0.25", b'"All of it"', b'"Says it"', b"1}"])
def test_deep_nesting_is_no_crash(depth, place):
    for one, other in ((b"[", b"]"), (b'{"a":', b"}")):
        deep = one * depth + b"1" + other * depth + (b"}" if place == b"1}" else b"")
        content = rubric("7").replace(place, deep, 1)
        with contextlib.suppress(RubricsError):
            assert of(content).criteria["7"]["comprehensiveness"][0].explanation == ""


def test_many_keys_take_no_longer_than_their_number():
    many = ", ".join(f'"key{number}": 1' for number in range(200_000)).encode()
    assert of(rubric("7").replace(b"{", b"{" + many + b", ", 1)).problems == ()


def test_all_problems_of_all_files_at_once():
    with pytest.raises(RubricsError) as raised:
        read_rubrics(
            {"criterion7.json": rubric("8", ("x".join('""'), "-1", "1", "1")), "criterionx_2.json": b"{"}, LABELS
        )
    assert [(problem.question, problem.kind) for problem in raised.value.problems] == [
        ("7", "rubric_id"),
        ("7", "not_a_number"),
        ("7", "negative_weight"),
        ("x_2", "json"),
    ]


def test_a_folder_that_is_not_there(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none", tmp_path / "file", tmp_path / ("x" * 300)):
        with pytest.raises(RubricsError) as raised:
            read_rubrics(path, LABELS)
        assert [problem.kind for problem in raised.value.problems] == ["unreadable_file"]


# Sums


@pytest.mark.parametrize(
    ("weights", "warned"),
    [
        (("0.3", "0.3", "0.2", "0.2"), False),
        (("0.1", "0.2", "0.3", "0.4"), False),
        (("0.9999999999999999", "0", "0", "0"), False),
        (("0.26", "0.25", "0.25", "0.25"), False),
        (("0.24", "0.25", "0.25", "0.25"), False),
        (("0.2601", "0.25", "0.25", "0.25"), True),
        (("0.2399", "0.25", "0.25", "0.25"), True),
        (("3", "3", "2", "2"), True),
        (("30", "30", "20", "20"), True),
    ],
)
def test_a_sum_off_one_by_more_than_a_hundredth_is_a_warning(weights, warned):
    problems = of(rubric("7", weights)).problems
    assert [(problem.severity, problem.kind, problem.column, problem.question) for problem in problems] == (
        [("warning", "weight_sum", "dimension_weight", "7")] if warned else []
    )
    assert all("criterion7.json" in problem.message for problem in problems)


@pytest.mark.parametrize(
    ("weight", "warned"), [("1", False), ("0.99", False), ("1.01", False), ("0.98", True), ("5", True)]
)
def test_criterion_weights_too(weight, warned):
    problems = of(rubric("7", criterion=weight)).problems
    assert [problem.column for problem in problems] == [f"criterions.{name}" for name in DIMENSIONS] * warned


def test_criterion_weights_are_summed_within_their_dimension():
    halves = changed(
        lambda content: content["criterions"].update(
            insight=[{"criterion": str(number), "weight": 0.1} for number in range(10)]
        )
    )
    rubrics = of(halves)
    assert rubrics.problems == ()
    assert [criterion.explanation for criterion in rubrics.criteria["7"]["insight"]] == [""] * 10
