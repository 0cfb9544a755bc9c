"""Two vectors of scores in, numbers out: Spearman, Kendall tau-b, pairwise accuracy, pair counts.

Every function works along the last axis, so that one call serves one question or a batch of them.
Comparisons are `<` and `>` on the values given: hand in integers to compare decimals exactly.
Source: AEOLLM-2 overview, section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Keys = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = 32


class PairCounts(NamedTuple):
    """How the pairs of answers fall, each an integer array with one number a vector.

    ``tied_run`` counts pairs tied in the run only, ``tied_labels`` in the labels only.
    """

    concordant: Ints
    discordant: Ints
    tied_run: Ints
    tied_labels: Ints
    tied_both: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The order of a batch of vectors, shape ``(..., n)``, of which the first ``sizes`` entries count.

    ``dense`` numbers the groups of equal values from 0; ``centred`` is twice the average rank minus
    ``size + 1`` (an integer, sum zero); entries past the size are padding and stand last.
    """

    order: NDArray[np.intp]
    dense: Ints
    centred: Ints
    sizes: Ints
    tied_pairs: Ints


def rank(keys: Keys, sizes: Ints | None = None) -> Ranking:
    """Rank a batch of vectors along the last axis; ties share the average rank.

    Parameters
    ----------
    keys : array, shape (..., n)
        Numbers that compare with ``<``; no nan.
    sizes : int array, shape (...), optional
        How many leading entries of each vector count; all by default.
    """
    n = keys.shape[-1]
    position = np.arange(n)
    batch = keys.shape[:-1]
    sizes = np.full(batch, n, dtype=np.int64) if sizes is None else np.asarray(sizes, dtype=np.int64)
    if not keys.size:
        empty = np.zeros(keys.shape, dtype=np.int64)
        return Ranking(empty, empty, empty, sizes, np.zeros(batch, dtype=np.int64))
    rows, padding = keys.reshape(-1, n), None
    if (sizes < n).any():
        # A stable sort keeps padding last when it equals the largest value.
        padding = position >= sizes.reshape(-1, 1)
        rows = np.where(padding, rows.max(axis=-1, keepdims=True), rows)
    order = np.argsort(rows, axis=-1, kind="stable")
    places = order + n * np.arange(len(rows))[:, None]
    ordered = rows.reshape(-1)[places]
    groups = _groups(_starts(ordered[:, 1:] != ordered[:, :-1], padding), position)
    centred = groups.start + groups.end - (sizes.reshape(-1, 1) - 1)
    if padding is not None:
        centred = np.where(padding, 0, centred)
    tied_pairs = (position - groups.start).sum(axis=-1).reshape(batch)
    dense, centred = _scatter(groups.number, places), _scatter(centred, places)
    return Ranking(order.reshape(keys.shape), dense.reshape(keys.shape), centred.reshape(keys.shape), sizes, tied_pairs)


