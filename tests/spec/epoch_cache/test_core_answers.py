"""What the modern protocol computes from logs is what Kafka's epoch caches would answer, over all small logs.

The logs are those that replicas can have: epochs never go back in a log, one leader writes all records of an epoch, and
none is greater than that of the leader, who knows its own epoch whether it has a record of it or not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult
from epochal.spec.epoch_cache.epoch_cache import LeaderEpochCache
from epochal.spec.epoch_cache.state import EpochCacheBounds
from epochal.spec.epoch_cache.switches import EpochCacheWritesLater
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.log_start import LogStart
from epochal.spec.kraft.state import KraftBounds, Record
from epochal.spec.language import Identifier, Protocol
from epochal.spec.registry import registered
from tests.spec.searches import EVERYTHING

NONE = -1


@dataclass
class KafkaCache:
    """Entries by epoch, each with the offset at which it begins; and the epochs of a log that begins at offset 0."""

    log: list[int] = field(default_factory=list)
    entries: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Sequence[int], leads_in: int = NONE) -> KafkaCache:
        """The cache of a replica that has appended these records, and begins to lead in that epoch, if in any."""
        made = cls()
        for epoch in log:
            made.append(epoch)
        if leads_in >= 0:
            made.assign(leads_in, len(log))
        return made

    def append(self, epoch: int) -> None:
        """A record at the log end offset."""
        self.log.append(epoch)
        self.assign(epoch, len(self.log) - 1)

    def assign(self, epoch: int, offset: int) -> None:
        """An epoch begins at an offset; nothing that is known may contradict it."""
        latest = max(self.entries, default=NONE)
        if latest == epoch and offset >= self.entries[epoch]:
            return
        self.entries = {known: at for known, at in self.entries.items() if known < epoch and at < offset}
        self.entries[epoch] = offset

    def latest_epoch(self) -> int:
        """What a follower asks with."""
        return max(self.entries, default=NONE)

    def end_offset_for(self, asked: int) -> tuple[int, int]:
        """The epoch and the end offset that are answered."""
        if asked == NONE:
            return NONE, NONE
        if asked == self.latest_epoch():
            return asked, len(self.log)
        higher = [known for known in self.entries if known > asked]
        if not higher:
            return NONE, NONE
        floor = max((known for known in self.entries if known <= asked), default=asked)
        return floor, self.entries[min(higher)]

    def truncate(self, offset: int) -> None:
        """Log and cache lose what is at the offset or beyond (KAFKA-10706: the cache also if the log loses nothing)."""
        del self.log[offset:]
        self.entries = {known: at for known, at in self.entries.items() if at < len(self.log)}

    def delete(self, offset: int) -> None:
        """Records are deleted up to an offset: of what begins there or before, the last begins there now."""
        gone = [known for known, at in self.entries.items() if at <= offset]
        self.entries = {known: at for known, at in self.entries.items() if at > offset}
        if gone:
            self.entries[max(gone)] = offset

    def truncation_offset(self, epoch: int, end: int) -> int:
        """Where a follower cuts back that is told the leader's epoch and where that ends."""
        own_epoch, own_end = self.end_offset_for(epoch)
        if own_epoch == NONE:
            return min(end, len(self.log))
        if own_epoch != epoch:
            return min(own_end, len(self.log))
        return min(own_end, end, len(self.log))


def diverges(leader: KafkaCache, follower: KafkaCache) -> tuple[int, int] | None:
    """Partition.readRecords: the epoch and end offset that diverge, or None. No answer is OFFSET_OUT_OF_RANGE."""
    asked = follower.latest_epoch()
    if asked == NONE:
        return None
    epoch, end = leader.end_offset_for(asked)
    assert epoch >= 0, "a leader knows every epoch up to its own"
    return (epoch, end) if epoch < asked or end < len(follower.log) else None


SIZE, EPOCHS = 4, 3
"""Offsets in a log, and the greatest leader epoch."""

DIVERGING, LONGER = 1_585, 250
"""How many pairs of logs diverge, and how many of those where the follower led last take a round more."""

Epochs = tuple[int, ...]


def logs(greatest: int) -> Iterator[Epochs]:
    """Every log of epochs up to this one."""
    for size in range(SIZE + 1):
        yield from itertools.combinations_with_replacement(range(greatest + 1), size)


