"""How what is asked for is written on a command line: for the advice in reports, which can be copied."""

from __future__ import annotations

from collections.abc import Mapping

from epochal.spec.language import Protocol
from epochal.spec.language.configurable import as_options


def bounds_as_options(bounds: Mapping[str, int]) -> str:
    """Bounds by name, as options: `--replicas 3 --max-epoch 2`."""
    return " ".join(as_options(bounds))


def other_bounds(protocol: Protocol) -> str:
    """The bounds of a protocol that are not its defaults, as options: what somebody types to ask about it again."""
    declared = type(protocol.bounds).declared()
    given = protocol.bounds.as_dict()
    return bounds_as_options({name: value for name, value in given.items() if value != declared[name].default})
