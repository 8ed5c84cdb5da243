"""What is told in one line: of many partitions to which the same happens by one event, and of many records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from epochal.checker.host.numbers import counted
from epochal.conformance.noticed import SHORT, Noticed, Weight
from epochal.evidence.place import Place

NAMED = 3
"""So many partitions are named."""


@dataclass(frozen=True)
class Line:
    """One line for what belongs together: where the first of it stands, and what is said of all."""

    place: Place
    says: str
    about: str
    weight: Weight


def told_together(events: Iterable[Noticed]) -> list[Line]:
    """The lines for these events, the heaviest first, and else in the order of the first of each."""
    groups: dict[Hashable, list[Noticed]] = {}
    for one in sorted(events, key=lambda one: one.weight):
        groups.setdefault(_together(one), []).append(one)
    return [_line(some) for some in groups.values()]


def _together(one: Noticed) -> Hashable:
    """What has the same of this goes into one line."""
    if one.weight is Weight.LOST:
        return one.partition, one.about
    where: Hashable = one.event or (one.place if one.offset is not None else one.place.file)
    return where, one.about, "" if one.about == SHORT and one.event is not None else one.says


def _line(some: list[Noticed]) -> Line:
    first, *others = some
    if not others:
        return Line(first.place, f"{first.partition}: {first.says}", first.about, first.weight)
    if first.weight is Weight.LOST:
        more = counted(len(others), "more record")
        says = f"{first.partition}: {first.says}; and {more} of it that clients were told of"
        return Line(first.place, says, first.about, first.weight)
    names = [one.partition for one in some]
    which = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
    said = "below min.insync.replicas: acks=all is refused" if first.about == SHORT else first.says
    if first.event is None:
        return Line(first.place, f"{counted(len(names), 'partition')}: {said}: {which}", first.about, first.weight)
    says = f"{first.event}: {counted(len(names), 'partition')}: {said}: {which}"
    return Line(first.event.place, says.replace(": below ", " below "), first.about, first.weight)
