"""What must happen in the end in ZooKeeper's time: a leader for who can have one, and an ISR that grows again.

Fair is what the controller and the brokers do by themselves: noticing who failed and who is back, electing, obeying the
requests that reached them, fetching, asking again. Nothing is assumed of brokers that stop or come back, of leaders
that drop slow followers, or of a next controller, which would heal much by reading everything anew.

The writes to the partition's znode are bounded: a run that needs one more leaves the model, and breaks nothing.
"""

from __future__ import annotations

from ..language import Identifier, leads_to
from .state import Broker, ZooKeeperState

ELECTING = ("on_leader_failure", "on_broker_failure", "on_broker_startup", "elect_leader", "become_leader")
OBEYING = (*ELECTING, "become_follower")


class Promises(ZooKeeperState):
    """Premise and goal of each sentence, for every broker."""

    def can_lead(self, b: Identifier) -> bool:
        """Whether a controller that knows what is may elect a broker."""
        return self.brokers[b].up and b in self.partition.isr

    @leads_to(fair=ELECTING)
    def leader_takes_office(self) -> tuple[bool, bool]:
        """If there is a controller, a broker leads the partition, while a member of the ISR goes on running."""
        led = any(self.is_true_leader(b) for b in self.brokers)
        waits = self.controller_epoch() > 0 and any(self.can_lead(b) for b in self.brokers)
        return waits and not led, led or not waits

    @leads_to(fair=OBEYING)
    def former_leader_steps_down(self, broker: Broker) -> tuple[bool, bool]:
        """Who takes itself for the leader and is not learns it, while the true leader goes on leading."""
        wrong = self.presumes_leadership(broker) and not self.is_true_leader(broker)
        led = any(self.is_true_leader(b) for b in self.brokers)
        return wrong and led, not (wrong and led)

    @leads_to(
        fair=(*OBEYING, "fetch", "advance_high_watermark"),
        parts=("leader_expands_isr", "leader_proposes_expansion", "alter_isr", "confirm_isr"),
    )
    def follower_joins_isr(self, follower: Broker) -> tuple[bool, bool]:
        """A follower that goes on running is in the ISR some time, while the leader goes on leading."""
        led = any(self.is_true_leader(b) for b in self.brokers)
        out = self.brokers[follower].up and follower not in self.partition.isr
        return led and out, not (led and out)
