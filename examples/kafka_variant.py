"""A variant of Kafka's protocol: KIP-320 where one of its fences is taken away, and where it is put back.

A fetch that does not say which epoch the follower is in was Kafka's before 2.1 (KAFKA-6880).
"""

import epochal
from epochal.language import action, require
from epochal.spec.classic.kip_279 import Kip279
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import Replica


class Unfenced(Kip320):
    """KIP-320 with the fetch of KIP-279."""

    fetch = Kip279.fetch


class FencedAgain(Unfenced):
    """The same with a fence of its own: the leader serves followers of its epoch, and of no other."""

    @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches the next record from {leader}")
    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As before, if the epochs are equal."""
        require(self.replicas[follower].epoch == self.replicas[leader].epoch)
        super().fetch(follower, leader)


unfenced = epochal.check(Unfenced(), properties="weak_isr")
assert unfenced.violated == {"weak_isr"}, unfenced
assert unfenced.counterexample is not None and unfenced.counterexample.length == 13
print(unfenced.counterexample)

fenced = epochal.check(FencedAgain())
assert (fenced.violated, fenced.states) == (set(), 737_794), fenced
assert epochal.compare(FencedAgain(), Kip320()).same
