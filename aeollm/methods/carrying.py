"""A method carried out: judges asked, their answers as tables, the steps to a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from aeollm.calibration.structure import FEATURES, features_of_texts
from aeollm.errors import AeollmError, JudgingError, Problem, RecipeError, printable
from aeollm.files import read_run
from aeollm.judging import Missing, Price, ReplyStore, Session, Spent, estimate
from aeollm.methods.calls import Asking
from aeollm.methods.collecting import Collected, collect, requests_of
from aeollm.methods.material import Material
from aeollm.methods.method import COUNTS, Ask, Judge, Method
from aeollm.methods.optimising import setup_of
from aeollm.methods.prompting import Prompts
from aeollm.recipes import REPORTS, Built, Materials, Recipe, build, read_materials
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

    def asking(self, ask: Ask, scores: AnswerScores | None = None) -> Asking:
        """Give all that one way of asking makes its calls of."""
        return Asking(
            ask, self.material, self.judges, self.method.sampling, self.prompts, self.method.questions, scores
        )


@dataclass(frozen=True)
class Judged:
    """What came of it.

    ``files`` are the tables that asking gave, and ``build.toml`` with what it takes to build the run of them again;
    ``built`` is None where there is no run, and ``problems`` say why. ``stopped`` is why not everything was asked.
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

    @property
    def lost(self) -> int:
        """Count the calls without a value."""
        return sum(len(own.lost) for own in self.collected)

    @property
    def complete(self) -> bool:
        """Tell whether nothing is missing."""
        return not self.lost and self.stopped is None


async def carry_out(task: Task, session: Session, on_ask: OnAsk | None = None) -> Judged:
    """Ask everything in its order, and build the run."""
    start = time.monotonic()
    collected: list[Collected] = []
    files: dict[str, bytes] = {}
    problems: list[Problem] = [*task.material.problems, *_same_judge(task)]
    for ask in task.method.asks:
        if on_ask is not None:
            on_ask(ask)
        try:
            scores = _earlier(task, ask, files)
            found = await collect(task.asking(ask, scores), session)
        except AeollmError as error:
            problems += [_of(ask, problem) for problem in error.problems if problem.severity == "error"]
            continue
        collected.append(found)
        if found.content:
            files[ask.file] = found.content
        problems += _told(found)
        if found.optimised is not None:
            task.prompts.made.update(found.optimised.templates)
            problems += found.optimised.problems
    built, further = _built(task, files)
    return Judged(
        task,
        tuple(collected),
        files,
        built,
        (*problems, *further),
        session.stopped,
        session.lacking,
        session.progress.spent,
        session.progress.from_disk,
        time.monotonic() - start,
    )


def _same_judge(task: Task) -> list[Problem]:
    """Warn of judges that are one model: they give the same replies, and one opinion counts twice."""
    models: dict[str, list[str]] = {}
    revisers = {ask.options.get("reviser") for ask in task.method.asks}
    for name in (role for role in task.method.roles if role not in revisers):
        models.setdefault(task.judges[name].model, []).append(name)
    return [
        Problem(
            "warning",
            "same_judge",
            f"{printable(', '.join(names))} are one model, {printable(model)}: their replies are the same.",
            "Name another model for each by --judge NAME=MODEL.",
        )
        for model, names in models.items()
        if len(names) > 1
    ]


def _earlier(task: Task, ask: Ask, files: Mapping[str, bytes]) -> AnswerScores | None:
    """Give the scores that an ask builds on, from what was asked before it.

    Raises
    ------
    AeollmError
        If they cannot be had.
    """
    name = ask.builds_on
    if name is None:
        return None
    own = next((other for other in task.method.asks if other.name == name), None)
    if own is not None:
        if own.file not in files:
            raise RecipeError(name, [Problem("error", "no_scores", f"{printable(name)} gave no scores.", "")])
        return AnswerScores.of_run(read_run(files[own.file], name=own.file))
    recipe = task.method.recipe(until=name)
    built = build(recipe, _materials(task, recipe, files), policy=task.policy)
    return next(stage.table for stage in built.stages if stage.name == name)


