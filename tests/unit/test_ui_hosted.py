"""The hosted pages' callbacks as plain functions: who may see and do what, and what of it is shown how."""

import base64
import json
import re
import time
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

import app
from aeollm.errors import HostingError, UsageError
from aeollm.sources import Settings
from aeollm.submissions import Rounded, StoreHealth, Team, genuine
from aeollm.ui import build_app, hosted_notices
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.hosted import Hosted, beside
from aeollm.ui.hosted_board import live_board
from aeollm.ui.hosted_calls import SubmitCalls
from aeollm.ui.hosted_live import LiveCalls
from aeollm.ui.identity import nobody, signed_in
from tests.hosted import GOOD, HALF, KEY, TEAMS, Clock, draft, host, phase, write_labels
from tests.small_files import labels_csv, run_text

MARK = {"meta": {"_type": "gradio.FileData"}}
EVIL = "<img src=x onerror=alert(1)>"


def request(**parts):
    """Give what gradio hands to a callback that asks for the request."""
    scope = {"session": parts["session"]} if "session" in parts else {}
    known = {"headers": parts.get("headers", {}), "query_params": parts.get("query", {})}
    return SimpleNamespace(request=SimpleNamespace(scope=scope), account=parts.get("account"), **known)


def login(name, until=3_600.0):
    return {"oauth_info": {"userinfo": {"preferred_username": name}, "expires_at": time.time() + until}}


def calls(given):
    """Give the submit page's callbacks, with accounts as the test's requests name them."""
    return SubmitCalls(given, lambda asked: asked.account)


def upload(folder, content, name="A_run.txt"):
    path = folder / "upload.txt"
    path.write_bytes(content)
    return {"path": str(path), "orig_name": name, "size": 1, **MARK}


def receipts_in(shown):
    """Give the bytes of the receipts that HTML offers."""
    return [base64.b64decode(found) for found in re.findall(r"data:application/json[^,]*,([^\"]+)", shown)]


class Tags(HTMLParser):
    """Collects the tags of HTML."""

    def __init__(self, content):
        super().__init__()
        self.names, self.scripted = set(), []
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.scripted += [name for name, _ in attrs if name.startswith("on")]


def test_an_account_comes_from_the_signed_session_only():
    assert signed_in(request(session=login("Ann"))) == "Ann"
    assert signed_in(request(session=login("Ann"), headers={"cookie": "x", "x-account": "bob"})) == "Ann"
    assert nobody(request(session=login("Ann"))) is None


@pytest.mark.parametrize(
    "session",
    [
        {},
        login("Ann", until=-1.0),
        {"oauth_info": None},
        {"oauth_info": "Ann"},
        {"oauth_info": {}},
        {"oauth_info": {"userinfo": None}},
        {"oauth_info": {"userinfo": {"preferred_username": ""}}},
        {"oauth_info": {"userinfo": {"preferred_username": ["ann"]}}},
        {"oauth_info": {"userinfo": {"preferred_username": "ann"}, "expires_at": "never"}},
    ],
)
def test_no_other_session_is_one(session):
    assert signed_in(request(session=session)) is None


def test_without_sessions_nobody_is_signed_in():
    assert signed_in(request()) is None
    assert signed_in(SimpleNamespace(request=None)) is None


