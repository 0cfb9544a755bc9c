"""A key goes to the address it is for, and to no other one, whoever names it."""

import re

import pytest

from tests.commands import call, process
from tests.judging.judging_commands import LABELS, by_quality, write_reports
from tests.judging.scripted import ScriptedJudge, refused

MINE, OTHERS = "sk-of-vendor-a-0123456789", "sk-of-vendor-b-9876543210"
KEYS = {"MY_KEY": MINE, "OTHER_KEY": OTHERS}
TWO = """recipe = 1
name = "two"
[judge.first]
model = "m"
base_url = "{first}"
[judge.second]
model = "n"
base_url = "{second}"
[[ask]]
do = "per-criterion"
judges = ["first", "second"]
[[step]]
do = "criteria"
from = "per-criterion"
"""


@pytest.fixture(scope="module")
def running_other():
    with ScriptedJudge() as other:
        yield other


@pytest.fixture
def other(running_other):
    """Give a second endpoint, of somebody else."""
    running_other.reset(by_quality)
    yield running_other
    running_other.reset()


@pytest.fixture
def in_a_process(judge, tmp_path):
    """Run `judge` on the small reports as a process, with both keys in its environment."""
    judge.script = by_quality
    reports = write_reports(tmp_path)

    def run(recipe, *options):
        where = ("--answers", reports, *LABELS, "-o", tmp_path / "out", *options)
        done = process("judge", recipe, *where, environment=KEYS, text=True)
        written = "".join(path.read_text() for path in (tmp_path / "out").glob("*"))
        assert not any(key in done.stdout + done.stderr + written for key in KEYS.values())
        return done

    return run


def sent(endpoint):
    """Give what was sent as a key, each once."""
    return {seen.authorization for seen in endpoint.seen}


@pytest.mark.parametrize(("own", "key"), [((), None), (("--token-env", "second=OTHER_KEY"), f"Bearer {OTHERS}")])
def test_a_judge_at_another_address_gets_its_own_key_or_none(own, key, judge, other, in_a_process):
    where = ("--base-url", judge.address, "--model", "m", "--judge", f"second=n@{other.address}")
    done = in_a_process("tie-break", *where, "--token-env", "MY_KEY", *own)
    assert done.returncode == 0, done.stderr
    assert (sent(judge), sent(other)) == ({f"Bearer {MINE}"}, {key})
    note = f"note: second is asked without a key at {other.address}: its own is named by --token-env second=VARIABLE."
    assert (note in done.stderr) == (key is None)


def test_a_judge_at_the_same_address_gets_the_same_key(judge, in_a_process):
    where = ("--base-url", judge.address, "--model", "m", "--judge", f"second=n@{judge.address}")
    assert in_a_process("tie-break", *where, "--token-env", "MY_KEY", "--trial", "2").returncode == 0
    assert sent(judge) == {f"Bearer {MINE}"}


def test_addresses_that_a_recipe_names_get_no_key_that_is_not_for_them(judge, other, in_a_process, tmp_path):
    recipe = tmp_path / "two.toml"
    recipe.write_text(TWO.format(first=judge.address, second=other.address))
    done = in_a_process(recipe, "--token-env", "MY_KEY")
    assert (done.returncode, judge.seen, other.seen) == (2, [], [])
    assert "no judge is asked where the key of MY_KEY belongs." in done.stderr
    assert (
        "Name the address it is for by --base-url (or --provider), or the judge: --token-env NAME=VARIABLE."
        in done.stderr
    )
    done = in_a_process(recipe, "--token-env", "first=MY_KEY", "--token-env", "second=OTHER_KEY", "--trial", "1")
    assert done.returncode == 0, done.stderr
    assert (sent(judge), sent(other)) == ({f"Bearer {MINE}"}, {f"Bearer {OTHERS}"})


def test_no_endpoint_has_a_key_of_another_one_written_down(judge, other, in_a_process, tmp_path):
    # The process's output and files are looked through for both keys.
    other.script = refused(401, f"this is not {MINE} or {OTHERS}")
    where = ("--base-url", judge.address, "--model", "m", "--judge", f"second=n@{other.address}")
    done = in_a_process("tie-break", *where, "--token-env", "MY_KEY", "--token-env", "second=OTHER_KEY")
    assert done.returncode == 1
    assert "this is not [key] or [key]" in (tmp_path / "out" / "report.md").read_text()
    assert "Check the key (--token-env), of a judge at another address --token-env NAME=VARIABLE" in done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--token-env", "second=MY_KEY"), "the recipe has no judge second. It has judge."),
        (("--token-env", "judge=NOT_SET"), "the environment variable NOT_SET is not set. Set it to the key."),
        (("--token-env", "MY_KEY", "--token-env", "OTHER_KEY"), "--token-env is there twice without a judge's name."),
        (("--token-env", "judge=MY_KEY", "--token-env", "judge=OTHER_KEY"), "--token-env is there twice for judge."),
        (("--token-env", "judge="), "--token-env judge= is not VARIABLE or NAME=VARIABLE."),
        (("--token-env", "=MY_KEY"), "--token-env =MY_KEY is not VARIABLE or NAME=VARIABLE."),
    ],
)
def test_variables_that_mean_nothing_are_told(options, words, judge, judging, monkeypatch):
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    code, _, complaint, _ = judging("holistic", *options)
    assert (code, judge.seen) == (2, [])
    assert words in " ".join(complaint.split())


def test_one_model_at_one_address_has_one_key(judge, judging, monkeypatch):
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    code, _, complaint, _ = judging("tie-break", "--token-env", "MY_KEY", "--token-env", "second=OTHER_KEY")
    assert (code, judge.seen) == (2, [])
    assert "the model m is asked with two keys." in complaint


@pytest.mark.parametrize(("key", "code"), [("hf_of_the_hub_0123456789", 0), ("sk-of-together-0123456789", 2)])
def test_a_provider_that_a_recipe_names_gets_no_key_of_another_provider(key, code, capsys, monkeypatch, tmp_path):
    # The Hub's client sends the Hub's key to the Hub, and any other one straight to the provider.
    recipe = tmp_path / "two.toml"
    recipe.write_text(re.sub('base_url = "{(first|second)}"', r'provider = "together"', TWO))
    monkeypatch.setenv("MY_KEY", key)
    where = ("--answers", write_reports(tmp_path), *LABELS, "--token-env", "MY_KEY", "--dry-run")
    found, _, complaint = call(capsys, "judge", recipe, *where)
    assert found == code
    assert ("no judge is asked where the key" in complaint) == (code == 2)
    assert call(capsys, "judge", recipe, *where, "--provider", "together")[0] == 0
