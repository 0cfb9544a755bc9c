"""Sending a deployment to the Hub, and saying in words what the Hub has against it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aeollm.deployment.files import FOLDERS, HOST_FILE, looks_secret
from aeollm.deployment.plan import Deployment
from aeollm.errors import HubError, Problem, printable
from aeollm.version import __version__

if TYPE_CHECKING:
    from huggingface_hub import HfApi

Values = Callable[[tuple[str, ...]], Mapping[str, str]]
"""Gives the values of secrets by their names."""

_OURS = "aeollm/__init__.py"
_MESSAGES = {
    "not_logged_in": "There is no token for the Hub.",
    # The Hub tells the two alike.
    "bad_token": "The Hub does not accept the token: it is wrong, or has expired.",
    "token_reads_only": "The token may only read.",
    "forbidden": "The token may not write to {repo}.",
    "name_taken": "There is already a Space {repo}, which is not this project's.",
    "offline": "The Hub cannot be reached.",
    "offline_by_choice": "HF_HUB_OFFLINE switches the Hub off.",
    "rate_limited": "The Hub refuses for now: there were too many requests (rate limit).",
    "server_error": "The Hub failed to answer.",
    "changed_meanwhile": "Somebody else changed {repo} at the same time.",
    "bad_front_matter": "The Hub does not take README.md: {told}",
    "refused": "The Hub refused: {told}",
}
_REMEDIES = {
    "not_logged_in": "Log in with `hf auth login`, or set HF_TOKEN.",
    "bad_token": "Make a new one at https://huggingface.co/settings/tokens, and log in or set HF_TOKEN.",
    "token_reads_only": "Make one that may write at https://huggingface.co/settings/tokens.",
    "forbidden": "Check OWNER: your account's name, or an organisation that lets you write.",
    "name_taken": "Choose another name; its files are left alone.",
    "offline": "Check the connection and the proxy, then run the command again: it goes on from where it was.",
    "offline_by_choice": "Unset it, and run the command again.",
    "rate_limited": "Please try again {when}: the command goes on from where it was.",
    "server_error": "Please try again {when}: the command goes on from where it was.",
    "changed_meanwhile": "Run the command again.",
    "bad_front_matter": "Mend the lines between --- at its beginning.",
    "refused": "See what it says.",
}
_BY_STATUS = {401: "bad_token", 403: "forbidden", 404: "forbidden", 409: "changed_meanwhile", 412: "changed_meanwhile"}


@dataclass(frozen=True, slots=True)
class Deployed:
    """What was done. ``commit`` is None where all files were there already."""

    url: str
    created: bool
    commit: str | None
    added: int
    removed: int


def deploy(plan: Deployment, values: Values, *, token: str | None = None) -> Deployed:
    """Create or update the Space: settings first, so that it never runs without them, then its files in one commit.

    What was deployed here before and is no longer part of the project is removed; a Space of something else is
    left alone. Running it again changes nothing.

    Parameters
    ----------
    plan : what the Space shall be.
    values : asked for the secrets to set.
    token : HF_TOKEN or the stored login by default.

    Raises
    ------
    HubError
        With one problem, its kind one of those above; it carries no token and no secret.
    """
    try:
        return _deploy(plan, values, token)
    except tuple(_kinds()) as error:
        refusal = _explained(error, plan)
    # Raised below, not in the except block: a chained client error holds the request and its headers.
    raise refusal


def _deploy(plan: Deployment, values: Values, token: str | None) -> Deployed:
    from huggingface_hub import constants  # noqa: PLC0415 - slow to import

    api = _signed_in(plan, token)
    found = _there(api, plan)
    there = found or _Space(None, {}, {}, frozenset())
    secrets = values((*plan.secrets, *(name for name in plan.needed if name not in there.secrets)))
    held = looks_secret(plan.content, secrets.values())
    if held:
        raise HubError(plan.repo, held)
    if found is None:
        api.create_repo(plan.repo, repo_type="space", space_sdk="gradio", private=plan.private)
        there = replace(there, commit=api.space_info(plan.repo).sha)
    elif plan.private:
        api.update_repo_settings(plan.repo, repo_type="space", private=True)
    for name, value in plan.variables.items():
        if there.variables.get(name) != value:
            api.add_space_variable(plan.repo, name, value)
    for name, value in secrets.items():
        api.add_space_secret(plan.repo, name, value)
    return _sent(api, plan, there, f"{constants.ENDPOINT}/spaces/{plan.repo}", created=found is None)


def _signed_in(plan: Deployment, token: str | None) -> HfApi:
    """Give the Hub's client for a token that is known to be good for writing, as far as it tells."""
    from huggingface_hub import HfApi, get_token  # noqa: PLC0415 - slow to import

    token = (token or "").strip() or get_token()
    if not token:
        raise _refusal("not_logged_in", plan)
    if not (token.isascii() and token.isprintable()):  # the client's error would quote it
        raise _refusal("bad_token", plan)
    api = HfApi(token=token, library_name="aeollm", library_version=__version__)
    if api.whoami()["auth"].get("accessToken", {}).get("role") == "read":
        raise _refusal("token_reads_only", plan)
    return api


