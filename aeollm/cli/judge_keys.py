"""Whose key goes where: from environment variables to judges, and to no other address."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping

from aeollm.cli.judging import wrong
from aeollm.errors import printable
from aeollm.methods import Judge


def keys_of(options: argparse.Namespace, judges: Mapping[str, Judge]) -> dict[str, str]:
    """Give judges their keys, from the environment: a judge's own, else the one for the place that options name.

    Without any a judge is asked without a key; the Hub login of the machine belongs to no other address than the Hub's.

    Raises
    ------
    UsageError
        If a variable is not set or a judge not there, or if a key would go to nobody.
    """
    variables = _variables(options.token_env, judges)
    keys = {name: _set(variable) for name, variable in variables.items()}
    common = keys.pop("", None)
    if common is None:
        return keys
    there = [name for name, judge in judges.items() if _belongs(common, judge, options)]
    if not there:
        remedy = "Name the address it is for by --base-url (or --provider), or the judge: --token-env NAME=VARIABLE."
        raise wrong(f"no judge is asked where the key of {printable(variables[''])} belongs.", remedy)
    return dict.fromkeys(there, common) | keys


def without_key(options: argparse.Namespace, judges: Mapping[str, Judge], keys: Iterable[str]) -> list[str]:
    """Say which judges are asked without a key, where one is named for others."""
    lacking = [judge for name, judge in judges.items() if judge.base_url and name not in keys]
    return [
        f"note: {printable(judge.name)} is asked without a key at {judge.base_url}: "
        f"its own is named by --token-env {printable(judge.name)}=VARIABLE."
        for judge in lacking
        if options.token_env
    ]


def _belongs(key: str, judge: Judge, options: argparse.Namespace) -> bool:
    """Tell whether a judge is asked at the place that options name, for which the unnamed key is."""
    if judge.base_url is not None or options.base_url is not None:
        return bool(judge.base_url == options.base_url)
    # A provider's own key goes to that provider itself; the Hub's goes to the Hub, whichever provider is behind it.
    return key.strip().startswith("hf_") or bool(judge.provider == options.provider)


def _variables(given: Iterable[str], judges: Mapping[str, Judge]) -> dict[str, str]:
    """Read VARIABLE, under an empty name, and NAME=VARIABLE."""
    found: dict[str, str] = {}
    for text in given:
        name, named, variable = text.partition("=")
        name, variable = (name, variable) if named else ("", text)
        if not variable or (named and not name):
            raise wrong(f"--token-env {printable(text)} is not VARIABLE or NAME=VARIABLE.")
        if name and name not in judges:
            raise wrong(f"the recipe has no judge {printable(name)}.", f"It has {', '.join(judges)}.")
        if name in found:
            whose = f"for {printable(name)}" if name else "without a judge's name"
            raise wrong(f"--token-env is there twice {whose}.", "Name one variable, or --token-env NAME=VARIABLE.")
        found[name] = variable
    return found


def _set(variable: str) -> str:
    key = os.environ.get(variable)
    if not key:
        raise wrong(f"the environment variable {printable(variable)} is not set.", "Set it to the key.")
    return key
