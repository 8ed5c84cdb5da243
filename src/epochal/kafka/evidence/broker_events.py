"""What a broker may say of a partition it holds: one type for each kind of line. All numbers are as printed."""

from __future__ import annotations

from dataclasses import dataclass

from .place import OfNamed, Place

Brokers = frozenset[int]

UNKNOWN_BROKER = -1
"""Who speaks where a message does not say it, and several brokers write the file, or none that says who it is."""


@dataclass(frozen=True, slots=True)
class OfPartition(OfNamed):
    """Something that is said of a partition, by the name of its topic."""

    topic: str
    number: int


@dataclass(frozen=True, slots=True)
class PartitionMade(OfPartition):
    """A process has taken up a partition: it has just started, or got a replica ("Creating new partition")."""

    topic_id: str


@dataclass(frozen=True, slots=True)
class RoleTaken(OfPartition):
    """A broker leads, or follows `leader`, in a new leader epoch ("Leader ... starts at", "Follower ... starts at").

    `offset` is the end of its log. Only a leader says the ISR and what a reassignment does, and the topic's id.
    `previous` is None without one. A follower before Kafka 4.2 prints the new leader there (KAFKA-19776).
    """

    leads: bool
    leader: int
    leader_epoch: int
    partition_epoch: int
    offset: int
    high_watermark: int
    isr: Brokers | None
    adding: Brokers | None
    removing: Brokers | None
    previous: int | None
    previous_epoch: int
    topic_id: str | None


@dataclass(frozen=True, slots=True)
class RoleKept(OfPartition):
    """The partition has changed within a leader epoch ("Skipped the become-leader state change", or -follower).

    `already` is the leader epoch in which it has this role. A leader adds its high watermark, and `now`: the ISR, the
    replicas added and removed that it goes on with. Kafka 4.3 prints the eligible leader replicas, too.
    """

    leads: bool
    leader: int
    leader_epoch: int
    partition_epoch: int
    isr: Brokers
    adding: Brokers
    removing: Brokers
    replicas: Brokers
    elr: Brokers | None
    high_watermark: int | None
    already: int
    now: tuple[Brokers, ...] | None
    topic_id: str


@dataclass(frozen=True, slots=True)
class IsrUpdated(OfPartition):
    """The answer to AlterPartition has come ("ISR updated to ... and version updated to").

    `is_short` says whether that is fewer than the leader's `min.insync.replicas` ("(under-min-isr)").
    """

    isr: Brokers
    partition_epoch: int
    is_short: bool


@dataclass(frozen=True, slots=True)
class AnswerIgnored(OfPartition):
    """The answer to AlterPartition has come, and the leader no longer has that proposal (logged at DEBUG).

    Nothing changes by that. The proposal was made in a leader epoch and at a partition epoch; `added` is whom it adds
    to the ISR, None if it drops members. `isr` is the one that the leader knows by now, None if it has already proposed
    another.
    """

    added: int | None
    leader_epoch: int
    partition_epoch: int
    isr: Brokers | None


@dataclass(frozen=True, slots=True)
class IsrShrinks(OfPartition):
    """A leader asks to drop followers. `slow` are these, each with the end of its log if the leader knows it."""

    before: Brokers
    after: Brokers
    high_watermark: int
    end: int
    slow: tuple[tuple[int, int | None], ...]


@dataclass(frozen=True, slots=True)
class HighWatermarkMoved(OfPartition):
    """The high watermark of a leader has risen (logged at DEBUG)."""

    before: int
    high_watermark: int


@dataclass(frozen=True, slots=True)
class LogRead(OfPartition):
    """A log was read from disk at the start of a process ("Completed load of"), or is new and empty ("Created log")."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LogLoaded(OfPartition):
    """A replica takes up its log, with the high watermark of the checkpoint ("Log loaded for partition")."""

    high_watermark: int


@dataclass(frozen=True, slots=True)
class Truncated(OfPartition):
    """A follower cuts its log back to `offset`: because of its own high watermark, or of an end that the leader said.

    If it is not `completed`, it asks again.
    """

    leader: int
    offset: int
    completed: bool
    high_watermark: int | None
    leader_end: int | None


@dataclass(frozen=True, slots=True)
class LogCut(OfPartition):
    """The log itself says where it is cut ("Truncating to offset"), which its fetcher has just said.

    `largest` is its last offset, if that is before the place, so that there is nothing to cut.
    """

    offset: int
    largest: int | None


@dataclass(frozen=True, slots=True)
class CopyTruncated(OfPartition):
    """The copy of a log that moves to another directory is cut: a log of the same name, which speaks as this one."""


@dataclass(frozen=True, slots=True)
class CutBelow(OfPartition):
    """A log is cut below its high watermark ("Truncating ... to offset ... below high watermark")."""

    offset: int
    high_watermark: int


@dataclass(frozen=True, slots=True)
class ElectedUncleanly(OfPartition):
    """A controller has elected a leader outside the ISR ("UNCLEAN partition change").

    `could_lead` are ISR and eligible leader replicas before, `last_known` the last known leader.
    """

    leader: int
    could_lead: Brokers
    last_known: Brokers


@dataclass(frozen=True, slots=True)
class FetcherAdded(OfPartition):
    """A broker begins to fetch from a leader in a leader epoch ("Added fetcher to broker")."""

    leader: int
    leader_epoch: int
    topic_id: str


@dataclass(frozen=True, slots=True)
class FetcherRemoved(OfPartition):
    """It no longer does ("Removed fetcher for partitions")."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process reads its logs when it starts.

    `clean` says whether the one before it was shut down; None if it finds no logs, so that nothing says it.
    """

    clean: bool | None


@dataclass(frozen=True, slots=True)
class RolesFollow:
    """A broker takes so many roles next ("Transitioning n partition(s) to local leaders", or followers)."""

    number: int


Event = (
    PartitionMade
    | RoleTaken
    | RoleKept
    | IsrUpdated
    | AnswerIgnored
    | IsrShrinks
    | HighWatermarkMoved
    | LogRead
    | LogLoaded
    | Truncated
    | LogCut
    | CopyTruncated
    | CutBelow
    | ElectedUncleanly
    | FetcherAdded
    | FetcherRemoved
    | Process
    | RolesFollow
)

ASIDES = (AnswerIgnored, CutBelow, ElectedUncleanly)
"""What tells of no step, and matters to detectors alone."""


@dataclass(frozen=True, slots=True)
class BrokerEvent:
    """What a broker says, and where it stands."""

    place: Place
    broker: int
    event: Event
