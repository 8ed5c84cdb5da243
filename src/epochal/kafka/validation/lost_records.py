"""What clients were told, held against the log of the present leader: records that are written, and no longer there.

Where nobody leads, as after all brokers were stopped, it is the log of the last one that led.

The history of the clients must be no newer than the copies of the segments: a record that was acknowledged after a
segment had been copied is not in that copy. Where the checkpoint, the leader's own log or another replica shows that
the leader had more than its copy has, that is told, and nothing is called lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ..evidence.broker_events import RoleKept, RoleTaken
from ..evidence.broker_log import BrokerLog
from ..evidence.client_history import Acknowledged, ClientHistory, Sent, WasRead
from ..evidence.disks import Replica
from ..evidence.place import Named, OfNamed, Place
from .held import Known
from .noticed import Noticed, Weight

WAITS = ("all", "-1", None)
"""With these a producer waits for the ISR; a consumer reads what is committed."""

ONE_COPY = "acks=1 (S25)"
UNEXPLAINED = "no event here explains it"

MOST = 40
"""How much of a value is shown."""


@dataclass
class ClientsVerdict:
    """How many records that clients were told of are in the log of the present leader; `lost` are those that are not.

    `left_out` are those of which that cannot be said, by reason.
    """

    kept: int = 0
    lost: list[Noticed] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class _NotKnown(Exception):
    """Why it cannot be said whether a record is there."""


def judge_clients(
    histories: Iterable[ClientHistory],
    replicas: Iterable[Replica],
    known: Known,
    causes: Mapping[str, str],
    logs: Collection[BrokerLog] = (),
) -> ClientsVerdict:
    """Hold what clients were told against the logs. `causes` are, by partition, what may explain a loss.

    `logs` of brokers say how far they led.
    """
    verdict = ClientsVerdict()
    replicas = tuple(replicas)
    copies: dict[tuple[Named, int], list[Replica]] = {}
    for one in replicas:
        copies.setdefault((one.named, one.broker), []).append(one)
    histories = tuple(histories)
    nowhere = _without_offset(histories)
    if nowhere:
        verdict.left_out["its client was not told at which offset it is"] = nowhere
    for record in _records(histories):
        of, name = record.named, record.shown
        try:
            leader, others = _leader(known, of)
            had = _had(known, of, leader, logs, [one for one in replicas if one.named == of])
            missing = _missing(copies.get((of, leader), []), record.offset, record.value, had)
            if missing is not None and any(_has(copies.get((of, one), []), record) for one in others or ()):
                raise _NotKnown("the partition has no leader, and one that may lead has it; who led last has not")
        except _NotKnown as reason:
            verdict.left_out[str(reason)] += 1
            continue
        if missing is None:
            verdict.kept += 1
            continue
        leads = "leads" if others is None else "led last"
        says = f"{record.told()}; the log of broker {leader}, which {leads}, {missing}"
        about = causes.get(name, UNEXPLAINED) if record.acks in WAITS else ONE_COPY
        verdict.lost.append(Noticed(record.place, None, name, about, says, Weight.LOST))
    return verdict


def known_partitions(histories: Iterable[ClientHistory]) -> set[Named]:
    """The partitions of which clients were told something."""
    return {line.event.named for history in histories for line in history.lines}


@dataclass
class _Record(OfNamed):
    """A record of which clients say where it is. `acks` is None if only consumers do."""

    place: Place
    topic: str
    number: int
    offset: int
    value: str
    acks: str | None = None
    acknowledged: bool = False
    read: bool = False

    def told(self) -> str:
        """What clients were told of it."""
        how = ["acknowledged" + (f" (acks={self.acks})" if self.acks else "")] if self.acknowledged else []
        how += ["read"] if self.read else []
        return f"{self.value[:MOST]!r} at offset {self.offset} was {' and '.join(how)}"


def _records(histories: Iterable[ClientHistory]) -> Iterator[_Record]:
    """Each record once, where it is first told of. Those sent without waiting for an answer have no offset."""
    for history in histories:
        acks: dict[tuple[str, int, str], str] = {}
        found: dict[tuple[str, int, int, str], _Record] = {}
        for line in history.lines:
            event = line.event
            if isinstance(event, Sent):
                acks[event.topic, event.number, event.value] = event.acks
            elif isinstance(event, Acknowledged | WasRead) and event.offset is not None and event.offset >= 0:
                of = (event.topic, event.number, event.offset, event.value)
                record = found.setdefault(of, _Record(line.place, *of))
                if isinstance(event, Acknowledged):
                    record.acknowledged, record.acks = True, acks.get((event.topic, event.number, event.value))
                else:
                    record.read = True
        yield from found.values()


def _without_offset(histories: Iterable[ClientHistory]) -> int:
    """How many records were acknowledged without an offset to producers that waited for an answer."""
    found: set[tuple[str, int, str]] = set()
    for history in histories:
        acks: dict[tuple[str, int, str], str] = {}
        for event in (line.event for line in history.lines):
            if isinstance(event, Sent):
                acks[event.topic, event.number, event.value] = event.acks
            elif isinstance(event, Acknowledged) and (event.offset is None or event.offset < 0):
                of = (event.topic, event.number, event.value)
                found |= {of} if acks.get(of) != "0" else set()
    return len(found)


def _leader(known: Known, of: Named) -> tuple[int, AbstractSet[int] | None]:
    """The present leader of a partition; or who led last, and the others that may lead next, of ISR and ELR."""
    lives = known.history.get(of, [])
    if not lives:
        raise _NotKnown("the metadata log here has no such partition")
    if len(lives) > 1 or lives[0].removed:
        raise _NotKnown("the topic was deleted")
    now = lives[0].at[lives[0].last]
    if now.leader is not None:
        return now.leader, None
    last = lives[0].last_leader
    if last is None:
        raise _NotKnown("the partition has no leader, and who led last is from before the metadata log here begins")
    return last, (now.isr | now.elr) - {last}


def _has(copies: list[Replica], record: _Record) -> bool:
    """Whether a log that is here has a record, as far as it can be told."""
    try:
        return _missing(copies, record.offset, record.value) is None
    except _NotKnown:
        return False


def _had(known: Known, of: Named, leader: int, logs: Collection[BrokerLog], replicas: Iterable[Replica]) -> int:
    """Up to where the log of a leader went in the last leader epoch in which it leads, as far as others tell.

    It begins that epoch with what it says, and its high watermark is within its log as long as its process goes on;
    replicas have the records of that epoch from nobody else.
    """
    (life,) = known.history[of]
    reign = max((epoch for epoch, led in life.leaders.items() if led == leader), default=None)
    had = 0
    for one in (one for log in logs for one in log.events):
        event = one.event
        if not isinstance(event, RoleTaken | RoleKept) or (event.named, one.broker) != (of, leader):
            continue
        if event.leads and event.leader_epoch == reign:
            had = event.offset if isinstance(event, RoleTaken) else max(had, event.high_watermark or 0)
    copied = [stretch.last + 1 for one in replicas for stretch in one.stretches if stretch.leader_epoch == reign]
    return max([had, *copied])


def _missing(copies: list[Replica], offset: int, value: str, had: int = 0) -> str | None:
    """What the leader's log has in the place of a record; None if it has it."""
    if not copies or copies[0].end is None:
        raise _NotKnown("no whole segments of the leader are here")
    (log, *others) = copies
    if others:
        raise _NotKnown("several copies of the leader's log are here")
    assert log.end is not None and log.start is not None  # said above
    if log.end < (log.high_watermark or 0):
        raise _NotKnown("the leader's high watermark is beyond its segments here: some are missing")
    if log.end < had:
        raise _NotKnown("the leader's log ended later than its copy here: it is copied earlier, or cut off")
    if offset >= log.end:
        return f"ends at {log.end}"
    if offset < max(log.start, log.log_start or 0):
        raise _NotKnown("the leader's log begins later: records are deleted after a time")
    there = log.values.get(offset)
    if there is None:
        raise _NotKnown(
            "the leader's log does not show a value there: a dump without values, or a log that is compacted"
        )
    if there == value.encode():
        return None
    return f"has {there[:MOST].decode('utf-8', 'replace')!r} there, of leader epoch {log.epoch_at(offset)}"
