"""A browser set to Chinese: what is still English on the tabs Score, Questions and Compare, and why."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from aeollm.leaderboard import formal_run
from tests.browser.conftest import RUNS, WIDE, watch_for
from tests.browser.score_tab import SLOW, from_disk, settled

# Sentences of the core about files, labels and runs, which page, report and command line share.
IN_ENGLISH = {
    "#status .ae-note [lang=en]": "why configured labels are not there",
    "#report li [lang=en]": "what is wrong with a file, and how to mend it",
    "#scores .ae-foot [lang=en]": "why something is undefined",
    "#q-head [lang=en]": "why something is undefined",
    "#c-words [lang=en]": "the comparison of a pair in a sentence",
    "#c-labels p[lang=en]": "chance and ceiling in sentences",
}
# Drawn by plotly from the report's own figures; names and texts of files; code.
OF_OTHERS = ".js-plotly-plot, code, pre, [role=gridcell], [dir=auto], #runs .filename, footer"
METHODS = "AEOLLM Spearman Kendall Tukey HSD Holm Benjamini Hochberg BCa RMSE MAE tau p b NTCIR i"
FORMATS = "JSON CSV HTML LaTeX UTF zip Hub taskId KB"
NAMES = {*METHODS.split(), *FORMATS.split()}
# Ids of answers, files, teams.
DATA = re.compile("|".join([r"Doc_\d+", r"\w+\.txt", "demo", *(re.escape(result.team) for result in formal_run())]))
# gradio's own, which it has no words for.
OF_GRADIO = {"Search"}
WORD = re.compile(r"[A-Za-z]+")
SHOWN = """skipped => {
  const texts = [], english = [];
  const walker = document.createTreeWalker(document.querySelector('.gradio-container'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (!text || !at.checkVisibility({checkVisibilityCSS: true}) || at.closest(`${skipped}, script, style`)) continue;
    if (getComputedStyle(at).fontSize === '0px') continue;
    const marked = at.closest('[lang]');
    if (marked && marked.closest('.gradio-container') && marked.lang === 'en') english.push(marked);
    else texts.push(text);
  }
  for (const at of document.querySelectorAll('.gradio-container :is(input, textarea)')) {
    if (at.checkVisibility() && at.placeholder) texts.push(at.placeholder);
  }
  return [texts, english.map(at => [at.outerHTML.slice(0, 200), IN_ENGLISH.filter(place => at.matches(place))])];
}"""


@pytest.fixture(scope="module")
def chinese(browser, app):
    """Give a page in a Chinese browser, with the demo runs scored."""
    context = browser.new_context(viewport=WIDE, locale="zh-CN")
    context.set_default_timeout(SLOW)
    page, watch = context.new_page(), watch_for(app)
    watch.over(page)
    page.goto(app.url)
    expect(page.locator("#by-question .point").first).to_be_visible(timeout=SLOW)
    page.locator("#demo-runs").click()
    expect(page.locator("#scores tbody th")).to_have_count(4, timeout=SLOW)
    yield page
    context.close()
    assert watch.all() == []


def left_in_english(page):
    """Give English words that stand there unmarked, and marked ones in a place that is not named above."""
    settled(page)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    script = SHOWN.replace("IN_ENGLISH", str(list(IN_ENGLISH)))
    texts, marked = page.evaluate(script, OF_OTHERS)
    assert len(texts) > 30
    known = NAMES | OF_GRADIO
    unmarked = {text for text in texts for word in WORD.findall(DATA.sub("", text)) if word not in known}
    return unmarked | {shown for shown, places in marked if not places}


def opened(page, tab, elem_id):
    page.get_by_role("tab", name=tab, exact=True).click()
    expect(page.locator(f"#{elem_id} .js-plotly-plot .point").first).to_be_visible(timeout=SLOW)
    return page


def test_the_score_tab(chinese):
    opened(chinese, "评分", "by-question")
    assert left_in_english(chinese) == set()
    assert chinese.locator("#runs").inner_text().startswith("把运行文件拖到这里")
    assert "8 个问题 · 128 个答案" in chinese.locator("#status").inner_text()
    assert "broken_run.txt 未被接受：6 个问题" in chinese.locator("#report").inner_text()
    header = chinese.locator('#questions th[title="discordant"] .header')
    assert header.evaluate("head => getComputedStyle(head, '::after').content") == '"反序"'


def test_the_questions_tab(chinese):
    opened(chinese, "问题", "q-slopes")
    assert left_in_english(chinese) == set()
    assert chinese.locator("#q-head h2").inner_text() == "问题 16 · 中文"
    assert "人工认为更好" in chinese.locator("#q-pairs").inner_text()


def test_the_compare_tab(chinese):
    opened(chinese, "比较", "c-forest")
    for title in ("随机水平、上限与诊断", "已公布的正式评测，仅供参考"):
        chinese.get_by_role("button", name=title).click()
    expect(chinese.locator("#c-labels h2").first).to_be_visible()
    assert left_in_english(chinese) == set()
    assert "分组（综合）" in chinese.locator("#c-table thead").inner_text()


def test_choices_keep_their_values(chinese):
    """What is chosen in Chinese is computed like what is chosen in English."""
    opened(chinese, "比较", "c-forest")
    chinese.locator("#c-correction input").click()
    chinese.get_by_role("option", name="不校正", exact=True).click()
    expect(chinese.locator("#c-table")).to_contain_text("不校正，3 对", use_inner_text=True)
    chinese.locator("#c-interval input").click()
    chinese.get_by_role("option", name="百分位", exact=True).click()
    expect(chinese.locator("#c-table")).to_contain_text("自助法（百分位）", use_inner_text=True)
    chinese.locator("#c-measure").get_by_text("成对准确率").click()
    expect(chinese.locator("#c-forest .xtitle")).to_contain_text("accuracy")
    opened(chinese, "评分", "by-question")
    chinese.locator("#view input").click()
    chinese.get_by_role("option", name="洞察力", exact=True).click()
    expect(chinese.locator("#by-question .xtitle")).to_contain_text("(insight)")


def test_problems_are_copied_in_the_language_shown(chinese):
    opened(chinese, "评分", "by-question")
    chinese.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = chinese.locator("#report [data-copy]").first
    button.click()
    expect(button).to_have_text("已复制", use_inner_text=True)
    copied = chinese.evaluate("navigator.clipboard.readText()")
    assert "未被接受" in copied
    assert "refused" not in copied
    assert "错误" in copied


def test_what_to_do_is_told_when_nothing_is_scored(chinese):
    opened(chinese, "评分", "by-question")
    chinese.locator("#runs").get_by_role("button", name=re.compile("清除|Clear")).click()
    expect(chinese.locator("#scores")).to_contain_text("这是示例")
    chinese.locator("#runs input[type=file]").set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": text} for name, text in from_disk(RUNS / "broken_run.txt")]
    )
    expect(chinese.locator("#report h2")).to_contain_text("broken_run.txt", timeout=SLOW)
    for tab, elem_id in (("问题", "q-head"), ("比较", "c-table")):
        chinese.get_by_role("tab", name=tab, exact=True).click()
        expect(chinese.locator(f"#{elem_id}")).to_contain_text("所有文件都未被接受", use_inner_text=True)