def pairs() -> Iterator[tuple[int, Epochs, Epochs]]:
    """A leader's epoch, its log, and a follower's."""
    for epoch in range(EPOCHS + 1):
        for leader, follower in itertools.product(logs(epoch), logs(epoch)):
            if agree(leader, follower) and follower.count(epoch) <= leader.count(epoch):
                yield epoch, leader, follower


def agree(a: Epochs, b: Epochs) -> bool:
    """Whether two replicas can have these logs: up to the last record of an epoch that both have, they are the same."""
    return all(a[: _end(a, b, epoch)] == b[: _end(a, b, epoch)] for epoch in {*a} & {*b})


def _end(a: Epochs, b: Epochs, epoch: int) -> int:
    """Where the records of an epoch that both have end, in the log that has fewer of them, if they begin alike."""
    return max(a.index(epoch), b.index(epoch)) + min(a.count(epoch), b.count(epoch))


class Core:
    """The functions of `spec/kraft` on logs that are given; two brokers, of which the first leads."""

    def __init__(self, kind: type[Kraft] = Kraft) -> None:
        self.protocol = kind(KraftBounds(replication_factor=2, records=SIZE, max_epoch=EPOCHS))
        self.leader, self.follower = tuple(self.protocol.brokers)

    def has(self, r: Identifier, log: Epochs) -> None:
        """Give a broker this log."""
        self.protocol.brokers[r].log.truncate(0)
        for offset, epoch in enumerate(log):
            self.protocol.brokers[r].log.append(Record(id=offset % SIZE, epoch=epoch))

    def log(self) -> Epochs:
        """The epochs of the follower's log."""
        return tuple(record.epoch for record in self.protocol.brokers[self.follower].log)


def converged(core: Core, leader: KafkaCache, follower: KafkaCache) -> tuple[int, int]:
    """How often the model truncates the follower until nothing diverges, and how often Kafka does.

    Both end with the same log: the longest that the two have in common.
    """
    rounds = kafka_rounds = 0
    while core.protocol.diverges(core.follower, core.leader):
        core.protocol.truncate(core.follower, core.protocol.truncation_offset(core.follower, core.leader))
        rounds += 1
    while (answer := diverges(leader, follower)) is not None:
        follower.truncate(follower.truncation_offset(*answer))
        kafka_rounds += 1
        assert kafka_rounds <= SIZE + EPOCHS + 1, "it asks in vain"
    assert core.log() == tuple(follower.log)
    return rounds, kafka_rounds


def test_answers_are_those_of_the_cache() -> None:
    """end_offset_for and epoch_before, for every epoch that a follower may ask for."""
    core = Core()
    for epoch, log in {(epoch, log) for epoch, log, _ in pairs()}:
        core.has(core.leader, log)
        cache = KafkaCache.of(log, leads_in=epoch)
        for asked in range(epoch + 1):
            end = core.protocol.end_offset_for(core.leader, asked)
            known = core.protocol.epoch_before(core.leader, end, asked)
            answered = cache.end_offset_for(asked)
            assert answered[1] == end, (log, epoch, asked)
            assert answered[0] == known or asked == epoch, "only of its own epoch a leader says so without a record"


def test_truncation_is_that_of_the_cache() -> None:
    """diverges and truncation_offset: the same answer, the same offset, in as many rounds."""
    core, seen = Core(), 0
    for epoch, leader_log, follower_log in pairs():
        core.has(core.leader, leader_log)
        core.has(core.follower, follower_log)
        leader, follower = KafkaCache.of(leader_log, leads_in=epoch), KafkaCache.of(follower_log)
        answer = diverges(leader, follower)
        assert (answer is not None) == core.protocol.diverges(core.follower, core.leader), (leader_log, follower_log)
        if answer is not None:
            offset = core.protocol.truncation_offset(core.follower, core.leader)
            assert offset == follower.truncation_offset(*answer), (epoch, leader_log, follower_log)
            seen += 1
        rounds, kafka_rounds = converged(core, leader, follower)
        assert rounds == kafka_rounds
    assert seen == DIVERGING


def test_epochs_without_records_cost_a_round_at_most() -> None:
    """A follower that led without appending asks with that epoch: here the model is shorter, with the same log.

    The log is not cut further: the epoch that it has no record of is all that goes in the extra round.
    """
    core, more = Core(), 0
    for epoch, leader_log, follower_log in pairs():
        for led_in in {*range(max(follower_log, default=NONE) + 1, epoch)} - {*leader_log}:
            core.has(core.leader, leader_log)
            core.has(core.follower, follower_log)
            follower = KafkaCache.of(follower_log, leads_in=led_in)
            rounds, kafka_rounds = converged(core, KafkaCache.of(leader_log, leads_in=epoch), follower)
            assert rounds <= kafka_rounds <= rounds + 1
            more += kafka_rounds > rounds
    assert more == LONGER


