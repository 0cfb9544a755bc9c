"""Files of people's answers: wide and long, missing answers, renamed columns, and what a join leaves out."""

import time

import pytest

from aeollm.errors import AnswersError
from aeollm.files import POOLED, read_answers, read_opinions
from aeollm.tables import exchanged_hints, join

WIDE = "text_id,annotator_id,Q0,Q1"
OPINIONS = read_opinions(
    b"text_id,criterion,p1,p2,p3,p4\na,Q0,.1,.2,.3,.4\nb,Q0,.1,.2,.3,.4\nc,Q0,.1,.2,.3,.4\na,Q1,.1,.2,.7,0\n"
)


def read(*lines, opinions=None, **options):
    return read_answers("\n".join(lines).encode(), opinions, **options)


def problems(*lines, **options):
    with pytest.raises(AnswersError) as caught:
        read(*lines, **options)
    return [(problem.kind, problem.line, problem.column) for problem in caught.value.problems]


def kinds(answers):
    return [problem.kind for problem in answers.problems]


def test_wide_files():
    found = read(WIDE, "a,07,4,3.0", "b,7,0,", "a,07,1,0.0")
    assert (found.texts, found.judges, found.criteria) == (("a", "b", "a"), ("07", "7", "07"), ("Q0", "Q1"))
    assert found.values.tolist() == [[4, 3], [0, 0], [1, 0]]
    assert found.lines == (2, 3, 4)
    assert found.judge_order == ("07", "7")


def test_long_files_say_the_same_as_wide_ones_and_keep_repeats():
    found = read(
        "text_id\tjudge\tcriterion\tanswer",
        "a\tA\tQ0\t4",
        "a\tA\tQ1\t3",
        "b\tA\tQ0\t2",
        "a\tA\tQ0\t1",
        "a\tA\tQ1\t0",
    )
    assert (found.texts, found.criteria) == (("a", "b", "a"), ("Q0", "Q1"))
    assert found.values.tolist() == [[4, 3], [2, 0], [1, 0]]


def test_what_stands_for_no_answer_is_a_choice():
    found = read(WIDE, "a,A,NA,3", "b,A,-,2", missing=("NA", "-"))
    assert found.values.tolist() == [[0, 3], [0, 2]]
    assert problems(WIDE, "a,A,0,3", missing=("NA",)) == [("no_such_option", 2, "Q0")]


def test_without_a_judge_everybody_is_one():
    found = read("text_id,Q0", "a,4", "a,3")
    assert found.judges == (POOLED, POOLED)
    assert [(problem.kind, problem.severity) for problem in found.problems] == [("no_judge", "warning")]


def test_columns_of_other_things_are_ignored_and_named():
    rows = ["round,text_id,annotator_id,DQ,Q1,Q0", "one,a,A,1,3,4"]
    assert read(*rows).criteria == ("DQ", "Q1", "Q0")
    found = read(*rows, opinions=OPINIONS)
    assert found.criteria == ("Q1", "Q0")
    [note] = found.problems
    assert (note.kind, note.severity) == ("ignored_column", "note")
    assert "round, DQ" in note.message


def test_renaming_is_told_and_never_halfway():
    exchange = {"Q0": "Q1", "Q1": "Q0"}
    found = read(WIDE, "a,A,2,3", "b,A,1,2", opinions=OPINIONS, rename=exchange)
    assert found.criteria == ("Q1", "Q0")
    assert found.values.tolist() == [[2, 3], [1, 2]]
    assert kinds(found) == ["renamed"]
    assert "Q0 is read as Q1, Q1 is read as Q0" in found.problems[0].message
    assert problems(WIDE, "a,A,2,3", rename={"Q0": "Q1"}) == [("duplicate_column", 1, "Q1")]
    assert problems(WIDE, "a,A,2,3", rename={"Q7": "Q1"}) == [("unknown_column", 1, "Q7")]
    long = read("text_id,judge,criterion,value", "a,A,Q0,3", opinions=OPINIONS, rename={"Q0": "Q1"})
    assert (long.criteria, long.values.tolist()) == (("Q1",), [[3]])


def test_all_problems_at_once():
    assert problems(
        WIDE,
        "a,A,5,1",
        "a,B,2.5,1",
        "a,C,x,4",
        "b,A,-1,1",
        ",A,1,1",
        "b,,1,1",
        "b,A,1",
        "b,A,2,nan",
        "b,A,\uff14,1",
        opinions=OPINIONS,
    ) == [
        ("no_such_option", 2, "Q0"),
        ("not_an_answer", 3, "Q0"),
        ("not_an_answer", 4, "Q0"),
        ("no_such_option", 4, "Q1"),  # Q1 has three options
        ("not_an_answer", 5, "Q0"),
        ("empty_cell", 6, "text_id"),
        ("empty_cell", 7, "annotator_id"),
        ("column_count", 8, None),
        ("not_an_answer", 9, "Q1"),
        ("not_an_answer", 10, "Q0"),
    ]


