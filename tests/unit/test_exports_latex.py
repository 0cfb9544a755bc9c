"""A comparison as a LaTeX table and as a CSV: what is bold, what is marked, and that any name can be in it."""

import csv
import io
import re

import pytest

from aeollm.exports import comparison_csv, comparison_json, comparison_latex, number, p_value, told_pairs
from aeollm.exports.latex import escaped
from aeollm.exports.wording import plan_in_words, ranked_runs, reach
from aeollm.resampling import compare_runs
from aeollm.tables import MEASURES, Comparison, Plan
from tests.scored import scores

PLAN = Plan(resamples=200)
NAN = float("nan")
BEST = [0.9, 0.8, 0.9, 0.8, 0.9, 0.8, 0.9, 0.8]
SECOND = [0.8, 0.7, 0.9, 0.8, 0.8, 0.7, 0.9, 0.9]
WORST = [0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2]


def compared(*rows, names=None, plan=PLAN, **options):
    names = names or [f"run{number}" for number in range(len(rows))]
    return compare_runs([scores(row, **options) for row in rows], names, plan)


def latex(*rows, **options):
    return comparison_latex(compared(*rows, **options)).decode()


def body(text):
    """Give the rows between the rules, as cells."""
    inside = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in inside.strip().splitlines()]


def test_best_second_and_daggers():
    rows = body(latex(WORST, BEST, SECOND))
    # Best overall first; each measure holds the same values here.
    assert rows == [
        ["run1", *[r"\textbf{.850}"] * 3],
        ["run2", *[r"\underline{.812}"] * 3],
        ["run0", *[r".150$^{\dagger}$"] * 3],
    ]


def test_equal_numbers_as_printed_share_the_mark():
    close = [value - 0.0001 for value in BEST]
    rows = body(latex(BEST, close, WORST))
    assert rows[0][1:] == rows[1][1:] == [r"\textbf{.850}"] * 3
    assert rows[2][1].startswith(r"\underline{.150}")


def test_one_run_is_marked_as_nothing():
    text = latex(BEST)
    assert body(text) == [["run0", ".850", ".850", ".850"]]
    assert "dagger" not in text
    assert "bold" not in text


def test_undefined_is_a_dash_and_told():
    text = latex(BEST, [NAN] * 8)
    assert body(text)[1] == ["run1", "--", "--", "--"]
    assert "A dash stands for undefined." in text
    assert "A dash" not in latex(BEST, WORST)


def test_negative_numbers_have_a_minus():
    assert body(latex([-0.1] * 8, BEST))[1][1].startswith(r"\underline{$-$.100}")


def test_columns_are_as_many_as_announced():
    views = ("overall", "insight", "readability")
    text = latex(BEST, WORST, views=views)
    [columns] = re.findall(r"\\begin\{tabular\}\{l(c+)\}", text)
    assert len(columns) == 9
    assert {len(row) for row in body(text)} == {10}
    assert [line for line in text.splitlines() if "multicolumn" in line] == [
        r" & \multicolumn{3}{c}{overall} & \multicolumn{3}{c}{insight} & \multicolumn{3}{c}{readability} \\"
    ]
    assert r"\cmidrule(lr){2-4} \cmidrule(lr){5-7} \cmidrule(lr){8-10}" in text
    assert text.count("{") == text.count("}")


def test_how_it_was_made_stands_in_comment_and_note():
    comparison = compared(BEST, WORST, demo=True)
    text = comparison_latex(comparison).decode()
    comments = [line for line in text.splitlines() if line.startswith("% ")]
    assert comments[0] == "% DEMO: simulated labels, not human ones"
    assert f"% {comparison.signature}" in comments
    assert f"% run0: {comparison.signatures[0]}" in comments
    assert any("seed=0 resamples=200 interval=expanded-percentile correction=tukey alpha=0.05" in c for c in comments)
    assert r"\caption{DEMO (simulated labels)." in text
    assert escaped(comparison.signature).replace(r"\textbar{}", r"\textbar\allowbreak{}") in text
    assert r"p $\leq$ .05, two-sided sign-flip test over questions, 200 resamples, seed 0" in text


@pytest.mark.parametrize(
    ("correction", "told"),
    [("tukey", "randomised Tukey HSD over all 3 pairs"), ("holm", "sign-flip tests over questions, Holm's correction")],
)
def test_the_family_is_told(correction, told):
    assert told in latex(BEST, SECOND, WORST, plan=Plan(resamples=200, correction=correction))


def test_nothing_could_have_been_significant():
    text = latex(BEST[:3], WORST[:3])
    assert "no difference could have been more than chance" in text
    assert "no difference could" not in latex(BEST, WORST)


