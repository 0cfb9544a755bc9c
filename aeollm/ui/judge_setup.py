"""What is chosen in the Judge tab, made into a task; whatever a browser sends is checked here."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from aeollm.errors import AeollmError, Problem, UsageError, printable
from aeollm.judging import Budget, Limits, Price
from aeollm.judging.asking import Endpoint
from aeollm.judging.reports import Reports
from aeollm.methods import Judge, Method, Task, bundled_recipes, material_of, read_method, trial_of
from aeollm.sources import DEMO, LabelSet
from aeollm.tables import Policy
from aeollm.ui.judge_access import Access, wrong_model, wrong_place, wrong_provider
from aeollm.ui.judge_recipes import Chosen, refuse_missing_prompts

ADDRESS, PROVIDER = "address", "provider"
TRIAL = 3
"""Reports of a trial; a recipe that learns takes some more."""
_LONGEST = 500
_UNNAMED = "judge"
N = TypeVar("N", int, float)
"""Stands for a model that is not named yet, in an estimate."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the tab's fields hold, in their order; of any type, since a browser sends them."""

    recipe: Any = "holistic"
    models: Any = ""
    where: Any = ADDRESS
    base_url: Any = ""
    provider: Any = "auto"
    partial: Any = False
    concurrency: Any = 4
    attempts: Any = 3
    temperature: Any = 0
    seed: Any = 0
    timeout: Any = 600
    price_in: Any = 0
    price_out: Any = 0
    most_calls: Any = 0
    most_money: Any = 0

    @property
    def price(self) -> Price:
        """Give the price of a million tokens.

        Raises
        ------
        UsageError
            If it is none.
        """
        tokens_in, tokens_out = (_number("price", own, (0, 1e6)) or 0.0 for own in (self.price_in, self.price_out))
        return Price(tokens_in, tokens_out)

    @property
    def limits(self) -> Limits:
        """Give how many calls at a time, how patiently, and at what cost; no limit where 0 is named.

        Raises
        ------
        UsageError
            If a field holds something else.
        """
        calls, money = _whole("most calls", self.most_calls, (0, 1e9)), _number("budget", self.most_money, (0, 1e9))
        if money and self.price == Price():
            raise _wrong("budget", "a budget needs a price.", "Give the price of a million tokens.")
        return Limits(
            concurrency=_needed("at a time", _whole("at a time", self.concurrency, (1, 64))),
            attempts=_needed("attempts", _whole("attempts", self.attempts, (1, 10))),
            budget=Budget(calls or None, None, money or None, self.price),
        )

    @property
    def seconds(self) -> float:
        """Give how long a call may take."""
        return _needed("seconds", _number("seconds", self.timeout, (1, 36_000)))


