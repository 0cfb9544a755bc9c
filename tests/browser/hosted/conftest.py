"""A hosted evaluation, served once for all tests of this folder; each test has a team or runs of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.hosted.hosting import KEY, write_folder
from tests.browser.serving import App, serve
from tests.hub.fake_hub_writes import STORE, TOKEN, WritableHub


@pytest.fixture(scope="session")
def store_hub() -> Iterator[WritableHub]:
    """Give the Hub with the private data set that submissions go to."""
    with WritableHub() as started:
        started.add_token(TOKEN, "organisers", owners=("lab",))
        started.create(STORE, private=True)
        yield started


@pytest.fixture(scope="session")
def organiser(tmp_path_factory: pytest.TempPathFactory):
    """Give the organiser's folder; copies of what is stored lie in it, too."""
    return write_folder(tmp_path_factory.mktemp("hosting") / "organiser")


@pytest.fixture(scope="session")
def hosted(organiser, store_hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Serve it, with everything temporary in a folder that can be looked at."""
    folder = tmp_path_factory.mktemp("hosted")
    temporary = folder / "temporary"
    temporary.mkdir()
    variables = {
        "AEOLLM_HOST": str(organiser),
        "AEOLLM_HOST_KEY": KEY,
        "AEOLLM_HOST_STORE": f"hf://datasets/{STORE}",
        "AEOLLM_HOST_SPOOL": str(organiser / "spool"),
        "AEOLLM_HOST_TOKEN": TOKEN,
        "AEOLLM_LABELS": str(organiser.parent / "public"),
        "HF_ENDPOINT": store_hub.endpoint,
        "HF_HUB_OFFLINE": "0",
        "TMPDIR": str(temporary),
    }
    with serve(folder, "tests.browser.hosted.app_with_accounts", **variables) as started:
        yield started.wait()
