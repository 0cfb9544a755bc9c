"""A Space takes the README's front matter, installs what we pin, and finds what it starts."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACCEPTED = {
    *("title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "python_version", "app_file", "app_port"),
    *("base_path", "fullWidth", "header", "short_description", "models", "datasets", "tags", "thumbnail", "pinned"),
    *("license", "hf_oauth", "hf_oauth_scopes", "hf_oauth_expiration_minutes", "hf_oauth_authorized_org"),
    *("disable_embedding", "startup_duration_timeout", "custom_headers", "preload_from_hub", "suggested_hardware"),
}
"""https://huggingface.co/docs/hub/spaces-config-reference"""
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
LONGEST_DESCRIPTION = 60


@pytest.fixture(scope="module")
def front():
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.startswith("---\n")
    return yaml.safe_load(text.split("---\n", 2)[1])


@pytest.fixture(scope="module")
def pins():
    """Give what requirements.txt asks of every package."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [re.fullmatch(r"([A-Za-z0-9_.-]+)(.*)", line) for line in lines if line and not line.startswith("#")]
    return {match[1]: match[2] for match in wanted}


def test_keys_are_those_a_space_knows(front):
    assert set(front) <= ACCEPTED
    assert front["sdk"] == "gradio"
    assert {front["colorFrom"], front["colorTo"]} <= COLOURS
    assert len(front["short_description"]) <= LONGEST_DESCRIPTION
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+", name) for name in front.get("datasets", []))


def test_the_space_runs_the_gradio_that_is_pinned_and_tested(front, pins):
    assert pins["gradio"] == f"=={front['sdk_version']}"
    assert version("gradio") == front["sdk_version"]


def test_python_is_a_version_the_package_takes(front):
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    least = re.search(r'requires-python = ">=(\d+)\.(\d+)"', project)
    # Unquoted, 3.10 would be the number 3.1.
    assert isinstance(front["python_version"], str)
    major, minor = map(int, front["python_version"].split("."))
    assert (major, minor) >= (int(least[1]), int(least[2]))


def test_every_requirement_is_bounded(pins):
    assert "datasets" in pins
    for name, wanted in pins.items():
        assert wanted.startswith("==") or "<" in wanted, name


def test_what_is_named_is_there(front):
    app = ROOT / front["app_file"]
    assert app.is_file()
    assert '__name__ == "__main__"' in app.read_text("utf-8")
    text = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\(((?!https?:|#|mailto:)[^)\s]+)\)", text):
        assert (ROOT / target.partition("#")[0]).exists(), target


def test_pictures_are_small():
    pictures = sorted((ROOT / "assets" / "screenshots").glob("*.png"))
    assert {"score-light.png", "score-dark.png", "score-narrow.png"} <= {picture.name for picture in pictures}
    for picture in pictures:
        assert picture.stat().st_size < 300_000, picture.name
