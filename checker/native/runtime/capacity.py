"""Planning capacity: whether a worker's memory is full, and how much it is to have next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capacity:
    """What a worker has and has room for: records, and entries in its part of the visited table.

    There can never be more than `record_limit` records.
    """

    records: int
    record_capacity: int
    record_limit: int
    entries: int
    entry_capacity: int

    @property
    def entry_slack(self) -> int:
        """How many more entries there is room for."""
        return self.entry_capacity - self.entries


@dataclass(frozen=True)
class Slack:
    """For how many more records and entries there must be room before a worker goes on.

    `ahead` is the part of what there is, one in so many, that is added when memory grows, so that all grow together,
    the nearly full ones too; 0 if nothing is.
    """

    records: int
    entries: int
    ahead: int = 0


@dataclass(frozen=True)
class Demand:
    """How many records and entries there is to be room for in all."""

    records: int
    entries: int


def is_full(capacity: Capacity, slack: Slack) -> bool:
    """Whether there is less room than the slack."""
    return (
        capacity.records + slack.records > capacity.record_capacity
        or capacity.entries + slack.entries > capacity.entry_capacity
    )


def demand(capacity: Capacity, slack: Slack) -> Demand:
    """What there is to be room for after the next growth."""
    least = capacity.records + slack.records
    more = capacity.records // slack.ahead if slack.ahead else 0
    entries = capacity.entries + slack.entries + (capacity.entries // slack.ahead if slack.ahead else 0)
    return Demand(min(least + more, max(least, capacity.record_limit)), entries)
