"""What the tests of the judge commands share: twelve small reports of known quality, and judges who see it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.commands import ROOT
from tests.judging.scripted import Answer, Seen

CASES = ROOT / "tests" / "cases"
LABELS = ("--labels", CASES / "labels.csv", "--rubrics", CASES / "rubric")
QUALITY = {
    ("1", "Doc_01"): 8, ("1", "Doc_02"): 6, ("1", "Doc_03"): 7, ("1", "Doc_04"): 4,
    ("2", "Doc_01"): 3, ("2", "Doc_02"): 3, ("2", "Doc_03"): 9, ("2", "Doc_04"): 5,
    ("3", "Doc_01"): 2, ("3", "Doc_02"): 8, ("3", "Doc_03"): 6, ("3", "Doc_04"): 6,
}  # fmt: skip
_QUALITY = re.compile(r"quality (\d+)")
_WANTED = re.compile(r'"([^"]+)": <')


def write_reports(folder: Path) -> Path:
    """Write the reports as a table; every text is its own."""
    path = folder / "reports.jsonl"
    rows = [
        {"questionId": question, "answerId": answer, "text": f"# Report {question} {answer}\n\nOf quality {quality}."}
        for (question, answer), quality in QUALITY.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def qualities(seen: Seen) -> list[int]:
    """Give the quality of the reports that a request shows, in their order."""
    return [int(number) for number in _QUALITY.findall(whole(seen))]


def whole(seen: Seen) -> str:
    """Give all that a request says."""
    return "\n".join(message["content"] for message in seen.body["messages"])


def wanted(seen: Seen) -> list[str]:
    """Name the fields that a request asks for."""
    return _WANTED.findall(seen.asked[seen.asked.rindex("{") :])


def replied(seen: Seen, fields: dict) -> Answer:
    """Answer with a JSON object, under the model's own name."""
    return Answer(text=json.dumps(fields), model=seen.body["model"])


def by_quality(seen: Seen) -> Answer:
    """Give every field the report's quality, or the place of the better report."""
    found = qualities(seen)
    if len(found) == 1:
        return replied(seen, dict.fromkeys(wanted(seen), found[0]))
    winner = "tie" if found[0] == found[1] else "A" if found[0] > found[1] else "B"
    return replied(seen, dict.fromkeys(wanted(seen), winner))


def report(out: Path) -> dict:
    """Read what `judge` says of itself."""
    return json.loads((out / "report.json").read_text())


def run_rows(path: Path) -> dict[tuple[str, str], list[str]]:
    """Read a run file's scores as written, by (question, answer)."""
    _, *lines = path.read_text().splitlines()
    return {(cells[1], cells[2]): cells[3:] for cells in (line.split("\t") for line in lines)}
