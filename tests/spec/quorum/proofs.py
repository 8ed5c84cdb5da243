"""The quorum without a rule, with the history and the lemmas of its proof."""

from __future__ import annotations

from epochal.spec.language import Identifier, Set
from epochal.spec.quorum.election_history import QuorumProof
from epochal.spec.quorum.log_history import LogHistory
from epochal.spec.quorum.switches import (
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
