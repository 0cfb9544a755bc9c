"""The Judge tab without a browser: who may ask what where, what is handed in, and what is left behind."""

import io
import zipfile
from dataclasses import astuple, replace
from types import SimpleNamespace

import gradio as gr
import huggingface_hub.constants
import huggingface_hub.inference._providers as hub_providers
import pytest

from aeollm.errors import AeollmError
from aeollm.judging import Usage
from aeollm.sources import Settings, demo_set
from aeollm.ui import build_app, open_catalogue
from aeollm.ui.callbacks import Callbacks, first_session
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.judge_access import Access, wrong_key, wrong_model, wrong_place
from aeollm.ui.judge_calls import Judging
from aeollm.ui.judge_desk import Desk
from aeollm.ui.judge_inputs import DEMO_REPORTS, reports_of, uploaded_files
from aeollm.ui.judge_outcome import part_of
from aeollm.ui.judge_pace import ASSUMED, BY_TOKENS, MEASURED, Pace
from aeollm.ui.judge_runs import Runs
from aeollm.ui.judge_setup import Setup, Wanted
from aeollm.ui.session import Session
from tests.judging.scripted import SCORES, Answer

SPACE = {"SYSTEM": "spaces", "SPACE_ID": "me/space", "OAUTH_CLIENT_ID": "id"}
LOCAL, HOSTED = Access(local=True), Access(local=False)


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(Settings(labels=DEMO_REPORTS.parent))


@pytest.fixture(scope="module")
def demo_reports(tmp_path_factory):
    files = [(path, f"{path.parent.name}/{path.name}") for path in sorted(DEMO_REPORTS.glob("*/*.md"))]
    return reports_of(files, tmp_path_factory.mktemp("reports"))


@pytest.fixture
def setup(demo_reports):
    return Setup(LOCAL, demo_reports, demo_set(), {}, demo=True)


def kinds(call):
    with pytest.raises(AeollmError) as caught:
        call()
    return [problem.kind for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, LOCAL),
        ({"GRADIO_SERVER_NAME": "127.0.0.1"}, LOCAL),
        ({"AEOLLM_JUDGE": "off"}, None),
        ({"AEOLLM_HOST": "1"}, None),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, None),
        ({"GRADIO_SHARE": "True"}, None),
        (SPACE, None),
        (SPACE | {"AEOLLM_JUDGE": "on"}, HOSTED),
        # Nobody can sign in there, and the server's own login is nobody's.
        ({"AEOLLM_HOST": "1", "AEOLLM_JUDGE": "on"}, None),
        ({"SYSTEM": "spaces", "SPACE_ID": "me/space", "AEOLLM_JUDGE": "on"}, None),
        ({"SPACE_ID": "me/space", "OAUTH_CLIENT_ID": "id", "AEOLLM_JUDGE": "on"}, None),
    ],
)
def test_where_the_tab_is(environment, found):
    assert Access.here(environment) == found


def labels_of(app, kind):
    return [block for block in app.blocks.values() if block.get_block_name() == kind]


def assert_judging_waits_for_nobody(app):
    """See that no event of the Judge tab shares a queue with one of any other tab, however busy that is."""
    queues = {True: set(), False: set()}
    pressed = set()
    for fn in app.fns.values():
        ids = {app.blocks[place].elem_id or "" for place, _ in fn.targets if place in app.blocks}
        changed = {getattr(block, "elem_id", None) or "" for block in fn.outputs}
        here = (getattr(fn.fn, "__module__", None) or "").startswith("aeollm.ui.judge")
        judging = here or any(name.startswith("j-") for name in ids | changed)
        queues[judging].add(fn.concurrency_id)
        pressed |= ids if judging else set()
    assert {"j-trial", "j-run", "j-pause", "j-cancel", "j-files", "j-show"} <= pressed
    assert "scoring" in queues[False]
    assert not queues[True] & queues[False]


def test_hosted_there_is_no_judge_tab(monkeypatch):
    for name in ("AEOLLM_JUDGE", "OAUTH_CLIENT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPACE_ID", "me/space")
    settings = Settings(labels=DEMO_REPORTS.parent)
    assert "judge" not in {tab.id for tab in labels_of(build_app(open_catalogue(settings)), "tabitem")}
    monkeypatch.delenv("SPACE_ID")
    app = build_app(open_catalogue(settings))
    assert "judge" in {tab.id for tab in labels_of(app, "tabitem")}
    assert {fn.api_visibility for fn in app.fns.values() if fn.api_name != "score"} == {"private"}
    assert_judging_waits_for_nobody(app)