def test_a_partial_run_says_so():
    rows = body(comparison_latex(compare_runs([scores(BEST, partial=True)], ["run"], PLAN)).decode())
    assert rows[0][0] == "run (partial)"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b&c%d#e$f", r"a\_b\&c\%d\#e\$f"),
        ("{x}", r"\{x\}"),
        ("\\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("^~`<>|", r"\textasciicircum{}\textasciitilde{}\textasciigrave{}\textless{}\textgreater{}\textbar{}"),
        ("[1] *", "{[}1] {*}"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("''", "'{}'"),
        ("评分 结果", "评分 结果"),
        ("line\nbreak\x07", r"line\textbackslash{}nbreak\textbackslash{}x07"),
        ("", ""),
    ],
)
def test_special_characters(text, written):
    assert escaped(text) == written


def test_any_name_leaves_the_table_whole():
    names = ["a & b \\\\", "% comment", "[opt]", "x" * 300, "中\u202e文\n", "caf\udce9"]
    text = latex(*[BEST] * len(names), names=names)
    rows = body(text)
    assert {len(row) for row in rows} == {4}
    assert len(rows) == len(names)
    assert all(line.startswith("% ") for line in text.splitlines()[: len(names) + 3])


def test_the_same_bytes():
    for write in (comparison_latex, comparison_csv, comparison_json):
        assert write(compared(BEST, WORST)) == write(compared(BEST, WORST))


def rows_of(comparison):
    return list(csv.DictReader(io.StringIO(comparison_csv(comparison).decode("utf-8-sig"), newline="")))


def test_csv_holds_all_figures():
    comparison = compared(BEST, SECOND, WORST, views=("overall", "insight"))
    rows = rows_of(comparison)
    assert [row["kind"] for row in rows] == ["run"] * 18 + ["pair"] * 18
    whole = comparison.to_json()
    for row in rows:
        if row["kind"] == "run":
            [own] = [run for run in whole["runs"] if run["name"] == row["a"]]
        else:
            [own] = [pair for pair in whole["pairs"] if (pair["a"], pair["b"]) == (row["a"], row["b"])]
        cell = own[row["view"]][row["measure"]]
        for name in ("mean", "low", "high", "cluster", "difference", "p", "p_adjusted", "wins", "detectable"):
            if name in cell:
                assert row[name] == ("" if cell[name] is None else str(cell[name])), name
            else:
                assert row[name] == ""
        assert row["signature"].startswith("labels=")
        assert (row["seed"], row["correction"]) == ("0", "tukey")


def test_csv_is_safe_in_spreadsheets():
    rows = rows_of(compared(BEST, WORST, names=["=1+1", "@x"]))
    assert {row["a"] for row in rows} == {"'=1+1", "'@x"}
    assert {row["b"] for row in rows} == {"", "'@x"}
    rows = rows_of(compared(WORST, BEST))
    assert float(rows[-1]["difference"]) < 0


def test_csv_says_why_something_is_empty():
    rows = rows_of(compared(BEST, [NAN] * 8, demo=True))
    undefined = next(row for row in rows if row["a"] == "run1")
    assert (undefined["mean"], undefined["cluster"], undefined["reason"]) == ("", "", "no defined question")
    assert undefined["labels_are"] == "DEMO (simulated)"
    assert "nan" not in comparison_csv(compared(BEST, [NAN] * 8)).decode().lower()


def test_json_comes_back():
    comparison = compared(BEST, WORST, names=["a", "caf\udce9"])
    assert b"caf\\udce9" in comparison_json(comparison)
    assert Comparison.from_json(comparison.to_json()).to_json() == comparison.to_json()


# Words


def test_numbers():
    assert [number(value) for value in (0.5, -0.1239, 1.0, -0.0001, 12.3456, None, NAN)] == [
        ".500", "-.124", "1.000", ".000", "12.346", "–", "–",
    ]  # fmt: skip
    assert [p_value(p) for p in (0.0004, 0.001, 0.0625, 1.0, NAN)] == ["< .001", ".001", ".063", "1.000", "–"]


def test_runs_are_ranked_with_undefined_ones_last():
    assert ranked_runs(compared(WORST, [NAN] * 8, BEST, BEST)) == [2, 3, 0, 1]


def test_told_pairs():
    few = compared(WORST, BEST, SECOND)
    assert told_pairs(few) == [("run1", "run2"), ("run1", "run0"), ("run2", "run0")]
    many = compared(*[WORST] * 5, BEST)
    assert told_pairs(many) == [("run5", f"run{other}") for other in range(5)]
    assert told_pairs(compared(BEST)) == []


def test_reach():
    assert reach(compared(BEST)) == ""
    assert reach(compared(BEST, WORST)) == "The smallest p that 8 questions can give is .008."
    three = compared(BEST, WORST, SECOND, plan=Plan(resamples=200, correction="holm"))
    assert reach(three) == "The smallest p that 8 questions can give is .008, adjusted .023."
    few = compared(BEST[:4], WORST[:4])
    assert reach(few).endswith("is .125: nothing could have been significant at level .05.")


def test_the_plan_in_words():
    assert "Tests" not in plan_in_words(PLAN, 0)
    assert "over all" not in plan_in_words(PLAN, 1)
    assert "no correction over all 3 pairs" in plan_in_words(Plan(correction="none"), 3)
    assert plan_in_words(Plan(alpha=0.01), 1).startswith("99% intervals: expanded percentile bootstrap")
    assert len(MEASURES) == 3
