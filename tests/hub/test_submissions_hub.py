"""Submissions stored in a private data set of the fake Hub, in good times and bad."""

from __future__ import annotations

import json
import logging
import sys
import time
from dataclasses import replace

import pytest

from aeollm.errors import HostingError, SubmissionError
from aeollm.submissions import Host, HubPlace, folder, hub_store
from aeollm.submissions.hub_store import HubStore
from aeollm.submissions.quota import admission
from aeollm.submissions.remote import TROUBLE, Remote
from tests.hosted import HALF, KEY, LABELS, Clock, distinct_runs, draft, phase, settings, states_of_all_at_once
from tests.hub.fake_hub import FAULTS, Fault
from tests.hub.fake_hub_writes import STORE, TOKEN
from tests.small_files import labels_csv

PATIENCE = 20


@pytest.fixture
def hub(lab_hub):
    return lab_hub


@pytest.fixture
def open_host(hub, tmp_path):
    """Give a function that opens a host whose store is on the Hub; stores are closed at the end."""
    stores = []

    def opened(*phases, token=TOKEN, spool="spool", patience=PATIENCE, clock=None):
        given = settings(tmp_path, *phases, store=HubPlace(STORE), token=token)
        remote, admit = Remote(STORE, token, hub.endpoint), admission(given.phases)
        stores.append(HubStore(remote, tmp_path / spool, admit, patience=patience, first_delay=0.05))
        return Host(given, stores[-1], clock or Clock())

    yield opened
    for store in stores:
        store.close()


def until(told):
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not told():
        assert time.monotonic() < end
        time.sleep(0.02)


def stored(hub):
    """Give the ids of the submissions on the Hub that are complete."""
    paths = [path.split("/") for path in hub.files(STORE) if path.startswith("submissions/")]
    return {own for _, _, own, name in paths if name == "run"} & {own for _, _, own, name in paths if name != "run"}


def states(host):
    return [known.state for known in host.own("ann", "A")]


def test_a_submission_is_one_commit_of_two_files(hub, open_host):
    done = open_host().submit(draft())
    assert done.own.state == "stored"
    known = done.own.submission
    files = hub.files(STORE)
    assert files[f"submissions/dry/{known.id}/run"] == draft().content
    assert files[f"submissions/dry/{known.id}/submission.json"] == known.to_bytes()
    assert hub.messages == ["Add submissions: 1"]
    assert json.loads(done.receipt.to_bytes())["id"] == known.id


@pytest.mark.parametrize("fault", [Fault(429), Fault(500), Fault(503), Fault(409), Fault(412), Fault(dropped=True)])
def test_a_commit_that_fails_is_tried_again(hub, open_host, fault):
    hub.script = [replace(fault, where="/commit/")] * 3
    assert open_host().submit(draft()).own.state == "stored"
    assert len(stored(hub)) == 1
    assert hub.script == []


def test_a_commit_whose_answer_is_lost_is_not_made_twice(hub, open_host):
    hub.script = [Fault(lost=True, where="/commit/")]
    assert open_host().submit(draft()).own.state == "stored"
    assert len(hub.messages) == 1


def test_received_while_the_hub_is_away_and_stored_when_it_is_back(hub, open_host):
    clock = Clock()
    host = open_host(patience=0.3, clock=clock)
    host.submit(draft(distinct_runs(1)[0]))
    until(lambda: states(host) == ["stored"])
    clock.step(seconds=1)
    hub.fault = Fault(503)
    done = host.submit(draft(distinct_runs(2)[1]))
    assert (done.own.state, done.receipt, done.own.aggregate) == ("received", None, None)
    assert states(host) == ["received", "stored"]
    assert host.health()["store"] == {"kind": "private data set", "stored": 1, "waiting": 1, "trouble": TROUBLE["away"]}
    with pytest.raises(SubmissionError, match="no stored submission"):
        host.receipt("ann", done.own.submission.id)
    assert host.board("dry").submissions == 1
    assert host.allowance("A", "dry").left == 98
    hub.fault = None
    until(lambda: states(host) == ["stored", "stored"])
    assert host.receipt("ann", done.own.submission.id).submission == done.own.submission
    assert host.board("dry").submissions == 2