def test_an_organiser_turns_it_on_and_there_is_no_address_to_type(monkeypatch):
    for name, value in (SPACE | {"AEOLLM_JUDGE": "on", "OAUTH_CLIENT_SECRET": "s", "SYSTEM": "spaces"}).items():
        monkeypatch.setenv(name, value)
    # A Space has what signs the session's cookie; nothing here asks for it.
    monkeypatch.setattr("gradio.routes.attach_oauth", lambda _app: None)
    app = build_app(open_catalogue(Settings(labels=DEMO_REPORTS.parent)))
    ids = {block.elem_id for block in app.blocks.values()}
    assert {"j-login", "j-provider", "j-models"} <= ids
    assert not {"j-address", "j-key", "j-place"} & ids
    assert_judging_waits_for_nobody(app)


@pytest.mark.parametrize(
    ("access", "wanted", "kind"),
    [
        (LOCAL, Wanted(models="m", base_url=""), "address"),
        (LOCAL, Wanted(models="m", base_url="ftp://x"), "usage"),
        (LOCAL, Wanted(models="m", base_url="http://key:secret@x/v1"), "usage"),
        # Where cloud machines tell their keys to whoever asks.
        (LOCAL, Wanted(models="m", base_url="http://169.254.169.254/latest"), "address"),
        (LOCAL, Wanted(models="m", base_url="http://[::ffff:169.254.169.254]/"), "address"),
        (LOCAL, Wanted(models="m", base_url="http://2852039166/"), "address"),
        (LOCAL, Wanted(models="m", base_url="http://0xA9FEA9FE/"), "address"),
        (LOCAL, Wanted(models="m", base_url="http://169.254.43518/"), "address"),
        (LOCAL, Wanted(base_url="http://x/v1"), "model"),
        (LOCAL, Wanted(models="a, b, c", base_url="http://x/v1"), "model"),
        (LOCAL, Wanted(recipe="none", models="m", base_url="http://x/v1"), "recipe"),
        (LOCAL, Wanted(models="m", where="provider"), "model"),
        (LOCAL, Wanted(models="o/m", where="provider", provider="evil.example"), "provider"),
        (LOCAL, Wanted(models="m", base_url="http://x/v1", temperature="hot"), "temperature"),
        (LOCAL, Wanted(models="m", base_url="http://x/v1", temperature=None), "temperature"),
        (LOCAL, Wanted(models="m", base_url="http://x/v1", seed=0.5), "seed"),
        (HOSTED, Wanted(models="a/.."), "model"),
        (HOSTED, Wanted(models="a/b..c"), "model"),
        # What a visitor's browser sends although the page has no such field.
        (HOSTED, Wanted(models="http://127.0.0.1/x", where="address", base_url="http://127.0.0.1/"), "model"),
        (HOSTED, Wanted(models="http://127.0.0.1:8000/v1", where="provider"), "model"),
    ],
)
def test_what_may_not_be_asked(setup, access, wanted, kind):
    assert kinds(lambda: replace(setup, access=access).task(wanted)) == [kind]


def test_hosted_the_address_that_is_sent_along_counts_for_nothing(setup):
    wanted = Wanted(models="o/m", where="address", base_url="http://127.0.0.1:1/", provider="auto")
    [judge] = replace(setup, access=HOSTED).task(wanted).judges.values()
    assert (judge.base_url, judge.provider, judge.model) == (None, "auto", "o/m")


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000/v1", "http://localhost/v1", "https://api.example.com/v1"])
def test_loopback_and_public_addresses_are_taken_as_typed(setup, address):
    [judge] = setup.task(Wanted(models="m", base_url=address)).judges.values()
    assert judge.base_url == address
    assert wrong_place(address) is None


def test_one_model_for_all_judges_or_one_for_each(setup):
    both = setup.task(Wanted(recipe="tie-break", models="a, b", base_url="http://x/v1"))
    assert {name: judge.model for name, judge in both.judges.items()} == {"first": "a", "second": "b"}
    same = setup.task(Wanted(recipe="tie-break", models="a", base_url="http://x/v1"))
    assert {judge.model for judge in same.judges.values()} == {"a"}


@pytest.mark.parametrize("key", ["sk secret", "sk-sécret", "", "a\nb"])
def test_a_wrong_key_is_not_in_what_is_told(key):
    problem = wrong_key(key)
    assert problem is not None
    assert not key or key not in str(problem)
    assert wrong_key("sk-abc_1234567890") is None
    assert wrong_model("Qwen/Qwen3-32B:together") is None


