"""The local store: whole or not at all, whatever happens when, whoever else writes."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from aeollm.errors import HostingError, Problem, SubmissionError
from aeollm.submissions import FolderStore, Submission, folder
from aeollm.submissions.folder import Folder
from aeollm.submissions.records import new_id
from tests.hosted import GOOD, NOON, Clock, distinct_runs, draft, host, phase, state_of, states_of_all_at_once
from tests.small_files import run_text

KILLED_RUNS = 200


def forked(work):
    """Run ``work(tell)`` in a process of its own; give its id and where what it told can be read."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            work(lambda text: os.write(writer, f"{text}\n".encode()))
        finally:
            os._exit(0)
    os.close(writer)
    return child, os.fdopen(reader)


def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def shown(given):
    """Give the ids that the host shows, after making sure that each has its file."""
    ids = [known.submission.id for known in given.own("ann", "A")]
    for entry in given._store.entries():
        given._store.content(entry)
    assert given._store.health().trouble == ""
    return set(ids)


def crashing_at(line, work):
    """Give a function that ends the process, without any clean-up, before it runs a line of the store's code."""

    def crash(tell):
        left = [line]

        def watch(frame, event, _):
            if frame.f_code.co_filename != folder.__file__:
                return None
            left[0] -= event == "line"
            if left[0] < 0:
                os._exit(9)
            return watch

        sys.settrace(watch)
        work()
        sys.settrace(None)
        tell("stored")

    return crash


def test_a_crash_between_any_two_steps(tmp_path):
    """From opening a new store to the answer: what was there stays, what is added is whole or absent."""
    first, second = (submission(content) for content in distinct_runs(2))
    FolderStore(tmp_path / "model", anything).add(*first)
    for line in range(500):
        root = tmp_path / str(line)
        shutil.copytree(tmp_path / "model", root)
        child, told = forked(crashing_at(line, lambda root=root: FolderStore(root, anything).add(*second)))
        status, answer = ended(child), told.read()
        told.close()
        opened = FolderStore(root, anything)
        found = {known.id: opened.content(known) for known in opened.entries()}
        assert found.pop(first[0].id) == first[1]
        assert found in ([{second[0].id: second[1]}] if answer else [{}, {second[0].id: second[1]}])
        assert opened.health().trouble == ""
        assert list((root / "incoming").iterdir()) == []
        if answer:
            break
        assert status == 9
    assert answer == "stored\n"
    assert line > 60  # lines that were crashed at


def submission(content):
    """Give a submission of a run and the run, without a host."""
    digest = sha256(content).hexdigest()
    return Submission(new_id(NOON), "dry", "A", "ann", NOON, "A_run.txt", "m", "", digest, len(content), "s"), content


def anything(*_):
    """Admit everything."""


def test_killed_at_random_moments_during_200_submissions(tmp_path):
    rng = random.Random(2026)
    runs = distinct_runs(KILLED_RUNS)
    given = host(tmp_path, phase(per_day=1_000, total=1_000))
    acknowledged, kills, start = [], 0, 0

    def work(tell):
        for content in runs[start:]:
            try:
                tell(given.submit(draft(content)).own.submission.id)
            except SubmissionError as error:  # stored, but killed before it could say so
                tell("again" if error.problems[0].kind == "identical_file" else str(error))

    while start < KILLED_RUNS:
        child, told = forked(work)
        time.sleep(rng.uniform(0.005, 0.5))
        os.kill(child, signal.SIGKILL)
        kills += ended(child) == -signal.SIGKILL
        lines = told.read().split()
        told.close()
        acknowledged += [line for line in lines if line != "again"]
        start += len(lines)
        seen = shown(host(tmp_path, phase(per_day=1_000, total=1_000)))
        assert seen >= set(acknowledged)
    assert kills > 5
    assert len(acknowledged) <= len(seen) == KILLED_RUNS


def test_several_processes_cannot_exceed_a_quota(tmp_path):
    given = host(tmp_path, phase(per_day=7, total=50))
    runs = distinct_runs(20)

    def work(number):
        def submit(tell):
            for content in runs[number::4]:
                tell(state_of(given, draft(content)))

        return submit

    children = [forked(work(number)) for number in range(4)]
    told = [line for child, lines in children for line in lines.read().split()]
    for child, lines in children:
        lines.close()
        assert ended(child) == 0
    assert sorted(told) == ["quota_day"] * 13 + ["stored"] * 7
    assert len(shown(given)) == 7


