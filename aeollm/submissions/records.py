"""A submission as it is stored: what is known about a file, and the receipt made of it."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from aeollm.errors import HostingError, Problem

FORMAT = 1
"""Of the metadata; it changes when older programs could misread newer files."""
_NAME = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)
"""Of a phase and an id, which become folders."""
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


@dataclass(frozen=True, slots=True)
class Submission:
    """One accepted file and who sent it, when (UTC) and as what.

    ``digest`` is the SHA-256 of the ``size`` bytes, ``signature`` how they were to be scored. The ``id`` is
    random, so that it cannot be guessed from another one, and sorts by time.
    """

    id: str
    phase: str
    team: str
    account: str
    received: datetime
    file_name: str
    method: str
    description: str
    digest: str
    size: int
    signature: str

    def to_bytes(self) -> bytes:
        """Write the metadata: the same submission gives the same bytes."""
        known = {"format": FORMAT, **asdict(self), "received": self.received.strftime(_TIME)}
        return (json.dumps(known, ensure_ascii=False, indent=1) + "\n").encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Submission:
        """Read metadata.

        Raises
        ------
        HostingError
            If it is not what `to_bytes` writes.
        """
        try:
            known: dict[str, Any] = json.loads(content)
            if known.pop("format") != FORMAT:
                raise ValueError("another format")
            received = datetime.strptime(known.pop("received"), _TIME).replace(tzinfo=UTC)
            found = cls(received=received, **known)
            texts = [getattr(found, named.name) for named in fields(cls) if named.name not in {"received", "size"}]
            if type(found.size) is not int or not all(isinstance(text, str) for text in texts):
                raise ValueError("other types")
            found.to_bytes()  # lone surrogates cannot be written again
            if not (_NAME.fullmatch(found.id) and _NAME.fullmatch(found.phase)):
                raise ValueError("no names of folders")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            message = f"the metadata of a submission cannot be read: {error}."
            remedy = "Restore the file from the store's history; nothing here changes it."
            raise HostingError("store", [Problem("error", "store_damaged", message, remedy)]) from None
        return found

    @property
    def order(self) -> tuple[datetime, str]:
        """Give what submissions are sorted by: time, then id."""
        return self.received, self.id


def new_id(received: datetime) -> str:
    """Make an id: the time to the second, and 64 random bits."""
    return f"{received:%Y%m%dT%H%M%SZ}-{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a team gets once its submission is stored for good; ``seal`` is empty where the host has no key."""

    submission: Submission
    seal: str

    def to_json(self) -> dict[str, object]:
        """Give id, time, hash and signature, what else was handed in, and the seal over all of it."""
        return {**json.loads(self.submission.to_bytes()), "seal": self.seal}

    def to_bytes(self) -> bytes:
        """Write the receipt as a JSON file."""
        return (json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n").encode()


def sealed(submission: Submission, key: str) -> Receipt:
    """Make the receipt; its seal is an HMAC-SHA256 of the metadata's bytes under the host's key."""
    seal = hmac.new(key.encode(), submission.to_bytes(), sha256).hexdigest() if key else ""
    return Receipt(submission, seal)


def genuine(content: bytes, key: str) -> bool:
    """Say whether a receipt's bytes are one that a host with this key gave."""
    try:
        known = json.loads(content)
        seal = known.pop("seal")
        submission = Submission.from_bytes(json.dumps(known).encode())
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):  # HostingError is a ValueError
        return False
    return bool(key) and isinstance(seal, str) and hmac.compare_digest(seal, sealed(submission, key).seal)
