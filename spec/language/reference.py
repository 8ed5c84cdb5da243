"""A reference: a protocol's name and its settings after it, on one line.

Traces, lock files and configuration files name a protocol so, and it is also what one types after `epochal check`::

    kraft --kafka 3.5 --acks 1 --no-elr
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

from .configurable import SettingValue, configuration_of
from .errors import BoundsError
from .protocol import Protocol

MARK: Final = "--"
"""What begins the name of a setting."""

SEPARATOR: Final = f" {MARK}"


def option(name: str) -> str:
    """How a bound or a setting is named: `--min-insync-replicas`."""
    return MARK + name.replace("_", "-")


def negation(name: str) -> str:
    """How a switch is turned off: `--no-elr`."""
    return option(f"no_{name}")


def as_options(configuration: Mapping[str, object]) -> list[str]:
    """Values of bounds and settings: `["--acks", "1", "--no-elr"]`. Those of switches are true and false."""
    parts: list[str] = []
    for name, value in configuration.items():
        parts += [option(name) if value else negation(name)] if isinstance(value, bool) else [option(name), str(value)]
    return parts


def split_reference(reference: str) -> tuple[str, dict[str, object]]:
    """A reference as the name, and what its settings say, unchecked."""
    name, separator, rest = reference.partition(SEPARATOR)
    said: dict[str, object] = {}
    tokens = f"{MARK}{rest}".split() if separator else []
    while tokens:
        token = tokens.pop(0)
        if not token.startswith(MARK):
            raise BoundsError(
                f"{reference!r}: {token!r} belongs to no setting", advice=f"Write NAME {option('SETTING')} VALUE."
            )
        setting, equals, value = token.removeprefix(MARK).partition("=")
        setting = setting.replace("-", "_")
        if equals:
            said[setting] = value
        elif tokens and not tokens[0].startswith(MARK):
            said[setting] = tokens.pop(0)
        elif setting.startswith("no_"):
            said[setting.removeprefix("no_")] = False
        else:
            said[setting] = True
    return name, said


def joined(name: str, said: Mapping[str, SettingValue]) -> str:
    """A reference of a name and settings that are not checked yet, such as those of a table."""
    return " ".join([name, *as_options(said)])


def reference_to(name: str, kind: type[Protocol]) -> str:
    """How a protocol is named with its settings. `name` is its name without them."""
    return joined(name, configuration_of(kind))


def quoted(reference: str) -> str:
    """A reference as it is typed into a shell."""
    name, separator, settings = reference.partition(SEPARATOR)
    return shlex.join([name, *f"{separator}{settings}".split()])
