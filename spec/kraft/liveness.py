"""What must happen in the end, and the fairness that it takes: the liveness properties that `epochal check` checks.

What goes wrong is bounded, so that from some state on only healing is left. A fair run does not put off for ever what
brokers and controller do by themselves: replaying metadata, fetching, answering AlterPartition, starting, registering.
Nothing is assumed of failures, of producers, or of leaders that drop slow followers.

Two bounds of the model have no part in this. A run that would need a greater leader epoch leaves the model (`bounded`),
and breaks nothing: `max_epoch` 4 leaves room for all that these bounds can do. And no change is made while a broker is
`metadata_lag` records behind, so whatever changes the partition takes brokers that replay.

The last four sentences are optional: users ask for them in their own words. They assume all that brokers and controller
do by themselves, in every step that a version makes of it. That a broker which is down is noticed is not among it,
because the same step fences brokers that are alive; so each of them waits until those that are down are fenced.
"""

from __future__ import annotations

from ..language import ALL, Identifier, leads_to
from .leader import Leader
from .rules import PARTS
from .state import RecordId, Replica

HEALING = ("replay_metadata", "fetch", "handle_alter_partition", "restart", "unfence")


class Liveness(Leader):
    """Premise and goal of each sentence, for every replica or record."""

    def leads_for_good(self, r: Identifier) -> bool:
        """Whether r is the partition's leader and knows the last change."""
        return self.is_legitimate(r) and self.brokers[r].behind == 0

    def can_lead(self, r: Identifier) -> bool:
        """Whether a clean election may choose r as soon as it is unfenced."""
        return self.is_running(r) and r in self.metadata[0].isr | self.recovery.elr

    # -- brokers --------------------------------------------------------------------------------------------------

    @leads_to(fair=("restart", "replay_metadata"), parts=PARTS)
    def fenced_broker_starts(self, broker: Replica) -> tuple[bool, bool]:
        """A broker that has stopped, and that the controller has fenced, runs again."""
        return not self.is_running(broker) and not self.is_active(broker), self.is_running(broker)

    @leads_to(fair=("unfence", "replay_metadata"), parts=PARTS)
    def running_broker_is_unfenced(self, broker: Replica) -> tuple[bool, bool]:
        """A broker that goes on running is unfenced."""
        return self.is_running(broker), self.is_active(broker) or not self.is_running(broker)

    @leads_to(fair=("replay_metadata",), parts=PARTS)
    def metadata_converges(self, broker: Replica) -> tuple[bool, bool]:
        """A broker that goes on running has replayed every change."""
        return self.is_running(broker), self.brokers[broker].behind == 0 or not self.is_running(broker)

    # -- the partition --------------------------------------------------------------------------------------------

    @leads_to(fair=("restart", "unfence", "replay_metadata"), parts=PARTS)
    def leader_is_elected(self) -> tuple[bool, bool]:
        """A partition without a leader gets one, while a member of ISR or ELR goes on running."""
        led = self.metadata[0].leader is not None
        return not led, led or not any(self.can_lead(r) for r in self.brokers)

    @leads_to(fair=("handle_alter_partition", "replay_metadata"), parts=PARTS)
    def proposal_is_resolved(self, leader: Replica) -> tuple[bool, bool]:
        """A leader's proposal is accepted or refused, or the leader hears of a newer change."""
        return len(self.brokers[leader].proposed) > 0, len(self.brokers[leader].proposed) == 0

    @leads_to(fair=HEALING, parts=PARTS)
    def follower_joins_isr(self, follower: Replica) -> tuple[bool, bool]:
        """A follower that goes on running, under a leader that goes on leading, is in the ISR."""
        now = self.metadata[0]
        return self.is_running(follower), (
            follower in now.isr or not self.is_running(follower) or not any(self.is_legitimate(r) for r in self.brokers)
        )

    # -- records --------------------------------------------------------------------------------------------------

    @leads_to(fair=HEALING, parts=PARTS)
    def high_watermark_catches_up(self, leader: Replica) -> tuple[bool, bool]:
        """The high watermark of a leader that goes on leading reaches its log end, if its ISR is large enough and runs.

        A member that has crashed holds it up until it is fenced, or dropped for being slow: neither is assumed here.
        """
        return self.leads_for_good(leader), (
            self.brokers[leader].hw == self.end(leader)
            or not self.leads_for_good(leader)
            or any(not self.is_running(r) for r in self.maximal_isr(leader))
            or (self.settings.strict_hw and len(self.view(leader).isr) < self.leader_min_isr(leader))
        )

    @leads_to(fair=HEALING, parts=PARTS)
    def acknowledged_is_fully_replicated(self, record: RecordId, replica: Replica) -> tuple[bool, bool]:
        """An acknowledged record is on every replica that goes on running under a leader that goes on leading.

        One that is lost never comes: where a record can be lost, this liveness property is broken, whatever invariants
        say.
        """
        return record in self.acknowledged, (
            any(entry.id == record for entry in self.brokers[replica].log)
            or not self.is_running(replica)
            or not any(self.is_legitimate(r) for r in self.brokers)
        )

    @leads_to(fair=HEALING, parts=PARTS)
    def logs_converge(self, follower: Replica, leader: Replica) -> tuple[bool, bool]:
        """A follower that goes on running has the log of a leader that goes on leading, once nothing is produced."""
        same = self.end(follower) == self.end(leader) and all(
            self.brokers[follower].log[o] == self.brokers[leader].log[o] for o in range(self.end(leader))
        )
        return self.leads_for_good(leader), same or not self.is_running(follower) or not self.leads_for_good(leader)

    # -- optional ---------------------------------------------------------------------------------------------------

    @leads_to(fair=ALL, optional=True)
    def partition_gets_leader(self) -> tuple[bool, bool]:
        """The partition has a leader again, unless a broker is down and not fenced yet."""
        led = self.metadata[0].leader is not None
        return not led, led or any(self.is_active(r) and not self.is_running(r) for r in self.brokers)

    @leads_to(fair=ALL, optional=True)
    def broker_leads(self) -> tuple[bool, bool]:
        """A broker runs and leads in the partition's present epoch, unless one is down and not fenced yet."""
        leads = any(self.is_legitimate(r) for r in self.brokers)
        return not leads, leads or any(self.is_active(r) and not self.is_running(r) for r in self.brokers)

    @leads_to(fair=ALL, optional=True)
    def isr_is_full(self) -> tuple[bool, bool]:
        """Every replica is in the ISR again, unless a broker is down and not fenced yet."""
        full = all(r in self.metadata[0].isr for r in self.brokers)
        return not full, full or any(self.is_active(r) and not self.is_running(r) for r in self.brokers)

    @leads_to(fair=ALL, optional=True)
    def isr_is_large_enough(self) -> tuple[bool, bool]:
        """Producers with acks=all can write again: the ISR is as large as min.insync.replicas, with the same excuse."""
        enough = len(self.metadata[0].isr) >= self.min_isr()
        return not enough, enough or any(self.is_active(r) and not self.is_running(r) for r in self.brokers)
