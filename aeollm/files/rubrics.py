"""Rubric files ``criterion<questionId>.json``: dimension weights, prompts and criteria."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aeollm.decimals import Decimal, parse_decimal
from aeollm.errors import Problem, RubricsError, printable
from aeollm.files.decoding import Unreadable, decode
from aeollm.tables import DIMENSIONS, Criterion, Labels, Rubrics

RUBRIC_NAME = re.compile(r"criteri(?:on|a)(.+)\.json")
_TOLERANCE = 0.01
_ROUNDING = 1e-9


class _Written(str):
    """A JSON number as it was written."""

    __slots__ = ()


class _RepeatedKey(ValueError):
    pass


def read_rubrics(source: str | Path | Mapping[str, bytes], labels: Labels | None = None) -> Rubrics:
    """Read the rubric files of a folder (or contents by file name).

    Parameters
    ----------
    source : the folder, or a mapping from file name to bytes.
    labels : the labels they belong to, which fix questions and dimensions; without it every file is
        read, with the AEOLLM dimensions.

    Raises
    ------
    RubricsError
        With every problem, each naming file and key.
    """
    reader = _Reader(labels.run_dimensions if labels is not None else DIMENSIONS)
    name = "rubrics" if isinstance(source, Mapping) else str(source)
    try:
        files = _files(source) if isinstance(source, str | Path) else dict(source)
    except OSError as error:
        message = f"the folder cannot be read: {error.strerror}."
        raise RubricsError(name, [Problem("error", "unreadable_file", message, "Check the path.")]) from None
    chosen = reader.choose(files, None if labels is None else labels.question_order)
    for question, file in chosen.items():
        reader.read(question, file, files[file])
    if any(problem.severity == "error" for problem in reader.problems):
        raise RubricsError(name, reader.problems)
    digest = hashlib.sha256()
    for file in sorted(chosen.values()):
        digest.update(f"{file}\0{hashlib.sha256(files[file]).hexdigest()}\n".encode())
    return Rubrics(digest.hexdigest(), reader.weights, reader.prompts, reader.criteria, tuple(reader.problems))


def _files(folder: str | Path) -> dict[str, bytes]:
    paths = sorted(path for path in Path(folder).iterdir() if RUBRIC_NAME.fullmatch(path.name))
    return {path.name: path.read_bytes() for path in paths}


@dataclass
class _Reader:
    dimensions: tuple[str, ...]
    problems: list[Problem] = field(default_factory=list)
    weights: dict[str, dict[str, Decimal]] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    criteria: dict[str, dict[str, list[Criterion]]] = field(default_factory=dict)
    _file: str = ""
    _question: str = ""

    def choose(self, files: Mapping[str, bytes], questions: Sequence[str] | None) -> dict[str, str]:
        """Map each question to its file; a question without one, or with two, is an error."""
        chosen: dict[str, str] = {}
        labelled = None if questions is None else set(questions)
        for file in files:
            match = RUBRIC_NAME.fullmatch(file)
            if match is None or (labelled is not None and match[1] not in labelled):
                continue
            if match[1] in chosen:
                self._file, self._question = file, match[1]
                self._error("duplicate_rubric", None, f"and {chosen[match[1]]} are for one question.", "Keep one.")
            chosen[match[1]] = file
        for question in questions if questions is not None else ():
            if question not in chosen:
                self._file, self._question = f"criterion{question}.json", question
                self._error("missing_rubric", None, f"is missing for question {printable(question)}.", "Add it.")
        if questions is None and not chosen:
            self._file = "criterion<questionId>.json"
            self._error("missing_rubric", None, "is not in the folder, for no question.", "Check the folder.")
        return chosen if questions is None else {q: chosen[q] for q in questions if q in chosen}

    def read(self, question: str, file: str, content: bytes) -> None:
        """Read one file into weights, prompt and criteria."""
        self._file, self._question = file, question
        rubric = self._parse(content)
        if not isinstance(rubric, dict):
            return
        number = rubric.get("id")
        if not isinstance(number, str) or number != question:
            shown = number if isinstance(number, str) else _shown(number)
            told = f"has id {printable(shown)}, unlike its file name."
            self._error("rubric_id", "id", told, f"Write {printable(question)}, or rename the file.", shown)
        prompt = rubric.get("prompt")
        if not isinstance(prompt, str):
            self._error("missing_key", "prompt", "has no text under prompt.", "Add the question's text.")
        self.prompts[question] = prompt if isinstance(prompt, str) else ""
        weights = self._dimension_map(rubric, "dimension_weight")
        self.weights[question] = self._weights(weights, "dimension_weight")
        criteria = self._dimension_map(rubric, "criterions")
        self.criteria[question] = {name: self._criteria(name, listed) for name, listed in criteria.items()}

    def _parse(self, content: bytes) -> object:
        try:
            text = content.decode("utf-8-sig")
            if not text.lstrip().startswith(("{", "[")):
                # Says what else it is: empty, an HTML page, a Git LFS pointer.
                decode(content)
            rubric = json.loads(
                text, parse_float=_Written, parse_int=_Written, parse_constant=_Written, object_pairs_hook=_object
            )
        except Unreadable as unreadable:
            problem = unreadable.problem
            self._error(problem.kind, None, f"is not JSON: {problem.message}", problem.remedy)
        except _RepeatedKey as error:
            self._error("repeated_key", str(error), f"has the key {printable(str(error))} twice.", "Keep one.")
        except json.JSONDecodeError as error:
            self._error("json", None, f"is no JSON from line {error.lineno} on ({error.msg}).", "Mend it there.")
        except (UnicodeDecodeError, RecursionError) as error:
            self._error("json", None, f"cannot be read as JSON ({type(error).__name__}).", "Save it as UTF-8 JSON.")
        else:
            if not isinstance(rubric, dict):
                self._error("json", None, "holds no JSON object.", "Write an object with id, dimension_weight, …")
            return rubric
        return None

    def _dimension_map(self, rubric: dict[str, Any], key: str) -> dict[str, Any]:
        """Take a map by dimension, checked to have just the label set's."""
        found = rubric.get(key)
        if not isinstance(found, dict):
            self._error("missing_key", key, f"has no object under {key}.", "Add it, with the dimensions as keys.")
            return {}
        for name in found:
            if name not in self.dimensions:
                remedy = f"The labels have {', '.join(self.dimensions)}."
                told = f"names the unknown dimension {printable(name)} under {key}."
                self._error("unknown_dimension", f"{key}.{name}", told, remedy)
        for name in self.dimensions:
            if name not in found:
                self._error("missing_dimension", f"{key}.{name}", f"has no {name} under {key}.", "Add it.")
        return {name: found[name] for name in self.dimensions if name in found}

    def _weights(self, found: Mapping[str, Any], key: str) -> dict[str, Decimal]:
        read = {name: self._weight(value, f"{key}.{name}") for name, value in found.items()}
        weights = {name: weight for name, weight in read.items() if weight is not None}
        if len(weights) == len(read) > 0:
            self._check_sum([float(weight) for weight in weights.values()], key)
        return weights

    def _weight(self, value: object, key: str) -> Decimal | None:
        if not isinstance(value, _Written):
            shown = _shown(value)
            told = f"has {printable(shown)} under {key}, which is no number."
            self._error("not_a_number", key, told, "Write a JSON number, without quotation marks.", shown)
            return None
        weight = parse_decimal(value)
        if isinstance(weight, str):
            kind = "non_finite" if value.lstrip("-") in {"NaN", "Infinity"} else weight
            self._error(kind, key, f"has the weight {printable(value)} under {key}.", "Write a decimal.", value)
            return None
        if weight.units < 0:
            self._error("negative_weight", key, f"has the negative weight {value} under {key}.", "Use >= 0.", value)
            return None
        return weight

    def _check_sum(self, weights: list[float], key: str) -> None:
        total = math.fsum(weights)
        if total == 0:
            self._error("zero_weights", key, f"has only zero weights under {key}.", "Give at least one a weight.")
        elif abs(total - 1) > _TOLERANCE + _ROUNDING:
            told = f"has weights that sum to {total:.12g} under {key}; they were divided by their sum."
            problem = self._problem("weight_sum", key, told, "Check them.", f"{total:.12g}")
            self.problems.append(replace(problem, severity="warning"))

    def _criteria(self, dimension: str, listed: object) -> list[Criterion]:
        key = f"criterions.{dimension}"
        if not isinstance(listed, list) or not listed:
            self._error("no_criteria", key, f"has no criteria for {dimension}.", "List at least one.")
            return []
        criteria = [self._criterion(entry, f"{key}[{place}]") for place, entry in enumerate(listed)]
        read = [criterion for criterion in criteria if criterion is not None]
        if len(read) == len(criteria):
            self._check_sum([float(criterion.weight) for criterion in read], key)
        return read

    def _criterion(self, entry: object, key: str) -> Criterion | None:
        if not isinstance(entry, dict) or not isinstance(entry.get("criterion"), str):
            self._error("missing_key", key, f"has no text `criterion` under {key}.", "Write criterion, weight, …")
            return None
        weight = self._weight(entry.get("weight"), f"{key}.weight")
        explanation = entry.get("explanation")
        text = explanation if isinstance(explanation, str) else ""
        return None if weight is None else Criterion(entry["criterion"], text, weight)

    def _error(self, kind: str, key: str | None, told: str, remedy: str, value: str | None = None) -> None:
        self.problems.append(self._problem(kind, key, told, remedy, value))

    def _problem(self, kind: str, key: str | None, told: str, remedy: str, value: str | None) -> Problem:
        message = f"{printable(self._file, 100)} {told}"
        return Problem("error", kind, message, remedy, column=key, value=value, question=self._question or None)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKey(key)
        found[key] = value
    return found


def _shown(value: object) -> str:
    """Write a JSON value; a list or object, which may be deep, by its kind."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value, ensure_ascii=False)
