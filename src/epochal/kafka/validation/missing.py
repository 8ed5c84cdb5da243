"""Which lines of brokers are not in the evidence, as far as the rest of it tells: that nobody says so is no refusal.

A run has to explain the lines that are there, and does without a line only what no broker writes one of. So where lines
are missing (of an excerpt, of a file that is not here, of a log that begins later or ends earlier) there may be none
although everything was as it should be. What a log tells twice says whether it is whole:

* `Transitioning n partition(s)` is followed by n roles, and a partition is made where a log is loaded;
* every registration of a broker is of a new process, which reads its logs;
* who follows a leader begins to fetch from it, unless it is shutting down and out of the ISR; and a leader whose
  followers leave the ISR has asked for that;
* who is active at the end acts on the last change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..evidence.broker_events import (
    UNKNOWN_BROKER,
    BrokerEvent,
    FetcherAdded,
    IsrShrinks,
    PartitionMade,
    Process,
    RoleKept,
    RolesFollow,
    RoleTaken,
)
from ..evidence.broker_log import BrokerLog
from ..evidence.place import Place
from .held import NOBODY
from .image import FENCED, REGISTERED, SHUTTING_DOWN, UNFENCED, Partition
from .run.decided import Changed, Decided, Life, OfBroker, lives_of

OF_STATES = (PartitionMade, RoleTaken, RoleKept)
"""What state-change.log tells; the rest is in server.log."""


def missing_lines(
    decided: Decided,
    logs: Iterable[BrokerLog],
    lanes: Mapping[int, Sequence[Sequence[BrokerEvent]]],
    lives: Mapping[int, Sequence[Life]],
) -> str:
    """The first thing that says that lines of a broker are missing; nothing if each log looks whole."""
    gaps = _gaps(logs)
    for broker in decided.brokers:
        found = next(_of_broker(decided, broker, lanes.get(broker, ()), lives.get(broker, ())), "")
        if not found and broker in gaps:
            found = f"between the lines of broker {broker} before {gaps[broker]}"
        if found:
            return found
    return ""


def tells_no_roles(decided: Decided, lanes: Mapping[int, Sequence[Sequence[BrokerEvent]]]) -> str:
    """The broker whose lines tell that it holds the partition, and never in which role, so that no run can be found."""
    for broker in decided.brokers:
        said = [one.event for lane in lanes.get(broker, ()) for one in lane if not isinstance(one.event, Process)]
        if said and not any(isinstance(event, RoleTaken | RoleKept) for event in said):
            return f"state-change.log of broker {broker}"
    return ""


def _of_broker(
    decided: Decided, broker: int, lanes: Sequence[Sequence[BrokerEvent]], lives: Sequence[Life]
) -> Iterator[str]:
    """What is missing of one broker."""
    events = [one.event for lane in lanes for one in lane]
    states = sum(isinstance(event, OF_STATES) for event in events)
    if not states or states == len(events):
        which = "the logs" if not events else "server.log" if states else "state-change.log"
        yield f"{which} of broker {broker}"
        return
    if len(lanes) > 2:
        yield f"the order of the {len(lanes)} files that broker {broker} wrote"
    if any(life.start is None for life in lives if life.disk is None):
        yield f"the beginning of the logs of broker {broker}"
    loaded = _loaded(lanes)
    if loaded != sum(isinstance(event, PartitionMade) for event in events) or any(
        life.start.kept is None for life in lives if life.start is not None and life.disk is None
    ):
        yield f"what broker {broker} says when it takes up its log"
    processes = sum(life.start is not None and life.start.process is not None for life in lives if life.disk is None)
    registered = _registrations(decided, broker)
    if processes != registered:
        yield f"the start of a process of broker {broker}: it has registered for {registered}, and tells of {processes}"
    fetches = {event.leader_epoch for event in events if isinstance(event, FetcherAdded)}
    roles = [event for event in events if isinstance(event, RoleTaken) and not event.leads and event.leader != NOBODY]
    first, idle = decided.created.partition.partition_epoch, _idle(decided, broker)
    acted = [event for event in roles if event.partition_epoch >= first and event.partition_epoch not in idle]
    due = {event.leader_epoch for event in acted}
    if not due <= fetches <= {event.leader_epoch for event in roles}:
        yield f"in which leader epochs broker {broker} follows, or fetches"
    if any(shrunk not in _shrinks(events) for shrunk in _shrunk(decided, broker)):
        yield f"that broker {broker} asks for a smaller ISR"
    if _last_to_act_on(decided, broker) > max(
        (event.partition_epoch for event in events if isinstance(event, RoleTaken | RoleKept)), default=-1
    ):
        yield f"the end of the logs of broker {broker}"


def _gaps(logs: Iterable[BrokerLog]) -> Mapping[int, Place]:
    """For each broker the first place before which roles are missing, or the line that announces them.

    So is, where a line is that of nobody knows whom, one for all who write there.
    """
    found: dict[int, Place] = {}
    for log in logs:
        expected: dict[int, int] = {}
        for one in log.events:
            if isinstance(one.event, RolesFollow):
                if expected.get(one.broker):
                    found.setdefault(one.broker, one.place)
                expected[one.broker] = one.event.number
            elif isinstance(one.event, RoleTaken | RoleKept):
                expected[one.broker] = expected.get(one.broker, 0) - 1
                if expected[one.broker] < 0:
                    found.setdefault(one.broker, one.place)
        for broker, number in expected.items():
            if number > 0:
                found.setdefault(broker, log.events[-1].place)
        unknown = next((one.place for one in log.events if one.broker == UNKNOWN_BROKER), None)
        if unknown is not None:
            for broker in {one.broker for one in log.events}:
                found.setdefault(broker, unknown)
    return found


def _registrations(decided: Decided, broker: int) -> int:
    """How many processes of a broker there were, from when the partition was created."""
    told = [one.says for one in decided.decisions if isinstance(one, OfBroker) and one.broker == broker]
    down = broker not in decided.created.active and decided.registers_first(broker)
    return told.count(REGISTERED) + (0 if down else 1)


def _loaded(lanes: Iterable[Sequence[BrokerEvent]]) -> int:
    """How often the log was taken up, and not loaded for a move to another directory, or once more, in between."""
    of_server = (lane for lane in lanes if not any(isinstance(one.event, OF_STATES) for one in lane))
    return sum(life.start is not None for life in lives_of(of_server))


def _idle(decided: Decided, broker: int) -> set[int]:
    """The partition epochs in which a broker that follows may begin no fetch: while it shuts down and is out of the ISR
    (ReplicaManager.applyLocalFollowersDelta). Its process knows that it shuts down before the controller does."""
    found: set[int] = set()
    here, shuts_down = _out_of_isr(decided.created.partition, broker), False
    for one in decided.decisions:
        if isinstance(one, Changed):
            here |= _out_of_isr(one.found, broker)
        elif one.broker == broker and one.says == SHUTTING_DOWN:
            shuts_down = True
        elif one.broker == broker and one.says == REGISTERED:
            found |= here if shuts_down else set()
            here, shuts_down = set(), False
    return found | here if shuts_down else found


def _out_of_isr(partition: Partition, broker: int) -> set[int]:
    return set() if broker in partition.isr else {partition.partition_epoch}


def _shrinks(events: Iterable[object]) -> set[tuple[frozenset[int], frozenset[int]]]:
    return {(event.before, event.after) for event in events if isinstance(event, IsrShrinks)}


def _shrunk(decided: Decided, leader: int) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """The smaller ISRs that a leader must have asked for: no record about a broker stands beside them."""
    was, before = decided.created.partition, None
    for number, one in enumerate(decided.decisions):
        if isinstance(one, Changed):
            following = decided.decisions[number + 1] if number + 1 < len(decided.decisions) else None
            same = (was.leader, was.leader_epoch) == (leader, one.found.leader_epoch) and was.leader == one.found.leader
            alone = not isinstance(before, OfBroker) and not isinstance(following, OfBroker)
            if same and alone and one.found.isr < was.isr:
                yield was.isr, one.found.isr
            was = one.found
        before = one


def _last_to_act_on(decided: Decided, broker: int) -> int:
    """The last partition epoch on which a broker acted, if it is active when it comes."""
    active, last = broker in decided.created.active, -1
    partition = decided.created.partition
    for one in (None, *decided.decisions):
        if isinstance(one, Changed):
            partition = one.found
        elif isinstance(one, OfBroker) and one.broker == broker:
            active = one.says == UNFENCED if one.says in (FENCED, UNFENCED, REGISTERED) else active
        if active and broker in partition.replicas:
            last = partition.partition_epoch
    return last
