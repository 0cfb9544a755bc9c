"""The Build tab's callbacks as plain functions: no server, no browser."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeollm.errors import UsageError
from aeollm.recipes import read_recipe, step_of, write_recipe
from aeollm.sources import DEMO, DEMO_FOLDER, Settings, demo_set, read_upload
from aeollm.ui import build_inputs, build_steps
from aeollm.ui.build_calls import Builds
from aeollm.ui.build_edits import MOST_STEPS, edited
from aeollm.ui.build_form import form
from aeollm.ui.build_inputs import MOST_INPUTS, Handed, demo_files, sort
from aeollm.ui.build_notices import details, found, how_to_repeat, result
from aeollm.ui.build_steps import Bench, carried_out
from aeollm.ui.build_suggested import suggested
from aeollm.ui.callbacks import Callbacks
from aeollm.ui.catalogue import Catalogue
from tests.small_files import labels_csv, run_text

JUDGE = DEMO_FOLDER / "judge"
RUNS = DEMO_FOLDER / "runs"
RUBRICS = DEMO_FOLDER / "aeollm-2-train" / "rubric_dataset"
CRITERIA, PAIRS, COUNTS = (JUDGE / name for name in ("criteria.tsv", "pairs.tsv", "counts.tsv"))
GOOD, COARSE, BIASED = (RUNS / f"{name}_judge.txt" for name in ("good", "coarse", "length_biased"))
LABELS = labels_csv([("1", "a", 5, 5, 5, 5), ("1", "b", 6, 6, 6, 6)])
EVIL = '<img/src=x/onerror="alert(1)">'


@pytest.fixture(scope="module")
def labels():
    return demo_set()


@pytest.fixture(scope="module")
def builds():
    calls = Callbacks(Catalogue(Settings(labels=DEMO_FOLDER / "aeollm-2-train")))
    yield Builds(calls)
    calls.downloads._folder.cleanup()


def handed(*paths):
    return sort([(path, path.name) for path in paths])


def upload(path, name=None):
    """Give what gradio makes of an upload."""
    given = {"path": str(path), "orig_name": name or Path(path).name, "size": 1}
    return {**given, "meta": {"_type": "gradio.FileData"}}


def written(folder, name, text):
    path = folder / f"{len(list(folder.iterdir()))}-{len(text)}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path, name


def payload(steps, **act):
    """Give what the browser sends for steps that stand in the form."""

    def shown(value):
        if isinstance(value, tuple):
            return [str(own) for own in value] if value and isinstance(value[0], str) else ", ".join(map(str, value))
        return "" if value is None else str(value)

    listed = []
    for step in steps:
        options = {key: shown(value) for key, value in step.options.items()}
        for key, option in step.kind.options.items():
            if option.kind == "names":
                options[key] = list(step.options[key])
        listed.append({"do": step.do, "name": step.name, "from": list(step.sources), "options": options})
    return {"steps": listed, "act": act}


def dos(steps):
    return [(step.do, step.sources) for step in steps]


def test_files_are_told_apart_by_their_columns(labels):
    found_files = handed(CRITERIA, PAIRS, COUNTS, GOOD, JUDGE / "two_judges.toml", *sorted(RUBRICS.iterdir()))
    uses = [own.use for own in found_files.files]
    assert uses[:5] == ["criterion scores", "pairwise judgments", "reports", "run", "recipe"]
    assert set(uses[5:]) == {"rubrics"}
    assert list(found_files.inputs) == ["criteria", "pairs", "good_judge"]
    assert found_files.problems == ()
    assert found_files.rubrics.weights == labels.rubrics.weights


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("labels.csv", LABELS, "this looks like labels."),
        ("annotators.tsv", (JUDGE / "annotators.tsv").read_bytes(), "this looks like aspect ratings."),
        ("notes.txt", b"my notes of today\nnothing else", "begins with 'my notes of today'"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "it is no text"),
        ("empty.tsv", b"", "it is no text"),
    ],
)
def test_a_wrong_file_is_told_what_it_looks_like_and_what_was_expected(tmp_path, name, content, told):
    mixed = sort([written(tmp_path, name, content), (CRITERIA, "criteria.tsv")])
    assert list(mixed.inputs) == ["criteria"]  # the others are used all the same
    [problem] = mixed.problems
    assert problem.message.startswith(f"{name}: ")
    assert told in problem.message
    assert "Expected were criterion scores" in problem.remedy


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    broken = sort(
        [
            written(tmp_path, "a.bin", b"\x00\x01"),
            written(tmp_path, "b.toml", "recipe = 1\nnonsense = 3\n"),
            (COUNTS, "counts.tsv"),
            (COUNTS, "again.tsv"),
            (CRITERIA, "x.tsv"),
            (PAIRS, "x.tsv"),
        ]
    )
    told = " ".join(str(problem) for problem in broken.problems)
    for part in (
        "a.bin",
        "b.toml: nonsense",
        "again.tsv: reports are there already",
        "the recipe calls this one x.tsv (2)",
    ):
        assert part in told
    assert list(broken.inputs) == ["x", "x.tsv (2)"] or list(broken.inputs) == ["x", "x (2)"]


def test_a_visitor_cannot_ask_for_too_much(monkeypatch):
    with pytest.raises(UsageError, match=f"takes {MOST_INPUTS}"):
        sort([(GOOD, f"{number}.txt") for number in range(MOST_INPUTS + 1)])
    monkeypatch.setattr(build_inputs, "MOST_BYTES", 100)
    with pytest.raises(UsageError, match="MB together"):
        sort([(GOOD, "good.txt")])


def test_too_many_answers_are_refused_and_fewer_where_steps_learn(labels, monkeypatch):
    bench = Bench.of(handed(BIASED, COUNTS), labels.labels)
    monkeypatch.setattr(build_steps, "MOST_LEARNED", 127)
    assert "learn from labels" in carried_out(bench, labels).problems[0].message
    plain = replace(bench, steps=(step_of("run", ("length_biased_judge",), name="taken"),))
    assert carried_out(plain, labels).built is not None
    monkeypatch.setattr(build_steps, "MOST_ANSWERS", 127)
    assert "128 answers" in carried_out(plain, labels).problems[0].message


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([], []),
        ([CRITERIA], [("criteria", ("criteria",))]),
        ([GOOD], [("run", ("good_judge",))]),
        ([GOOD, COARSE], [("judges", ("good_judge", "coarse_judge"))]),
        ([CRITERIA, PAIRS], [("criteria", ("criteria",)), ("pairwise", ("pairs",))]),
        ([PAIRS], [("pairwise", ("pairs",))]),
        ([BIASED, COUNTS], [("length", ("length_biased_judge",))]),
    ],
)
def test_steps_are_suggested_for_what_is_there(labels, paths, expected):
    assert dos(suggested(handed(*paths), labels.labels)) == expected


def test_comparisons_are_drawn_to_scores_that_are_there(labels):
    [_, compared] = suggested(demo_files(), labels.labels)
    assert (compared.options["anchor"], compared.options["scale"]) == ("scored", "anchors")
    [alone] = suggested(handed(PAIRS), labels.labels)
    assert (alone.options["anchor"], alone.options["scale"]) == (None, "win-share")


def test_pairs_in_one_order_are_taken_as_they_are(labels, tmp_path):
    rows = PAIRS.read_text().splitlines()
    once = [rows[0], *(row for row in rows[1:] if row.split("\t")[2] < row.split("\t")[3])]
    [step] = suggested(sort([written(tmp_path, "once.tsv", "\n".join(once))]), labels.labels)
    assert step.options["orders"] == "any"


def test_steps_that_learn_need_labels_to_learn_from():
    own = read_upload(LABELS, "few.csv").labels
    bench = Bench.of(handed(BIASED, COUNTS), own)
    assert dos(bench.steps) == [("run", ("length_biased_judge",))]
    assert 'value="rescale"' not in form(bench, own)


@pytest.mark.parametrize("paths", [[CRITERIA, PAIRS], [BIASED, COUNTS], [GOOD, COARSE]])
def test_the_recipe_gives_the_same_run_at_the_command_line(labels, tmp_path, paths):
    bench = Bench.of(handed(*paths), labels.labels)
    outcome = carried_out(bench, labels)
    for path in paths:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    recipe = tmp_path / "built.toml"
    recipe.write_text(write_recipe(outcome.recipe))
    arguments = ["build", recipe, "--labels", DEMO_FOLDER, "-o", tmp_path / "run.txt", "--json"]
    done = subprocess.run([sys.executable, "-m", "aeollm", *map(str, arguments)], capture_output=True, check=True)
    assert (tmp_path / "run.txt").read_text() == outcome.built.text
    theirs = json.loads(done.stdout)["stages"][-1]["scores"]["overall"]["kendall"]["mean"]
    assert outcome.built.stages[-1].value("overall", "kendall") == theirs


def test_own_rubrics_weigh_criteria_and_are_named_in_the_recipe(labels):
    rubrics = sorted(RUBRICS.iterdir())
    outcome = carried_out(Bench.of(handed(CRITERIA, *rubrics), labels.labels), labels)
    assert outcome.recipe.rubrics == "rubrics"
    plain = carried_out(Bench.of(handed(CRITERIA), labels.labels), labels)
    assert outcome.built.text == plain.built.text  # these are the label set's own
    assert "rubrics/" in how_to_repeat(outcome, "built.toml")


def test_a_recipe_that_is_dropped_chooses_the_steps(labels):
    bench = Bench.of(handed(JUDGE / "tie_break.toml", CRITERIA, COARSE), labels.labels)
    assert [step.do for step in bench.steps] == ["criteria", "ties"]
    assert list(bench.recipe.inputs) == ["criteria", "coarse"]
    outcome = carried_out(bench, labels)
    [overall, *_] = outcome.built.broken["untied"]
    assert overall.broken > 0
    assert outcome.built.ties["overall"] == overall.after
    assert "broken by" in details(outcome)


def test_a_recipe_whose_file_is_not_there_says_so(labels):
    outcome = carried_out(Bench.of(handed(JUDGE / "tie_break.toml", CRITERIA), labels.labels), labels)
    assert outcome.built is None
    assert "coarse" in " ".join(str(problem) for problem in outcome.problems)


def test_the_list_that_the_browser_sends_is_the_list(labels):
    bench = Bench.of(demo_files(), labels.labels)
    assert edited(bench, labels.labels, payload(bench.steps)).steps == bench.steps
    data = payload(bench.steps)
    data["steps"][1]["options"] |= {"model": "copeland", "ridge": "0.5", "scale": "win-share", "anchor": ""}
    changed = edited(bench, labels.labels, data)
    assert changed.problems == ()
    options = changed.steps[1].options
    assert (options["model"], options["ridge"], options["anchor"]) == ("copeland", 0.5, None)


def test_a_value_that_does_not_fit_is_told_and_changes_nothing(labels):
    bench = Bench.of(demo_files(), labels.labels)
    data = payload(bench.steps)
    data["steps"][1]["options"] |= {"ridge": "-3", "model": "elo", "strength": "much"}
    changed = edited(bench, labels.labels, data)
    assert changed.steps == bench.steps
    told = " ".join(str(problem) for problem in changed.problems)
    assert all(part in told for part in ("'-3'", "'elo'", "'much'", "one of davidson"))


def test_steps_are_added_moved_and_removed(labels):
    bench = Bench.of(handed(CRITERIA, COARSE), labels.labels)
    bench = replace(bench, steps=bench.steps[:1])
    bench = edited(bench, labels.labels, payload(bench.steps, kind="add", do="ties"))
    assert dos(bench.steps)[1] == ("ties", ("scored",))
    assert bench.steps[1].options["by"] == "coarse_judge"
    bench = edited(bench, labels.labels, payload(bench.steps, kind="up", at=1))
    assert [step.do for step in bench.steps] == ["ties", "criteria"]
    outcome = carried_out(bench, labels)
    assert outcome.problems[0].message.startswith("step 1: 'scored' is neither an input nor an earlier step")
    assert outcome.problems[0].line is None
    bench = edited(bench, labels.labels, payload(bench.steps, kind="down", at=0))
    assert carried_out(bench, labels).built is not None
    bench = edited(bench, labels.labels, payload(bench.steps, kind="remove", at=0))
    assert [step.do for step in bench.steps] == ["ties"]


def test_what_built_on_a_step_that_is_removed_builds_on_what_was_before_it(labels):
    bench = Bench.of(handed(GOOD, COARSE), labels.labels)
    bench = edited(bench, labels.labels, payload(bench.steps, kind="add", do="rescale"))
    assert bench.steps[1].sources == ("joined",)
    bench = edited(bench, labels.labels, payload(bench.steps, kind="remove", at=0))
    assert bench.steps[0].sources == ("good_judge",)


def test_steps_are_few(labels):
    bench = Bench.of(handed(GOOD, COARSE), labels.labels)
    for _ in range(MOST_STEPS + 3):
        bench = edited(bench, labels.labels, payload(bench.steps, kind="add", do="ties"))
    assert len(bench.steps) == MOST_STEPS
    assert bench.problems[0].kind == "too_many_steps"


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "steps",
        {"steps": 3},
        {"steps": [None, 3, {"do": "explode"}, {"do": {}, "from": "x"}], "act": 7},
        {
            "steps": [{"do": "ties", "name": 3, "from": [3, None], "options": {"by": {}}}],
            "act": {"kind": "up", "at": 9},
        },
        {"steps": [{"do": "run", "from": ["\ud800"], "name": "\x00"}], "act": {"kind": "remove", "at": -1}},
        {"steps": [{"do": "judges", "from": ["a"] * 9, "options": {"weights": "nan, inf"}}], "act": {"kind": "add"}},
    ],
)
def test_anything_may_come_from_a_browser(labels, data):
    bench = edited(Bench.of(demo_files(), labels.labels), labels.labels, data)
    outcome = carried_out(bench, labels)
    assert outcome.built is None
    assert outcome.problems
    assert form(bench, labels.labels)
    assert result(outcome, "kendall")


def test_learned_steps_are_marked_and_show_both_scores(labels):
    outcome = carried_out(Bench.of(handed(BIASED, COUNTS), labels.labels), labels)
    last = outcome.built.stages[-1]
    assert last.learned
    told = result(outcome, "kendall")
    for value in (last.value("overall", "kendall"), last.in_sample.mean("overall", "kendall").mean):
        assert f"{value:.3f}".removeprefix("0") in told
    assert told.count("held out") > 1
    assert "in sample" in told
    assert "learned from labels" in form(Bench.of(handed(BIASED, COUNTS), labels.labels), labels.labels)


def test_a_run_that_lacks_dimensions_is_refused_in_words(labels):
    told = result(carried_out(Bench.of(handed(PAIRS), labels.labels), labels), "kendall")
    assert "refused by the labels" in told
    assert "the run has no scores for comprehensiveness" in told
    assert "No overall score" in told


def test_nothing_quoted_is_html(labels, tmp_path):
    content = CRITERIA.read_bytes()
    files = [written(tmp_path, f"{EVIL}.tsv", content), written(tmp_path, f"{EVIL}.bin", b"\x00"),
             written(tmp_path, "run.txt", run_text([("1", EVIL, 1, 2, 3, 4)]))]  # fmt: skip
    bench = Bench.of(sort(files), labels.labels)
    bench = edited(bench, labels.labels, {"steps": [*payload(bench.steps)["steps"], {"do": "ties", "name": EVIL}]})
    outcome = carried_out(bench, labels)
    whole = [found(bench, example=False), form(bench, labels.labels), result(outcome, "kendall"), details(outcome)]
    bench = Bench.of(sort(files[:1]), labels.labels)
    outcome = carried_out(bench, labels)
    whole += [result(outcome, "kendall"), details(outcome), how_to_repeat(outcome, "x"), found(bench, example=False)]
    assert outcome.built is not None
    assert all("<img" not in part for part in whole)
    assert "&lt;img" in "".join(whole)


def test_a_change_that_was_overtaken_on_its_way_undoes_nothing(labels):
    bench = Bench.of(handed(GOOD, COARSE), labels.labels)
    later = payload([replace(bench.steps[0], options={**bench.steps[0].options, "by": "borda"})]) | {"turn": 5}
    earlier = payload([replace(bench.steps[0], options={**bench.steps[0].options, "by": "z"})]) | {"turn": 4}
    bench = edited(edited(bench, labels.labels, later), labels.labels, earlier)
    assert (bench.turn, bench.steps[0].options["by"]) == (5, "borda")
    assert edited(bench, labels.labels, earlier | {"turn": 6}).steps[0].options["by"] == "z"


def test_the_example_is_shown_until_files_are_dropped(builds):
    session = builds.score.example
    bench, *_, told, steps = builds.opened(Bench(), None, DEMO, session)
    assert "until you drop" in told
    assert "criteria" in steps
    held, told, drawn, more, *take = builds.built(bench, None, DEMO, session, "spearman")
    assert "DEMO" in told
    assert drawn["value"] is not None
    assert "Position" in more
    assert all(own["interactive"] for own in take[:-1])
    # The next visitor gets the same outcome without building it again.
    assert builds.built(bench, None, DEMO, session, "spearman")[0] is held
    bench, *_, told, steps = builds.dropped(Bench(), [upload(GOOD)], DEMO, session)
    assert "until you drop" not in told
    assert dos(bench.steps) == [("run", ("good_judge",))]
    assert builds.dropped(Bench(), [], DEMO, session)[0].handed.demo


def test_the_demo_files_are_scored_on_the_demo_labels(builds):
    session = builds.score.example
    bench, *_, told, _ = builds.dropped(Bench(), [upload(path) for path in builds.demo()], "aeollm-2-train", session)
    assert bench.handed.demo
    assert "DEMO: simulated judge" in told
    held = builds.built(bench, None, "aeollm-2-train", session, "kendall")[0]
    assert held.label_set.labels.demo
    picker, *_ = builds.labels_to_score(held, "aeollm-2-train", session)
    files, tabs = builds.to_score(held, [upload(GOOD)])
    assert [Path(path).name for path in files] == ["good_judge.txt", "built.txt"]
    assert Path(files[1]).read_text() == held.built.text
    assert picker["value"] == DEMO
    assert tabs["selected"] == "score"


def test_what_is_downloaded_is_what_was_built(builds):
    session = builds.score.example
    bench = builds.dropped(Bench(), [upload(GOOD), upload(COARSE)], DEMO, session)[0]
    held, *_, run, recipe, as_json, to_score, told = builds.built(bench, None, DEMO, session, "kendall")
    assert Path(run["value"]).read_text() == held.built.text
    assert read_recipe(Path(recipe["value"])).steps == bench.steps
    assert json.loads(Path(as_json["value"]).read_text())["stages"][-1]["name"] == "joined"
    assert to_score["interactive"]
    assert "python -m aeollm build built.toml" in told


def test_a_refused_upload_leaves_nothing_to_take(builds):
    session = builds.score.example
    bench, *_, told, steps = builds.dropped(Bench(), [{"path": "/etc/passwd"}], DEMO, session)
    assert "uploaded" in told
    assert steps == ""
    held, told, drawn, _, *take = builds.built(bench, None, DEMO, session, "kendall")
    assert held is None
    assert (told, drawn["visible"]) == ("", False)
    assert not any(own["interactive"] for own in take[:-1])
    assert builds.to_score(None, None)[0]["__type__"] == "update"


def test_other_labels_build_anew(builds):
    session = builds.score.example
    bench = builds.dropped(Bench(), [upload(GOOD)], DEMO, session)[0]
    held = builds.built(bench, None, DEMO, session, "kendall")[0]
    assert builds.built(bench, held, DEMO, session, "accuracy")[0] is held
    session = replace(session, own=(("own: x", read_upload(LABELS, "x.csv")),))
    other = builds.built(bench, held, "own: x", session, "kendall")[0]
    assert other is not held
    assert other.label_set.labels.name != held.label_set.labels.name


def test_steps_as_edited_in_the_page(builds):
    session = builds.score.example
    bench = builds.dropped(Bench(), [upload(GOOD), upload(COARSE)], DEMO, session)[0]
    event = SimpleNamespace(_data=payload(bench.steps, kind="add", do="ties"))
    bench, *take, _, steps = builds.edited(bench, [upload(GOOD)], DEMO, session, event)
    assert [step.do for step in bench.steps] == ["judges", "ties"]
    assert steps.count("data-step") == 2
    assert not any(own["interactive"] for own in take)  # not before the steps have been carried out
    assert isinstance(bench.handed, Handed)


def test_what_has_been_changed_meanwhile_is_not_shown(builds):
    session = builds.score.example
    before = builds.dropped(Bench(), [upload(GOOD), upload(COARSE)], DEMO, session)[0]
    event = SimpleNamespace(_data=payload(before.steps, kind="add", do="ties"))
    now = builds.edited(before, [upload(GOOD)], DEMO, session, event)[0]
    late, current = (builds.built(bench, None, DEMO, session, "kendall") for bench in (before, now))
    assert all(own == {"__type__": "update"} for own in late)
    assert len(late) == len(current)
    assert current[0].recipe.steps == now.steps
    assert builds.dropped(now, [upload(GOOD)], DEMO, session)[0].latest is now.latest
    assert now.passed
