"""Settings -> a host, ready to be used."""

from __future__ import annotations

import contextlib
import logging
import threading

from aeollm.errors import HostingError, Problem, SubmissionError
from aeollm.sources import DEMO_FOLDER
from aeollm.submissions.folder import FolderStore, Store
from aeollm.submissions.host import Clock, Draft, Host, utc_now
from aeollm.submissions.hub_store import HubStore
from aeollm.submissions.phases import told_twice
from aeollm.submissions.quota import admission
from aeollm.submissions.remote import Remote
from aeollm.submissions.settings import HostSettings, HubPlace

_LOG = logging.getLogger(__name__)
_DEMO_BASELINES = {
    "length": ("length_biased_judge.txt", "Longer is better", "Simulated: scores follow the length of a report."),
    "coarse": ("coarse_judge.txt", "Few distinct scores", "Simulated: whole numbers only, so that many pairs tie."),
}


def open_host(settings: HostSettings | None = None, clock: Clock = utc_now) -> Host | None:
    """Open the host that the settings (the environment's by default) describe; None where nothing is to be hosted.

    Labels on the Hub are read in the background. The demo's leaderboard begins with two baselines, submitted as
    anybody would.

    Raises
    ------
    HostingError
        If settings are wrong, nobody may submit, or local labels or a local store cannot be used.
    """
    settings = settings or HostSettings.from_environment()
    if settings is None:
        return None
    host = Host(settings, open_store(settings), clock)
    problems = _nobody_submits(settings)
    if isinstance(settings.labels, HubPlace):
        threading.Thread(target=host.read_labels, name="hidden labels from the Hub", daemon=True).start()
    else:
        problems += host.read_labels()
    if problems:
        raise HostingError("AEOLLM_HOST", problems)
    for note in told_twice(settings.phases) if not settings.demo else ():
        _LOG.warning("%s", note)
    if settings.demo and not any(host.board(phase.id).submissions for phase in host.phases):
        _add_demo_baselines(host)
    return host


def _nobody_submits(settings: HostSettings) -> list[Problem]:
    if settings.demo or any(team.accounts for team in settings.teams):
        return []
    remedy = 'Write [teams.ID] sections with accounts = ["…"] there, or in AEOLLM_HOST_ROSTER.'
    return [Problem("error", "no_accounts", "no account is on a team, so that nobody may submit.", remedy)]


def open_store(settings: HostSettings) -> Store:
    """Open the store that the settings name.

    Raises
    ------
    HostingError
        If a local folder cannot be used.
    """
    admit = admission(settings.phases)
    if isinstance(settings.store, HubPlace):
        return HubStore(Remote(settings.store.repo, settings.token), settings.spool, admit)
    return FolderStore(settings.store, admit)


def _add_demo_baselines(host: Host) -> None:
    for team, (name, method, description) in _DEMO_BASELINES.items():
        content = (DEMO_FOLDER / "runs" / name).read_bytes()
        draft = Draft(host.phases[0].id, team, None, name, content, method, description)
        # Another process of the same demo may be faster.
        with contextlib.suppress(SubmissionError):
            host.submit(draft)