def test_a_hub_that_is_away_from_the_start(hub, open_host):
    hub.fault = FAULTS["dropped"]
    host = open_host(patience=0.3)
    assert host.submit(draft()).own.state == "received"
    assert host.board("dry").rows == ()
    hub.fault = None
    until(lambda: states(host) == ["stored"])


def test_what_waits_outlives_the_process(hub, open_host):
    hub.fault = Fault(503)
    first = open_host(patience=0.1)
    taken = first.submit(draft()).own.submission
    first._store.close()
    hub.fault = None
    second = open_host()
    until(lambda: states(second) == ["stored"])
    assert stored(hub) == {taken.id}


def test_an_answer_lost_with_the_process_leaves_no_second_copy(hub, open_host):
    hub.script = [Fault(lost=True, where="/commit/")]
    hub.before_commit = lambda: setattr(hub, "fault", Fault(503))
    first = open_host(patience=0.1)
    first.submit(draft())
    until(lambda: len(stored(hub)) == 1)
    first._store.close()
    hub.fault = None
    second = open_host()
    until(lambda: states(second) == ["stored"])
    assert len(hub.messages) == 1


@pytest.mark.parametrize("token", [None, "hf_wrong", "hf_old", "hf_reader"])
def test_a_token_that_does_not_do(hub, open_host, token):
    host = open_host(token=token, patience=0.5)
    assert host.submit(draft()).own.state == "received"
    until(lambda: host.health()["store"]["trouble"] == TROUBLE["refused"])
    assert stored(hub) == set()


def test_nothing_is_written_to_a_public_data_set(hub, open_host):
    hub.repos[STORE].private = False
    host = open_host(patience=0.5)
    assert host.submit(draft()).own.state == "received"
    assert host.health()["store"]["trouble"] == TROUBLE["public"]
    hub.repos[STORE].private = True
    until(lambda: states(host) == ["stored"])


def test_no_message_or_log_holds_the_token(hub, open_host, caplog):
    caplog.set_level(logging.DEBUG)
    hub.script = [replace(FAULTS["bad_token"], where="/commit/"), replace(FAULTS["forbidden"], where="/commit/")]
    host = open_host()
    host.submit(draft())
    assert TOKEN not in caplog.text
    assert TOKEN not in json.dumps(host.health()) + repr(host._store._remote) + repr(host._settings)


def test_another_writer_who_is_faster_is_not_overwritten(hub, open_host):
    host = open_host()
    host.board("dry")
    hub.before_commit = lambda: hub.commit(STORE, {"notes.txt": b"by the organisers"})
    assert host.submit(draft()).own.state == "stored"
    assert hub.files(STORE)["notes.txt"] == b"by the organisers"
    assert len(stored(hub)) == 1


def test_two_servers_cannot_exceed_a_quota_together(hub, open_host):
    given = phase(per_day=3, total=3)
    hosts = [open_host(given, spool=f"spool{number}") for number in range(2)]
    sent = [(hosts[n % 2], draft(run)) for n, run in enumerate(distinct_runs(8))]
    assert states_of_all_at_once(sent) == ["quota_total"] * 5 + ["stored"] * 3
    assert len(stored(hub)) == 3


def test_one_that_lost_its_place_while_it_waited_is_told(hub, open_host):
    given, clock = phase(total=1, per_day=1), Clock()
    hub.add_token("hf_first", "ann", owners=("lab",), expired=True)
    first, second = open_host(given, token="hf_first", patience=0.1, clock=clock), open_host(given, spool="spool2")
    late = first.submit(draft(distinct_runs(2)[1]))
    assert late.own.state == "received"
    second.submit(draft())
    hub.add_token("hf_first", "ann", owners=("lab",))
    until(lambda: sorted(states(first)) == ["refused", "stored"])
    (lost,) = (known for known in first.own("ann", "A") if known.state == "refused")
    assert lost.submission == late.own.submission
    assert "used up" in lost.reason
    assert len(stored(hub)) == 1


