"""What came of asking judges, as a JSON object and as a page in Markdown."""

from aeollm.exports.judged.as_json import judged_json
from aeollm.exports.judged.page import REPORT, judged_markdown, report_files
from aeollm.exports.judged.reasons import REASONS, going_on

__all__ = ["REASONS", "REPORT", "going_on", "judged_json", "judged_markdown", "report_files"]
