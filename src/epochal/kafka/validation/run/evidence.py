"""The evidence of one partition: what was decided, what each broker says, and the offsets at which something happened.

Records between two such offsets always go together, so that they count as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, dropwhile

from ...evidence.broker_events import BrokerEvent, FetcherAdded, IsrUpdated, OfPartition, Process, RoleKept, RoleTaken
from ...evidence.broker_log import BrokerLog
from ...evidence.client_history import ClientHistory, Sent
from ...evidence.disks import Replica
from ...evidence.place import Named, Place
from ..image import REGISTERED
from ..missing import OF_STATES, missing_lines, tells_no_roles
from .decided import Changed, Created, Decided, Lane, Life, OfBroker, Start, lives_of, offsets_of

# -- since snapshot ---------------------------------------------------------------------------------------------------
# A partition that was there before the metadata log begins: what brokers say since then, and what was in logs.
#
# Every cluster that has run for a week has such a log, while those of its brokers go further back. What they say of the
# life at the snapshot counts from the first line on that names a later partition epoch or leader epoch. What was in the
# replicas then nobody says, but their disks have it still: the records of leader epochs before that of the snapshot.


def lives_since(decided: Decided, broker: int, lives: tuple[Life, ...]) -> tuple[Life, ...]:
    """The lives of a broker's replica that the metadata log has.

    There is one for each registration, and the one before them if the broker was running; how that began is not known.
    """
    registrations = sum(
        1 for one in decided.decisions if isinstance(one, OfBroker) and (one.broker, one.says) == (broker, REGISTERED)
    )
    running = broker in decided.created.active or not decided.registers_first(broker)
    most = registrations + running
    kept = lives[-most:] if most else ()
    if not running or not kept:
        return kept
    if len(kept) < most:
        return (Life(None, ()), *kept)
    lanes = (_since(decided.created, lane) for lane in kept[0].lanes)
    return (replace(kept[0], start=None, lanes=tuple(lane for lane in lanes if lane)), *kept[1:])


def epochs_before(created: Created, lives: Mapping[int, tuple[Life, ...]], offsets: Iterable[int]) -> list[int]:
    """The leader epochs of the first records, of as many as are on a disk and from before the epoch of the snapshot."""
    disks = [life.disk for some in lives.values() for life in some if life.disk is not None]
    found: list[int] = []
    for offset in offsets:
        said = [epoch for disk in disks if (epoch := disk.epoch_at(offset)) is not None]
        if not said or min(said) >= created.partition.leader_epoch:
            break
        found.append(min(said))
    return found


def _since(created: Created, lane: Lane) -> Lane:
    return tuple(dropwhile(lambda one: not _is_later(created, one), lane))


def _is_later(created: Created, one: BrokerEvent) -> bool:
    event, then = one.event, created.partition
    if isinstance(event, (RoleTaken, RoleKept, IsrUpdated)):
        return event.partition_epoch > then.partition_epoch
    return isinstance(event, FetcherAdded) and event.leader_epoch > then.leader_epoch


WAITS_FOR_ISR = frozenset({"all", "-1"})
"""With these acks a producer is answered when the whole ISR has the record, and refused where that is too small."""


@dataclass(frozen=True)
class PartitionEvidence:
    """What was decided, and the lives of each broker's replica, by broker. A broker without lives left no log.

    `beyond` counts the lines that are about decisions after the end of the metadata log; they are left out. `missing`
    are lines that are not here, so that not finding a run says nothing; `without_roles` those without which no run can
    be found. `acks` is what producers waited for, as clients say; empty if they do not.
    """

    decided: Decided
    lives: Mapping[int, tuple[Life, ...]]
    beyond: int
    missing: str = ""
    without_roles: str = ""
    acks: frozenset[str] = frozenset()

    @property
    def any_acks(self) -> bool:
        """Whether producers are known to wait for less than the whole ISR."""
        return not self.acks <= WAITS_FOR_ISR

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The offsets at which something happened, in order."""
        said = chain.from_iterable(offsets_of(life) for lives in self.lives.values() for life in lives)
        return tuple(sorted({0, *said}))

    def without(self, said: BrokerEvent) -> PartitionEvidence:
        """The same without one line."""
        lives = {
            broker: tuple(
                replace(life, lanes=tuple(tuple(one for one in lane if one is not said) for lane in life.lanes))
                for life in some
            )
            for broker, some in self.lives.items()
        }
        return replace(self, lives=lives)

    def with_line(self, life: int, said: BrokerEvent) -> PartitionEvidence:
        """The same with one line more, somewhere in that life of its broker: nobody says between which others."""
        lives = list(self.lives[said.broker])
        lives[life] = replace(lives[life], lanes=(*lives[life].lanes, (said,)))
        return replace(self, lives={**self.lives, said.broker: tuple(lives)})

    def without_start(self, place: Place) -> PartitionEvidence:
        """The same without what a process found on its disk when it began: it is not known how it ended, either."""
        lives = {
            broker: tuple(
                replace(life, start=Start(Process(None))) if number and life.place == place else life
                for number, life in enumerate(some)
            )
            for broker, some in self.lives.items()
        }
        return replace(self, lives=lives)

    def without_disks(self, but_of: Collection[int] = ()) -> PartitionEvidence:
        """The same without what lies on disks, but for those of some brokers."""
        lives = {
            broker: tuple(life for life in some if life.disk is None or broker in but_of)
            for broker, some in self.lives.items()
        }
        return replace(self, lives=lives)

    @property
    def events(self) -> int:
        """How many decisions and lines there are."""
        lines = sum(len(lane) for lives in self.lives.values() for life in lives for lane in life.lanes)
        return len(self.decided.decisions) + lines


