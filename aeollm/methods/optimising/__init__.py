"""A scoring prompt improved from its errors, as far as questions held out bear it out."""

from aeollm.methods.optimising.languages import optimise
from aeollm.methods.optimising.optimiser import Optimised, log_lines
from aeollm.methods.optimising.setup import WARM, first_templates, most_requests, setups_of

__all__ = ["WARM", "Optimised", "first_templates", "log_lines", "most_requests", "optimise", "setups_of"]
