"""How people read the state of a share group."""

from __future__ import annotations

from ..language import view
from .state import UNKNOWN_OFFSET, Awaits, DeliveryState, LeaderEpoch, Phase, ShareGroupState, ShareState, Slot


class ShareViews(ShareGroupState):
    """A line for the topic partition, each leader, the share coordinator, each write, and the group."""

    @view(of="topic partition")
    def topic_partition_in_words(self) -> str:
        """Its offsets, and its leader."""
        return f"records {self.log_start} to {self.log_end}, led in epoch {self.leader_epoch}"

    @view(of="epoch")
    def leader_in_words(self, epoch: LeaderEpoch) -> str:
        """What the leader of an epoch has in memory."""
        partition = self.partitions[epoch]
        if partition.phase == Phase.EMPTY:
            return ""
        if partition.phase != Phase.ACTIVE:
            return str(partition.phase.value)
        said = [f"starts at {partition.start}"]
        for offset, record in partition.records.items():
            if record.state != DeliveryState.NONE:
                of = f" by {record.member}" if record.member is not None else ""
                yet = ", not yet persisted" if record.persisting else ""
                said.append(f"r{offset} {record.state.value}{of} {record.count}x{yet}")
        return "; ".join(said)

    @view(of="share coordinator")
    def coordinator_in_words(self) -> str:
        """What it has persisted, and what of that is not replicated."""
        said = self.state_in_words(self.persisted)
        return (
            said if self.persisted == self.replicated else f"{said}; replicated: {self.state_in_words(self.replicated)}"
        )

    def state_in_words(self, state: ShareState) -> str:
        """The state of the share partition after all records of a log."""
        start = "no start yet" if state.start == UNKNOWN_OFFSET else f"start {state.start}"
        records = [
            f"r{offset} {record.state.value} {record.count}x"
            for offset, record in state.records.items()
            if record.state != DeliveryState.NONE
        ]
        return "; ".join([f"{start}, state epoch {state.state_epoch}, leader epoch {state.fence}", *records])

    @view(of="slot")
    def write_in_words(self, slot: Slot) -> str:
        """A write, and who waits for its answer."""
        write = self.writes[slot]
        if write.awaits == Awaits.FREE:
            return ""
        record = "" if write.state == DeliveryState.NONE else f", r{write.offset} {write.state.value} {write.count}x"
        taken = "appended" if write.taken else "on its way"
        epochs = f"leader epoch {write.leader_epoch}, state epoch {write.state_epoch}"
        start = "" if write.start == UNKNOWN_OFFSET else f"start {write.start}, "
        return f"{taken}: {start}{epochs}{record}; awaited by {write.awaits.value}"

    @view(of="group")
    def group_in_words(self) -> str:
        """From where on it must get every record, which are over, and of which of them a member was told so."""
        said = [] if self.begun == UNKNOWN_OFFSET else [f"gets every record from {self.begun} on"]
        if self.settled:
            said.append(f"over: {' '.join(f'r{offset}' for offset in self.settled)}")
        if self.confirmed:
            said.append(f"told of success: {' '.join(f'r{offset}' for offset in self.confirmed)}")
        return "; ".join(said)
