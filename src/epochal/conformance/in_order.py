"""The order of the lines of a log, as far as files, their names and times agree on it, and lines that are there twice.

Shippers send a line at least once, windows of exports overlap, consoles show the newest line first, and a local clock
is set back. What a broker has written at one time in the same words is one line. Where times go back all the way a file
is read from its end. Where they go back some other way nothing of the order is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import TypeVar

from epochal.evidence.broker_events import UNKNOWN_BROKER, BrokerEvent
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.place import Place
from epochal.evidence.request_log import Request

from .whole_run.missing import OF_STATES

Line = tuple[str, int]
"""When a line was written, and what tells it from others of that time."""

SLACK = 1.0
"""So many seconds may a time lie before that of the line above: threads of one process write side by side."""

FEWEST = 3
"""So many lines within that, each older than the one before, are newest first; of rotated files as well so many."""

ROTATED = re.compile(r"[.-]\d[\d.-]*(?=$|\.log$)|\.(?:gz|bz2|xz)$")
"""What a rotation adds to the name of a log: a number or a day, and that it is compressed."""

DATE = 6
"""So many digits are a date, and fewer a number."""

_Of = TypeVar("_Of", BrokerEvent, Request, Place)


@dataclass(frozen=True)
class Part:
    """A file of a log: when it begins, and its lines that have a time, by file and number."""

    begins: str
    log: BrokerLog
    lines: Mapping[tuple[str, int | None], Line]

    def written(self, place: Place) -> str:
        """When what stands there was written; empty if that is not known."""
        return self.lines.get((place.file, place.line), ("", 0))[0]

    @property
    def places(self) -> Iterator[Place]:
        """Where something stands that matters."""
        log = self.log
        yield from (one.place for one in (*log.events, *log.asides))
        yield from (one.place for one in log.requests)
        yield from log.cut


def unrotated(name: str) -> str:
    """The name of a log, of whatever file of it."""
    while (shorter := ROTATED.sub("", name)) != name:
        name = shorter
    return name


def is_newest_first(times: Sequence[str]) -> bool:
    """Whether the times of a file only go back."""
    falls = sum(one > other for one, other in pairwise(times))
    rises = sum(one < other for one, other in pairwise(times))
    if falls <= rises or any(_goes_back(other, one) for one, other in pairwise(times)):
        return False
    return _goes_back(times[0], times[-1]) or (rises == 0 and falls >= FEWEST)


def from_the_end(log: BrokerLog) -> BrokerLog:
    """A log that was written newest first. What one line says stays in its order."""
    return BrokerLog(log.name, _turned(log.events), _turned(log.cut), _turned(log.asides), _turned(log.requests))


def _turned(some: Sequence[_Of]) -> tuple[_Of, ...]:
    return tuple(sorted(some, key=lambda one: -((one if isinstance(one, Place) else one.place).line or 0)))


def in_order(parts: Iterable[Part], seen: set[object]) -> tuple[list[BrokerLog], int]:
    """The files of one log in one, where their order is known; and how many lines were there before.

    `seen` are the lines of other logs, to which these are added: additive appenders write one into two.
    """
    found: list[Part] = []
    copied = 0
    for part in sorted(parts, key=lambda one: (one.begins, -len(one.lines), one.log.name)):
        kept, twice = _without_copies(part, seen)
        copied += twice
        if not twice or next(kept.places, None) is not None:
            found.append(kept)
    found.sort(key=lambda one: (one.begins, one.log.name))
    times = {one.begins for one in found}
    if len(found) > 1 and len(times) == len(found) and "" not in times:
        whole = _joined(found)
        if _names_agree([one.log.name for one in found]) and _is_believed(whole):
            return [whole.log], copied
    return [log for one in found for log in _as_believed(one, len(found) > 1)], copied


def _without_copies(part: Part, seen: set[object]) -> tuple[Part, int]:
    """A file without the lines that were there before, and how many these are."""
    name, here = unrotated(part.log.name), dict[object, int | None]()
    twice: set[int | None] = set()

    def is_new(place: Place, broker: int) -> bool:
        said = part.lines.get((place.file, place.line))
        if said is None:
            return True
        key = (said, broker, name if broker == UNKNOWN_BROKER else "")
        if key in seen or here.setdefault(key, place.line) != place.line:
            twice.add(place.line)
            return False
        return True

    log = part.log
    kept = BrokerLog(
        log.name,
        tuple(one for one in log.events if is_new(one.place, one.broker)),
        tuple(one for one in log.cut if is_new(one, UNKNOWN_BROKER)),
        tuple(one for one in log.asides if is_new(one.place, one.broker)),
        tuple(one for one in log.requests if is_new(one.place, UNKNOWN_BROKER)),
    )
    seen.update(here)
    if not twice:
        return part, 0
    left = replace(part, log=kept)
    return replace(left, begins=min(filter(None, map(left.written, left.places)), default=part.begins)), len(twice)


def _joined(parts: Sequence[Part]) -> Part:
    """The files of a log, one behind the other."""
    logs = [one.log for one in parts]
    log = BrokerLog(
        unrotated(logs[0].name),
        events=tuple(one for log in logs for one in log.events),
        cut=tuple(one for log in logs for one in log.cut),
        asides=tuple(one for log in logs for one in log.asides),
        requests=tuple(one for log in logs for one in log.requests),
    )
    return Part(parts[0].begins, log, {at: line for one in parts for at, line in one.lines.items()})


def _as_believed(part: Part, is_one_of_several: bool) -> Iterator[BrokerLog]:
    """A file, or each line of it for itself."""
    log = part.log if is_one_of_several else replace(part.log, name=unrotated(part.log.name))
    if _is_believed(part):
        yield log
        return
    yield BrokerLog(log.name, (), log.cut, log.asides)
    yield from (BrokerLog(log.name, (one,)) for one in log.events)
    yield from (BrokerLog(log.name, (), requests=(one,)) for one in log.requests)


def _is_believed(part: Part) -> bool:
    """Whether times go on where an order counts: state-change.log and server.log are two, also in one file."""
    last: dict[object, str] = {}

    def goes_on(lane: object, place: Place) -> bool:
        now = part.written(place)
        before = last.get(lane, "")
        last[lane] = max(before, now)
        return not now or not _goes_back(before, now)

    return all(goes_on((one.broker, isinstance(one.event, OF_STATES)), one.place) for one in part.log.events) and all(
        goes_on("requests", one.place) for one in part.log.requests
    )


def _goes_back(before: str, after: str) -> bool:
    """Whether a time lies before another, by more than threads explain."""
    if after >= before:
        return False
    try:
        return (_time(before) - _time(after)).total_seconds() > SLACK
    except ValueError:  # no day of a calendar
        return False


def _time(written: str) -> datetime:
    whole, _, part = written.partition(".")
    return datetime.fromisoformat(f"{whole}.{part[:6].ljust(6, '0')}")


def _names_agree(names: Sequence[str]) -> bool:
    """Whether the names of files, in the order of their times, may be those of a rotation in that order.

    What is not yet rotated is the newest. Dates go on. Numbers go down (log4j 1, logrotate), or up (log4j 2 and a
    `fileIndex` of `max`): with two files a clock that was set back looks the same.
    """
    *before, last = [_numbers(name) for name in names]
    rotated = before if not last else [*before, last]
    if not all(rotated) or len({_is_date(one) for one in rotated}) != 1:
        return False
    goes_up = all(one < other for one, other in pairwise(rotated))
    if _is_date(rotated[0]):
        return goes_up
    return all(one > other for one, other in pairwise(rotated)) or (len(rotated) >= FEWEST and goes_up)


def _numbers(name: str) -> tuple[int, ...]:
    """The numbers that a rotation has added to a name."""
    found: tuple[int, ...] = ()
    while (added := ROTATED.search(name)) is not None:
        if not added[0].startswith((".gz", ".bz2", ".xz")):
            found = (*map(int, re.findall(r"\d+", added[0])), *found)
        name = name[: added.start()] + name[added.end() :]
    return found


def _is_date(numbers: tuple[int, ...]) -> bool:
    return sum(len(str(one)) for one in numbers) >= DATE
