"""Whether writes go on while brokers are down: what no invariant says."""

from __future__ import annotations

from typing import Self

from ...language import reachable
from ..history import History
from ..settings import Acks


class Availability(History):
    """Writes that succeed although a broker that is down does not have the record, and cannot have helped."""

    def is_told_of_success(self, new: Self, record: int) -> bool:
        """Whether this step tells a producer so; with acks=0, which tells nothing, whether it appends the record."""
        if self.settings.acks == Acks.NONE:
            return self.next_record <= record < new.next_record
        return record in new.acknowledged and record not in self.acknowledged

    def down_without(self, record: int) -> int:
        """How many brokers are down that do not have the record, and never lost it."""
        return sum(
            1
            for r in self.brokers
            if not self.is_running(r)
            and r not in self.lost_data
            and all(one.id != record for one in self.brokers[r].log)
        )

    @reachable(only_if=lambda self: self.settings.acks != Acks.NONE)
    def ever_acknowledged(self) -> bool:
        """A producer is told of success: otherwise it says nothing that no acknowledged record is lost."""
        return len(self.acknowledged) > 0

    @reachable
    def written_without_one_broker(self, new: Self) -> bool:
        """A write succeeds while a broker is down."""
        return any(
            self.is_told_of_success(new, record) and self.down_without(record) >= 1
            for record in range(self.bounds.records)
        )

    @reachable
    def written_without_two_brokers(self, new: Self) -> bool:
        """A write succeeds while two brokers are down."""
        return any(
            self.is_told_of_success(new, record) and self.down_without(record) >= 2
            for record in range(self.bounds.records)
        )
