"""What distinguishes Kafka versions, and what an operator sets: one frozen record, read in one place for each rule."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ..language import BoundsError, Given


class Acks(enum.Enum):
    """What a producer waits for (`acks`)."""

    NONE = "0"
    LEADER = "1"
    ALL = "all"


class Truncation(enum.Enum):
    """Where a follower cuts its log back."""

    DIVERGING_EPOCH = "to where it diverges from the leader"
    HIGH_WATERMARK = "to its own high watermark"


class CountedIsr(enum.Enum):
    """Which replicas the high watermark waits for while a change of the ISR is pending (KIP-497)."""

    MAXIMAL = "committed and proposed"
    COMMITTED = "committed only"
    PROPOSED = "proposed only"


@dataclass(frozen=True)
class Settings:
    """The protocol of the newest Kafka, unless said otherwise. A field set to its other value is a rule taken away.

    The first four are what an operator or a producer chooses; each of the rest names the KIP or JIRA that brought it.
    Some rules are about steps that the core leaves out (`options`): `with_settings` adds them where they are needed.
    """

    min_insync_replicas: int = 2
    """`min.insync.replicas`, as both controller and leader know it."""

    acks: Acks = Acks.ALL
    """`acks` of every producer."""

    unclean_leader_election: bool = False
    """`unclean.leader.election.enable`: with no other candidate, any live replica may lead."""

    unclean_by_longest_log: bool = False
    """A variant of unclean election that was never shipped: the live replica with the longest log leads."""

    elr: bool = True
    """KIP-966, Kafka 4.0 (`eligible.leader.replicas.version=1`): the ISR may become empty, and eligible leader
    replicas and the last known leader are kept beside it."""

    strict_hw: bool = True
    """KIP-966, Kafka 3.7: the high watermark stands still while the ISR is smaller than `min.insync.replicas`."""

    leader_min_insync_replicas: int | None = None
    """KAFKA-16540: what the leader takes `min.insync.replicas` for, where it differs from the controller."""

    elects_last_known_leader: bool = True
    """KIP-966: with neither ISR nor ELR the last known leader leads again, even without unclean election."""

    known_leader_must_be_active: bool = True
    """KAFKA-19522, Kafka 4.1: the last known leader is elected only if it is alive."""

    register_only_when_fenced: bool = True
    """KAFKA-18106, Kafka 4.0: a new incarnation of a broker first takes the old one out of leadership and ISR."""

    bounce_noticed: bool = True
    """KIP-380, Kafka 2.2: a broker that was away so shortly that its id never vanished is still taken for a new one."""

    broker_epoch_check: bool = True
    """KIP-903, Kafka 3.5: AlterPartition names the broker epoch of every member, and the controller compares them."""

    decides_on_one_fetch: bool = True
    """KAFKA-15221, Kafka 3.5.2 and 3.6.1: a follower is proposed under the broker epoch of the fetch by which it was
    found caught up, not of its latest one."""

    fenced_check: bool = True
    """KIP-841, Kafka 3.3: a fenced replica is neither proposed for the ISR nor accepted."""

    partition_epoch_check: bool = True
    """KIP-497: the controller refuses an AlterPartition that is based on an older partition epoch."""

    counted_isr: CountedIsr = CountedIsr.MAXIMAL
    """KIP-497: which replicas the leader counts while a proposal is pending."""

    forgets_followers_each_epoch: bool = True
    """Whether a leader that replays a newer epoch of its own forgets how far its followers were in the older one. Kafka
    does not, up to 4.1 (Replica.resetReplicaState): see docs/kafka/findings.md, N1."""

    truncation: Truncation = Truncation.DIVERGING_EPOCH
    """KIP-595, Kafka 2.7, and KIP-101 and KIP-279 before it: to the diverging epoch."""

    known_partition_epoch_ignored: bool = True
    """Whether a leader ignores metadata of a partition epoch that it knows from the answer to its proposal. Kafka does
    not, since KAFKA-13790: it forgets what it has proposed meanwhile."""

    copies_arrive_in_order: bool = True
    """Whether no earlier copy of an AlterPartition can arrive after the answer to a later one. TCP sees to it, unless
    the copies come by different connections."""

    stale_controller_refuses: bool = True
    """KAFKA-14154, Kafka 3.3: a deposed controller answers NOT_CONTROLLER to an epoch it does not know yet."""

    joins_by_fetch_only: bool = True
    """A follower is proposed for the ISR by a fetch of its own alone (Partition.maybeExpandIsr)."""

    reassignment_waits_for_all: bool = True
    """KAFKA-15665, Kafka 3.8: a reassignment is complete when all target replicas are in the ISR; before, when all new
    ones are."""

    late_answers_dropped: bool = True
    """KAFKA-18991, Kafka 4.1: a follower drops the answer to a fetch that it sent in another leader epoch."""

    diverging_answer_has_no_hw: bool = True
    """KAFKA-14704, Kafka 3.4.1: the high watermark of an answer with a diverging epoch is ignored."""

    offset_not_available: bool = True
    """KIP-207, Kafka 2.2: no latest offset is told until the high watermark has reached the leader's epoch."""

    lossy_crashes_spare_last_member: bool = False
    """What may go wrong, and no rule: the only member of the ISR never loses data."""

    epoch_start_rule: bool = True
    """KAFKA-7128, Kafka 2.1: a replica joins the ISR only when it has reached the start of the leader's epoch."""

    shrink_bumps_leader_epoch: bool = False
    """Before KAFKA-15021, Kafka 3.6: the leader epoch grows when a replica leaves the ISR, too."""

    def __post_init__(self) -> None:
        if self.unclean_by_longest_log and not self.unclean_leader_election:
            raise BoundsError(
                (Given("unclean_by_longest_log", True), " needs ", Given("unclean_leader_election", True))
            )
