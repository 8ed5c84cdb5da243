"""Voters are added and removed: with the rules of KIP-853 nothing is lost, and without one of them something is."""

from __future__ import annotations

from itertools import combinations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.language import Identifier, Set
from epochal.spec.quorum.reconfiguration import QuorumReconfiguration
from epochal.spec.quorum.reconfiguration_switches import QuorumVotersWhenCommitted
from epochal.spec.quorum.voters_in_memory import QuorumVotersNotReadAgain
from tests.spec.quorum.searches import assert_both_engines_agree, judged, named, shortest_run, violated, witnesses

COUNTS = (
    pytest.param((2, 1, 3, 2), 3_445, 15, id="2/1/3/2"),
    pytest.param((3, 1, 2, 2), 31_345, 18, id="3/1/2/2"),
    pytest.param((4, 1, 2, 2), 527_049, 22, id="4/1/2/2", marks=pytest.mark.long),
)
"""Replicas, observers, log size, greatest epoch; distinct states; depth. These figures are this specification's own."""

SWITCHES = (
    pytest.param(
        "quorum-change-any-epoch",
        (4, 1, 2, 2),
        {"who_may_win_holds_committed": 7, "majorities_intersect": 5},
        id="quorum-change-any-epoch",
        marks=pytest.mark.long,
    ),
    pytest.param(
        "quorum-many-changes",
        (3, 1, 3, 2),
        {
            "leader_completeness": 7,
            "below_hw_is_committed": 10,
            "truncation_spares_hw": 8,
            "observers_see_a_prefix": 12,
            "who_may_win_holds_committed": 6,
            "majorities_intersect": 6,
        },
        id="quorum-many-changes",
        marks=pytest.mark.long,
    ),
    pytest.param(
        "quorum-removed-leader-counts",
        (2, 1, 3, 2),
        {
            "leader_completeness": 8,
            "below_hw_is_committed": 8,
            "truncation_spares_hw": 9,
            "observers_see_a_prefix": 11,
            "who_may_win_holds_committed": 7,
        },
        id="quorum-removed-leader-counts",
    ),
    pytest.param(
        "quorum-voters-when-committed",
        (3, 1, 3, 2),
        {"majorities_intersect": 11},
        id="quorum-voters-when-committed",
        marks=pytest.mark.long,
    ),
    pytest.param(
        "quorum-voters-not-read-again",
        (3, 1, 3, 2),
        {"who_may_win_holds_committed": 12, "majorities_intersect": 12},
        id="quorum-voters-not-read-again",
        marks=pytest.mark.long,
    ),
)
"""What each switch breaks, at which bounds, with the number of states of the shortest run."""

LOSSES = (
    pytest.param("quorum-change-any-epoch", (4, 1, 3, 3), 9, id="quorum-change-any-epoch"),
    pytest.param("quorum-voters-when-committed", (3, 1, 4, 2), 13, id="quorum-voters-when-committed"),
    pytest.param("quorum-voters-not-read-again", (3, 1, 3, 3), 13, id="quorum-voters-not-read-again"),
)
"""Two sets of voters without a majority in common lose what is committed, where there is room for it."""


@pytest.mark.parametrize(("bounds", "states", "depth"), COUNTS)
def test_one_change_at_a_time_is_safe(bounds: tuple[int, ...], states: int, depth: int) -> None:
    result = judged(named("quorum-reconfiguration", bounds))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)


@pytest.mark.parametrize(("name", "bounds", "found"), SWITCHES)
def test_each_rule_is_needed(name: str, bounds: tuple[int, ...], found: dict[str, int]) -> None:
    """Within the same bounds all of it holds with the rule: see COUNTS, and the test at the default bounds."""
    assert violated(judged(named(name, bounds))) == found


@pytest.mark.long
def test_three_voters_do_not_show_the_bug_of_single_server_changes() -> None:
    """All majorities of three voters, of two of them, and of two others meet."""
    protocol = named("quorum-change-any-epoch", (3, 1, 2, 2))
    assert violated(judged(protocol)) == {}


