"""A transactional id on Kafka's own coordinators: a load that is cut short is served (X2), and random runs."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import epochal
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.trace import Step, Trace
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.coordinators.directed import DrivenCoordinators, not_mapped, play
from epochal.kafka.lockstep.coordinators.steps import MAPPED, differs_in_answer
from epochal.kafka.lockstep.driven import Harness
from epochal.kafka.lockstep.fixes import COORDINATOR
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.spec.language import Protocol
from epochal.spec.registry import registered
from epochal.spec.transactions.state import TransactionalIdState
from tests.lockstep.conftest import Released
from tests.lockstep.mutants import Mutant
from tests.lockstep.shown import RELEASES
from tests.spec.transactions.test_transactions import X2, TakesAnyMarker

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
TRACE = RUNS / "transactions-partial-loads-are-served-atomic-failovers-2.itf.json"
OLDEST, NEWEST = RELEASES[0], RELEASES[-1]


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_every_release_serves_a_part_of_its_log(released: Released, version: str) -> None:
    """A client without an epoch for each transaction: half of one is committed, and the other half aborted."""
    released(version)
    result = epochal.lockstep_catalogue("X2", kafka=version, traces=RUNS)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes} == {"X2": "shown in 19 steps"}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_with_the_fix_nothing_is_served(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_run(TRACE, kafka=version, fixes=["X2"])
    assert (result.exit_code, result.played.taken) == (ExitCode.HOLDS, 13), str(result)
    served = "e1: PrepareCommit, id 0 epoch 0, partitions {0}"
    assert [tuple(one) for one in result.played.differs] == [("b2 coordinates", "nothing", served)]


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("version", "answer"),
    [
        ("4.0.2", ""),
        ("4.1.2", ""),
        ("4.2.2", "INVALID_PRODUCER_EPOCH"),
        ("4.3.1", "INVALID_PRODUCER_EPOCH"),
        ("4.4.0", "INVALID_PRODUCER_EPOCH"),
    ],
)
def test_with_version_2_partitions_refuse_the_marker_since_4_2(released: Released, version: str, answer: str) -> None:
    """The part is served all the same; what its marker does is decided at the partition."""
    released(version)
    (found,) = check(TakesAnyMarker(**X2), Options(properties=("atomic",), symmetry=True)).properties
    assert found.trace is not None
    result = epochal.lockstep_run(found.trace, kafka=version)
    assert result.lost == (not answer), str(result)
    if answer:
        assert found.trace.steps[result.played.taken - 1].instance.action.name == "write_marker"
        assert ("answer", answer, "NONE") in [tuple(one) for one in result.played.differs]


LINES = (
    "begin|2|0|1|0|0,1|0|0|0|0,1||-1|0|||0,1||transactional-id",
    "txn_load:0",
    "txn_init:0",
    "txn_write:0:0:0:0:0:0",
    "txn_end:0:0:0:COMMIT:0",
    "txn_marker:0:0",
    "txn_complete:0",
    "txn_elect:1",
    "txn_elect:0",
    "txn_load_part:1:3:resigned",
)
"""A transaction is complete. Broker 1 is elected, and resigns before it has read that."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_before_4_0_a_part_is_served_after_the_resignation_too(released: Released, version: str) -> None:
    """KAFKA-18137: the load that a resignation was to cancel was looked for by the new epoch, and not found."""
    released(version)
    with running(CLUSTER, kafka_classes(version, None)) as kafka:
        state = json.loads(kafka.ask(LINES)[-1])["state"]["brokers"][1]
    served = {"serves": 1, "state": "PrepareCommit", "producerId": 0, "epoch": 0, "partitions": [0]}
    assert (state["leads"], state["office"]) == (False, served if version == OLDEST else None)


