"""One transactional id: with all rules everything holds, and each rule is needed where the catalogue says so."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import pytest

from epochal.api.check import liveness
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.kafka.catalogue import sides
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.transactions import TRANSACTIONS
from epochal.spec.language import Identifier, Protocol, Set, action, action_property, reachable, require
from epochal.spec.registry import registered
from epochal.spec.transactions.coordinator import EndTxnAnswer
from epochal.spec.transactions.state import NOTHING, Instance, ProducerPhase, TransactionResult, TransactionState
from epochal.spec.transactions.switches import FencesKeepTheProducerId, PartialLoadsAreServed
from epochal.spec.transactions.transactions import TransactionProtocol, TransactionProtocolV1
from tests.spec.searches import EVERYTHING, assert_both_engines_agree, judged, violated, witnesses

SHORTEST = {
    "X2": 20,
    "KIP-890b": 18,
    "KAFKA-6119": 12,
    "KAFKA-9666": 8,
    "KAFKA-16352": 13,
    "KAFKA-18464": 10,
    "KAFKA-18401": 5,
    "KAFKA-18660": 9,
    "KAFKA-19367": 6,
    "KAFKA-19999": 8,
    "KAFKA-19163": 11,
    "KAFKA-20090": 12,
    "KAFKA-20310": 10,
}
"""The states of a shortest run that breaks the first property; of a liveness property with those of the round."""

EACH = [pytest.param(bug, id=bug.id) for bug in TRANSACTIONS]


def shortest(protocol: Protocol, property_id: str) -> int | None:
    """The length of the shortest run that breaks a property, liveness or not; nothing if it holds in every state."""
    if property_id in {one.name for one in protocol.members("leads_to")}:
        found = liveness(protocol, properties=property_id).search.liveness
        assert found.judged
        return next((one.trace.length for one in found.broken if one.trace is not None), None)
    result = check(protocol, Options(properties=(property_id,), symmetry=True))
    (one,) = result.properties
    assert one.verdict == "violated" or (one.verdict == "holds" and result.exhaustive)
    return one.length


@pytest.mark.parametrize("bug", EACH)
def test_without_the_rule(bug: KnownBug) -> None:
    """Each property that the entry names is violated, the first one by a run of the known length."""
    faulty, _ = sides(bug)
    lengths = {name: shortest(faulty, name) for name in bug.properties}
    assert lengths[bug.property_id] == SHORTEST[bug.id]
    assert None not in lengths.values()


@pytest.mark.parametrize("bug", EACH)
def test_with_the_rule(bug: KnownBug) -> None:
    """All that the entry names holds, within the same bounds."""
    _, sound = sides(bug)
    promises = {one.name for one in sound.members("leads_to")}
    if safe := tuple(name for name in bug.properties if name not in promises):
        result = check(sound, Options(properties=safe, symmetry=True))
        assert result.exhaustive and [one.verdict for one in result.properties] == ["holds"] * len(safe)
    assert all(shortest(sound, name) is None for name in bug.properties if name in promises)


@pytest.mark.long
@pytest.mark.parametrize("bug", EACH)
def test_the_bounds_are_least(bug: KnownBug) -> None:
    """With one failover, time-out, delay or producer less than the entry says, nothing is found."""
    kind = registered(bug.without_rule)
    for name in bug.bounds.keys() - {"last_epoch"}:
        smaller: dict[str, Any] = {**bug.bounds, name: bug.bounds[name] - 1}
        assert shortest(kind(**smaller), bug.property_id) is None, name


class Rotates(TransactionProtocol):
    """As always, and a producer gets another id."""

    name: ClassVar[str] = "transactions-that-rotate"

    @reachable
    def producer_id_is_rotated(self) -> bool:
        return any(self.producers[p].producer_id > 0 for p in self.producers)


SMALL: dict[str, Any] = {"transactions": 1, "last_epoch": 1}


def test_with_every_rule_all_holds() -> None:
    """Version 2: with another producer, a failover, a time-out and a delayed request; each step is taken."""
    result = judged(Rotates(**SMALL))
    assert violated(result) == {} and result.never_taken == ()
    assert None not in witnesses(result).values()
    found = liveness(TransactionProtocol(**SMALL)).search.liveness
    assert {one.verdict for one in found.promises} == {"holds"}
    assert all(one.waiting > 0 for one in found.promises)


def test_version_1_holds_without_delayed_requests() -> None:
    """With them see KIP-890b."""
    result = judged(TransactionProtocolV1(delays=0, **SMALL))
    assert violated(result) == {}
    assert set(result.never_taken) == {"delayed_end_arrives"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "delays", "states"), [("transactions", 1, 2_098_034), ("transactions-v1", 0, 612_450)]
)
def test_two_transactions_hold(name: str, delays: int, states: int) -> None:
    """The default bounds; liveness as well."""
    protocol = registered(name)(delays=delays)
    result = check(protocol, EVERYTHING)
    assert result.exhaustive and violated(result) == {} and result.distinct_states == states
    found = liveness(protocol).search.liveness
    assert {one.verdict for one in found.promises} == {"holds"}


@pytest.mark.parametrize("kind", [TransactionProtocol, TransactionProtocolV1])
def test_both_engines_agree(kind: type[TransactionProtocol]) -> None:
    assert_both_engines_agree(kind(instances=1, transactions=1, last_epoch=0, failovers=0))


class PartialLoadsOfVersion2(PartialLoadsAreServed):
    """X2 with an epoch for each transaction, and markers that need a newer one."""

    name: ClassVar[str] = "transactions-partial-loads-of-version-2"

    epoch_per_transaction: ClassVar[bool] = True

    def answer_to_end(self, producer_id: int, epoch: int, result: TransactionResult) -> EndTxnAnswer:
        return TransactionProtocol.answer_to_end(self, producer_id, epoch, result)


X2: dict[str, Any] = {"producer_ids": 1, "failovers": 2}


def test_a_newer_epoch_for_each_marker_closes_x2() -> None:
    """Since Kafka 4.2, with transactions of version 2."""
    result = judged(PartialLoadsOfVersion2(**X2), symmetry=True)
    assert violated(result) == {}


class TakesAnyMarker(PartialLoadsOfVersion2):
    """X2 as it is with version 2 before Kafka 4.2: a marker may have the epoch of what is open."""

    name: ClassVar[str] = "transactions-partial-loads-before-4-2"

    def takes_marker(self, broker: Identifier, partition: int) -> bool:
        marker = self.offices[broker].cache
        entry = self.data[partition].producers[marker.producer_id]
        return marker.epoch >= entry.epoch and self.offices[broker].epoch >= entry.coordinator_epoch


def test_before_4_2_x2_is_there_with_version_2_too() -> None:
    (found,) = check(TakesAnyMarker(**X2), Options(properties=("atomic",), symmetry=True)).properties
    assert (found.verdict, found.length) == ("violated", 20)


class WritesWithTheEpochBeyond(FencesKeepTheProducerId):
    """KAFKA-20090, as far as its shortest run does not go: the producer writes with the epoch beyond the last one."""

    name: ClassVar[str] = "transactions-written-with-the-epoch-beyond"

    def is_ongoing_beyond(self) -> bool:
        cache = self.offices[self.leader].cache
        return cache.state == TransactionState.ONGOING and cache.epoch > self.bounds.last_epoch

    @action_property
    def nothing_ends_it(self, new: Self) -> bool:
        """Neither its producer, nor a time-out, nor a new producer."""
        return not self.is_ongoing_beyond() or new.is_ongoing_beyond()

    @reachable
    def new_producer_waits(self) -> bool:
        """There is a time-out left, and another producer that asks for its epoch."""
        waits = any(self.producers[p].phase == ProducerPhase.STARTING for p in self.producers)
        return self.is_ongoing_beyond() and waits and self.timed_out < self.bounds.timeouts


def test_what_is_written_with_the_epoch_beyond_stays_ongoing() -> None:
    """KAFKA-20090 with two producers: what its story says of a write."""
    result = judged(WritesWithTheEpochBeyond(instances=2, last_epoch=0, timeouts=2), symmetry=True)
    assert violated(result) == {}
    assert witnesses(result)["new_producer_waits"] is not None


# -- KIP-360 ----------------------------------------------------------------------------------------------------------


class BumpsAfterAbort(TransactionProtocolV1):
    """A producer of version 1 that has aborted takes the next epoch before it goes on (KIP-360, Kafka 2.5).

    The coordinator gives it to nobody but whoever has the current epoch (InitProducerIdRequest names it).
    """

    name: ClassVar[str] = "transactions-v1-bumps"

    @action(by="producer", to="coordinator", sends="InitProducerId", says="Producer {producer} takes the next epoch")
    def bump_epoch(self, producer: Instance) -> None:
        """TransactionManager.initializeTransactions with its own id and epoch; prepareInitProducerIdTransit."""
        own = self.producers[producer]
        cache = self.offices[self.leader].cache
        require(own.phase == ProducerPhase.READY and own.epoch != NOTHING)
        require(self.is_asked_by_its_producer(own.producer_id, own.epoch))
        require(cache.state == TransactionState.COMPLETE_ABORT and not self.is_exhausted(cache.epoch))
        self.write_log(TransactionState.EMPTY, cache.producer_id, NOTHING, cache.epoch + 1, Set())
        own.epoch = self.offices[self.leader].cache.epoch
        self.fenced |= Set(range(self.begun))


def test_a_producer_that_bumps_its_epoch_breaks_nothing() -> None:
    """Everything holds as without, with a failover, a time-out and two producers; and the step is taken."""
    bounds: dict[str, Any] = {"instances": 2, "transactions": 2, "last_epoch": 3, "delays": 0}
    result = judged(BumpsAfterAbort(**bounds))
    assert violated(result) == {}
    assert next(one.new_states for one in result.actions if one.name == "bump_epoch") > 0
