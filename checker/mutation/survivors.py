"""The file of accepted survivors: TOML, one table a mutant, each with the reason why nothing changes without its guard.

protocol = "kip-320"
bounds = { replicas = 3, log_size = 2, records = 2, max_epoch = 2 }

[[survivor]]
mutant = "kip_320.py Kip320.become_follower: drop require #1"
removed = "self.presumes_leadership(leader)"
reason = "..."
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.errors import ConfigurationError, UsageError
from epochal.spec.language.suggestions import advice

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

    from .result import Accepted, Outcome

KEYS = ("protocol", "bounds", "survivor")
FIELDS = ("mutant", "removed", "reason")


def read_survivors(path: Path, protocol: Protocol) -> tuple[Accepted, ...]:
    """The accepted survivors of a protocol at its bounds.

    Fails with exit code 151 if the file cannot be understood, and with 2 if it is about another protocol or bounds.
    """
    from .result import Accepted

    document = _parsed(path)
    _known(path, document, KEYS, "keys")
    bounds = protocol.bounds.as_dict()
    if document.get("protocol") != protocol.name or document.get("bounds") != bounds:
        about = f"{document.get('protocol')!r} at {_options(document.get('bounds'))}"
        raise UsageError(
            f"{path} is about {about}, not about {protocol.name!r} at {_options(bounds)}.\n"
            "  What survives depends on the bounds: give those of the file, or another file.",
        )
    found = []
    for number, entry in enumerate(document.get("survivor", []), start=1):
        if not isinstance(entry, dict):
            raise _bad(path, f"survivor {number} is no table")
        _known(path, entry, FIELDS, "fields of a survivor")
        for name in FIELDS:
            if not isinstance(entry.get(name), str) or not entry[name].strip():
                raise _bad(path, f"survivor {number} ({entry.get('mutant', '?')}) needs a text for '{name}'")
        found.append(Accepted(**entry))
    ids = [one.mutant for one in found]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise _bad(path, f"{twice[0]} is listed twice")
    return tuple(found)


def survivor_heading(protocol: Protocol) -> list[str]:
    """The first lines of a file: what it is about."""
    bounds = ", ".join(f"{name} = {value}" for name, value in protocol.bounds.as_dict().items())
    return [f"protocol = {_text(protocol.name)}", f"bounds = {{ {bounds} }}", ""]


def survivor_tables(outcomes: Iterable[Outcome]) -> list[str]:
    """The lines that accept survivors, for a person to add the reasons."""
    lines = []
    for one in outcomes:
        mutant = one.mutant
        lines += ["[[survivor]]", f"mutant = {_text(mutant.id)}", f"removed = {_text(mutant.removed)}"]
        lines += ['reason = ""', ""]
    return lines


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(path, f"it is not valid TOML: {error}") from error


def _known(path: Path, table: dict[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in table:
        if key not in keys:
            raise _bad(path, f"unknown key '{key}'. {advice(key, keys, what)}")


def _text(text: str) -> str:
    """A text as TOML writes it, which for a line of text is as JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _bad(path: Path, message: str) -> ConfigurationError:
    return ConfigurationError(f"{path}: {message}")


def _options(bounds: object) -> str:
    if not isinstance(bounds, dict):
        return "no bounds"
    return " ".join(f"--{str(name).replace('_', '-')} {value}" for name, value in bounds.items())
