"""The one public endpoint, ``/score``: the command line's JSON object for uploaded runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aeollm.errors import AeollmError, Problem, printable
from aeollm.evaluation import evaluate, failed_json
from aeollm.tables import Policy
from aeollm.ui.catalogue import Catalogue
from aeollm.ui.uploads import named_files

Scorer = Callable[[list[dict[str, Any]], str], dict[str, Any]]


def make_score(catalogue: Catalogue) -> Scorer:
    """Give the endpoint's function for this server's label sets."""

    def score(run_files: list[dict[str, Any]], labels_set: str = "demo") -> dict[str, Any]:
        """Score run files against a label set of this server, as `python -m aeollm score --json --per-question` does.

        Parameters
        ----------
        run_files : uploaded run files (a list of `handle_file(path)` in gradio_client).
        labels_set : name of the label set; `demo` is the bundled one with simulated labels.
        """
        offer = catalogue.offer()
        # Nothing holds callers to the types.
        if not isinstance(labels_set, str) or labels_set not in offer.sets:
            known, asked = ", ".join(offer.sets), printable(str(labels_set))
            message = f"there is no label set {asked!r}; there is {known}."
            problem = Problem("error", "unknown_set", message, offer.trouble or "Choose one of these.")
            return failed_json(Policy(), asked, "server", [problem])
        label_set = offer.sets[labels_set]
        try:
            files = named_files(run_files)
            return evaluate(files, label_set).to_json(per_question=True)
        except AeollmError as error:
            problems = error.problems
        except FileNotFoundError:
            message = "a run file is not on the server, or no longer."
            problems = (Problem("error", "not_uploaded", message, "Upload it, and score it within hours."),)
        return failed_json(Policy(), labels_set, label_set.labels.source, problems)

    return score
