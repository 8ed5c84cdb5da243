"""The state of a share group in Kafka and that of the model in the same form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from epochal.spec.language import Identifier
from epochal.spec.share_groups.state import UNKNOWN_OFFSET, Awaits, DeliveryState, Phase

from ..family import Leaves, Said

NOTHING = "nothing"
STATES: Mapping[int, DeliveryState] = {
    0: DeliveryState.AVAILABLE,
    1: DeliveryState.ACQUIRED,
    2: DeliveryState.ACKNOWLEDGED,
    4: DeliveryState.ARCHIVED,
}
"""What is persisted of a record, by its number in Kafka (RecordState)."""

AWAITS: Mapping[str, Awaits] = {
    "member": Awaits.TRANSITION,
    "timeout": Awaits.TIMEOUT,
    "start": Awaits.START,
    "nobody": Awaits.NOBODY,
}
OVER = frozenset({DeliveryState.ACKNOWLEDGED, DeliveryState.ARCHIVED})


# -- Kafka in the numbers of the specification ------------------------------------------------------------------------


class SeenShareGroup:
    """What the harness says, with leader epochs counted by elections, and state epochs by those before."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self.topic: Said = said["topic"]
        self.persisted = self._state(said["persisted"])
        self.replicated = self._state(said["replicated"])
        self.partitions = {int(epoch): self._partition(one) for epoch, one in said["partitions"].items()}
        self.writes = [None if one is None else self._write(one) for one in said["writes"]]
        self.told = frozenset(said["told"])

    def _leader_epoch(self, epoch: int) -> int:
        return max((place for place, one in enumerate(self.topic["epochs"]) if one <= epoch), default=0)

    def _state_epoch(self, epoch: int) -> int:
        return sum(one < epoch for one in self.said["stateEpochs"])

    def _state(self, said: Said | None) -> dict[str, Any]:
        if said is None:  # before 4.1 nothing is initialized
            return {"start": UNKNOWN_OFFSET, "state_epoch": 0, "leader_epoch": 0, "fence": 0, "records": {}}
        return {
            "start": said["start"],
            "state_epoch": self._state_epoch(said["stateEpoch"]),
            "leader_epoch": self._leader_epoch(said["leaderEpoch"]),
            "fence": self._leader_epoch(said["fence"]),
            "records": dict(_expanded(said["batches"])),
        }

    def _partition(self, said: Said) -> dict[str, Any]:
        return {
            "phase": said["phase"],
            "state_epoch": self._state_epoch(said["stateEpoch"]),
            "start": said["start"],
            "records": {
                offset: (DeliveryState(state.lower()), count, member, persisting)
                for offset, state, count, member, persisting in said["records"]
            },
        }

    def _write(self, said: Said) -> dict[str, Any]:
        batches = list(_expanded(said["batches"]))
        return {
            "awaits": AWAITS[said["awaits"]],
            "taken": said["taken"],
            "leader_epoch": self._leader_epoch(said["leaderEpoch"]),
            "state_epoch": self._state_epoch(said["stateEpoch"]),
            "start": said["start"],
            "records": dict(batches),
        }

    def is_starting(self, epoch: int) -> bool:
        """Whether the leader of an epoch has read the state, and writes before it serves."""
        return any(
            one is not None and one["awaits"] == Awaits.START and one["leader_epoch"] == epoch for one in self.writes
        )


def _expanded(batches: Iterable[tuple[int, int, int, int]]) -> Iterable[tuple[int, tuple[DeliveryState, int]]]:
    for first, last, state, count in batches:
        yield from ((offset, (STATES[state], count)) for offset in range(first, last + 1))


# -- leaves -----------------------------------------------------------------------------------------------------------


def _start(offset: int) -> str:
    return "no start" if offset == UNKNOWN_OFFSET else f"start {offset}"


def _epochs(state_epoch: int, leader_epoch: int) -> str:
    return f"state epoch {state_epoch}, leader epoch {leader_epoch}"


def _state(start: int, epochs: tuple[int, int, int], records: Mapping[int, tuple[DeliveryState, int]]) -> str:
    state_epoch, leader_epoch, fence = epochs
    said = [_start(start), f"{_epochs(state_epoch, leader_epoch)}, refuses below {fence}"]
    return "; ".join([*said, *(f"r{offset} {state.value} {count}x" for offset, (state, count) in records.items())])


def _in_flight(offset: int, start: int, state: DeliveryState, count: int, member: str | None, persisting: bool) -> str:
    """A record at a leader; "" if nothing is known of it, or it is over and below the start offset."""
    if state == DeliveryState.NONE or (state in OVER and offset < start):
        return ""
    of = f" by {member}" if state == DeliveryState.ACQUIRED else ""
    return f"r{offset} {state.value} {count}x{of}{', being written' if persisting else ''}"