def test_many_at_once_all_survive(hub, open_host):
    host = open_host()
    assert states_of_all_at_once([(host, draft(run)) for run in distinct_runs(24)]) == ["stored"] * 24
    assert stored(hub) == {known.submission.id for known in host.own("ann", "A")}
    assert len(stored(hub)) == 24
    assert len(hub.messages) < 24


def test_the_leaderboard_is_rebuilt_from_the_hub_alone(open_host):
    host = open_host()
    for number, run in enumerate(distinct_runs(6)):
        host.submit(draft(run, "AB"[number % 2]))
    again = open_host(spool="new")
    assert again.board("dry") == host.board("dry")
    assert again.board("dry").submissions == 6


def test_a_damaged_submission_on_the_hub_is_left_out(hub, open_host):
    open_host().submit(draft())
    broken = "submissions/dry/20260701T120000Z-0/"
    hub.commit(STORE, {f"{broken}submission.json": b"{", f"{broken}run": b"", "submissions/dry/half/run": b"x"})
    host = open_host(spool="new")
    assert host.board("dry").submissions == 1
    assert host.health()["store"]["trouble"] == "damaged: 20260701T120000Z-0"


def test_a_local_copy_that_cannot_be_read_is_fetched_again(open_host, tmp_path):
    first = open_host().submit(draft()).own.submission
    (tmp_path / "spool" / "stored" / "submissions" / "dry" / first.id / "submission.json").write_bytes(b"{")
    (tmp_path / "spool" / "waiting" / "submissions" / ".DS_Store").write_bytes(b"x")
    host = open_host()
    until(lambda: host.health()["store"] == {"kind": "private data set", "stored": 1, "waiting": 0, "trouble": ""})
    assert host.board("dry").submissions == 1


def test_a_spool_that_is_away_for_a_while_ends_nothing(open_host, tmp_path):
    host = open_host()
    assert host.board("dry").submissions == 0
    (tmp_path / "spool" / "waiting").rename(tmp_path / "away")
    with pytest.raises(HostingError, match="cannot be read or written"):
        host.submit(draft())
    assert "cannot be read or written" in host.health()["store"]["trouble"]
    with host._store._changed:
        host._store._changed.notify_all()
    time.sleep(0.2)  # for the thread to look for work
    (tmp_path / "away").rename(tmp_path / "spool" / "waiting")
    assert host.submit(draft()).own.state == "stored"


def test_metadata_cannot_lead_out_of_its_place(hub, open_host, tmp_path):
    first = open_host().submit(draft()).own.submission
    for own, known in (("aa", replace(first, phase="../..")), ("bb", replace(first, id="../../../out")), ("cc", first)):
        place = f"submissions/dry/{own}"
        hub.commit(STORE, {f"{place}/submission.json": known.to_bytes(), f"{place}/run": draft().content})
    host = open_host(spool="deep/new")
    assert host.board("dry").submissions == 1
    assert host.health()["store"]["trouble"] == "damaged: aa, bb, cc"
    assert not [path for path in tmp_path.rglob("out*") if path.name == "out"]


def test_no_receipt_for_what_a_commit_leaves_out(hub, open_host):
    hub.commit(STORE, {".gitignore": b"run\n"})
    host = open_host(patience=0.5)
    assert host.submit(draft()).own.state == "received"
    until(lambda: host.health()["store"]["trouble"] == TROUBLE["dropped"])
    assert stored(hub) == set()
    hub.commit(STORE, {".gitignore": None})
    until(lambda: states(host) == ["stored"])
    assert len(stored(hub)) == 1


class Crash(BaseException):
    """The end of a process, as far as what is on disk and on the Hub goes."""


class Crashing(HubStore):
    """A store whose writing thread does nothing: `_ship` is called, and stopped, by the test."""

    def _run(self):
        """Leave the work to the test."""


