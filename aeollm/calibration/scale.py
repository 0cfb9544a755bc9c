"""The answers that a model gives probabilities for: the options of a rubric question, or bins of decimals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

MOST_BINS = 10
_CURVATURES = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""In units of one over the variance of the answers."""
_STEPS = 60


@dataclass(frozen=True, eq=False)
class Scale:
    """Ordered answers: ``values``, shape (K,), and the ``edges`` between them, shape (K - 1,).

    ``exact`` says that answers are one of the values (options), rather than anywhere between edges (bins).
    """

    values: Floats
    edges: Floats
    exact: bool

    def __len__(self) -> int:
        """Count the answers."""
        return len(self.values)

    def classes(self, answers: Floats) -> Ints:
        """Give the place of every answer, -1 where it is nan."""
        places = np.searchsorted(self.edges, answers, side="right")
        return np.where(np.isnan(answers), -1, places).astype(np.intp)

    def clipped(self, means: Floats) -> Floats:
        """Bring predictions of options between the first and the last; leave those of decimals."""
        return np.clip(means, self.values[0], self.values[-1]) if self.exact else means


def scale_of(answers: Floats, options: int, bins: int = MOST_BINS) -> Scale:
    """Make the scale of one target: its options, or bins of as many training answers each.

    A bin stands for the mean of its answers; with no more distinct decimals than bins each is a bin of its own.
    """
    if options:
        values = np.arange(1.0, options + 1)
        return Scale(values, values[:-1] + 0.5, exact=True)
    known = np.sort(answers[~np.isnan(answers)])
    distinct = np.unique(known)
    if len(distinct) <= bins:
        return Scale(distinct, (distinct[:-1] + distinct[1:]) / 2, exact=False)
    edges = np.unique(np.quantile(known, np.arange(1, bins) / bins, method="inverted_cdf"))
    edges = edges[edges > known[0]]
    places = np.searchsorted(edges, known, side="right")
    counts = np.bincount(places, minlength=len(edges) + 1)
    return Scale(np.bincount(places, weights=known, minlength=len(counts)) / counts, edges, exact=False)


def shares(classes: Ints, n_values: int) -> Floats:
    """Give every answer's share of the training answers, half an answer added to each so that none is impossible."""
    counts = np.bincount(classes[classes >= 0], minlength=n_values) + 0.5
    return np.asarray(counts / counts.sum())


@dataclass(frozen=True, eq=False)
class Tilt:
    """Turns a predicted mean into probabilities: ``base`` of every answer, tilted until the mean is the predicted one.

    Probabilities are proportional to ``base * exp(t * value)``, the member of that family with the wanted mean; of
    all distributions with that mean it is the one nearest to the base (in Kullback and Leibler's sense).
    """

    values: Floats
    base: Floats

    def probabilities(self, means: Floats) -> Floats:
        """Give probabilities, shape (n, K), whose means are the given ones, brought inside the first and last value."""
        if len(self.values) == 1:
            return np.ones((len(means), 1))
        centre, width = (self.values[0] + self.values[-1]) / 2, (self.values[-1] - self.values[0]) / 2
        places = (self.values - centre) / width
        wanted = np.clip((means - centre) / width, -0.99, 0.99)
        low, high = np.full(len(means), -800.0), np.full(len(means), 800.0)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            below = self._at(middle, places) @ places < wanted
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return self._at((low + high) / 2, places)

    def _at(self, tilts: Floats, places: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logits = np.log(self.base) + tilts[:, None] * places
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def tilt_of(values: Floats, marginal: Floats, means: Floats, classes: Ints) -> Tilt:
    """Choose how narrow the base is by the likelihood of answers given predictions that did not see them.

    The base is the answers' shares in training times ``exp(-c * value**2)``; ``c`` is the best of a short list.
    """
    seen = classes >= 0
    spread = float(np.sum(marginal * (values - marginal @ values) ** 2)) or 1.0
    centred = values - marginal @ values
    best, chosen = -np.inf, Tilt(values, marginal)
    for curvature in _CURVATURES:
        base = marginal * np.exp(-curvature / spread * centred**2)
        tilt = Tilt(values, base / base.sum())
        found = tilt.probabilities(means[seen])[np.arange(int(seen.sum())), classes[seen]]
        total = float(np.log(np.maximum(found, 1e-12)).sum())
        if total > best:
            best, chosen = total, tilt
    return chosen
