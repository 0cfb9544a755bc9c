"""A Hub data set at a pinned revision, as a local folder.

One bounded request names the commit and lists its files; missing ones go into the Hub client's cache,
so that a copy made by ``hf download`` is used too. Not by ``snapshot_download``: huggingface_hub 2.4 lists
without a time-out, and sleeps five times as long as a ``Retry-After`` says.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from aeollm.errors import HubError, Problem, printable

DEFAULT_REPO = "THUIR/AEOLLM"
DEFAULT_FOLDERS = ("aeollm-2-train", "aeollm-2-test")
SUFFIXES = (".csv", ".json")  # other files are not fetched
LARGEST_FILE = 50_000_000  # bytes; with a larger one nothing is downloaded
ANSWER_SECONDS, FILE_SECONDS = 5, 60  # for naming a commit and its files; until the next file has to be there

_Sizes = Mapping[str, int | None]  # paths and bytes of a commit's files; None where the Hub did not say
_COMMIT = re.compile(r"[0-9a-f]{40}")
# What becomes a path here, as the client (validate_repo_id) and git (check-ref-format) allow it; what must not.
_REPO = re.compile(r"(?!.*(--|\.\.|\.git$))(\b[\w.-]{1,96}\b/)?\b[\w.-]{1,96}\b", re.ASCII)
_REF = re.compile(r"(?![/.]|.*(\.\.|//|/\.|@\{|/$))[^\x00-\x20\x7f~^:?*\[\\]+")
_OUTSIDE = re.compile(r"^/|\\|(^|/)\.\.(/|$)")
_PASSING = frozenset({"offline", "rate_limited", "server_error", "incomplete_download"})
_BY_STATUS = {401: "not_found_or_private", 403: "gated", 404: "not_found_or_private", 429: "rate_limited"}
_MESSAGES = {
    "rate_limited": "The Hub refuses {name} for now: there were too many requests (rate limit).",
    "gated": "{name} is gated: only accounts that its owners let in can read it.",
    "not_found_or_private": "The Hub shows no data set {name}: it does not exist, or it is private.",
    "revision_missing": "The data set has no such revision: {name}. No other one was taken in its place.",
    "offline": "The Hub cannot be reached, and {name} is not complete on this machine.",
    "incomplete_download": "The download of {name} broke off. The partial file was thrown away, not read.",
    "server_error": "The Hub failed to answer for {name}.",
    "bad_token": "The token sent for {name} is not accepted.",
    "cache_unusable": "The local copy of {name} cannot be read or written.",
}
_REMEDIES = {
    "rate_limited": "Please try again {when}, or set a token (HF_TOKEN): the limit is higher with one.",
    "gated": "Ask for access on the page of the data set, then set a token of that account (HF_TOKEN).",
    "not_found_or_private": "Check the name; for a private data set, set a token that may read it (HF_TOKEN).",
    "revision_missing": "Check the revision: a branch, a tag, or a commit hash of 40 hexadecimal digits.",
    "offline": "Check the connection, set AEOLLM_LABELS to a local copy, or use the demo.",
    "offline_by_choice": "HF_HUB_OFFLINE switches the Hub off: unset it, set AEOLLM_LABELS, or use the demo.",
    "incomplete_download": "Please try again: files that arrived whole are kept.",
    "server_error": "Please try again {when}, set AEOLLM_LABELS to a local copy, or use the demo.",
    "bad_token": "Set a valid token (HF_TOKEN), or none: a public data set needs none.",
    "cache_unusable": "Check that the disk has room, or set HF_HOME to a folder that can be written to.",
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A local copy of folders of a Hub data set at one commit.

    ``fetched`` is the day (UTC) the copy was made, where ``cached`` says that nothing was downloaded now.
    ``stale`` is why a branch or tag could not be had from the Hub (``offline``, ``rate_limited``,
    ``server_error``, ``incomplete_download``); ``revision`` is then what it last stood for here.
    """

    folder: Path
    repo: str
    revision: str
    cached: bool
    fetched: str | None
    stale: str | None


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked for, how messages name it, and the folder of the data set in the cache."""

    name: str
    repo: str
    revision: str
    pinned: bool
    folders: tuple[str, ...]
    token: str | None = field(repr=False)
    store: Path

    def error(self, kind: str, message: str = "", remedy: str = "", when: str = "later") -> HubError:
        message = message or _MESSAGES[kind].format(name=self.name)
        return HubError(self.name, [Problem("error", kind, message, remedy or _REMEDIES[kind].format(when=when))])


def fetch_snapshot(
    repo: str = DEFAULT_REPO,
    revision: str = "main",
    folders: Collection[str] = DEFAULT_FOLDERS,
    *,
    token: str | None = None,
    cache_dir: str | Path | None = None,
) -> Snapshot:
    """Give the CSV and JSON files of some folders of a Hub data set as a local folder.

    A commit hash whose files are all here is answered without the network. A branch or tag is resolved
    once and everything is taken at that commit; where the Hub does not hand it over, the complete copy
    which that name last stood for is given, marked ``stale``. Another revision never takes the place of
    one that does not exist. One of the ``folders`` is enough. ``token`` is HF_TOKEN or the stored login
    by default, ``cache_dir`` the cache of the Hub client.

    Raises
    ------
    HubError
        With one problem, its kind ``rate_limited``, ``gated``, ``not_found_or_private``, ``too_large``,
        ``revision_missing``, ``offline``, ``incomplete_download``, ``folder_missing``, ``server_error``,
        ``bad_token`` or ``cache_unusable``. It carries no token.
    """
    request = _checked(repo, revision, folders, token, cache_dir)
    try:
        return (_kept(request, request.revision, None) if request.pinned else None) or _fetched(request)
    except tuple(_kinds()) as error:
        refusal = _explained(error, request)
    # Raised below, not in the except block: a chained client error holds the request and its headers.
    if (kind := refusal.problems[0].kind) in _PASSING and not request.pinned and (known := _last_known(request)):
        return replace(known, stale=kind)
    raise refusal


def _checked(
    repo: str, revision: str, folders: Collection[str], token: str | None, cache_dir: str | Path | None
) -> _Request:
    from huggingface_hub import constants, get_token  # noqa: PLC0415 - slow to import

    store = Path(cache_dir or constants.HF_HUB_CACHE).expanduser() / f"datasets--{repo.replace('/', '--')}"
    pinned = _COMMIT.fullmatch(revision.lower()) is not None
    revision = revision.lower() if pinned else revision
    token = (token or "").strip() or (None if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else get_token())
    request = _Request(printable(f"{repo}@{revision}"), repo, revision, pinned, tuple(folders), token, store)
    if not _REPO.fullmatch(repo):
        raise request.error("not_found_or_private")
    if not _REF.fullmatch(revision):
        raise request.error("revision_missing")
    # The HTTP client would refuse such a header with an error that quotes it.
    if token and not (token.isascii() and token.isprintable()):
        raise request.error("bad_token")
    return request


def _kept(request: _Request, commit: str, listing: _Sizes | None) -> Snapshot | None:
    """Give the local copy if it is known to be complete."""
    listing = listing or _known_listing(request, commit)
    folder, wanted = request.store / "snapshots" / commit, _wanted(request, listing) if listing else {}
    if not wanted or _missing(folder, wanted):
        return None
    day = time.strftime("%Y-%m-%d", time.gmtime(max((folder / path).stat().st_mtime for path in wanted)))
    return Snapshot(folder, request.repo, commit, cached=True, fetched=day, stale=None)


def _known_listing(request: _Request, commit: str) -> _Sizes | None:
    """Give what the commit holds, as noted here or by the client's own ``snapshot_download``."""
    from huggingface_hub import errors, get_cached_repo_tree  # noqa: PLC0415 - slow to import

    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        noted: dict[str, int | None] = json.loads((request.store / "aeollm" / f"{commit}.json").read_text("utf-8"))
        return noted
    with contextlib.suppress(errors.CachedRepoTreeNotFoundError):
        tree = partial(get_cached_repo_tree, repo_type="dataset", cache_dir=request.store.parent)
        return {file.path: file.size for file in tree(request.repo, revision=commit)}
    return None


