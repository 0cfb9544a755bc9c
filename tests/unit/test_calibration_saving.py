"""Calibrators as files: they come back as they were, and hostile files are refused, quickly and without harm."""

import copy
import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeollm.calibration import (
    MODELS,
    NOBODY,
    CalibratorError,
    Settings,
    cases_for,
    fit,
    fit_models,
    from_opinions,
    load_calibrator,
)
from aeollm.calibration import save_calibrator as save
from tests.calibrated import decimals, made_answers, made_opinions

OPINIONS = made_opinions(20)
EXAMPLES = from_opinions(OPINIONS, made_answers(OPINIONS, {"评委": 0.5, "b|c": -0.5}), "Q0")
FITTED = fit_models(EXAMPLES, MODELS, Settings(members=2))
FILES = {name: save(calibrator) for name, calibrator in FITTED.items()}


@pytest.mark.parametrize("model", MODELS)
def test_a_saved_calibrator_comes_back_as_it_was(model):
    back = load_calibrator(FILES[model])
    assert save(back) == FILES[model]
    assert back.signed == FITTED[model].signed
    assert back.judges == FITTED[model].judges
    ours, theirs = FITTED[model].predict(EXAMPLES), back.predict(EXAMPLES)
    for name in ("expected", "probabilities", "low", "high", "known", "seen"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


def test_decimals_come_back_too():
    examples = decimals()
    calibrator = fit(examples, "ridge")
    back = load_calibrator(save(calibrator))
    assert np.array_equal(back.predict(examples).expected, calibrator.predict(examples).expected)
    assert not back.scale.exact


def test_a_file_is_plain_ascii_json():
    content = json.loads(FILES["ridge"].decode("ascii"))
    assert content["format"] == "aeollm-calibrator"
    assert content["judges"] == {"b|c": 20, "评委": 20}
    assert len(content["fitted"]["effects"]) == 3


def changed(model, path, value):
    content = json.loads(FILES[model])
    part = content
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return json.dumps(content).encode()


def wide(units):
    """Give a network that fits together, of one layer so wide that a text of 30 bytes would take megabytes."""
    inputs = len(json.loads(FILES["net"])["fitted"]["features"]["means"])
    shapes = ((inputs + 1, units), (units + 1, 1), (2, 4))
    shared = [np.zeros(shape, dtype=int).tolist() for shape in shapes]
    return changed("net", ["fitted", "members"], [{"shared": shared, "own": None}])


REFUSED = {
    "empty": b"",
    "not JSON": b"PK\x03\x04 a zip",
    "a pickle": b"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06system",
    "not UTF-8": b'{"format": "\xff\xfe"}',
    "a list": b"[]",
    "deep": b"[" * 200_000,
    "a number of many digits": b'{"format": ' + b"9" * 10_000 + b"}",
    "nothing in it": b"{}",
    "another format": changed("ridge", ["format"], "zip"),
    "another version": changed("ridge", ["version"], 2),
    "a version that is no number": changed("ridge", ["version"], "1"),
    "an unknown model": changed("ridge", ["model"], "os.system"),
    "a model that is a list": changed("ridge", ["model"], ["ridge"]),
    "a target that is null": changed("ridge", ["target"], None),
    "negative counts": changed("ridge", ["judges", "b|c"], -1),
    "counts of absurd size": changed("ridge", ["judges", "b|c"], 10**30),
    "judges that are not sorted": changed("ridge", ["judges"], {"z": 1, "a": 1}),
    "texts that repeat": changed("ridge", ["texts"], ["a", "a"]),
    "impossible settings": changed("ridge", ["settings", "members"], 0),
    "members by the million": changed("net", ["settings", "members"], 10**8),
    "values that fall": changed("ridge", ["scale", "values"], [4, 3, 2, 1]),
    "edges too few": changed("ridge", ["scale", "edges"], [1.5]),
    "no values": changed("ridge", ["scale", "values"], []),
    "an unknown kind": changed("ridge", ["fitted", "kind"], "pickle"),
    "a kind that is a list": changed("ridge", ["fitted", "kind"], []),
    "a ragged matrix": changed("ridge", ["fitted", "effects"], [[1.0], [1.0, 2.0], [0.0]]),
    "text in a matrix": changed("ridge", ["fitted", "shared"], ["1.0", "2.0", "3.0"]),
    "a long text among many short ones": changed("ridge", ["fitted", "shared"], ["x" * 1_000_000] + [""] * 1_000_000),
    "true for a number": changed("ridge", ["fitted", "shared"], [True, 1.0, 2.0]),
    "null in a matrix": changed("ridge", ["fitted", "shared"], [None, 1.0, 2.0]),
    "numbers of absurd size": changed("ridge", ["fitted", "shared"], [1e300, 1.0, 2.0]),
    "whole numbers beyond float64": changed("ridge", ["fitted", "shared"], [10**400, 1, 2]),
    "too few coefficients": changed("ridge", ["fitted", "shared"], [1.0]),
    "effects of a judge not seen": changed("ridge", ["fitted", "effects"], [[1.0], [1.0], [1.0]]),
    "effects of too few judges": changed("ridge", ["fitted", "effects"], [[1.0], [0.0]]),
    "means that do not fit": changed("ridge", ["fitted", "features", "means"], [1.0]),
    "negative shares": changed("ridge", ["fitted", "base"], [-1, 1, 1, 1]),
    "shares of nothing": changed("ridge", ["fitted", "base"], [0, 0, 0, 0]),
    "thresholds that fall": changed("ordinal", ["fitted", "thresholds"], [3.0, 2.0, 1.0]),
    "a network of nothing": changed("net", ["fitted", "members"], []),
    "a network's matrices that do not fit": changed("net", ["fitted", "members", 0, "shared"], [[[1.0]]] * 3),
    "a network's judges that do not fit": changed("net", ["fitted", "members", 0, "own"], [[[[1.0]]]] * 3),
    "a network of two matrices": changed("net", ["fitted", "members", 0, "shared"], [[[1.0]]] * 2),
    "a mix of nothing": changed("mix", ["fitted", "parts"], []),
    "a mix of thousands": changed("mix", ["fitted", "parts"], [{"kind": "raw"}] * 100_000),
    "a layer of thousands": wide(5_000),
    "a mix in a mix": changed("mix", ["fitted", "parts"], [{"kind": "mix", "parts": [{"kind": "raw"}]}]),
    "nan": FILES["ridge"].replace(b'"shared": [', b'"shared": [NaN, '),
    "infinity": FILES["ridge"].replace(b'"shared": [', b'"shared": [-Infinity, '),
    "huge": b" " * 30_000_001,
}


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED)
def test_hostile_files_are_refused(content):
    with pytest.raises(CalibratorError) as caught:
        load_calibrator(content, "their.json")
    assert str(caught.value).startswith("their.json: 1 problem")
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("model", ["ridge", "ordinal", "net", "mix"])
def test_truncated_files_are_refused(model):
    content = FILES[model]
    for length in np.linspace(0, len(content) - 1, 40).astype(int).tolist():
        with pytest.raises(CalibratorError):
            load_calibrator(content[:length])


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=10,
).map(lambda found: json.dumps(found).encode()))  # fmt: skip
def test_any_bytes_are_a_calibrator_or_an_error(content):
    with pytest.raises(CalibratorError):
        load_calibrator(content)


