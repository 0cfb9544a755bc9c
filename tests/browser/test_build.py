"""The Build tab: every kind of input to a run, what each step brings, and a recipe that repeats it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LABELS, RUNS, WIDE, watch_for
from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.serving import clean_environment
from tests.browser.test_look import CONTRAST, LEGIBLE, NARROW, STICKING_OUT

JUDGE = LABELS / "judge"
CRITERIA, PAIRS, COUNTS = (JUDGE / name for name in ("criteria.tsv", "pairs.tsv", "counts.tsv"))
GOOD, COARSE, BIASED = (RUNS / f"{name}_judge.txt" for name in ("good", "coarse", "length_biased"))
BUILT = 60_000
"""Milliseconds until a build that does not end has failed."""


class BuildTab:
    """One visitor's tab."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.found = page.locator("#b-found")
        self.steps = page.locator("#b-steps [data-step]")
        self.result = page.locator("#b-result")
        self.details = page.locator("#b-details")
        self.rows = page.locator("#b-result .ae-table tbody tr")

    def open(self, theme: str = "light") -> BuildTab:
        """Open it and wait for the example."""
        ScoreTab(self.page, self.url).open(__theme=theme)
        self.page.get_by_role("tab", name="Build", exact=True).click()
        expect(self.rows).to_have_count(4, timeout=BUILT)
        return self

    def hand_in(self, *files: Path | tuple[str, bytes]) -> None:
        """Drop files."""
        named = [(file.name, file.read_bytes()) if isinstance(file, Path) else file for file in files]
        payload = [{"name": name, "mimeType": "text/plain", "buffer": content} for name, content in named]
        self.page.locator("#b-files input[type=file]").set_input_files(payload)
        expect(self.page.locator("#b-files tr.file")).to_have_count(len(files), timeout=SLOW)

    def stages(self, *names: str) -> None:
        """Wait until these stages are shown."""
        expect(self.rows.locator("th")).to_have_text([*names], timeout=BUILT, use_inner_text=True)

    def overall(self) -> dict[str, str]:
        """Give every stage's overall as shown."""
        cells = [(row.locator("th").inner_text(), row.locator("td").first.inner_text()) for row in self.rows.all()]
        return {name: cell.split()[0] for name, cell in cells}

    def control(self, step: str, key: str):
        """Find a control of a step."""
        return self.page.locator(f'#b-steps [data-name="{step}"] [data-key="{key}"]')

    def built(self, change: int) -> None:
        """Wait until what is offered for download is of this change, counted from 1."""
        expect(self.page.locator("#b-repeat [data-built]")).to_have_attribute("data-built", str(change), timeout=BUILT)

    def add(self, do: str) -> None:
        """Add a step."""
        count = self.steps.count()
        self.page.locator("#b-steps [data-kinds]").select_option(do)
        self.page.locator("#b-steps [data-act=add]").click()
        expect(self.steps).to_have_count(count + 1)

    def take(self, elem_id: str) -> bytes:
        """Download a file."""
        expect(self.page.locator(f"#{elem_id}")).to_be_enabled(timeout=BUILT)
        with self.page.expect_download() as taken:
            self.page.locator(f"#{elem_id}").click()
        return Path(taken.value.path()).read_bytes()


@pytest.fixture
def opened(offline_page, app):
    return BuildTab(offline_page, app.url).open()


def by_cli(folder, recipe, *files):
    """Build by the downloaded recipe, beside the files it names; give the run and the JSON."""
    for path in files:
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "built.toml").write_bytes(recipe)
    arguments = ["build", "built.toml", "--labels", str(LABELS), "-o", "run.txt", "--json"]
    command = [sys.executable, "-m", "aeollm", *arguments]
    done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, check=True)
    return (folder / "run.txt").read_bytes(), json.loads(done.stdout)


def shown(stage, view="overall", measure="spearman", scores="scores"):
    """Write a stage's number from the command line's JSON as the page does."""
    return f"{stage[scores][view][measure]['mean']:.3f}".removeprefix("0")


