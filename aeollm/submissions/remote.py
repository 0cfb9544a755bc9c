"""The calls to the Hub that a store needs: each bounded in time, each failure of a known kind, none with a token."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from aeollm.submissions.folder import META_NAME, PLACE, RUN_NAME

if TYPE_CHECKING:
    from huggingface_hub import HfApi

Answer = TypeVar("Answer")
ASK_SECONDS, COMMIT_SECONDS, _GLANCE_SECONDS = 20, 120, 5
_LONGEST_WAIT = 300
_AT_ONCE = 8
_BY_STATUS = {401: "refused", 403: "refused", 404: "missing", 409: "overtaken", 412: "overtaken", 429: "busy"}
TROUBLE = {
    "refused": "the Hub refuses the token for the store; it may be wrong, expired, or without the right to write",
    "missing": "the Hub shows no such data set with this token",
    "public": "the store's data set is public; nothing is written there until it is private",
    "overtaken": "somebody else wrote to the store at the same time",
    "dropped": "the store did not keep all files of a commit; does a .gitignore there name them",
    "busy": "the Hub asks to wait (rate limit)",
    "away": "the Hub cannot be reached, or fails to answer",
    "disk": "the local folder for waiting submissions cannot be used",
    "bug": "an error in this program; its log says more",
}
_LOG = logging.getLogger(__name__)


class RemoteError(Exception):
    """A call that failed: its kind, one of `TROUBLE`, and the seconds that the Hub asks to wait."""

    def __init__(self, kind: str, wait: float = 0.0) -> None:
        super().__init__(kind)
        self.kind = kind
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Remote:
    """A private data set on the Hub; ``endpoint`` is another Hub's address."""

    repo: str
    token: str | None = field(repr=False)
    endpoint: str | None = None

    def _api(self) -> HfApi:
        from huggingface_hub import HfApi  # noqa: PLC0415 - slow to import

        return HfApi(endpoint=self.endpoint, token=self.token or False)

    def head(self) -> str:
        """Give the commit that ``main`` stands for.

        Raises
        ------
        RemoteError
            As all calls here.
        """
        commit, private = _bounded(self._info, ASK_SECONDS)
        if not private:
            raise RemoteError("public")
        return commit

    def _info(self) -> tuple[str, bool]:
        info = self._api().dataset_info(self.repo, revision="main", timeout=ASK_SECONDS)
        return info.sha or "", bool(info.private)

    def listing(self, commit: str) -> set[tuple[str, str]]:
        """Give phase and id of the submissions that are complete at a commit."""
        paths = _bounded(partial(self._paths, commit), COMMIT_SECONDS)
        names: dict[tuple[str, str], set[str]] = {}
        for path in paths:
            place, *parts = path.split("/")
            if place == PLACE and len(parts) == 3:
                names.setdefault((parts[0], parts[1]), set()).add(parts[2])
        return {known for known, inside in names.items() if inside >= {RUN_NAME, META_NAME}}

    def _paths(self, commit: str) -> list[str]:
        tree = self._api().list_repo_tree(self.repo, recursive=True, revision=commit, repo_type="dataset")
        return [entry.path for entry in tree]

    def fetch(self, commit: str, names: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
        """Give metadata and file of submissions at a commit."""
        paths = [f"{PLACE}/{phase}/{own}/{name}" for phase, own in names for name in (META_NAME, RUN_NAME)]
        contents = _bounded(partial(self._contents, commit, paths), COMMIT_SECONDS + len(paths))
        return list(zip(contents[::2], contents[1::2], strict=True))

    def _contents(self, commit: str, paths: list[str]) -> list[bytes]:
        from multiprocessing.pool import ThreadPool  # noqa: PLC0415 - slow to import

        with ThreadPool(_AT_ONCE) as pool:
            return pool.map(partial(self._content, commit), paths)

    def _content(self, commit: str, path: str) -> bytes:
        from huggingface_hub import get_session, hf_raise_for_status  # noqa: PLC0415 - slow to import

        url = f"{self._api().endpoint}/datasets/{self.repo}/resolve/{commit}/{path}"
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        response = get_session().get(url, headers=headers, timeout=ASK_SECONDS)
        hf_raise_for_status(response)
        return bytes(response.content)

    def commit(self, parent: str, files: Mapping[str, bytes]) -> str:
        """Add files in one commit on top of ``parent``, which must still be what ``main`` stands for; give its hash.

        The Hub is asked what the commit holds: the client leaves out, in silence, what a ``.gitignore`` there names.
        """
        commit = _bounded(partial(self._commit, parent, files), COMMIT_SECONDS)
        if _bounded(partial(self._sizes, commit, list(files)), COMMIT_SECONDS) != {p: len(c) for p, c in files.items()}:
            raise RemoteError("dropped")
        return commit

    def _sizes(self, commit: str, paths: list[str]) -> dict[str, int]:
        from huggingface_hub.hf_api import RepoFile  # noqa: PLC0415 - slow to import

        found = self._api().get_paths_info(self.repo, paths, revision=commit, repo_type="dataset")
        return {file.path: file.size for file in found if isinstance(file, RepoFile)}

    def _commit(self, parent: str, files: Mapping[str, bytes]) -> str:
        from huggingface_hub import CommitOperationAdd  # noqa: PLC0415 - slow to import

        done = self._api().create_commit(
            self.repo,
            [CommitOperationAdd(path, content) for path, content in files.items()],
            commit_message=f"Add submissions: {len(files) // 2}",
            repo_type="dataset",
            parent_commit=parent,
        )
        return done.oid


def is_public(repo: str) -> bool:
    """Say whether everybody can read a data set; False also where the Hub cannot be asked."""
    from huggingface_hub import HfApi  # noqa: PLC0415 - slow to import

    asked = partial(HfApi(token=False).dataset_info, repo, timeout=_GLANCE_SECONDS)
    try:
        return not _bounded(asked, _GLANCE_SECONDS).private
    except RemoteError:
        return False


def _bounded(call: Callable[[], Answer], seconds: float) -> Answer:
    """Call with a bound on the whole time: the client's time-outs start anew with every byte, and some have none."""
    import multiprocessing  # noqa: PLC0415 - slow to import
    from multiprocessing.pool import ThreadPool  # noqa: PLC0415 - slow to import

    import httpx2  # noqa: PLC0415 - slow to import
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    try:
        with ThreadPool(1) as pool:
            return pool.apply_async(call).get(timeout=seconds)
    except errors.HfHubHTTPError as error:
        failed = _by_status(error.response.status_code, error.response.headers)
    except (httpx2.HTTPError, multiprocessing.TimeoutError, OSError, ValueError) as error:
        _LOG.info("a call to the Hub failed: %s", type(error).__name__)
        failed = RemoteError("away")
    # Raised here, not above: a chained client error holds the request and its headers.
    raise failed


def _by_status(status: int, headers: Mapping[str, str]) -> RemoteError:
    _LOG.info("the Hub answered with status %d", status)
    asked = headers.get("Retry-After", "")
    wait = min(float(asked), _LONGEST_WAIT) if asked.isdecimal() else 0.0
    return RemoteError(_BY_STATUS.get(status, "away"), wait)
