"""Durations such as `5m` and sizes such as `6G`, as types of options."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import click

if TYPE_CHECKING:
    from epochal.checker.search.budget import Deadline


if TYPE_CHECKING:
    NumberType = click.ParamType[float]
    SampleType = click.ParamType[int | Literal["all", "off"]]
else:  # generic to the type checker only, in some versions of click
    NumberType = SampleType = click.ParamType


class Quantity(NumberType):
    """A positive number with an optional unit."""

    units: ClassVar[dict[str, int]]
    examples: ClassVar[str]

    def parsed(self, value: object) -> float | None:
        """The number in base units, or None if `value` is not one."""
        found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)", str(value).strip().lower())
        if found is None or found[2] not in self.units:
            return None
        number = float(found[1]) * self.units[found[2]]
        return number if number > 0 else None

    def rejected(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Fail with the message about a value that is no such quantity."""
        self.fail(f"{value!r} is not a {self.name}. Write {self.examples}.", param, ctx)


class Duration(Quantity):
    """Seconds. A number without a unit is seconds."""

    name = "duration"
    units: ClassVar[dict[str, int]] = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
    examples = "30s, 5m or 2h"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The duration in seconds."""
        number = self.parsed(value)
        return self.rejected(value, param, ctx) if number is None else number


class SampleSize(SampleType):
    """How many states are repeated: a whole number, `all` or `off`."""

    name = "number"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Literal["all", "off"]:
        """The number, or the word."""
        text = str(value).strip().lower()
        words: dict[str, Literal["all", "off"]] = {"all": "all", "off": "off"}
        if text in words:
            return words[text]
        if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) == 0:
            self.fail(f"{value!r} is no number of states. Write a whole number from 1 on, 'all' or 'off'.", param, ctx)
        return int(text)


class Size(Quantity):
    """Bytes. A number without a unit is bytes; units are powers of 1024."""

    name = "size"
    units: ClassVar[dict[str, int]] = {
        "": 1,
        "b": 1,
        **{unit + tail: 1024**power for power, unit in enumerate("kmgt", 1) for tail in ("", "b", "ib")},
    }
    examples = "512M or 6G"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The size in bytes."""
        number = self.parsed(value)
        return int(self.rejected(value, param, ctx) if number is None else number)


# -- patience ---------------------------------------------------------------------------------------------------------
# The patience of a command from its start on: --budget is known before the other options are.
#
# Which options a command has depends on the protocol, and to load that one is to run code of the user.

PATIENCE = "epochal.patience"
"""Where a command's context keeps its patience."""


def begun(args: Sequence[str], params: Sequence[click.Parameter], settings: Mapping[str, Any] | None) -> Deadline:
    """The patience of a command that begins now, with its budget and its limit of memory if it has such options.

    A value that is none is left to the command's parser, which says so.
    """
    from epochal.checker.search.budget import Deadline

    limits = {param.name: _said(args, param, settings or {}) for param in params}
    memory = limits.get("max_memory")
    return Deadline(limits.get("budget"), None if memory is None else int(memory))


def begun_at() -> float:
    """The moment at which the present command began."""
    patience: Deadline = click.get_current_context().meta[PATIENCE]
    return patience.begun


def _said(args: Sequence[str], param: click.Parameter, settings: Mapping[str, Any]) -> float | None:
    if not isinstance(param.type, Quantity):
        return None
    found: object = settings.get(str(param.name))
    if isinstance(param.envvar, str):
        found = os.environ.get(param.envvar) or found
    for at, word in enumerate(args):
        name, equals, value = word.partition("=")
        if name in param.opts:
            found = value if equals else args[at + 1] if at + 1 < len(args) else None
    return None if found is None else param.type.parsed(found)