def _starts(changed: NDArray[np.bool_], padding: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Mark where a group of equal values begins; every padding entry is a group of its own."""
    first = np.ones((*changed.shape[:-1], changed.shape[-1] + 1), dtype=bool)
    first[..., 1:] = changed
    return first if padding is None else first | padding


class _Groups(NamedTuple):
    """For every entry of sorted rows, its group of equal values: first place, last place, number."""

    start: Ints
    end: Ints
    number: Ints


def _groups(first: NDArray[np.bool_], position: Ints) -> _Groups:
    """Find the groups from their first entries; only rows with ties need more than the places."""
    n = first.shape[-1]
    groups = _Groups(*(np.repeat(position[None], len(first), axis=0) for _ in range(3)))
    tied = np.flatnonzero(~first.all(axis=-1))
    if len(tied):
        first = first[tied]
        last = np.ones_like(first)
        last[:, :-1] = first[:, 1:]
        groups.start[tied] = np.maximum.accumulate(np.where(first, position, 0), axis=-1)
        groups.end[tied] = np.minimum.accumulate(np.where(last, position, n)[:, ::-1], axis=-1)[:, ::-1]
        groups.number[tied] = np.cumsum(first, axis=-1) - 1
    return groups


def _scatter(ordered: Ints, places: Ints) -> Ints:
    scattered = np.empty(places.shape, dtype=np.int64)
    scattered.reshape(-1)[places] = ordered
    return scattered


def compare(run: Ranking, labels: Ranking) -> PairCounts:
    """Count the pairs of two batches of ranked vectors; shapes broadcast."""
    n = run.dense.shape[-1]
    joint = run.dense * max(n, 1) + labels.dense
    if n * n < 2**31:
        joint = joint.astype(np.int32)
    joint.sort(axis=-1)
    both = _tied_pairs(joint)
    discordant = _inversions(joint % max(n, 1))
    pairs = run.sizes * (run.sizes - 1) // 2
    tied_run, tied_labels = run.tied_pairs - both, labels.tied_pairs - both
    return PairCounts(pairs - discordant - tied_run - tied_labels - both, discordant, tied_run, tied_labels, both)


def _tied_pairs(ordered: Keys) -> Ints:
    """Count equal pairs in sorted vectors: each entry is tied with those since its group began."""
    same = ordered[..., 1:] == ordered[..., :-1]
    if not same.any():
        return np.zeros(ordered.shape[:-1], dtype=np.int64)
    position = np.arange(ordered.shape[-1])
    start = np.maximum.accumulate(np.where(_starts(~same, None), position, 0), axis=-1)
    return np.asarray((position - start).sum(axis=-1))


def _inversions(values: Keys) -> Ints:
    """Count pairs that stand in falling order, in O(n log n) for long vectors.

    Blocks of 32 are compared entry by entry (fastest for the usual 16 answers); longer vectors
    are merged upwards, each right half looked up in its sorted left half.
    """
    *batch, n = values.shape
    if n <= _BLOCK:
        return _inversions_short(values.astype(np.int8))
    blocks = 1 << (-(-n // _BLOCK) - 1).bit_length()
    width = _BLOCK * blocks
    rows = values.reshape(-1, n).astype(np.int64)
    # Padding larger than all entries, at the end, stands in no falling pair.
    padded = np.full((len(rows), width), n, dtype=np.int64)
    padded[:, :n] = rows
    parts = padded.reshape(-1, _BLOCK)
    counts = _inversions_short(parts).reshape(len(rows), -1).sum(axis=1)
    parts = np.sort(parts, axis=-1)
    while parts.shape[-1] < width:
        counts += _merge_inversions(parts, n).reshape(len(rows), -1).sum(axis=1)
        parts = np.sort(parts.reshape(-1, 2 * parts.shape[-1]), axis=-1)
    return np.asarray(counts.reshape(batch))


def _inversions_short(values: Keys) -> Ints:
    # Entries first: each comparison then runs over one long row.
    columns = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    behind = np.zeros(columns.shape, dtype=np.uint8)
    for shift in range(1, len(columns)):
        behind[shift:] += columns[:-shift] > columns[shift:]
    return np.asarray(behind.sum(axis=0, dtype=np.int64))


def _merge_inversions(parts: Ints, n: int) -> Ints:
    """Count, for each neighbouring pair of sorted blocks, entries left that exceed entries right."""
    left, right = parts[0::2], parts[1::2]
    width = left.shape[-1]
    offset = (np.arange(len(left)) * (n + 1))[:, None]
    at_most = np.searchsorted((left + offset).ravel(), (right + offset).ravel(), side="right").reshape(right.shape)
    at_most -= (np.arange(len(left)) * width)[:, None]
    return np.asarray((width - at_most).sum(axis=-1))


def spearman_of(run: Ranking, labels: Ranking) -> Floats:
    """Give Spearman's rho of ranked vectors; nan where either is constant or too short."""
    product = np.asarray((run.centred * labels.centred).sum(axis=-1), dtype=np.float64)
    return _ratio(product, _squares(run) * _squares(labels))


def _squares(ranking: Ranking) -> Floats:
    return np.asarray((ranking.centred * ranking.centred).sum(axis=-1), dtype=np.float64)


def kendall_of(counts: PairCounts) -> Floats:
    """Give tau-b from pair counts; nan where either side has no untied pair."""
    untied = np.asarray(counts.concordant + counts.discordant, dtype=np.float64)
    product = (untied + counts.tied_run) * (untied + counts.tied_labels)
    return _ratio(np.asarray(counts.concordant - counts.discordant, dtype=np.float64), product)


def accuracy_of(counts: PairCounts) -> Floats:
    """Give the share of pairs whose order agrees, ties included; nan without a pair."""
    pairs = np.asarray(sum(counts), dtype=np.float64)
    agreeing = np.asarray(counts.concordant + counts.tied_both, dtype=np.float64)
    return np.asarray(np.divide(agreeing, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0))


def _ratio(numerator: Floats, product: Floats) -> Floats:
    out = np.full(np.broadcast_shapes(numerator.shape, product.shape), np.nan)
    return np.asarray(np.divide(numerator, np.sqrt(product), out=out, where=product > 0))


def spearman(x: ArrayLike, y: ArrayLike) -> Floats:
    """Spearman's rank correlation: Pearson's on average ranks.

    Undefined (nan) where either vector is constant or has fewer than two entries.

    Parameters
    ----------
    x, y : array_like, shape (..., n)
        Scores of the same answers; shapes broadcast.

    Returns
    -------
    array, shape (...)
        In [-1, 1]; higher is better.

    Raises
    ------
    ValueError
        If the last axes differ or a value is nan.

    Examples
    --------
    >>> float(spearman([8, 7.5, 7, 7], [8.5, 7, 7, 5.5])).__round__(4)
    0.8333
    """
    run, labels = _ranked(x, y)
    return spearman_of(run, labels)


def kendall(x: ArrayLike, y: ArrayLike) -> Floats:
    """Kendall's tau-b, ``(C - D) / sqrt((C + D + T)(C + D + U))``.

    Undefined (nan) where either vector is constant or has fewer than two entries. Parameters and
    errors as for `spearman`.

    >>> float(kendall([8, 7.5, 7, 7], [8.5, 7, 7, 5.5]))
    0.8
    """
    run, labels = _ranked(x, y)
    return kendall_of(compare(run, labels))


def pairwise_accuracy(x: ArrayLike, y: ArrayLike) -> Floats:
    """Share of answer pairs that both vectors order alike; a tie agrees only with a tie.

    Undefined (nan) only with fewer than two entries. Parameters and errors as for `spearman`.

    >>> float(pairwise_accuracy([1, 2, 2], [1, 1, 2])).__round__(4)
    0.3333
    """
    run, labels = _ranked(x, y)
    return accuracy_of(compare(run, labels))


def pair_counts(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """Count concordant, discordant and tied pairs; ``x`` is the run, ``y`` the labels.

    Parameters and errors as for `spearman`.
    """
    run, labels = _ranked(x, y)
    return compare(run, labels)


def _ranked(x: ArrayLike, y: ArrayLike) -> tuple[Ranking, Ranking]:
    first, second = np.asarray(x), np.asarray(y)
    if first.ndim == 0 or second.ndim == 0 or first.shape[-1] != second.shape[-1]:
        raise ValueError(f"vectors of one length needed, not shapes {first.shape} and {second.shape}")
    for side in (first, second):
        if side.dtype.kind not in "biuf":
            raise ValueError(f"numbers needed, not {side.dtype}")
        if side.dtype.kind == "f" and bool(np.isnan(side).any()):
            raise ValueError("nan cannot be ranked: leave such answers out")
    return rank(first), rank(second)
