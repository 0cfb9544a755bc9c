"""What is shown before and after: refusals before anything is paid, prompts, calls thrown away, temperatures."""

import json
import shutil

import pytest

from aeollm.judging import Limits
from tests.commands import call
from tests.judging.judging_commands import CASES, LABELS, by_quality, report, wanted
from tests.judging.scripted import Answer

OWN = 'recipe = 1\nname = "own"\n[[ask]]\ndo = "optimise"\nname = "optimised"\n'
RUBRIC = """recipe = 1
name = "own"
[[ask]]
do = "llm-rubric"
samples = 2
[[question]]
name = "Q0"
text = { en = "Is it good?" }
options = { en = ["no", "yes"] }
"""


def page(out):
    return (out / "report.md").read_text()


def test_a_prompt_is_not_optimised_in_parts(judge, judging):
    code, _, complaint, out = judging("optimise", "--judge", "reviser=r", "--shard", "1/2")
    assert (code, judge.seen, out.exists()) == (2, [], False)
    told = "optimised is a prompt optimised on all questions at once: 2 parts would come to 2 prompts."
    remedy = "Leave out --shard. A recipe that asks by the prompt it wrote can then be judged in parts."
    assert f"{told} {remedy}" in " ".join(complaint.split())
    judge.script = by_quality
    assert judging("optimise", "--shard", "1/1", "--dry-run", folder=None)[0] == 0


def test_a_prompt_is_not_optimised_by_several_jobs(capsys, tmp_path):
    recipe = tmp_path / "own.toml"
    recipe.write_text(OWN)
    plan = ("--model", "m", "--reports", "me/r", "--bucket", "me/b", "--name", "a", "--labels-set", "x", "--dry-run")
    code, told, complaint = call(capsys, "jobs", recipe, "--jobs", "3", *plan)
    assert (code, told) == (2, "")
    assert "3 parts would come to 3 prompts. Name --jobs 1." in " ".join(complaint.split())
    assert call(capsys, "jobs", recipe, "--jobs", "1", *plan)[0] == 0


def test_calls_thrown_away_since_another_model_answered_are_told(judge, judging, monkeypatch):
    monkeypatch.setattr("aeollm.cli.judge.Limits", lambda **limits: Limits(**limits, backoff=0.001))
    others = {1: "m-b", 3: "m-c", 5: "m-b"}

    def script(seen):
        answer = by_quality(seen)
        return Answer(answer.text, model=others.get(seen.number, "m-a"))

    judge.script = script
    code, told, _, out = judging("holistic", "--concurrency", "1")
    assert (code, len(judge.seen)) == (0, 12 + 3)
    warning = (
        "3 calls to m were paid for and their replies thrown away: m-b (2), m-c (1) answered, and m-a, which had "
        "answered first, is the judge."
    )
    remedy = "Name one version of the model, or one provider: behind an alias or a router there are several."
    assert f"{warning} {remedy}" in " ".join(told.split())
    assert warning in page(out)
    assert report(out)["judges"]["judge"]["answered_as"] == ["m-a"]
    # They are paid for in this folder, whichever start it was.
    judge.reset(script)
    _, told, _, _ = judging("holistic")
    assert judge.seen == []
    assert warning in " ".join(told.split())


def test_all_temperatures_that_were_sent_are_reported(judge, judging, tmp_path):
    recipe = tmp_path / "own.toml"
    recipe.write_text(RUBRIC)
    judge.script = Answer("1", model="m")
    code, _, _, out = judging(recipe)
    assert code == 0
    assert report(out)["other_temperatures"] == {"samples": 1.0}
    assert {seen.body["temperature"] for seen in judge.seen} == {0, 1}
    assert "- Temperature 0; 1 for repeated samples. Seed 0." in page(out)
    # One reply of a sample is none: the same is asked again at 1, which is no other temperature.
    judge.reset(by_quality)
    judging("holistic", folder="plain")
    assert "- Temperature 0. Seed 0." in page(tmp_path / "plain")
    judge.reset(lambda seen: Answer("Hm.", model="m") if seen.number == 0 else by_quality(seen))
    judging("holistic", "--temperature", "0.25", folder="again")
    assert {seen.body["temperature"] for seen in judge.seen} == {0.25, 0.5}
    assert "- Temperature 0.25; 0.5 when asked again. Seed 0." in page(tmp_path / "again")


def test_the_revisers_temperature_is_reported(judge, judging):
    judge.script = lambda seen: (
        Answer("<revision>Be kind.</revision>", model="m") if not wanted_of(seen) else by_quality(seen)
    )
    _, _, _, out = judging("optimise", "--trial", "12")
    assert {seen.body["temperature"] for seen in judge.seen} == {0, 0.7}
    assert report(out)["other_temperatures"] == {"revisions": 0.7}


def wanted_of(seen):
    """Name the fields that are asked for; a reviser is asked for none."""
    return wanted(seen) if "{" in seen.asked else []


@pytest.fixture
def two_languages(tmp_path):
    """Give the labels with question 3 asked in Chinese."""
    rubrics = tmp_path / "rubric"
    shutil.copytree(CASES / "rubric", rubrics)
    path = rubrics / "criterion3.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"prompt": "请比较三种冷却方案"}))
    return ("--labels", LABELS[1], "--rubrics", rubrics)


def shown(told):
    """Map what the prompts shown are of, without versions, to the prompts."""
    parts = [part.split("\n", 1) for part in told.removeprefix("--- ").split("\n--- ")]
    return {name.split("@")[0]: prompt for name, prompt in parts}


@pytest.mark.parametrize(
    ("recipe", "names"),
    [
        ("holistic", ["holistic (holistic.en", "holistic (holistic.zh"]),
        ("pairwise", ["pairwise (pairwise.en", "pairwise (pairwise.zh"]),
        ("llm-rubric", ["opinions (llm-rubric.en", "opinions (llm-rubric.zh"]),
        (
            "optimise",
            [
                # One labelled question in Chinese is too few to optimise its prompt on.
                "optimised (optimised.en", "optimised (optimise.en",
                "scores (optimised.en", "scores (optimised.zh",
            ],
        ),
    ],
)  # fmt: skip
def test_a_prompt_of_each_kind_and_language_is_shown(recipe, names, judge, judging, two_languages):
    code, told, _, _ = judging(recipe, "--show-prompt", labels=two_languages, folder=None)
    assert (code, judge.seen) == (0, [])
    found = shown(told)
    assert list(found) == names
    for name, prompt in found.items():
        assert ("请比较三种冷却方案" in prompt) == name.endswith(".zh"), name


def test_what_the_reviser_is_sent_is_shown_with_reports_and_peoples_scores(judging, two_languages):
    _, told, _, _ = judging("optimise", "--show-prompt", labels=two_languages, folder=None)
    prompt = shown(told)["optimised (optimise.en"]
    # A trained question's reports, the judge's scores not being known yet.
    assert "Of quality" in prompt
    assert "insight: model ?, people " in prompt