def stopped_at(line, store):
    """Ship, stopped before the given line of the store's code; say whether it got that far."""
    files, left = {hub_store.__file__, folder.__file__}, [line]

    def watch(frame, event, _):
        if frame.f_code.co_filename not in files:
            return None
        left[0] -= event == "line"
        if left[0] < 0:
            sys.settrace(None)
            raise Crash
        return watch

    sys.settrace(watch)
    try:
        store._ship()
    except Crash:
        return True
    finally:
        sys.settrace(None)
    return False


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files that the crash left open
def test_a_crash_between_any_two_steps_of_shipping(hub, tmp_path):
    """Two submissions wait; whatever was done before the end, afterwards each is on the Hub once."""
    given = settings(tmp_path, store=HubPlace(STORE), token=TOKEN)
    admit, runs = admission(given.phases), distinct_runs(2)
    points = 0
    for line in range(0, 700, 7):
        name, spool = f"lab/store{line}", tmp_path / f"spool{line}"
        hub.create(name, private=True)
        remote = Remote(name, TOKEN, hub.endpoint)
        host = Host(given, Crashing(remote, spool, admit, patience=0.0), Clock())
        taken = {host.submit(draft(run)).own.submission.id for run in runs}
        crashed = stopped_at(line, host._store)
        again = HubStore(remote, spool, admit, patience=PATIENCE, first_delay=0.05)
        until(lambda again=again, taken=taken: {known.id for known in again.entries()} == taken)
        again.close()
        assert again.refused() == {}
        assert {path.split("/")[2] for path in hub.files(name) if "/" in path} == taken
        assert sum(path.endswith("/run") for path in hub.files(name)) == 2
        points += crashed
        if not crashed:
            break
    assert not crashed
    assert points > 20


@pytest.fixture
def whole_host(hub, client, tmp_path):
    """Give a function that runs code with ``host``, which has labels and store on the Hub, in a process of its own."""
    hub.create("lab/labels", private=True)
    hub.commit("lab/labels", {"hidden/labels.csv": labels_csv(LABELS)})
    (tmp_path / "host.toml").write_text(CONFIG)
    (tmp_path / "run.txt").write_bytes(HALF)

    def run(code, token=TOKEN):
        variables = {"AEOLLM_HOST": str(tmp_path), "AEOLLM_HOST_SPOOL": str(tmp_path / "spool")}
        secrets = {"AEOLLM_HOST_TOKEN": token, "AEOLLM_HOST_KEY": KEY}
        return client.run(
            f"import os, logging\nlogging.basicConfig(level='INFO')\nos.environ.update({variables | secrets})\n"
            "from aeollm.errors import AeollmError\nfrom aeollm.submissions import Draft, open_host\n"
            f"content = open({str(tmp_path / 'run.txt')!r}, 'rb').read()\nhost = open_host()\n{code}"
        )

    return run


CONFIG = """
[labels]
place = "hf://datasets/lab/labels"
[store]
place = "hf://datasets/lab/store"
[phases.dry]
start = 2020-01-01T00:00:00Z
end = 2090-01-01T00:00:00Z
labels = "hidden"
decimals = 2
[teams.A]
accounts = ["ann"]
"""
SUBMIT = """
import time
try:
    host.submit(Draft('dry', 'A', 'ann', 'A_run.txt', content))
    while host.own('ann', 'A')[0].state != 'stored':
        time.sleep(0.05)
    known = host.own('ann', 'A')[0].aggregate
    print(known.mean('overall', 'accuracy'), known.signature)
except AeollmError as error:
    print(error.problems[0].kind, host.health()['labels'])
"""


def test_labels_and_store_on_the_hub(hub, whole_host):
    accuracy, signature = whole_host(SUBMIT).split()
    assert accuracy == "0.50"
    assert signature.startswith(f"labels=hidden@{hub.repos['lab/labels'].branches['main']}|")
    assert len(stored(hub)) == 1


@pytest.mark.parametrize("token", ["hf_wrong", "hf_old"])
def test_hidden_labels_need_a_good_token(hub, whole_host, token):
    assert whole_host(SUBMIT, token).strip() == "labels_away {'hidden': 'bad_token'}"
    assert stored(hub) == set()


def test_labels_that_everybody_can_read_are_not_hidden(hub, whole_host):
    hub.repos["lab/labels"].private = False
    assert whole_host(SUBMIT).strip() == "labels_away {'hidden': 'labels_public'}"
