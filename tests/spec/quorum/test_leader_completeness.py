"""Leader completeness: proved within bounds and for all of them, and not without a rule of the quorum."""

from __future__ import annotations

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.solver.induction import IMPLICATION, ProofResult, matrix, prove
from epochal.checker.unbounded import certificate
from epochal.checker.unbounded.ladder import Climber, Effort
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.premises import ProofOutline
from epochal.checker.unbounded.proof import unbounded_proof
from epochal.exit_codes import ExitCode
from epochal.spec.language import Identifier, Protocol, Set
from epochal.spec.quorum.election_history import QuorumProof, QuorumVoteNotPersistedProof
from epochal.spec.quorum.log_history import LogHistory, QuorumCommitProof
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds
from epochal.spec.quorum.switches import (
    OneEpoch,
    QuorumHwAnyEpoch,
    QuorumLostDisk,
    QuorumNoPreVote,
    QuorumResignedStays,
    QuorumUncommittedReplay,
    QuorumVoteAnyLog,
    QuorumVoteNotPersisted,
)


class HwAnyEpoch(LogHistory, QuorumHwAnyEpoch):
    """Figure 8: the high watermark may stop at the start of the leader's epoch."""


class VoteAnyLog(LogHistory, QuorumVoteAnyLog):
    """Votes for logs that are behind."""


class VoteNotPersisted(LogHistory, QuorumVoteNotPersisted):
    """Votes in memory only."""


class LostDisk(LogHistory, QuorumLostDisk):
    """A voter that comes back with nothing."""


class UncommittedReplay(LogHistory, QuorumUncommittedReplay):
    """Brokers that apply what is not committed."""


class ResignedStays(LogHistory, QuorumResignedStays):
    """Whoever resigned asks for pre-votes in the epoch that it led."""


class NoPreVote(LogHistory, QuorumNoPreVote):
    """Without pre-votes, which nothing in a state depends on."""


class HalfElects(QuorumProof):
    """Half of the votes are enough to be elected, and to commit."""

    def is_majority_for(self, v: Identifier, voters: Set[Identifier]) -> bool:
        """No majority is asked for."""
        return 2 * len(voters) >= self.bounds.voters


UNIT = 50_000
"""Little effort is enough to see that a cell is not proved easily, and wrong ones are proved by none."""

OPEN: dict[type[LogHistory], set[tuple[str, str]]] = {
    HwAnyEpoch: {
        (step, lemma)
        for step in ("fetch", "fetch_unanswered")
        for lemma in (
            "committed_is_held_by_a_majority",
            "what_is_committed_may_be_committed",
            "each_commit_is_held_by_a_majority",
            "each_commit_may_be_committed",
        )
    },
    VoteAnyLog: {
        ("append", "who_is_not_behind_holds_it"),
        ("vote", "who_is_not_behind_holds_it"),
    },
    VoteNotPersisted: {("restart", "vote_is_remembered")},
    LostDisk: {
        ("lose_disk", "votes_are_of_the_past"),
        ("lose_disk", "candidates_have_reached_the_epoch"),
        ("lose_disk", "elected_leads_its_epoch"),
        ("lose_disk", "held_is_held"),
        ("lose_disk", "who_held_it_holds_it"),
        ("lose_disk", "who_is_not_behind_holds_it"),
    },
    UncommittedReplay: {("observer_applies", "what_is_applied_is_committed")},
    ResignedStays: {("election_timeout", "role_fits_leader_and_vote")},
}
"""Which step breaks which lemma without a rule, in the prover within bounds."""


def everything(kind: type[Protocol]) -> tuple[str, ...]:
    """All invariants."""
    return tuple(member.name for member in kind.members("invariant"))


def wrong(protocol: Protocol) -> set[tuple[str, str]]:
    """The cells that the prover within bounds does not prove."""
    found = matrix(prove(protocol, properties=everything(type(protocol))))
    return {(cell.row, cell.column) for cell in found if cell.verdict not in ("proved", "untouched")}


@pytest.mark.parametrize("kind", [QuorumCommitProof, NoPreVote])
@pytest.mark.long
def test_every_invariant_is_proved_within_bounds(kind: type[LogHistory]) -> None:
    assert wrong(kind(kind.bounds_type()())) == set()


@pytest.mark.parametrize("kind", OPEN, ids=lambda kind: kind.__name__)
@pytest.mark.long
def test_without_a_rule_nothing_is_proved_that_is_wrong_within_bounds(kind: type[LogHistory]) -> None:
    """The cells that have a counterexample within bounds are not proved for all bounds either."""
    within = wrong(kind(kind.bounds_type()()))
    assert within == OPEN[kind]
    plan = UnboundedPlan(kind, everything(kind), certificate.known(QuorumCommitProof).many)
    for obligation in plan.obligations():
        if (obligation.row, obligation.column) in within:
            assert not all(Climber(Effort(UNIT, "lower")).answer(one).proved for one in obligation.questions), (
                obligation.label
            )


