"""Everything about some runs in one HTML file: what page, command line and exports show, to keep and to pass on."""

from __future__ import annotations

from aeollm.evaluation import Evaluation, distinct
from aeollm.reporting.compared import comparison_section, deciding_questions, net_pairs, pair_table
from aeollm.reporting.diagnosed import chance_section, diagnostics_section
from aeollm.reporting.files import head, problems, signatures
from aeollm.reporting.html import Html, section
from aeollm.reporting.methods import methods_section
from aeollm.reporting.page import page
from aeollm.reporting.runs import questions, results
from aeollm.resampling import compare_runs
from aeollm.tables import OVERALL, Plan, Run, Scores

__all__ = [
    "chance_section",
    "deciding_questions",
    "diagnostics_section",
    "html_report",
    "net_pairs",
    "pair_table",
]

_TITLES = {
    "problems": "Files",
    "results": "Results",
    "comparison": "Comparison",
    "questions": "Questions",
    "diagnostics": "Diagnostics",
    "chance": "Chance and ceiling",
    "methods": "Methods",
    "signatures": "Signatures",
}


def html_report(evaluation: Evaluation, plan: Plan | None = None, *, reliability: float | None = None) -> bytes:
    """Write a self-contained HTML report about run files; the same input gives the same bytes.

    It opens offline, in light and dark. Refused files are in it with their problems.

    Parameters
    ----------
    evaluation : the files' scores and problems.
    plan : seed, resamples, kinds of interval and correction, levels.
    reliability : of the labels, for the simulated ceiling; that published for readability by default.
    """
    named = _named(evaluation)
    parts = {"problems": section("problems", _TITLES["problems"], problems(evaluation))}
    labels = evaluation.label_set.labels
    comparison = None
    if named:
        comparison = compare_runs([scores for _, scores in named.values()], list(named), plan)
        scored = {name: scores for name, (_, scores) in named.items()}
        prompts = evaluation.label_set.rubrics.prompts if evaluation.label_set.rubrics is not None else {}
        parts["results"] = section("results", _TITLES["results"], results(comparison, scored))
        if len(named) > 1:
            parts["comparison"] = comparison_section(comparison, scored, prompts)
        parts["questions"] = questions(comparison, scored, prompts)
        parts["diagnostics"] = diagnostics_section(named, evaluation.label_set)
    if labels.labelled:
        parts["chance"] = chance_section(evaluation, reliability)
    parts["methods"] = methods_section(evaluation, comparison)
    parts["signatures"] = signatures(evaluation)
    order = [(name, told, parts.get(name, Html(""))) for name, told in _TITLES.items()]
    return page(f"Agreement with people: {labels.name}", head(evaluation), order)


def _named(evaluation: Evaluation) -> dict[str, tuple[Run, Scores]]:
    """Give the scored runs under names of their own, best overall first, as figures take them."""
    names = distinct([result.name for result in evaluation.results])
    named = {
        name: (result.inspection.run, result.scores)
        for name, result in zip(names, evaluation.results, strict=True)
        if result.inspection.run is not None and result.scores is not None
    }
    return dict(sorted(named.items(), key=lambda item: -_overall(item[1][1])))


def _overall(scores: Scores) -> float:
    mean = scores.mean(OVERALL, "spearman").mean
    return -2.0 if mean is None else mean
