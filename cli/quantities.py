"""Durations such as `5m` and sizes such as `6G`, as types of options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

import click

if TYPE_CHECKING:
    NumberType = click.ParamType[float]
else:  # generic to the type checker only, in some versions of click
    NumberType = click.ParamType


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
