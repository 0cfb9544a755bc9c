"""Published results: what is computed from them, how they are written, and pages that organisers can change."""

import base64
import csv
import io
import re
from itertools import pairwise

import pytest

from aeollm import DIMENSIONS, MEASURES, AeollmError
from aeollm.figures.leaderboard import published_views
from aeollm.leaderboard import DETECTABLE, PublishedResult, formal_run, gaps, marks, methods, ntcir18_dry_run, tie_price
from aeollm.ui import leaderboard_tables as tables
from aeollm.ui import pages, words
from aeollm.ui.leaderboard_board import drawn, shown
from aeollm.ui.pages_text import FOLDER, TEXT, read_pages

VIEWS = ("overall", *DIMENSIONS)
HEAD = '+++\norder = 1\ntitle = {en = "One", zh = "一"}\n+++\n'


def result(team, *, baseline=False, **values):
    return PublishedResult(team, baseline, {"overall": values})


def text_of(html):
    return re.sub(r"<[^>]+>", "", re.sub(r'<span class="ae-zh".*?</span>', "", html))


def rows_of(html):
    """Give the cells of every row that is no heading."""
    rows = re.findall(r"<tr data-place=[^>]*>(.*?)</tr>", html)
    return [[text_of(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


class TestMarks:
    def test_the_first_two_of_each_column_are_the_papers(self):
        """The paper's section 5 names these."""
        teams = [row for row in formal_run() if not row.baseline]
        first = {
            (view, m): [t for t, place in marks(teams, view, m).items() if place == 1]
            for view in VIEWS
            for m in MEASURES
        }
        assert first == {
            (view, m): ["SCUNLP" if view == "readability" else "RSLIR"] for view in VIEWS for m in MEASURES
        }
        second = {t for view in VIEWS for m in MEASURES for t, place in marks(teams, view, m).items() if place == 2}
        assert second == {"ISLab", "TMUHLLA", "THUFAITH", "IITBHU", "kucs17"}
        assert marks(teams, "comprehensiveness", "spearman")["ISLab"] == 2
        assert marks(teams, "comprehensiveness", "accuracy")["THUFAITH"] == 2
        assert marks(teams, "insight", "kendall")["IITBHU"] == marks(teams, "readability", "kendall")["IITBHU"] == 2

    def test_a_baseline_is_second_when_all_rows_count(self):
        everybody = formal_run()
        outside = [
            (row.team, view, m)
            for view in VIEWS
            for m in MEASURES
            for row in everybody
            if row.baseline and row.team in marks(everybody, view, m)
        ]
        assert outside == [("glm-4.7", "readability", "spearman")]

    def test_one_row_is_best_and_none_is_second(self):
        assert marks([result("a", kendall=0.1)], "overall", "kendall") == {"a": 1}
        assert marks([], "overall", "kendall") == {}


class TestGaps:
    def test_the_first_against_all_then_neighbours(self):
        found = gaps(formal_run())
        assert [gap.ranks for gap in found] == [(1, n) for n in range(2, 9)] + [(n, n + 1) for n in range(2, 8)]
        assert found[0].by == {"spearman": 0.0047, "kendall": 0.0037, "accuracy": 0.0021}
        assert (found[0].ahead, found[0].behind) == ("RSLIR", "ISLab")

    def test_what_20_questions_show(self):
        found = {gap.ranks: [gap.detectable(m) for m in MEASURES] for gap in gaps(formal_run())}
        assert found[1, 2] == [False] * 3
        assert found[1, 5] == [False, True, True]
        assert found[1, 7] == found[7, 8] == [True] * 3

    def test_exactly_the_detectable_difference_counts_as_shown(self):
        rows = [result("a", **dict.fromkeys(MEASURES, 0.5)), result("b", **{m: 0.5 - DETECTABLE[m] for m in MEASURES})]
        [gap] = gaps(rows)
        assert all(gap.detectable(m) for m in MEASURES)

    def test_baselines_have_no_part(self):
        assert (
            gaps(
                [result("a", **dict.fromkeys(MEASURES, 0.5)), result("b", baseline=True, **dict.fromkeys(MEASURES, 0))]
            )
            == []
        )


class TestTiePrice:
    def test_no_ties_cost_nothing(self):
        assert tie_price(result("a", kendall=0.5, accuracy=0.75)) == 0

    def test_half_of_the_tied_pairs(self):
        # Of 120 pairs 90 are right, 6 wrong and 24 tied: tau-a is .7, of which tau-b is a little more.
        assert tie_price(result("a", kendall=84 / 120, accuracy=90 / 120)) == pytest.approx(0.1)

    def test_published(self):
        found = {row.team: tie_price(row) for row in formal_run()}
        for team in ("RSLIR", "TMUHLLA", "LINKLab", "SCUNLP", "THUFAITH", "kucs17"):
            assert abs(found[team]) <= 0.0001
        assert max(found, key=found.get) == "qwen3-max"
        assert found["qwen3-max"] == pytest.approx(0.03925)


class TestBoard:
    def test_every_cell_as_printed(self):
        rows = {name: cells for name, *cells in rows_of(shown(None, None))}
        assert list(rows) == [row.team for row in formal_run()]
        for row in formal_run():
            assert [float(cell) for cell in rows[row.team]] == [row.values[v][m] for v in VIEWS for m in MEASURES]

    def test_participants_and_baselines_are_apart(self):
        html = shown(["overall"], ["kendall"])
        first, second = re.findall(r"<tbody>(.*?)</tbody>", html)
        assert [row[0] for row in rows_of(first)] == [row.team for row in formal_run() if not row.baseline]
        assert [row[0] for row in rows_of(second)] == [row.team for row in formal_run() if row.baseline]
        assert "Participants" in text_of(first)

    def test_views_and_measures_are_chosen_in_the_official_order(self):
        html = shown(["readability", "insight", "no such view"], ["accuracy"])
        assert re.findall(r'data-sort="(\w+)"', html) == ["team", "insight_accuracy", "readability_accuracy"]
        assert rows_of(html)[0] == ["RSLIR", ".7425", ".6342"]

    def test_nothing_chosen_is_everything(self):
        assert shown([], []) == shown(None, None) == shown(VIEWS, MEASURES)

    def test_best_is_bold_and_second_underlined_among_participants(self):
        html = shown(["readability"], ["spearman"])
        assert re.findall(r"<strong>(.*?)</strong>", html) == [".5197"]
        assert re.findall(r"<u>(.*?)</u>", html) == [".4595"]
        assert "glm-4.7 second (readability, Spearman ρ, .4710)" in text_of(html)

    def test_the_csv_is_the_table(self):
        [packed] = re.findall(r'href="data:text/csv;charset=utf-8;base64,([^"]+)"', shown(["overall"], MEASURES))
        rows = list(csv.DictReader(io.StringIO(base64.b64decode(packed).decode("utf-8-sig"))))
        assert [row["team"] for row in rows] == [row.team for row in formal_run()]
        assert rows[0] == {
            "kind": "participant",
            "team": "RSLIR",
            "overall_spearman": "0.7071",
            "overall_kendall": "0.5592",
            "overall_accuracy": "0.7796",
        }
        assert {row["kind"] for row in rows} == {"participant", "baseline"}

    def test_names_are_text(self, monkeypatch):
        monkeypatch.setattr(tables, "formal_run", lambda: [result("<img src=x>", **dict.fromkeys(MEASURES, 0.5))])
        html = tables.board(["overall"], MEASURES)
        assert "<img" not in html
        assert "&lt;img src=x&gt;" in html


class TestOtherTables:
    def test_gaps_tell_by_word_which_are_too_small(self):
        rows = rows_of(tables.published_gaps())
        assert rows[0] == ["1 → 2", "RSLIR → ISLab", ".0047 – below", ".0037 – below", ".0021 – below"]
        assert rows[6][2:] == [".3752 ✓ shown", ".3209 ✓ shown", ".1604 ✓ shown"]
        assert "(.100)" in text_of(tables.published_gaps())

    def test_prices_of_ties(self):
        rows = {name: cells for name, *cells in rows_of(tables.tie_prices())}
        assert rows["RSLIR"] == [".77960", ".7796", "0"]
        assert rows["kucs17"][-1] == "0"
        assert rows["ISLab"][-1] == ".0003"
        assert rows["qwen3-max"][-1] == ".0393"

    def test_every_team_has_a_method_and_nobody_else(self):
        participants = [row.team for row in formal_run() if not row.baseline]
        assert list(methods()) == participants
        assert [row[0] for row in rows_of(tables.team_methods())] == participants
        assert "does not describe" in methods()["kucs17"]

    def test_the_first_edition_has_its_overall_by_hand(self):
        rows = {name: cells for name, *cells in rows_of(tables.first_edition())}
        assert len(rows) == len(ntcir18_dry_run()) == 4
        assert len(rows["gpt-4o"]) == 13
        cells = [float(cell) for cell in rows["gpt-4o"]]
        assert cells[-1] == pytest.approx(sum(cells[:-1]) / 12, abs=5e-5)

    def test_a_file_is_shown_as_it_is(self):
        html = tables.file_table("timeline.csv", "When <b>")
        assert ["Formal run", "July 15, 2026-August 8, 2026"] in rows_of(html)
        assert "When &lt;b&gt;" in html
        assert "ae-left" in html
        assert "ae-left" not in tables.file_table("run_statistics.csv", "")


class TestFigure:
    @pytest.mark.parametrize("measure", MEASURES)
    def test_every_value_is_a_marker(self, measure):
        traces = {trace.name: trace for trace in published_views(formal_run(), measure).data}
        assert (
            len({trace.marker.symbol for trace in traces.values()})
            == len({t.marker.color for t in traces.values()})
            == 5
        )
        for view in VIEWS:
            assert list(traces[view.replace("_", " ")].x) == [row.values[view][measure] for row in formal_run()]

    def test_the_strip_reaches_from_the_best_down_by_what_can_be_shown(self):
        strip = next(shape for shape in published_views(formal_run(), "kendall").layout.shapes if shape.type == "rect")
        assert (strip.x0, strip.x1) == (pytest.approx(0.5592 - 0.080), 0.5592)

    def test_baselines_stand_below_a_gap(self):
        places = list(published_views(formal_run(), "kendall").data[0].y)
        steps = [b - a for a, b in pairwise(places)]
        assert [step > 1 for step in steps].count(True) == 1
        assert steps[7] > 1

    def test_an_unknown_measure_is_the_first(self):
        assert drawn("nonsense") == drawn(None) == drawn("spearman")


class TestWords:
    def test_every_word_is_there_in_both_languages(self):
        found = words.translations().translations_dict
        assert set(found) == set(words.LANGUAGES)
        assert set(found["en"]) == set(found["zh"])
        assert all(text.strip() for by_key in found.values() for text in by_key.values())

    def test_an_unknown_word_is_a_mistake_of_ours(self):
        for way in (words.say, words.both, words.english):
            with pytest.raises(KeyError):
                way("no such word")

    def test_both_are_marked_with_their_language(self):
        assert (
            words.both("team") == '<span class="ae-en" lang="en">team</span><span class="ae-zh" lang="zh">队伍</span>'
        )
        assert "&lt;" in words.spans({"en": "<b>", "zh": "<b>"})


class TestTexts:
    def test_nine_pages_in_the_official_order(self):
        assert [page.title["en"] for page in read_pages()] == [
            "Leaderboard",
            "Introduction",
            "Methodology",
            "Datasets",
            "Important Dates",
            "Evaluation Metrics",
            "Submit",
            "Organisers",
            "References",
        ]
        assert [page.path for page in read_pages()][4:6] == ["important-dates", "evaluation-metrics"]

    def test_text_and_blocks_keep_their_order(self, tmp_path):
        (tmp_path / "one.md").write_text(
            HEAD + "Before.\n\n{{board}}\n\n{{table t.csv: A caption, 1}}\nAfter {{no}}.\n", "utf-8"
        )
        [page] = read_pages(tmp_path)
        found = [(part.block, part.text, part.argument) for part in page.parts]
        assert found == [
            (TEXT, "Before.", ""),
            ("board", "", ""),
            ("table", "A caption, 1", "t.csv"),
            (TEXT, "After {{no}}.", ""),
        ]

    def test_windows_files_and_order(self, tmp_path):
        (tmp_path / "b.md").write_bytes(("\ufeff" + HEAD + "Text.\n").replace("\n", "\r\n").encode())
        (tmp_path / "a.md").write_text(HEAD.replace("1", "1.5"), "utf-8")
        assert [page.path for page in read_pages(tmp_path)] == ["b", "a"]

    @pytest.mark.parametrize(
        ("name", "text", "told"),
        [
            ("Bad Name.md", HEAD, "the page's address"),
            ("a.md", "# No front matter", "no front matter"),
            ("a.md", "", "no front matter"),
            ("a.md", "+++\norder = 1\n", "no front matter"),
            ("a.md", "+++\norder = \n+++\n", "no TOML"),
            ("a.md", '+++\norder = 1\ntitle = "One"\n+++\n', "order or title"),
            ("a.md", '+++\norder = "1"\ntitle = {en = "a", zh = "b"}\n+++\n', "order or title"),
            ("a.md", '+++\norder = 1\ntitle = {en = "One"}\n+++\n', "order or title"),
        ],
    )
    def test_a_mistake_is_told_with_the_file(self, tmp_path, name, text, told):
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(AeollmError, match=told) as refused:
            read_pages(tmp_path)
        assert refused.value.source == name
        assert refused.value.problems[0].remedy

    @pytest.mark.parametrize(
        ("line", "told"), [("{{nonsense}}", "no block"), ("{{table none.csv}}", "no table"), ("{{table}}", "no table")]
    )
    def test_a_block_that_is_none_is_told_with_the_file(self, tmp_path, line, told):
        (tmp_path / "one.md").write_text(HEAD + line, "utf-8")
        [page] = read_pages(tmp_path)
        with pytest.raises(AeollmError, match=told) as refused:
            pages.lay_out(page, page.parts[0])
        assert refused.value.source == "one.md"

    def test_texts_hold_no_markup_that_is_dropped(self):
        """Formulas stand between dollar signs, so that no other dollar may be in a text."""
        for page in read_pages():
            for part in page.parts:
                if part.block == TEXT and page.path != "evaluation-metrics":
                    assert "$" not in part.text, page.path

    def test_links_within_the_site_lead_to_pages(self):
        known = {"./", *(page.path for page in read_pages())}
        for path in FOLDER.glob("*.md"):
            for link in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
                assert link in known or link.startswith("https://"), (path.name, link)
