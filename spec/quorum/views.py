"""How people read a state of the quorum: each voter by its role, what observers have applied, what is committed."""

from __future__ import annotations

from ..language import shown, view
from .state import Observer, QuorumState, Role, Voter


class Views(QuorumState):
    """A line for each who takes part. What is nothing is not said."""

    @view(of="voter")
    def voter_in_words(self, voter: Voter) -> str:
        """A voter's role and epoch, what it was granted, and its log."""
        own = self.voters[voter]
        role = {Role.LEADER: "leads", Role.FOLLOWER: f"follows {own.leader}"}.get(own.role, shown(own.role))
        said = [f"{role} e{own.epoch}"]
        if own.voted_for is not None:
            said.append(f"voted for {own.voted_for}")
        if own.leader is not None and own.role not in (Role.LEADER, Role.FOLLOWER):
            said.append(f"the leader was {own.leader}")
        if own.votes:
            said.append(f"has {'pre-votes' if own.role == Role.PROSPECTIVE else 'votes'} of {own.votes}")
        if own.has_fetched:
            said.append("has fetched")
        held = [f"{v} to {own.acknowledged[v]}" for v in own.acknowledged if own.acknowledged[v] > 0]
        if held:
            said.append(f"knows its log copied by {', '.join(held)}")
        log = f"log {' '.join(map(shown, own.log))}, hw {own.hw}" if len(own.log) > 0 else "empty log"
        return f"{', '.join(said)}; {log}"

    @view(of="observer")
    def observer_in_words(self, observer: Observer) -> str:
        """What an observer has applied."""
        applied = self.applied[observer]
        return f"has applied {' '.join(map(shown, applied))}" if len(applied) > 0 else ""

    @view(of="committed")
    def committed_in_words(self) -> str:
        """What a leader's high watermark has passed, and in which epoch the last of it."""
        if len(self.committed) == 0:
            return ""
        return f"{' '.join(map(shown, self.committed))}, the last in e{self.commit_epoch}"
