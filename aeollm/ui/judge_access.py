"""Where judges may be asked from the page, and what a visitor may name there."""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from aeollm.errors import Problem

PROVIDERS = (
    "auto",
    "baseten",
    "cerebras",
    "cohere",
    "deepinfra",
    "featherless-ai",
    "fireworks-ai",
    "groq",
    "hf-inference",
    "novita",
    "nscale",
    "ovhcloud",
    "publicai",
    "scaleway",
    "together",
    "zai-org",
)
"""Hugging Face providers of chat models; those that take no Hugging Face login are left out."""

_LOG = logging.getLogger(__name__)
_OWN_MACHINE = {"", "127.0.0.1", "localhost", "::1"}
# The Hub's client takes a model that starts with http:// for an address, and asks there.
_MODEL = re.compile(r"(?!.*\.\.)[A-Za-z0-9][\w.-]*/[A-Za-z0-9_][\w.-]*(?::[\w-]+)?")
_KEY = re.compile(r"[!-~]{1,4000}")


@dataclass(frozen=True, slots=True)
class Access:
    """Whether the page belongs to the machine's own user, who may name any endpoint.

    Elsewhere visitors ask Hugging Face providers with their own login: a server that fetches any address that a
    visitor types would be a hole.
    """

    local: bool

    @classmethod
    def here(cls, environment: Mapping[str, str] = os.environ) -> Access | None:
        """Read what the environment says; None where judges are not asked.

        A local preview asks, unless ``AEOLLM_JUDGE`` is ``off``. Where others can visit (hosted, on a Space, bound to
        other addresses than the machine's own, shared), it takes ``AEOLLM_JUDGE=on`` and a sign-in.
        """
        wish = environment.get("AEOLLM_JUDGE", "").strip().lower()
        if not _others_visit(environment):
            return None if wish == "off" else cls(local=True)
        if wish != "on":
            return None
        # Anywhere else gradio would sign every visitor in with the server's own login.
        on_space = environment.get("SYSTEM") == "spaces" and environment.get("SPACE_ID")
        if not (on_space and environment.get("OAUTH_CLIENT_ID")):
            _LOG.warning("AEOLLM_JUDGE=on needs a Space with hf_oauth: visitors ask with a login of their own.")
            return None
        return cls(local=False)


def _others_visit(environment: Mapping[str, str]) -> bool:
    hosted = any(environment.get(name) for name in ("AEOLLM_HOST", "SPACE_ID"))
    shared = environment.get("GRADIO_SHARE", "").strip().lower() in {"true", "1", "t", "yes"}
    return hosted or shared or environment.get("GRADIO_SERVER_NAME", "") not in _OWN_MACHINE


def wrong_provider(provider: str) -> Problem | None:
    """Refuse what is no provider."""
    if provider in PROVIDERS:
        return None
    return Problem("error", "provider", "this is no provider that can be asked here.", f"Name {', '.join(PROVIDERS)}.")


def wrong_model(model: str) -> Problem | None:
    """Refuse what is no model of the Hub."""
    if _MODEL.fullmatch(model):
        return None
    remedy = "Write it as on the Hub, such as Qwen/Qwen3-32B."
    return Problem("error", "model", "a provider's model is OWNER/NAME.", remedy, value=model)


def wrong_place(address: str) -> Problem | None:
    """Refuse addresses that are no endpoint's: of the link (cloud machines hold their keys there), of many, of none."""
    try:
        host = (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return None
    number = _number_of(host)
    if number is None:
        return None
    number = getattr(number, "ipv4_mapped", None) or number
    if number.is_link_local or number.is_multicast or number.is_unspecified or number.is_reserved:
        return Problem("error", "address", "no judge is asked at this address.", "Name the endpoint's own.", value=host)
    return None


def _number_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read a host that is a number, in whatever way systems do: 169.254.43518 and 0xA9FEA9FE are addresses, too."""
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    with suppress(OSError, UnicodeError):
        return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


def wrong_key(key: str) -> Problem | None:
    """Refuse what cannot be sent as a key, without telling what it was."""
    if _KEY.fullmatch(key):
        return None
    return Problem("error", "key", "the key holds blanks or letters that no key has.", "Copy it anew, without blanks.")
