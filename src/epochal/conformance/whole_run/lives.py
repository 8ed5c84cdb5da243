"""What one broker says of a partition, process by process, in as many orders as it has log files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from epochal.evidence.broker_events import (
    BrokerEvent,
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    LogLoaded,
    LogRead,
    PartitionMade,
    Process,
    RoleKept,
    RoleTaken,
    Truncated,
)
from epochal.evidence.place import Place
from epochal.evidence.replicas import Replica

Lane = tuple[BrokerEvent, ...]

EXPLAINED = (RoleTaken, RoleKept, IsrUpdated, IsrShrinks, HighWatermarkMoved, Truncated, FetcherAdded)
"""The lines that a run has to explain. Others repeat what these say, or are of nothing that the specification has."""


@dataclass(frozen=True)
class Start:
    """How a broker took up its log: whether in a new process, where the log ends on disk, and the high watermark there.

    What is not in the evidence is None. `process.clean` says whether the process before it was shut down. `is_either`
    says that it may be a new process, or a replica that was given to a running one: state-change.log alone tells of
    both by "Creating new partition".
    """

    process: Process | None = None
    kept: int | None = None
    stored: int | None = None
    is_either: bool = False


@dataclass(frozen=True)
class Life:
    """A broker's events from taking up the log to the next time, a lane for each of its log files.

    Without a start the evidence begins in the middle. `disk` is what is found on its disk after all that it says: then
    this is the last life, and has no lanes. `place` is where the log was loaded.
    """

    start: Start | None
    lanes: tuple[Lane, ...]
    disk: Replica | None = None
    place: Place | None = None


EITHER = Start(Process(None), is_either=True)


def lives_of(logs: Iterable[Sequence[BrokerEvent]]) -> tuple[Life, ...]:
    """The lives of a broker's replica. Log files that tell of fewer lives than others lack the first."""
    logs = tuple(logs)
    told = any(isinstance(one.event, Process) for events in logs for one in events)
    lanes = [lives for lives in (_lives_of_lane(events, told) for events in logs) if lives]
    most = max(map(len, lanes), default=0)
    found: list[Life] = []
    for number in range(most):
        parts = [lives[number - (most - len(lives))] for lives in lanes if number >= most - len(lives)]
        starts = [life.start for life in parts]
        start = None if None in starts else next((one for one in starts if one not in (Start(), EITHER)), starts[0])
        place = next((life.place for life in parts if life.start == start and life.place is not None), None)
        found.append(Life(start, tuple(lane for life in parts for lane in life.lanes if lane), place=place))
    return tuple(found)


def _lives_of_lane(events: Sequence[BrokerEvent], processes: bool) -> list[Life]:
    """The lives that one log file tells of: they begin where the log is loaded, else where the partition is made.

    Where no log of the broker tells of `processes`, each partition that is made may be that of a new one.
    """
    loads = any(isinstance(one.event, LogLoaded) for one in events)
    found: list[tuple[Start | None, list[BrokerEvent], Place | None]] = []
    start: Start | None = None
    for one in events:
        event = one.event
        if isinstance(event, Process):
            start = Start(_both(start.process, event) if start is not None and start.process is not None else event)
        elif isinstance(event, LogRead):
            start = replace(start or Start(), kept=event.end)
        elif isinstance(event, LogLoaded):
            if start is not None:  # else it is the log of a move to another directory
                found.append((replace(start, stored=event.high_watermark), [], one.place))
            start = None
        elif isinstance(event, PartitionMade):
            if not loads:
                found.append((Start() if processes else EITHER, [], one.place))
        elif isinstance(event, EXPLAINED):
            if not found:
                found.append((None, [], None))
            found[-1][1].append(one)
    return [Life(begins, (tuple(said),), place=place) for begins, said, place in found]


def _both(one: Process, other: Process) -> Process:
    """A process says of each of its log directories whether it was closed, and a new directory says nothing.

    Where they say different things it is not known of which the partition is, nor whether there were two processes.
    """
    said = {process.clean for process in (one, other) if process.clean is not None}
    return Process(said.pop() if len(said) == 1 else None)


def offsets_of(life: Life) -> Iterable[int]:
    """Every offset that a life speaks of."""
    if life.disk is not None and life.disk.end is not None:
        yield life.disk.end
        yield from (stretch.first for stretch in life.disk.stretches)
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
