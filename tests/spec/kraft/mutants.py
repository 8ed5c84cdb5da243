"""Changes of single rules of the modern protocol, as somebody might propose them, and what they make void.

Those of `LOSES` lose what was acknowledged once the answer to a fetch is lost; where a fetch is one step, some do not.
"""

from __future__ import annotations

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.state import Replica
from epochal.spec.language import Identifier, Set, action, invariant, require


class JoinsWithinOne(ConfigurableKraft):
    """A follower may join the ISR when it is within one record of the high watermark."""

    def may_join(self, leader: Identifier, follower: Identifier) -> bool:
        fetched = self.brokers[leader].followers[follower]
        return (
            follower not in self.view(leader).isr
            and self.may_propose(leader)
            and fetched >= 0
            and fetched + 1 >= self.brokers[leader].hw
            and self.is_active(follower)
        )


class CountsWhatItSends(ConfigurableKraft):
    """The leader takes a follower to have the record that it is just being sent."""

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        super().accept_fetch(leader, follower)
        if self.end(follower) < self.end(leader):
            self.brokers[leader].followers[follower] = self.end(follower) + 1
            self.advance_high_watermark(leader)


class TrustsTheNextFetch(ConfigurableKraft):
    """The high watermark counts a follower at one record further than where it has fetched."""

    def known_end(self, leader: Identifier, r: Identifier) -> int:
        known = super().known_end(leader, r)
        return min(known + 1, self.end(leader)) if r != leader and known >= 0 else known


class CountsTheCommitted(ConfigurableKraft):
    """Who is proposed for the ISR is not waited for."""

    def maximal_isr(self, leader: Identifier) -> Set[Identifier]:
        return self.view(leader).isr


class ProposesAnyTime(ConfigurableKraft):
    """A leader need not wait for the answer to its last proposal."""

    def may_propose(self, leader: Identifier) -> bool:
        return True


class AnyEpoch(ConfigurableKraft):
    """A leader answers fetches of another epoch, too."""

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        return self.is_running(follower) and self.view(follower).leader == leader


class ReadsTheTable(ConfigurableKraft):
    """A step of its own reads how far the leader takes its followers to be."""

    @action(by="leader", says="{leader} knows where {follower} is")
    def knows(self, leader: Replica, follower: Replica) -> None:
        require(self.brokers[leader].followers[follower] > 0)


class KeepsItsProposal(ConfigurableKraft):
    """A leader that acts on another change goes on proposing what it proposed."""

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        proposed = self.brokers[leader].proposed
        super().become_leader(leader, led_before, epoch_before)
        self.brokers[leader].proposed = proposed


class AnyMember(ConfigurableKraft):
    """The controller takes everybody into the ISR who is proposed."""

    def is_eligible(self, member: Identifier) -> bool:
        return True


class ActsOnTheIsr(ConfigurableKraft):
    """A follower that is not in the ISR as it knows it begins anew."""

    def become_follower(self, follower: Identifier, led_before: bool, epoch_before: int) -> None:
        super().become_follower(follower, led_before, epoch_before)
        if follower not in self.view(follower).isr:
            self.truncate(follower, 0)


class ElectsByName(ConfigurableKraft):
    """Only one broker may lead: a rule that no step here has anything to do with."""

    def may_lead(self, r: Identifier) -> bool:
        return super().may_lead(r) and self.metadata[0].leader != r


class Judges(ConfigurableKraft):
    """A property of its own reads what a fetch changes: it takes no part in any step."""

    @invariant
    def table_is_small(self) -> bool:
        return all(self.brokers[a].followers[b] < 9 for a in self.brokers for b in self.brokers)


FETCH, REQUEST, ANSWER, REPLAY, KNOWN = (
    "a fetch is one step",
    "one AlterPartition request at a time",
    "an accepted proposal is known by replaying the change",
    "a change that makes no difference counts as replayed",
    "fencing and registration are known at once",
)

VOID: dict[type[ConfigurableKraft], set[str]] = {
    JoinsWithinOne: {FETCH},
    CountsWhatItSends: {FETCH},
    TrustsTheNextFetch: {FETCH},
    CountsTheCommitted: {FETCH, ANSWER},
    ProposesAnyTime: {FETCH, REQUEST},
    AnyEpoch: {FETCH},
    ReadsTheTable: {FETCH},
    KeepsItsProposal: {FETCH, ANSWER},
    AnyMember: {KNOWN},
    ActsOnTheIsr: {REPLAY},
    ElectsByName: set(),
    Judges: set(),
}
"""The reductions that each makes void."""

LOSES = (JoinsWithinOne, CountsWhatItSends, TrustsTheNextFetch)
