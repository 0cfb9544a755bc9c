"""The structure of reports, counted by hand."""

import math
import time
from dataclasses import asdict, astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeollm.calibration.features import FEATURES, SHARES, features_of_texts, structure_of

ENGLISH = """\
# Cooling of data centres

Liquid cooling moves heat well [1]. It costs more
at first (Smith et al., 2021), as [a survey](https://example.org/survey_(2020) "Survey") says.

Direct methods
--------------

- Cold plates [2, 3]
- Immersion, see https://example.org/immersion.
  with fluids that boil
1. First step
2) Second step

| method | cost |
|:-------|-----:|
| plates | 3    |
| baths  | 5 [4] |

**Summary**

> Liquid cooling moves heat well.

---

```python
# not a heading
- not an item [9]
```

![chart](chart.png) and [named][ref] and [5](https://example.org/five)[^n].

[ref]: https://example.org/ref
[^n]: A note.

## References

[1] Doe. Title. https://doi.org/10.1/x
[2] Roe. Title.
"""


def test_markdown():
    found = structure_of(ENGLISH)
    # Headings: two of #, one underlined, one bold; levels 1, 2 (twice) and bold.
    assert (found.headings, found.heading_levels) == (4, 3)
    assert found.list_items == 4
    assert (found.tables, found.table_rows) == (1, 2)
    # [1], (Smith …), [2, 3], [4], [5] and [^n]; not [9] in code, nor the two entries of the references.
    assert found.citations == 6
    # survey, immersion, named, five, doi; not the picture, nor what a name stands for.
    assert found.links == 5
    # The first, the quotation, the one before the references, and each entry of these is no paragraph.
    assert found.paragraphs == 3
    # Two in the first, one an item, one quoted, one last: the picture's.
    assert found.sentences == 2 + 4 + 1 + 1
    assert found.repeated_sentences == pytest.approx(0)
    assert found.chinese_share == 0


CHINESE = """\
一、背景

液冷技术发展迅速【1】。成本较高（王等，2020）！真的吗？

（二）方法与数据
1、冷板式
2、浸没式
①第一步

第三章 结论
液冷技术发展迅速。液冷技术发展迅速。
3.1 小结
见 https://example.org/文档。完
"""


def test_chinese_plain_text():
    found = structure_of(CHINESE)
    assert (found.headings, found.heading_levels) == (4, 4)
    assert found.list_items == 3
    assert found.citations == 2
    assert found.links == 1
    assert found.paragraphs == 3
    # 3, three items, 2, and 见 … 完 in two.
    assert found.sentences == 3 + 3 + 2 + 2
    # 液冷技术发展迅速 stands three times, the first time with a 1 beside it.
    assert found.repeated_sentences == pytest.approx(1 / 10)
    assert found.chinese_share > 0.8
    assert found.repeated_phrases > 0


def test_words():
    assert structure_of("It's state-of-the-art: 3.5 km").words == 4
    assert structure_of("液冷 cooling 技术").words == 5
    assert structure_of("[two words](https://example.org/not/counted)").words == 2
    assert structure_of("**bold** # _x_ |").words == 2


def test_repeated_phrases_by_hand():
    # Eight words have four runs of five, of which the last, of words 5 to 8 and on, is new each: nothing stands before.
    assert structure_of("a b c d e f g h").repeated_phrases == 0
    # Ten words: six runs; the sixth is the first again.
    assert structure_of("a b c d e a b c d e").repeated_phrases == pytest.approx(1 / 6)
    # Chinese, runs of 8: 16 characters have nine, the ninth is the first again.
    assert structure_of("甲乙丙丁戊己庚辛" * 2).repeated_phrases == pytest.approx(1 / 9)


def test_a_fence_around_the_whole_report_is_no_code():
    wrapped = structure_of(f"```markdown\n{ENGLISH}```\n")
    plain = structure_of(ENGLISH)
    assert astuple(wrapped)[1:10] == astuple(plain)[1:10]
    assert structure_of("~~~\n# no\n~~~\n# yes\n").headings == 1
    assert structure_of("````\n```\n# no\n````\n# yes").headings == 1


@pytest.mark.parametrize(
    ("line", "headings", "items"),
    [
        ("1.2 Scope", 1, 0),
        ("1. Scope", 0, 1),
        ("1.2 This is a sentence.", 0, 0),
        ("12.5 percent of all centres, says the survey, will have moved to liquid cooling by then", 0, 0),
        ("#hashtag", 0, 0),
        ("####### seven", 0, 0),
        ("**Bold words.**", 0, 0),
        ("**Key point:** explained", 0, 0),
        ("J. Smith wrote it", 0, 0),
        ("a) option", 0, 1),
        ("* * *", 0, 0),
        ("- ", 0, 0),
        ("2024. It was late", 0, 0),
        ("十、其他", 1, 0),
        ("一、这一部分很长，讨论了许多问题，所以不是标题。", 0, 1),
        ("• 要点", 0, 1),
        ("（1）要点", 0, 1),
        ("第2节 数据", 1, 0),
    ],
)  # fmt: skip
def test_lines(line, headings, items):
    found = structure_of(f"Before\n\n{line}\n\nAfter")
    assert (found.headings, found.list_items) == (headings, items)


def test_tables():
    assert structure_of("a\tb\n1\t2\n3\t4\n").tables == 1
    assert structure_of("a\tb\n1\t2\n3\t4\n").table_rows == 2
    assert structure_of("a\tb\n1\t2\n").tables == 0
    assert structure_of("a | b\n--- | ---\n1 | 2\n\nc | d\n").table_rows == 1
    assert structure_of("this | is no table\nnor | this\n").tables == 0


def test_nothing():
    found = structure_of("")
    assert math.isnan(found.chinese_share)
    assert [value for value in astuple(found) if not math.isnan(value)] == [0] * (len(FEATURES) - 1)
    assert set(SHARES) < set(FEATURES)


def test_features_of_many():
    found = features_of_texts({("1", "a"): ENGLISH, ("1", "b"): CHINESE})
    assert found.names == FEATURES
    assert dict(zip(FEATURES, found.values["1", "b"], strict=True)) == asdict(structure_of(CHINESE))


HOSTILE = ["." * 60_000, "[" * 60_000, "(" * 60_000, "|" + " " * 60_000 + "x", "- " * 30_000 + "x", "*" * 60_000]
HOSTILE += ["[a](" * 15_000, "#" * 60_000, "\t" * 60_000, "a\n" * 30_000, "![](" * 15_000, "[^" * 30_000, "：" * 60_000]
HOSTILE += [
    "https://" * 7_000,
    "`" * 60_000,
    "a.a" * 20_000,
    "（a，" * 15_000,
    "-" + " " * 60_000 + "\n-",
    ">" * 60_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:4]))
def test_no_text_takes_long(text):
    start = time.process_time()
    structure_of(text)
    assert time.process_time() - start < 2


@given(st.text(alphabet=st.sampled_from("#-*|`[]().^!> \n\t:=1aB、。一二（）【】第章:h/"), max_size=120))
def test_any_text_has_a_structure(text):
    row = asdict(structure_of(text))
    assert all(value >= 0 or math.isnan(value) for value in row.values())
    assert all(value <= 1 for name, value in row.items() if name in SHARES and not math.isnan(value))
    assert row["table_rows"] == 0 or row["tables"] > 0
    assert row["heading_levels"] <= row["headings"]
    assert row == pytest.approx(asdict(structure_of(text + "\n")), nan_ok=True)