def _materials(task: Task, recipe: Recipe, files: Mapping[str, bytes]) -> Materials:
    found: dict[str, bytes] = {name: files[file] for name, file in recipe.inputs.items() if file in files}
    if recipe.reports is not None:
        found[REPORTS] = files[COUNTS] if COUNTS in files else counts_of(task.material)
    labels = task.material.labels
    return read_materials(recipe, found, labels=labels, rubrics=task.material.rubrics)


def _built(task: Task, files: dict[str, bytes]) -> tuple[Built | None, list[Problem]]:
    """Build the run of what was asked, where the recipe has steps."""
    if not task.method.steps:
        return None, []
    recipe = task.method.recipe()
    if recipe.reports is not None:
        files[COUNTS] = counts_of(task.material)
    lacking = [printable(name) for name, file in recipe.inputs.items() if file not in files]
    if lacking:
        message = f"there is no run: {', '.join(lacking)} gave nothing to build it of."
        return None, [Problem("error", "no_run", message)]
    try:
        return build(recipe, _materials(task, recipe, files), policy=task.policy), []
    except AeollmError as error:
        return None, list(error.problems)


def counts_of(material: Material) -> bytes:
    """Count what is in the reports, as a table that steps read."""
    features = features_of_texts({report.key: report.text for report in material.reports})
    lines = ["\t".join(("questionId", "answerId", *FEATURES))]
    lines += ["\t".join((*key, *map(repr, row))) for key, row in features.values.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def _of(ask: Ask, problem: Problem) -> Problem:
    return replace(problem, message=f"{printable(ask.name)}: {problem.message}")


def _told(found: Collected) -> list[Problem]:
    """Say what has to be said of one way of asking."""
    problems: list[Problem] = []
    name = printable(found.name)
    if found.lost:
        kinds = ", ".join(sorted({lost.missing.kind for lost in found.lost}))
        message = f"{name}: {len(found.lost)} of {found.calls} calls have no value ({kinds}): missing, never 0."
        remedy = "The same command asks failed calls again; unreadable replies stay, unless more attempts are allowed."
        problems.append(Problem("warning", "missing_values", message, remedy))
    if found.sampled:
        message = f"{name}: {found.sampled} opinions are shares of repeated replies: there were no token probabilities."
        problems.append(Problem("warning", "sampled", message, "They are coarse; an endpoint with logprobs is better."))
    if not found.calls:
        problems.append(Problem("note", "nothing_asked", f"{name}: there was nothing to ask."))
    return problems


@dataclass(frozen=True, slots=True)
class Estimated:
    """What one way of asking takes; ``at_most`` where what is asked depends on earlier replies."""

    name: str
    calls: int
    on_disk: int
    prompt: int
    completion: int
    longest: int
    money: float
    at_most: bool


def estimated(task: Task, price: Price, store: ReplyStore | None = None) -> tuple[Estimated, ...]:
    """Add up what a method takes, before anything is sent; asking again comes on top."""
    found: list[Estimated] = []
    task = _with_first_prompts(task)
    for ask in task.method.asks:
        own = estimate(requests_of(task.asking(ask)), price, store)
        most = own.most
        figures = (own.calls, own.on_disk, most.prompt, most.completion, own.longest, own.money)
        found.append(Estimated(ask.name, *figures, at_most=ask.builds_on is not None or ask.kind.gives == "prompt"))
    return tuple(found)


def _with_first_prompts(task: Task) -> Task:
    """Let the prompts that an optimisation starts from stand for those that it will make."""
    made = dict(task.prompts.made)
    for ask in task.method.asks:
        if ask.kind.gives == "prompt":
            setup = setup_of(task.asking(ask))
            made |= setup.templates(ask.name, setup.start)
    return replace(task, prompts=Prompts(task.prompts.folder, made))


def first_prompts(task: Task) -> dict[str, str]:
    """Give the first prompt of every way of asking, filled in, to be looked at."""
    found: dict[str, str] = {}
    task = _with_first_prompts(task)
    for ask in task.method.asks:
        request = next(iter(requests_of(task.asking(ask))), None)
        if request is None:
            message = f"{printable(ask.name)}: there is nothing to ask."
            raise JudgingError(task.method.name, [Problem("error", "nothing_asked", message, "")])
        found[f"{ask.name} ({request.prompt})"] = "\n\n".join(
            f"# {message.role}\n\n{message.content}" for message in request.messages
        )
    return found
