"""What one broker says of a partition, process by process, in as many orders as it has log files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from epochal.evidence.broker_events import (
    BrokerEvent,
    FetcherRemoved,
    HighWatermarkMoved,
    IsrShrinks,
    LogLoaded,
    LogRead,
    PartitionMade,
    Process,
    RoleKept,
    RoleTaken,
    Truncated,
)

Lane = tuple[BrokerEvent, ...]


@dataclass(frozen=True)
class Start:
    """How a broker took up its log: whether in a new process, where the log ends on disk, and the high watermark there.

    What is not in the evidence is None. `process.clean` says whether the process before it was shut down.
    """

    process: Process | None = None
    kept: int | None = None
    stored: int | None = None


@dataclass(frozen=True)
class Life:
    """A broker's events from taking up the log to the next time, a lane for each of its log files.

    Without a start the evidence begins in the middle.
    """

    start: Start | None
    lanes: tuple[Lane, ...]


def lives_of(logs: Iterable[Sequence[BrokerEvent]]) -> tuple[Life, ...]:
    """The lives of a broker's replica. Log files that tell of fewer lives than others lack the first."""
    lanes = [lives for lives in map(_lives_of_lane, logs) if lives]
    most = max(map(len, lanes), default=0)
    found: list[Life] = []
    for number in range(most):
        parts = [lives[number - (most - len(lives))] for lives in lanes if number >= most - len(lives)]
        starts = [life.start for life in parts]
        start = None if None in starts else next((one for one in starts if one != Start()), Start())
        found.append(Life(start, tuple(lane for life in parts for lane in life.lanes if lane)))
    return tuple(found)


def _lives_of_lane(events: Sequence[BrokerEvent]) -> list[Life]:
    """The lives that one log file tells of: they begin where the log is loaded, else where the partition is made."""
    loads = any(isinstance(one.event, LogLoaded) for one in events)
    found: list[tuple[Start | None, list[BrokerEvent]]] = []
    start: Start | None = None
    for one in events:
        event = one.event
        if isinstance(event, Process):
            start = Start(_both(start.process, event) if start is not None and start.process is not None else event)
        elif isinstance(event, LogRead):
            start = replace(start or Start(), kept=event.end)
        elif isinstance(event, LogLoaded):
            if start is not None:  # else it is the log of a move to another directory
                found.append((replace(start, stored=event.high_watermark), []))
            start = None
        elif isinstance(event, PartitionMade):
            if not loads:
                found.append((Start(), []))
        elif not isinstance(event, FetcherRemoved):
            if not found:
                found.append((None, []))
            found[-1][1].append(one)
    return [Life(begins, (tuple(said),)) for begins, said in found]


def _both(one: Process, other: Process) -> Process:
    """A process says of each of its log directories whether it was closed; a new directory says nothing."""
    said = [process.clean for process in (one, other) if process.clean is not None]
    return Process(all(said) if said else None)


@dataclass(frozen=True)
class Limits:
    """What is still to come in a lane, by the place that was reached: the next log end and high watermark, if known.

    Between a broker's own lines its log and its high watermark only grow, unless it truncates. `least` is what its log
    holds at least when the next line of a log end or a high watermark is told.
    """

    ends: tuple[int | None, ...]
    high_watermarks: tuple[int | None, ...]
    truncates: tuple[bool, ...]
    least: tuple[int, ...]


def limits_of(lane: Lane) -> Limits:
    """The limits at every place of a lane, its end included."""
    ends: list[int | None] = [None]
    high_watermarks: list[int | None] = [None]
    truncates = [False]
    least = [0]
    for one in reversed(lane):
        event, end, hw = one.event, ends[-1], high_watermarks[-1]
        if isinstance(event, RoleTaken):
            end, hw = event.offset, event.high_watermark
        elif isinstance(event, IsrShrinks):
            end, hw = event.end, event.high_watermark
        elif isinstance(event, RoleKept) and event.high_watermark is not None:
            hw = event.high_watermark
        cut = truncates[-1] or (isinstance(event, Truncated) and event.leader_end is not None)
        if isinstance(event, HighWatermarkMoved):
            least.append(event.high_watermark)
        elif isinstance(event, Truncated):
            least.append(event.offset)
        else:
            least.append(least[-1] if (end, hw) == (ends[-1], high_watermarks[-1]) else max(end or 0, hw or 0))
        ends.append(end)
        high_watermarks.append(hw)
        truncates.append(cut)
    return Limits(*(tuple(reversed(one)) for one in (ends, high_watermarks, truncates, least)))


def offsets_of(life: Life) -> Iterable[int]:
    """Every offset that a life speaks of."""
    if life.start is not None:
        yield from (one for one in (life.start.kept, life.start.stored) if one is not None)
    for one in (one for lane in life.lanes for one in lane):
        event = one.event
        if isinstance(event, RoleTaken):
            yield from (event.offset, event.high_watermark)
        elif isinstance(event, RoleKept) and event.high_watermark is not None:
            yield event.high_watermark
        elif isinstance(event, IsrShrinks):
            yield from (event.high_watermark, event.end)
            yield from (end for _, end in event.slow if end is not None and end >= 0)
        elif isinstance(event, HighWatermarkMoved):
            yield event.high_watermark
        elif isinstance(event, Truncated):
            yield event.offset
