"""PDF as browsers print it: lists whose bullets are drawn, characters that stand for others, lines of one paragraph."""

import unicodedata

import pytest

from aeollm.judging.reports.characters import ordinary
from aeollm.judging.reports.pdf import markdown_of_pdf
from tests.unit.judging_documents import box, dot, pdf, show, show_as_is


def lines(texts, top, step, size=12, left=50):
    """Set lines below each other; Chinese lines may be indented by leading blanks of two letters each."""
    marks = []
    for number, text in enumerate(texts):
        indent = size * (len(text) - len(text.lstrip()))
        marks.append(show(text.lstrip(), left + indent, top - number * step, size))
    return marks


# 40 characters of 12 points from 50 to 530; the English lines end between 480 and 530.
CHINESE = "冷却系统在数据中心里很重要方案需要逐项比较包括成本能耗与维护冷却系统很重要然后"
ENGLISH = [
    "Cooling systems matter and the options need to be compared across their cost and",
    "energy, which is what this paragraph does; it is set in lines that stand close to each",
    "other, as they do in a font for English, and it goes on and on for four lines so that",
    "most lines of the page are such lines.",
]


def blocks(*marks, **options):
    return markdown_of_pdf(pdf(*marks, **options)).split("\n\n")


def test_drawn_bullets_make_a_list_and_numbers_stay():
    text = markdown_of_pdf(
        pdf(
            show("A paragraph before the list.", 50, 760, 12),
            dot(64, 734, 4),
            show("First item", 80, 730, 12),
            dot(64, 716, 4),
            show("第二项内容", 80, 712, 12),
            box(62, 695, 4, 4),
            show("Third item", 80, 694, 12),
            show("1.", 64, 660, 12),
            show("Step one", 80, 660, 12),
            show("2.", 64, 642, 12),
            show("步骤二", 80, 642, 12),
            show("No item", 80, 600, 12),
            dot(300, 604, 4),
            dot(30, 570, 30),
            show("No item, beside a circle", 80, 566, 12),
        )
    )
    assert text == (
        "A paragraph before the list.\n\n- First item\n- 第二项内容\n- Third item\n\n1. Step one\n2. 步骤二\n\n"
        "No item\n\nNo item, beside a circle"
    )


def test_an_item_goes_on_under_its_text():
    text = markdown_of_pdf(
        pdf(
            *lines(ENGLISH, 760, 14),
            show("1.", 64, 660, 12),
            show(ENGLISH[0], 80, 660, 12),
            show("energy.", 80, 646, 12),
            dot(64, 636, 4),
            show(ENGLISH[0], 80, 632, 12),
            show("maintenance.", 80, 618, 12),
        )
    )
    assert text.split("\n\n")[1:] == [f"1. {ENGLISH[0]} energy.", f"- {ENGLISH[0]} maintenance."]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("冷却\u2f45案\u2f50较", "冷却方案比较"),
        ("\u2f00、\u2f06、\u2f17", "一、二、十"),
        ("\u2edb险与\u2eda\u2faf，\u2ecb\u2ed4，\u2ed3度，\u2f3e外", "风险与页面，车门，长度，户外"),
        ("\u2e9f、\u2ef3", "母、龟"),
        ("e\ufb03cient \ufb01nd \ufb02ow", "efficient find flow"),
        ("\uff18\uff05，①½㎡ﾊﾝ豈", "\uff18\uff05，①½㎡ﾊﾝ豈"),
        ("方案比较", "方案比较"),
    ],
)
def test_radicals_and_ligatures_alone_become_ordinary_characters(given, meant):
    assert ordinary(given) == meant


def test_every_kangxi_radical_is_an_ordinary_character():
    kangxi = "".join(map(chr, range(0x2F00, 0x2FD6)))
    assert all("\u4e00" <= letter <= "\u9fff" for letter in ordinary(kangxi))
    # Unicode's own mapping, but for the door (see U+2F3E in aeollm/judging/reports/characters.py).
    assert [a for a, b in zip(ordinary(kangxi), unicodedata.normalize("NFKC", kangxi), strict=True) if a != b] == ["户"]


def test_a_pdf_gives_ordinary_characters():
    assert blocks(show_as_is("冷却\u2f45案\u2f50较：\u2edb险", 50, 700, 24), show("Text is here.", 50, 650, 12)) == [
        "# 冷却方案比较：风险", "Text is here."
    ]  # fmt: skip


