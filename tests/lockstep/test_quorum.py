"""The metadata quorum: Kafka's voters and `spec/quorum` step by step, on every release, and what must be noticed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import epochal
from epochal.checker.trace.itf_reader import read_trace
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.driven import Harness
from epochal.kafka.lockstep.harness import QUORUM, running
from epochal.kafka.lockstep.quorum.compared import (
    BatchSeen,
    kafka_leaves,
    model_leaves,
    read_batch,
    read_state,
    shape_of,
)
from epochal.kafka.lockstep.quorum.directed import not_mapped, play
from epochal.kafka.lockstep.quorum.driven import DrivenQuorum
from epochal.kafka.lockstep.quorum.known import left_by_model
from epochal.kafka.lockstep.quorum.models import elections_of, quorum_beside
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumState
from epochal.spec.quorum.switches import QuorumNoPreVote
from epochal.spec.registry import registered
from tests.each import for_each
from tests.lockstep.conftest import Released
from tests.lockstep.mutants import QUORUM_MUTANTS, Mutant

RELEASES = ("3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
NEWEST = RELEASES[-1]
COUNTEREXAMPLES = Path(__file__).resolve().parents[2] / "counterexamples"
FIRST = "#".join(f"{id};UNATTACHED;0;0;0;;0;0;0;0;;;1,2,3" for id in (1, 2, 3))


class Kept(Harness):
    """Answers that were kept, in place of a JVM: to `state` always the same."""

    def __init__(self, state: str) -> None:
        self.state = state

    def ask(self, lines: Sequence[str]) -> list[str]:
        return [self.state if line == "state" else "" for line in lines]


# -- without Java -----------------------------------------------------------------------------------------------------


def test_a_state_is_read() -> None:
    line = "2;LEADER;3;2;0;;0;2;1;1;1@1,2@3,2@3/1.2;1=3,3=1;1,2"
    (own,) = read_state(line).values()
    assert (own.role, own.epoch, own.leader, own.high_watermark, own.start, own.snapshot) == ("LEADER", 3, 2, 2, 1, 1)
    assert own.log == (BatchSeen(1, 1), BatchSeen(3, 2), BatchSeen(3, 2, frozenset({1, 2})))
    assert own.epoch_start == 1 and own.counts == {1, 2}
    assert own.known_copies == {1: 3}  # not beyond the high watermark is of no use
    assert read_batch("3@7") == BatchSeen(7, 3)


@for_each("id, leader, voted, remembered", [(1, 0, 2, 2), (1, 2, 1, 1), (1, 2, 3, 0), (1, 1, 1, 0)])
def test_once_the_leader_is_known_only_a_vote_for_itself_counts(
    id: int, leader: int, voted: int, remembered: int
) -> None:
    (own,) = read_state(f"{id};FOLLOWER;1;{leader};{voted};;0;0;0;0;;;1,2,3").values()
    assert own.vote(id) == remembered


def test_both_sides_have_the_same_leaves_at_first() -> None:
    for name in ("quorum", "quorum-snapshots", "quorum-reconfiguration"):
        protocol = registered(name)()
        assert isinstance(protocol, QuorumState)
        shape = shape_of(protocol)
        (first,) = protocol.initial_states()
        names = {place: str(one) for place, one in enumerate(protocol.at(first).voters, start=1)}
        kafka = kafka_leaves(read_state(FIRST), {"b1": []}, names, shape)
        assert kafka == model_leaves(protocol.at(first), shape)
        assert ("v1 log start" in kafka) == shape.snapshots and ("v1 counts the voters" in kafka) == shape.changes


@for_each(
    "field, other, leaf", [(1, "CANDIDATE", "role"), (2, "1", "epoch"), (3, "2", "leader"), (7, "1", "high watermark")]
)
def test_each_difference_is_noticed(field: int, other: str, leaf: str) -> None:
    fields = FIRST.split("#")[0].split(";")
    fields[field] = other
    driven = DrivenQuorum(Kept("#".join([";".join(fields), *FIRST.split("#")[1:]])), Quorum(), 1)
    assert [one.leaf for one in driven.differs()] == [f"v1 {leaf}"]
    assert not DrivenQuorum(Kept(FIRST), Quorum(), 1).differs()


def test_the_quorum_of_a_release() -> None:
    assert elections_of("3.9.2") is QuorumNoPreVote
    assert elections_of("4.0.2") is elections_of(NEWEST) is Quorum
    assert type(quorum_beside(NEWEST, Quorum, {"voters": 4, "unknown": 1})) is Quorum


def _trace(name: str):  # type: ignore[no-untyped-def]  # a trace of some protocol
    return read_trace(COUNTEREXAMPLES / f"{name}.itf.json", registered)


def test_what_cannot_be_put_to_voters_says_why() -> None:
    ever = _trace("quorum-no-check-quorum-left-leader-steps-down-log-size-1-max-epoch-3")
    assert not_mapped(ever, NEWEST) == "a run that goes on for ever"
    asking = _trace("quorum-vote-any-log-leader-completeness")
    assert not not_mapped(asking, NEWEST)
    assert not_mapped(asking, "3.9.2") == "pre-votes: Kafka 3.9.2 has none"
    assert not_mapped(_trace("kraft-n1-leader-candidate-completeness"), NEWEST).endswith("is no quorum")


def test_what_the_model_of_a_release_does() -> None:
    assert left_by_model(_trace("quorum-voters-not-read-again-majorities-intersect"), NEWEST) is None
    assert left_by_model(_trace("quorum-lost-disk-one-leader-per-epoch"), NEWEST) is None
    assert left_by_model(_trace("quorum-vote-not-persisted-one-leader-per-epoch"), NEWEST) == 6  # the restart


# -- on Kafka's own classes -------------------------------------------------------------------------------------------

ELECTION = ("timeout:1", "ask:1:2:VOTE", "ask:1:2:VOTE", "begin_quorum_epoch:1:2")
BEFORE_PRE_VOTES = ("timeout:1", "ask:1:2:VOTE", "begin_quorum_epoch:1:2")
COMMIT = ("append:1", "ask:2:1:FETCH", "ask:2:1:FETCH", "ask:2:1:FETCH", "observe:1:1:1")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_an_election_an_append_and_a_commit(released: Released, version: str) -> None:
    with running(QUORUM, released(version)) as kafka:
        steps = BEFORE_PRE_VOTES if version.startswith("3.") else ELECTION
        *_, observed, state = kafka.ask(["begin:3:1:0", *steps, *COMMIT, "state"])
    seen = read_state(state)
    assert observed == "1@1" and [seen[id].role for id in (1, 2, 3)] == ["LEADER", "FOLLOWER", "UNATTACHED"]
    assert seen[1].log == seen[2].log == (BatchSeen(1, 1),) * 2
    assert [seen[id].high_watermark for id in (1, 2, 3)] == [2, 2, 0]


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_kafkas_voters_do_what_the_specification_says(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_runs(kafka=version, protocol="quorum", seed=5, runs=6)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.runs.compared > 400 and result.runs.steps["refused vote"] > 0


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize(
    "name",
    [
        "quorum-snapshot-must-be-ahead-snapshot-helps-who-needs-it",
        "quorum-voters-not-read-again-majorities-intersect",
        "quorum-voters-not-read-again-who-may-win-holds-committed",
    ],
)
def test_open_holes_are_shown(released: Released, version: str, name: str) -> None:
    with running(QUORUM, released(version)) as kafka:
        played = play(kafka, _trace(name))
    assert played.followed and played.holds is False, played.differs


@pytest.mark.lockstep
def test_a_snapshot_that_is_not_ahead_throws(released: Released) -> None:
    with running(QUORUM, released(NEWEST)) as kafka:
        played = play(kafka, _trace("quorum-snapshot-must-be-ahead-snapshot-helps-who-needs-it"))
    assert "Full log truncation expected but didn't happen" in played.answers[-1]


@pytest.mark.lockstep
@pytest.mark.parametrize(
    "name",
    [
        "quorum-change-any-epoch-majorities-intersect-voters-4-log-size-2",
        "quorum-many-changes-majorities-intersect",
        "quorum-removed-leader-counts-leader-completeness",
        "quorum-snapshot-any-offset-snapshots-are-committed",
        "quorum-snapshot-without-voters-majorities-intersect",
        "quorum-voters-when-committed-majorities-intersect",
        "quorum-vote-not-persisted-one-leader-per-epoch",
    ],
)
def test_a_run_is_left_where_kafka_has_the_rule(released: Released, name: str) -> None:
    trace = _trace(name)
    with running(QUORUM, released(NEWEST)) as kafka:
        played = play(kafka, trace)
    assert played.differs and played.taken == left_by_model(trace, NEWEST)


@pytest.mark.lockstep
def test_a_rule_that_the_model_lacks_is_noticed(released: Released) -> None:
    released(NEWEST)
    for other in ("quorum-vote-not-persisted", "quorum-uncommitted-replay", "quorum-no-pre-vote"):
        result = epochal.lockstep_runs(kafka=NEWEST, protocol=other, seed=1, runs=10)
        assert result.exit_code == ExitCode.DRIFTED, f"{other}: {result}"


@pytest.mark.lockstep
@pytest.mark.parametrize("mutant", QUORUM_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_rule_that_kafkas_voters_lack_is_noticed(released: Released, tmp_path: Path, mutant: Mutant) -> None:
    released(NEWEST)
    changed = [mutant.made(NEWEST, tmp_path)]
    result = epochal.lockstep_runs(kafka=NEWEST, classes=changed, protocol="quorum", seed=1, runs=20, budget=120)
    assert result.exit_code == ExitCode.DRIFTED, str(result)
