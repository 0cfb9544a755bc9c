"""Time the page: ``python -m benchmarks.page`` (needs what requirements-dev.txt installs, and Chromium).

A run of 128 lines is dropped on a warm page; the times are from the drop until the numbers stand in the
table, and until the figure of its questions is drawn, in milliseconds of the browser's own clock.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import BROWSER, FLAGS, RUNS, WIDE
from tests.browser.score_tab import SLOW, ScoreTab, from_disk
from tests.browser.serving import serve

TIMES = 5
TARGETS = {"numbers": 0.8, "figure": 1.5}
"""Seconds, from the issue; recorded, not asserted."""
# Frames are counted, not mutations: what counts is what can be seen.
_WATCH = """judge => {
  window.seen = {};
  const zone = document.querySelector('#runs');
  zone.addEventListener('drop', () => { window.begin = performance.now(); }, {capture: true, once: true});
  const look = () => {
    const since = performance.now() - (window.begin ?? NaN);
    const names = [...document.querySelectorAll('#scores tbody th')].map(name => name.innerText.trim());
    if (window.begin && !seen.numbers && names.length === 1 && names[0] === judge) seen.numbers = since;
    const plot = document.querySelector('#overview .js-plotly-plot');
    const drawn = plot && [...plot.querySelectorAll('.legendtext')].map(name => name.textContent);
    if (window.begin && !seen.figure && drawn && drawn.length === 1 && drawn[0] === judge) seen.figure = since;
    if (!seen.numbers || !seen.figure) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def once(tab: ScoreTab, run: Path) -> dict[str, float]:
    """Drop the run once; give the seconds until numbers and figure are seen."""
    tab.page.evaluate(f"window.begin = undefined; ({_WATCH})({run.name!r})")
    tab.drop(from_disk(run))
    tab.page.wait_for_function("window.seen.numbers && window.seen.figure")
    seen = tab.page.evaluate("window.seen")
    tab.zone.get_by_role("button", name="Clear").click()
    expect(tab.names).to_have_count(3)
    tab.page.wait_for_timeout(500)
    return {name: seen[name] / 1_000 for name in TARGETS}


def main() -> None:
    """Print the medians beside the targets."""
    run = RUNS / "good_judge.txt"
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "app") as app, sync_playwright() as playwright:
        app.wait()
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        page = browser.new_page(viewport=WIDE)
        page.set_default_timeout(SLOW)
        tab = ScoreTab(page, app.url).open()
        once(tab, run)
        found = [once(tab, run) for _ in range(TIMES)]
        browser.close()
    print(f"{run.name}, {TIMES} drops on a warm page, seconds from the drop:")
    for name, target in TARGETS.items():
        times = sorted(times[name] for times in found)
        print(f"  {name:8} median {statistics.median(times):.2f}  ({times[0]:.2f} to {times[-1]:.2f}; target {target})")


if __name__ == "__main__":
    main()
