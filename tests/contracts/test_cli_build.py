"""`build`, `aggregate` and `preferences` as a user meets them."""

import json

import pytest

from aeollm.files import read_labels, read_run
from tests.commands import ROOT, call, process

DEMO = ROOT / "assets" / "demo"
JUDGE = DEMO / "judge"
RUBRICS = DEMO / "aeollm-2-train" / "rubric_dataset"
LABELS = read_labels(DEMO / "aeollm-2-train" / "train_deepresearch.csv", name="demo")


@pytest.fixture
def told(capsys, tmp_path):
    """Run a command with its run file in a folder of its own: exit code, JSON, standard error, path of the run."""

    def told(*arguments, out="run.txt"):
        path = tmp_path / out
        code, printed, complained = call(capsys, *arguments, "-o", path, "--json")
        return code, json.loads(printed) if printed else None, complained, path

    return told


def overall(stage):
    return stage["scores"]["overall"]["kendall"]["mean"]


def test_a_recipe_in_a_process_of_its_own_writes_the_run_and_says_what_each_step_brings(tmp_path):
    out = tmp_path / "run.txt"
    done = process("build", JUDGE / "two_judges.toml", "--labels", DEMO, "-o", out)
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode()
    for part in ("scored: original order alone", "compared", "criterion order", "leaning first", "tied pairs left"):
        assert part in said
    scored = process("score", out, "--labels", DEMO, "--json")
    value = json.loads(scored.stdout)["runs"][0]["scores"]["overall"]["kendall"]["mean"]
    line = next(line for line in said.splitlines() if line.startswith("compared"))
    assert f"{value:.4f}" in line


def test_averaging_orders_and_comparing_pairs_help_on_the_demo(told):
    code, found, _, path = told("build", JUDGE / "two_judges.toml", "--labels", DEMO)
    assert code == 0
    original, turned, both, compared = found["stages"]
    assert max(overall(original), overall(turned)) < overall(both) < overall(compared)
    assert (both["base"], compared["base"]) == ("scored: original order alone", "scored")
    assert len(read_run(path, LABELS)) == 128
    assert found["accepted"]
    bias = {own["judge"]: own for own in found["position_bias"]["pairs"]}
    assert bias["J1"]["p_questions"] < 0.05 < bias["J2"]["p_questions"]
    assert {effect["dimension"] for effect in found["order_effects"]["criteria"]} == set(LABELS.dimensions)
    (groups,) = found["strengths"].values()
    assert [group["question"] for group in groups] == list(LABELS.question_order)
    for group in groups:
        assert sum(answer["strength"] for answer in group["answers"]) == pytest.approx(0, abs=1e-6)
        assert all(answer["error"] > 0 for answer in group["answers"])


def test_one_step_commands_are_recipes_and_save_them(told, tmp_path):
    saved = tmp_path / "sub" / "r.toml"
    saved.parent.mkdir()
    arguments = ("aggregate", "criteria", JUDGE / "criteria.tsv", "--rubrics", RUBRICS)
    code, _, _, path = told(*arguments, "--orders", "reversed", "--save-recipe", saved)
    assert code == 0
    again, _, _, other = told("build", saved, out="again.txt")
    assert again == 0
    assert path.read_bytes() == other.read_bytes()
    assert 'orders = "reversed"' in saved.read_text()


def test_ties_of_a_coarse_judge_are_broken_by_another_run(told):
    runs = [DEMO / "runs" / f"{name}_judge.txt" for name in ("coarse", "good")]
    code, found, _, path = told("aggregate", "ties", *runs, "--labels", DEMO)
    assert code == 0
    coarse, _, untied = found["stages"]
    assert overall(untied) > overall(coarse)
    (counts,) = found["ties_broken"].values()
    assert [count["view"] for count in counts] == ["overall", *LABELS.dimensions]
    # Nothing untied was exchanged: whole points still are in the coarse judge's order.
    before, after = (read_run(file, LABELS).scores.values for file in (runs[0], path))
    assert abs(before - after).max() < 0.5


@pytest.mark.parametrize("by", ["mean", "z", "borda", "median"])
def test_several_judges_become_one(told, by):
    runs = [DEMO / "runs" / f"{name}_judge.txt" for name in ("coarse", "good", "length_biased")]
    code, found, _, path = told("aggregate", "judges", *runs, "--by", by, "--labels", DEMO)
    assert code == 0
    assert [stage["name"] for stage in found["stages"]] == [*(run.name for run in runs), "judges"]
    assert len(read_run(path, LABELS)) == 128


