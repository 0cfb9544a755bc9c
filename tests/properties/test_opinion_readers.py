"""The readers of opinions and answers are total, too; and what they read is what was written."""

import math

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aeollm.files import read_answers, read_opinions
from aeollm.tables import exchanged_hints, join
from tests.properties.test_readers import SOUP, check_problems, damaged, in_time

LONG = b"text_id\tcriterion\tanswer1_prob\tanswer2_prob\nT1\tQ0\t0.25\t0.5\nT2\tQ0\t1\t0\nT2\tQ1\t0.5\t0.5\n"
WIDE = b"text_id,Q0_p1,Q0_p2,Q1_p1,Q1_p2\nT1,.25,.5,,\nT2,1,0,.5,.5\n"
ANSWERED = b"text_id,annotator_id,Q0,Q1\nT1,a,1,2\nT2,b,2,0\nT2,b,1,\n"
LISTED = b"text_id\tjudge\tcriterion\tanswer\nT1\ta\tQ0\t1\nT1\ta\tQ0\t2\nT2\tb\tQ1\t0\n"
OPINIONS = read_opinions(LONG)
ANY = st.one_of(st.binary(max_size=300), SOUP, damaged(st.sampled_from([LONG, WIDE, ANSWERED, LISTED])))


@given(ANY)
@settings(max_examples=300)
@example(b"text_id,criterion,p1,p2\n" + b",".join([b"1"] * 4000))
@example(b"text_id,criterion,p1,p2\nT1,Q0,1e-400,1\n")
def test_any_bytes_give_opinions_or_an_error(content):
    found = in_time(read_opinions, content)
    if found is None:
        return
    check_problems(found.problems)
    shape = (len(found.texts), len(found.criteria), max(found.n_options))
    assert found.probabilities.shape == shape
    assert min(found.n_options) >= 2
    assert len(set(found.texts)) == shape[0]
    held = found.probabilities[~np.isnan(found.probabilities)]
    assert ((held >= 0) & (held <= 1 + 1e-6)).all()
    assert (np.nansum(found.probabilities, axis=2) <= 1 + 2e-6).all()


@given(ANY, st.booleans())
@settings(max_examples=300)
def test_any_bytes_give_answers_or_an_error(content, against):
    found = in_time(read_answers, content, OPINIONS if against else None)
    if found is None:
        return
    check_problems(found.problems)
    assert found.values.shape == (len(found.texts), len(found.criteria))
    assert ((found.values >= 0) & (found.values <= 10)).all()
    assert exchanged_hints(found, found) == []
    for target in found.criteria:
        joined = join(OPINIONS, found, target)
        assert len(joined.rows) + sum(drop.rows for drop in joined.dropped) == joined.total == len(found)
        check_problems(joined.problems())


NAMES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6, unique=True),
    st.integers(2, 10),
    st.integers(0, 2**32 - 1),
)
def test_opinions_are_read_as_they_were_written(keys, options, seed):
    rng = np.random.default_rng(seed)
    # The last option has mass, so that all exist; 1 - sum stays outside the options.
    written = rng.dirichlet(np.ones(options), len(keys)) * rng.uniform(0.5, 1, (len(keys), 1))
    rows = [
        f"{text}\t{about}\t" + "\t".join(map(repr, row))
        for (text, about), row in zip(keys, written.tolist(), strict=True)
    ]
    header = "text_id\tcriterion\t" + "\t".join(f"answer{k}_prob" for k in range(1, options + 1))
    found = read_opinions("\n".join([header, *rows]).encode())
    for (text, about), row in zip(keys, written.tolist(), strict=True):
        place = (found.texts.index(text), found.criteria.index(about))
        read = found.probabilities[place][: found.n_options[place[1]]].tolist()
        # What lies behind the last option with mass is 0 for all texts of a criterion.
        assert read == row[: len(read)]
        assert math.isclose(sum(row[len(read) :]), 0, abs_tol=0)
