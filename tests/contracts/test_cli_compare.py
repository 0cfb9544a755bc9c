"""`compare` as a user meets it: the one JSON object, the text, saved comparisons, exit codes."""

import json
import math
import re

import pytest

from aeollm import read_labels, read_run, score
from aeollm.resampling import compare_runs
from aeollm.tables import Comparison, Plan
from tests.commands import ROOT, call, loaded_by, process
from tests.small_files import labels_csv, run_text

DEMO = ROOT / "assets" / "demo"
GOOD, COARSE, LENGTH = (DEMO / "runs" / f"{name}_judge.txt" for name in ("good", "coarse", "length_biased"))
BROKEN = DEMO / "runs" / "broken_run.txt"
LABELS = ("--labels", DEMO)
RANKED = ("good", "coarse", "length_biased")
FEW = ("--resamples", 200)
QUESTIONS = 6
GOLD = [(f"q{q}", a, rank) for q in range(QUESTIONS) for rank, a in enumerate("ABC")]


@pytest.fixture
def compare(capsys, monkeypatch):
    monkeypatch.delenv("AEOLLM_LABELS", raising=False)
    return lambda *arguments: call(capsys, "compare", *arguments)


@pytest.fixture
def small(tmp_path):
    """Six questions of three answers, a run that orders all of them as people do, and one the other way round."""
    (tmp_path / "labels.csv").write_bytes(labels_csv(GOLD))
    (tmp_path / "right.txt").write_bytes(run_text(GOLD))
    (tmp_path / "wrong.txt").write_bytes(run_text([(q, a, 2 - rank) for q, a, rank in GOLD]))
    return tmp_path


def the_object(out):
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


# The JSON object


def test_the_object_is_what_python_gives(compare):
    code, out, err = compare(GOOD, COARSE, *LABELS, "--json", *FEW)
    assert (code, err) == (0, "")
    labels = read_labels(DEMO / "aeollm-2-train" / "train_deepresearch.csv", name="demo")
    found = the_object(out)
    assert found == json.loads(json.dumps(Comparison.from_json(found).to_json()))
    assert [run["name"] for run in found["runs"]] == ["good_judge.txt", "coarse_judge.txt"]
    assert found["demo"] is True
    assert f"labels=demo@{labels.digest[:8]}" in found["signature"]


def test_keys_of_the_issue(compare):
    found = the_object(compare(GOOD, COARSE, LENGTH, *LABELS, "--json", *FEW)[1])
    assert {"signature", "seed", "resamples", "family", "interval", "correction", "smallest_p"} <= found.keys()
    for run in found["runs"]:
        assert {"mean", "low", "high", "cluster"} <= run["overall"]["kendall"].keys()
    wanted = {"difference", "low", "high", "p", "p_adjusted", "exact", "questions", "wins", "ties", "losses"}
    for pair in found["pairs"]:
        assert {"a", "b"} <= pair.keys()
        assert wanted | {"detectable", "questions_needed"} <= pair["readability"]["accuracy"].keys()
    assert len(found["pairs"]) == 3


def test_by_hand(compare, small):
    """Six questions won by 2 in tau and 1 in accuracy: p is 2 of the 2**6 sign patterns."""
    arguments = (small / "right.txt", small / "wrong.txt", "--labels", small / "labels.csv")
    found = the_object(compare(*arguments, "--json", *FEW)[1])
    [pair] = found["pairs"]
    for view in ("overall", "insight"):
        for measure, difference in (("spearman", 2.0), ("kendall", 2.0), ("accuracy", 1.0)):
            cell = pair[view][measure]
            assert (cell["difference"], cell["low"], cell["high"]) == (difference, difference, difference)
            assert (cell["wins"], cell["ties"], cell["losses"], cell["questions"]) == (6, 0, 0, 6)
            assert (cell["p"], cell["p_adjusted"], cell["exact"]) == (2 / 64, 2 / 64, True)
            # All differences are the same: there is no spread to tell what could be detected.
            assert cell["detectable"] is None
            assert cell["degenerate"] is True
    assert found["smallest_p"] == 2 / 64
    assert [run["overall"]["accuracy"]["cluster"] for run in found["runs"]] == [1, 2]
    text = compare(*arguments, *FEW)[1]
    assert (
        "right.txt is ahead of wrong.txt by 1.000 accuracy; with 6 questions this is hardly chance (p = .031)" in text
    )
    assert "one value on all questions" in text