def test_the_demo_files_and_the_recipe_that_repeats_them(opened, tmp_path):
    expect(opened.found).to_contain_text("until you drop files of your own")
    opened.page.locator("#b-demo").click()
    expect(opened.found).to_contain_text("DEMO: simulated judge")
    expect(opened.found.locator("tbody tr")).to_have_count(2)
    expect(opened.found).to_contain_text("pairwise judgments")
    expect(opened.result).to_contain_text("DEMO: simulated labels")
    expect(opened.result).to_contain_text("built.txt is valid, answers: 128/128", use_inner_text=True)
    run, told = by_cli(tmp_path, opened.take("b-recipe"), CRITERIA, PAIRS)
    assert run == opened.take("b-run")
    assert opened.overall() == {stage["name"]: shown(stage) for stage in told["stages"]}
    theirs = json.loads(opened.take("b-json"))
    assert theirs["stages"] == told["stages"]
    bias = told["position_bias"]["pairs"][0]
    share = bias["first_share"]["found"] / bias["first_share"]["of"]
    expect(opened.details.locator("tr", has_text=str(bias["complete"]))).to_contain_text(
        f"{share:.3f}".removeprefix("0")
    )
    expect(opened.details.locator("tr", has_text="left in the run")).to_contain_text(
        str(told["ties_left"]["readability"])
    )
    expect(opened.page.locator("#b-figure .point").first).to_be_visible()


def test_criterion_scores(opened):
    opened.hand_in(CRITERIA)
    opened.stages("scored: original order alone", "scored: reversed order alone", "scored")
    averaged = opened.overall()["scored"]
    expect(opened.details).to_contain_text("Criterion order criteria", use_inner_text=True)
    opened.control("scored", "orders").select_option("reversed")
    opened.stages("scored")
    assert opened.overall()["scored"] != averaged
    opened.page.locator("#b-measure label", has_text="Kendall").click()
    expect(opened.result.locator(".ae-sentence")).to_contain_text("Kendall τ-b")


def test_comparisons_alone_are_of_some_dimensions_only(opened):
    opened.hand_in(PAIRS)
    opened.stages("compared")
    expect(opened.result).to_contain_text("is refused by the labels’ check")
    expect(opened.result).to_contain_text("the run has no scores for comprehensiveness")
    expect(opened.page.locator("#b-to-score")).to_be_disabled()
    opened.control("compared", "model").select_option("win-rate")
    expect(opened.result).to_contain_text("No overall score on these labels")


def test_several_runs_joined_ties_broken_and_scored_beside_others(opened, tmp_path):
    opened.hand_in(GOOD, COARSE)
    opened.stages("good_judge", "coarse_judge", "joined")
    opened.control("joined", "by").select_option("borda")
    opened.add("ties")
    opened.control("untied", "by").select_option("good_judge")
    opened.built(3)
    opened.stages("good_judge", "coarse_judge", "joined", "untied")
    expect(opened.details).to_contain_text("broken by untied", use_inner_text=True)
    recipe = opened.take("b-recipe")
    assert b'by = "borda"' in recipe
    run, told = by_cli(tmp_path, recipe, GOOD, COARSE)
    assert run == opened.take("b-run")
    opened.page.locator("#b-to-score").click()
    tab = ScoreTab(opened.page, opened.url)
    expect(tab.names).to_have_count(1, timeout=BUILT)
    tab.shows("built.txt")
    assert opened.page.locator("#scores tbody td").first.inner_text().split()[0] == shown(told["stages"][-1])


def test_what_is_learned_from_labels_is_marked_and_scored_held_out(opened, tmp_path):
    opened.hand_in(BIASED, COUNTS)
    opened.stages("length_biased_judge", "corrected held out", "in sample")
    expect(opened.steps).to_contain_text("learned from labels")
    _, told = by_cli(tmp_path, opened.take("b-recipe"), BIASED, COUNTS)
    last = told["stages"][-1]
    assert list(opened.overall().values())[1:] == [shown(last), shown(last, scores="in_sample")]
    expect(opened.result).to_contain_text("Questions are held out, not systems")


def test_a_wrong_file_is_told_what_it_looks_like_and_the_others_are_used(opened):
    labels = LABELS / "aeollm-2-train" / "train_deepresearch.csv"
    evil = ("x<img src=x onerror=alert(1)>.txt", b"<b>hello</b> you\n")
    opened.hand_in(labels, evil, JUDGE / "annotators.tsv")
    expect(opened.found).to_contain_text("train_deepresearch.csv: this looks like labels.")
    expect(opened.found).to_contain_text("Expected were criterion scores")
    expect(opened.found).to_contain_text("this looks like aspect ratings")
    expect(opened.found).to_contain_text("<b>hello</b> you")
    expect(opened.result).to_have_text("")
    expect(opened.page.locator("#b-run")).to_be_disabled()
    assert opened.page.locator("#b-found img, #b-found b").count() == 0


