"""A short list of steps from a judge's outputs to a run, as a file, and what each step brings."""

from aeollm.recipes.ablation import Stage
from aeollm.recipes.building import Built, build, dimension_spreads, order_told, position_told
from aeollm.recipes.gains import Gain
from aeollm.recipes.kinds import STEPS, Option, StepKind, Takes, Value
from aeollm.recipes.materials import Materials, files_beside, read_as_far, read_materials
from aeollm.recipes.reading import read_recipe
from aeollm.recipes.recipe import REPORTS, Recipe, Step, step_of
from aeollm.recipes.writing import write_recipe

__all__ = [
    "REPORTS",
    "STEPS",
    "Built",
    "Gain",
    "Materials",
    "Option",
    "Recipe",
    "Stage",
    "Step",
    "StepKind",
    "Takes",
    "Value",
    "build",
    "dimension_spreads",
    "files_beside",
    "order_told",
    "position_told",
    "read_as_far",
    "read_materials",
    "read_recipe",
    "step_of",
    "write_recipe",
]