@pytest.mark.long
@pytest.mark.parametrize(("name", "bounds", "length"), LOSSES)
def test_what_is_committed_is_lost(name: str, bounds: tuple[int, ...], length: int) -> None:
    result = breadth_first.check(named(name, bounds), Options(properties=("leader_completeness",)))
    assert violated(result) == {"leader_completeness": length}


@pytest.mark.long
def test_at_its_default_bounds_everything_that_must_be_possible_is() -> None:
    result = judged(QuorumReconfiguration())
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (400_729, 23)
    assert witnesses(result) == {
        "record_committed": 4,
        "committed_after_failover": 6,
        "two_presume_leadership": 3,
        "leader_resigns": 3,
        "observer_lags": 7,
        "voter_added": 10,
        "leader_removed": 9,
        "removed_leader_leads": 5,
        "change_taken_back": 8,
    }


def test_both_engines_agree() -> None:
    assert_both_engines_agree(named("quorum-reconfiguration", (2, 1, 2, 2)))


def test_majorities_overlap_as_they_are_counted() -> None:
    """Every majority of one set of voters meets every one of the other, found by listing them all."""
    protocol = named("quorum-reconfiguration", (4, 1, 1, 1))
    assert isinstance(protocol, QuorumReconfiguration)
    state = protocol.at(protocol.initial_states()[0])
    everybody = tuple(state.voters)
    sets = [frozenset(some) for size in range(1, 5) for some in combinations(everybody, size)]

    def majorities(voters: frozenset[Identifier]) -> list[frozenset[Identifier]]:
        return [frozenset(some) for some in combinations(voters, len(voters) // 2 + 1)]

    for a in sets:
        for b in sets:
            meet = all(one & other for one in majorities(a) for other in majorities(b))
            assert state.majorities_overlap(Set(a), Set(b)) == meet, (a, b)


def test_the_bug_of_single_server_changes_is_told_by_two_leaders() -> None:
    """The second, elected by the voters that know nothing of the first change, makes another of the same voters."""
    trace = shortest_run(named("quorum-change-any-epoch", (4, 1, 2, 2)), "majorities_intersect")
    assert [step.instance.action.name for step in trace.steps] == ["elect", "remove_voter", "elect", "remove_voter"]
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, QuorumReconfiguration)
    assert sorted(len(last.voters_of(v)) for v in last.voters) == [3, 3, 4, 4]


def test_who_truncates_does_not_read_the_voters_that_come_instead() -> None:
    """Q9: the VotersRecord is in the log and not in memory, until the process starts anew."""
    trace = shortest_run(named("quorum-voters-not-read-again", (3, 1, 3, 2)), "majorities_intersect")
    last = trace.protocol.at(trace.steps[-1].codes)
    assert isinstance(last, QuorumVotersNotReadAgain)
    (wrong,) = (v for v in last.voters if last.voters_of(v) != last.last_voters(v))
    assert len(last.voters_of(wrong)) == 3 and len(last.last_voters(wrong)) == 2
    assert "truncate" in [step.instance.action.name for step in trace.steps if wrong in step.instance.arguments]
    restarted = next(
        trace.protocol.at(after)
        for instance, after in trace.protocol.successors(trace.steps[-1].codes)
        if instance.action.name == "restart" and instance.arguments == (wrong,)
    )
    assert isinstance(restarted, QuorumVotersNotReadAgain)
    assert restarted.voters_of(wrong) == restarted.last_voters(wrong)


def test_voters_are_interchangeable_where_they_count_when_committed() -> None:
    """`epochal catalogue` searches one state of those that differ in names only: nothing may depend on their order."""
    protocol = QuorumVotersWhenCommitted()
    result = breadth_first.check(protocol, Options(properties=("majorities_intersect",), symmetry=True, max_states=10))
    assert result.error is None and result.distinct_states >= 10
