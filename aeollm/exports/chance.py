"""What judges that know nothing score on given labels, and what the best could, in words."""

from __future__ import annotations

from collections.abc import Mapping

from aeollm.agreement import Range
from aeollm.diagnosis import ceiling, reference_means
from aeollm.exports.wording import number
from aeollm.sources import LabelSet
from aeollm.tables import OVERALL, Policy


def chance_in_words(label_set: LabelSet, policy: Policy, view: str = OVERALL) -> str:
    """Say what random and constant judges score in a view, and what a judge without ties can reach."""
    v = label_set.labels.views.index(view)
    means = reference_means(label_set, policy)
    random, constant, most = (
        {measure: float(values[v]) for measure, values in means[kind].items()}
        for kind in ("random", "constant", "tie_free_maximum")
    )
    told = (
        f"Chance ({view}): on these labels a judge that orders at random has accuracy {number(random['accuracy'])} on "
        f"average, rho and tau 0; one that gives all answers one score has accuracy {number(constant['accuracy'])}."
    )
    if most["accuracy"] < 1:
        reached = f"accuracy {number(most['accuracy'])}, tau {number(most['kendall'])}, rho {number(most['spearman'])}"
        told += f" Since people tie, a judge without ties reaches at most {reached}."
    return told


def ceiling_in_words(label_set: LabelSet, reliability: float | None = None) -> str:
    """Say what a perfect judge could reach, as simulated; empty where nothing is known of the labels' reliability."""
    found = ceiling(label_set, reliability)
    if found is None:
        return ""
    view, simulated = found
    source = "as published for AEOLLM-2's readability labels" if reliability is None else "as stated"
    return (
        f"Ceiling ({view}, simulated): if the labels' reliability is {number(simulated.reliability, 2)}, {source}, a "
        f"perfect judge reaches {_reached(simulated.perfect)}; a second panel of such people agrees with them to "
        f"{_reached(simulated.second_panel)}. {simulated.assumptions}"
    )


def _reached(ranges: Mapping[str, Range]) -> str:
    names = {"accuracy": "accuracy", "kendall": "tau", "spearman": "rho"}
    return ", ".join(f"{told} {number(ranges[measure].mean, 2)}" for measure, told in names.items())