@dataclass(frozen=True, slots=True)
class _Space:
    """A Space as it is: its commit, files with their git hashes, variables, names of secrets."""

    commit: str | None
    files: Mapping[str, str]
    variables: Mapping[str, str]
    secrets: frozenset[str]


def _there(api: HfApi, plan: Deployment) -> _Space | None:
    """Give the Space if there is one of this project."""
    from huggingface_hub import errors, hf_api  # noqa: PLC0415 - slow to import

    try:
        commit = api.space_info(plan.repo).sha
    except errors.RepositoryNotFoundError:
        return None
    listed = api.list_repo_tree(plan.repo, recursive=True, repo_type="space", revision=commit)
    files = {file.path: file.blob_id for file in listed if isinstance(file, hf_api.RepoFile)}
    # A Space that was created, but whose files did not arrive any more, has what the Hub puts there.
    if _OURS not in files and set(files) - {".gitattributes", "README.md"}:
        raise _refusal("name_taken", plan)
    variables = {name: found.value or "" for name, found in api.get_space_variables(plan.repo).items()}
    return _Space(commit, files, variables, frozenset(api.get_space_secrets(plan.repo)))


def _sent(api: HfApi, plan: Deployment, there: _Space, url: str, *, created: bool) -> Deployed:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, errors  # noqa: PLC0415 - slow to import

    ours = tuple(f"{folder}/" for folder in FOLDERS)
    stale = [path for path in there.files if path not in plan.content and (path.startswith(ours) or path == HOST_FILE)]
    new = {path: text for path, text in plan.content.items() if there.files.get(path) != _blob_id(text)}
    if not stale and not new:
        return Deployed(url, created, None, 0, 0)
    operations: list[Any] = [CommitOperationAdd(path, text) for path, text in new.items()]
    operations += [CommitOperationDelete(path, is_folder=False) for path in stale]
    message = f"Deploy aeollm {__version__}"
    try:
        done = api.create_commit(
            plan.repo, operations, commit_message=message, repo_type="space", parent_commit=there.commit
        )
    except ValueError as error:
        if isinstance(error, errors.HfHubHTTPError):
            raise
        refusal = _refusal("bad_front_matter", plan, told=str(error))
    else:
        return Deployed(url, created, done.oid, len(new), len(stale))
    raise refusal


def _blob_id(content: bytes) -> str:
    """Give the hash by which git names a file's content."""
    import hashlib  # noqa: PLC0415 - with the rest that only a deployment needs

    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _refusal(kind: str, plan: Deployment, when: str = "later", told: str = "") -> HubError:
    message = _MESSAGES[kind].format(repo=plan.repo, told=printable(told) or "it did not say why.")
    return HubError(plan.repo, [Problem("error", kind, message, _REMEDIES[kind].format(when=when))])


def _kinds() -> dict[type[Exception], str]:
    """List what goes wrong outside of this program; the first family that fits an error names its kind."""
    import httpx2  # noqa: PLC0415 - slow to import
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    return {
        errors.OfflineModeIsEnabled: "offline_by_choice",
        errors.HfHubHTTPError: "",  # by status
        httpx2.TransportError: "offline",
        httpx2.HTTPError: "server_error",
        ConnectionError: "offline",
        TimeoutError: "offline",
    }


def _explained(error: Exception, plan: Deployment) -> HubError:
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    kind = next(kind for family, kind in _kinds().items() if isinstance(error, family))
    if not isinstance(error, errors.HfHubHTTPError):
        return _refusal(kind, plan, "in a few minutes")
    status, told = error.response.status_code, error.response.headers.get("X-Error-Message", "")
    kind = _BY_STATUS.get(status, "server_error" if status >= 500 else "rate_limited" if status == 429 else "refused")
    seconds = re.match(r"[0-9]{1,6}$", error.response.headers.get("Retry-After", ""))
    return _refusal(kind, plan, f"in {seconds[0]} seconds" if seconds else "in a few minutes", told)
