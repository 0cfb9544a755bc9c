"""Bytes to tables: the only place that knows file formats; every problem with its line."""

from aeollm.files.annotations import read_annotations
from aeollm.files.archives import MOST_ENTRIES_LABELS, is_zip, unpack
from aeollm.files.aspects import read_aspects
from aeollm.files.criteria import read_criterion_scores
from aeollm.files.decoding import Unreadable, open_source
from aeollm.files.features import read_features
from aeollm.files.judgments import read_judgments
from aeollm.files.kinds import Kind, recognise
from aeollm.files.labels import labels_from_dataset, read_labels
from aeollm.files.rubrics import RUBRIC_NAME, read_rubrics
from aeollm.files.runs import Inspection, inspect_run, read_run
from aeollm.files.texts import read_texts

__all__ = [
    "MOST_ENTRIES_LABELS",
    "RUBRIC_NAME",
    "Inspection",
    "Kind",
    "Unreadable",
    "inspect_run",
    "is_zip",
    "labels_from_dataset",
    "open_source",
    "read_annotations",
    "read_aspects",
    "read_criterion_scores",
    "read_features",
    "read_judgments",
    "read_labels",
    "read_rubrics",
    "read_run",
    "read_texts",
    "recognise",
    "unpack",
]
