"""Ways of judging as recipes: whom to ask what about every report, and the steps from there to a run."""

from aeollm.methods.carrying import Judged, Task
from aeollm.methods.estimating import (
    Estimated,
    duration,
    estimated,
    estimated_in,
    in_units,
    number_of_calls,
    seconds_of,
)
from aeollm.methods.kinds import ASKS, AskKind
from aeollm.methods.material import Material, material_of
from aeollm.methods.method import COUNTS, Ask, Judge, Method, RubricQuestion, Sampling
from aeollm.methods.previewing import first_prompts
from aeollm.methods.prompting import Prompts
from aeollm.methods.reading import bundled_recipes, read_method
from aeollm.methods.running import BUILD, Running, files_of, run_method, write_files
from aeollm.methods.trying import trial_of
from aeollm.methods.writing import write_method

__all__ = [
    "ASKS",
    "BUILD",
    "COUNTS",
    "Ask",
    "AskKind",
    "Estimated",
    "Judge",
    "Judged",
    "Material",
    "Method",
    "Prompts",
    "RubricQuestion",
    "Running",
    "Sampling",
    "Task",
    "bundled_recipes",
    "duration",
    "estimated",
    "estimated_in",
    "files_of",
    "first_prompts",
    "in_units",
    "material_of",
    "number_of_calls",
    "read_method",
    "run_method",
    "seconds_of",
    "trial_of",
    "write_files",
    "write_method",
]
