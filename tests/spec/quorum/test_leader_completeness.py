"""Leader completeness: proved within bounds and for all of them, and not without a rule of the quorum."""

from __future__ import annotations

from epochal.checker.solver.induction import prove
from epochal.checker.solver.matrix import matrix
from epochal.spec.language import Protocol
from epochal.spec.quorum.log_history import LogHistory, QuorumProof
from epochal.spec.quorum.state import QuorumBounds
from tests.spec.quorum import proofs

OPEN: dict[type[LogHistory], set[tuple[str, str]]] = {
    proofs.HwAnyEpoch: {
        ("fetch", "committed_is_held_by_a_majority"),
        ("fetch_unanswered", "committed_is_held_by_a_majority"),
    },
    proofs.VoteAnyLog: {
        ("vote", "whom_it_votes_for_holds_it"),
        ("vote", "later_leaders_hold_it"),
        ("vote_unheard", "whom_it_votes_for_holds_it"),
    },
    proofs.VoteNotPersisted: {("restart", "vote_is_remembered")},
}
"""Which step breaks which lemma without a rule, in the prover within bounds."""


def everything(kind: type[Protocol]) -> tuple[str, ...]:
    """All invariants."""
    return tuple(member.name for member in kind.members("invariant"))


def wrong(protocol: Protocol) -> set[tuple[str, str]]:
    """The cells that the prover within bounds does not prove."""
    found = matrix(prove(protocol, properties=everything(type(protocol))))
    return {(cell.row, cell.column) for cell in found if cell.verdict not in ("proved", "untouched")}


def test_every_invariant_is_proved_at_small_bounds() -> None:
    assert wrong(QuorumProof(QuorumBounds(voters=3, log_size=1, max_epoch=2))) == set()