def test_several_threads_cannot_exceed_a_quota_and_those_in_it_survive(tmp_path):
    given = host(tmp_path, phase(per_day=5))
    sent = [(given, draft(content)) for content in distinct_runs(12)]
    assert states_of_all_at_once(sent) == ["quota_day"] * 7 + ["stored"] * 5
    assert len(shown(given)) == 5


def test_files_are_flushed_before_they_are_seen_and_their_place_before_anybody_is_told(tmp_path, monkeypatch):
    steps = []
    flush, rename = os.fsync, os.rename

    def noted_flush(descriptor):
        steps.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        flush(descriptor)

    def noted_rename(source, target):
        steps.append("renamed")
        rename(source, target)

    given = host(tmp_path)
    given.submit(draft(distinct_runs(2)[1]))
    monkeypatch.setattr(folder.os, "fsync", noted_flush)
    monkeypatch.setattr(folder.os, "rename", noted_rename)
    taken = given.submit(draft()).own.submission
    unfinished = steps.pop(2)
    assert unfinished.startswith(taken.id)
    assert steps == ["run", "submission.json", "renamed", "dry"]


def test_a_full_disk_takes_nothing_and_leaves_nothing(tmp_path, monkeypatch):
    given = host(tmp_path)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder.os, "fsync", full)
    with pytest.raises(HostingError, match="No space left"):
        given.submit(draft())
    monkeypatch.undo()
    assert shown(given) == set()
    assert list((tmp_path / "store" / "incoming").iterdir()) == []
    assert given.submit(draft()).own.state == "stored"


def test_nothing_is_ever_replaced(tmp_path):
    given = host(tmp_path)
    taken = given.submit(draft()).own.submission
    with pytest.raises(HostingError):
        Folder(tmp_path / "store").write(taken, b"something else")
    assert given._store.content(taken) == GOOD


def test_a_store_that_cannot_be_used(tmp_path):
    (tmp_path / "store").write_bytes(b"a file")
    with pytest.raises(HostingError, match="store cannot be read or written"):
        host(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b'{"format": 2}', b'{"format": 1, "received": "yesterday"}', b"\xff", b"[" * 100_000],
)
def test_damaged_metadata_is_left_out_and_told(tmp_path, damage):
    given = host(tmp_path)
    first, second = (given.submit(draft(content)).own.submission for content in distinct_runs(2))
    (tmp_path / "store" / "submissions" / "dry" / first.id / "submission.json").write_bytes(damage)
    again = host(tmp_path)
    assert [row.runs for row in again.board("dry").rows] == [1]
    assert again.own("ann", "A")[0].submission == second
    assert first.id in again.health()["store"]["trouble"]


def test_a_changed_file_is_left_out_and_told(tmp_path):
    given = host(tmp_path)
    first = given.submit(draft()).own.submission
    (tmp_path / "store" / "submissions" / "dry" / first.id / "run").write_bytes(distinct_runs(2)[1])
    again = host(tmp_path)
    assert again.board("dry").rows == ()
    assert again.own("ann", "A")[0].aggregate is None
    assert first.id in again.health()["store"]["trouble"]


def test_a_text_that_cannot_be_written_again_is_damage(tmp_path):
    given = host(tmp_path)
    first = given.submit(draft()).own.submission
    file = tmp_path / "store" / "submissions" / "dry" / first.id / "submission.json"
    file.write_bytes(file.read_bytes().replace(b'"A_run.txt"', b'"\\ud800"'))
    assert first.id in host(tmp_path).health()["store"]["trouble"]


def in_the_way(place):
    """Put what file managers, copies and pranks leave behind beside submissions; give what is taken for damaged."""
    (place / ".DS_Store").write_bytes(b"x")
    (place / "loop").symlink_to("loop")
    (place / "other").mkdir()
    (place / "piped").mkdir()
    os.mkfifo(place / "piped" / "submission.json")
    (place / "nested" / "submission.json").mkdir(parents=True)
    (place.parent / "notes.txt").write_bytes(b"x")
    incoming = place.parent.parent / "incoming"
    (incoming / "file").write_bytes(b"x")
    (incoming / "half").mkdir()
    (incoming / "link").symlink_to(place)
    return "damaged: nested, other, piped"


