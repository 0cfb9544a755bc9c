"""A calibrator as a plain JSON file, and back: whatever the bytes, a calibrator or an AeollmError.

The file is one object: ``format`` ("aeollm-calibrator"), ``version`` (1), ``model``, ``target``, ``settings``,
``scale`` {values, edges, exact}, ``judges`` {id: answers}, ``texts`` trained on, ``n_train``, ``digest``, and
``fitted``: an object with ``kind`` and that kind's numbers, matrices as lists of rows. Nothing in it is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from aeollm.calibration.calibrator import MODELS, Calibrator
from aeollm.calibration.examples import Floats
from aeollm.calibration.features import Features, Judges
from aeollm.calibration.linear import Linear
from aeollm.calibration.models import Argmax, LinearModel, Member, Mix, Model, NetworkModel, OrdinalModel, Raw, Weights
from aeollm.calibration.ordinal import Ordinal
from aeollm.calibration.plain import Plain, Unusable
from aeollm.calibration.scale import Scale, Tilt
from aeollm.calibration.settings import Settings
from aeollm.errors import AeollmError, Problem

FORMAT = "aeollm-calibrator"
VERSION = 1
MOST_BYTES = 30_000_000
_MOST_PARTS, _MOST_HIDDEN = 20, 1_000


class CalibratorError(AeollmError):
    """A file that holds no calibrator."""


def save_calibrator(calibrator: Calibrator) -> bytes:
    """Give the file: the same bytes for the same calibrator; numbers read back as they are."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "model": calibrator.model,
        "target": calibrator.target,
        "settings": asdict(calibrator.settings),
        "scale": {
            "values": calibrator.values.tolist(),
            "edges": calibrator.scale.edges.tolist(),
            "exact": calibrator.scale.exact,
        },
        "judges": dict(calibrator.judges),
        "texts": sorted(calibrator.trained_on),
        "n_train": calibrator.n_train,
        "digest": calibrator.digest,
        "fitted": _written(calibrator.fitted),
    }
    return json.dumps(content, ensure_ascii=True, allow_nan=False).encode("ascii")


def _written(model: Model) -> dict[str, object]:
    match model:
        case Raw():
            return {"kind": "raw"}
        case Argmax():
            return {"kind": "argmax"}
        case LinearModel(features, linear, tilt):
            return {
                "kind": "linear",
                "features": None if features is None else _features_written(features),
                "shared": linear.shared.tolist(),
                "effects": linear.effects.tolist(),
                "base": tilt.base.tolist(),
            }
        case OrdinalModel(features, ordinal):
            return {
                "kind": "ordinal",
                "features": _features_written(features),
                "thresholds": ordinal.thresholds.tolist(),
                "shared": ordinal.shared.tolist(),
                "effects": ordinal.effects.tolist(),
            }
        case NetworkModel(features, members):
            return {
                "kind": "network",
                "features": _features_written(features),
                "members": [
                    {
                        "shared": [part.tolist() for part in member.shared],
                        "own": None if member.own is None else [part.tolist() for part in member.own],
                    }
                    for member in members
                ],
            }
        case Mix(parts):
            return {"kind": "mix", "parts": [_written(part) for part in parts]}
    raise TypeError(f"not a model: {model!r}")


def _features_written(features: Features) -> dict[str, object]:
    return {
        "inputs": list(features.inputs),
        "kind": features.kind,
        "means": features.means.tolist(),
        "factors": features.factors.tolist(),
    }


def load_calibrator(content: bytes, name: str = "calibrator") -> Calibrator:
    """Read a saved calibrator. Nothing of the file is run, and no more memory is taken than its size warrants.

    Raises
    ------
    CalibratorError
        For anything else than a complete and consistent calibrator: the first thing that is wrong.
    """
    if len(content) > MOST_BYTES:
        raise _refused(name, f"The file has {len(content):,} bytes; a calibrator has at most {MOST_BYTES:,}.")
    try:
        return _read(Plain.parse(content))
    except Unusable as error:
        raise _refused(name, str(error)) from error


def _refused(name: str, message: str) -> CalibratorError:
    remedy = "Give a file that this tool saved, whole and unchanged; or fit again."
    return CalibratorError(name, [Problem("error", "not_a_calibrator", message, remedy)])


def _read(file: Plain) -> Calibrator:
    if file.text("format") != FORMAT:
        raise Unusable(f'The file does not say "format": "{FORMAT}".')
    if file.whole("version", 1) != VERSION:
        raise Unusable(f"The file is of another version than {VERSION}, the one that is read here.")
    scale = _scale(file.inner("scale"))
    counts = file.counts("judges")
    people = Judges(tuple(counts), tuple(counts.values()))
    if list(people.names) != sorted(people.names):
        raise Unusable("The judges are not sorted.")
    return Calibrator(
        model=file.one_of("model", MODELS),
        target=file.text("target"),
        settings=_settings(file.inner("settings")),
        scale=scale,
        people=people,
        trained_on=frozenset(file.texts("texts")),
        n_train=file.whole("n_train", 0),
        digest=file.text("digest"),
        fitted=_model(file.inner("fitted"), scale, len(people), nested=False),
    )