def test_limits():
    limits = Wanted(concurrency=7, attempts=2, price_in=1, price_out=2.5, most_calls=10, most_money=3).limits
    assert (limits.concurrency, limits.attempts, limits.budget.calls, limits.budget.money) == (7, 2, 10, 3)
    assert (limits.budget.price.prompt, limits.budget.price.completion) == (1, 2.5)
    assert Wanted().limits.budget.calls is None
    assert kinds(lambda: Wanted(most_money=3).limits) == ["budget"]
    assert kinds(lambda: Wanted(concurrency=1e9).limits) == ["at_a_time"]
    assert kinds(lambda: Wanted(concurrency=float("nan")).limits) == ["at_a_time"]
    assert kinds(lambda: Wanted(concurrency=None).limits) == ["at_a_time"]
    assert kinds(lambda: Wanted(most_calls=0.5).limits) == ["most_calls"]
    assert kinds(lambda: Wanted(timeout=0).seconds) == ["seconds"]


def zipped(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def handed(tmp_path, **files):
    """Read files by name: double underscores stand for folders."""
    paths = []
    for number, (name, content) in enumerate(files.items()):
        path = tmp_path / f"upload{number}"
        path.write_bytes(content)
        paths.append((path, name.replace("__", "/").replace("_dot_", ".")))
    return reports_of(paths, tmp_path / "laid-out")


def test_reports_in_a_zip_in_folders_or_in_a_table(tmp_path):
    content = zipped({"all/Report1/a.md": "One.", "all/report_2/b.txt": "Two.", "__MACOSX/all/Report1/._a.md": "x"})
    assert [(r.key, r.text) for r in handed(tmp_path, r_dot_zip=content)] == [
        (("1", "a"), "One."),
        (("2", "b"), "Two."),
    ]
    (tmp_path / "f").mkdir()
    found = handed(tmp_path / "f", Set__Report7__c_dot_md=b"Three.")
    assert [r.key for r in found] == [("7", "c")]
    (tmp_path / "t").mkdir()
    table = b'{"questionId": "9", "answerId": "z", "text": "Four."}\n'
    assert [r.key for r in handed(tmp_path / "t", t_dot_jsonl=table)] == [("9", "z")]


def test_what_is_no_report_is_told(tmp_path):
    assert kinds(lambda: handed(tmp_path, a_dot_md=b"Loose.")) == ["no_question"]
    assert "archive_damaged" in kinds(lambda: handed(tmp_path, a_dot_zip=b"PK\x03\x04broken"))
    table = b'{"questionId": "9", "answerId": "z", "text": "Four."}\n'
    assert kinds(lambda: handed(tmp_path, a_dot_jsonl=table, Report1__a_dot_md=b"x")) == ["several_tables"]


def test_a_zip_that_is_too_large_points_to_the_folder(tmp_path, monkeypatch):
    content = zipped({"Report1/a.md": "x" * 2_000})
    assert len(handed(tmp_path, r_dot_zip=content)) == 1
    monkeypatch.setattr("aeollm.ui.judge_inputs.MOST_UNPACKED", 1_000)
    (tmp_path / "again").mkdir()
    with pytest.raises(AeollmError) as caught:
        handed(tmp_path / "again", r_dot_zip=content)
    [problem] = caught.value.problems
    assert (problem.kind, problem.remedy) == (
        "archive_too_large",
        "Choose the folder itself instead: 200 MB are taken in all.",
    )


def test_a_name_cannot_leave_the_folder(tmp_path):
    found = handed(tmp_path, r_dot_zip=zipped({"Report1/a.md": "One."}), **{"..__..__Report2__b_dot_md": b"Two."})
    assert {r.key for r in found} == {("1", "a"), ("2", "b")}
    outside = [path for path in tmp_path.rglob("*") if path.is_file() and "laid-out" not in path.parts]
    assert {path.name for path in outside} == {"upload0", "upload1"}


def test_a_path_that_was_not_uploaded_is_refused(tmp_path):
    path = tmp_path / "secret"
    path.write_text("x")
    assert kinds(lambda: uploaded_files([{"path": str(path), "orig_name": "Report1/a.md"}])) == ["not_uploaded"]
    upload = {"path": str(path), "orig_name": "R/Report1/a.md", "meta": {"_type": "gradio.FileData"}}
    assert uploaded_files([upload]) == [(path, "R/Report1/a.md")]
    assert kinds(lambda: uploaded_files([upload] * 4_001)) == ["too_many_files"]


def test_a_desk_leaves_nothing(tmp_path):
    desk, upload = Desk(), tmp_path / "upload.md"
    upload.write_text("A report.")
    desk.remember([upload])
    folder = desk.write("run.txt", b"x").parent.parent
    desk.replies("place").mkdir(parents=True)
    desk.close()
    assert not folder.exists()
    assert not upload.exists()
    assert desk.closed


@pytest.fixture
def runs(catalogue):
    calls = Callbacks(catalogue)
    yield Runs(Judging(calls, HOSTED))
    # Left to the collector, its folder would be warned about.
    calls.downloads._folder.cleanup()


def hosted_fields(catalogue):
    """Give what the page's fields hold: labels, the session, and `Wanted`."""
    session: Session = first_session(catalogue)
    return ["demo", session, *astuple(Wanted(models="o/m", where="provider", concurrency=1, attempts=1))]


@pytest.fixture
def servers_logins(tmp_path, monkeypatch):
    """Log the server in itself, in both ways; give its keys."""
    saved = tmp_path / "token"
    saved.write_text("hf_savedOnTheServer00000")
    monkeypatch.setenv("HF_TOKEN", "hf_ofTheServerItself000")
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(saved))
    return "hf_ofTheServerItself000", saved.read_text()