def test_a_file_with_errors_is_refused_with_its_lines(opened):
    rows = CRITERIA.read_text().splitlines()
    rows[4] = rows[4].replace("\t", "\tx\t", 1)
    rows[7] = "\t".join([*rows[7].split("\t")[:4], "seven", "original"])
    opened.hand_in(("broken.tsv", "\n".join(rows).encode()))
    expect(opened.result).to_contain_text("No run could be built")
    for line in ("line 5", "line 8"):
        expect(opened.result).to_contain_text(line)
    expect(opened.page.locator("#b-figure")).to_be_hidden()


def test_steps_by_keyboard(opened):
    opened.hand_in(GOOD, COARSE)
    opened.stages("good_judge", "coarse_judge", "joined")
    opened.page.locator("#b-steps [data-kinds]").focus()
    opened.page.keyboard.press("b")  # “Break ties”
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.press("Enter")
    opened.stages("good_judge", "coarse_judge", "joined", "untied")
    focused = "document.activeElement.dataset.focus"
    assert opened.page.evaluate(focused) == " » add"
    opened.page.locator('#b-steps [data-name="untied"] [data-act=up]').focus()
    opened.page.keyboard.press("Enter")
    expect(opened.result).to_contain_text("step 1: 'joined' is neither an input nor an earlier step")
    # Being first now, the step cannot go up any further: the focus stays in it.
    expect(opened.steps.first).to_have_attribute("data-name", "untied")
    assert opened.page.evaluate(focused).startswith("untied » ")
    opened.page.locator('#b-steps [data-name="untied"] [data-act=remove]').focus()
    opened.page.keyboard.press("Enter")
    opened.stages("good_judge", "coarse_judge", "joined")


def test_changes_that_come_faster_than_they_can_be_built_end_as_shown(opened):
    opened.hand_in(GOOD, COARSE)
    opened.stages("good_judge", "coarse_judge", "joined")
    for by in ("z", "borda", "median", "z", "borda"):
        opened.control("joined", "by").select_option(by)
    opened.built(5)
    assert b'by = "borda"' in opened.take("b-recipe")
    expect(opened.control("joined", "by")).to_have_value("borda")


def test_two_visitors_do_not_see_each_others_files(opened, browser, app):
    context = browser.new_context(viewport=WIDE, accept_downloads=True)
    page, watch = context.new_page(), watch_for(app)
    watch.over(page)
    opened.hand_in(GOOD)
    opened.stages("good_judge", "taken")
    other = BuildTab(page, app.url).open()
    other.hand_in(COARSE)
    other.stages("coarse_judge", "taken")
    assert b"coarse_judge" in other.take("b-recipe")
    assert b"coarse_judge" not in opened.take("b-recipe")
    context.close()
    assert watch.all() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_is_legible(offline_page, app, theme):
    opened = BuildTab(offline_page, app.url).open(theme)
    opened.page.locator("#b-steps details").evaluate("fold => { fold.open = true; }")
    for size in (WIDE, NARROW):
        opened.page.set_viewport_size(size)
        opened.page.wait_for_timeout(700)  # plotly follows a resize a moment later
        assert opened.page.evaluate(STICKING_OUT) == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    disabled = "document.querySelectorAll('.ae-act:disabled').forEach(button => button.remove())"
    opened.page.evaluate(disabled)  # WCAG asks no contrast of what cannot be used
    assert [text for text in opened.page.evaluate(CONTRAST) if text["ratio"] < LEGIBLE] == []
    opened.page.set_viewport_size(WIDE)


def test_in_chinese(browser, app):
    context = browser.new_context(viewport=WIDE, locale="zh-CN")
    page = context.new_page()
    page.goto(f"{app.url}/?__theme=light")
    page.get_by_role("tab", name="构建", exact=True).click()
    expect(page.locator("#b-result")).to_contain_text("有效", timeout=BUILT)
    expect(page.locator('#b-steps [data-name="compared"] [data-key=model] option').first).to_have_text(
        "Davidson（含平局）"
    )
    up = page.locator('#b-steps [data-name="compared"] [data-act=up]')
    expect(up).to_have_attribute("aria-label", "上移: compared")
    context.close()
