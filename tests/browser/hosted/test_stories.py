"""What people do in hosted mode: a visitor, a team with a broken and then a good file, an organiser with the demo."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from aeollm.submissions import genuine
from tests.browser.conftest import RUNS, WIDE, watch_for
from tests.browser.hosted.hosting import EVIL_TEAM, KEY, Caller, Page, canaries, run
from tests.browser.score_tab import SLOW
from tests.browser.serving import serve
from tests.browser.test_axe import COLOURS, SIZES, axe
from tests.browser.test_look import CONTRAST, LEGIBLE, NARROW, STICKING_OUT, settle


@contextmanager
def somebody(browser, app, account=None, **options):
    """Give a page of somebody who is signed in, or of a visitor, that does nothing it should not."""
    context = browser.new_context(**({"viewport": WIDE, "accept_downloads": True} | options))
    context.set_default_timeout(SLOW)
    if account:
        context.add_cookies([{"name": "account", "value": account, "url": app.url}])
    page, watch = context.new_page(), watch_for(app)
    watch.over(page)
    yield page
    context.close()
    assert watch.all() == []


def open_page(page, app, path, **query):
    asked = "&".join(f"{name}={value}" for name, value in ({"__theme": "light"} | query).items())
    page.goto(f"{app.url}/{path}?{asked}")
    expect(page.locator("#h-facts p, #v-facts p").first).to_be_visible(timeout=SLOW)


def choose(page, name, content):
    page.locator("#h-file input[type=file]").set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": content}]
    )


def downloaded(page, link):
    with page.expect_download() as taken:
        link.click()
    return taken.value.suggested_filename, taken.value.path().read_bytes()


def submit_by_hand(app, account, team, number, *texts):
    """Submit without the page; the texts are method and description."""
    caller, handlers = Caller(app, account), Page(app)
    sent = caller.upload("by_hand.txt", run(number))
    caller.call(handlers.handler("h-send", "click"), [sent, "dry-run", team, *texts, *[""] * (2 - len(texts))])


def test_a_visitor_reads_and_checks_but_cannot_submit(browser, hosted):
    submit_by_hand(hosted, "bob", "beta", 20, "visible")
    with somebody(browser, hosted) as page:
        page.goto(f"{hosted.url}/submit")
        expect(page.locator(".ae-hosted").get_by_role("link", name="Submit a run")).to_be_visible(timeout=SLOW)
        page.locator(".ae-hosted").get_by_role("link", name="Live leaderboard").click()
        row = page.locator("#v-board tbody tr").filter(has_text="Team Beta").first
        expect(row).to_contain_text("visible", timeout=SLOW)
        name, content = downloaded(page, page.locator("#v-board a[download]"))
        assert name == "leaderboard_dry-run.csv"
        assert "Team Beta" in {line["name"] for line in csv.DictReader(io.StringIO(content.decode("utf-8-sig")))}
        page.locator("#v-phase label", has_text="Formal run").click()
        expect(page.locator("#v-facts")).to_contain_text("withheld until the organisers release them")

        page.locator("#pages nav").get_by_role("link", name="Submit a run").click()
        expect(page.locator("#h-who")).to_contain_text("not scored and not submitted", timeout=SLOW)
        choose(page, "x.txt", run(21))
        expect(page.locator("#h-report")).to_contain_text("x.txt is valid: 15 of 15 answers")
        expect(page.locator("#h-send")).to_be_disabled()
        expect(page.locator("#h-team")).to_have_count(0)


def refused_at_first(page):
    """Choose a file with a wrong answer id, and submit it all the same."""
    choose(page, "delta_my_way.txt", run(30).replace(b"0 Q1 b", b"0 Q1 z", 1))
    expect(page.locator("#h-report")).to_contain_text("delta_my_way.txt refused: 2 problems")
    page.locator("#h-send").click()
    expect(page.locator("#h-outcome")).to_contain_text("Not submitted, and not counted")
    expect(page.locator("#h-quota")).to_contain_text("4 of 4")
    page.locator("#h-file").get_by_role("button", name="Clear").click()


def then_stored(page):
    """Choose the file without the mistake, submit it with a double click, and give the receipt."""
    choose(page, "delta_my_way.txt", run(30))
    expect(page.locator("#h-report")).to_contain_text("delta_my_way.txt is valid: 15 of 15 answers")
    expect(page.locator("#h-method :is(input, textarea)")).to_have_value("my_way")
    page.locator("#h-description textarea").fill("Reads the report twice.\nThen decides.")
    page.locator("#h-send").dblclick()
    # Of the second click nothing, or that the file is there already, with the same receipt.
    expect(page.locator("#h-outcome")).to_contain_text(
        re.compile("Stored: delta_my_way.txt for Team Delta|this very file is submission")
    )
    name, receipt = downloaded(page, page.locator("#h-outcome a[download]"))
    known = json.loads(receipt)
    assert name == f"receipt_{known['id']}.json"
    return receipt, known


def counted_once(page):
    expect(page.locator("#h-quota")).to_contain_text("3 of 4 submissions left today, 8 of 9 in this phase")
    own = page.locator("#h-own tbody tr")
    expect(own).to_have_count(1)
    expect(own).to_contain_text("stored")


def test_a_team_mends_its_file_and_submits_it_once(browser, hosted):
    with somebody(browser, hosted, "dee") as page:
        open_page(page, hosted, "submit-run")
        expect(page.locator("#h-who")).to_contain_text("Signed in as dee.")
        expect(page.locator("#h-quota")).to_contain_text("Team Delta: 4 of 4 submissions left today, 9 of 9")
        refused_at_first(page)
        receipt, known = then_stored(page)
        assert genuine(receipt, KEY)
        assert (known["team"], known["method"], known["account"]) == ("delta", "my_way", "dee")
        counted_once(page)
        choose(page, "again.txt", run(30))
        page.locator("#h-send").click()
        expect(page.locator("#h-outcome")).to_contain_text("this very file is submission")
        counted_once(page)
        assert not {canary for canary in canaries() if canary in page.content()}


def test_the_leaderboard_follows_the_store(browser, hosted):
    submit_by_hand(hosted, "dee", "delta", 32, "older")
    with somebody(browser, hosted) as page:
        open_page(page, hosted, "live")
        row = page.locator("#v-board tbody tr").filter(has_text="Team Delta").first
        expect(row).to_contain_text("older")
        submit_by_hand(hosted, "dee", "delta", 31, "newer", "Decides at once.")
        page.locator("#v-refresh").click()
        expect(row).to_contain_text("newer")
        page.locator("summary", has_text="Team Delta: ").click()
        expect(page.locator(".ae-histories details[open]")).to_contain_text("Decides at once.")


def test_two_teams_at_once_do_not_mix(browser, hosted):
    with somebody(browser, hosted, "bob") as bob, somebody(browser, hosted, "cy") as cy:
        for page in (bob, cy):
            open_page(page, hosted, "submit-run")
        for page, title in ((bob, "Team Beta"), (cy, "Team Gamma")):
            expect(page.locator("#h-quota")).to_contain_text(f"{title}:")
        for page, number in ((bob, 40), (cy, 41)):
            choose(page, "same_name.txt", run(number))
            expect(page.locator("#h-report")).to_contain_text("valid")
        for page in (bob, cy):
            page.locator("#h-send").click()
        ids = set()
        for page, title in ((bob, "Team Beta"), (cy, "Team Gamma")):
            expect(page.locator("#h-outcome")).to_contain_text(f"Stored: same_name.txt for {title}")
            ids.add(re.search(r"submission (\S+)\.", page.locator("#h-outcome").inner_text())[1])
        assert len(ids) == 2
        for page in (bob, cy):
            assert len(ids & set(re.findall(r"receipt_(\S+)\.json", page.content()))) == 1


def looks_well(page):
    """Find nothing that cannot be read, sticks out or bars somebody, wide and narrow."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        settle(page, f"({CONTRAST})().every(text => text.ratio >= {LEGIBLE}) && !({STICKING_OUT})().length")
        assert [text for text in page.evaluate(CONTRAST) if text["ratio"] < LEGIBLE] == []
        assert page.evaluate(STICKING_OUT) == []
        rules = None if size == WIDE else [*COLOURS, *SIZES]
        assert [node for node in axe(page, rules) if node["place"] < 0 or node["ours"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.set_viewport_size(WIDE)


@pytest.mark.parametrize(
    ("theme", "language", "title"), [("light", "en-US", "Live leaderboard"), ("dark", "zh-CN", "实时排行榜")]
)
def test_both_pages_fit_and_can_be_read(browser, hosted, theme, language, title):
    submit_by_hand(hosted, "eve", "evil", 50, f"{EVIL_TEAM}{'W' * 40}", f"{EVIL_TEAM} {'V' * 300}")
    with somebody(browser, hosted, "eve", locale=language) as page:
        open_page(page, hosted, "submit-run", __theme=theme)
        expect(page.locator("#h-own tbody tr")).to_have_count(1)
        choose(page, f"{EVIL_TEAM}.txt", run(51).replace(b"Q1 a", b"<b>Q1 a", 1))
        expect(page.locator("#h-report .ae-error")).to_be_visible()
        looks_well(page)
        open_page(page, hosted, "live", __theme=theme)
        expect(page.locator("#v-board tbody tr").filter(has_text=EVIL_TEAM).first).to_be_visible()
        looks_well(page)
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("#pages h1").inner_text().strip() == title


def test_an_organiser_sees_the_demo_in_a_minute(browser, tmp_path):
    with serve(tmp_path / "demo", AEOLLM_HOST="demo", AEOLLM_HOST_STORE=str(tmp_path / "store")) as started:
        app = started.wait()
        with somebody(browser, app) as page:
            page.goto(app.url)
            expect(page.locator(".ae-hosted")).to_contain_text("DEMO: simulated labels", timeout=SLOW)
            page.locator(".ae-hosted").get_by_role("link", name="Submit a run").click()
            expect(page.locator("#h-who")).to_contain_text("choose a team instead", timeout=SLOW)
            page.locator("#h-team input").click()
            page.get_by_role("option", name="Team Ada").click()
            expect(page.locator("#h-quota")).to_contain_text("Team Ada: 5 of 5")
            choose(page, "ada_good.txt", (RUNS / "good_judge.txt").read_bytes())
            expect(page.locator("#h-report")).to_contain_text("128 of 128 answers")
            page.locator("#h-send").click()
            # The Score tab's value for this run on the demo's labels.
            expect(page.locator("#h-outcome tbody tr").first).to_contain_text(".804")
            page.locator("#pages nav").get_by_role("link", name="Live leaderboard").click()
            rows = page.locator("#v-board .ae-live tbody tr:not(.ae-group)")
            expect(rows).to_have_count(3, timeout=SLOW)
            expect(rows.first).to_contain_text("Team Ada")
            expect(page.locator("#v-board")).to_contain_text("Baselines of the organisers")
            told = json.loads(app.get("/health"))
            assert (told["store"]["demo"], told["store"]["store: stored"]) == (True, 3)
