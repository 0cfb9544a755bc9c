"""Places and labels that a hosted evaluation keeps hidden, found out wherever they turn up.

For what the server itself would show. Never for uploads, where the answer would tell whether a guess is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aeollm.sources import Settings
from aeollm.submissions.settings import HostSettings, HubPlace
from aeollm.tables import Labels


def is_private_place(host: HostSettings, asked: Settings) -> bool:
    """Say whether settings for public labels point to where a host keeps labels or submissions, or to a folder around.

    Nothing is read for that: what is wrong with a file of hidden labels would be told with its values.
    """
    if asked.labels is None:
        repos = {place.repo.casefold() for place in (host.labels, host.store) if isinstance(place, HubPlace)}
        return asked.repo.casefold() in repos
    own = asked.labels.resolve()
    places = [place.resolve() for place in local_places(host)]
    return any(own.is_relative_to(place) or place.is_relative_to(own) for place in places)


def is_from_private_place(host: HostSettings, labels: Labels) -> bool:
    """Say whether labels that were read come from where a host keeps labels or submissions."""
    repo = labels.source.rsplit("@", 1)[0]
    if labels.revision is not None and "/" in repo:
        return is_private_place(host, Settings(repo=repo))
    return any(Path(labels.source).resolve().is_relative_to(place.resolve()) for place in local_places(host))


def local_places(host: HostSettings) -> Sequence[Path]:
    """Give the files and folders here that hold labels (those of the demo are public), submissions, or waiting ones."""
    places = [host.store, host.spool] if host.demo else [host.labels, host.store, host.spool]
    return [place for place in places if isinstance(place, Path)]


def tells(labels: Labels, hidden: Labels) -> bool:
    """Say whether labels hold the scores of hidden ones: more than half of what both score, they score alike.

    Two sets of other reports may share their ids; their scores agree by chance only, one in five or less.
    """
    shared = [(labels.index[key], row) for key, row in hidden.index.items() if key in labels.index]
    columns = [
        (labels.dimensions.index(name), d) for d, name in enumerate(hidden.dimensions) if name in labels.dimensions
    ]
    if not shared or not columns:
        return False
    own, other = zip(*shared, strict=True)
    mine, theirs = zip(*columns, strict=True)
    both = labels.given[list(own)][:, list(mine)] & hidden.given[list(other)][:, list(theirs)]
    alike = labels.scores.values[list(own)][:, list(mine)] == hidden.scores.values[list(other)][:, list(theirs)]
    return bool((alike & both).sum() * 2 > both.sum())
