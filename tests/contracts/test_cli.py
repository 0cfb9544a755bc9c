"""The command line as a user meets it: exit codes, the one JSON object, the text, and what it does not load."""

import hashlib
import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from aeollm import read_labels, read_rubrics, read_run, score
from aeollm.cli import main
from tests.small_files import DIMENSIONS, labels_csv, rubric, run_text

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"
DEMO = ROOT / "assets" / "demo"
HEAVY = ("scipy", "pandas", "gradio", "plotly", "datasets", "huggingface_hub")
BASE = ("score", CASES / "base_run.txt", "--labels", CASES / "labels.csv", "--rubrics", CASES / "rubric")


def environment(**more):
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("AEOLLM_", "HF_"))}
    return plain | {"HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)} | more


def process(*arguments, **options):
    """Run the command line; standard output and error as bytes."""
    command = [sys.executable, "-m", "aeollm", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=60, env=environment(), **options)


@pytest.fixture
def call(capsys, monkeypatch):
    """Run the command line in this process: exit code, standard output, standard error."""
    for name in [name for name in os.environ if name.startswith("AEOLLM_")]:
        monkeypatch.delenv(name)

    def run(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def files(tmp_path):
    """Write files and give their folder."""

    def write(**contents):
        for name, content in contents.items():
            (tmp_path / name).write_bytes(content)
        return tmp_path

    return write


# The documented shape: keys in this order, these types and no others.

NONE = type(None)
PROBLEM = {
    "severity": {"error", "warning", "note"},
    "kind": str,
    "line": (int, NONE),
    "column": (str, NONE),
    "value": (str, NONE),
    "question": (str, NONE),
    "answer": (str, NONE),
    "message": str,
    "remedy": str,
}
MEAN = {"mean": (float, NONE), "defined": int, "undefined": int}
MEANS = {"spearman": MEAN, "kendall": MEAN, "accuracy": MEAN | {"pooled": (float, NONE)}}
PAIRS = dict.fromkeys(("concordant", "discordant", "tied_run", "tied_labels", "tied_both"), int)
VALUES = {"answers": int, **dict.fromkeys(("spearman", "kendall", "accuracy"), (float, NONE)), "pairs": PAIRS}


def shape_of(dimensions=DIMENSIONS):
    views = ("overall", *dimensions)
    change = {"mean_change": dict.fromkeys(("spearman", "kendall", "accuracy"), float), "questions": [str]}
    run = {
        "name": str,
        "file_sha256": str,
        "accepted": bool,
        "partial": bool,
        "coverage": {"answers": int, "of": int},
        "problems": [PROBLEM],
        "scores": (NONE, dict.fromkeys(views, MEANS)),
        "near_ties": int,
        "signature": str,
        "float64": (NONE, change),
        "questions": (NONE, [{"question": str, **dict.fromkeys(views, VALUES)}]),
    }
    labels = {
        "name": str,
        "source": str,
        "revision": (str, NONE),
        "questions": int,
        "answers": int,
        "problems": [PROBLEM],
    }
    return {"signature": str, "labels": labels, "runs": [run]}


def fits(value, shape, where="$"):
    if isinstance(shape, dict):
        assert type(value) is dict, where
        assert list(value) == list(shape), where
        for key, inner in shape.items():
            fits(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, list):
        assert type(value) is list, where
        for place, entry in enumerate(value):
            fits(entry, shape[0], f"{where}[{place}]")
    elif isinstance(shape, set):
        assert value in shape, where
    elif isinstance(shape, tuple):
        plain = [kind for kind in shape if isinstance(kind, type)]
        if type(value) not in plain:
            (other,) = [kind for kind in shape if not isinstance(kind, type)] or plain[:1]
            fits(value, other, where)
    else:
        # bool is no int, and 1 is no float.
        assert type(value) is shape, (where, value)


def the_object(out, dimensions=DIMENSIONS):
    """Read standard output, which holds one JSON object and nothing else."""
    found = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    fits(found, shape_of(dimensions))
    return found


@pytest.mark.parametrize(
    "broken",
    [
        lambda o: o.pop("signature"),
        lambda o: o.update(more=1),
        lambda o: o["labels"].update(questions=True),
        lambda o: o["labels"].update(revision=1),
        lambda o: o["runs"][0].update(near_ties=0.0),
        lambda o: o["runs"][0]["scores"]["overall"]["accuracy"].pop("pooled"),
        lambda o: o["runs"][0]["scores"]["overall"]["kendall"].update(mean=1),
        lambda o: o["runs"][0]["questions"][0]["insight"]["pairs"].update(tied_run=None),
        lambda o: o["runs"][0]["problems"].append({}),
        lambda o: o["runs"][0].update(float64={"mean_change": {}, "questions": []}),
    ],
)
def test_the_shape_checker_sees_what_is_wrong(call, broken):
    found = json.loads(call(*BASE, "--json", "--per-question")[1])
    fits(found, shape_of())
    broken(found)
    with pytest.raises(AssertionError):
        fits(found, shape_of())


# As a process


def test_a_score_as_text():
    done = process(*BASE)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "base_run.txt: scored, 12 of 12 answers" in text
    assert re.search(r"base_run.txt +spearman +0\.7054 3/3", text)
    assert "ties=exact|undefined=skip|average=macro|partial=no" in text


def test_one_json_object_and_the_same_bytes_every_time():
    first = process(*BASE, "--json", "--per-question")
    again = process(*BASE, "--json", "--per-question", cwd=CASES)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == again.stdout
    found = the_object(first.stdout)
    (run,) = found["runs"]
    assert run["name"] == "base_run.txt"
    assert run["file_sha256"] == hashlib.sha256((CASES / "base_run.txt").read_bytes()).hexdigest()
    assert (found["labels"]["questions"], found["labels"]["answers"]) == (3, 12)
    assert [question["question"] for question in run["questions"]] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (BASE, 0),
        (("score", CASES / "dev" / "C14" / "run.txt", *BASE[1:]), 1),
        (("score", CASES / "base_run.txt", "--labels", "nowhere"), 2),
        (("score", CASES / "base_run.txt", "--labels", CASES / "labels.csv", "--rubrics", CASES / "dev"), 2),
        (("score",), 2),
        (("score", CASES / "base_run.txt", "--ties", "loose"), 2),
        ((), 2),
    ],
)
def test_exit_codes(arguments, code):
    done = process(*arguments)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert bool(done.stderr) is (code == 2)