@pytest.mark.parametrize("variables", [{}, {"OAUTH_CLIENT_ID": "x"}, {"SYSTEM": "spaces", "SPACE_ID": "a/b"}])
def test_elsewhere_than_on_a_space_with_sign_in_nobody_has_an_account(tmp_path, monkeypatch, variables):
    """Where gradio finds no Space it would give everybody the server's own account."""
    for name in ("OAUTH_CLIENT_ID", "SYSTEM", "SPACE_ID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    hosted = Hosted.here(host(tmp_path))
    assert (hosted.sign_in, hosted.identify) == (False, nobody)


def test_on_a_space_the_submit_page_has_a_sign_in_button(tmp_path, monkeypatch):
    for name, value in {"OAUTH_CLIENT_ID": "x", "SYSTEM": "spaces", "SPACE_ID": "a/b"}.items():
        monkeypatch.setenv(name, value)
    # It needs packages that only a Space has.
    monkeypatch.setattr("gradio.routes.attach_oauth", lambda _: None)
    hosted = Hosted.here(host(tmp_path))
    assert (hosted.sign_in, hosted.identify) == (True, signed_in)
    assert not Hosted.here(host(tmp_path / "demo", demo=True)).sign_in
    built = build_app(Catalogue(Settings(labels=tmp_path / "none")), hosted)
    [button] = [known for known in built.config["components"] if known["props"].get("elem_id") == "h-login"]
    found = [known for known in built.config["dependencies"] if button["id"] in known["outputs"]]
    assert [built.fns[known["id"]].page for known in found] == ["submit-run"]
    assert [known["api_name"] for known in built.config["dependencies"] if known["api_visibility"] != "private"] == [
        "score"
    ]
    page = calls(hosted.host)
    assert page.button(request()) == button["props"]["value"]
    assert page.button(request(account="ann")) == "Logout (ann)"


def test_a_visitor_can_check_but_neither_submit_nor_see_teams(tmp_path):
    page = calls(host(tmp_path))
    _, who, team, send, _, quota, own, _ = page.opened(request())
    assert "Nobody can sign in" in who
    assert (team["visible"], team["choices"], send["interactive"]) == (False, [], False)
    assert (quota, own) == ("", "")
    report, method, _, filled = page.checked(upload(tmp_path, GOOD), "dry", "", "")
    assert "A_run.txt is valid: 6 of 6 answers" in report
    assert (method, filled) == ("run", "run")
    outcome, *kept = page.submitted(upload(tmp_path, GOOD), "dry", "A", "m", "", request())
    assert "you are not logged in" in outcome
    assert "not counted" in outcome
    assert all(part["__type__"] == "update" and "value" not in part for part in kept[:4])
    assert not page.host.board("dry").submissions


def test_a_team_submits_and_gets_its_receipt(tmp_path):
    page = calls(host(tmp_path, phase(per_day=3, total=4)))
    asked = request(account="Ann")
    _, _, team, send, _, quota, own, _ = page.opened(asked)
    assert (team["choices"], team["value"]) == ([("Team A", "A"), ("Baseline", "base")], "A")
    assert send["interactive"]
    assert "3 of 3 submissions left today, 4 of 4" in quota
    assert "has not submitted anything yet" in own
    outcome, file, _, method, description, quota, own, timer = page.submitted(
        upload(tmp_path, HALF), "dry", "A", "mine", "", asked
    )
    [receipt] = receipts_in(outcome)
    assert genuine(receipt, KEY)
    assert json.loads(receipt)["method"] == "mine"
    assert receipts_in(own) == [receipt]
    assert (file, method, description, timer["active"]) == (None, "", "", False)
    assert "2 of 3 submissions left today, 3 of 4" in quota
    # Tau is 1 and -1, accuracy 1 and 0.
    assert "<td>0.0000</td>" not in own
    assert own.count("<td>.0000</td>") == 2
    assert "<td>.5000</td>" in own


def test_the_same_file_again_is_told_with_its_receipt_and_not_counted(tmp_path):
    page, asked = calls(host(tmp_path, phase(per_day=3), phase("other"))), request(account="ann")
    first, *_ = page.submitted(upload(tmp_path, GOOD), "dry", "A", "m", "", asked)
    outcome, *_, quota, _, _ = page.submitted(upload(tmp_path, GOOD), "dry", "A", "m", "", asked)
    assert "this very file is submission" in outcome
    assert receipts_in(outcome) == receipts_in(first)
    assert "2 of 3 submissions left today" in quota
    emptied, _, report, *_ = page.submitted(None, "dry", "A", "", "", asked)
    assert "value" not in emptied, "what became of the first click stays"
    assert "Choose a file first" in report
    other, *_ = page.submitted(upload(tmp_path, GOOD), "other", "A", "m", "", asked)
    assert "Stored" in other


def test_what_is_another_teams_is_not_told(tmp_path):
    given = host(tmp_path)
    page = calls(given)
    taken = given.submit(draft(method="secret recipe")).own.submission
    for account in (None, "bob", "eve"):
        asked = request(account=account)
        _, quota, own, _ = page.looked("dry", "A", asked)
        assert (quota, own) == ("", "")
        outcome, *rest = page.submitted(upload(tmp_path, HALF), "dry", "A", "m", "", asked)
        assert "Not submitted" in outcome
        assert taken.id not in "".join(map(str, [outcome, *rest]))
    assert [own.submission.id for own in given.own("ann", "A")] == [taken.id]


@pytest.mark.parametrize(("name", "team"), [(None, None), ("", ""), ("no", "A"), ("<b>", "<b>")])
def test_values_that_no_form_has_are_refused_in_words(tmp_path, name, team):
    page, asked = calls(host(tmp_path)), request(account="ann")
    for call in (lambda: page.looked(name, team, asked), lambda: LiveCalls(page.host).shown(name, team)):
        with pytest.raises(UsageError):
            call()
    with pytest.raises(UsageError):
        page.submitted(upload(tmp_path, GOOD), name, "A", None, None, asked)
    assert "Not submitted" in page.submitted(upload(tmp_path, GOOD), "dry", "no", None, None, asked)[0]


def test_a_path_that_is_no_upload_is_not_read(tmp_path):
    page, asked = calls(host(tmp_path)), request(account="ann")
    secret = tmp_path / "labels" / "hidden" / "labels.csv"
    forged = {"path": str(secret), "orig_name": "x_y.txt"}
    assert "have to be uploaded" in page.submitted(forged, "dry", "A", "m", "", asked)[0]
    assert "have to be uploaded" in page.checked(forged, "dry", "", "")[0]


def test_the_method_follows_the_file_until_somebody_writes_one(tmp_path):
    page = calls(host(tmp_path))
    assert page.checked(upload(tmp_path, GOOD, "A_one_two.txt"), "dry", "", "")[1::2] == ["one_two", "one_two"]
    assert page.checked(upload(tmp_path, GOOD, "A_three.txt"), "dry", "one_two", "one_two")[1::2] == ["three", "three"]
    kept, filled = page.checked(upload(tmp_path, GOOD, "A_four.txt"), "dry", "my own", "three")[1::2]
    assert "value" not in kept
    assert filled == ""


def test_received_but_not_stored_has_no_receipt(tmp_path):
    class Away:
        """A store whose Hub is down."""

        def __init__(self):
            self.kept = []

        def add(self, submission, content):  # noqa: ARG002
            self.kept.append(submission)
            return "received"

        def waiting(self):
            return tuple(self.kept)

        def health(self):
            return StoreHealth("private data set", 0, len(self.kept), "the Hub cannot be reached")

        def entries(self):
            return ()

        def refused(self):
            return {}

    page = calls(host(tmp_path, phase(per_day=3), store=Away()))
    outcome, *_, quota, own, timer = page.submitted(upload(tmp_path, GOOD), "dry", "A", "m", "", request(account="ann"))
    assert "Received, not yet stored" in outcome
    assert "received, not yet stored" in own
    assert receipts_in(outcome + own) == []
    assert ".ae-done" not in outcome
    assert "the Hub cannot be reached" in quota
    assert "2 of 3" in quota
    assert timer["active"]


def test_labels_that_are_away_are_told_without_their_place(tmp_path):
    page = calls(host(tmp_path))
    (tmp_path / "labels" / "hidden" / "labels.csv").unlink()
    told = page.checked(upload(tmp_path, GOOD), "dry", "", "")[0]
    told += page.submitted(upload(tmp_path, GOOD), "dry", "A", "m", "", request(account="ann"))[0]
    told += LiveCalls(page.host).shown("dry", "kendall")[1]
    assert str(tmp_path) not in told
    assert told.count("ae-error") == 3


def test_the_leaderboard_stays_unfolded_while_nothing_changes(tmp_path):
    given = host(tmp_path)
    page = LiveCalls(given)
    given.submit(draft())
    _, _, _, digest = page.shown("dry", "kendall")
    facts, board, told, again = page.looked("dry", "kendall", digest)
    assert digest == again
    assert "value" not in facts
    assert "value" not in board
    assert "1 submission stored" in told
    given.submit(draft(HALF, "B"))
    _, board, told, again = page.looked("dry", "kendall", digest)
    assert digest != again
    assert "Team B" in board
    assert "2 submissions stored" in told


def test_an_address_chooses_phase_and_measure(tmp_path):
    page = LiveCalls(host(tmp_path, phase(), phase("formal")))
    chosen, measure, *_ = page.opened(request(query={"phase": "formal", "measure": "accuracy"}))
    assert (chosen["value"], measure["value"]) == ("formal", "accuracy")
    chosen, measure, *_ = page.opened(request(query={"phase": "<b>", "measure": "x"}))
    assert (chosen["value"], measure["value"]) == ("dry", "spearman")


def test_a_damaged_submission_is_not_said_to_be_withheld(tmp_path):
    given = host(tmp_path)
    first = given.submit(draft()).own.submission
    (tmp_path / "store" / "submissions" / "dry" / first.id / "run").write_bytes(b"")
    [_, own, _] = calls(host(tmp_path)).standing("dry", "A", request(account="ann"))
    assert "stored" in own
    assert "its file in the store is damaged" in own
    assert "withheld" not in own


def test_withheld_results_are_nowhere_on_the_page(tmp_path):
    clock = Clock()
    given = host(tmp_path, phase(results="withheld"), clock=clock)
    page, asked = calls(given), request(account="ann")
    outcome, *_, own, _ = page.submitted(upload(tmp_path, HALF), "dry", "A", "m", "", asked)
    board = "".join(LiveCalls(given).shown("dry", "kendall")[:2])
    assert "withheld" in own
    assert "Results are withheld until the organisers release them" in board
    assert not re.search(r"[.]\d{3}", re.sub(r"href=\"[^\"]*\"", "", outcome + own + board))


def test_markup_is_shown_as_text_wherever_teams_write(tmp_path):
    teams = (Team("A", f"{EVIL}team", ("ann",)), *TEAMS[1:])
    given = host(tmp_path, teams=teams)
    page, asked = calls(given), request(account="ann")
    typed = (f"{EVIL}method", f"{EVIL}\n</td>description")
    sent = upload(tmp_path, GOOD, f"{EVIL}_x.txt")
    outcome, *_, quota, own, _ = page.submitted(sent, "dry", "A", *typed, asked)
    board = live_board(given.board("dry"), "kendall")
    report = page.checked(sent, "dry", "", "")[0]
    broken = page.checked(upload(tmp_path, GOOD.replace(b"1 a", EVIL.replace(" ", "").encode()), EVIL), "dry", "", "")[
        0
    ]
    for shown in (outcome, quota, own, board, report, broken):
        tags = Tags(shown)
        assert not tags.names & {"img", "script"}
        assert tags.scripted == []
        assert "&lt;img" in shown
    assert "description" in board


def test_control_characters_are_refused_or_shown_as_escapes(tmp_path):
    page, asked = calls(host(tmp_path)), request(account="ann")
    for method, description, name in (("a\u202eb", "", "x.txt"), ("a", "b\x07", "x.txt"), ("a", "", "x\u200b.txt")):
        outcome, *_ = page.submitted(upload(tmp_path, GOOD, name), "dry", "A", method, description, asked)
        assert "control or invisible characters" in outcome
        assert not set("\u202e\u200b\x07") & set(outcome)
    assert "x\\u200b.txt" in page.checked(upload(tmp_path, GOOD, "x\u200b.txt"), "dry", "", "")[0]


def test_oversized_fields_are_refused_with_their_length(tmp_path):
    page, asked = calls(host(tmp_path)), request(account="ann")
    outcome, *_ = page.submitted(upload(tmp_path, GOOD, "x" * 300), "dry", "A", "m" * 90_000, "d" * 90_000, asked)
    for told in ("file name has 300", "method has 90000", "description has 90000"):
        assert told in outcome
    assert len(outcome) < 5_000


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\x.txt", "/etc/shadow", "C:\\x.txt", "a/../b.txt"])
def test_a_path_in_a_name_is_only_a_name(tmp_path, name):
    page = calls(host(tmp_path))
    outcome, *_ = page.submitted(upload(tmp_path, GOOD, name), "dry", "A", "m", "", request(account="ann"))
    [receipt] = receipts_in(outcome)
    assert json.loads(receipt)["file_name"] == re.split(r"[/\\]", name)[-1]
    assert {path.name for path in (tmp_path / "store").rglob("*") if path.is_file()} == {
        "lock",
        "run",
        "submission.json",
    }


def test_numbers_are_written_without_a_leading_zero():
    numbers = {"0.5000": 0.5, "-0.2500": -0.25, "1.0000": 1.0, "-1.0000": -1.0, "0.0000": 0.0}
    assert [hosted_notices.figure(Rounded.of(number, 4)) for number in numbers.values()] == [
        ".5000",
        "−.2500",
        "1.0000",
        "−1.0000",
        ".0000",
    ]
    assert [hosted_notices.figure(Rounded.of(number, 0)) for number in (0.0, -1.0)] == ["0", "−1"]
    assert hosted_notices.figure(None) == "–"


def test_phases_without_a_chinese_title_have_the_english_one(tmp_path):
    assert hosted_notices.title(phase("dry")).count("dry") == 2
    assert beside(None).links == ()
    assert "Submit a run" in beside(Hosted(host(tmp_path), nobody)).below


def test_hidden_labels_are_offered_nowhere_else(tmp_path):
    given = host(tmp_path)
    assert "demo" in Catalogue(Settings(labels=tmp_path / "labels"), host=given).offer().default
    # A copy elsewhere, in another order and under another name.
    other = tmp_path / "public"
    (other / "copy").mkdir(parents=True)
    (other / "train").mkdir()
    rows = [("2", "b", 2), ("1", "a", 1), ("1", "b", 2), ("1", "c", 3), ("2", "a", 1), ("2", "c", 3)]
    (other / "copy" / "copy.csv").write_bytes(labels_csv(rows))
    (other / "train" / "train.csv").write_bytes(labels_csv([("7", "a", 1), ("7", "b", 2)]))
    assert set(Catalogue(Settings(labels=other), host=given).offer().sets) == {"train", "demo"}
    assert set(Catalogue(Settings(labels=other)).offer().sets) == {"copy", "train", "demo"}


def test_a_broken_file_among_hidden_labels_is_not_quoted(tmp_path):
    given = host(tmp_path)
    (write_labels(tmp_path) / "broken.csv").write_bytes(labels_csv([("1", "a", "7canary")]))
    assert "canary" in Catalogue(Settings(labels=tmp_path / "labels")).offer().trouble
    assert "canary" not in Catalogue(Settings(labels=tmp_path / "labels"), host=given).offer().trouble


def test_while_it_cannot_be_told_what_is_hidden_nothing_configured_is_offered(tmp_path):
    given = host(tmp_path)
    (tmp_path / "labels" / "hidden" / "labels.csv").unlink()
    other = tmp_path / "public.csv"
    other.write_bytes(labels_csv([("7", "a", 1), ("7", "b", 2)]))
    offer = Catalogue(Settings(labels=other), host=given).offer()
    assert (set(offer.sets), offer.default) == ({"demo"}, "demo")
    assert offer.trouble
    with pytest.raises(HostingError):
        given.check(run_text([("1", "a", 1)]), "x", "dry")


def test_settings_that_cannot_be_used_stop_the_start_in_words(tmp_path, monkeypatch):
    monkeypatch.setenv("AEOLLM_HOST", str(tmp_path / "none.toml"))
    with pytest.raises(SystemExit, match="Name a folder with"):
        app.main()
