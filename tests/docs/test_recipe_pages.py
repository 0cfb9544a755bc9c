"""Every bundled judge recipe has a page, and its figures are those of an estimate over reports of the task's size."""

import re
from pathlib import Path

import numpy as np
import pytest

from aeollm.decimals import Decimal, Decimals
from aeollm.judging import Price
from aeollm.judging.reports import Report
from aeollm.methods import Judge, Material, Task, bundled_recipes, estimated, read_method
from aeollm.tables import DIMENSIONS, Criterion, Labels, Rubrics

PAGES = Path(__file__).parents[2] / "assets" / "recipes"
FIGURES = re.compile(
    r"160 reports: (at most )?([0-9,]+) calls, ([0-9.]+) million tokens in, at most ([0-9.]+) million out\."
)
# 10 questions with 16 reports, 25 criteria and reports of 9,600 tokens, as in the task's training set (0.3 tokens a
# character).
TEXT = "cool " * 6400


@pytest.fixture(scope="module")
def material():
    reports = tuple(
        Report(str(question), f"Doc_{n:03d}", f"{TEXT}{question} {n}", "made")
        for question in range(10)
        for n in range(16)
    )
    sizes = dict(zip(DIMENSIONS, (7, 6, 6, 6), strict=True))
    criteria = {
        name: [Criterion(f"Names what {name} needs, part {n}", "As a reader would expect it.", Decimal(1, 0))
               for n in range(size)]
        for name, size in sizes.items()
    }  # fmt: skip
    questions = [str(question) for question in range(10)]
    weights = {question: dict.fromkeys(DIMENSIONS, Decimal(25, -2)) for question in questions}
    prompts = dict.fromkeys(questions, "Compare three ways of cooling a building in a humid climate, with figures.")
    rubrics = Rubrics("made", weights, prompts, dict.fromkeys(questions, criteria))
    scores = Decimals(np.tile(np.arange(160)[:, None] % 10, (1, 4)), 0)
    keys = tuple(zip(*(report.key for report in reports), strict=True))
    given = np.ones((160, 4), dtype=bool)
    labels = Labels("made", "made", None, "", *keys, DIMENSIONS, scores, given)
    return Material(reports, labels, rubrics, 160)


def figures(name, material):
    method = read_method(name)
    # All but optimising takes so much a question; two of ten are enough to count.
    times = 1 if name == "optimise" else 5
    material = material if times == 1 else material.first(32, together=True)
    task = Task(method, material, {role: Judge(role, role) for role in method.roles})
    found = estimated(task, Price())
    most = any(own.at_most for own in found)
    return most, *(times * sum(getattr(own, key) for own in found) for key in ("calls", "prompt", "completion"))


@pytest.mark.parametrize("name", bundled_recipes())
def test_the_page_tells_what_the_recipe_takes(name, material):
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    most, calls, prompt, completion = figures(name, material)
    told = FIGURES.search(page)
    assert told is not None, (most, calls, prompt / 1e6, completion / 1e6)
    assert (bool(told[1]), int(told[2].replace(",", ""))) == (most, calls)
    assert float(told[3]) == pytest.approx(prompt / 1e6, rel=0.03)
    assert float(told[4]) == pytest.approx(completion / 1e6, rel=0.03, abs=0.006)
    assert "## What the paper reports" in page


ROW = re.compile(r"^\| `([a-z-]+)` \| ([0-9,]+) \| (at most )?([0-9,]+) \|" + r" ([0-9.,]+) \|" * 4, re.MULTILINE)
TWO_DIGITS = re.compile(r"(0\.0*)?[1-9](\.?\d)?0*")


@pytest.mark.parametrize("name", bundled_recipes())
def test_the_arithmetic_is_that_of_the_estimate(name, material):
    rows = [row for row in ROW.findall((PAGES / "scale.md").read_text()) if row[0] == name]
    assert [row[1] for row in rows] == ["640", "100,000", "10,000,000"]
    most, *found = figures(name, material)
    learned, scored = (found, figures("holistic", material)[1:]) if name == "optimise" else ([0, 0, 0], found)
    for _, reports, bound, calls, *cells in rows:
        share = int(reports.replace(",", "")) / 160
        wanted, prompt, completion = (once + share * own for once, own in zip(learned, scored, strict=True))
        assert (bool(bound), int(calls.replace(",", ""))) == (most, wanted)
        # Two digits: half of the last one is at most 5 %. Million tokens over 5,000 a second; 0.30 and 1.20 a million.
        exact = [prompt / 1e6, completion / 1e6, prompt / 5000 / 3600, (0.3 * prompt + 1.2 * completion) / 1e6]
        told = [cell.replace(",", "") for cell in cells]
        assert [float(cell) for cell in told] == pytest.approx(exact, rel=0.055)
        assert all(TWO_DIGITS.fullmatch(cell) for cell in told)
