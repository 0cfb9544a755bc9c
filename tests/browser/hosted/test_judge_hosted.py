"""Judging where others visit: no tab, or one with no address, and no login but the visitor's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.hosted.hosting import KEY, write_folder
from tests.browser.score_tab import SLOW, ScoreTab
from tests.browser.serving import serve
from tests.hub.fake_sign_in import CLIENT, SECRET, FakeSignIn
from tests.judging.scripted import ScriptedJudge, refused

# As the Hub writes them; what looks otherwise would not be told from other text where it is looked for.
SERVERS, VISITORS = "hf_ofTheServerItself0000", "hf_ofTheVisitorAlone0000"
DONE = 60_000


@pytest.fixture(scope="module")
def sign_in():
    with FakeSignIn("ann", VISITORS) as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("judging-space")


@pytest.fixture(scope="module")
def router():
    """Give what the app takes for the Hub's router of providers; it knows nobody, and repeats the key that it got."""
    with ScriptedJudge() as started:
        started.script = lambda seen: refused(401, f"Invalid credentials {seen.authorization}")
        yield started


@pytest.fixture(scope="module")
def space(folder, sign_in, router):
    """Serve as on a Space with `hf_oauth: true` that hosts an evaluation."""
    temporary = folder / "temporary"
    temporary.mkdir()
    variables = {
        "AEOLLM_HOST": str(write_folder(folder / "organiser")),
        "AEOLLM_HOST_KEY": KEY,
        "AEOLLM_HOST_SPOOL": str(folder / "spool"),
        "AEOLLM_JUDGE": "on",
        "HF_TOKEN": SERVERS,
        "HF_HUB_OFFLINE": "0",
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "OAUTH_CLIENT_ID": CLIENT,
        "OAUTH_CLIENT_SECRET": SECRET,
        "OAUTH_SCOPES": "openid profile inference-api",
        "OPENID_PROVIDER_URL": sign_in.url,
        "ROUTER": router.address.removesuffix("/v1"),
        "SPACE_ID": "lab/space",
        "SYSTEM": "spaces",
        "TMPDIR": str(temporary),
    }
    with serve(folder, "tests.browser.hosted.app_at_a_router", **variables) as started:
        yield started.wait()


@pytest.fixture
def visitor(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, accept_downloads=True)
    context.set_default_timeout(SLOW)
    yield context.new_page()
    context.close()


def judge_tab(page, url):
    page.goto(url)
    page.get_by_role("tab", name="Judge").click()
    expect(page.locator("#j-estimate tbody tr")).to_have_count(1, timeout=DONE)
    # A data set's name is no model, and no address either.
    page.locator("#j-models input").fill("Qwen/Qwen3-32B")


def signed_in(page, sign_in, button):
    """Press the button; the Hub's page sends whoever agrees back."""
    before = len(sign_in.asked)
    with page.expect_response(lambda response: "/login/callback" in response.url):
        page.locator(button).click()
    page.wait_for_url(lambda url: "login" not in url)
    assert len(sign_in.asked) == before + 1


def test_a_hosted_page_has_no_judge_tab(visitor, hosted):
    ScoreTab(visitor, hosted.url).open()
    expect(visitor.get_by_role("tab", name="Calibrate")).to_be_visible()
    assert visitor.get_by_role("tab", name="Judge").count() == 0
    assert "j-address" not in hosted.get("/config")


def test_visitors_sign_in_and_name_no_address(visitor, space, sign_in, router):
    judge_tab(visitor, space.url)
    assert visitor.locator("#j-address").count() == visitor.locator("#j-key").count() == 0
    visitor.locator("#j-trial").click()
    expect(visitor.locator("#j-progress")).to_contain_text("nobody is signed in", timeout=DONE, use_inner_text=True)
    assert sign_in.asked == []
    assert router.seen == [], "the server's own login is nobody's"


def test_a_visitors_login_goes_to_the_hub_alone_and_is_nowhere_after_it_failed(visitor, space, sign_in, router, folder):
    page = visitor
    judge_tab(page, space.url)
    signed_in(page, sign_in, "#j-login")
    assert "inference-api" in sign_in.asked[-1]
    judge_tab(page, space.url)
    expect(page.locator("#j-login")).to_contain_text("ann", timeout=DONE)
    page.locator("#j-trial").click()
    expect(page.locator("#j-result")).to_contain_text("No reply gave a value", timeout=DONE, use_inner_text=True)
    # What no request can pass ends it at once.
    assert {seen.authorization for seen in router.seen} == {f"Bearer {VISITORS}"}
    asked = [repr(seen.body["messages"]) for seen in router.seen]
    assert sorted(set(asked)) == sorted(asked), "a call whose key was refused is not made again"
    assert {seen.body["model"] for seen in router.seen} == {"Qwen/Qwen3-32B"}
    expect(page.locator("#j-result")).to_contain_text("unauthorised", use_inner_text=True)
    with page.expect_download() as taken:
        page.locator("#j-take-whole").click()
    taken.value.save_as(folder / "taken.zip")
    for key in (VISITORS, SERVERS):
        assert key not in page.content()
        for path in folder.rglob("*"):
            assert not path.is_file() or key.encode() not in path.read_bytes(), path


def test_whoever_signed_in_submits_for_the_team(visitor, space, sign_in):
    visitor.goto(f"{space.url}/submit-run")
    signed_in(visitor, sign_in, "#h-login")
    expect(visitor.locator("body")).to_contain_text("Team Alpha", timeout=DONE, use_inner_text=True)
