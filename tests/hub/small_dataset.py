"""A data set in the layout of THUIR/AEOLLM: 2 questions with 3 answers each, and their rubrics."""

import json

REPO = "THUIR/AEOLLM"
HEADER = "questionId,answerId,comprehensiveness_score,insight_score,instruction_following_score,readability_score"
LABELS = "\n".join([HEADER, *(f"{q},Doc_00{a},{q}.5,{a},{q + a},6" for q in (1, 2) for a in (1, 2, 3))]) + "\n"
CARD = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: aeollm-2-train/train_deepresearch.csv
---
# AEOLLM
"""


def rubric(question: int) -> bytes:
    dimensions = ("comprehensiveness", "insight", "instruction_following", "readability")
    criterion = {"criterion": "Names it", "explanation": "All of it", "weight": 1.0}
    weights, criteria = dict.fromkeys(dimensions, 0.25), {name: [criterion] for name in dimensions}
    return json.dumps({"id": question, "prompt": "?", "dimension_weight": weights, "criterions": criteria}).encode()


FILES = {
    "README.md": CARD.encode(),
    "train_story.csv": b"of the first round, at the root\n",
    "aeollm-2-train/train_deepresearch.csv": LABELS.encode(),
    "aeollm-2-train/rubric_dataset/criterion1.json": rubric(1),
    "aeollm-2-train/rubric_dataset/criterion2.json": rubric(2),
    "aeollm-2-train/figure.png": b"not wanted",
    "other/notes.json": b"{}",
}
WANTED = sorted(path for path in FILES if path.startswith("aeollm-2-train/") and not path.endswith(".png"))
NEWER = FILES | {"aeollm-2-train/train_deepresearch.csv": LABELS.replace("6\n", "7\n").encode()}
