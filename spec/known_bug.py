"""A bug that a specification shows: where it was found, and which Kafka versions had it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownBug:
    """A bug of a released or proposed protocol. `since` and `until` are the first and the last version that had it.

    It is named by the protocol that has it, the properties that it breaks and the bounds, if they are not the defaults.
    `bounds` are the bounds, other than the defaults, within which its run is the shortest violation: at the defaults a
    shorter bug may hide it.
    """

    protocol: str
    properties: tuple[str, ...]
    title: str
    references: tuple[str, ...]
    since: str
    until: str
    bounds: tuple[tuple[str, int], ...] = ()


NEVER = "never released"
