"""What the modern protocol computes from logs is what Kafka's epoch caches would answer, over all small logs.

The logs are those that replicas can have: epochs never go back in a log, one leader writes all records of an epoch, and
none is greater than that of the leader, who knows its own epoch whether it has a record of it or not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.log_start import LogStart
from epochal.spec.kraft.state import KraftBounds, Record
from epochal.spec.language import Identifier
from tests.spec.epoch_cache.kafka_cache import NONE, KafkaCache, diverges

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