@pytest.mark.lockstep
def test_a_delayed_end_ends_the_next_transaction_where_there_is_one_epoch(released: Released) -> None:
    released(OLDEST)
    result = epochal.lockstep_catalogue("KIP-890b", kafka=OLDEST, traces=RUNS)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes} == {"KIP-890b": "shown in 17 steps"}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_a_failover_forgets_that_a_producer_id_was_replaced(released: Released, version: str) -> None:
    """KAFKA-20310, with the last epochs of a producer id: since 4.3 the retry of EndTxn is answered with success."""
    released(version)
    result = epochal.lockstep_catalogue("KAFKA-20310", kafka=version, traces=RUNS)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    shown = version < "4.3"
    assert [one.says for one in result.holes] == ["shown in 9 steps" if shown else "closed: at step 9 of 9"]


LAST_EPOCH = RUNS / "transactions-fences-keep-the-producer-id-producer-can-begin-last-epoch-0-timeouts-1.itf.json"


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_a_time_out_at_the_last_epoch_leaves_one_with_which_nothing_ends(released: Released, version: str) -> None:
    """KAFKA-20090: the next EndTxn throws. Since 4.3 the abort that fences takes another producer id."""
    released(version)
    result = epochal.lockstep_run(LAST_EPOCH, kafka=version)
    if version < "4.3":
        assert result.played.followed and result.played.holds is False, str(result)
        assert result.played.said[0].startswith("java.lang.IllegalArgumentException: Illegal new producer epoch -32768")
    else:
        assert (result.exit_code, result.played.taken) == (ExitCode.HOLDS, 7), str(result)
        assert result.played.differs[0].kafka == "e0: CompleteAbort, id 1 epoch 0, partitions {}"


@pytest.mark.lockstep
def test_a_time_out_that_does_nothing_is_noticed(released: Released, tmp_path: Path) -> None:
    released(NEWEST)
    none = "{ return new scala.collection.mutable.ListBuffer(); }"
    changed = Mutant("nothing-times-out", COORDINATOR, "timedOutTransactions", none).made(NEWEST, tmp_path)
    result = epochal.lockstep_run(LAST_EPOCH, kafka=NEWEST, classes=[changed])
    assert result.played.taken == 5 and result.played.differs, str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_a_fence_at_the_last_epoch_succeeds(released: Released, version: str) -> None:
    """KAFKA-19367 was in 4.0.0: the producer that asks for ever is helped when it asks once more."""
    released(version)
    result = epochal.lockstep_catalogue("KAFKA-19367", kafka=version, traces=RUNS)
    assert [one.says for one in result.holes] == ["closed: the property holds at the end"], str(result)
    assert result.exit_code == ExitCode.HOLDS


BOUNDS = {"instances": 2, "transactions": 3, "last_epoch": 5, "producer_ids": 1, "failovers": 3, "timeouts": 1}


def by_chance(protocol: Protocol, dice: random.Random, steps: int) -> Trace:
    """A run of a protocol that takes only steps that Kafka can be told to take."""
    semantics = PythonSemantics(protocol)
    codes = initial = dice.choice(list(protocol.initial_states()))
    taken = list[Step]()
    for _ in range(steps):
        possible = [one for one in semantics.successors(codes) if one[0].action.name in MAPPED]
        if not possible:
            break
        action = dice.choice(sorted({one.action.name for one, _ in possible}))
        instance, codes = dice.choice([one for one in possible if one[0].action.name == action])
        taken.append(Step(instance, codes))
    return Trace(protocol, initial, tuple(taken), facts={})


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
@pytest.mark.parametrize(
    ("name", "more"),
    [("transactions-partial-loads-are-served", {"delays": 0, "log_size": 12}), ("transactions-small", {"delays": 1})],
    ids=["version 1", "version 2"],
)
def test_random_runs_are_the_same(released: Released, version: str, name: str, more: dict[str, int]) -> None:
    """Requests, the log, loads, resignations and markers are compared after every step."""
    released(version)
    protocol, dice = registered(name)(None, **BOUNDS, **more), random.Random(3)
    played = 0
    with running(CLUSTER, kafka_classes(version, None)) as kafka:
        for _ in range(15):
            run = by_chance(protocol, dice, 40)
            if not not_mapped(run, version):
                found = play(kafka, run)
                assert found.differs == (), [one.instance.label for one in run.steps[: found.taken]]
                played += 1
    assert played > 8