def test_chinese_lines_are_joined_although_english_ones_stand_closer():
    # 14 and 18 points are what Chromium gives lines of 12 points in either language.
    marks = [*lines(ENGLISH, 780, 14), *lines(ENGLISH, 712, 14), *lines([CHINESE, CHINESE, "完。"], 640, 18)]
    marks += [show("短段。", 50, 574, 12), show("另一短段。", 50, 544, 12)]
    assert blocks(*marks) == [" ".join(ENGLISH), " ".join(ENGLISH), f"{CHINESE}{CHINESE}完。", "短段。", "另一短段。"]


@pytest.mark.parametrize("step", [13, 18, 22, 24, 27])
def test_paragraphs_are_told_by_the_space_between_them(step):
    marks = [
        *lines([CHINESE, CHINESE, "完。"], 780, step),
        *lines([CHINESE, CHINESE, CHINESE], 780 - 3 * step - 12, step),
    ]
    assert blocks(*marks) == [f"{CHINESE}{CHINESE}完。", CHINESE * 3]


def test_paragraphs_are_told_by_their_indented_first_lines():
    short = CHINESE[:38]
    marks = lines([f"  {short}", CHINESE, CHINESE, f"  {short}", CHINESE, "完。", f"  {short}", "完。"], 780, 18)
    assert blocks(*marks) == [f"{short}{CHINESE * 2}", f"{short}{CHINESE}完。", f"{short}完。"]


def test_a_line_with_room_for_the_next_word_ends_its_paragraph():
    marks = lines([CHINESE, CHINESE[:20], CHINESE, CHINESE[:5]], 780, 18)
    assert blocks(*marks) == [CHINESE + CHINESE[:20], CHINESE + CHINESE[:5]]


def test_a_paragraph_goes_on_over_pages_and_their_heads_and_feet():
    head, foot = show("Report on cooling", 50, 820, 8), "page {} of 3"
    first = [head, show("A title", 50, 790, 24), *lines([CHINESE, CHINESE], 750, 18), show(foot.format(1), 500, 20, 8)]
    second = (head, *lines([CHINESE, "完。"], 790, 18), *lines(ENGLISH[:2], 730, 14), show(foot.format(2), 500, 20, 8))
    third = (head, *lines(ENGLISH[2:], 790, 14), show(foot.format(3), 500, 20, 8))
    assert blocks(*first, further=(second, third)) == ["# A title", f"{CHINESE * 3}完。", " ".join(ENGLISH)]


def test_a_new_page_begins_a_new_paragraph_where_the_line_before_is_short():
    first = lines([CHINESE, "完。"], 780, 18)
    assert blocks(*first, further=((show(CHINESE, 50, 780, 12),),)) == [f"{CHINESE}完。", CHINESE]
    titles = [show("One", 50, 790, 24), *lines([CHINESE, CHINESE], 750, 18), show("Two", 50, 300, 24)]
    assert blocks(*titles, further=((show("Three", 50, 790, 24), show(CHINESE, 50, 750, 12)),)) == [
        "# One", CHINESE * 2, "# Two", "# Three", CHINESE
    ]  # fmt: skip


def test_blanks_stand_where_the_page_has_them():
    # The Latin letters of another font begin where the Chinese ones end, or a third of a letter behind.
    marks = [show("第", 50, 700, 12), show("0", 62, 697, 12), show("节", 68.7, 700, 12), show("PUE", 86, 697, 12)]
    marks += [show("，约", 113, 700, 12), show("1.5", 141, 697, 12), show("。", 161, 700, 12)]
    assert blocks(*marks) == ["第0节 PUE，约 1.5。"]


def test_words_that_only_a_gap_parts_are_words():
    # As TeX sets them: a blank is no character, and narrower than a third of a letter.
    marks = [show("Of", 50, 700, 10), show("all", 62.5, 700, 10), show("costs", 75.5, 700, 10)]
    assert blocks(*marks) == ["Of all costs"]


def test_a_minus_and_dashes_begin_no_item():
    marks = [show(text, 50, 700 - 30 * number, 12) for number, text in enumerate(("-5 degrees", "-- a rule", "- item"))]
    assert blocks(*marks) == ["-5 degrees", "-- a rule", "- item"]
