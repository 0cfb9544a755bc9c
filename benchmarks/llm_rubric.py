"""Figures on the public LLM-Rubric data: ``python benchmarks/llm_rubric.py C``.

``C`` cross-validates on the synthetic dialogues (5 folds by dialogue, pooled), ``T`` trains on all of them and tests on
the real ones, ``criteria`` does T for every question, ``ablations`` leaves out parts of the network, ``curve`` asks how
many answers of a judge are worth collecting, ``cost`` times fits. The default model was chosen by C alone; nothing was
chosen by results on real dialogues. The data (github.com/microsoft/LLM-Rubric, MIT) is looked for in ``--data``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from aeollm.calibration import DEFAULT_MODEL, MODELS, QUALITIES, Examples, Settings, fit, from_opinions, rmse_bound
from aeollm.files import read_answers, read_opinions
from aeollm.validation import Plan, Validation, ablations, cross_validate, learning_curve, train_test

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data" / "llm_rubric"
RESULTS = Path(__file__).with_name("llm_rubric.json")
SYNTHETIC = ("gpt-3.5-turbo-16k_synth_evaluations_FIXED.tsv", "human_judges_synth_all_FIXED_ANON.tsv")
REAL = ("gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv", "human_judges_real_convs_FIXED_ANON.tsv")
EXCHANGED = {"Q1": "Q2", "Q2": "Q1"}
"""Q1 and Q2 look exchanged in the real human file: without retrieval, it is the other that nobody answered."""


def load(folder: Path, names: tuple[str, str], target: str) -> Examples:
    """Read and join two files."""
    opinions = read_opinions(folder / names[0])
    rename = EXCHANGED if names == REAL else None
    return from_opinions(opinions, read_answers(folder / names[1], opinions, rename=rename), target)


def table(found: Validation, models: Sequence[str]) -> list[dict[str, object]]:
    """Print one row a model; give the rows."""
    print(f"{found.protocol}: {found.n_train} answers to train on, {found.n_test} to test, seeds {found.seeds}")
    print(f"{'model':<16}" + "".join(f"{name:>26}" for name in QUALITIES) + f"{'smECE':>24}")
    rows = []
    for name in models:
        one = found.models[name]
        spread = {key: float(np.std([getattr(seed, key) for seed in one.per_seed])) for key in ("rmse", "pearson")}
        cells = "".join(
            f"{getattr(one.quality, key):>10.3f} [{getattr(one.low, key):.3f}, {getattr(one.high, key):.3f}]".rjust(26)
            for key in QUALITIES
        )
        smece = {f"{answer:g}": round(value, 4) for answer, value in one.smece.items()}
        print(f"{name:<16}{cells}   {' '.join(f'{value:.3f}' for value in smece.values())}")
        print(f"{'':<16}seed sd: rmse {spread['rmse']:.4f}, pearson {spread['pearson']:.4f}", end="")
        if one.difference:
            gap = one.difference["rmse"], one.difference["pearson"]
            told = [f"{each.value:+.3f} [{each.low:+.3f}, {each.high:+.3f}]" for each in gap]
            print(
                f"; against raw: rmse {told[0]}, pearson {told[1]}, p {one.p['rmse']:.4f}, {one.p['pearson']:.4f}",
                end="",
            )
        print()
        rows.append(
            {
                "model": name,
                "scores": one.quality.to_json(),
                "low": one.low.to_json(),
                "high": one.high.to_json(),
                "seed_sd": spread,
                "smece": smece,
                "smece_floor_high": {f"{answer:g}": round(floor.high, 4) for answer, floor in one.floors.items()},
                "against_raw": {
                    key: {"difference": gap.value, "low": gap.low, "high": gap.high, "p": one.p.get(key)}
                    for key, gap in one.difference.items()
                    if np.isfinite(gap.value)
                },
            }
        )
    return rows


def cross_validated(folder: Path, seeds: int) -> object:
    """Run protocol C."""
    found = cross_validate(load(folder, SYNTHETIC, "Q0"), MODELS, Plan(seeds=tuple(range(seeds))), progress)
    return table(found, MODELS)


def transferred(folder: Path, seeds: int) -> object:
    """Run protocol T."""
    train, test = load(folder, SYNTHETIC, "Q0"), load(folder, REAL, "Q0")
    found = train_test(train, test, MODELS, Plan(seeds=tuple(range(seeds)), resamples=10_000), progress)
    rows = table(found, MODELS)
    chosen, sd = found.models[DEFAULT_MODEL].quality, float(np.std(found.rows.answered))
    least = rmse_bound(sd, chosen.pearson)
    print(f"sd of answers {sd:.3f}: with Pearson {chosen.pearson:.3f} no RMSE is below {least:.3f}")
    print(f"with the paper's Pearson .350 none is below {rmse_bound(sd, 0.350):.3f}; the paper states .422")
    print(f"{DEFAULT_MODEL} against raw, exchanging dialogues: {found.compare(DEFAULT_MODEL, 'raw')}")
    return rows


def every_criterion(folder: Path, seeds: int) -> object:
    """Run protocol T for every question."""
    train, test = load(folder, SYNTHETIC, "Q0"), load(folder, REAL, "Q0")
    models = ("raw", "judge_mean", "ridge", DEFAULT_MODEL)
    rows = []
    print(f"{'target':<8}{'answers':>8}{'sd':>7}" + "".join(f"{name:>17}" for name in models) + "   rmse/pearson")
    for target in train.targets:
        plan = Plan(seeds=tuple(range(seeds)))
        found = train_test(train.aimed_at(target), test.aimed_at(target), models, plan, progress)
        sd = float(np.std(found.rows.answered))
        scores = {name: found.models[name].quality for name in models}
        cells = "".join(f"{one.rmse:.3f}/{one.pearson:.3f}".rjust(17) for one in scores.values())
        print(f"{target:<8}{found.n_test:>8}{sd:>7.3f}{cells}")
        gap = found.models[DEFAULT_MODEL].difference["rmse"]
        rows.append(
            {
                "target": target,
                "answers": found.n_test,
                "sd": sd,
                "scores": {name: one.to_json() for name, one in scores.items()},
                "rmse_against_raw": {"difference": gap.value, "low": gap.low, "high": gap.high},
            }
        )
    return rows


def without_parts(folder: Path, seeds: int) -> object:
    """Leave out parts of the network, under protocol C."""
    found = ablations(load(folder, SYNTHETIC, "Q0"), Plan(seeds=tuple(range(seeds))), progress)
    rows = []
    for one in found:
        cells = "".join(f"{getattr(one.quality, key):>10.3f}" for key in QUALITIES)
        tests = " ".join(f"{name} {p:.3f}" for name, p in one.p.items())
        print(f"without {one.left_out or '(nothing)':<22}{cells}   p: {tests}")
        rows.append({"left_out": one.left_out, "scores": one.quality.to_json(), "p": one.p})
    return rows


def curve(folder: Path, seeds: int) -> object:
    """Learn from ever more answers of every judge, under protocol C."""
    plan = Plan(seeds=tuple(range(seeds)))
    counts = (2, 5, 10, 15, 20, 30)
    rows = []
    for point in learning_curve(
        load(folder, SYNTHETIC, "Q0"), ("judge_mean", "ridge", DEFAULT_MODEL), plan, counts, progress
    ):
        scores = {name: one.quality for name, one in point.validation.models.items()}
        told = "".join(f"   {name} {one.rmse:.3f}/{one.pearson:.3f}" for name, one in scores.items())
        print(f"at most {point.most:>3} answers a judge ({point.mean:.1f}){told}")
        rows.append(
            {"most": point.most, "mean": point.mean, "scores": {name: one.to_json() for name, one in scores.items()}}
        )
    return rows


def cost(folder: Path, seeds: int) -> object:
    """Time fits and predictions on one core, in CPU seconds; the least of several."""
    train, test = load(folder, SYNTHETIC, "Q0"), load(folder, REAL, "Q0")
    rows = []
    for name in MODELS:
        fits = [
            cpu_seconds(lambda name=name, seed=seed: fit(train, name, Settings(seed=seed))) for seed in range(seeds)
        ]
        calibrator = fits[0][1]
        predicting = min(cpu_seconds(lambda calibrator=calibrator: calibrator.predict(test))[0] for _ in range(5))
        least = min(seconds for seconds, _ in fits)
        print(f"{name:<16} fit {least:.3f} s   predict {len(test)} rows {predicting:.4f} s")
        rows.append({"model": name, "fit": least, "predict": predicting})
    return rows


def cpu_seconds(work: Callable[[], object]) -> tuple[float, object]:
    """Give the CPU seconds of a call, and what it gave."""
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def progress(share: float, step: str) -> None:
    """Say how far it is, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{share:5.1%} {step:<16}", end="", file=sys.stderr)


PARTS = {
    "C": cross_validated,
    "T": transferred,
    "criteria": every_criterion,
    "ablations": without_parts,
    "curve": curve,
    "cost": cost,
}


def main() -> None:
    """Print the figures asked for; with ``--write`` keep them beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {RESULTS.name}")
    options = parser.parse_args()
    for part in options.parts:
        print(f"--- {part}")
        rows = PARTS[part](options.data, options.seeds)
        if options.write:
            kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
            kept[part] = {"seeds": options.seeds, "rows": rows}
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
