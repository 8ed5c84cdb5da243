"""A line of a broker's log that cannot be, or cannot be judged, and how that is told."""

from __future__ import annotations

from collections.abc import Mapping

from .image import Brokers, Partition

NOBODY = -1
"""How logs write that there is no leader."""

NAMES = {"isr": "ISR", "elr": "ELR"}


class Wrong(Exception):
    """A line that cannot be: what it says, and what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found)
        self.found, self.expected = found, expected


class Suspected(Exception):
    """A line that the version's rules allow, and that loses what was committed: what it says, and by what it may."""

    def __init__(self, found: str, why: str) -> None:
        super().__init__(found)
        self.found, self.why = found, why


class LeftOut(Exception):
    """A line that cannot be judged, and why."""


def leader_of(said: int) -> int | None:
    """The leader that a log names; None if it says that there is none."""
    return None if said == NOBODY else said


def sets_of(at: Partition) -> dict[str, Brokers]:
    """The sets of brokers that a log may print of a partition."""
    return {
        "isr": at.isr,
        "adding": at.adding,
        "removing": at.removing,
        "elr": at.elr,
        "replicas": frozenset(at.replicas),
    }


def told(leader: int | None, epoch: int | None, sets: Mapping[str, Brokers], at: int | None = None) -> str:
    """`leader 2 e1, ISR 2,3 at partition epoch 4`."""
    who = "no leader" if leader is None else f"leader {leader}"
    said = [who if epoch is None else f"{who} e{epoch}"]
    said += [f"{NAMES.get(name, name)} {listed(some)}" for name, some in sets.items()]
    return ", ".join(said) + ("" if at is None else f" at partition epoch {at}")


def listed(some: Brokers) -> str:
    """`1,2`."""
    return ",".join(map(str, sorted(some))) or "empty"


def cut_to(offset: int, high_watermark: int) -> str:
    """A truncation of what was committed."""
    return f"truncation to {offset}, and the high watermark was {high_watermark}"