def test_a_run_against_itself(compare):
    found = the_object(compare(GOOD, GOOD, *LABELS, "--json", *FEW)[1])
    assert [run["name"] for run in found["runs"]] == ["good_judge.txt", "good_judge.txt (2)"]
    for measure in ("spearman", "kendall", "accuracy"):
        cell = found["pairs"][0]["overall"][measure]
        assert (cell["difference"], cell["p"], cell["ties"]) == (0.0, 1.0, 8)
    assert "have the same accuracy on all 8 questions" in compare(GOOD, GOOD, *LABELS, *FEW)[1]


def test_choices_are_used_and_recorded(compare):
    more = ("--seed", 7, "--resamples", 300, "--interval", "bca", "--correction", "holm", "--alpha", "0.1")
    found = the_object(compare(GOOD, COARSE, LENGTH, *LABELS, "--json", *more)[1])
    recorded = [found[name] for name in ("seed", "resamples", "interval", "correction", "alpha")]
    assert recorded == [7, 300, "bca", "holm", 0.1]
    wanted = Comparison.from_json(found)
    assert wanted.plan == Plan(7, 300, "bca", "holm", 0.1)
    text = compare(GOOD, COARSE, LENGTH, *LABELS, *more)[1]
    assert "90% intervals: bias-corrected and accelerated (BCa) bootstrap over questions, 300 resamples, seed 7" in text
    assert "Holm's correction over all 3 pairs of a view and measure, level .10" in text


def test_the_same_bytes_every_time(tmp_path):
    arguments = (GOOD, COARSE, *LABELS, "--json", *FEW)
    first = process("compare", *arguments)
    again = process("compare", *arguments, cwd=tmp_path)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == again.stdout


def test_what_is_loaded():
    loaded = loaded_by("compare", GOOD, COARSE, *LABELS, "--json", *FEW)
    assert "scipy" in loaded
    assert not {"plotly", "gradio", "pandas", "datasets", "huggingface_hub"} & loaded


def test_score_does_not_wait_for_it():
    loaded = loaded_by("score", GOOD, *LABELS)
    assert "aeollm.cli.score" in loaded
    assert not {f"aeollm.{name}" for name in ("resampling", "agreement", "diagnosis", "exports", "reporting")} & loaded


# The text


def test_the_text(compare):
    code, out, err = compare(COARSE, GOOD, LENGTH, *LABELS, *FEW)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith("DEMO: simulated labels, not human ones")
    start = next(place for place, line in enumerate(lines) if line.startswith("view "))
    table = lines[start + 1 : start + 16]
    # Best overall first, in every view.
    assert re.findall(r"\S+_judge.txt", "".join(table)) == [f"{name}_judge.txt" for name in RANKED] * 5
    row = re.compile(r"(\S+)? +(\S+)( +-?\.\d{3} \[-?\.\d{3}, \.\d{3}\] +\d){3}")
    assert all(row.fullmatch(line) for line in table)
    sentences = [line for line in lines if " is ahead of " in line]
    assert len(sentences) == 3
    assert sentences[0].startswith("good_judge.txt is ahead of coarse_judge.txt by .188 accuracy; with 8 questions")
    assert "Chance (overall): on these labels a judge that orders at random has accuracy .500" in out
    assert "Ceiling (readability, simulated): if the labels' reliability is .76" in out
    assert "The smallest p that 8 questions can give is .008" in out
    assert lines[-1].startswith("signature  labels=demo@")