def test_foreign_files_in_the_store_are_passed_over(tmp_path):
    given = host(tmp_path)
    first, second, third = distinct_runs(3)
    given.submit(draft(first))
    damaged = in_the_way(tmp_path / "store" / "submissions" / "dry")
    for runs, run in ((2, second), (3, third)):
        assert given.submit(draft(run)).own.state == "stored"
        assert [row.runs for row in given.board("dry").rows] == [runs]
        assert given.health()["store"] == {"kind": "local folder", "stored": runs, "waiting": 0, "trouble": damaged}
        given = host(tmp_path)
    assert list((tmp_path / "store" / "incoming").iterdir()) == []


@pytest.mark.parametrize("file", ["run", "submission.json"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:9])])
def test_a_damaged_submission_counts_again_once_it_is_restored(tmp_path, file, damage):
    first = host(tmp_path).submit(draft()).own.submission
    path = tmp_path / "store" / "submissions" / "dry" / first.id / file
    whole = path.read_bytes()
    damage(path)
    given = host(tmp_path)
    assert given.submit(draft(distinct_runs(2)[1], "B")).own.state == "stored"
    assert [row.team for row in given.board("dry").rows] == ["B"]
    assert given.health()["store"]["trouble"] == f"damaged: {first.id}"
    assert not given.health()["ok"]
    path.write_bytes(whole)
    assert [row.team for row in given.board("dry").rows] == ["A", "B"]
    assert given.health()["store"]["trouble"] == ""
    assert given.health()["ok"]


def test_a_store_that_is_taken_away_is_told_and_resets_no_quota(tmp_path):
    given = host(tmp_path)
    given.submit(draft())
    (tmp_path / "store").rename(tmp_path / "away")
    for asked in (
        lambda: given.board("dry"),
        lambda: given.own("ann", "A"),
        lambda: given.allowance("A", "dry"),
        lambda: given.submit(draft(distinct_runs(2)[1])),
    ):
        with pytest.raises(HostingError, match="store cannot be read or written"):
            asked()
    assert "cannot be read or written" in given.health()["store"]["trouble"]
    (tmp_path / "away").rename(tmp_path / "store")
    assert given.board("dry").submissions == 1


def test_a_lock_that_cannot_be_had_is_told(tmp_path):
    given = host(tmp_path)
    (tmp_path / "store" / "lock").unlink()
    (tmp_path / "store" / "lock").mkdir()
    with pytest.raises(HostingError, match="store cannot be read or written"):
        given.submit(draft())


def test_runs_that_fit_other_labels_are_left_out_and_told(tmp_path):
    first = host(tmp_path).submit(draft()).own.submission
    rows = [("3", answer, score) for answer, score in (("a", 1), ("b", 2), ("c", 3))]
    given = host(tmp_path, rows=rows)
    second = given.submit(draft(run_text(rows), "B")).own.submission
    assert [row.entry.submitted for row in given.board("dry").rows] == [second.received]
    assert given.own("ann", "A")[0].aggregate is None
    assert given.health()["store"]["trouble"] == f"no runs for the labels of their phase: {first.id}"


def test_what_is_stored_has_its_receipt_even_if_it_cannot_be_scored(tmp_path, monkeypatch):
    given = host(tmp_path)

    def away(*_):
        raise HostingError("store", [Problem("error", "store_unusable", "too many open files.")])

    monkeypatch.setattr(given._store, "content", away)
    done = given.submit(draft())
    assert (done.own.state, done.own.aggregate) == ("stored", None)
    assert done.receipt.submission == given._store.entries()[0]


def test_a_submission_in_another_ones_place_is_left_out(tmp_path):
    given = host(tmp_path)
    first = given.submit(draft()).own.submission
    place = tmp_path / "store" / "submissions" / "dry"
    (place / first.id).rename(place / "elsewhere")
    assert FolderStore(tmp_path / "store", anything).entries() == ()


def test_the_board_follows_the_store_without_a_restart(tmp_path):
    clock = Clock()
    shows, takes = host(tmp_path, clock=clock), host(tmp_path, clock=clock)
    assert shows.board("dry").rows == ()
    takes.submit(draft())
    assert [row.team for row in shows.board("dry").rows] == ["A"]
    assert shows.board("dry") is shows.board("dry")