@pytest.mark.parametrize(
    ("run", "version", "why"),
    [
        ("transactions-pending-offsets-keep-no-group-atomic", NEWEST, "delete_group: no step of the harness"),
        ("transactions-v1-small-told-is-kept-delays-1", NEWEST, "a delayed EndTxn of version 1"),
        ("transactions-repeated-markers-are-refused-transaction-ends", OLDEST, "transactions of version 2"),
    ],
)
def test_what_cannot_be_put_to_coordinators_says_why(run: str, version: str, why: str) -> None:
    """A run that Kafka has no steps for is refused, and no answer is made up."""
    (file,) = RUNS.glob(f"{run}*.itf.json")
    assert not_mapped(TraceReader(()).read(file), version).startswith(why)


# -- without Java -----------------------------------------------------------------------------------------------------


class KeptCoordinators(Harness):
    """A coordinator without a transaction, and what it answers to InitProducerId; the epoch is that of its state."""

    def __init__(self, said: str, epoch_after: int = 0) -> None:
        self.said, self.epoch_after = said, epoch_after

    def ask(self, lines: Sequence[str]) -> list[str]:
        return [self._answer(line.startswith("txn_init")) for line in lines]

    def _answer(self, asked: bool) -> str:
        if asked and self.said.startswith("thrown"):
            return self.said
        metadata = {"producerId": 0, "epoch": self.epoch_after if asked else 0, "state": "Empty", "partitions": []}
        offices = ({"serves": 0, **metadata}, None)
        brokers = [{"office": one, "records": [metadata]} for one in offices]
        state = {"brokers": brokers, "data": {}, "decided": {}}
        return json.dumps({"answers": [self.said] if asked else [], "state": state})


@pytest.mark.parametrize(
    ("said", "epoch_after", "stands_still"),
    [
        ("CONCURRENT_TRANSACTIONS", 0, True),
        ("CONCURRENT_TRANSACTIONS", 1, False),  # it has done something, and the producer asks again
        ("thrown|IllegalStateException", 0, True),
        ("INVALID_PRODUCER_EPOCH", 0, True),
        ("0:1", 1, False),
    ],
)
def test_who_asks_for_ever_is_answered_once_more(said: str, epoch_after: int, stands_still: bool) -> None:
    protocol = registered("transactions-small")()
    assert isinstance(protocol, TransactionalIdState)
    initial = protocol.initial_states()[0]
    driven = DrivenCoordinators(KeptCoordinators(said, epoch_after), protocol, initial)
    assert driven.stands_still()  # nobody asks for anything
    (driven.codes,) = (after for one, after in protocol.successors(initial) if one.label == "Start(0)")
    assert driven.stands_still() == stands_still


@pytest.mark.parametrize(
    ("said", "wanted"), [("NONE:0:1", ""), ("NONE", "NONE:0:1"), ("NONE:1:0", "NONE:0:1"), ("PENDING", "NONE:0:1")]
)
def test_the_answer_to_end_txn_names_the_next_id_and_epoch(said: str, wanted: str) -> None:
    protocol = registered("transactions-small")()
    labels = ("Start(0)", "InitProducerId(0)", "BeginTransaction(0)", "Write(0, 0)", "EndTransaction(0, commit)")
    codes = protocol.initial_states()[0]
    for label in (*labels, "EndIsAnswered(0)"):
        (codes,) = (after for one, after in protocol.successors(codes) if one.label == label)
    assert differs_in_answer("end_is_answered", {"producer": 0}, protocol.at(codes), said, 0) == wanted
