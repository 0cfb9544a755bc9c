"""Asking an LLM judge: reports, prompts, the endpoint, replies on disk, and what they say."""

from aeollm.judging.budget import Budget, Price, Spent
from aeollm.judging.calling import Limits
from aeollm.judging.control import Control, OnProgress, Progress
from aeollm.judging.estimating import Estimate, Estimator
from aeollm.judging.merging import Merged, merge
from aeollm.judging.messages import (
    Answer,
    Ask,
    AskFailed,
    Message,
    Missing,
    Options,
    Reader,
    Reply,
    Request,
    Token,
    Unread,
    Usage,
)
from aeollm.judging.prompts import Data, Template, language_of, parse_template, read_template
from aeollm.judging.session import Session
from aeollm.judging.sharding import Shard, read_shard
from aeollm.judging.sizing import Sized, Sizer
from aeollm.judging.store import ReplyStore
from aeollm.judging.tokens import estimate_tokens, prompt_tokens

__all__ = [
    "Answer",
    "Ask",
    "AskFailed",
    "Budget",
    "Control",
    "Data",
    "Estimate",
    "Estimator",
    "Limits",
    "Merged",
    "Message",
    "Missing",
    "OnProgress",
    "Options",
    "Price",
    "Progress",
    "Reader",
    "Reply",
    "ReplyStore",
    "Request",
    "Session",
    "Shard",
    "Sized",
    "Sizer",
    "Spent",
    "Template",
    "Token",
    "Unread",
    "Usage",
    "estimate_tokens",
    "language_of",
    "merge",
    "parse_template",
    "prompt_tokens",
    "read_shard",
    "read_template",
]
