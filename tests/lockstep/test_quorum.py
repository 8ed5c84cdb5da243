"""The metadata quorum: Kafka's voters and `spec/quorum` step by step, on every release, and what must be noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.trace.itf_reader import read_trace
from epochal.checker.trace.trace import Step, Trace
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.driven import Harness
from epochal.kafka.lockstep.harness import QUORUM, running
from epochal.kafka.lockstep.lines import read_lines
from epochal.kafka.lockstep.quorum.compared import (
    BatchSeen,
    kafka_leaves,
    model_leaves,
    read_batch,
    read_state,
    shape_of,
)
from epochal.kafka.lockstep.quorum.directed import left_by_model, not_mapped, play
from epochal.kafka.lockstep.quorum.driven import DrivenQuorum
from epochal.kafka.lockstep.quorum.models import elections_of, quorum_beside
from epochal.kafka.lockstep.quorum.steps import DELAYED, MAPPED, NOT_CAUGHT_UP, not_comparable, refused_changes
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.reconfiguration import QuorumReconfiguration
from epochal.spec.quorum.snapshots import QuorumSnapshots
from epochal.spec.quorum.state import QuorumState
from epochal.spec.quorum.switches import QuorumCandidateAgain, QuorumNoPreVote
from epochal.spec.quorum.voters_in_memory import QuorumVotersNotReadAgain
from epochal.spec.registry import registered
from tests.each import for_each
from tests.lockstep.conftest import Released
from tests.lockstep.mutants import QUORUM_MUTANTS, VOTERS_MUTANTS, Mutant
from tests.lockstep.quorum_lines import (
    ADDED_AND_GONE,
    FOURTH,
    KEPT,
    KEPT_OF,
    LEADS_ON,
    NOBODY_LEADS,
    OBSERVER,
    UNKNOWN_ADDRESS,
    kept_file,
)

RELEASES = ("3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
NEWEST = RELEASES[-1]
COUNTEREXAMPLES = Path(__file__).resolve().parents[2] / "counterexamples"
FIRST = "#".join(f"{id};UNATTACHED;0;0;0;;0;0;0;0;;;1,2,3" for id in (1, 2, 3))


class Kept(Harness):
    """Answers that were kept, in place of a JVM: to `state` always the same, and to an addition of a voter another."""

    def __init__(self, state: str, added: str = "") -> None:
        self.state, self.added = state, added

    def ask(self, lines: Sequence[str]) -> list[str]:
        return [self.state if line == "state" else self.added if line.startswith("add_") else "" for line in lines]


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
    assert elections_of("4.0.2") is elections_of(NEWEST) is QuorumCandidateAgain
    assert type(quorum_beside(NEWEST, Quorum, {"voters": 4, "unknown": 1})) is QuorumCandidateAgain


@pytest.mark.parametrize("finding", KEPT)
def test_kept_lines_are_those_of_the_finding(finding: str) -> None:
    kept = read_lines(kept_file(finding))
    assert tuple(line for line, _ in kept) == KEPT[finding]
    assert kept[-2][1].startswith({"Q12": "thrown|java.lang.IllegalStateException", "Q13": "does not ask"}[finding])


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


def _taken(protocol: QuorumState, *labels: str) -> list[Step]:
    """A run from the initial state, by the labels of its steps."""
    (codes,), steps = protocol.initial_states(), list[Step]()
    for label in labels:
        (step,) = (Step(one, after) for one, after in protocol.successors(codes) if one.label == label)
        steps.append(step)
        codes = step.codes
    return steps


COMMITTED = ("Elect(v1, v3)", "Fetch(v2, v1)", "Fetch(v2, v1)")


def test_who_restarts_finds_what_it_deleted_but_not_what_was_before_a_snapshot_that_it_fetched() -> None:
    deleted = (*COMMITTED, "MakeSnapshot(v1, 1)", "DeleteBeforeSnapshot(v1)")
    fetched = (*deleted, "BeginQuorumEpoch(v1, v3)", "FetchSnapshot(v3, v1)")
    protocol = QuorumSnapshots()
    run = _taken(protocol, *fetched, "Restart(v3)", "Restart(v1)")
    *before, third, first = run
    state = protocol.at(before[-1].codes)
    assert not not_comparable(run[:3], state, first.instance)
    assert not_comparable([*before, third], state, first.instance).startswith("a restart after records were deleted")
    assert not not_comparable(before, state, third.instance)
    trace = Trace(protocol, protocol.initial_states()[0], tuple(run))
    assert not_mapped(trace, NEWEST).startswith("a restart after records were deleted")
    assert not not_mapped(replace(trace, steps=trace.steps[:-1]), NEWEST)


def test_the_only_voter_leads_again_at_once_when_it_restarts() -> None:
    protocol = QuorumReconfiguration(voters=2, log_size=5)
    elected = ("ElectByAll(v1)", "Fetch(v2, v1)", "Fetch(v2, v1)", "Restart(v1)", "ElectByAll(v1)")
    removed = ("Fetch(v2, v1)", "Fetch(v2, v1)", "RemoveVoter(v1, v2)")
    run = _taken(protocol, *elected, *removed, "Restart(v1)")
    assert not not_comparable((), protocol.at(run[2].codes), run[3].instance)
    assert not_comparable((), protocol.at(run[-2].codes), run[-1].instance).endswith("leads again at once")


REMOVED = (*COMMITTED, "RemoveVoter(v1, v1)", "BeginQuorumEpoch(v1, v3)", "Fetch(v2, v1)")
IS_COMMITTED = ("Fetch(v2, v1)", "Fetch(v3, v1)", "Fetch(v3, v1)", "Fetch(v3, v1)")


def test_a_leader_that_has_removed_itself_resigns_with_the_step_that_commits_it() -> None:
    protocol = QuorumReconfiguration()
    driven = DrivenQuorum(Kept(FIRST), protocol, 1)
    run = _taken(protocol, *REMOVED, *IS_COMMITTED)
    resigns = [[one.instance.label for one in driven.at_once(step.codes)] for step in run]
    before, committed = next((n, one) for n, one in enumerate(resigns) if one)
    assert committed == ["ResignWhenRemoved(v1)"]
    assert "RemoveVoter(v1, v1)" in [one.instance.label for one in run[:before]]
    driven.take(run[0].instance, run[0].codes, run[1:2])
    assert driven.codes == run[1].codes and driven.steps == run[:2]


REMOVED_AND_COMMITTED = (*COMMITTED, "RemoveVoter(v1, v3)", *("Fetch(v2, v1)",) * 2)


def test_who_has_not_caught_up_is_added_on_neither_side() -> None:
    protocol = QuorumReconfiguration()
    run = _taken(protocol, *REMOVED_AND_COMMITTED, "AddVoter(v1, v3)")
    for added, left_out, steps in ((NOT_CAUGHT_UP, DELAYED, run[:-1]), ("appended", "", run)):
        driven = DrivenQuorum(Kept(FIRST, added), protocol, 1)
        for step in run:
            driven.take(step.instance, step.codes)
        assert (driven.left_out, driven.steps, driven.codes) == (left_out, steps, steps[-1].codes)
    assert "add_voter:1:3" in driven.lines


def test_which_changes_of_the_voters_are_refused() -> None:
    protocol = QuorumReconfiguration()
    (initial,) = protocol.initial_states()
    run = _taken(protocol, *REMOVED_AND_COMMITTED)
    places = {one: place for place, one in enumerate(protocol.at(initial).voters, start=1)}

    def asked_of_v1(codes: tuple[int, ...]) -> set[str]:
        lines = refused_changes(protocol.at(codes), places)
        return {line.replace("_voter:1:", " ") for line in lines if line.split(":")[1] == "1"}

    every = {f"{what} {voter}" for what in ("add", "remove") for voter in (1, 2, 3)}
    assert asked_of_v1(initial) == every  # nobody leads
    assert asked_of_v1(run[1].codes) == every  # no record of the epoch is committed
    assert asked_of_v1(run[2].codes) == {"add 1", "add 2", "add 3"}
    assert asked_of_v1(run[3].codes) == every  # a change is not committed
    assert asked_of_v1(run[-1].codes) == {"add 1", "add 2", "remove 3"}
    assert not list(refused_changes(Quorum().at(Quorum().initial_states()[0]), places))


ELECTED_AGAIN = ("Elect(v1, v3)", "Append(v1)", "Elect(v2, v1)", "BeginQuorumEpoch(v2, v1)", "Truncate(v1, v2)")
MISSED = (*ELECTED_AGAIN, "Fetch(v1, v2)", "Fetch(v1, v2)", "RemoveVoter(v2, v3)", "Fetch(v1, v2)", "Fetch(v1, v2)")


def test_an_election_after_which_kafka_writes_the_first_voters_is_left_out() -> None:
    """v1 has not read that v3 was removed, and has read of no voters in its log at all (Q9)."""
    protocol = QuorumVotersNotReadAgain(max_epoch=3)
    run = _taken(protocol, *MISSED, "Elect(v1, v2)")
    assert not_comparable((), protocol.at(run[-2].codes), run[-1].instance).startswith("an election after which")
    read = _taken(protocol, *MISSED, "Restart(v1)", "ElectByAll(v1)")
    assert not not_comparable((), protocol.at(read[-2].codes), read[-1].instance)


def test_an_election_with_who_does_not_know_that_it_is_a_voter_is_left_out() -> None:
    """v3 is added again, and v2 knows that; v3 has fetched what was before it, and would wait for the leader."""
    protocol = QuorumReconfiguration(log_size=4)
    fetched = ("BeginQuorumEpoch(v1, v3)", *("Fetch(v3, v1)",) * 2)
    added = (*REMOVED_AND_COMMITTED, *fetched, "AddVoter(v1, v3)", "Fetch(v2, v1)")
    for knows, why in ((), "an election with the vote of who does not know"), (("Fetch(v3, v1)",), ""):
        run = _taken(protocol, *added, *knows, "Elect(v2, v1)")
        found = not_comparable((), protocol.at(run[-2].codes), run[-1].instance)
        assert found.startswith(why) and bool(found) == bool(why)


REMOVES_ITSELF = ("BeginQuorumEpoch(v1, v3)", "RemoveVoter(v1, v1)", *("Fetch(v3, v1)",) * 3, "Restart(v3)")


def test_who_knows_a_leader_and_no_address_of_it_asks_somebody_else() -> None:
    """v3 is no voter of v1, and by its log v1 is none either. As long as v2 follows v1, v3 can ask v2."""
    protocol = QuorumReconfiguration()
    for others, why in ((), ""), (("Fetch(v2, v1)", "Restart(v2)"), "who knows a leader that is no voter any more"):
        run = _taken(protocol, *REMOVED_AND_COMMITTED, *REMOVES_ITSELF, *others, "BeginQuorumEpoch(v1, v3)")
        before, step = protocol.at(run[-2].codes), run[-1]
        assert not_comparable((), before, step.instance).startswith(why) and bool(why) == bool(others)
        if not others:
            places = {one: place for place, one in enumerate(before.voters, start=1)}
            arguments = dict(zip((one.name for one in step.instance.parameters), step.instance.arguments, strict=True))
            assert MAPPED["begin_quorum_epoch"](before, arguments, places) == "learn:3:2"


def test_what_a_leader_commits_when_it_resigns_is_committed() -> None:
    driven = DrivenQuorum(
        Kept(FIRST.replace("1;UNATTACHED;0;0;0;;0;0;0;0;", "1;RESIGNED;1;1;0;;0;1;0;0;1@1")), Quorum(), 1
    )
    (step,) = _taken(Quorum(), "ElectionTimeout(v1)")
    driven.take(step.instance, step.codes)
    assert driven.committed == [BatchSeen(1, 1)] and driven.commit_epoch == 1


def test_who_is_no_voter_of_a_leader_asks_whether_it_leads() -> None:
    protocol = QuorumReconfiguration()
    run = _taken(protocol, *COMMITTED, "RemoveVoter(v1, v3)", "BeginQuorumEpoch(v1, v3)")
    places = {one: place for place, one in enumerate(protocol.at(run[0].codes).voters, start=1)}
    for step, before, line in ((run[-1], run[-2], "learn:3:1"), (run[-1], run[-3], "begin_quorum_epoch:1:3")):
        arguments = dict(zip((one.name for one in step.instance.parameters), step.instance.arguments, strict=True))
        assert MAPPED["begin_quorum_epoch"](protocol.at(before.codes), arguments, places) == line


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
@pytest.mark.parametrize("protocol", ["quorum-snapshot-must-be-ahead", "quorum-voters-not-read-again"])
def test_snapshots_and_changes_of_voters_are_as_the_specification_says(
    released: Released, version: str, protocol: str
) -> None:
    released(version)
    result = epochal.lockstep_runs(kafka=version, protocol=protocol, seed=1, runs=10)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.runs.compared > 500
    assert bool(result.runs.steps["refused change"]) == (protocol == "quorum-voters-not-read-again")


CHANGED = (
    *("begin:3:1:1", "elect:1:1,2", "begin_quorum_epoch:1:3", *("ask:2:1:FETCH", "ask:3:1:FETCH") * 2),
    *("add_voter:1:3", "remove_voter:1:3", "add_voter:1:3", "remove_voter:1:2", *("ask:2:1:FETCH",) * 2),
)
CAUGHT_UP = (*("ask:3:1:FETCH",) * 3, "add_voter:1:3", "add_voter:1:3", *("ask:3:1:FETCH",) * 2, "state")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_a_voter_is_removed_and_added_again(released: Released, version: str) -> None:
    """One change at a time; who is added counts at once, and commits its own admission with the leader."""
    with running(QUORUM, released(version)) as kafka:
        *_, duplicate, removed, pending, second, _, _ = kafka.ask(CHANGED)
        *_, added, again, _, _, state = kafka.ask(CAUGHT_UP)
    assert (duplicate, removed, pending, second) == (
        *("DUPLICATE_VOTER", "appended", "REQUEST_TIMED_OUT", "REQUEST_TIMED_OUT"),
    )
    assert (added, again) == ("appended", "REQUEST_TIMED_OUT")
    seen = read_state(state)
    assert [batch.voters for batch in seen[1].log] == [frozenset(some) for some in ((1, 2, 3), (1, 2), (1, 2, 3))]
    assert seen[1].counts == seen[3].counts == {1, 2, 3} and seen[2].counts == {1, 2}
    assert seen[1].high_watermark == 3


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_who_has_not_caught_up_is_not_added(released: Released, version: str) -> None:
    """v3 is removed, and v2 leads, from which v3 has fetched nothing."""
    with running(QUORUM, released(version)) as kafka:
        lines = (*CHANGED, *("elect:2:1,2", *("ask:1:2:FETCH",) * 3, "state"))
        before = read_state(kafka.ask(lines)[-1])
        said, after = kafka.ask(["add_voter:2:3", "state"])
    assert said == NOT_CAUGHT_UP and before[2].leads
    assert read_state(after) == before


VOTERS_CHANGE: dict[str, Any] = {
    "protocol": "quorum-voters-not-read-again",
    "bounds": {"log_size": 6},
    "seed": 1,
    "runs": 25,
    "steps": 50,
}
"""Runs in which voters are removed and added."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", [RELEASES[0], NEWEST])
def test_voters_are_added_as_the_specification_says(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_runs(**VOTERS_CHANGE, kafka=version)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.runs.steps["add_voter"] and result.runs.steps["remove_voter"] and result.runs.left_out[DELAYED]


FORGOTTEN = (
    *("begin:3:1:1", "elect:1:1,2", "append:1", "elect:2:2,3", "begin_quorum_epoch:2:1"),
    *("ask:1:2:FETCH",) * 3,  # v1 cuts two records of its own off, and has the first of v2 in their place
    *("remove_voter:2:3", "ask:1:2:FETCH", "ask:1:2:FETCH"),  # what it has read up to: committed, and not looked at
    *("elect:1:1,3", "state"),
)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_who_has_not_read_that_a_voter_was_removed_writes_it_into_the_log_again(
    released: Released, version: str
) -> None:
    """Q9: a new leader that has read of no voters in its log writes those of the bootstrap snapshot, uncommitted."""
    with running(QUORUM, released(version)) as kafka:
        seen = read_state(kafka.ask(FORGOTTEN)[-1])
    assert [batch.voters for batch in seen[1].log] == [frozenset(some) for some in ((1, 2, 3), (1, 2), (1, 2, 3))]
    assert seen[1].leads and seen[2].high_watermark == 2  # that v3 was removed was committed


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("restarts", [False, True])
def test_who_does_not_know_that_it_is_a_voter_refuses_pre_votes_until_it_restarts(
    released: Released, version: str, restarts: bool
) -> None:
    """Q13: v1 has added v3 again and is gone. v2 and v3 are a majority, and elect nobody, however long they wait."""
    waits = (*NOBODY_LEADS, *(("restart:3",) if restarts else ()), "ask:2:3:VOTE", "state")
    with running(QUORUM, released(version)) as kafka:
        *_, asked, state = kafka.ask([*ADDED_AND_GONE, *waits])
    seen = read_state(state)
    assert seen[2].counts == {1, 2, 3} and seen[3].counts == {1, 2}
    assert asked == ("NONE granted" if restarts or version == RELEASES[0] else "NONE refused")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_who_does_not_know_that_it_is_a_voter_grants_its_vote_when_the_leader_is_back(
    released: Released, version: str
) -> None:
    """Q13 ends where the leader restarts: it goes on to the next epoch, in which nobody has fetched from a leader."""
    back = ("restart:1", "timeout:1", "timeout:1", "ask:1:3:VOTE", "ask:1:2:VOTE", "ask:1:2:VOTE")
    with running(QUORUM, released(version)) as kafka:
        *_, refused, restarted, _, _, granted, _, _, state = kafka.ask(
            [*ADDED_AND_GONE, *NOBODY_LEADS, "ask:2:3:VOTE", *back, "state"]
        )
    assert (refused, restarted, granted) == ("NONE refused", "RESIGNED 1", "NONE granted")
    assert read_state(state)[1].leads


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_three_voters_that_add_a_fourth_and_lose_the_leader_elect_nobody(released: Released, version: str) -> None:
    """Q13: three of four are a majority, so that both others need the vote of who does not know that it has one."""
    with running(QUORUM, released(version)) as kafka:
        *_, knows, does_not, state = kafka.ask([*FOURTH, "ask:2:3:VOTE", "ask:2:4:VOTE", "state"])
    assert (knows, does_not) == ("NONE granted", "NONE refused")
    seen = read_state(state)
    assert seen[2].counts == seen[3].counts == {1, 2, 3, 4} and seen[4].counts == {1, 2, 3}
    assert (seen[2].role, seen[2].epoch) == ("PROSPECTIVE", 1)


@pytest.mark.lockstep
def test_the_fix_of_q13_has_a_voter_elected_by_who_does_not_know_that_it_is_one(released: Released) -> None:
    released(NEWEST)
    with running(QUORUM, kafka_classes(NEWEST, None, fixes=["Q13"])) as kafka:
        *_, elected, _, _, state = kafka.ask(
            [*ADDED_AND_GONE, "timeout:3", "elect:2:2,3", *("ask:3:2:FETCH",) * 2, "state"]
        )
        *_, in_time = kafka.ask([*ADDED_AND_GONE, "timeout:2", "ask:2:3:VOTE"])
    seen = read_state(state)
    assert elected == "LEADER 2" and seen[3].counts == {1, 2, 3} and seen[3].log == seen[2].log
    assert in_time == "NONE refused"  # before its fetch timeout is over, v3 keeps to the leader that it knows


RESTARTS = {"uncommitted": (UNKNOWN_ADDRESS, 1), "observer": (OBSERVER, 2), "timed out": (LEADS_ON, 2)}
"""Lines by what is special about them, and how much is committed in the end."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("how", RESTARTS)
def test_who_restarts_and_fetches_from_a_leader_that_is_no_voter_any_more_throws(
    released: Released, version: str, how: str
) -> None:
    """Q12: the leader has removed itself and leads; who restarts knows that, and asks it all the same.

    A leader whose request has timed out before the commit leads on after it, however long.
    """
    lines, committed = RESTARTS[how]
    with running(QUORUM, released(version)) as kafka:
        *_, restarted, fetched, state = kafka.ask(lines)
    leader = read_state(state)[3]
    assert restarted == "UNATTACHED 1" and leader.leads and leader.high_watermark == committed
    assert 3 not in leader.counts
    assert fetched.startswith("thrown|java.lang.IllegalStateException: Expected to be Follower")


@pytest.mark.lockstep
@pytest.mark.parametrize("how", RESTARTS)
def test_with_the_fix_of_q12_who_restarts_follows_that_leader(released: Released, how: str) -> None:
    released(NEWEST)
    lines, _ = RESTARTS[how]
    with running(QUORUM, kafka_classes(NEWEST, None, fixes=["Q12"])) as kafka:
        *_, restarted, fetched, state = kafka.ask(lines)
    follower = read_state(state)[4 if how == "observer" else 2]
    assert (restarted, fetched) == ("UNATTACHED 1", "NONE")
    assert (follower.role, follower.leader) == ("FOLLOWER", 3)


FIXED_ANSWERS = {
    "Q12": ["ask:2:3:FETCH", "state"],
    "Q13": ["ask:2:3:VOTE", "ask:2:3:VOTE", "state"],
}
"""Which lines are answered in another way with the fix."""


@pytest.mark.lockstep
@pytest.mark.parametrize("finding", KEPT)
def test_the_kept_lines_of_a_finding_show_it_and_its_fix(released: Released, finding: str) -> None:
    released(KEPT_OF)
    shown = epochal.lockstep_lines(kept_file(finding), kafka=KEPT_OF)
    assert shown.exit_code == ExitCode.HOLDS and not shown.findings, str(shown)
    fixed = epochal.lockstep_lines(kept_file(finding), kafka=KEPT_OF, fixes=[finding])
    assert fixed.exit_code == ExitCode.DRIFTED and fixed.findings == FIXED_ANSWERS[finding], str(fixed)
    assert fixed.lines[-len(fixed.findings)].now in ("NONE", "NONE granted")


TRUNCATED = (
    *("timeout:3", "ask:3:2:VOTE", "ask:3:2:VOTE", "begin_quorum_epoch:3:1"),  # v3 leads e2, and writes in it
    *("timeout:1", "ask:1:2:VOTE", "ask:1:2:VOTE", "begin_quorum_epoch:1:3", "begin_quorum_epoch:1:2"),
    *("ask:3:1:FETCH", "ask:3:1:FETCH"),  # v3 cuts that off, and has a record of e1 in its place
    *("ask:2:1:FETCH", "ask:2:1:FETCH"),  # v2 has the same
)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_the_epochs_of_a_truncated_log_are_written_in_the_background(released: Released, version: str) -> None:
    """Otherwise v3 takes its log for one of epoch 2 after a restart, and refuses v2, whose log is the same (H5)."""
    with running(QUORUM, released(version)) as kafka:
        lines = (*ELECTION, "begin_quorum_epoch:1:3", "append:1", "ask:3:1:FETCH", *TRUNCATED)
        *answers, state = kafka.ask(["begin:3:1:0", *lines, "restart:3", "timeout:2", "ask:2:3:VOTE", "state"])
    seen = read_state(state)
    assert seen[2].log == seen[3].log == (BatchSeen(1, 1),) * 2
    assert answers[-1] == "NONE granted"


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
@pytest.mark.parametrize("version", RELEASES[1:])
def test_a_candidate_again_throws(released: Released, version: str) -> None:
    released(version)
    found = epochal.check(QuorumCandidateAgain(), properties=["candidates_are_answered"]).counterexample
    assert found is not None
    with running(QUORUM, released(version)) as kafka:
        played = play(kafka, found)
    assert played.followed and played.holds is False
    assert "Received unexpected invalid request error" in played.answers[-1]


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


@pytest.mark.lockstep
@pytest.mark.parametrize("mutant", VOTERS_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_rule_about_changes_of_voters_that_kafka_lacks_is_noticed(
    released: Released, tmp_path: Path, mutant: Mutant
) -> None:
    released(NEWEST)
    changed = [mutant.made(NEWEST, tmp_path)]
    result = epochal.lockstep_runs(**VOTERS_CHANGE, kafka=NEWEST, classes=changed, budget=120)
    assert result.exit_code == ExitCode.DRIFTED, str(result)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"guided": True}, "runs of the quorum are drawn by chance alone"),
        ({"elr": True}, "the metadata quorum has no min.insync.replicas"),
        ({"rules": {"known_partition_epoch_ignored": "true"}}, "no rules to replace"),
    ],
)
def test_what_the_quorum_does_not_have_is_refused_before_anything_starts(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        epochal.lockstep_runs(protocol="quorum", kafka="none", **given)
    assert str(refused.value.advice).startswith("Leave ")
