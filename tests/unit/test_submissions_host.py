"""Submitting to a hosted evaluation: what is taken, counted, told, and to whom."""

import json
from datetime import UTC, datetime

import pytest

from aeollm import inspect_run, read_labels, read_run, score
from aeollm.errors import HostingError, SubmissionError, UsageError
from aeollm.submissions import Team, genuine, open_host
from tests.hosted import GOOD, HALF, KEY, LABELS, Clock, distinct_runs, draft, host, phase, settings, write_labels
from tests.small_files import labels_csv, run_text


def kinds(error):
    return [problem.kind for problem in error.value.problems]


def refused(given, *args, **fields):
    with pytest.raises(SubmissionError) as error:
        given.submit(draft(*args, **fields))
    return kinds(error)


def test_a_submission_is_stored_scored_and_receipted(tmp_path):
    given = host(tmp_path)
    done = given.submit(draft(HALF, method="my method", description="two\r\nlines"))
    assert done.own.state == "stored"
    # Tau is 1 on the first question and -1 on the second, accuracy 1 and 0.
    overall = done.own.aggregate.figures["overall"]
    assert {name: str(figure.mean) for name, figure in overall.items()} == {
        "spearman": "0.0000",
        "kendall": "0.0000",
        "accuracy": "0.5000",
    }
    known = json.loads(done.receipt.to_bytes())
    assert known["description"] == "two\nlines"
    assert known["received"] == "2026-07-01T12:00:00.000000Z"
    assert known["digest"] == done.check.digest
    assert known["signature"] == done.own.aggregate.signature
    assert given.receipt("ann", known["id"]).to_bytes() == done.receipt.to_bytes()


def test_only_the_hosts_key_makes_receipts(tmp_path):
    receipt = host(tmp_path).submit(draft()).receipt.to_bytes()
    assert genuine(receipt, KEY)
    assert not genuine(receipt, KEY + "x")
    assert not genuine(receipt.replace(b'"team": "A"', b'"team": "B"'), KEY)
    for broken in (b"", b"{}", b"[1]", receipt[:-5], receipt.replace(b'"seal": "', b'"seal": "0')):
        assert not genuine(broken, KEY)


def test_refused_attempts_do_not_count(tmp_path):
    given = host(tmp_path, phase(per_day=1, total=2))
    assert "missing_answers" in refused(given, run_text([("1", "a", 1)]))
    assert refused(given, method=" ", file_name="run.txt") == ["field_empty"]
    assert given.allowance("A", "dry").left_today == 1
    given.submit(draft())
    assert given.allowance("A", "dry").left_today == 0


def test_quota_by_day_and_in_total(tmp_path):
    clock = Clock(datetime(2026, 7, 1, 23, 59, 59, tzinfo=UTC))
    given = host(tmp_path, phase(per_day=1, total=2), clock=clock)
    first, second, third = distinct_runs(3)
    given.submit(draft(first))
    assert refused(given, second) == ["quota_day"]
    assert given.allowance("A", "dry").renewed == datetime(2026, 7, 2, tzinfo=UTC)
    given.submit(draft(second, "B"))
    clock.step(seconds=1)
    given.submit(draft(second))
    clock.step(days=1)
    assert refused(given, third) == ["quota_total"]
    left = given.allowance("A", "dry")
    assert (left.left_today, left.left, left.usable) == (1, 0, 0)


def test_the_same_file_again_is_recognised(tmp_path):
    given = host(tmp_path)
    first = given.submit(draft())
    with pytest.raises(SubmissionError, match=first.own.submission.id):
        given.submit(draft(method="another name"))
    given.submit(draft(team="B"))
    assert [len(given.own("bob", "B")), len(given.own("ann", "A"))] == [1, 1]


@pytest.mark.parametrize(
    ("day", "kind"), [(datetime(2026, 6, 30, 23, 59, 59), "phase_upcoming"), (datetime(2026, 8, 1), "phase_ended")]
)
def test_outside_of_its_times_a_phase_takes_nothing(tmp_path, day, kind):
    given = host(tmp_path, clock=Clock(day.replace(tzinfo=UTC)))
    assert refused(given) == [kind]
    assert given.check(GOOD, "run.txt", "dry").accepted


class Ticking(Clock):
    """Half a second passes with every look at it, so that deadlines go by while a submission is handled."""

    def __call__(self):
        self.step(seconds=0.5)
        return self.now


