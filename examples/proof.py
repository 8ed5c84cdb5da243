"""A proof: two-phase commit agrees after any number of steps, because of three lemmas that every step preserves."""

from two_phase_commit import Decision, State, TwoPhaseCommit

import epochal
from epochal.language import lemma


class Proved(TwoPhaseCommit):
    """Two-phase commit, and why it agrees."""

    @lemma
    def nobody_commits_alone(self) -> bool:
        """Who has committed has learnt it."""
        return self.decision == Decision.COMMIT or all(self.states[p] != State.COMMITTED for p in self.states)

    @lemma
    def a_commit_is_everybodys(self) -> bool:
        """Where commit is decided nobody can abort any more."""
        return self.decision != Decision.COMMIT or all(
            self.states[p] in (State.PREPARED, State.COMMITTED) for p in self.states
        )

    @lemma
    def votes_are_kept(self) -> bool:
        """Until there is a decision, who has voted is prepared."""
        return self.decision is not None or all(self.states[p] == State.PREPARED for p in self.votes)


proof = epochal.prove(Proved(participants=5))
assert proof.proved and len(proof.proof.lemmas) == 3, proof
print(proof)

searched = epochal.check(Proved(participants=5), lemmas=True)
assert (searched.violated, searched.states) == (set(), 1_299), searched  # 3**5 + 2**5 + 4**5