def _settings(part: Plain) -> Settings:
    try:
        return Settings(
            seed=part.whole("seed", 0),
            members=part.whole("members", 1),
            personal=part.flag("personal"),
            pretrain=part.flag("pretrain"),
            finetune=part.flag("finetune"),
            bins=part.whole("bins", 2),
        )
    except ValueError as error:
        raise Unusable(f"The settings are impossible: {error}.") from error


def _scale(part: Plain) -> Scale:
    values = part.numbers("values", (None,))
    edges = part.numbers("edges", (len(values) - 1,))
    between = bool((values[:-1] <= edges).all() and (edges <= values[1:]).all())
    if not len(values) or not between or not bool((np.diff(values) > 0).all()):
        raise Unusable("The values and the edges between them do not rise.")
    return Scale(values, edges, part.flag("exact"))


def _features(part: Plain) -> Features:
    inputs = part.texts("inputs")
    means = part.numbers("means", (None,))
    factors = part.numbers("factors", (len(means),))
    kind = part.one_of("kind", ("expected", "probabilities"))
    if not inputs or len(means) % len(inputs) or (kind == "expected" and len(means) != len(inputs)):
        raise Unusable("The inputs and their means do not fit each other.")
    return Features(inputs, "expected" if kind == "expected" else "probabilities", means, factors)


def _model(part: Plain, scale: Scale, judges: int, *, nested: bool) -> Model:
    kind = part.text("kind")
    if kind == "mix" and not nested:
        parts = part.several("parts")
        if not 0 < len(parts) <= _MOST_PARTS:
            raise Unusable(f"A mix has 1 to {_MOST_PARTS} parts.")
        return Mix(tuple(_model(one, scale, judges, nested=True) for one in parts))
    if kind not in _READERS:
        raise Unusable(f"There is no kind of model {kind!r} here.")
    return _READERS[kind](part, scale, judges)


def _linear(part: Plain, scale: Scale, judges: int) -> Model:
    features = _features(part.inner("features")) if part.given("features") else None
    width = 1 + (0 if features is None else len(features.means))
    base = part.numbers("base", (len(scale),))
    if not bool((base >= 0).all()) or not bool((base > 0).any()):
        raise Unusable("The base probabilities are not probabilities.")
    linear = Linear(part.numbers("shared", (width,)), _effects(part, judges, width))
    return LinearModel(features, linear, Tilt(scale.values, base))


def _ordinal(part: Plain, scale: Scale, judges: int) -> Model:
    features = _features(part.inner("features"))
    width = len(features.means)
    thresholds = part.numbers("thresholds", (len(scale) - 1,))
    if not bool((np.diff(thresholds) >= 0).all()):
        raise Unusable("The thresholds do not rise.")
    return OrdinalModel(
        features, Ordinal(thresholds, part.numbers("shared", (width,)), _effects(part, judges, 1 + width))
    )


def _effects(part: Plain, judges: int, width: int) -> Floats:
    """Read judges' effects; none, an intercept, or as many as there are shared coefficients."""
    effects = part.numbers("effects", (judges + 1, None))
    if effects.shape[1] not in (0, 1, width) or effects[-1].any():
        raise Unusable("The judges' effects do not fit the judges and the inputs.")
    return effects


def _network(part: Plain, scale: Scale, judges: int) -> Model:
    features = _features(part.inner("features"))
    members = tuple(_member(one, len(features.means), len(scale), judges) for one in part.several("members"))
    if not 0 < len(members) <= 100:
        raise Unusable("A network has 1 to 100 members.")
    return NetworkModel(features, members)


def _member(part: Plain, features: int, answers: int, judges: int) -> Member:
    first, second, third = part.matrices("shared", 3)
    hidden = (first.shape[-1], second.shape[-1])
    if max(hidden) > _MOST_HIDDEN:
        raise Unusable(f"A network's layers have at most {_MOST_HIDDEN:,} units.")
    shapes = ((features + 1, hidden[0]), (hidden[0] + 1, hidden[1]), (hidden[1] + 1, answers))
    shared = _fitting((first, second, third), shapes)
    if not part.given("own"):
        return Member(shared, None)
    return Member(shared, _fitting(part.matrices("own", 3), tuple((judges, *shape) for shape in shapes)))


def _fitting(found: tuple[Floats, ...], shapes: tuple[tuple[int, ...], ...]) -> Weights:
    first, second, third = found
    if tuple(one.shape for one in found) != shapes:
        raise Unusable("The network's matrices do not fit each other, the inputs, the answers and the judges.")
    return first, second, third


_READERS: dict[str, Callable[[Plain, Scale, int], Model]] = {
    "raw": lambda *_: Raw(),
    "argmax": lambda *_: Argmax(),
    "linear": _linear,
    "ordinal": _ordinal,
    "network": _network,
}
