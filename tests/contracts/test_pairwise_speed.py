"""All questions and dimensions of a formal run are fitted together in well under a second."""

import time

import numpy as np

from aeollm.aggregation.pairwise import comparisons_of, fit_davidson
from aeollm.tables.judgments import Judgments

QUESTIONS, ANSWERS, DIMENSIONS = 20, 16, 4


def test_davidson_of_a_formal_run():
    rng = np.random.default_rng(0)
    shape = (QUESTIONS, DIMENSIONS, ANSWERS)
    truth, lead = rng.normal(size=shape), rng.logistic(size=(*shape, ANSWERS))
    lead += 0.3 + truth[..., :, None] - truth[..., None, :]
    winners = np.where(np.abs(lead) < 0.4, "tie", np.where(lead > 0, "left", "right"))
    places = [place for place in np.ndindex(lead.shape) if place[2] != place[3]]
    rows = [(*map(str, place), str(winners[place])) for place in places]
    judgments = Judgments.of(rows)
    # 20 x 120 pairs x 4 dimensions x 2 orders.
    assert len(judgments) == 19_200
    start = time.process_time()
    strengths = fit_davidson(comparisons_of(judgments), ridge=0.1)
    assert time.process_time() - start < 1
    # And they are strengths: near the truth, question by question.
    found = np.array([
        [[strengths.of(str(q), str(d))[str(i)] for i in range(ANSWERS)] for d in range(DIMENSIONS)]
        for q in range(QUESTIONS)
    ])  # fmt: skip
    assert np.corrcoef(found.ravel(), (truth - truth.mean(axis=-1, keepdims=True)).ravel())[0, 1] > 0.9