def test_nothing_could_have_been_significant(compare, tmp_path):
    gold = GOLD[:9]
    (tmp_path / "l.csv").write_bytes(labels_csv(gold))
    (tmp_path / "a.txt").write_bytes(run_text(gold))
    (tmp_path / "b.txt").write_bytes(run_text([(q, a, 2 - rank) for q, a, rank in gold]))
    out = compare(tmp_path / "a.txt", tmp_path / "b.txt", "--labels", tmp_path / "l.csv", *FEW)[1]
    assert "The smallest p that 3 questions can give is .250: nothing could have been significant at level .05." in out
    assert "3 questions cannot show any difference" in out


def test_above_ten_pairs_those_of_the_best_run(compare, small):
    runs = [small / "right.txt", *[small / "wrong.txt"] * 5]
    out = compare(*runs, "--labels", small / "labels.csv", *FEW)[1]
    sentences = [line for line in out.splitlines() if " is ahead of " in line or " have the same " in line]
    assert len(sentences) == 5
    assert all(line.startswith("right.txt is ahead of") for line in sentences)
    assert "(10 more pairs: only those of the best run are told here" in out


def test_a_stated_reliability(compare):
    out = compare(GOOD, COARSE, *LABELS, *FEW, "--reliability", "1")[1]
    assert (
        "Ceiling (overall, simulated): if the labels' reliability is 1.00, as stated, a perfect judge reaches accuracy"
        in out
    )
    assert "accuracy 1.00, tau 1.00, rho 1.00" in out


def test_a_partial_run_says_so(compare, small):
    (small / "part.txt").write_bytes(run_text(GOLD[:-1]))
    arguments = (small / "part.txt", small / "wrong.txt", "--labels", small / "labels.csv", *FEW)
    assert compare(*arguments)[0] == 1
    out = compare(*arguments, "--partial")[1]
    assert re.search(r"^overall +part.txt \(partial\) +1\.000", out, re.MULTILINE)
    assert "partial=yes" in out.splitlines()[-1]


def test_one_run_has_intervals(compare):
    code, out, _ = compare(GOOD, *LABELS, *FEW)
    assert code == 0
    assert re.search(r"overall +good_judge.txt +\.804 \[", out)
    assert "smallest p" not in out


def test_undefined_is_told(compare, small):
    (small / "flat.txt").write_bytes(run_text([(q, a, 5) for q, a, _ in GOLD]))
    arguments = (small / "right.txt", small / "flat.txt", "--labels", small / "labels.csv", *FEW)
    out = compare(*arguments)[1]
    assert re.search(
        r"flat.txt: no defined question: overall spearman, overall kendall, comprehensiveness spearman", out
    )
    cell = the_object(compare(*arguments, "--json")[1])["runs"][1]["overall"]["kendall"]
    assert (cell["mean"], cell["cluster"], cell["reason"]) == (None, None, "no defined question")


def test_names_do_not_steer_the_terminal(compare, small):
    (small / "x\x1b[31m.txt").write_bytes((small / "wrong.txt").read_bytes())
    out = compare(small / "x\x1b[31m.txt", small / "right.txt", "--labels", small / "labels.csv", *FEW)[1]
    assert "\x1b" not in out
    assert r"x\x1b[31m.txt" in out


# What cannot be compared


def test_a_refused_run(compare):
    for more in ((), ("--json",)):
        code, out, err = compare(GOOD, BROKEN, *LABELS, *more)
        assert code == 1
        assert [run["accepted"] for run in the_object(out)["runs"]] == [True, False] if more else out == ""
        assert "broken_run.txt: REFUSED" in err
        assert "line 9: insight_score is '5,31'" in err
        assert "good_judge" not in err


@pytest.mark.parametrize("more", [("--labels", "nowhere"), ("--labels-set", "none", "--labels", DEMO)])
def test_unusable_labels(compare, more):
    code, out, err = compare(GOOD, COARSE, "--json", *more)
    found = the_object(out)
    assert (code, found["runs"]) == (2, [])
    assert [problem["severity"] for problem in found["labels"]["problems"]] == ["error"]
    assert err


def test_a_key_list(compare, tmp_path):
    (tmp_path / "keys.csv").write_text("questionId,answerId\n" + "".join(f"{q},{a}\n" for q, a, _ in GOLD))
    (tmp_path / "a.txt").write_bytes(run_text(GOLD))
    code, out, err = compare(tmp_path / "a.txt", tmp_path / "a.txt", "--labels", tmp_path / "keys.csv")
    assert (code, out) == (2, "")
    assert "without human scores" in err