def test_answers_after_deletions() -> None:
    """The same where the leader's log begins later (`options/log_start.py`), or all of its records are deleted."""

    class Deleting(LogStart, Kraft):
        """The modern protocol, and deletions."""

    core = Core(Deleting)
    assert isinstance(core.protocol, Deleting)
    for epoch, log in {(epoch, log) for epoch, log, _ in pairs()}:
        core.has(core.leader, log)
        for start in range(len(log) + 1):
            core.protocol.log_start[core.leader] = start
            cache = KafkaCache.of(log, leads_in=epoch)
            cache.delete(start)
            for asked in range(epoch + 1):
                end = core.protocol.end_offset_for(core.leader, asked)
                known = core.protocol.epoch_before(core.leader, end, asked)
                answered = cache.end_offset_for(asked)
                assert answered[1] == end, (log, start, epoch, asked)
                assert answered[0] == known or asked == epoch


# The epoch cache: with each rule it answers what the log says, and without it a shortest run shows what it is for.

COUNTS = (((3, 2, 1), 374, 8), ((4, 3, 1), 1_391, 9), ((5, 3, 2), 3_806, 11))
"""Log size, greatest epoch, failures; distinct states; depth. These figures are this specification's own."""

OTHER_THAN_THE_LOG = {
    "every_record_has_its_epoch": 7,
    "end_offsets_are_those_of_the_log": 7,
    "epochs_are_those_of_the_log": 8,
}

SWITCHES: dict[str, dict[str, int]] = {
    "leader-epoch-cache-truncates-records-only": {"nothing_is_asked_in_vain": 4},
    "leader-epoch-cache-skips-epoch-0": {"every_record_has_its_epoch": 4, "epochs_are_those_of_the_log": 5},
    "leader-epoch-cache-writes-later": OTHER_THAN_THE_LOG,
    "leader-epoch-cache-writes-snapshots": {**OTHER_THAN_THE_LOG, "file_misses_no_epoch": 5},
}
"""What each switch breaks at its default bounds, with the number of states of the shortest run."""


def judged(protocol: Protocol) -> CheckResult:
    """A complete search, in which every step is taken and every mechanism happens."""
    result = breadth_first.check(protocol, EVERYTHING)
    assert result.exhaustive and result.never_taken == ()
    return result


@pytest.mark.parametrize(("bounds", "states", "depth"), COUNTS, ids=lambda v: str(v))
def test_with_every_rule_it_answers_what_the_log_says(bounds: tuple[int, ...], states: int, depth: int) -> None:
    result = judged(LeaderEpochCache(EpochCacheBounds(*bounds)))
    assert {one.verdict for one in result.properties} == {"holds"}
    assert (result.distinct_states, result.depth) == (states, depth)


@pytest.mark.parametrize("name", SWITCHES)
def test_without_a_rule(name: str) -> None:
    """What is listed is violated, by a run of that length, and everything else holds."""
    result = judged(registered(name)())
    assert {one.member.name: one.length for one in result.properties if one.verdict == "violated"} == SWITCHES[name]


class WritesWhatIsDue(EpochCacheWritesLater):
    """A fix of H5: while a file is due, it is written with the next record."""

    name: ClassVar[str] = "leader-epoch-cache-writes-what-is-due"

    def assign(self, epoch: int, offset: int) -> None:
        """As always, and what is due is written although the epoch is known."""
        super().assign(epoch, offset)
        if self.write_due:
            self.write_due = False
            self.write()


def test_the_smallest_fix_of_h5() -> None:
    """The file may be late, as long as nothing is appended meanwhile."""
    result = judged(WritesWhatIsDue())
    assert {one.verdict for one in result.properties} == {"holds"}


class RecoversEveryRecord(EpochCacheWritesLater):
    """Another fix of H5: recovery builds the cache anew from the records."""

    name: ClassVar[str] = "leader-epoch-cache-recovers-every-record"

    def recover(self) -> None:
        """Every record says its epoch, whatever the file has said."""
        for offset in range(self.start, self.end()):
            self.assign(self.log[offset], offset)


def test_recovery_from_records_alone_is_a_fix_too() -> None:
    result = judged(RecoversEveryRecord())
    assert {one.verdict for one in result.properties if one.member.mark.kind != "reachable"} == {"holds"}
