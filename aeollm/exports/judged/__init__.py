"""What came of asking judges, as a JSON object and as a page in Markdown."""

from aeollm.exports.judged.as_json import judged_json
from aeollm.exports.judged.page import judged_markdown
from aeollm.exports.judged.reasons import REASONS, going_on

__all__ = ["REASONS", "going_on", "judged_json", "judged_markdown"]