@pytest.mark.parametrize(
    "more",
    [
        ("--seed", "-1"),
        ("--seed", "1.5"),
        ("--resamples", "0"),
        ("--resamples", "1000000000"),
        ("--alpha", "0"),
        ("--alpha", "nan"),
        ("--alpha", "x"),
        ("--interval", "wide"),
        ("--correction", "bonferroni"),
        ("--reliability", "1.5"),
    ],
)
def test_wrong_choices(compare, more):
    code, out, err = compare(GOOD, COARSE, *LABELS, "--json", *more)
    assert (code, the_object(out)["labels"]["problems"][0]["kind"]) == (2, "usage")
    assert more[0] in err


def test_a_level_above_the_power(compare):
    code, out, err = compare(GOOD, COARSE, *LABELS, "--alpha", "0.9")
    assert (code, out) == (2, "")
    assert "alpha" in err


def test_nothing_to_compare(compare):
    code, out, err = compare(*LABELS)
    assert (code, out) == (2, "")
    assert "no run to compare" in err
    found = the_object(compare(*LABELS, "--json")[1])
    assert "no run to compare" in found["labels"]["problems"][0]["message"]


# Saved comparisons


def saved(compare, path, *runs):
    path.write_text(compare(*runs, *LABELS, "--json", "--seed", 3, *FEW)[1], encoding="utf-8")
    return path