def _last_known(request: _Request) -> Snapshot | None:
    """Give the complete copy which the branch or tag last stood for."""
    reference = request.store / "refs" / request.revision
    commit = reference.read_text("utf-8", errors="replace").strip() if reference.is_file() else ""
    return _kept(request, commit, None) if _COMMIT.fullmatch(commit) else None


def _wanted(request: _Request, listing: _Sizes) -> _Sizes:
    """Pick the files to fetch; refuse where there are none, or one is too large."""
    places = tuple(f"{folder.strip('/')}/" for folder in request.folders)
    wanted = {path: size for path, size in listing.items() if path.startswith(places) and path.endswith(SUFFIXES)}
    if not wanted:
        there = ", ".join(sorted({path.split("/")[0] for path in listing if "/" in path})) or "none"
        message = f"{request.name} has no CSV or JSON files in {printable(' or '.join(request.folders))}."
        raise request.error("folder_missing", message, f"Folders that it has: {printable(there)}.")
    for path, size in wanted.items():
        if (size or 0) > LARGEST_FILE:
            message = f"{printable(path)} in {request.name} has {size} bytes; the limit is {LARGEST_FILE}."
            raise request.error("too_large", message, "Nothing was downloaded: check that this is the right data set.")
    return wanted


def _missing(folder: Path, wanted: _Sizes) -> _Sizes:
    there = {path: (folder / path).stat().st_size for path in wanted if (folder / path).is_file()}
    return {path: size for path, size in wanted.items() if path not in there or size not in {None, there[path]}}