def _leader(state_epoch: int, start: int, records: Iterable[str]) -> str:
    return "; ".join([f"{_start(start)}, state epoch {state_epoch}", *filter(None, records)])


def _write(awaits: Awaits, taken: bool, epochs: tuple[int, int], start: int, records: Iterable[str]) -> str:
    of = ", ".join(records) or "nothing of a record"
    where = "appended" if taken else "on its way"
    return f"{where}: {_start(start)}, {_epochs(*epochs)}, {of}; awaited by {awaits.value}"


def kafka_leaves(seen: SeenShareGroup, epochs: Iterable[int], slots: Iterable[int]) -> Leaves:
    """The leaves of Kafka's state."""
    topic = seen.topic
    leaves = {
        "log": f"{topic['start']} to {topic['highWatermark']}",
        "leader epoch": str(len(topic["epochs"]) - 1),
    }
    for name, own in (("persisted", seen.persisted), ("replicated", seen.replicated)):
        leaves[name] = _state(
            own["start"], (own["state_epoch"], own["leader_epoch"], own["fence"]), dict(sorted(own["records"].items()))
        )
    for epoch in epochs:
        leaves[f"leader of epoch {epoch}"] = _kafka_leader(seen, epoch)
    for slot in slots:
        write = seen.writes[slot] if slot < len(seen.writes) else None
        leaves[f"write {slot}"] = NOTHING if write is None else _kafka_write(write)
    return leaves


def _kafka_leader(seen: SeenShareGroup, epoch: int) -> str:
    own = seen.partitions.get(epoch)
    if own is None:
        return NOTHING
    if own["phase"] != "ACTIVE":
        return Phase.STARTING.value if seen.is_starting(epoch) else Phase.READING.value
    records = (_in_flight(offset, own["start"], *one) for offset, one in sorted(own["records"].items()))
    return _leader(own["state_epoch"], own["start"], records)


def _kafka_write(write: Mapping[str, Any]) -> str:
    records = [f"r{offset} {state.value} {count}x" for offset, (state, count) in write["records"].items()]
    epochs = (write["state_epoch"], write["leader_epoch"])
    return _write(write["awaits"], write["taken"], epochs, write["start"], records)


def model_leaves(state: Any) -> Leaves:
    """The leaves of the model's state."""
    leaves = {"log": f"{state.log_start} to {state.log_end}", "leader epoch": str(state.leader_epoch)}
    for name, own in (("persisted", state.persisted), ("replicated", state.replicated)):
        records = {
            offset: (own.records[offset].state, own.records[offset].count)
            for offset in own.records
            if own.records[offset].state != DeliveryState.NONE
        }
        leaves[name] = _state(own.start, (own.state_epoch, own.leader_epoch, own.fence), records)
    for epoch in state.partitions:
        leaves[f"leader of epoch {epoch}"] = _model_leader(state.partitions[epoch])
    for slot in state.writes:
        leaves[f"write {slot}"] = _model_write(state.writes[slot])
    return leaves


def _model_leader(own: Any) -> str:
    if own.phase == Phase.EMPTY:
        return NOTHING
    if own.phase != Phase.ACTIVE:
        return str(own.phase.value)
    records = (
        _in_flight(offset, own.start, one.state, one.count, _named(one.member), one.persisting)
        for offset, one in own.records.items()
    )
    return _leader(own.state_epoch, own.start, records)


def _named(member: Identifier | None) -> str:
    return "" if member is None else str(member)


def _model_write(write: Any) -> str:
    if write.awaits == Awaits.FREE:
        return NOTHING
    record = [f"r{write.offset} {write.state.value} {write.count}x"] * (write.state != DeliveryState.NONE)
    return _write(write.awaits, write.taken, (write.state_epoch, write.leader_epoch), write.start, record)


# -- properties -------------------------------------------------------------------------------------------------------


def decode(state: Any, seen: SeenShareGroup) -> None:
    """Put into a state of the model what Kafka has, for the properties."""
    state.log_start, state.log_end = seen.topic["start"], seen.topic["highWatermark"]
    for own, found in ((state.persisted, seen.persisted), (state.replicated, seen.replicated)):
        own.start, own.state_epoch = found["start"], found["state_epoch"]
        own.leader_epoch, own.fence = found["leader_epoch"], found["fence"]
        for offset in own.records:
            kept = found["records"].get(offset, (DeliveryState.NONE, 0))
            own.records[offset].state, own.records[offset].count = kept
    for epoch in state.partitions:
        kafka, own = seen.partitions.get(epoch), state.partitions[epoch]
        if kafka is None or kafka["phase"] != "ACTIVE":
            continue
        own.start, own.state_epoch, own.phase = kafka["start"], kafka["state_epoch"], Phase.ACTIVE
        for offset in own.records:
            found_one = kafka["records"].get(offset)
            if found_one is not None:
                own.records[offset].state, own.records[offset].count = found_one[0], found_one[1]
