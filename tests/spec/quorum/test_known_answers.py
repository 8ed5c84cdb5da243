"""The quorum's rules: with each of them the properties hold, and without it a shortest run shows what it is for."""

from __future__ import annotations

import pytest

from epochal.checker.search import breadth_first, reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.trace.trace import Trace
from epochal.spec.language import Protocol
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds, Role
from epochal.spec.registry import registered

EVERYTHING = Options(all_violations=True)

COUNTS = (
    ((2, 1, 2, 2), 1_442, 18),
    ((2, 1, 2, 4), 9_828, 23),
    ((3, 1, 1, 1), 1_169, 13),
    ((3, 1, 2, 2), 124_517, 22),
    ((3, 1, 3, 2), 659_252, 26),
    ((3, 1, 2, 3), 828_719, 26),
    ((3, 1, 2, 4), 2_897_132, 28),
)
"""Voters, observers, log size, greatest epoch; distinct states; depth. These figures are this specification's own."""

SWITCHES: dict[str, dict[str, int]] = {
    "quorum-hw-any-epoch": {
        "leader_completeness": 18,
        "committed_is_on_a_majority": 20,
        "below_hw_is_committed": 22,
        "truncation_spares_hw": 20,
        "observers_see_a_prefix": 23,
    },
    "quorum-vote-any-log": {
        "leader_completeness": 10,
        "committed_is_on_a_majority": 12,
        "below_hw_is_committed": 14,
        "truncation_spares_hw": 11,
        "observers_see_a_prefix": 15,
    },
    "quorum-vote-not-persisted": {
        "one_leader_per_epoch": 8,
        "log_matching": 8,
        "leader_completeness": 11,
        "committed_is_on_a_majority": 10,
        "below_hw_is_committed": 10,
        "truncation_spares_hw": 14,
        "observers_see_a_prefix": 14,
    },
    "quorum-no-pre-vote": {"leader_is_not_disturbed": 6},
    "quorum-lost-disk": {
        "one_leader_per_epoch": 8,
        "log_matching": 8,
        "leader_completeness": 11,
        "committed_is_on_a_majority": 8,
        "below_hw_is_committed": 10,
        "observers_see_a_prefix": 14,
    },
    "quorum-uncommitted-replay": {"observers_see_a_prefix": 5},
}
"""What each switch breaks at its default bounds, with the number of states of the shortest run."""


def violated(result: CheckResult) -> dict[str, int | None]:
    """The violated properties and the lengths of their traces; witnesses that small bounds exclude do not count."""
    judged = [p for p in result.properties if p.member.mark.kind != "reachable"]
    return {p.member.name: p.length for p in judged if p.verdict == "violated"}


def judged(protocol: Protocol) -> CheckResult:
    """A complete search."""
    result = breadth_first.check(protocol, EVERYTHING)
    assert result.exhaustive
    return result


@pytest.mark.parametrize(
    ("bounds", "states", "depth"), COUNTS, ids=lambda v: "/".join(map(str, v)) if isinstance(v, tuple) else ""
)
def test_the_sound_quorum_holds(bounds: tuple[int, ...], states: int, depth: int) -> None:
    result = judged(Quorum(QuorumBounds(*bounds)))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)


def test_at_its_default_bounds_everything_that_must_be_possible_is() -> None:
    result = judged(Quorum())
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert all(p.verdict == "holds" for p in result.properties)


@pytest.mark.parametrize("name", SWITCHES)
def test_each_rule_is_needed(name: str) -> None:
    """Without the rule these properties fail; with it none does, within the same bounds."""
    faulty = registered(name)()
    assert violated(judged(faulty)) == SWITCHES[name]
    bounds = QuorumBounds(**faulty.bounds.as_dict())
    assert violated(judged(Quorum(bounds))) == {}


@pytest.mark.parametrize("bounds", [(2, 1, 1, 2), (2, 1, 2, 2)])
def test_both_engines_agree(bounds: tuple[int, ...]) -> None:
    protocol = Quorum(QuorumBounds(*bounds))
    native, python = judged(protocol), reference_engine.check(protocol, EVERYTHING)
    assert (native.state_digest, native.step_digest) == (python.state_digest, python.step_digest)
    assert [(p.verdict, p.length) for p in native.properties] == [(p.verdict, p.length) for p in python.properties]


def shortest_run(name: str, property_id: str) -> Trace:
    """The shortest run that breaks a property, at the default bounds."""
    result = breadth_first.check(registered(name)(), Options(properties=(property_id,)))
    trace = result.properties[0].trace
    assert trace is not None
    return trace


def test_figure_8_of_the_raft_paper() -> None:
    """KAFKA-12619: a record of epoch 1 is committed in epoch 3, and a leader with a record of epoch 2 overwrites it."""
    trace = shortest_run("quorum-hw-any-epoch", "leader_completeness")
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, Quorum)
    assert [r.epoch for r in last.committed] == [1]
    assert last.commit_epoch == 3
    leaders = {last.voters[v].epoch: last.voters[v].log for v in last.voters if last.voters[v].role == Role.LEADER}
    assert {epoch: [r.epoch for r in log] for epoch, log in leaders.items()} == {3: [1, 3], 4: [2, 4]}


def test_a_returning_voter_disturbs_the_quorum_unless_it_asks_first() -> None:
    """KIP-996: the disturber is neither the leader nor the one that fetches from it."""
    trace = shortest_run("quorum-no-pre-vote", "leader_is_not_disturbed")
    steps = [step.instance for step in trace.steps]
    (fetch,) = (step for step in steps if step.action.name == "fetch")
    assert steps[-1].action.name == "election_timeout"
    assert steps[-1].arguments[0] not in fetch.arguments