@pytest.mark.parametrize(
    "code",
    [
        "import aeollm",
        "import runpy; sys.argv = ['aeollm', *{!r}]\ntry:\n runpy.run_module('aeollm', run_name='__main__')\nexcept "
        "SystemExit as stop:\n assert stop.code == 0",
    ],
    ids=["import", "score"],
)
def test_nothing_heavy_is_loaded(code):
    program = "import sys\n" + code.format([*map(str, BASE), "--json"])
    program += "\nprint(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, timeout=60, env=environment(), cwd=ROOT
    )
    loaded = done.stderr.decode().split()
    assert "numpy" in loaded
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize("code", ["import aeollm", "import aeollm.exports", "import aeollm.cli.score"])
def test_hosting_is_loaded_by_those_who_host(code):
    program = f"import sys\n{code}\nassert not [name for name in sys.modules if name.startswith('aeollm.submissions')]"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=environment(), cwd=ROOT)


def test_a_locale_without_utf8(tmp_path):
    run = tmp_path / "run.txt"
    run.write_bytes(run_text([("题", "文档", 5)]))
    (tmp_path / "labels.csv").write_bytes(labels_csv([("题", "文档", 5)]))
    command = [sys.executable, "-X", "utf8=0", "-m", "aeollm", "score", run, "--labels", tmp_path / "labels.csv"]
    plain = environment(LC_ALL="C", LANG="C", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii")
    done = subprocess.run(
        [*command, "--per-question"], capture_output=True, check=False, timeout=60, env=plain, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "题" in done.stdout.decode("utf-8")


def test_a_reader_that_has_seen_enough():
    arguments = ["score", *[DEMO / "runs" / "good_judge.txt"] * 12, "--labels", DEMO, "--json", "--per-question"]
    command = [sys.executable, "-m", "aeollm", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=ROOT
    ) as running:
        assert running.stdout.read(1) == b"{"
        running.stdout.close()
        told = running.stderr.read()
        assert (running.wait(60), told) == (0, b"")


def test_a_name_that_is_no_unicode(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(name)).write_bytes((CASES / "base_run.txt").read_bytes())
    done = process("score", os.fsdecode(name), *BASE[2:], "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert the_object(done.stdout)["runs"][0]["name"] == "caf\udce9.txt"


def test_the_hub_that_cannot_be_had(tmp_path):
    command = [sys.executable, "-m", "aeollm", "score", str(CASES / "base_run.txt"), "--json"]
    away = environment(HF_HOME=str(tmp_path))
    done = subprocess.run(command, capture_output=True, check=False, timeout=60, env=away, cwd=ROOT)
    assert done.returncode == 2
    found = the_object(done.stdout)
    assert found["runs"] == []
    assert [problem["kind"] for problem in found["labels"]["problems"]] == ["offline"]
    assert b"Traceback" not in done.stderr


# The JSON object


def test_a_refused_run(call):
    code, out, err = call("score", CASES / "dev" / "C14" / "run.txt", *BASE[2:], "--json", "--per-question")
    assert (code, err) == (1, "")
    (run,) = the_object(out)["runs"]
    assert (run["accepted"], run["partial"], run["scores"], run["questions"]) == (False, False, None, None)
    assert run["coverage"] == {"answers": 7, "of": 12}
    assert {problem["kind"] for problem in run["problems"]} == {"missing_answers"}
    assert "partial=no" in run["signature"]


def test_runs_are_judged_each_on_its_own(call, tmp_path):
    runs = (CASES / "base_run.txt", CASES / "dev" / "C14" / "run.txt", tmp_path / "none.txt", CASES / "base_run.txt")
    code, out, _ = call("score", *runs, *BASE[2:], "--json")
    found = the_object(out)["runs"]
    assert code == 1
    assert [run["accepted"] for run in found] == [True, False, False, True]
    assert [run["name"] for run in found] == ["base_run.txt", "run.txt", "none.txt", "base_run.txt (2)"]
    assert found[0] | {"name": ""} == found[3] | {"name": ""}
    assert [problem["kind"] for problem in found[2]["problems"]] == ["unreadable_file"]


@pytest.mark.parametrize("command", ["score", "check"])
def test_unreadable_labels(call, files, command):
    folder = files(**{"labels.csv": b"<!DOCTYPE html>"})
    code, out, err = call(command, CASES / "base_run.txt", "--labels", folder / "labels.csv", "--json")
    found = the_object(out)
    assert code == 2
    assert found["runs"] == []
    assert [problem["kind"] for problem in found["labels"]["problems"]] == ["html"]
    assert (found["labels"]["name"], found["labels"]["questions"], found["labels"]["answers"]) == ("labels.csv", 0, 0)
    assert "HTML page" in err


@pytest.mark.parametrize("more", [("--ties", "loose"), ("--score-range", "9,1"), ("--policy",), ("--labels-st", "x")])
def test_wrong_usage(call, more):
    code, out, err = call(*BASE, "--json", *more)
    found = the_object(out)
    assert code == 2
    assert found["runs"] == []
    assert [problem["kind"] for problem in found["labels"]["problems"]] == ["usage"]
    assert more[0] in err
    assert call(*BASE, *more)[:2] == (2, "")


def test_unreadable_rubrics(call, files):
    folder = files(**{f"criterion{number}.json": rubric(str(number)) for number in (1, 2)})
    code, out, err = call(*BASE[:4], "--rubrics", folder, "--json")
    (problem,) = the_object(out)["labels"]["problems"]
    assert code == 2
    assert (problem["kind"], problem["question"]) == ("missing_rubric", "3")
    assert "criterion3.json" in err


def test_undefined_means_are_null(call, files):
    gold = [("q", a, place) for place, a in enumerate("ABC")]
    folder = files(**{"l.csv": labels_csv(gold), "run.txt": run_text([(*key, 5) for *key, _ in gold])})
    code, out, _ = call("score", folder / "run.txt", "--labels", folder / "l.csv", "--json", "--per-question")
    (run,) = the_object(out)["runs"]
    assert code == 0
    assert run["scores"]["insight"] == {
        "spearman": {"mean": None, "defined": 0, "undefined": 1},
        "kendall": {"mean": None, "defined": 0, "undefined": 1},
        "accuracy": {"mean": 0.0, "defined": 1, "undefined": 0, "pooled": 0.0},
    }
    assert run["questions"][0]["insight"]["pairs"]["tied_run"] == 3
    assert {problem["kind"] for problem in run["problems"]} == {"constant_view", "many_ties"}


def test_own_dimensions(call, files):
    gold = [("q", a, place, 9 - place) for place, a in enumerate("ABC")]
    header = b"taskId questionId answerId truth_score style_score\n"
    folder = files(**{"l.csv": labels_csv(gold, ("truth", "style")), "run.txt": header + run_text(gold)})
    code, out, _ = call("score", folder / "run.txt", "--labels", folder / "l.csv", "--json", "--per-question")
    (run,) = the_object(out, ("truth", "style"))["runs"]
    assert code == 0
    assert run["scores"]["style"]["kendall"]["mean"] == 1.0


@pytest.mark.parametrize("run", ["base_run.txt", "dev/C20/run.txt", "dev/C30/run_unit.txt"])
def test_python_gives_the_same(call, run):
    labels = read_labels(CASES / "labels.csv")
    rubrics = read_rubrics(CASES / "rubric", labels)
    scores = score(read_run(CASES / run, labels), labels, rubrics)
    out = call("score", CASES / run, *BASE[2:], "--json", "--per-question")[1]
    assert the_object(out)["runs"] == [json.loads(json.dumps(scores.to_json(per_question=True)))]


def test_python_gives_the_same_warnings_of_scoring(call, files):
    gold = [("q", a, place) for place, a in enumerate("ABC")]
    folder = files(**{"l.csv": labels_csv(gold), "run.txt": run_text([(*key, 5) for *key, _ in gold])})
    labels = read_labels(folder / "l.csv")
    scores = score(read_run(folder / "run.txt", labels), labels)
    found = first_run(call("score", folder / "run.txt", "--labels", folder / "l.csv", "--json")[1])
    assert [problem["kind"] for problem in found["problems"]] == [problem.kind for problem in scores.problems]
    assert "constant_view" in {problem.kind for problem in scores.problems}


# Options


def first_run(out):
    return the_object(out)["runs"][0]


def test_partial(call):
    arguments = ("score", CASES / "dev" / "C14" / "run.txt", *BASE[2:], "--partial")
    code, out, _ = call(*arguments, "--json")
    run = first_run(out)
    assert (code, run["accepted"], run["partial"]) == (0, True, True)
    assert run["scores"]["overall"]["kendall"]["undefined"] == 1
    assert "partial=yes" in run["signature"]
    _, text, _ = call(*arguments)
    assert "run.txt (partial)" in text
    assert "PARTIAL, 7 of 12 answers" in text
    assert "partial=yes" in text


@pytest.mark.parametrize(("span", "code"), [("0,10", 0), ("5,10", 1), ("0,8.7", 1), ("4.8,8.8", 0)])
def test_score_range_turns_the_warning_into_an_error(call, span, code):
    assert call(*BASE, "--score-range", span)[0] == code


@pytest.mark.parametrize("span", ["10,0", "5,5", "0", "0,10,20", "a,b", "nan,1", ""])
def test_a_range_that_is_none(call, span):
    code, out, err = call(*BASE, "--score-range", span)
    assert (code, out) == (2, "")
    assert "--score-range" in err


def tied(files):
    labels = labels_csv([("q", "A", 8, 3, 0, 0), ("q", "B", 1, 6, 0, 0), ("q", "C", 9), ("q", "D", 0)])
    run = run_text([("q", "A", 2, 1, 0, 0), ("q", "B", 1, 2, 0, 0), ("q", "C", 8), ("q", "D", 0)])
    return files(
        **{"l.csv": labels, "run.txt": run, "criterionq.json": rubric("q", ("0.3", "0.7", "0", "0"))},
    )


def test_ties_float64_and_its_difference(call, files):
    folder = tied(files)
    arguments = ("score", folder / "run.txt", "--labels", folder / "l.csv", "--rubrics", folder)
    exact, floats = (first_run(call(*arguments, "--json", "--ties", ties)[1]) for ties in ("exact", "float64"))
    assert "ties=float64" in floats["signature"]
    assert exact["float64"] == floats["float64"]
    assert exact["float64"]["questions"] == ["q"]
    for measure, change in exact["float64"]["mean_change"].items():
        means = [run["scores"]["overall"][measure]["mean"] for run in (exact, floats)]
        assert change == means[1] - means[0]
    assert "float64 sums would change the overall means" in call(*arguments)[1]


def test_policy_official(call, files):
    folder = tied(files)
    extra = (folder / "run.txt").read_bytes() + b"0 q Z 1 1 1 1\n0 z A 1 1 1 1\n"
    (folder / "run.txt").write_bytes(extra.replace(b"0 q D 0 0 0 0\n", b""))
    arguments = ("score", folder / "run.txt", "--labels", folder / "l.csv", "--rubrics", folder, "--json")
    assert call(*arguments)[0] == 1
    code, out, _ = call(*arguments, "--policy", "official")
    run = first_run(out)
    assert code == 0
    assert run["coverage"] == {"answers": 3, "of": 4}
    assert {problem["kind"] for problem in run["problems"] if problem["severity"] == "warning"} >= {
        "unknown_answer", "unknown_question", "missing_answers",
    }  # fmt: skip
    for part in ("ties=float64", "undefined=skip", "average=macro", "partial=yes", "join=inner", "min_answers=3"):
        assert part in run["signature"]
    # Two of the three pairs are in order; floats let the third fall.
    assert run["scores"]["overall"]["accuracy"]["mean"] == 2 / 3
    assert first_run(call(*arguments, "--policy", "official", "--ties", "exact")[1])["float64"] is not None


@pytest.mark.parametrize(("undefined", "mean"), [("skip", 1.0), ("zero", 0.5), ("strict", None)])
def test_undefined_questions(call, files, undefined, mean):
    gold = [("p", "A", 1), ("p", "B", 2), ("q", "A", 1), ("q", "B", 2)]
    run = [("p", "A", 1), ("p", "B", 2), ("q", "A", 5), ("q", "B", 5)]
    folder = files(**{"l.csv": labels_csv(gold), "run.txt": run_text(run)})
    arguments = ("score", folder / "run.txt", "--labels", folder / "l.csv", "--undefined", undefined)
    scores = first_run(call(*arguments, "--json")[1])["scores"]["overall"]
    assert scores["kendall"] == {"mean": mean, "defined": 1, "undefined": 1}
    assert scores["accuracy"] == {"mean": 0.5, "defined": 2, "undefined": 0, "pooled": 0.5}
    text = call(*arguments)[1]
    assert re.search(rf"kendall +{'–' if mean is None else f'{mean:.4f}'} 1/2", text)


def test_per_question_as_text(call):
    code, text, _ = call(*BASE, "--per-question")
    assert code == 0
    lines = [line.split() for line in text.splitlines()]
    header = ["question", "view", "answers", "spearman", "kendall", "accuracy", *PAIRS]
    start = lines.index(header)
    assert len([line for line in lines[start + 1 :] if len(line) == 11]) == 15
    assert ["2", "overall", "4", "0.3162", "0.1826", "0.5000", "3", "2", "0", "1", "0"] in lines


def test_pooled_accuracy_is_shown_where_it_differs(call):
    assert "pooled" not in call(*BASE)[1]
    text = call("score", CASES / "base_run.txt", "--labels", CASES / "dev" / "C22" / "labels.csv", *BASE[4:])[1]
    assert re.search(r"pooled +0\.6667 +0\.8000 +0\.5833 +0\.8667 +0\.7333", text)


# Labels


def label_folder(tmp_path):
    for name, question in (("first", "1"), ("second", "2")):
        folder = tmp_path / name / "rubric_dataset"
        folder.mkdir(parents=True)
        gold = labels_csv([(question, "A", 1), (question, "B", 2)])
        (folder.parent / "labels.csv").write_bytes(gold)
        (folder / f"criterion{question}.json").write_bytes(rubric(question))
    (tmp_path / "run.txt").write_bytes(run_text([("2", "A", 1), ("2", "B", 2)]))
    return tmp_path


def test_a_folder_of_labels_with_its_rubrics(call, tmp_path):
    folder = label_folder(tmp_path)
    code, out, _ = call("score", folder / "run.txt", "--labels", folder / "second", "--json")
    found = the_object(out)
    assert code == 0
    assert (found["labels"]["name"], found["labels"]["revision"]) == ("second", None)
    assert "weights=rubric@" in found["signature"]


def test_several_sets_by_name(call, tmp_path):
    folder = label_folder(tmp_path)
    arguments = ("score", folder / "run.txt", "--labels", folder, "--json")
    code, out, _ = call(*arguments, "--labels-set", "second")
    assert (code, the_object(out)["labels"]["name"]) == (0, "second")
    for more, kind in (([], "ambiguous_set"), (["--labels-set", "third"], "unknown_set")):
        code, out, _ = call(*arguments, *more)
        assert code == 2
        assert [problem["kind"] for problem in the_object(out)["labels"]["problems"]] == [kind]
        assert "first, second" in out


def test_without_rubrics_weights_are_equal_and_that_is_said(call):
    code, text, _ = call(*BASE[:4])
    assert code == 0
    assert "weights  equal" in text
    assert "weights=equal" in text


def test_labels_from_the_environment(call, monkeypatch):
    monkeypatch.setenv("AEOLLM_LABELS", str(CASES / "labels.csv"))
    assert call("score", CASES / "base_run.txt")[0] == 0
    assert call("check", CASES / "base_run.txt")[0] == 0
    assert call("score", DEMO / "runs" / "good_judge.txt", "--labels-set", "demo")[0] == 0


def test_a_key_list_is_checked_and_not_scored(call, files):
    keys = "\n".join(line.rsplit(",", 4)[0] for line in (CASES / "labels.csv").read_text().splitlines())
    folder = files(**{"keys.csv": keys.encode()})
    arguments = (CASES / "base_run.txt", "--labels", folder / "keys.csv")
    code, out, _ = call("check", *arguments, "--json")
    found = the_object(out)
    assert code == 0
    assert (found["runs"][0]["accepted"], found["runs"][0]["scores"]) == (True, None)
    assert found["runs"][0]["coverage"] == {"answers": 12, "of": 12}
    assert call("check", CASES / "dev" / "C14" / "run.txt", *arguments[1:])[0] == 1
    code, out, _ = call("score", *arguments, "--json")
    assert code == 2
    assert [problem["kind"] for problem in the_object(out)["labels"]["problems"]] == ["no_scores"]
    assert "without human scores" in call("score", *arguments)[1]


def test_check_with_labels_computes_nothing_to_show(call):
    code, out, _ = call("check", *BASE[1:], "--json")
    (run,) = the_object(out)["runs"]
    assert (code, run["accepted"], run["scores"]) == (0, True, None)
    code, text, _ = call("check", *BASE[1:])
    assert "base_run.txt: accepted, 12 of 12 answers" in text
    assert "0.7054" not in text


def test_check_without_labels_looks_at_the_form_and_asks_nobody():
    done = process("check", CASES / "base_run.txt", CASES / "dev" / "C01" / "run.txt", "--json")
    found = the_object(done.stdout)
    assert (done.returncode, done.stderr) == (1, b"")
    assert [run["accepted"] for run in found["runs"]] == [True, False]
    assert found["runs"][0]["coverage"] == {"answers": 0, "of": 0}
    assert [problem["kind"] for problem in found["labels"]["problems"]] == ["no_labels"]


def test_check_without_labels_as_text(call):
    code, text, _ = call("check", CASES / "base_run.txt")
    assert code == 0
    assert "only the form was checked" in text
    assert "base_run.txt: accepted" in text


# The demo


def test_the_demo_is_written_and_keeps_its_badge(call, tmp_path):
    folder = tmp_path / "new" / "demo"
    code, text, _ = call("demo", folder)
    assert code == 0
    assert str(folder) in text
    written = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert written == {path.relative_to(DEMO): path.read_bytes() for path in DEMO.rglob("*") if path.is_file()}
    runs = sorted((folder / "runs").glob("*.txt"))
    assert len(runs) == 4
    code, out, _ = call("score", *runs, "--labels", folder, "--json")
    found = the_object(out)
    assert code == 1
    assert sum(run["accepted"] for run in found["runs"]) == 3
    assert found["labels"]["name"] == "demo"
    assert all("labels=demo@" in run["signature"] for run in found["runs"])
    assert "DEMO" in call("score", runs[0], "--labels", folder)[1].splitlines()[0]
    assert call("demo", folder)[0] == 2


def test_the_demo_has_a_default_folder(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("demo")[0] == 0
    assert (tmp_path / "aeollm-demo" / "runs" / "good_judge.txt").is_file()


def test_a_demo_that_cannot_be_written(call, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "demo", tmp_path / ("x" * 300)):
        code, out, err = call("demo", folder)
        assert (code, out) == (2, "")
        assert "cannot be written" in err


# Names and text


NAMES = [
    "评分 结果.txt",
    "a b  c.txt",
    "x\x1b[31mred\x07.txt",
    "line\nbreak.txt",
    "\u202eevil.txt",
    "-",
    "n" * 200,
    "<b>&.txt",
]


@pytest.mark.parametrize("name", NAMES)
def test_unusual_file_names(call, tmp_path, name):
    path = tmp_path / name
    path.write_bytes((CASES / "base_run.txt").read_bytes())
    code, out, _ = call("score", path, *BASE[2:], "--json")
    assert (code, first_run(out)["name"]) == (0, name)
    code, text, _ = call("score", path, *BASE[2:])
    assert code == 0
    controls = [letter for letter in text.replace("\n", "") if unicodedata.category(letter)[0] == "C"]
    assert controls == []
    assert sum(": scored, 12 of 12 answers" in line for line in text.splitlines()) == 1


def test_control_characters_in_labels_do_not_reach_the_terminal(call, files):
    gold = [("q\x1b[2J", "A", 1), ("q\x1b[2J", "B", 2)]
    run = run_text([("q\x1b[2J", "A", 5), ("q\x1b[2J", "B", 5)])
    folder = files(**{"l\x1b.csv": labels_csv(gold, ("tru\x1bth",)), "run.txt": run})
    header = b"taskId questionId answerId tru\x1bth_score\n"
    (folder / "run.txt").write_bytes(header + run_text([("q\x1b[2J", "A", 5), ("q\x1b[2J", "B", 5)], 1))
    for arguments in (("--per-question",), ()):
        code, out, err = call("score", folder / "run.txt", "--labels", folder / "l\x1b.csv", *arguments)
        assert code == 0
        assert "\x1b" not in out + err
        assert "\\x1b" in out
    found = the_object(call("score", folder / "run.txt", "--labels", folder / "l\x1b.csv", "--json")[1], ("tru\x1bth",))
    told = found["runs"][0]["problems"]
    assert "constant_view" in {problem["kind"] for problem in told}
    assert all("\x1b" not in f"{problem['message']}{problem['question']}{problem['column']}" for problem in told)
    (folder / "l\x1b.csv").write_bytes(b"")
    assert "\x1b" not in call("score", folder / "run.txt", "--labels", folder / "l\x1b.csv")[2]


def cells(text):
    """Count terminal cells, of which Chinese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def test_the_table_is_aligned(call, tmp_path):
    runs = [tmp_path / name for name in ("a.txt", "一个很长的文件名.txt", "b" * 40)]
    for path in runs:
        path.write_bytes((CASES / "base_run.txt").read_bytes())
    text = call("score", *runs, *BASE[2:])[1]
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("run "))
    table = lines[start : start + 10]
    assert len({cells(line) for line in table}) == 1
    starts = {cells(re.split("measure|spearman|kendall|accuracy", line)[0]) for line in table}
    assert len(starts) == 1
    ends = [[match.end() - len(line) for match in re.finditer(r"\S(?=  |$)", line)][-5:] for line in table]
    assert len({tuple(places) for places in ends}) == 1


def test_no_line_ends_in_blanks(call):
    text = call(*BASE, "--per-question")[1]
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_version_and_help(call):
    assert re.fullmatch(r"aeollm \d+\.\d+\.\d+\n", call("--version")[1])
    code, text, _ = call("score", "--help")
    assert code == 0
    for option in ("--labels", "--rubrics", "--labels-set", "--policy", "--ties", "--undefined", "--score-range"):
        assert option in text
