"""Hosted mode: an evaluation with hidden labels; phases, quota, storage, and what may be shown."""

from aeollm.submissions.board import BoardRow, Entry, LiveBoard
from aeollm.submissions.fields import LARGEST_SUBMISSION, split_file_name
from aeollm.submissions.figures import Aggregate, Figure, Rounded
from aeollm.submissions.folder import FolderStore, StoreHealth
from aeollm.submissions.hidden import Check
from aeollm.submissions.host import Draft, Host, OwnSubmission, Submitted
from aeollm.submissions.opening import open_host
from aeollm.submissions.phases import Phase, Team
from aeollm.submissions.quota import Allowance
from aeollm.submissions.records import Receipt, Submission, genuine
from aeollm.submissions.settings import SECRETS, VARIABLES, HostSettings, HubPlace

__all__ = [
    "LARGEST_SUBMISSION",
    "SECRETS",
    "VARIABLES",
    "Aggregate",
    "Allowance",
    "BoardRow",
    "Check",
    "Draft",
    "Entry",
    "Figure",
    "FolderStore",
    "Host",
    "HostSettings",
    "HubPlace",
    "LiveBoard",
    "OwnSubmission",
    "Phase",
    "Receipt",
    "Rounded",
    "StoreHealth",
    "Submission",
    "Submitted",
    "Team",
    "genuine",
    "open_host",
    "split_file_name",
]
