"""Tables to files people take away, and the words that go with them; the same input gives the same bytes."""

from aeollm.exports.json_files import comparison_json, json_bytes, scores_json
from aeollm.exports.latex import comparison_latex
from aeollm.exports.live_board import live_board_csv
from aeollm.exports.spreadsheets import comparison_csv, csv_bytes, questions_csv
from aeollm.exports.template import template_run
from aeollm.exports.wording import number, p_value, plan_in_words, ranked_runs, reach, told_pairs

__all__ = [
    "comparison_csv",
    "comparison_json",
    "comparison_latex",
    "csv_bytes",
    "json_bytes",
    "live_board_csv",
    "number",
    "p_value",
    "plan_in_words",
    "questions_csv",
    "ranked_runs",
    "reach",
    "scores_json",
    "template_run",
    "told_pairs",
]