def test_comparisons_of_one_dimension_are_a_run_in_part_and_with_an_anchor_a_whole_one(told, capsys, tmp_path):
    code, found, _, path = told("aggregate", "pairwise", JUDGE / "pairs.tsv", "--labels", DEMO)
    assert (code, found["accepted"], found["in_part"]) == (0, False, True)
    assert found["coverage"] == {"answers": 128, "of": 128}
    assert [p["severity"] for p in found["problems"] if p["kind"] == "missing_dimension"] == ["warning"]
    assert path.exists()
    _, said, _ = call(capsys, "aggregate", "pairwise", JUDGE / "pairs.tsv", "--labels", DEMO, "-o", tmp_path / "r")
    assert "REFUSED" not in said
    assert "scored on these only" in said.splitlines()[0]
    (bias,) = (own for own in found["position_bias"]["pairs.tsv"] if own["judge"] is None)
    interval = bias["first_share_interval"]
    assert f"[{interval['low']:.3f}, {interval['high']:.3f}]" in said
    assert list(found["stages"][0]["scores"]) == ["insight"]
    anchor = DEMO / "runs" / "good_judge.txt"
    code, found, _, _ = told("aggregate", "pairwise", JUDGE / "pairs.tsv", "--anchor", anchor, "--labels", DEMO)
    assert code == 0
    assert (
        found["stages"][1]["scores"]["insight"]["kendall"]["mean"]
        > found["stages"][0]["scores"]["insight"]["kendall"]["mean"]
    )


def test_comparisons_in_one_order_say_what_to_do(told, tmp_path):
    lines = (JUDGE / "pairs.tsv").read_text().splitlines()
    one = tmp_path / "one.tsv"
    one.write_text("\n".join([lines[0], *(line for line in lines[1:] if line.split("\t")[2] < line.split("\t")[3])]))
    code, found, complained, path = told("aggregate", "pairwise", one)
    assert code == 1
    assert found["run"] is None
    assert "any" in complained
    assert not path.exists()
    code, found, _, _ = told("aggregate", "pairwise", one, "--orders", "any")
    assert code == 0


def test_a_wrong_file_is_told_what_it_looks_like(told):
    code, found, complained, path = told("aggregate", "criteria", JUDGE / "pairs.tsv")
    assert code == 1
    assert "looks like pairwise judgments; criterion scores were expected" in complained
    assert found["problems"][0]["line"] == 1
    assert not path.exists()
    code, _, complained, _ = told("aggregate", "judges", JUDGE / "pairs.tsv", DEMO / "runs" / "good_judge.txt")
    assert code == 1
    assert "looks like pairwise judgments; a run was expected" in complained


def test_a_recipe_with_mistakes_lists_them_all_with_lines(told, tmp_path):
    recipe = tmp_path / "r.toml"
    recipe.write_text('recipe = 1\n[inputs]\na = "a.txt"\n[[step]]\ndo = "judge"\n[[step]]\ndo = "ties"\nfrom = "a"\n')
    code, found, complained, path = told("build", recipe)
    assert code == 2
    assert [(p["kind"], p["line"]) for p in found["problems"]] == [("unknown_step", 5), ("missing_option", 6)]
    assert "line 5" in complained
    assert not path.exists()


def test_the_output_that_cannot_be_written_is_told(told):
    run = DEMO / "runs" / "good_judge.txt"
    code, found, complained, _ = told("aggregate", "judges", run, out="no/such/run.txt")
    assert code == 2
    assert [problem["kind"] for problem in found["problems"]] == ["not_written"]
    assert "cannot be written" in complained


@pytest.mark.parametrize("what", ["input", "link", "recipe", "labels", "both outputs"])
def test_no_command_writes_over_what_it_reads_or_writes(what, tmp_path, capsys):
    run, labels = tmp_path / "in.txt", tmp_path / "labels.csv"
    run.write_bytes((DEMO / "runs" / "good_judge.txt").read_bytes())
    labels.write_bytes((DEMO / "aeollm-2-train" / "train_deepresearch.csv").read_bytes())
    recipe = tmp_path / "r.toml"
    recipe.write_text('recipe = 1\n[inputs]\nr = "in.txt"\n[[step]]\ndo = "run"\nfrom = "r"\n')
    (tmp_path / "link.txt").symlink_to(run)
    arguments = {
        "input": ("aggregate", "judges", run, "-o", run),
        "link": ("aggregate", "judges", run, "-o", tmp_path / "link.txt"),
        "recipe": ("build", recipe, "-o", recipe),
        "labels": ("aggregate", "judges", run, "--labels", labels, "-o", labels),
        "both outputs": ("build", recipe, "-o", tmp_path / "o", "--save-recipe", tmp_path / "sub" / ".." / "o"),
    }[what]
    (tmp_path / "sub").mkdir()
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code, printed, complained = call(capsys, *arguments, "--json")
    assert code == 2
    assert [problem["kind"] for problem in json.loads(printed)["problems"]] == ["overwrites"]
    assert "Name another file" in complained
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("no.tsv",), "unreadable_file"),
        ((JUDGE / "pairs.tsv",), "missing_column"),
        ((JUDGE / "annotators.tsv", "--third", "nobody"), "unknown_annotator"),
    ],
)
def test_annotators_that_cannot_be_used_are_told_in_json_too(arguments, kind, capsys, tmp_path):
    arguments = ("aggregate", "annotators", *arguments, "--rule", "2", "-o", tmp_path / "l.csv", "--json")
    code, printed, complained = call(capsys, *arguments)
    assert code == 1
    assert complained
    assert [problem["kind"] for problem in json.loads(printed)["problems"]] == [kind]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "two words", "overall", "a\u3000b"])
