"""The classic family with history: protocols before KIP-320, KIP-320 without a fence, and three mutants of it."""

from __future__ import annotations

from epochal.spec.classic.commit_history import CommitHistory
from epochal.spec.classic.kip_101 import Kip101
from epochal.spec.classic.kip_279 import Kip279
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.classic.mutants import Kip320M1, Kip320M2, Kip320M3
from epochal.spec.classic.state import Replica
from epochal.spec.classic.truncate_to_hw import TruncateToHw
from epochal.spec.language import Identifier, Protocol, Set, require


class TruncateToHwProof(CommitHistory, TruncateToHw):
    """Kafka 0.8."""


class Kip101Proof(CommitHistory, Kip101):
    """Kafka 0.11."""


class M1Proof(CommitHistory, Kip320M1):
    """An unfenced truncation query."""


class M2Proof(CommitHistory, Kip320M2):
    """The ISR grows while the high watermark is stale."""


class M3Proof(CommitHistory, Kip320M3):
    """An unfenced high watermark."""


class TruncatesTooLittle(Kip320Proof):
    """A new follower keeps one record more than it shares with its leader."""

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """One too many, if there is one."""
        return min(self.end(follower), Kip279.truncation_offset(self, follower, leader) + 1)


class CommitsForAMajorityOfOne(Kip320Proof):
    """A leader commits what one member of its ISR has."""

    def advance_high_watermark(self, leader: Replica) -> None:
        """Any instead of all."""
        hw = self.replicas[leader].hw
        require(self.has_entry(leader, hw))
        require(any(self.follows_epoch(f, leader) and self.has_entry(f, hw) for f in self.replicas[leader].isr))
        self.replicas[leader].hw = hw + 1
        if self.commit_epoch[hw] is None:
            self.commit_epoch[hw] = self.replicas[leader].epoch
            self.committed[hw] = self.replicas[leader].log[hw]


class ElectsAnybody(Kip320Proof):
    """The controller elects a replica that is not in the ISR, and puts it there alone."""

    def elect_leader(self, replica: Replica) -> None:
        """Unclean."""
        require(self.quorum.leader != replica)
        self.send(replica, Set({replica}))


CONTROLS: tuple[type[Protocol], ...] = (
    TruncateToHwProof,
    Kip101Proof,
    M1Proof,
    M2Proof,
    M3Proof,
    TruncatesTooLittle,
    CommitsForAMajorityOfOne,
    ElectsAnybody,
)
