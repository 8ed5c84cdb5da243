"""The known bugs of share groups (KIP-932), and what this project derives from their sources (SG1 to SG5, SG8).

Share groups were early access in Kafka 4.0, a preview in 4.1, and are for production since 4.2.
"""

from __future__ import annotations

from .known_bug import KnownBug
from .kraft import BUGS as KRAFT

SOUND = "share-groups"
NEVER_SKIPPED = "nothing_is_skipped"
NOTHING_FAILS = {"deletions": 0, "failovers": 0, "resets": 0}
"""Nothing but leaders, members and writes: the log keeps its records, the coordinator works, the group goes on."""

BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="KAFKA-18494",
        title="A leader takes office, and passes over records that lie between those that were persisted",
        tickets=("KAFKA-18494",),
        versions="4.0",
        without_rule="share-groups-gaps-passed-over",
        with_rule=SOUND,
        properties=(NEVER_SKIPPED,),
        bounds={"records": 3, "max_epoch": 0, "writes": 1, **NOTHING_FAILS},
        story=(
            "r0, r1 and r2 are delivered, r0 and r2 are acknowledged, and both are persisted; of r1 nothing is, for "
            "it is still with its member. The leader begins anew, and reads r0 and r2. All that it knows is over, so "
            "that its start offset moves behind r2, and r1 is never delivered again. If r0 is not over yet, the next "
            "offset to fetch is that of r0, and then the one behind r2."
        ),
        lesson=(
            "What is not in a list of known states is not a state. A reader of sparse state must know which gaps are "
            "work that nobody has done."
        ),
    ),
    KnownBug(
        id="KAFKA-19436",
        title="The start offset passes a record while its acknowledgement is still being written",
        tickets=("KAFKA-19436",),
        versions="4.0 to 4.1.0",
        without_rule="share-groups-start-passes-transitions",
        with_rule=SOUND,
        properties=(NEVER_SKIPPED,),
        bounds={"records": 2, "deliveries": 3, "max_epoch": 0, **NOTHING_FAILS},
        story=(
            "The new state of a record holds at the leader at once, and is final when it is persisted. In between "
            "another write is answered, or given up, and the start offset moves over all that is over, also over this "
            "record. In the run that is the write of a lock that had timed out before. If the write of the "
            "acknowledgement fails, the member is told so, and nobody has the record any more. Kafka's change names "
            "the errors that this brings when locks time out, and takes the loss for possible only if the write fails."
        ),
        lesson="A state that may yet be taken back must not move anything that cannot be taken back.",
    ),
    KnownBug(
        id="KAFKA-19859",
        title="Records are deleted, and acknowledgements take the start offset back below the log start offset",
        tickets=("KAFKA-19859",),
        versions="4.0 to 4.1",
        without_rule="share-groups-start-ignores-log-start",
        with_rule=SOUND,
        properties=("start_never_goes_back",),
        bounds={"records": 3, "max_epoch": 0, "writes": 1, "failovers": 0, "resets": 0},
        story=(
            "r0 and r1 are with a member when they are deleted, and the leader moves its start offset to the log start "
            "offset, before r2. r2 has been acknowledged. The next write that is answered moves the start offset "
            "behind the first records that are over, which is behind r0: back, to a record that is gone."
        ),
        lesson="An offset that has two sources moves to the greater of them. Neither may overwrite the other.",
    ),
    KnownBug(
        id="SG7",
        title="A share coordinator tells a leader that an acknowledgement is persisted, which its failover has lost",
        tickets=("KAFKA-20634",),
        versions="4.0 to 4.2.1 and 4.3.0",
        without_rule="share-groups-told-of-lost-writes",
        with_rule=SOUND,
        properties=(NEVER_SKIPPED, "acknowledged_is_not_delivered_again"),
        bounds={"writes": 1, "deletions": 0, "resets": 0},
        story=(
            "All coordinators have the runtime of KAFKA-20634: one that leads its partition no longer takes the high "
            "watermark of a follower for that of its own writes. The write of an acknowledgement is lost in the "
            "failover, the leader is told of success, its start offset moves on, and the next leader delivers the "
            "record again."
        ),
        lesson=next(bug.lesson for bug in KRAFT if bug.id == "KAFKA-20634"),
    ),
    KnownBug(
        id="KAFKA-20742",
        title="A topic gets another partition, and the group begins at its end, behind records that it should have",
        tickets=("KAFKA-20742",),
        versions="4.0 to 4.3",
        without_rule="share-groups-added-partition-from-end",
        with_rule="share-groups-added-partition",
        properties=(NEVER_SKIPPED,),
        bounds={"writes": 1, **NOTHING_FAILS},
        lesson=(
            "Where to begin is one question for what is new, and another for what has grown. One default answers one."
        ),
    ),
    KnownBug(
        id="SG6",
        title="A write that comes late takes the persisted start offset back, and the next leader delivers again",
        tickets=("apache/kafka#23074",),
        versions="4.0 to 4.3",
        without_rule="share-groups-start-goes-back",
        with_rule=SOUND,
        properties=("start_never_goes_back", "acknowledged_is_not_delivered_again"),
        bounds={"records": 2, "max_epoch": 0, **NOTHING_FAILS},
        story=(
            "Each write says the start offset that its leader has when it is sent. A write of the same leader is "
            "retried, because the share coordinator was loading or the connection was lost, and comes after a later "
            "one. The share coordinator takes the start offset of whichever comes last: it goes back, and what is "
            "known of the records in between is gone. Only another leader reads it, and delivers them again."
        ),
        lesson="Requests that are retried come in any order. What only grows must be merged, not overwritten.",
    ),
    KnownBug(
        id="KAFKA-20910",
        title="Offsets of a group are altered again under the same state epoch, and a late write undoes it",
        tickets=("KAFKA-20910",),
        versions="4.1 to 4.4",
        without_rule="share-groups-alter-keeps-epoch",
        with_rule="share-groups-leader-is-refused",
        properties=(NEVER_SKIPPED, "acknowledged_is_not_delivered_again"),
        bounds={"records": 2, "max_epoch": 0, "writes": 1, "deletions": 0, "failovers": 0, "resets": 2},
        story=(
            "The group is empty, and an administrator sets it back. The state epoch is the group epoch, which the last "
            "member has raised when it left, so that a write of before is refused. A consumer that the group "
            "coordinator takes for gone still fetches (SG8): the leader reads the new state, and delivers records "
            "again. The administrator sets the group back once more. Nobody has joined, and the group epoch is the "
            "same: a write of the leader that is still under way is taken, and what lies below its start offset is "
            "not delivered. KIP-932 says that the group epoch is raised by each alteration; Kafka does so since this "
            "ticket, in no release up to 4.4.0."
        ),
        lesson=(
            "Whoever sets a state back must make the requests of before refusable. An epoch that is not raised fences "
            "nobody."
        ),
    ),
    KnownBug(
        id="SG1",
        title="After an unclean election what was persisted of lost records hides those that have their offsets",
        tickets=("ShareUpdateValue.StateBatch; no ticket known", "KIP-932"),
        versions="4.0 to 4.4",
        without_rule="share-groups-state-outlives-records",
        with_rule="share-groups-unclean",
        properties=(NEVER_SKIPPED, "only_what_is_over_is_passed"),
        bounds={"writes": 1, **NOTHING_FAILS},
        story=(
            "What the share coordinator has of a record is its offset, its state and its delivery count. The records "
            "at the end of the log are lost: an unclean election, or the last member of the ISR has lost its tail "
            "(S20). New records get their offsets. What was acknowledged of the old ones is read by the new leader as "
            "said of the new ones, which are skipped without an error; a start offset may lie beyond the log end. The "
            "leader epoch under which the state was written is persisted as well, and would tell: the sound side "
            "forgets what lies beyond the end of that epoch in the log of the new leader. Derived from the sources, "
            "and in the model; Kafka's own classes show it. No report is known, and no running broker has shown it yet."
        ),
        lesson=(
            "An offset without a leader epoch names a place, not a record. Whatever is stored about records must say "
            "in which log they were."
        ),
    ),
    KnownBug(
        id="SG2",
        title="A group that begins at the end begins there again, if its leader has written nothing by then",
        tickets=("SharePartition.startOffsetDuringInitialization; no ticket known", "KIP-932", "KAFKA-20742"),
        versions="4.0 to 4.4",
        without_rule="share-groups-start-not-persisted",
        with_rule=SOUND,
        properties=(NEVER_SKIPPED,),
        bounds={"writes": 1, **NOTHING_FAILS},
        story=(
            "A group is new, share.auto.offset.reset is latest (the default), and its leader begins at the log end "
            "offset. That is in its memory alone until it persists something, which the first acknowledgement, release "
            "or time-out of a lock does. A record is produced. Before one of these is persisted the leader begins "
            "anew, or another one does: the start offset is still unknown, and is the log end offset of now, behind "
            "that record. On a quiet partition that lasts for as long as nothing is produced. The sound side persists "
            "the start offset before it serves the group. Derived from the sources; Kafka's own classes and running "
            "brokers show it. No report is known."
        ),
        shown_on=("4.2.2", "4.3.1", "4.4.0"),
        lesson="A default that depends on the moment is decided once, and stored before anything follows from it.",
    ),
    KnownBug(
        id="SG3",
        title="Altered offsets are recorded with leader epoch 0, and after a failover a former leader is served",
        tickets=("ShareGroupOffset.fromRequest; no ticket known", "KIP-932"),
        versions="4.1 to 4.4",
        without_rule="share-groups-epoch-forgotten",
        with_rule=SOUND,
        properties=("fenced_leader_is_refused",),
        bounds={"writes": 1, "deletions": 0},
        story=(
            "The leader of epoch 1 has read the state, so that the share coordinator refuses that of epoch 0. Then "
            "offsets are altered: the snapshot of that says leader epoch 0, and in memory the coordinator still knows "
            "better. It fails over, when the records before that snapshot have been pruned. The leader of epoch 0, "
            "which has not heard that it leads no longer, reads the state and is served. Both now deliver the same "
            "records. In 4.1 this takes a failover before the leader of epoch 1 writes again, for every write says its "
            "leader epoch. Since 4.2 (KAFKA-19456) writes leave that as it is, and only a leader that reads in an "
            "epoch of which the coordinator does not know yet changes it. Derived from the sources, and in the model; "
            "Kafka's own classes show it. No report is known, and no running broker has shown it yet."
        ),
        lesson=(
            "What memory derives from a log is only as durable as the records it was derived from. A snapshot must "
            "carry every fence."
        ),
    ),
    KnownBug(
        id="SG4",
        title="A group is deleted and made anew under its name, and a late write of the deleted one is taken",
        tickets=("ShareCoordinatorShard.handleShareSnapshot; no ticket known", "KIP-932"),
        versions="4.1 to 4.4",
        without_rule="share-groups-state-epoch-again",
        with_rule="share-groups-earliest",
        properties=(NEVER_SKIPPED,),
        bounds={"records": 2, "writes": 1, "deletions": 0, "failovers": 0},
        story=(
            "The tombstone of a deleted group takes with it which leader and state epochs the share coordinator knew. "
            "The new group begins with the group epochs of the old one, so that its state epoch is the same. A write "
            "of the old group that is still under way is taken: its start offset and its acknowledgement count for the "
            "new one, which was to begin with the earliest record. Derived from the sources, and in the model; Kafka's "
            "own classes show it. No report is known, and no running broker has shown it yet."
        ),
        lesson=(
            "A name is not an identity. What is deleted and made anew needs an epoch, or an id, that was never there "
            "before."
        ),
    ),
    KnownBug(
        id="SG5",
        title="A leader begins anew in its epoch, and its own late write takes an acknowledgement back",
        tickets=("SharePartitionManager.removeSharePartitionFromCache; no ticket known", "KIP-932"),
        versions="4.0 to 4.4",
        without_rule="share-groups-own-writes-late",
        with_rule=SOUND,
        properties=("acknowledged_is_not_delivered_again",),
        bounds={"deliveries": 3, "max_epoch": 0, **NOTHING_FAILS},
        story=(
            "r0 is delivered twice, and what its leader writes of the second delivery is late. The group leaves and "
            "comes back, and the leader, still that of its epoch, reads a state that knows of no delivery. r0 is "
            "delivered for the first time, as it seems, and acknowledged. The late write comes before: two deliveries "
            "are more than one, so that the share coordinator keeps it, and answers that the acknowledgement has "
            "succeeded. The next time that the leader begins anew, r0 is delivered again. Leader epochs do not tell "
            "two memories of one leader apart. Derived from the sources, and in the model; Kafka's own classes "
            "show it. No report is known, and no running broker has shown it yet."
        ),
        lesson=(
            "Whoever forgets and begins anew is another one. Its earlier requests must be waited for, or told apart."
        ),
    ),
    KnownBug(
        id="SG8",
        title="Offsets of an empty group are altered, and a leader that still has them serves as before",
        tickets=("ShareGroupListener.onGroupEmpty; no ticket known", "KIP-932", "KAFKA-20910"),
        versions="4.1 to 4.4",
        without_rule="share-groups-leader-outlives-group",
        with_rule=SOUND,
        properties=(NEVER_SKIPPED,),
        bounds={"max_epoch": 0, "writes": 1, "deletions": 0, "failovers": 0},
        story=(
            "The group coordinator takes a group for empty that has no members. A member is none any more when its "
            "heartbeats stop, when it polls too late, or when it unsubscribes. The leader forgets the share partition "
            "only when the last connection is closed over which members had their share sessions. An administrator "
            "sets the group back in between; the leader is not told. The next member is served from the old start "
            "offset, and what lies below is not delivered. The last member has raised the group epoch when it left, so "
            "that the leader's next write is refused, and it reads the state; until it writes nothing changes. The "
            "sound side alters offsets when no leader has the share partition. Derived from the sources, and in the "
            "model; Kafka's own classes show it. No report is known, and no running broker has shown it yet."
        ),
        lesson=(
            "Two components that each know who is a member may disagree. What one of them calls empty may still be "
            "served by the other."
        ),
    ),
)