@pytest.mark.usefixtures("servers_logins")
def test_providers_are_asked_with_each_visitors_own_login(runs, catalogue, judge, monkeypatch):
    """Press the trial's button as two visitors; the Hub's router of providers is the scripted judge."""
    monkeypatch.setattr(hub_providers.CONVERSATIONAL_AUTO_ROUTER, "base_url", judge.address.removesuffix("/v1"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("aeollm.ui.judge_runs.signed_in", lambda request: f"account of {request.session_hash}")
    judge.script = Answer(SCORES)
    for number, key in enumerate(("hf_ofTheFirstVisitor000", "hf_ofTheSecondVisitor00")):
        judge.reset(judge.script)
        request, fields = gr.Request(session_hash=f"visitor {number}"), hosted_fields(catalogue)
        desk, *_ = runs.judging.opened(request, None, *fields)
        desk, *_ = runs.trial_hosted(request, SimpleNamespace(token=key), desk, *fields)
        desk.job.join(20)
        desk.tried.add(desk.signed)
        desk, *_ = runs.run_hosted(request, SimpleNamespace(token=key), desk, *fields)
        desk.job.join(20)
        # Nobody else finds this work again.
        assert desk.account == f"account of visitor {number}"
        # Three reports of the trial, and the other five.
        assert [seen.authorization for seen in judge.seen] == [f"Bearer {key}"] * 8
        desk.close()


@pytest.mark.usefixtures("servers_logins")
def test_nobody_is_asked_with_the_servers_own_login(runs, catalogue, judge, monkeypatch):
    monkeypatch.setattr(hub_providers.CONVERSATIONAL_AUTO_ROUTER, "base_url", judge.address.removesuffix("/v1"))
    request, fields = gr.Request(session_hash="s"), hosted_fields(catalogue)
    desk, *_ = runs.judging.opened(request, None, *fields)
    for login in (None, SimpleNamespace(token="")):
        desk, told, *_ = runs.trial_hosted(request, login, desk, *fields)
        assert "nobody is signed in" in told
        assert desk.job is None
    assert judge.seen == []
    desk.close()


def test_a_part_of_labels_is_those_rows(catalogue):
    labels = catalogue.demo.labels
    part = part_of(labels, [3, 5])
    assert list(part.index) == [list(labels.index)[row] for row in (3, 5)]
    assert part.scores.values.tolist() == labels.scores.values[[3, 5]].tolist()
    assert part.digest not in {labels.digest, part_of(labels, [3, 6]).digest}
    assert part.demo


def test_time_is_as_measured_once_it_was():
    pace, own = Pace(), [SimpleNamespace(calls=8, prompt=15_000, completion=400)]
    # 15000 / 1500 + 400 / 40 = 20 s of calls, four at once.
    assert pace.seconds("m", "holistic", own, 4) == (5, ASSUMED)
    # Four calls of 6000 tokens read and 80 written took 12 s: 3 s each.
    pace.learn("m", "holistic", SimpleNamespace(calls=4, usage=Usage(6_000, 80)), 12)
    assert pace.seconds("m", "holistic", own, 4) == (6, MEASURED)
    assert pace.seconds("m", "holistic", own, 100) == (3, MEASURED)
    # Of another recipe what is read counts: 15000 tokens at 12 s / 6000, four calls at once.
    assert pace.seconds("m", "pairwise", own, 4) == (7.5, BY_TOKENS)
    assert pace.seconds("other", "holistic", own, 4) == (5, ASSUMED)
