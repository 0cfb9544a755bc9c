"""A scoring prompt improved from its errors, as far as questions held out bear it out."""

from aeollm.methods.optimising.optimiser import Optimised, Optimiser, log_lines
from aeollm.methods.optimising.setup import WARM, most_requests, setup_of

__all__ = ["WARM", "Optimised", "Optimiser", "log_lines", "most_requests", "setup_of"]