def test_every_problem_tells_value_and_remedy():
    with pytest.raises(AnswersError) as caught:
        read(WIDE, "a,A,\uff14,1")
    [wide] = caught.value.problems
    assert (wide.value, wide.remedy) == ("\uff14", "Write 4.")


def test_files_without_what_is_needed():
    assert problems("annotator_id,Q0", "A,1")[0][0] == "missing_column"
    assert problems("text_id,criterion,judge", "a,Q0,A")[0][0] == "missing_column"
    assert problems(WIDE)[0][0] == "no_rows"
    assert problems("text_id,annotator_id,q0", "a,A,1", opinions=OPINIONS)[0][0] == "no_criterion"
    assert problems("text_id,criterion,answer1_prob,answer2_prob", "a,Q0,.5,.5")[0][0] == "other_kind"
    assert problems("0 2 Doc_001 5.5 4.8 6.9 7.0")[0][0] == "other_kind"


def test_a_join_says_what_it_leaves_out():
    answers = read(WIDE, "a,A,4,3", "a,B,0,3", "z,A,4,1", "b,A,2,", "y,A,0,", opinions=OPINIONS)
    joined = join(OPINIONS, answers, "Q0")
    assert (joined.rows.tolist(), joined.texts.tolist(), joined.judges) == ([0, 3], [0, 1], 1)
    assert [(drop.kind, drop.rows, drop.which) for drop in joined.dropped] == [
        ("text", 2, ("z", "y")),
        ("answer", 1, ("a",)),
    ]
    assert joined.unanswered == ("c",)
    told = [problem.message for problem in joined.problems()]
    assert told[0] == "2 of 5 rows are left out: no opinions on the text, 2 texts (z, y)."
    assert told[1] == "1 of 5 rows are left out: no answer to Q0, 1 text (a)."
    with pytest.raises(KeyError):
        join(OPINIONS, answers, "Q7")


def test_a_hint_where_two_columns_look_exchanged():
    one = read(WIDE, *(f"t{n},A,3,{0 if n % 2 else 2}" for n in range(20)))
    other = read(WIDE, *(f"t{n},A,{0 if n % 2 else 2},3" for n in range(20)))
    [hint] = exchanged_hints(one, other)
    assert (hint.severity, hint.kind) == ("warning", "exchanged")
    assert "(Q0=Q1 Q1=Q0)" in hint.remedy
    assert exchanged_hints(one, one) == []


def test_the_public_data(shared_data):
    """The counts of the shared data's README: 743 rows, 25 dialogues without opinions, 662 rows left for Q0."""
    folder = shared_data / "llm_rubric"
    names = {
        "synth": ("gpt-3.5-turbo-16k_synth_evaluations_FIXED.tsv", "human_judges_synth_all_FIXED_ANON.tsv"),
        "real": ("gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv", "human_judges_real_convs_FIXED_ANON.tsv"),
    }
    opinions = {kind: read_opinions(folder / files[0]) for kind, files in names.items()}
    answers = {kind: read_answers(folder / files[1], opinions[kind]) for kind, files in names.items()}
    synth, real = (join(opinions[kind], answers[kind], "Q0") for kind in ("synth", "real"))
    assert (len(answers["synth"]), len(synth.rows), len(answers["synth"].judge_order)) == (743, 662, 24)
    assert [(drop.kind, drop.rows) for drop in synth.dropped] == [("text", 73), ("answer", 8)]
    assert len(synth.dropped[0].which) == 25
    assert (len(real.rows), real.dropped, len(answers["real"].judge_order)) == (223, (), 13)
    [hint] = exchanged_hints(answers["real"], answers["synth"])
    assert "Q1=Q2 Q2=Q1" in hint.remedy
    file = folder / names["real"][1]
    mended = read_answers(file, opinions["real"], rename={"Q1": "Q2", "Q2": "Q1"})
    assert exchanged_hints(mended, answers["synth"]) == []


def test_thousands_of_columns_and_of_repeats_keep_nobody_waiting():
    """What grew with the square of either took half a minute here, and hours at the largest size of a file."""
    columns, rows = 20_000, 20_000
    began = time.process_time()
    wide = read(
        "text_id,judge,Q0," + ",".join(f"c{c}" for c in range(columns)),
        "a,A,3," + "1," * (columns - 1) + "1",
        opinions=OPINIONS,
        rename={"c7": "Q1"},
    )
    assert (wide.criteria, wide.values.tolist()) == (("Q0", "Q1"), [[3, 1]])
    long = read("text_id,judge,criterion,answer", *["a,A,Q0,2"] * rows, "a,A,Q1,3", opinions=OPINIONS)
    # The only answer to Q1 belongs to the first time that A answered.
    assert (len(long.texts), long.values[0].tolist(), long.values[-1].tolist()) == (rows, [2, 3], [2, 0])
    assert time.process_time() - began < 5
