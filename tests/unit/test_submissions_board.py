"""The live leaderboard: which run counts, in which order, with which neighbours, and as a file."""

import csv
import io
import threading
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from aeollm.exports import live_board_csv
from aeollm.submissions.board import ORDER
from tests.hosted import GOOD, HALF, LABELS, TEAMS, Clock, distinct_runs, draft, host, phase
from tests.small_files import run_text

OVERALL = ("spearman", "kendall", "accuracy")
# One pair of three the other way round on each question: tau 1/3, rho 1/2, accuracy 2/3.
FAIR = run_text([("1", "a", 1), ("1", "b", 3), ("1", "c", 2), ("2", "a", 1), ("2", "b", 3), ("2", "c", 2)])


def teams_shown(board):
    return [(row.rank, row.team) for row in board.rows]


def submit(given, clock, *sent):
    for team, content in sent:
        given.submit(draft(content, team))
        clock.step(seconds=1)


def test_the_latest_run_counts_by_default(tmp_path):
    clock = Clock()
    shown = host(tmp_path, clock=clock)
    submit(shown, clock, ("A", GOOD), ("B", FAIR), ("A", HALF), ("base", GOOD))
    board = shown.board("dry")
    assert teams_shown(board) == [(1, "B"), (2, "A"), (None, "base")]
    row = board.rows[1]
    assert [str(entry.aggregate.mean("overall", "kendall")) for entry in row.history] == ["1.0000", "0.0000"]
    assert (row.runs, row.name, row.entry.method, board.note) == (2, "Team A", "m", "")
    assert row.entry.submitted == datetime(2026, 7, 1, 12, 0, 2, tzinfo=UTC)


def test_the_best_run_counts_where_the_organisers_say_so_and_is_marked(tmp_path):
    clock = Clock()
    shown = host(tmp_path, phase(counts="best"), clock=clock)
    submit(shown, clock, ("A", GOOD), ("B", FAIR), ("A", HALF))
    board = shown.board("dry")
    assert teams_shown(board) == [(1, "A"), (2, "B")]
    assert "chosen on these very labels" in board.note
    assert str(board.rows[0].entry.aggregate.mean("overall", "kendall")) == "1.0000"


def test_equal_values_share_a_rank_and_stand_by_time(tmp_path):
    clock = Clock()
    shown = host(tmp_path, clock=clock)
    scaled = run_text([(q, a, 2 * s) for q, a, s in LABELS])
    submit(shown, clock, ("B", GOOD), ("A", scaled))
    assert teams_shown(shown.board("dry")) == [(1, "B"), (1, "A")]
    assert "earlier submission" in ORDER


def test_order_and_choice_go_by_what_is_shown(tmp_path):
    """With no decimals 1/2 and 1/3 look alike (0), 2/3 rounds to 1: finer digits must not show in the order."""
    clock = Clock()
    shown = host(tmp_path, phase(decimals=0, counts="best"), clock=clock)
    # rho 0, tau 0 and accuracy 1/2, which rounds to 0; then rho 1/2 and tau 1/3, which round to 0, accuracy 2/3 to 1.
    submit(shown, clock, ("A", HALF), ("B", FAIR), ("A", run_text([(q, a, s % 3) for q, a, s in LABELS])))
    board = shown.board("dry")
    values = [[str(row.entry.aggregate.mean("overall", measure)) for measure in OVERALL] for row in board.rows]
    assert teams_shown(board) == [(1, "B"), (2, "A")]
    assert values == [["0", "0", "1"], ["0", "0", "0"]]


def test_undefined_stands_last(tmp_path):
    clock = Clock()
    shown = host(tmp_path, clock=clock)
    # All the same is undefined; wholly reversed is -1, which is worse but defined.
    constant, reversed_ = (run_text([(q, a, f(s)) for q, a, s in LABELS]) for f in (lambda _: 1, lambda s: -s))
    submit(shown, clock, ("A", constant), ("B", reversed_))
    board = shown.board("dry")
    assert teams_shown(board) == [(1, "B"), (2, "A")]
    assert board.rows[1].entry.aggregate.figures["overall"]["kendall"].mean is None


def test_withheld_results_order_by_team_and_say_how_often(tmp_path):
    clock = Clock()
    shown = host(tmp_path, phase(results="withheld"), clock=clock)
    submit(shown, clock, ("B", GOOD), ("A", HALF), ("B", HALF))
    board = shown.board("dry")
    assert teams_shown(board) == [(None, "A"), (None, "B")]
    assert [row.runs for row in board.rows] == [1, 2]
    assert all(entry.aggregate is None for row in board.rows for entry in row.history)
    assert "withheld" in board.note
    header, *rows = csv.reader(io.StringIO(live_board_csv(board).decode("utf-8-sig")))
    known = [dict(zip(header, row, strict=True)) for row in rows]
    assert header[-2:] == ["labels_are", "signature"]
    assert not {name for name in header if name.startswith("overall")}
    assert [(row["team"], row["rank"], row["decimals"], row["signature"]) for row in known] == [
        ("A", "", "", ""),
        ("B", "", "", ""),
    ]


