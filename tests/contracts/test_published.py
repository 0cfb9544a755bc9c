"""Published figures are the paper's: its text beside the repository, and what must hold between the numbers."""

import re
from decimal import ROUND_HALF_UP, Decimal

import pytest

from aeollm import DIMENSIONS, MEASURES
from aeollm.leaderboard import DETECTABLE, PUBLISHED, formal_run, gaps, methods, ntcir18_dry_run, read_table, tie_price
from aeollm.ui.pages_text import read_pages
from tests.conftest import beside

VIEWS = ("overall", *DIMENSIONS)
QUESTIONS, PAIRS = 20, 16 * 15 // 2


@pytest.fixture(scope="module")
def reference():
    """Give a function from a name to a reference text that lies beside the repository and is not ours to ship."""

    def text(name):
        return beside(f"reference/{name}").read_text("utf-8")

    return text


@pytest.fixture(scope="module")
def paper(reference):
    return reference("paper-aeollm2-overview.txt")


def paper_rows(paper, number):
    """Give the cells of the lines that follow a table's caption."""
    after = re.split(rf"^Table {number}\. ", paper, flags=re.MULTILINE)[1].splitlines()[2:]
    rows = []
    for line in after:
        if not line.strip():
            break
        rows.append(line.split("\t"))
    return rows


def printed(name):
    """Give the rows of a published file, as text."""
    return read_table(PUBLISHED / name)


def test_table_4_is_the_papers_figure_by_figure(paper):
    header, rows = printed("formal_run_results.csv")
    assert header == ["kind", "team", *(f"{view}_{measure}" for view in VIEWS for measure in MEASURES)]
    top, under, *found = paper_rows(paper, 4)
    assert [cell for cell in top if cell] == ["TEAM", "weighted overall", *DIMENSIONS]
    assert [cell for cell in under if cell] == [*MEASURES] * 5
    place = found.index(["Baseline Methods"])
    assert [row[1:] for row in rows if row[0] == "participant"] == found[:place]
    assert [row[1:] for row in rows if row[0] == "baseline"] == found[place + 1 :]
    assert len(rows) == place + len(found) - place - 1 == 14


@pytest.mark.parametrize(
    ("name", "number"), [("judge_benchmark_lengths.csv", 1), ("timeline.csv", 2), ("run_statistics.csv", 3)]
)
def test_the_other_tables_are_the_papers(paper, name, number):
    _, rows = printed(name)
    found = paper_rows(paper, number)
    assert rows == (found if number == 2 else found[1:])


def test_run_statistics_add_up():
    _, rows = printed("run_statistics.csv")
    *teams, total = [[row[0], *map(int, row[1:])] for row in rows]
    assert [row[3] for row in teams] == [row[1] + row[2] for row in teams]
    assert total == ["Total", *(sum(row[column] for row in teams) for column in (1, 2, 3))] == ["Total", 58, 33, 91]
    assert len(teams) == 10
    assert (
        {row[0] for row in teams if row[2]} == {row.team for row in formal_run() if not row.baseline} == set(methods())
    )


def test_accuracies_are_shares_of_2400_pairs_rounded_half_up():
    header, rows = printed("formal_run_results.csv")
    columns = [place for place, name in enumerate(header) if name.endswith("_accuracy")]
    cells = [row[place] for row in rows for place in columns]
    assert len(cells) == 70
    of = QUESTIONS * PAIRS
    for cell in cells:
        count = round(Decimal(cell) * of)
        rounded = {
            str((Decimal(k) / of).quantize(Decimal("0.0001"), ROUND_HALF_UP)) for k in (count - 1, count, count + 1)
        }
        assert cell in rounded, cell


def test_runs_without_ties_satisfy_the_identity():
    for row in formal_run():
        assert -0.0001 <= tie_price(row) < 0.04, row.team


def test_the_first_edition_is_as_noted(reference):
    text = reference("official.md")
    [line] = [line for line in text.splitlines() if line.startswith("- Dry-run baselines")]
    cells = re.findall(r"(\.\d{4})/(\.\d{4})/(\.\d{4})", line)
    subtasks = ("dialogue_generation", "text_expansion", "summary_generation", "non_factoid_qa")
    noted = [
        (subtask, name) for subtask in subtasks for name in ("chatglm3-6b", "baichuan2-13b", "chatglm-pro", "gpt-4o")
    ]
    found = {row.team: row.values for row in ntcir18_dry_run()}
    assert len(cells) == len(noted) == 16
    for (subtask, name), (accuracy, tau, rho) in zip(noted, cells, strict=True):
        values = found[name][subtask]
        assert (values["accuracy"], values["kendall"], values["spearman"]) == (float(accuracy), float(tau), float(rho))


def test_detectable_differences_are_as_noted(reference):
    [line] = [line for line in reference("statistics.md").splitlines() if "Smallest detectable difference" in line]
    for measure, name in (("spearman", "rho"), ("kendall", "tau"), ("accuracy", "accuracy")):
        [noted] = re.findall(rf"{name} \.\d+ / \*\*(\.\d+)\*\*", line)
        assert DETECTABLE[measure] == float(noted)


def test_what_the_leaderboards_text_says_holds():
    """Numbers that the text repeats; an organiser who changes the table is told to change the text."""
    [page] = [page for page in read_pages() if page.path == "leaderboard"]
    text = " ".join(part.text for part in page.parts).replace("\n", " ")
    for measure, name in (("spearman", "Spearman"), ("kendall", "Kendall"), ("accuracy", "accuracy")):
        assert f"{DETECTABLE[measure]:.3f}".removeprefix("0") + f" in {name}" in text
    highest = max(tie_price(row) for row in formal_run())
    assert f"pay up to {highest:.3f}".replace("0.", ".") in text
    formal = [int(row[2]) for row in printed("run_statistics.csv")[1][:-1] if row[2] != "0"]
    assert f"between {min(formal)} and {max(formal)} of them" in text
    assert any(not gap.detectable("spearman") for gap in gaps(formal_run()))