@pytest.mark.long
def test_every_invariant_is_proved_for_any_number_of_voters() -> None:
    """From the outlines that ship: five minutes of processor time, and hours without them."""
    kind = QuorumCommitProof
    result = unbounded_proof(kind(QuorumBounds()), everything(kind), cached=False)
    assert result.exit_code == ExitCode.HOLDS
    assert result.unseen == ()


@pytest.mark.parametrize("kind", OPEN, ids=lambda kind: kind.__name__)
@pytest.mark.long
def test_without_a_rule_the_outlines_prove_nothing_that_is_wrong(kind: type[LogHistory]) -> None:
    """Of a lemma that a step breaks the outline is not proved, or the step breaks a lemma from which it follows."""
    outlines = certificate.known(QuorumCommitProof).outlines
    plan = UnboundedPlan(kind, (), many=False)
    for row, column in OPEN[kind]:
        implied = [one for one in outlines.get((IMPLICATION, column), ()) if not broken(one, OPEN[kind], row)]
        asked = [plan.implied(column, one.before, few=True) for one in implied]
        asked += [plan.outlined(row, column, one) for one in outlines.get((row, column), ())]
        for obligation in asked:
            assert not all(Climber(Effort(UNIT, "lower")).answer(one).proved for one in obligation.questions), (
                obligation.label
            )


def broken(outline: ProofOutline, within: set[tuple[str, str]], row: str) -> bool:
    """Whether a step breaks one of the lemmas of an outline."""
    return any((row, lemma) in within for lemma in outline.before)


@pytest.mark.long
def test_one_leader_an_epoch_is_proved_for_any_number_of_voters() -> None:
    result = unbounded_proof(QuorumProof(QuorumBounds()), ("one_leader_per_epoch",), cached=False)
    assert result.exit_code == ExitCode.HOLDS
    assert len(result.cells) == 136


@pytest.mark.long
def test_half_of_the_votes_elect_two_leaders() -> None:
    """With four voters: what a vote breaks within bounds is not proved for all bounds."""
    within = {cell for cell in wrong(HalfElects(QuorumBounds(voters=4, log_size=1, max_epoch=1))) if cell[0] == "vote"}
    assert ("vote", "elected_by_a_majority") in within
    for obligation in UnboundedPlan(HalfElects, ()).obligations():
        if (obligation.row, obligation.column) in within:
            assert not all(Climber(Effort(UNIT, "lower")).answer(one).proved for one in obligation.questions), (
                obligation.label
            )


# The proof that an epoch has one leader, and what it says without the rule that it leans on.

ONE_LEADER = ("one_leader_per_epoch",)


def unproved(result: ProofResult) -> set[tuple[str, str]]:
    """The action and the lemma of every obligation that is not proved."""
    return {
        (a.obligation.instance.action.name if a.obligation.instance else "", a.obligation.column)
        for a in result.answers
        if a.verdict != "proved"
    }


@pytest.mark.parametrize("bounds", [QuorumBounds(), QuorumBounds(voters=3, log_size=3, max_epoch=6)])
def test_election_safety_is_proved(bounds: QuorumBounds) -> None:
    result = prove(QuorumProof(bounds), properties=ONE_LEADER)
    assert unproved(result) == set()
    assert result.exit_code == 0


def test_without_a_vote_on_disk_the_proof_fails_where_a_voter_restarts() -> None:
    result = prove(QuorumVoteNotPersistedProof(OneEpoch()), properties=ONE_LEADER)
    assert unproved(result) == {("restart", "vote_is_remembered")}
    assert result.exit_code == 32


def test_the_lemmas_hold_in_every_reachable_state_and_change_nothing() -> None:
    bounds = QuorumBounds(voters=3, log_size=1, max_epoch=2)
    everything = Options(all_violations=True, lemmas=True)
    result = breadth_first.check(QuorumProof(bounds), everything)
    judged = [p for p in result.properties if p.member.mark.kind != "reachable"]
    assert sum(p.member.mark.kind == "lemma" for p in judged) == 7
    assert all(p.verdict == "holds" for p in judged)
    plain = breadth_first.check(Quorum(bounds), Options(all_violations=True))
    assert [a.name for a in QuorumProof.members("action")] == [a.name for a in Quorum.members("action")]
    assert result.distinct_states >= plain.distinct_states


def test_without_a_vote_on_disk_the_lemma_is_false_in_a_reachable_state() -> None:
    result = breadth_first.check(
        QuorumVoteNotPersistedProof(OneEpoch(log_size=1)), Options(all_violations=True, lemmas=True)
    )
    assert "vote_is_remembered" in {p.member.name for p in result.properties if p.verdict == "violated"}
