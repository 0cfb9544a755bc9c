"""A saved comparison read back: nothing in it is trusted, and what is wrong is told by its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeollm.tables.names import MEASURES, OVERALL

Key = Callable[[str], str]

_PLAN = {"seed": int, "resamples": int, "interval": str, "correction": str, "alpha": float, "power": float}
_OPTIONAL = "headline_difference"
_LARGEST = 2**62
_SLACK = 1e-9


def comparison_of_json(content: object, tables: Mapping[str, type[Any]], key: Key) -> dict[str, Any]:
    """Take the fields of a comparison, its plan and its tables of figures each as a dictionary.

    Parameters
    ----------
    content : what a JSON reader gives.
    tables : the classes of the tables "runs", "pairs" and "families".
    key : how a view is named in JSON.
    """
    whole = _object(content, "the file")
    views, questions = _names(whole, "views"), _names(whole, "questions")
    if views[0] != OVERALL:
        raise ValueError(f"views: {OVERALL!r} needed first")
    runs = [_object(run, f"runs[{r}]") for r, run in enumerate(_list(whole, "runs", "the file"))]
    pairs = [_object(pair, f"pairs[{k}]") for k, pair in enumerate(_list(whole, "pairs", "the file"))]
    names = tuple(_of_type(run, "name", str, f"runs[{r}]") for r, run in enumerate(runs))
    if not runs or len(set(names)) < len(names):
        raise ValueError("runs: at least one needed, each with a name of its own")
    if len(pairs) != len(names) * (len(names) - 1) // 2:
        raise ValueError(f"pairs: all pairs of {len(names)} runs needed, not {len(pairs)}")
    keys = [key(view) for view in views]
    cells: dict[str, list[Any]] = {
        "runs": [_cells(run, keys, f"runs[{r}]") for r, run in enumerate(runs)],
        "pairs": [_cells(pair, keys, f"pairs[{k}]") for k, pair in enumerate(pairs)],
        "families": _cells(_object(whole.get("families"), "families"), keys, "families"),
    }
    shapes: dict[str, tuple[int, ...]] = {"runs": (len(runs),), "pairs": (len(pairs),), "families": ()}
    columns = (len(views), len(MEASURES))
    return {
        "signature": _of_type(whole, "signature", str, "the file"),
        "plan": {name: _of_type(whole, name, kind, "the file") for name, kind in _PLAN.items()},
        "names": names,
        "signatures": tuple(_of_type(run, "signature", str, f"runs[{r}]") for r, run in enumerate(runs)),
        "views": views,
        "questions": questions,
        "values": _values(cells["runs"], (len(runs), *columns, len(questions))),
        "demo": _of_type(whole, "demo", bool, "the file"),
        **{name: _figures(cells[name], tables[name], (*shapes[name], *columns), name) for name in tables},
    }


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: an object needed")
    return value


def _list(holder: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = holder.get(name)
    if not isinstance(value, list):
        raise ValueError(f"{where}: a list {name!r} needed")
    return value


def _names(whole: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _list(whole, name, "the file")
    if not all(isinstance(value, str) for value in values) or len(set(values)) < len(values) or not values:
        raise ValueError(f"{name}: different texts needed")
    return tuple(values)


def _of_type(holder: Mapping[str, Any], name: str, kind: type, where: str) -> Any:  # noqa: ANN401  of that type
    value = holder.get(name)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) < _LARGEST else math.inf
    # True is an int to Python, not to JSON.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{where}: {name!r} as {kind.__name__} needed")
    return value


def _cells(holder: Mapping[str, Any], keys: Sequence[str], where: str) -> list[list[dict[str, Any]]]:
    """Give the cells of every view and measure."""
    return [
        [
            _object(_object(holder.get(view), f"{where}.{view}").get(measure), f"{where}.{view}.{measure}")
            for measure in MEASURES
        ]
        for view in keys
    ]


def _flat(cells: Sequence[Any], depth: int) -> list[dict[str, Any]]:
    flat = list(cells)
    for _ in range(depth - 1):
        flat = [cell for row in flat for cell in row]
    return flat


def _figures(cells: Sequence[Any], table: type[Any], shape: tuple[int, ...], where: str) -> dict[str, NDArray[Any]]:
    flat = _flat(cells, len(shape))
    figures: dict[str, NDArray[Any]] = {}
    for field in fields(table):
        # Annotations are texts here: "Floats", "Ints", "Bools".
        read = {"Floats": _float, "Ints": _int, "Bools": _bool}[str(field.type)]
        column = []
        for cell in flat:
            if field.name not in cell and field.name != _OPTIONAL:
                raise ValueError(f"{where}: a cell without {field.name!r}")
            column.append(read(cell.get(field.name), f"{where}: {field.name}"))
        kind = {_float: np.float64, _int: np.int64, _bool: np.bool_}[read]
        figures[field.name] = np.array(column, dtype=kind).reshape(shape)
    return figures


def _values(cells: Sequence[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Give the values per question, which lie in [-1, 1] for every measure."""
    rows = [_list(cell, "values", "runs") for cell in _flat(cells, len(shape) - 1)]
    if any(len(row) != shape[-1] for row in rows):
        raise ValueError(f"runs: {shape[-1]} values a view and measure needed, one a question")
    values = [_float(value, "runs: values") for row in rows for value in row]
    array = np.array(values, dtype=np.float64).reshape(shape)
    if bool((np.abs(array) > 1 + _SLACK).any()):
        raise ValueError("runs: values outside -1 to 1")
    return array


def _float(value: object, where: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise ValueError(f"{where}: a finite number or null needed")
    return float(value)


def _int(value: object, where: str) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise ValueError(f"{where}: a count or null needed")
    return value


def _bool(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{where}: true or false needed")
    return value