def _fetched(request: _Request) -> Snapshot:
    # A pool bounds the wait; the client's time-out counts anew for each address and for no name look-up.
    from multiprocessing.pool import ThreadPool  # noqa: PLC0415 - slow to import

    with ThreadPool(8) as pool:
        commit, listing = pool.apply_async(_ask, (request,)).get(timeout=ANSWER_SECONDS)
        folder, kept = request.store / "snapshots" / commit, _kept(request, commit, listing)
        missing = {} if kept else _missing(folder, _wanted(request, listing))
        arrivals = pool.imap_unordered(partial(_save, request, folder), missing.items())
        arrived = dict(arrivals.next(timeout=FILE_SECONDS) for _ in missing)
    # Noted last, so that a name always stands for a complete copy. A read-only cache serves as well.
    with contextlib.suppress(OSError):
        _write(request.store / "aeollm" / f"{commit}.json", json.dumps({**listing, **arrived}).encode())
        if not request.pinned:
            _write(request.store / "refs" / request.revision, commit.encode())
    return kept or Snapshot(folder, request.repo, commit, cached=False, fetched=None, stale=None)


def _ask(request: _Request) -> tuple[str, _Sizes]:
    """Give the commit and what it holds, by one request that is not repeated."""
    from huggingface_hub import HfApi  # noqa: PLC0415 - slow to import

    info = HfApi(token=request.token or False).dataset_info(
        request.repo, revision=request.revision, files_metadata=True, timeout=ANSWER_SECONDS
    )
    commit = request.revision if request.pinned else info.sha or ""
    listing = {file.rfilename: file.size for file in info.siblings or ()}
    if not _COMMIT.fullmatch(commit) or any(_OUTSIDE.search(path) for path in listing):
        raise request.error("server_error")
    return commit, listing


def _save(request: _Request, folder: Path, file: tuple[str, int | None]) -> tuple[str, int]:
    """Put one file into its place, once all of it has arrived."""
    from huggingface_hub import get_session, hf_hub_url, hf_raise_for_status  # noqa: PLC0415 - slow to import

    path, size = file
    url = hf_hub_url(request.repo, path, repo_type="dataset", revision=folder.name)
    headers = {"authorization": f"Bearer {request.token}"} if request.token else {}
    response = get_session().get(url, headers=headers, timeout=2 * ANSWER_SECONDS)
    hf_raise_for_status(response)
    if size not in {None, len(response.content)}:
        raise request.error("incomplete_download")
    _write(folder / path, response.content)
    return path, len(response.content)


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{uuid.uuid4().hex}.incomplete")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _kinds() -> dict[type[Exception], str]:
    """List what goes wrong outside of this program; the first family that fits an error names its kind."""
    import multiprocessing  # noqa: PLC0415 - slow to import

    import httpx2  # noqa: PLC0415 - slow to import
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    return {
        HubError: "",  # its own
        errors.GatedRepoError: "gated",
        errors.RevisionNotFoundError: "revision_missing",
        errors.RemoteEntryNotFoundError: "incomplete_download",
        errors.HfHubHTTPError: "",  # by status
        httpx2.RemoteProtocolError: "incomplete_download",
        httpx2.TransportError: "offline",
        httpx2.HTTPError: "server_error",
        multiprocessing.TimeoutError: "offline",
        ConnectionError: "offline",
        json.JSONDecodeError: "server_error",
        UnicodeDecodeError: "server_error",
        OSError: "cache_unusable",
    }


def _explained(error: Exception, request: _Request) -> HubError:
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    if isinstance(error, HubError):
        return error
    kind, when = next(kind for family, kind in _kinds().items() if isinstance(error, family)), "in a few minutes"
    if isinstance(error, errors.HfHubHTTPError):
        kind, when = kind or _BY_STATUS.get(error.response.status_code, "server_error"), _wait(error.response.headers)
        # The client, too, tells a refused token from a missing data set by this text.
        if error.response.headers.get("X-Error-Message", "").startswith("Invalid credentials"):
            kind = "bad_token"
    remedy = _REMEDIES["offline_by_choice"] if isinstance(error, errors.OfflineModeIsEnabled) else ""
    return request.error(kind, remedy=remedy, when=when)


def _wait(headers: Mapping[str, str]) -> str:
    # The second is the Hub's own header, read as the client does: "api";r=0;t=55 (none left, 55 s to go).
    told = headers.get("Retry-After", "") + " " + headers.get("RateLimit", "")
    seconds = re.match(r"([0-9]{1,6}) ", told) or re.search(r";\s*r=0;\s*t=([0-9]{1,6})", told)
    return f"in {seconds[1]} seconds" if seconds else "in a few minutes"
