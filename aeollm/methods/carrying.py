"""A method carried out: judges asked, their answers as tables, the steps to a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from aeollm.aggregation.orders import OrderEffect
from aeollm.aggregation.pairwise import PositionBias
from aeollm.calibration.structure import FEATURES, features_of_texts
from aeollm.errors import AeollmError, Problem, RecipeError, printable
from aeollm.files import read_run
from aeollm.judging import Missing, Session, Spent, Usage
from aeollm.methods.calls import Asking
from aeollm.methods.collecting import Collected, Paid, collect
from aeollm.methods.material import Material
from aeollm.methods.method import COUNTS, Ask, Judge, Method
from aeollm.methods.prompting import Prompts
from aeollm.recipes import REPORTS, Built, Materials, Recipe, build, order_told, position_told, read_as_far
from aeollm.tables import AnswerScores, Policy

OnAsk = Callable[[Ask], None]


@dataclass(frozen=True)
class Task:
    """A method, what it is carried out on, and by whom."""

    method: Method
    material: Material
    judges: Mapping[str, Judge]
    prompts: Prompts = field(default_factory=Prompts)
    policy: Policy | None = None

    def recipe(self, until: str | None = None) -> Recipe:
        """Give the steps as a recipe, without counts of the reports where labels teach no step anything about them."""
        recipe, labels = self.method.recipe(until), self.material.labels
        wanted = any(step.kind.reports and step.options["untaught"] == "refuse" for step in recipe.steps)
        return recipe if wanted or (labels is not None and labels.labelled) else replace(recipe, reports=None)

    def asking(self, ask: Ask, scores: AnswerScores | None = None) -> Asking:
        """Give all that one way of asking makes its calls of."""
        return Asking(
            ask, self.material, self.judges, self.method.sampling, self.prompts, self.method.questions, scores
        )


@dataclass(frozen=True)
class Judged:
    """What came of it.

    ``files`` are the tables that asking gave, and ``build.toml`` with what it takes to build the run of them again;
    ``built`` is None where there is no run, and ``problems`` say why; what the inputs tell of orders and positions is
    told all the same. ``stopped`` is why not everything was asked. ``spared`` says that steps were left out for nothing
    but that there was nothing to ask for them, such as no tie to break. ``usage`` is what the replies used took,
    whenever they were paid for, those that several answers share once; ``temperatures`` are those they were asked at.
    """

    task: Task
    collected: tuple[Collected, ...]
    files: Mapping[str, bytes]
    built: Built | None
    problems: tuple[Problem, ...]
    stopped: Missing | None
    lacking: frozenset[str]
    spent: Spent
    from_disk: int
    seconds: float
    order_effects: Mapping[str, tuple[OrderEffect, ...]] = field(default_factory=dict)
    position_bias: Mapping[str, tuple[PositionBias, ...]] = field(default_factory=dict)
    spared: bool = False
    usage: Usage = field(default_factory=partial(Usage, 0, 0))
    temperatures: frozenset[float] = frozenset()

    @property
    def lost(self) -> int:
        """Count the calls without a value."""
        return sum(len(own.lost) for own in self.collected)

    @property
    def complete(self) -> bool:
        """Tell whether everything was asked and has a value; of an optimisation, what it comes to."""
        return self.stopped is None and not any(
            own.lost if own.optimised is None else not own.optimised.whole for own in self.collected
        )

    @property
    def whole(self) -> bool:
        """Tell whether the run is what the recipe is for, as far as it has steps to one."""
        if self.built is None:
            return not self.task.method.steps
        return self.built.instead is None or self.spared


async def carry_out(task: Task, session: Session, on_ask: OnAsk | None = None) -> Judged:
    """Ask everything in its order, and build the run."""
    start = time.monotonic()
    collected: list[Collected] = []
    paid = Paid()
    files: dict[str, bytes] = {}
    problems: list[Problem] = [*warnings_of(task)]
    for ask in task.method.asks:
        if on_ask is not None:
            on_ask(ask)
        try:
            scores = _earlier(task, ask, files)
            found = await collect(task.asking(ask, scores), session, paid)
        except AeollmError as error:
            problems += [_of(ask, problem) for problem in error.problems if problem.severity == "error"]
            continue
        collected.append(found)
        if found.content:
            files[ask.file] = found.content
        problems += _told(found, session.stopped)
        if found.optimised is not None:
            task.prompts.made.update(found.optimised.templates)
            problems += found.optimised.problems
    judged = Judged(
        task,
        tuple(collected),
        files,
        None,
        tuple(problems),
        session.stopped,
        session.lacking,
        session.progress.spent,
        session.progress.from_disk,
        0.0,
    )
    seconds, asked_at = time.monotonic() - start, session.temperatures
    return replace(_with_run(judged, files), usage=paid.usage, seconds=seconds, temperatures=asked_at)


def warnings_of(task: Task) -> tuple[Problem, ...]:
    """Give what can be said before anything is asked."""
    return (*task.material.problems, *_same_judge(task))


def _same_judge(task: Task) -> list[Problem]:
    """Warn of judges that are one model and asked the same: their replies are the same, and count twice."""
    models: dict[tuple[str, str], dict[str, None]] = {}
    for ask in task.method.asks:
        asked = repr((ask.do, {key: own for key, own in ask.options.items() if key not in ("judge", "judges")}))
        for name in (role for role in ask.judges if role != ask.options.get("reviser")):
            models.setdefault((task.judges[name].model, asked), {})[name] = None
    return [
        Problem(
            "warning",
            "same_judge",
            f"{printable(', '.join(names))} are one model, {printable(model)}: their replies are the same.",
            "Name another model for each by --judge NAME=MODEL.",
        )
        for (model, _), names in models.items()
        if len(names) > 1
    ]


def _earlier(task: Task, ask: Ask, files: Mapping[str, bytes]) -> AnswerScores | None:
    """Give the scores that an ask builds on, from what was asked before it.

    Raises
    ------
    AeollmError
        If they cannot be had, or the ask scores by a prompt that was to be made before it and was not.
    """
    prompt, name = str(ask.options["prompt"]), ask.builds_on
    if prompt in task.method.makes and not any(prompt == made for made, _ in task.prompts.made):
        raise _nothing_of(prompt, "a prompt to ask by")
    if name is None:
        return None
    own = next((other for other in task.method.asks if other.name == name), None)
    if own is not None:
        if own.file not in files:
            raise _nothing_of(name, "the scores that say what to ask")
        return AnswerScores.of_run(read_run(files[own.file], name=own.file))
    recipe = task.recipe(until=name)
    lacking = [one for one, file in recipe.inputs.items() if file not in files]
    if lacking:
        raise _nothing_of(", ".join(lacking), f"what {printable(name)} is made of, which says what to ask")
    built = build(recipe, _materials(task, recipe, files), policy=task.policy)
    return next(stage.table for stage in built.stages if stage.name == name)


def _nothing_of(name: str, what: str) -> RecipeError:
    message = f"nothing was asked: {printable(name)} did not give {what}."
    return RecipeError(name, [Problem("error", "nothing_to_go_on", message, "See there what went wrong first.")])


def _materials(task: Task, recipe: Recipe, files: Mapping[str, bytes]) -> Materials:
    found: dict[str, bytes] = {name: files[file] for name, file in recipe.inputs.items() if file in files}
    if recipe.reports is not None:
        found[REPORTS] = files[COUNTS] if COUNTS in files else counts_of(task.material)
    labels = task.material.labels
    read = read_as_far(recipe, found, labels=labels, rubrics=task.material.rubrics)
    # Why there is no table was said where it was asked for.
    return replace(read, refused=tuple(problem for problem in read.refused if problem.kind != "missing_file"))


def _with_run(judged: Judged, files: dict[str, bytes]) -> Judged:
    """Build the run of what was asked, where the recipe has steps: all of it, or as far as they can be carried out."""
    task = judged.task
    if not task.method.steps:
        return judged
    recipe = task.recipe()
    if recipe.reports is not None:
        files[COUNTS] = counts_of(task.material)
    lacking = [name for name, file in recipe.inputs.items() if file not in files]
    idle = [own.name for own in judged.collected if not own.calls]
    failed = ", ".join(printable(name) for name in lacking if name not in idle)
    problems = [Problem("error", "nothing_given", f"{failed} gave nothing to build a run of.")] if failed else []
    materials, built = _materials(task, recipe, files), None
    try:
        built = build(recipe, materials, policy=task.policy, as_far=True)
    except AeollmError as error:
        message = f"there is no run: {failed} gave nothing to build it of." if failed else "there is no run."
        # Where asks gave nothing, that no step gave a score is no news.
        problems = [Problem("error", "no_run", message), *(own for own in error.problems if own.kind != "no_scores")]
    spared = built is not None and not any(own.severity == "error" for own in (*problems, *built.problems))
    if built is not None and built.instead is not None:
        problems.append(_instead(built.instead, spared=spared))
    told = (*judged.problems, *dict.fromkeys(problems))
    orders = order_told(materials) if built is None else built.order_effects
    positions = position_told(materials) if built is None else built.position_bias
    return replace(judged, built=built, problems=told, order_effects=orders, position_bias=positions, spared=spared)


def _instead(name: str, *, spared: bool) -> Problem:
    """Say whose scores the run holds, and whether that is as it should be."""
    holds = f"the run holds the scores of {printable(name)} as they are"
    if spared:
        return Problem("note", "run_instead", f"there was nothing to ask for the steps after it: {holds}.")
    remedy = "What was asked is kept: the same command goes on from there."
    return Problem("error", "run_instead", f"the recipe's end was not reached: {holds}.", remedy)


def counts_of(material: Material) -> bytes:
    """Count what is in the reports, as a table that steps read."""
    features = features_of_texts({report.key: report.text for report in material.reports})
    lines = ["\t".join(("questionId", "answerId", *FEATURES))]
    lines += ["\t".join((*key, *map(repr, row))) for key, row in features.values.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def _of(ask: Ask, problem: Problem) -> Problem:
    return replace(problem, message=f"{printable(ask.name)}: {problem.message}")


def _told(found: Collected, stopped: Missing | None) -> list[Problem]:
    """Say what has to be said of one way of asking."""
    problems: list[Problem] = []
    name = printable(found.name)
    if found.lost and found.optimised is None:
        kinds = sorted({lost.missing.kind for lost in found.lost})
        message = (
            f"{name}: {len(found.lost)} of {found.calls} calls have no value ({', '.join(kinds)}): missing, never 0."
        )
        problems.append(Problem("warning", "missing_values", message, _mending(kinds, stopped)))
    if found.sampled:
        message = f"{name}: {found.sampled} opinions are shares of repeated replies: there were no token probabilities."
        problems.append(Problem("warning", "sampled", message, "They are coarse; an endpoint with logprobs is better."))
    if not found.calls:
        problems.append(Problem("note", "nothing_asked", f"{name}: there was nothing to ask."))
    return problems


def _mending(kinds: Sequence[str], stopped: Missing | None) -> str:
    """Say what to do about calls without a value; why a run stopped, and what to do about that, is said once."""
    if kinds == ["offline"]:
        return "Nobody was asked: run the part that should have given them, and merge again."
    cut = stopped is not None and stopped.kind in ("no_room", "no_room_to_think")
    if stopped is not None and {*kinds} <= {stopped.kind, *(["truncated"] if cut else [])}:
        return ""
    return f"{_AGAIN} {_CUT}" if "truncated" in kinds else _AGAIN


_CUT = (
    "Cut replies need more room (--max-tokens, max_tokens in a recipe): a model that thinks takes thousands of tokens, "
    "unless its thinking is switched off (--extra; assets/recipes/asking.md)."
)
_AGAIN = "The same command asks failed calls again; unreadable replies stay, unless more attempts are allowed."
