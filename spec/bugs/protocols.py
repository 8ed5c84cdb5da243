"""The modern protocol without a rule and with it, at the bounds of a known bug: what is registered as `kraft-s15`."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import Any

from ..kraft.configuration import with_more, with_settings, with_steps
from ..kraft.kraft import Kraft
from ..kraft.rules import KraftBug
from ..kraft.settings import Settings
from ..kraft.state import KraftBounds
from ..language import bound
from .kraft import BUGS

BY_NAME: dict[str, tuple[KraftBug, bool]] = {
    name: (bug, rule) for bug in BUGS for name, rule in ((bug.without_rule, False), (bug.with_rule, True))
}
"""Every registered name, with the bug it belongs to and whether the rule is there."""


@functools.cache
def protocol_of(name: str) -> type[Kraft]:
    """The protocol that is registered under this name: `kraft-s15`, or `kraft-s15-fixed`.

    Both have the steps that the rule is about, and bounds whose defaults are those of the bug.
    """
    bug, rule = BY_NAME[name]
    settings = bug.sound if rule else bug.faulty
    base = with_steps(with_more(Kraft, *bug.steps), bug.faulty)
    made = with_settings(base, settings, name)
    made.__doc__ = (
        f"{bug.title} ({bug.name}): {'with' if rule else 'without'} the rule.\n\n{_difference(bug, settings)}"
    )
    made.__annotations__ = {"bounds": _bounds(bug, base.bounds_type())}
    return made


def _bounds(bug: KraftBug, base: Any) -> type[KraftBounds]:
    """The bounds of the protocol with other defaults."""
    chosen = {"replication_factor": 2, "records": 1, **bug.bounds}
    declared = {
        name: bound(chosen.get(name, one.least), least=one.least, most=one.most, help=one.help, why=one.why)
        for name, one in base.declared().items()
    }
    body = {"__annotations__": dict.fromkeys(declared, int), "__doc__": base.__doc__, **declared}
    made: type[KraftBounds] = dataclass(frozen=True)(type(f"BoundsOf{bug.id.upper()}", (base,), body))
    return made


def _difference(bug: KraftBug, settings: Settings) -> str:
    """Which settings are not those of the newest Kafka, and which of them is the rule."""
    values = {f.name: getattr(settings, f.name) for f in fields(Settings)}
    newest = Settings()
    other = [name for name, value in values.items() if value != getattr(newest, name)]
    beside = [f"{name} = {values[name]}" for name in other if name not in bug.rule]
    said = [f"The rule is {' and '.join(f'{name} = {values[name]}' for name in bug.rule)}."]
    if beside:
        said.append(f"Other settings that are not those of the newest Kafka: {', '.join(beside)}.")
    return " ".join(said)
