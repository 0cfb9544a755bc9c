"""What the Compare tab holds for a visitor, and how it comes about from the runs chosen. No gradio here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aeollm.resampling import RepeatSpread, compare_runs, group_repeats
from aeollm.scoring import score_against_run
from aeollm.tables import Comparison, Plan, Run, Scores
from aeollm.ui.session import Session

MOST_RUNS = 100


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison with what is shown beside it: scores and files by shown name, repeats, prompts.

    ``repeats`` names the mean of repeats and gives their spread; ``asked`` is what it was computed for.
    """

    comparison: Comparison
    scores: Mapping[str, Scores]
    runs: Mapping[str, Run]
    repeats: tuple[str, RepeatSpread] | None
    asked: tuple[object, ...]

    def between(self, session: Session, pair: tuple[str, str]) -> Scores | None:
        """Score the first run of a pair against the second; None where one is a mean of repeats."""
        if not all(name in self.runs for name in pair):
            return None
        label_set = session.evaluation.label_set
        return score_against_run(self.runs[pair[0]], self.runs[pair[1]], label_set.labels, label_set.rubrics)


def compare(session: Session, chosen: Sequence[str], repeats: Sequence[str], plan: Plan) -> Compared | None:
    """Compare the chosen runs of a session, repeats of one judge as their mean; None for fewer than two.

    Raises
    ------
    UsageError
        If the runs cannot be compared.
    """
    scored = dict(session.scored)
    names = [name for name in scored if name in chosen][:MOST_RUNS]
    grouped = [name for name in names if name in repeats]
    shown = {name: scored[name] for name in names}
    spread = None
    if len(grouped) > 1:
        title = f"mean of {len(grouped)} repeats"
        mean, found = group_repeats([scored[name] for name in grouped], title)
        shown = {title: mean} | {name: scores for name, scores in shown.items() if name not in grouped}
        spread = (title, found)
    if len(shown) < 2:
        return None
    comparison = compare_runs(list(shown.values()), list(shown), plan)
    runs = {name: session.run(name) for name in shown if name in scored}
    return Compared(comparison, shown, runs, spread, asked(session, chosen, repeats, plan))


def asked(session: Session, chosen: Sequence[str], repeats: Sequence[str], plan: Plan) -> tuple[object, ...]:
    """Say what a comparison depends on, to compute nothing twice."""
    signed = tuple((name, scores.signature) for name, scores in session.scored if name in chosen)
    return (signed, tuple(sorted(repeats)), plan)