def test_a_saved_comparison_is_extended(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    code, out, err = compare(LENGTH, *LABELS, "--extend", file, "--json")
    assert (code, err) == (0, "")
    assert out == compare(GOOD, COARSE, LENGTH, *LABELS, "--json", "--seed", 3, *FEW)[1]


def test_choices_named_come_before_the_saved_ones(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    found = the_object(compare(LENGTH, *LABELS, "--extend", file, "--json", "--correction", "bh")[1])
    assert [found[name] for name in ("seed", "resamples", "correction")] == [3, 200, "bh"]


def test_runs_that_are_in_it_already(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    code, out, err = compare(GOOD, COARSE, *LABELS, "--extend", file, "--json")
    assert (code, out) == (0, file.read_text(encoding="utf-8"))
    assert "good_judge.txt, coarse_judge.txt: already in" in err


def test_another_file_of_the_same_name(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    (tmp_path / "good_judge.txt").write_bytes(LENGTH.read_bytes())
    found = the_object(compare(tmp_path / "good_judge.txt", *LABELS, "--extend", file, "--json")[1])
    assert [run["name"] for run in found["runs"]] == ["good_judge.txt", "coarse_judge.txt", "good_judge.txt (2)"]


def test_it_is_shown_again_without_labels(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    code, out, _ = compare("--extend", file)
    assert code == 0
    assert out.startswith("DEMO: simulated labels")
    assert "good_judge.txt is ahead of coarse_judge.txt" in out
    assert "Chance" not in out
    assert compare("--extend", file, "--json")[1] == file.read_text(encoding="utf-8")


def test_runs_scored_otherwise_are_refused(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    code, out, err = compare(LENGTH, *LABELS, "--extend", file, "--ties", "float64")
    assert (code, out) == (2, "")
    assert "ties is exact for good_judge.txt, float64 for length_biased_judge.txt" in err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no saved comparison"),
        (b"[]", "no saved comparison"),
        (b"\xff", "no saved comparison"),
        (b"[" * 100_000, "no saved comparison"),
        (b'{"signature": 1}', "no saved comparison"),
        (None, "cannot be opened"),
    ],
)
def test_other_files_are_none(compare, tmp_path, content, told):
    file = tmp_path / "saved.json"
    if content is not None:
        file.write_bytes(content)
    code, out, err = compare(LENGTH, *LABELS, "--extend", file)
    assert (code, out) == (2, "")
    assert f"{file}: 1 problem" in err
    assert told in err
    assert "Traceback" not in err


def test_a_saved_plan_cannot_ask_for_all_memory(compare, tmp_path):
    file = saved(compare, tmp_path / "two.json", GOOD, COARSE)
    content = json.loads(file.read_text(encoding="utf-8")) | {"resamples": 10**12}
    file.write_text(json.dumps(content), encoding="utf-8")
    code, out, err = compare(LENGTH, *LABELS, "--extend", file)
    assert (code, out) == (2, "")
    assert "1000000000000 resamples are too many" in err
    assert compare(LENGTH, *LABELS, "--extend", file, *FEW)[0] == 0


# Files beside it


def test_latex_and_csv(compare, tmp_path):
    code, _, _ = compare(GOOD, COARSE, *LABELS, *FEW, "--latex", tmp_path / "t.tex", "--csv", tmp_path / "t.csv")
    assert code == 0
    assert r"good\_judge.txt" in (tmp_path / "t.tex").read_text(encoding="utf-8")
    header = (tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines()[0]
    assert header.startswith("kind,a,b,view,measure,mean,low,high,cluster")


def test_a_file_that_cannot_be_written(compare, tmp_path):
    code, out, err = compare(GOOD, COARSE, *LABELS, *FEW, "--csv", tmp_path / "no" / "t.csv", "--json")
    assert code == 2
    assert the_object(out)
    assert "cannot be written" in err


def test_python_says_the_same_by_other_means(compare, small):
    labels = read_labels(small / "labels.csv")
    scored = [score(read_run(small / name, labels), labels) for name in ("right.txt", "wrong.txt")]
    own = compare_runs(scored, ["right.txt", "wrong.txt"], Plan(resamples=200)).to_json()
    arguments = (small / "right.txt", small / "wrong.txt", "--labels", small / "labels.csv", "--json", *FEW)
    assert the_object(compare(*arguments)[1]) == json.loads(json.dumps(own))
    assert not math.isnan(own["pairs"][0]["overall"]["accuracy"]["p"])


def test_dimensions_whose_keys_could_meet_stay_apart(compare, tmp_path):
    # The run orders dimension `a` as people do and `a_score` backwards, so that their tau is 1 and -1.
    header = "questionId,answerId,a_score,a_score_score\n"
    rows = [f"{q},{answer},{rank},{rank}\n" for q in range(4) for rank, answer in enumerate("ABC")]
    labels = tmp_path / "labels.csv"
    labels.write_text(header + "".join(rows), encoding="utf-8")
    head = "taskId questionId answerId a_score a_score_score\n"
    for name in ("one", "two"):
        lines = [f"0 {q} {answer} {rank} {3 - rank}\n" for q in range(4) for rank, answer in enumerate("ABC")]
        (tmp_path / name).write_text(head + "".join(lines), encoding="utf-8")
    code, out, _ = compare(tmp_path / "one", tmp_path / "two", "--labels", labels, "--json", *FEW)
    assert code == 0
    kept = Comparison.from_json(json.loads(out))
    tau = {view: kept.runs.mean[(0, *kept.place(view, "kendall"))] for view in kept.views}
    assert (tau["a"], tau["a_score"]) == (1.0, -1.0)


@pytest.mark.parametrize("alpha", ["1e-13", "1e-16", "5e-324"])
def test_a_level_too_small_to_compute_with_is_refused(compare, alpha):
    code, out, complaint = compare(*(DEMO / "runs" / f"{name}_judge.txt" for name in RANKED), *LABELS, "--alpha", alpha)
    assert (code, out) == (2, "")
    assert "alpha" in complaint


def test_a_saved_comparison_without_the_overall_is_refused(compare, tmp_path):
    runs = [DEMO / "runs" / f"{name}_judge.txt" for name in RANKED]
    _, out, _ = compare(*runs, *LABELS, "--json", *FEW)
    content = json.loads(out)
    content["views"].remove("overall")
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(content), encoding="utf-8")
    for more in ((), ("--json",)):
        code, out, complaint = compare("--extend", saved, *more)
        assert (code, bool(out)) == (2, bool(more))
        assert "no saved comparison" in complaint