LEAVES = st.sampled_from([None, True, -1, 0, 1.5, 1e308, "", "raw", [], [[]], [[0.0]], {}, [1, 2, 3, 4]])


@settings(max_examples=150)
@given(st.data())
def test_any_field_replaced_gives_a_calibrator_or_an_error(data):
    content = copy.deepcopy(json.loads(FILES[data.draw(st.sampled_from(["ridge", "ordinal", "net", "mix"]))]))
    part = content
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = data.draw(st.sampled_from(keys))
        inner = part[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            part[key] = data.draw(LEAVES)
            break
        part = inner
    try:
        found = load_calibrator(json.dumps(content).encode())
    except CalibratorError:
        return
    try:
        predicted = found.predict(EXAMPLES)
    except ValueError as error:
        # Inputs of other names are the user's to give.
        assert type(error).__name__ == "UsageError"  # noqa: PT017
        return
    assert np.isfinite(predicted.expected).all()


def test_people_who_are_not_asked_for_take_no_room():
    """Laid out for all 20,000 people, 500 texts by 3 inputs would take 240 MB, and each layer several times that."""
    crowd = {f"j{number:05}": 1 for number in range(20_000)}
    content = json.loads(FILES["net"])
    content["judges"] = crowd
    for member in content["fitted"]["members"]:
        member["own"] = None
    calibrator = load_calibrator(json.dumps(content).encode())
    cases = cases_for(made_opinions(500), "Q0", NOBODY)
    tracemalloc.start()
    found = calibrator.predict(cases)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.isfinite(found.expected).all()
    assert most < 50_000_000
