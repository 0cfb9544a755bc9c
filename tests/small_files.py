"""Small input files as bytes, written out by hand: nothing here is taken from the package under test."""

import json

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
HEADER = "taskId questionId answerId " + " ".join(f"{name}_score" for name in DIMENSIONS)


def labels_csv(rows, dimensions=DIMENSIONS):
    """Write (question, answer, score, …) rows as a labels CSV; one score stands for all dimensions."""
    lines = [",".join(["questionId", "answerId", *(f"{name}_score" for name in dimensions)])]
    for question, answer, *scores in rows:
        cells = scores * len(dimensions) if len(scores) == 1 else scores
        lines.append(",".join(map(str, (question, answer, *cells))))
    return ("\n".join(lines) + "\n").encode()


def run_text(rows, dimensions=4):
    """Write (question, answer, score, …) rows as a run; one score stands for all dimensions."""
    lines = []
    for question, answer, *scores in rows:
        cells = scores * dimensions if len(scores) == 1 else scores
        lines.append(" ".join(map(str, ("0", question, answer, *cells))))
    return ("\n".join(lines) + "\n").encode()


def rubric(question, weights=("0.25", "0.25", "0.25", "0.25"), dimensions=DIMENSIONS, criterion="1"):
    """Write a rubric file with the weights as they stand, each dimension with one criterion."""
    shares = ", ".join(f'"{name}": {weight}' for name, weight in zip(dimensions, weights, strict=True))
    listed = f'[{{"criterion": "Says it", "explanation": "All of it", "weight": {criterion}}}]'
    criteria = ", ".join(f'"{name}": {listed}' for name in dimensions)
    prompt = f'"id": {json.dumps(question)}, "prompt": "Why?"'
    return f'{{{prompt}, "dimension_weight": {{{shares}}}, "criterions": {{{criteria}}}}}'.encode()