def test_aspects_make_up_a_dimension_that_labels_can_name(name, capsys, tmp_path):
    arguments = ("aggregate", "annotators", JUDGE / "annotators.tsv", "--rule", "2", "-o", tmp_path / "l.csv")
    code, _, complained = call(capsys, *arguments, "--dimension", name)
    assert code == 2
    assert "no name of a dimension" in complained


def test_annotators_become_labels(told):
    code, found, _, path = told("aggregate", "annotators", JUDGE / "annotators.tsv", "--rule", "2", out="labels.csv")
    assert code == 0
    (own,) = found["dimensions"].values()
    assert own["answers"] == 64
    assert own["same_pair"]
    assert all(one["third"] for one in own["disagreements"])
    train = DEMO / "aeollm-2-train" / "train_deepresearch.csv"
    arguments = ("aggregate", "annotators", JUDGE / "annotators.tsv", "--rule", "2", "--into", train)
    code, _, _, path = told(*arguments, out="all.csv")
    assert code == 0
    whole = read_labels(path)
    assert whole.index.keys() == LABELS.index.keys()
    assert (whole.scores.values[:, :3] == LABELS.scores.values[:, :3]).all()
    assert (whole.scores.values[:, 3] != LABELS.scores.values[:, 3]).sum() > 50


def test_preferences_are_split_by_question_and_balanced(tmp_path, capsys):
    texts = tmp_path / "texts.jsonl"
    rows = [{"questionId": q, "answerId": a, "text": f"report {q} {a}"} for q, a in LABELS.index]
    texts.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    folders = []
    for name in ("one", "two"):
        folders.append(tmp_path / name)
        arguments = ("preferences", "--labels", DEMO, "--texts", texts, "--margin", "0.1", "--seed", "5")
        code, printed, _ = call(capsys, *arguments, "-o", folders[-1], "--json")
        assert code == 0
    counts = json.loads(printed)
    assert counts["problems"] == []
    for part in ("train", "validation"):
        assert (folders[0] / f"{part}.jsonl").read_bytes() == (folders[1] / f"{part}.jsonl").read_bytes()
        for own in counts[part].values():
            assert abs(own["A"] - own["B"]) <= 8
    asked = [
        {json.loads(line)["questionId"] for line in (folders[0] / f"{part}.jsonl").read_text("utf-8").splitlines()}
        for part in ("train", "validation")
    ]
    assert asked[0].isdisjoint(asked[1])
    assert len(asked[0] | asked[1]) == 8


def test_preferences_without_a_report_are_refused(tmp_path, capsys):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"questionId": "2", "answerId": "Doc_001", "text": "x"}\n')
    arguments = ("preferences", "--labels", DEMO, "--texts", texts, "-o", tmp_path / "out", "--json")
    code, printed, complained = call(capsys, *arguments)
    assert code == 2
    assert {problem["kind"] for problem in json.loads(printed)["problems"]} == {"missing_text"}
    assert "there is no report of question 2, answer Doc_002" in complained


def test_steps_that_learn_show_held_out_scores_beside_in_sample_ones(told):
    code, found, _, _ = told("build", JUDGE / "length.toml", "--labels", DEMO)
    assert code == 0
    before, corrected, blended = found["stages"]
    assert (before["learned"], corrected["learned"], blended["learned"]) == (False, True, True)
    for stage, base, dimension in ((corrected, before, "instruction_following"), (blended, corrected, "readability")):
        held, seen, was = (
            own[dimension]["kendall"]["mean"] for own in (stage["scores"], stage["in_sample"], base["scores"])
        )
        assert was < held < seen
    code, found, complained, path = told("build", JUDGE / "length.toml", out="other.txt")
    assert code == 1
    assert "learns from labels, and there are none" in complained
    # What the corrections would have improved on is the run, and is said to be.
    assert found["instead"] == before["name"]
    assert f"the run holds the scores of {before['name']}" in complained
    assert len(path.read_text().splitlines()) == 1 + found["run"]["answers"]