def test_a_team_that_left_the_roster_keeps_its_row(tmp_path):
    host(tmp_path).submit(draft())
    board = host(tmp_path, teams=TEAMS[1:]).board("dry")
    assert [(row.rank, row.team, row.name) for row in board.rows] == [(1, "A", "A")]


def test_no_id_is_shown_on_the_board(tmp_path):
    shown = host(tmp_path)
    taken = shown.submit(draft()).own.submission.id
    assert taken not in repr(shown.board("dry"))


def test_intervals_have_two_decimals_and_hold_the_mean(tmp_path):
    clock = Clock()
    shown = host(tmp_path, clock=clock)
    submit(shown, clock, ("A", FAIR), ("B", HALF))
    figure = shown.board("dry").rows[0].entry.aggregate.figures["overall"]["kendall"]
    # Both questions have the same tau, so that every resample has it, too.
    assert [str(figure.low), str(figure.mean), str(figure.high)] == ["0.33", "0.3333", "0.33"]
    assert figure.cluster == 1


def test_while_a_board_is_made_anew_others_see_it_as_it_was(tmp_path, monkeypatch):
    shown, clock = host(tmp_path), Clock()
    submit(shown, clock, ("A", GOOD))
    before = shown.board("dry")
    submit(shown, clock, ("B", HALF))
    asked, go_on = threading.Event(), threading.Event()
    labels, made = shown._shelf.get("hidden"), []
    compared = type(labels).compared

    def slowly(*given):
        asked.set()
        assert go_on.wait(20)
        return compared(*given)

    monkeypatch.setattr(type(labels), "compared", slowly)
    maker = threading.Thread(target=lambda: made.append(shown.board("dry")))
    maker.start()
    assert asked.wait(20)
    assert shown.board("dry") is before
    go_on.set()
    maker.join()
    assert [row.team for row in made[0].rows] == ["A", "B"]
    assert shown.board("dry") is made[0]


def test_the_table_as_a_file(tmp_path):
    clock = Clock()
    shown = host(tmp_path, clock=clock)
    shown.submit(draft(HALF, method='=HYPERLINK("http://x")', description="Two\nlines"))
    header, row = csv.reader(io.StringIO(live_board_csv(shown.board("dry")).decode("utf-8-sig")))
    known = dict(zip(header, row, strict=True))
    assert known["description"] == "Two\nlines"
    assert (known["phase"], known["counts"], known["decimals"]) == ("dry", "latest", "4")
    assert known["submitted"] == "2026-07-01T12:00:00Z"
    assert known["method"] == """'=HYPERLINK("http://x")"""
    assert (known["rank"], known["team"], known["runs"], known["kind"]) == ("1", "A", "1", "participant")
    assert (known["overall_accuracy"], known["overall_kendall"]) == ("0.5", "0.0")
    assert known["overall_kendall_undefined"] == "0"
    assert len(header) == 11 + 5 * 3 * 5 + 2
    assert known["signature"].startswith("labels=hidden@")


@pytest.mark.parametrize("counts", ["latest", "best"])
@given(sent=st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 35)), max_size=8, unique_by=lambda each: each))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rebuilt_from_the_store_it_is_the_same(tmp_path_factory, counts, sent):
    folder, clock = tmp_path_factory.mktemp("board"), Clock()
    given_phase = phase(counts=counts)
    live = host(folder, given_phase, clock=clock)
    runs = distinct_runs(36)
    for team, number in sent:
        submit(live, clock, (team, runs[number]))
        live.board("dry")
    rebuilt = host(folder, given_phase, clock=clock).board("dry")
    assert rebuilt == live.board("dry")
    assert live_board_csv(rebuilt) == live_board_csv(live.board("dry"))
    counting = {}
    for team, number in sent:
        values = by_scipy(runs[number])
        if counts == "latest" or values > counting.get(team, (-2,)):
            counting[team] = values
    shown = {
        row.team: tuple(float(row.entry.aggregate.mean("overall", m)) for m in OVERALL[:2]) for row in rebuilt.rows
    }
    assert shown == counting
    assert list(shown.values()) == sorted(counting.values(), reverse=True)


def by_scipy(content):
    """Give mean rho and tau of a run, rounded, from scipy."""
    rows = [line.split() for line in content.decode().splitlines()]
    pairs = [([float(row[3]) for row in rows if row[1] == q], [1, 2, 3]) for q in "12"]
    return tuple(round(sum(measure(*pair)[0] for pair in pairs) / 2, 4) + 0.0 for measure in (spearmanr, kendalltau))