def evidence_of(
    decided: Decided,
    logs: Iterable[BrokerLog],
    replicas: Iterable[Replica] = (),
    histories: Iterable[ClientHistory] = (),
) -> PartitionEvidence:
    """The evidence of a partition from all logs of brokers, from what lies on their disks, and what clients say.

    What lies there is taken to be from after the last line of that broker. What state-change.log has and what
    server.log has are two orders, also where both are in one file: it may have been put together by time.
    """
    logs = tuple(logs)
    changes = [one.found.partition_epoch for one in decided.decisions if isinstance(one, Changed)]
    last = max(changes, default=decided.created.partition.partition_epoch)
    by_broker: dict[int, list[list[BrokerEvent]]] = {broker: [] for broker in decided.brokers}
    beyond = 0
    for log in logs:
        lanes: dict[tuple[int, bool], list[BrokerEvent]] = {}
        ended: set[int] = set()
        for one in log.events:
            event = one.event
            if one.broker not in by_broker or not (isinstance(event, Process) or _is_of(event, decided.named)):
                continue
            if isinstance(event, (RoleTaken, RoleKept, IsrUpdated)) and event.partition_epoch > last:
                ended.add(one.broker)
            if one.broker in ended:
                beyond += 1
            else:
                lanes.setdefault((one.broker, isinstance(event, OF_STATES)), []).append(one)
        for (broker, _), lane in lanes.items():
            by_broker[broker].append(lane)
    lives = {broker: lives_of(lanes) for broker, lanes in by_broker.items()}
    if decided.created.from_snapshot:
        lives = {broker: lives_since(decided, broker, some) for broker, some in lives.items()}
    missing = missing_lines(decided, logs, by_broker, lives)
    without_roles = tells_no_roles(decided, by_broker)
    for disk in replicas:
        if disk.named == decided.named and disk.end is not None and disk.broker in lives:
            said = lives[disk.broker] or (Life(None, ()),)
            lives[disk.broker] = (*said, Life(Start(kept=disk.end), (), disk))
    told = {broker: some for broker, some in lives.items() if some}
    return PartitionEvidence(decided, told, beyond, missing, without_roles, _acks(decided.named, histories))


def _acks(of: Named, histories: Iterable[ClientHistory]) -> frozenset[str]:
    """What producers waited for, as clients say."""
    events = (line.event for one in histories for line in one.lines)
    return frozenset(
        "all" if one.acks == "-1" else one.acks for one in events if isinstance(one, Sent) and one.named == of
    )


def _is_of(event: object, of: Named) -> bool:
    return isinstance(event, OfPartition) and event.named == of
