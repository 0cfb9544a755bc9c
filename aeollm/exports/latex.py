"""A comparison as a LaTeX table for a paper (booktabs), in the layout of the official one."""

from __future__ import annotations

import re

import numpy as np

from aeollm.errors import printable
from aeollm.exports.wording import CORRECTIONS, number, ranked_runs
from aeollm.tables import MEASURES, Comparison, signature_parts

_HEADS = {"spearman": r"$\rho$", "kendall": r"$\tau_b$", "accuracy": "acc."}
_DAGGER = r"$^{\dagger}$"
_DIGITS = 3
_LONGEST_NAME = 60
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the start of a row these would be taken for arguments of the line break before.
    "[": "{[}",
    "*": "{*}",
    **{letter: f"\\{letter}" for letter in "{}$&#_%"},
}
_LIGATURE = re.compile(r"([-',])(?=\1)")


def escaped(text: str) -> str:
    r"""Write a user's text so that LaTeX prints it as it is; letters of any script stay.

    >>> escaped("50%_run {a}--b 评分")
    '50\\%\\_run \\{a\\}-{}-b 评分'
    """
    letters = "".join(_ESCAPES.get(letter, letter) for letter in printable(text, max(len(text), 1)))
    return _LIGATURE.sub(r"\1{}", letters)


def comparison_latex(comparison: Comparison) -> bytes:
    """Write a table of runs by views and measures: best in bold, second best underlined, what may be chance marked.

    Best and second are those of the numbers as printed. A dagger stands where the best run of the column is ahead by
    more than chance. It needs the package booktabs, and for names in other scripts a font that has them.
    """
    columns = [(v, m) for v in range(len(comparison.views)) for m in range(len(MEASURES))]
    order = ranked_runs(comparison)
    titles = [_row_title(comparison, r) for r in order]
    cells = zip(titles, *(_column(comparison, order, v, m) for v, m in columns), strict=True)
    body = [" & ".join(row) + r" \\" for row in cells]
    lines = [
        *_comments(comparison),
        r"\begin{table*}",
        r"\centering",
        rf"\caption{{{_caption(comparison)}}}",
        r"\label{tab:aeollm}",
        r"\small",
        r"\setlength{\tabcolsep}{3pt}",
        rf"\begin{{tabular}}{{l{'ccc' * len(comparison.views)}}}",
        r"\toprule",
        *_head(comparison),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip",
        rf"\parbox{{\textwidth}}{{\footnotesize\raggedright {_note(comparison)}}}",
        r"\end{table*}",
    ]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _comments(comparison: Comparison) -> list[str]:
    plan = comparison.plan
    made = f"seed={plan.seed} resamples={plan.resamples} interval={plan.interval} correction={plan.correction}"
    told = [
        "DEMO: simulated labels, not human ones" if comparison.demo else "",
        comparison.signature,
        f"{made} alpha={plan.alpha:g}",
        *(f"{name}: {signed}" for name, signed in zip(comparison.names, comparison.signatures, strict=True)),
        r"needs \usepackage{booktabs}; names in other scripts need a font that has them (XeLaTeX, LuaLaTeX)",
    ]
    return [f"% {printable(text, max(len(text), 1))}" for text in told if text]


def _caption(comparison: Comparison) -> str:
    demo = "DEMO (simulated labels). " if comparison.demo else ""
    best = " Best result in bold, second best underlined." if len(comparison.names) > 1 else ""
    return (
        rf"{demo}Agreement with people: Spearman's $\rho$, Kendall's $\tau_b$ and pairwise accuracy, "
        rf"means over {len(comparison.questions)} questions.{best}"
    )


def _head(comparison: Comparison) -> list[str]:
    groups, rules = [], []
    for v, view in enumerate(comparison.views):
        title = escaped(view.replace("_", " "))
        groups.append(rf"\multicolumn{{3}}{{c}}{{{title}}}")
        rules.append(rf"\cmidrule(lr){{{3 * v + 2}-{3 * v + 4}}}")
    heads = [_HEADS[measure] for _ in comparison.views for measure in MEASURES]
    return [" & ".join(["", *groups]) + r" \\", " ".join(rules), " & ".join(["run", *heads]) + r" \\"]


def _row_title(comparison: Comparison, run: int) -> str:
    partial = signature_parts(comparison.signatures[run]).get("partial") == "yes"
    return escaped(printable(comparison.names[run], _LONGEST_NAME)) + (" (partial)" if partial else "")


def _column(comparison: Comparison, order: list[int], v: int, m: int) -> list[str]:
    """Write a column's cells; best and second are told by what is printed."""
    means = [round(float(comparison.runs.mean[r, v, m]), _DIGITS) for r in order]
    best, second, *_ = [*sorted({mean for mean in means if mean == mean}, reverse=True), None, None]
    behind = _behind_best(comparison, v, m)
    cells = []
    for r, mean in zip(order, means, strict=True):
        text = "--" if mean != mean else number(mean, _DIGITS).replace("-", "$-$")
        if len(order) > 1 and mean == best:
            text = rf"\textbf{{{text}}}"
        elif mean == second:
            text = rf"\underline{{{text}}}"
        cells.append(text + (_DAGGER if r in behind else ""))
    return cells


def _behind_best(comparison: Comparison, v: int, m: int) -> set[int]:
    """Give the runs that the best of the column is ahead of by more than chance."""
    means = comparison.runs.mean[:, v, m]
    if np.isnan(means).all():
        return set()
    best = int(np.nanargmax(means))
    places = [[comparison.names.index(name) for name in pair] for pair in comparison.pair_names]
    apart = comparison.pairs.p_adjusted[:, v, m] <= comparison.plan.alpha
    return {a + b - best for (a, b), told in zip(places, apart.tolist(), strict=True) if told and best in (a, b)}


def _note(comparison: Comparison) -> str:
    plan, families = comparison.plan, comparison.families
    told = []
    if len(comparison.names) > 1:
        told.append(
            rf"{_DAGGER} The best run of the column is ahead by more than chance: p $\leq$ {number(plan.alpha, 2)}, "
            rf"{_tests(comparison)}, {plan.resamples:,} resamples, seed {plan.seed}. Without it, the difference to the "
            "best may be chance."
        )
        if bool((families.smallest_p_adjusted > plan.alpha).all()):
            told.append("With so few questions no difference could have been more than chance.")
    if bool(np.isnan(comparison.runs.mean).any()):
        told.append("A dash stands for undefined.")
    signed = escaped(comparison.signature).replace(r"\textbar{}", r"\textbar\allowbreak{}")
    return " ".join([*told, rf"Signature: \texttt{{{signed}}}."])


def _tests(comparison: Comparison) -> str:
    correction, pairs = comparison.plan.correction, int(comparison.families.pairs.max())
    if pairs < 2:
        return "two-sided sign-flip test over questions"
    family = f"{CORRECTIONS[correction]} over all {pairs} pairs of a column"
    return family if correction == "tukey" else f"two-sided sign-flip tests over questions, {family}"
