"""What all tests share: the Hypothesis profile and the data beside the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# The same examples on every machine: a red test is the change's doing. HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def shared_data():
    """Give the folder of real data that lies beside the repository and is not ours to ship."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data beside the repository: the real data cannot be checked here")
    return folder