@dataclass(frozen=True)
class Setup:
    """Everything that a task is made of besides the fields: reports, labels and their name, own recipes, access."""

    access: Access
    reports: Reports
    label_set: LabelSet
    recipes: Mapping[str, Chosen]
    demo: bool = False
    labels: str = DEMO

    def task(self, wanted: Wanted, *, named: bool = True) -> Task:
        """Make the task; without ``named`` models and addresses need not be there yet.

        Raises
        ------
        AeollmError
            With what is wrong.
        """
        method = self.method(wanted)
        judges = self._judges(method, wanted) if named else {role: Judge(role, _UNNAMED) for role in method.roles}
        labels = self.label_set.labels
        partial = self.demo or wanted.partial is True
        material = material_of(method, self.reports, labels, self.label_set.rubrics, partial=partial)
        policy = Policy(partial=True) if partial else None
        task = Task(method, material, judges, self._chosen(wanted).prompts, policy)
        refuse_missing_prompts(task)
        return task

    def trial(self, task: Task) -> Task:
        """Take the first reports only, or as few as the recipe needs."""
        return trial_of(task, TRIAL)

    def signed(self, task: Task) -> str:
        """Give what a trial was made of, so that another one is asked for when it changes."""
        prompts = next((own.digest for own in self.recipes.values() if own.folder == task.prompts.folder), "")
        return repr((task.method, prompts, who_of(task), self.reports.digest, self.label_set.labels.signed))

    def method(self, wanted: Wanted) -> Method:
        """Read the recipe, asked as the fields say.

        Raises
        ------
        AeollmError
            If there is none.
        """
        method = self._chosen(wanted).method
        temperature = _needed("temperature", _number("temperature", wanted.temperature, (0, 2)))
        seed = _whole("seed", wanted.seed, (-(2**31), 2**31))
        return replace(method, sampling=replace(method.sampling, temperature=temperature, seed=seed))

    def _chosen(self, wanted: Wanted) -> Chosen:
        name = str(wanted.recipe)
        if name in self.recipes:
            return self.recipes[name]
        if name not in bundled_recipes():
            raise _wrong("recipe", "there is no such recipe.", "Choose one.")
        return Chosen(read_method(name))

    def wrong(self, wanted: Wanted) -> tuple[Problem, ...]:
        """Give what is wrong with models and place as far as they are named yet."""
        somewhere = not (self.access.local and wanted.where == ADDRESS) or str(wanted.base_url or "").strip()
        if not somewhere or not str(wanted.models or "").strip():
            return ()
        try:
            self._judges(self.method(wanted), wanted)
        except AeollmError as error:
            return error.problems
        return ()

    def _judges(self, method: Method, wanted: Wanted) -> dict[str, Judge]:
        """Give every judge its model and place: never those that an uploaded recipe names."""
        models = _models(wanted.models, method.roles)
        if self.access.local and wanted.where == ADDRESS:
            address = str(wanted.base_url or "").strip()
            if not address or len(address) > _LONGEST:
                raise _wrong("address", "there is no address to ask at.", "Name it, such as http://127.0.0.1:8000/v1.")
            # It says itself what is wrong with an address.
            Endpoint(address)
            refuse(wrong_place(address))
            return {role: Judge(role, model, base_url=address) for role, model in models.items()}
        provider = str(wanted.provider or "auto")
        refuse(wrong_provider(provider))
        for model in models.values():
            refuse(wrong_model(model))
        return {role: Judge(role, model, provider=provider) for role, model in models.items()}


def place_of(task: Task) -> str:
    """Name where a task's judges are asked, as a folder: replies of another place are not read."""
    places = sorted({(judge.base_url or "", judge.provider or "") for judge in task.judges.values()})
    return hashlib.sha256(repr(places).encode()).hexdigest()[:16]


def who_of(task: Task) -> str:
    """Name a task's judges and where they are asked."""
    return repr([(judge.model, judge.base_url, judge.provider) for judge in task.judges.values()])


def _models(text: Any, roles: tuple[str, ...]) -> dict[str, str]:  # noqa: ANN401  what a browser sends
    names = [name.strip() for name in re.split(r"[,\n]", str(text or "")) if name.strip()]
    if any(len(name) > _LONGEST or not name.isprintable() for name in names):
        raise _wrong("model", "this is no model's name.", "Write the name that the endpoint knows.")
    if len(names) == 1:
        return dict.fromkeys(roles, names[0])
    if len(names) != len(roles):
        several = f"{len(roles)} models, of {', '.join(roles)}, with commas between them; one stands for all"
        wanted = "one model" if len(roles) == 1 else several
        found = f"{len(names)} models are named" if names else "no model is named"
        raise _wrong("model", f"{found}; this recipe asks {wanted}.", "Name it as the endpoint does.")
    return dict(zip(roles, names, strict=True))


def _number(name: str, value: Any, within: tuple[float, float]) -> float | None:  # noqa: ANN401
    """Take a number field; None where it is empty."""
    if value is None or value == "":
        return None
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    low, high = within
    if not low <= number <= high:
        raise _wrong(name, f"{name} is no number from {low:g} to {high:g}.", "Write one.", str(value))
    return number


def _whole(name: str, value: Any, within: tuple[float, float]) -> int | None:  # noqa: ANN401
    """Take a number field that counts; None where it is empty."""
    number = _number(name, value, within)
    if number is not None and number != int(number):
        raise _wrong(name, f"{name} is no whole number.", "Write one.", str(value))
    return None if number is None else int(number)


def _needed(name: str, number: N | None) -> N:
    if number is None:
        raise _wrong(name, f"{name} is empty.", "Write a number.")
    return number


def refuse(problem: Problem | None) -> None:
    """Raise what was found wrong, if anything was."""
    if problem is not None:
        raise UsageError("judge", [problem])


def _wrong(kind: str, message: str, remedy: str, value: str | None = None) -> UsageError:
    shown = None if value is None else printable(value)
    return UsageError("judge", [Problem("error", kind.replace(" ", "_"), message, remedy, value=shown)])
