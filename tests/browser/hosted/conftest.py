"""A hosted evaluation, served once for all tests of this folder; each test has a team of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.hosted.hosting import KEY, write_folder
from tests.browser.serving import App, serve


@pytest.fixture(scope="session")
def organiser(tmp_path_factory: pytest.TempPathFactory):
    """Give the organiser's folder."""
    return write_folder(tmp_path_factory.mktemp("hosting") / "organiser")


@pytest.fixture(scope="session")
def hosted(organiser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Serve it, with everything temporary in a folder that can be looked at."""
    folder = tmp_path_factory.mktemp("hosted")
    temporary = folder / "temporary"
    temporary.mkdir()
    variables = {
        "AEOLLM_HOST": str(organiser),
        "AEOLLM_HOST_KEY": KEY,
        "AEOLLM_LABELS": str(organiser.parent / "public"),
        "TMPDIR": str(temporary),
    }
    with serve(folder, "tests.browser.hosted.app_with_accounts", **variables) as started:
        yield started.wait()
