"""Reports to be judged: from a folder as released, or one table, to Markdown; each wrong file a problem of its own."""

from aeollm.judging.reports.coverage import check_coverage
from aeollm.judging.reports.nouns import Report, Reports
from aeollm.judging.reports.reading import read_reports

__all__ = ["Report", "Reports", "check_coverage", "read_reports"]
