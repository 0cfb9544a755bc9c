"""The page without a mouse."""

from __future__ import annotations

import io

from PIL import Image, ImageChops
from playwright.sync_api import expect

from tests.browser.conftest import RUNS

MOST_STOPS = 60
WHERE = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  // A radio button shows its focus on the label around it.
  const box = (at.closest('label, #labels .wrap, .block .wrap') ?? at).getBoundingClientRect();
  const name = at.dataset.run || at.getAttribute('aria-label') || at.placeholder || at.innerText || at.tagName;
  const place = at.closest('[id]:not([id^=html-]):not([id^=component-])');
  return {name: name.trim().slice(0, 60), place: place ? place.id : '',
    marked: at.getAttribute('aria-selected') === 'true' && at.getAttribute('role') === 'gridcell',
    box: [box.x, box.y, box.width, box.height]};
}"""


def picture(page, box):
    """Take a picture of a place with some of what is around it."""
    x, y, width, height = box
    size = page.viewport_size
    left, top = max(x - 6, 0), max(y - 6, 0)
    clip = {
        "x": left,
        "y": top,
        "width": min(x + width + 6, size["width"]) - left,
        "height": min(y + height + 6, size["height"]) - top,
    }
    return Image.open(io.BytesIO(page.screenshot(clip=clip, animations="disabled", caret="hide"))).convert("RGB")


def stops(page):
    """Press Tab until the page ends; give each stop's name, place, and whether focus is seen there."""
    found = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(WHERE)
        if stop is None or (found and stop == found[0][0]):
            break
        focused = picture(page, stop["box"])
        page.evaluate("window.at = document.activeElement; at.blur()")
        rested = picture(page, stop["box"])
        page.evaluate("at.focus({focusVisible: true})")
        # A cell of gradio's table stays marked when the focus has gone.
        seen = stop["marked"] or ImageChops.difference(focused, rested).getbbox() is not None
        found.append((stop, seen))
    return found


def test_every_control_is_reached_and_shows_it(tab):
    found = stops(tab.page)
    reached = [(stop["place"], stop["name"]) for stop, _ in found]
    for expected in (
        ("labels", "Labels"),
        ("own-labels", "Own labels…"),
        ("runs", "Click to upload or drop files"),
        ("demo-runs", "Try the demo runs"),
        ("template", "Template run"),
        ("format", "Run file format"),
        ("as-json", "Scores (JSON)"),
        ("as-csv", "Questions (CSV)"),
        ("scores", "good_judge.txt"),
        ("scores", "coarse_judge.txt"),
        ("scores", "length_biased_judge.txt"),
        ("scores", "signatures"),
        ("run", "Run"),
        ("view", "View"),
        ("questions", "Search..."),
    ):
        assert expected in reached
    assert sum(place == "measure" for place, _ in reached) == 3
    assert [stop for stop, seen in found if not seen] == []


def test_files_are_chosen_and_runs_picked_with_keys_alone(tab):
    # Playwright catches file choosers from a moment after somebody listens, which a key is faster than.
    tab.page.once("filechooser", lambda _: None)
    tab.page.locator("#title").inner_text()
    tab.zone.get_by_role("button", name="Click to upload or drop files").focus()
    with tab.page.expect_file_chooser() as asked:
        tab.page.keyboard.press("Enter")
    asked.value.set_files([RUNS / "good_judge.txt", RUNS / "coarse_judge.txt"])
    tab.shows("good_judge.txt", "coarse_judge.txt")

    tab.page.once("filechooser", lambda _: None)
    tab.page.locator("#own-labels").focus()
    with tab.page.expect_file_chooser():
        tab.page.keyboard.press("Enter")

    tab.page.get_by_role("radio", name="Kendall").focus()
    tab.page.keyboard.press("Space")
    expect(tab.page.locator("#by-question .ytitle")).to_contain_text("Kendall")

    tab.page.locator("#view input").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        tab.page.keyboard.press(key)
    expect(tab.page.locator("#by-question .xtitle")).not_to_contain_text("overall")

    tab.page.get_by_role("button", name="coarse_judge.txt").focus()
    tab.page.keyboard.press("Space")
    expect(tab.page.locator("#run input")).to_have_value("coarse_judge.txt")


def test_a_run_is_taken_away_with_keys(tab):
    tab.page.locator("#demo-runs").press("Enter")
    expect(tab.names).to_have_count(4)
    tab.zone.locator("tr.file", has_text="broken_run").get_by_role("button", name="Remove this file").press("Enter")
    expect(tab.names).to_have_count(3)


def test_results_are_announced(tab):
    expect(tab.page.locator("#status [role=status]")).to_have_count(1)
    tab.page.locator("#demo-runs").click()
    expect(tab.report.locator("[role=status]")).to_contain_text("refused")
    expect(tab.page.get_by_role("region", name="Mean over questions")).to_be_visible()
    expect(tab.page.locator("#scores th[scope=row]")).to_have_count(4)