def test_the_time_that_counts_is_that_after_the_check(tmp_path):
    """The first look is at 23:59:59.3, the one that counts half a second later."""
    on_time = Ticking(datetime(2026, 7, 31, 23, 59, 58, 800_000, tzinfo=UTC))
    done = host(tmp_path / "on_time", clock=on_time).submit(draft())
    assert done.own.submission.received == datetime(2026, 7, 31, 23, 59, 59, 800_000, tzinfo=UTC)
    assert done.own.aggregate is not None  # though the phase is over when it is scored
    late = Ticking(datetime(2026, 7, 31, 23, 59, 59, 100_000, tzinfo=UTC))
    assert refused(host(tmp_path / "late", clock=late)) == ["phase_ended"]


def test_a_day_ends_at_midnight_while_a_submission_is_handled(tmp_path):
    given = host(tmp_path, phase(per_day=1), clock=Ticking(datetime(2026, 7, 2, 23, 59, 58, tzinfo=UTC)))
    first, second, third = distinct_runs(3)
    days = [given.submit(draft(run)).own.submission.received.day for run in (first, second)]
    assert days == [2, 3]
    assert refused(given, third) == ["quota_day"]


def test_accounts_submit_for_their_own_teams_only(tmp_path):
    given = host(tmp_path)
    assert [team.id for team in given.teams_of("Ann")] == ["A", "base"]
    assert refused(given, account="eve") == ["not_on_roster"]
    assert refused(given, account="bob") == ["not_on_roster"]
    assert refused(given, team="nobody") == ["no_login"]
    assert [given.teams_of(None), given.teams_of("")] == [(), ()]
    with pytest.raises(SubmissionError):
        given.own("bob", "A")


def test_another_teams_receipt_looks_like_none(tmp_path):
    given = host(tmp_path)
    taken = given.submit(draft()).own.submission.id
    told = []
    for account, asked in (("bob", taken), ("ann", taken[:-1] + "x"), (None, taken), ("eve", taken)):
        with pytest.raises(SubmissionError) as error:
            given.receipt(account, asked)
        told.append(str(error.value).replace(asked, "ID"))
    assert len(set(told)) == 1


def test_all_problems_are_told_at_once(tmp_path):
    given = host(tmp_path, phase(per_day=1))
    given.submit(draft())
    bad = run_text([("1", "a", "x"), ("9", "z", 1)])
    found = refused(given, bad, method="m\u202e" + "x" * 100, description="\x00", file_name="../" + "n" * 300)
    assert found[:5] == ["field_too_long", "field_too_long", "field_characters", "field_characters", "quota_day"]
    assert {"not_a_number", "unknown_question"} < set(found)


def test_the_file_is_judged_as_on_the_score_tab(tmp_path):
    rows = [*LABELS[:5], ("2", "c", 10)]  # up to 10, which is what is said of labels that are not looked at
    given = host(tmp_path, rows=rows)
    labels = read_labels(labels_csv(rows), name="hidden")
    for content in (b"", b"\xff\x00", b"PK\x03\x04", run_text([("1", "a", 1)]), GOOD + GOOD):
        assert given.check(content, "f", "dry").problems == inspect_run(content, labels, name="f").problems
    for content in (
        GOOD,
        run_text([(q, a, 1) for q, a, _ in LABELS]),
        run_text([(q, a, 1 + s % 2) for q, a, s in LABELS]),
    ):
        problems = score(read_run(content, labels), labels).problems
        assert given.check(content, "f", "dry").problems == problems


def test_checking_a_file_tells_nothing_of_the_labels(tmp_path):
    scales = [host(tmp_path / str(top), rows=[*LABELS[:5], ("2", "c", top)]) for top in (3, 99)]
    for content in (
        b"",
        GOOD,
        run_text([(q, a, s / 10) for q, a, s in LABELS]),
        run_text([(q, a, 50) for q, a, _ in LABELS]),
    ):
        first, second = (given.check(content, "f", "dry") for given in scales)
        assert first == second


def test_the_method_comes_from_the_file_name_where_it_is_not_given(tmp_path):
    done = host(tmp_path).submit(draft(method="", file_name="A_llama3-1_baseline5.txt"))
    assert done.own.submission.method == "llama3-1_baseline5"


def test_too_large_a_file_is_not_looked_at(tmp_path):
    given = host(tmp_path)
    assert refused(given, b"1" * 5_000_001) == ["file_too_large"]
    with pytest.raises(SubmissionError):
        given.check(b"1" * 5_000_001, "run.txt", "dry")


