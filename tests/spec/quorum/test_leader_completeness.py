"""Leader completeness: proved within bounds, and not without a rule of the quorum; one leader, for all bounds."""

from __future__ import annotations

import pytest

from epochal.checker.solver.induction import matrix, prove
from epochal.checker.unbounded.ladder import Climber, Effort
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import unbounded_proof
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.spec.quorum.election_history import QuorumProof
from epochal.spec.quorum.log_history import LogHistory, QuorumCommitProof
from epochal.spec.quorum.state import QuorumBounds
from tests.spec.quorum import proofs

UNIT = 50_000
"""Little effort is enough to see that a cell is not proved easily, and wrong ones are proved by none."""

OPEN: dict[type[LogHistory], set[tuple[str, str]]] = {
    proofs.HwAnyEpoch: {
        ("fetch", "committed_is_held_by_a_majority"),
        ("fetch_unanswered", "committed_is_held_by_a_majority"),
    },
    proofs.VoteAnyLog: {
        ("vote", "whom_it_votes_for_holds_it"),
        ("vote", "later_leaders_hold_it"),
        ("vote", "later_logs_hold_what_is_committed"),
        ("vote_unheard", "whom_it_votes_for_holds_it"),
    },
    proofs.VoteNotPersisted: {("restart", "vote_is_remembered")},
    proofs.LostDisk: {
        ("lose_disk", "votes_are_of_the_past"),
        ("lose_disk", "candidates_have_reached_the_epoch"),
        ("lose_disk", "elected_leads_its_epoch"),
        ("lose_disk", "held_is_held"),
        ("lose_disk", "who_held_it_holds_it"),
    },
    proofs.UncommittedReplay: {("observer_applies", "what_is_applied_is_committed")},
    proofs.ResignedStays: {("election_timeout", "role_fits_leader_and_vote")},
}
"""Which step breaks which lemma without a rule, in the prover within bounds."""


def everything(kind: type[Protocol]) -> tuple[str, ...]:
    """All invariants."""
    return tuple(member.name for member in kind.members("invariant"))


def wrong(protocol: Protocol) -> set[tuple[str, str]]:
    """The cells that the prover within bounds does not prove."""
    found = matrix(prove(protocol, properties=everything(type(protocol))))
    return {(cell.row, cell.column) for cell in found if cell.verdict not in ("proved", "untouched")}


@pytest.mark.parametrize("kind", [QuorumCommitProof, proofs.NoPreVote])
@pytest.mark.long
def test_every_invariant_is_proved_within_bounds(kind: type[LogHistory]) -> None:
    assert wrong(kind(kind.bounds_type()())) == set()


@pytest.mark.parametrize("kind", OPEN, ids=lambda kind: kind.__name__)
@pytest.mark.long
def test_without_a_rule_nothing_is_proved_that_is_wrong_within_bounds(kind: type[LogHistory]) -> None:
    """The cells that have a counterexample within bounds are not proved for all bounds either."""
    within = wrong(kind(kind.bounds_type()()))
    assert within == OPEN[kind]
    plan = UnboundedPlan(kind, everything(kind))
    for obligation in plan.obligations():
        if (obligation.row, obligation.column) in within:
            assert not all(Climber(Effort(UNIT, steep=False)).answer(one).proved for one in obligation.questions), (
                obligation.label
            )


@pytest.mark.long
def test_one_leader_an_epoch_is_proved_for_any_number_of_voters() -> None:
    result = unbounded_proof(QuorumProof(QuorumBounds()), ("one_leader_per_epoch",), cached=False)
    assert result.exit_code == ExitCode.HOLDS
    assert len(result.cells) == 136


@pytest.mark.long
def test_half_of_the_votes_elect_two_leaders() -> None:
    """With four voters: what a vote breaks within bounds is not proved for all bounds."""
    within = {
        cell for cell in wrong(proofs.HalfElects(QuorumBounds(voters=4, log_size=1, max_epoch=1))) if cell[0] == "vote"
    }
    assert ("vote", "elected_by_a_majority") in within
    for obligation in UnboundedPlan(proofs.HalfElects, ()).obligations():
        if (obligation.row, obligation.column) in within:
            assert not all(Climber(Effort(UNIT, steep=False)).answer(one).proved for one in obligation.questions), (
                obligation.label
            )