def test_withheld_results_are_told_from_their_release_on(tmp_path):
    clock = Clock()
    release = datetime(2026, 8, 8, tzinfo=UTC)
    given = host(tmp_path, phase(results="withheld", release=release), clock=clock)
    assert given.submit(draft()).own.aggregate is None
    clock.now = datetime(2026, 8, 7, 23, 59, 59, tzinfo=UTC)
    assert given.own("ann", "A")[0].aggregate is None
    assert given.board("dry").rows[0].entry.aggregate is None
    clock.now = release
    assert str(given.own("ann", "A")[0].aggregate.mean("overall", "kendall")) == "1.0000"
    assert str(given.board("dry").rows[0].entry.aggregate.mean("overall", "kendall")) == "1.0000"


def test_results_without_a_release_stay_withheld(tmp_path):
    clock = Clock()
    given = host(tmp_path, phase(results="withheld"), clock=clock)
    given.submit(draft())
    clock.step(days=10_000)
    assert not given.board("dry").released


def test_fewer_decimals_while_a_phase_on_these_labels_is_open(tmp_path):
    clock = Clock()
    later = phase("formal", start=datetime(2026, 8, 1, tzinfo=UTC), end=datetime(2026, 9, 1, tzinfo=UTC), decimals=3)
    given = host(tmp_path, phase(decimals=2), later, clock=clock)
    # One question of two reversed in its upper pair: tau is 1 and 1/3, 2/3 on average.
    run = run_text([("1", "a", 1), ("1", "b", 2), ("1", "c", 3), ("2", "a", 1), ("2", "b", 3), ("2", "c", 2)])
    given.submit(draft(run))
    told = []
    for month in (7, 8, 9):
        clock.now = datetime(2026, month, 2, tzinfo=UTC)
        told.append(str(given.own("ann", "A")[0].aggregate.mean("overall", "kendall")))
    assert told == ["0.67", "0.667", "0.6667"]


def test_undefined_stays_undefined(tmp_path):
    given = host(tmp_path)
    done = given.submit(draft(run_text([(q, a, 5) for q in "12" for a in "abc"])))
    figures = done.own.aggregate.figures["overall"]
    assert figures["spearman"].mean is None
    assert figures["spearman"].undefined == 2
    assert str(figures["accuracy"].mean) == "0.0000"
    assert given.board("dry").rows[0].entry.aggregate.mean("overall", "kendall") is None


def test_what_does_not_exist(tmp_path):
    given = host(tmp_path)
    with pytest.raises(UsageError):
        given.board("no")
    (tmp_path / "labels" / "hidden" / "labels.csv").unlink()
    with pytest.raises(HostingError) as error:
        host(tmp_path / "other", labels=tmp_path / "labels").check(GOOD, "f", "dry")
    assert kinds(error) == ["labels_away"]
    assert str(tmp_path) not in str(error.value)


def test_an_opened_host_says_how_its_labels_are(tmp_path):
    opened = open_host(settings(tmp_path))
    assert opened.health()["labels"] == {"hidden": opened._shelf.get("hidden").version}
    (tmp_path / "labels" / "hidden" / "labels.csv").unlink()
    gone = host(tmp_path / "other", labels=tmp_path / "labels")
    gone.read_labels()
    assert gone.health()["labels"] == {"hidden": "no_labels"}
    assert not gone.health()["ok"]


def test_labels_and_rosters_that_cannot_serve_stop_the_start_with_all_that_is_wrong(tmp_path, caplog):
    place = write_labels(tmp_path)
    (place / "broken").mkdir()
    (place / "broken" / "x.csv").write_bytes(labels_csv([("1", "a", "7canary"), ("1", "b", 2)]))
    phases = [phase(), phase("no", labels="none"), phase("bad", labels="broken")]
    with pytest.raises(HostingError) as error:
        open_host(settings(tmp_path, *phases, teams=(Team("A", "A"), Team("base", "B", (), baseline=True))))
    assert [str(problem) for problem in error.value.problems] == [
        "no account is on a team, so that nobody may submit. "
        'Write [teams.ID] sections with accounts = ["…"] there, or in AEOLLM_HOST_ROSTER.',
        "the hidden label set none: there is no label set 'none'; there is broken, hidden. Choose one of these.",
        "the hidden label set broken cannot be used; problems: 4, first not_a_number, line 2. "
        "`python -m aeollm score RUN --labels PLACE` tells them all.",
    ]
    assert "canary" not in caplog.text
    with pytest.raises(HostingError, match="the hidden label set hidden: there is no such file or folder"):
        open_host(settings(tmp_path, labels=tmp_path / "gone"))


def test_health_tells_no_secret(tmp_path):
    given = host(tmp_path, token="hf_secret")
    given.submit(draft())
    told = json.dumps(given.health())
    assert '"stored": 1' in told
    for secret in ("hf_secret", KEY, str(tmp_path)):
        assert secret not in told
