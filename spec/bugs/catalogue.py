"""The known bugs and design holes of Kafka's replication, over all families of protocols.

Numbers S1 to S35 are those of the project's fact sheet; N1 to N3 were found by the checker
(docs/kafka/findings.md); Q1 to Q8 are rules of the metadata quorum; SG1 to SG8 are of share groups; DK1 to DK18 are of
diskless topics.
"""

from __future__ import annotations

from .diskless import BUGS as DISKLESS
from .known_bug import KnownBug
from .kraft import BUGS as KRAFT
from .share_groups import BUGS as SHARE_GROUPS
from .transactions import TRANSACTIONS

# -- classic ----------------------------------------------------------------------------------------------------------
# The known bugs that the classic family shows: replication before KRaft, truncation above all.


LESSONS = {bug.id: bug.lesson for bug in KRAFT}
"""What editions of a bug for several families teach is the same."""
LESSONS["S6"] = (
    "An acknowledgement is worth something only in the epoch in which it was given. A leader must not count a "
    "follower that may yet obey an older leader and truncate."
)

ISR_IS_LOST = ("weak_isr", "strong_isr")

CLASSIC: tuple[KnownBug, ...] = (
    KnownBug(
        id="S1 classic",
        title="Truncation to a stale high watermark loses committed records",
        tickets=("KIP-101", "KAFKA-1211"),
        versions="0.8 to 0.10.2",
        without_rule="truncate-to-hw",
        properties=ISR_IS_LOST,
        lesson=LESSONS["S1"],
    ),
    KnownBug(
        id="S3",
        title="After two quick failovers the follower is told an offset that means another epoch, and the logs diverge",
        tickets=("KIP-279", "KAFKA-6361"),
        versions="0.11 to 1.1",
        without_rule="kip-320-offset-only",
        with_rule="kip-320",
        properties=("strong_isr",),
        bounds={"replicas": 2, "records": 3},
        lesson=(
            "An offset means nothing without its epoch: between two failovers the same offset may stand for another "
            "record. Answer with both, and go back until both agree."
        ),
    ),
    KnownBug(
        id="S3b",
        title="A follower without any epoch as old as the one it is answered still trusts the leader's offset",
        tickets=("KAFKA-7415",),
        versions="2.0.0",
        without_rule="kip-320-epoch-floor",
        with_rule="kip-320",
        properties=("strong_isr",),
        bounds={"replicas": 2, "records": 3},
        lesson=(
            "Having no epoch as old as the one that the leader names is no agreement. Who shares nothing with the "
            "leader must not take its offset for a common point."
        ),
    ),
    KnownBug(
        id="S4",
        title="A new leader does not know its own epoch before it has appended, and the follower falls back to its HW",
        tickets=("KAFKA-7415",),
        versions="0.11 to 2.0.0",
        without_rule="kip-320-own-epoch-unknown",
        with_rule="kip-320",
        properties=("strong_isr",),
        bounds={"replicas": 2},
        lesson=(
            "A leader must know its epoch from the moment that it leads, not from its first record. What nobody can "
            "ask about yet is answered by a fallback, and fallbacks truncate."
        ),
    ),
    KnownBug(
        id="S5",
        title="A zombie follower goes on fetching across leader epochs, and keeps what the leader has lost",
        tickets=("KIP-320", "KAFKA-6880"),
        versions="0.8 to 2.0",
        without_rule="kip-320-unfenced-fetch",
        with_rule="kip-320",
        properties=("weak_isr",),
        lesson=(
            "Every request must say in which epoch its sender believes itself to be, and be refused in another. "
            "Otherwise a follower crosses from epoch to epoch without having truncated."
        ),
    ),
    KnownBug(
        id="S6",
        title="A follower of another epoch counts as having the record, then obeys an older leader and truncates it",
        tickets=("KIP-320",),
        versions="0.11 to 2.0",
        without_rule="kip-279",
        with_rule="kip-320",
        properties=ISR_IS_LOST,
        lesson=LESSONS["S6"],
    ),
    KnownBug(
        id="S6 KIP-101",
        title="A follower of another epoch counts as having the record, then obeys an older leader and truncates it",
        tickets=("KIP-320",),
        versions="0.11 to 2.0",
        without_rule="kip-101",
        properties=ISR_IS_LOST,
        lesson=LESSONS["S6"],
    ),
    KnownBug(
        id="S7",
        title="An empty log has no tail to disagree: comparing the last record's epoch is not enough",
        tickets=("KIP-320",),
        versions="none; the first proposal",
        without_rule="kip-320-first-try",
        with_rule="kip-320",
        properties=("strong_isr", "weak_isr"),
        lesson=(
            "Prove who you are by the epoch that you are in, not by the last record that you have: an empty log has no "
            "last record that could disagree."
        ),
    ),
    KnownBug(
        id="S8",
        title="A leader of another epoch answers where to truncate",
        tickets=("KIP-320",),
        versions="none; the mistake that KIP-320 avoids",
        without_rule="kip-320-m1",
        with_rule="kip-320",
        properties=("strong_isr", "weak_isr"),
        lesson=(
            "Questions need a fence as writes do. Where to truncate may be answered by the leader of the asker's own "
            "epoch alone."
        ),
    ),
    KnownBug(
        id="S9 classic",
        title="Before KRaft: the ISR grows while the new leader's high watermark is stale",
        tickets=("KAFKA-7128",),
        versions="0.8 to 2.0.0",
        without_rule="kip-279",
        with_rule="kip-320",
        properties=("strong_isr",),
        bounds={"max_epoch": 1},
        lesson=LESSONS["S9"],
    ),
    KnownBug(
        id="S9 KIP-320",
        title="The ISR may grow while the leader's high watermark is still stale, with all else as in KIP-320",
        tickets=("KAFKA-7128",),
        versions="none; a mutant",
        without_rule="kip-320-m2",
        properties=ISR_IS_LOST,
        lesson=LESSONS["S9"],
    ),
    KnownBug(
        id="S34",
        title="Only the first fetch of a session is fenced",
        tickets=("KAFKA-9338",),
        versions="2.1 to 2.4.0",
        without_rule="kip-320-fenced-once",
        with_rule="kip-320",
        properties=("weak_isr",),
        lesson=(
            "A fence that is looked at once, when a session opens, does not fence the session. Each request must pass "
            "it."
        ),
    ),
    KnownBug(
        id="",
        title="Followers of any epoch count towards the high watermark",
        tickets=("KIP-320", "KAFKA-6880"),
        versions="none; a mutant",
        without_rule="kip-320-m3",
        properties=ISR_IS_LOST,
        lesson=(
            "Followers count in the leader's epoch alone. One of another epoch may still truncate what it was counted "
            "for."
        ),
    ),
    KnownBug(
        id="S33c",
        title="After the ISR has shrunk the high watermark stays where it is, until somebody fetches more or appends",
        tickets=("KAFKA-13091", "KIP-497"),
        versions="2.7 to 3.0",
        without_rule="async-isr-held-back",
        with_rule="async-isr-high-watermark",
        properties=("nothing_is_held_back",),
        interchangeable=False,
        lesson=(
            "When a condition is made easier, look at it again at once. If only the next event looks, what is due "
            "waits for an event that may not come."
        ),
    ),
)


# -- quorum -----------------------------------------------------------------------------------------------------------
# The known bugs of the metadata quorum without one of its rules.


COMMITTED_IS_LOST = (
    "leader_completeness",
    "committed_is_on_a_majority",
    "below_hw_is_committed",
    "truncation_spares_hw",
    "observers_see_a_prefix",
)

RECONFIGURATION: tuple[KnownBug, ...] = (
    KnownBug(
        id="Q1",
        title="A new leader changes the voters before it has committed in its epoch: two disjoint majorities",
        tickets=("KIP-853",),
        versions="none; the bug of single-server changes in Raft's dissertation, which AddVoterHandler forestalls",
        without_rule="quorum-change-any-epoch",
        with_rule="quorum-reconfiguration",
        properties=("majorities_intersect", "who_may_win_holds_committed"),
        bounds={"voters": 4, "log_size": 2},
        story="Of four voters one leader drops a voter, in a record that nobody else holds. The next leader, whom "
        "the other three elect, drops another. Each has three voters now, and two are a majority: one pair for "
        "either leader, with nobody in common. With room for a record more, what one pair commits the other loses.",
        lesson=(
            "A new leader must commit something of its own epoch before it changes the voters. Otherwise two leaders "
            "change the same set in two ways, and their majorities need not meet."
        ),
    ),
    KnownBug(
        id="Q2",
        title="A leader changes the voters again before the last change is committed",
        tickets=("KIP-853",),
        versions="none; a mutant",
        without_rule="quorum-many-changes",
        with_rule="quorum-reconfiguration",
        properties=(
            "leader_completeness",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "observers_see_a_prefix",
            "who_may_win_holds_committed",
            "majorities_intersect",
        ),
        lesson=(
            "One change of the voters at a time: majorities of sets that differ by one meet, of sets that differ by "
            "two they need not."
        ),
    ),
    KnownBug(
        id="Q3",
        title="A leader that has removed itself counts itself among those that hold a record",
        tickets=("KAFKA-16530",),
        versions="none; corrected before voters could be removed (3.9)",
        without_rule="quorum-removed-leader-counts",
        with_rule="quorum-reconfiguration",
        properties=(
            "leader_completeness",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "observers_see_a_prefix",
            "who_may_win_holds_committed",
        ),
        lesson=(
            "A leader counts only if it is a voter. One that has removed itself may lead to the end of its term and is "
            "no member of the majority."
        ),
    ),
    KnownBug(
        id="Q4",
        title="Voters are in force when their record is committed, which a restart forgets",
        tickets=("KIP-853",),
        versions="none; a mutant",
        without_rule="quorum-voters-when-committed",
        with_rule="quorum-reconfiguration",
        properties=("majorities_intersect",),
        lesson=(
            "A change of the voters is in force as soon as it is in a log. Whether it is committed is known later, and "
            "forgotten by a restart."
        ),
    ),
    KnownBug(
        id="Q9",
        title="A voter that has truncated its log does not read the voters that come in place of what it cut",
        tickets=("KIP-853; no ticket known",),
        versions="3.9 to 4.4",
        without_rule="quorum-voters-not-read-again",
        with_rule="quorum-reconfiguration",
        properties=("majorities_intersect", "who_may_win_holds_committed"),
        story="One leader appends two records that nobody fetches, and is deposed. It truncates both, and gets two "
        "others in their place, of which the second removes a voter: it does not look at them, because it had read up "
        "to there (KRaftControlRecordStateMachine.nextOffset). The leader removes this voter as well, and is alone "
        "then. The two that were removed are a majority of the three that the deposed one still takes for the voters. "
        "With an epoch more they elect it, and what the other has committed is lost.",
        lesson="Who truncates must also forget how far it had read. What stands there afterwards is new.",
    ),
    KnownBug(
        id="Q10",
        title="A snapshot does not name the voters, and who loads it counts those that the cluster began with",
        tickets=("KAFKA-16207", "KIP-853"),
        versions="none; a mutant",
        without_rule="quorum-snapshot-without-voters",
        with_rule="quorum-reconfiguration-snapshots",
        properties=(
            "leader_completeness",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "who_may_win_holds_committed",
            "majorities_intersect",
            "snapshots_are_committed",
            "log_start_only_grows",
        ),
        lesson="A snapshot takes the place of the log, so it has to say all that the log said: also who votes.",
    ),
)
"""What the rules by which voters are added and removed are for."""

SNAPSHOTS: tuple[KnownBug, ...] = (
    KnownBug(
        id="Q5",
        title="A follower throws when its leader sends a snapshot of an earlier epoch than that of its own last record",
        tickets=("KIP-630; no ticket known",),
        versions="3.0 to 4.4",
        without_rule="quorum-snapshot-must-be-ahead",
        with_rule="quorum-snapshots",
        properties=("snapshot_helps_who_needs_it",),
        story="The leader of epoch 1 has a record that nobody else has. The leader of epoch 2 has another at the same "
        "offset, and nobody else has that. In epoch 3 the first leads again, commits its record with the next, makes "
        "a snapshot that ends between the two, and deletes what is before. The other is told to fetch it; but epoch 1 "
        "is not ahead of epoch 2, so it does not truncate its log, and throws.",
        lesson=(
            "Epochs order what was committed, not what merely stands in a log. A snapshot holds what is committed, so "
            "it wins over a later record that is not."
        ),
    ),
    KnownBug(
        id="Q6",
        title="A snapshot has records that are not committed",
        tickets=("KIP-630",),
        versions="none; a mutant",
        without_rule="quorum-snapshot-any-offset",
        with_rule="quorum-snapshots",
        properties=("snapshots_are_committed", "below_hw_is_committed"),
        lesson="A snapshot may hold only what is committed. Nobody can truncate it.",
    ),
    KnownBug(
        id="Q7",
        title="A leader takes a follower that ends where the leader's log starts at its word, whatever its last epoch",
        tickets=("KIP-630",),
        versions="none; a mutant",
        without_rule="quorum-snapshot-by-offset",
        with_rule="quorum-snapshots",
        properties=(
            "log_matching",
            "committed_is_on_a_majority",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "snapshots_are_committed",
            "log_start_only_grows",
        ),
        lesson=(
            "Who cannot check a follower's last epoch any more must not take it at its word. Then it needs the "
            "snapshot."
        ),
    ),
    KnownBug(
        id="Q8",
        title="A log is deleted up to its high watermark, and no snapshot says what was there",
        tickets=("KAFKA-12155",),
        versions="none; a mutant",
        without_rule="quorum-delete-below-hw",
        with_rule="quorum-snapshots",
        properties=("snapshot_helps_who_needs_it", "truncation_spares_hw", "log_start_only_grows"),
        lesson="What is deleted must be in a snapshot first. Committed alone is not enough for who comes later.",
    ),
)
"""What the rules for snapshots are for, and one that Kafka has and should not have."""

QUORUM: tuple[KnownBug, ...] = (
    KnownBug(
        id="S32",
        title="The quorum commits a record of an earlier epoch before any of its own (Figure 8 of the Raft paper)",
        tickets=("KAFKA-12619",),
        versions="2.7 (not in use yet)",
        without_rule="quorum-hw-any-epoch",
        with_rule="quorum",
        properties=COMMITTED_IS_LOST,
        lesson=(
            "Copies on a majority do not commit a record of an earlier epoch (Figure 8 of the Raft paper). Only a "
            "record of the leader's own epoch does, and all before it with it."
        ),
    ),
    KnownBug(
        id="",
        title="A voter grants its vote to a candidate that lacks committed records",
        tickets=("KIP-595",),
        versions="none; a mutant",
        without_rule="quorum-vote-any-log",
        properties=COMMITTED_IS_LOST,
        lesson=(
            "Vote only for somebody whose log is at least as good as your own: later in epoch, or equal and no "
            "shorter. So every leader holds what is committed."
        ),
    ),
    KnownBug(
        id="",
        title="A voter restarts, and votes a second time in the same epoch",
        tickets=("KIP-595",),
        versions="none; a mutant",
        without_rule="quorum-vote-not-persisted",
        properties=("one_leader_per_epoch", "log_matching", *COMMITTED_IS_LOST),
        lesson="A promise must outlive a restart. A vote is written to disk before it is sent.",
    ),
    KnownBug(
        id="",
        title="A voter that was cut off deposes on its return a leader that a majority fetches from",
        tickets=("KIP-996",),
        versions="2.8 to 3.9",
        without_rule="quorum-no-pre-vote",
        properties=("leader_is_not_disturbed",),
        lesson=(
            "Ask whether you could win before you disturb who leads. A voter that was cut off must not raise the epoch "
            "by itself."
        ),
    ),
    KnownBug(
        id="",
        title="A leader that resigned asks for pre-votes in its own epoch, and then follows itself",
        tickets=("KAFKA-17642",),
        versions="none; pollResigned names it as what the next epoch is for",
        without_rule="quorum-resigned-stays",
        properties=("nobody_follows_itself",),
        lesson=(
            "Who has resigned is done with its epoch. It must go on to the next, or it finds in its own epoch a leader "
            "that it was itself."
        ),
    ),
    KnownBug(
        id="Q11",
        title="A controller that lost an election is a candidate again after a restart, and throws",
        tickets=("KIP-996; no ticket known",),
        versions="4.0 to 4.4",
        without_rule="quorum-candidate-again",
        with_rule="quorum",
        properties=("candidates_are_answered",),
        story="Two stand for election in an epoch, and one of them wins. The other follows it, fetches its first "
        "record, and restarts. Its quorum-state file names the leader, and its vote for itself as well "
        "(QuorumState.transitionToFollower), and the vote is asked for first (initialize): it is a candidate of this "
        "epoch again. Its log has a record of the epoch by now. Whoever knows no leader of the epoch answers "
        "INVALID_REQUEST, and the candidate throws.",
        lesson="A leader that is known ends the election. What was voted before matters no more.",
    ),
    KnownBug(
        id="S33a",
        title="A leader that a majority has left does not resign, and leads on in an epoch that is over",
        tickets=("KAFKA-15489",),
        versions="2.8 to 3.6",
        without_rule="quorum-no-check-quorum",
        with_rule="quorum",
        properties=("left_leader_steps_down",),
        bounds={"log_size": 1, "max_epoch": 3},
        lesson=(
            "A leader must doubt itself when nobody listens. Who hears of no majority for long must resign, because no "
            "message may ever reach it."
        ),
    ),
    KnownBug(
        id="KAFKA-18345",
        title="Who has lost often waits as long as all others, and so they compete in vain for ever",
        tickets=("KAFKA-18345",),
        versions="2.8 to 3.9.1 and 4.0.0",
        without_rule="quorum-same-cadence",
        with_rule="quorum",
        properties=("leader_is_elected",),
        bounds={"log_size": 1, "max_epoch": 1},
        lesson=(
            "Competitors that wait equally long collide for ever. Who has lost must wait for a time of its own, by "
            "chance."
        ),
    ),
    KnownBug(
        id="",
        title="A voter comes back with an empty disk under its old name, and votes again",
        tickets=("KIP-853",),
        versions="since 2.8 (an assumption of Raft)",
        without_rule="quorum-lost-disk",
        properties=(
            "one_leader_per_epoch",
            "log_matching",
            "leader_completeness",
            "committed_is_on_a_majority",
            "below_hw_is_committed",
            "observers_see_a_prefix",
        ),
        lesson=(
            "A voter without its disk is another voter. Under the old name it votes and acknowledges twice, and no "
            "majority means anything."
        ),
    ),
    KnownBug(
        id="",
        title="A broker applies metadata that is not committed",
        tickets=("KIP-595",),
        versions="none; a mutant",
        without_rule="quorum-uncommitted-replay",
        properties=("observers_see_a_prefix",),
        lesson=(
            "Act on what is committed, not on what has arrived. What a new leader cuts off must never have been seen."
        ),
    ),
    *RECONFIGURATION,
    *SNAPSHOTS,
)


# -- zookeeper --------------------------------------------------------------------------------------------------------
# The known bugs of the ZooKeeper era: controllers that do not know that they are none, and brokers that were away.


ZOOKEEPER: tuple[KnownBug, ...] = (
    KnownBug(
        id="S14 ZooKeeper",
        title="With ZooKeeper: a former controller confirms an ISR that is not so any more",
        tickets=("KAFKA-14154",),
        versions="2.7 to 3.2",
        without_rule="zookeeper-stale-confirmation",
        with_rule="zookeeper-alter-isr",
        properties=("leader_counts_the_isr",),
        lesson=LESSONS["S14"],
    ),
    KnownBug(
        id="S14b ZooKeeper",
        title="With ZooKeeper: a former controller confirms that the ISR has grown, and it never grows",
        tickets=("KAFKA-14154",),
        versions="2.7 to 3.2",
        without_rule="zookeeper-stale-confirmation",
        with_rule="zookeeper-alter-isr",
        properties=("follower_joins_isr",),
        story=(
            "b2, the leader, asks to drop b1 from the ISR, and a second controller does so: the ISR is {b2}, of "
            "version 3. b1 follows and catches up, and b2 asks to add it again. That request reaches the first "
            "controller, which does not know yet that it is none any more. As far as it knows the ISR is {b1, b2}, "
            "of version 2: just what b2 asks for. It compares no versions, and answers with success. So b2 believes "
            "b1 to be in the ISR and asks no more, while the ISR stays {b2} until something else changes the "
            "partition. Since KAFKA-14154 a controller that is asked about a version newer than its own answers "
            "NOT_CONTROLLER, and the leader asks again."
        ),
        lesson=(
            "A confirmation of what was never done stops the one who asks: it believes that nothing is left to ask "
            "for. Safety is not all that a stale answer breaks."
        ),
    ),
    KnownBug(
        id="S33f",
        title="With ZooKeeper: the answer to an ISR change is lost, and asking again is refused for ever",
        tickets=("KAFKA-14144",),
        versions="none; corrected before 3.3 was released",
        without_rule="zookeeper-version-first",
        with_rule="zookeeper-alter-isr",
        properties=("proposal_is_answered", "follower_joins_isr"),
        lesson=(
            "Asking again must be harmless. A request whose effect is there already is answered with success, whatever "
            "version it names."
        ),
    ),
    KnownBug(
        id="KAFKA-12686",
        title="With ZooKeeper: a late answer takes the leader's next request out of its queue, which nobody answers",
        tickets=("KAFKA-12686",),
        versions="2.7 to 2.8",
        without_rule="zookeeper-emptied-place",
        with_rule="zookeeper-late-answers",
        properties=("proposal_is_answered", "follower_joins_isr"),
        bounds={"brokers": 2},
        story=(
            "A leader has asked for another ISR and takes office again before it is answered. That empties the "
            "partition's place in its queue of requests (clearPending), and the next request takes the place, while "
            "the first is still under way. The answer to the first is ignored, for it is of an older leader epoch, but "
            "it removes what stands in the place. The next request is never sent, and the leader waits for its answer "
            "until there is another leader epoch."
        ),
        lesson=(
            "An answer must remove the request that it belongs to, and no other. A place that is emptied early is "
            "taken by somebody else."
        ),
    ),
    KnownBug(
        id="KAFKA-12751",
        title="With ZooKeeper: a leader that asks for the ISR that there is takes no answer, and the ISR never changes",
        tickets=("KAFKA-12751",),
        versions="2.7 to 2.7.1 and 2.8.0",
        without_rule="zookeeper-unchanged-version",
        with_rule="zookeeper-asked-twice",
        properties=("proposal_is_answered",),
        bounds={"brokers": 2},
        lesson=(
            "Success without a change is success. Who waits until something is newer waits for ever where nothing had "
            "to change."
        ),
    ),
    KnownBug(
        id="S19 ZooKeeper",
        title="With ZooKeeper: a broker is back before the controller looks, and old requests reach it",
        tickets=("KIP-380", "KAFKA-7235"),
        versions="before 2.2",
        without_rule="zookeeper-no-broker-epochs",
        with_rule="zookeeper-lost-disk",
        properties=("leader_completeness",),
        lesson=LESSONS["S19"],
    ),
    KnownBug(
        id="",
        title="A former controller elects a leader behind the back of the controller",
        tickets=("KAFKA-6082",),
        versions="0.8 to 2.0",
        without_rule="zookeeper-unfenced-controller",
        properties=("controller_knows_the_leader", "zombies_elect_nobody"),
        lesson=(
            "A controller that was replaced does not know it. Each of its writes must carry its epoch, and be refused "
            "where a newer one has written."
        ),
    ),
    KnownBug(
        id="",
        title="A former controller confirms an ISR that is not so any more, and a committed record is lost",
        tickets=("KAFKA-14154",),
        versions="2.7 to 3.2",
        without_rule="zookeeper-stale-confirmation",
        properties=("leader_completeness",),
        bounds={"stops": 0, "max_version": 4},
        lesson=LESSONS["S14"],
    ),
    KnownBug(
        id="",
        title="A broker loses its log and is back between two controllers: "
        "the second never knew the incarnation before",
        tickets=("KIP-380; no ticket known",),
        versions="0.8 to 3.9 (ZooKeeper mode)",
        without_rule="zookeeper-lost-disk",
        properties=("leader_completeness",),
        bounds={"controllers": 2},
        lesson=(
            "Incarnations must be compared with what is written, not with what one controller remembers: the next "
            "controller never knew the one before."
        ),
    ),
)


# -- epoch cache ------------------------------------------------------------------------------------------------------
# The known bugs of the leader-epoch cache, and what this project found in it (H5).


OTHER_THAN_THE_LOG = ("every_record_has_its_epoch", "end_offsets_are_those_of_the_log", "epochs_are_those_of_the_log")

EPOCH_CACHE: tuple[KnownBug, ...] = (
    KnownBug(
        id="KAFKA-10432",
        title="Recovery takes no record of epoch 0 into the leader-epoch cache",
        tickets=("KAFKA-10432",),
        versions="0.11 to 2.6.0",
        without_rule="leader-epoch-cache-skips-epoch-0",
        with_rule="leader-epoch-cache",
        properties=("every_record_has_its_epoch", "epochs_are_those_of_the_log"),
        lesson='Epoch 0 is an epoch. A number that means "none" must be none of those that mean something.',
    ),
    KnownBug(
        id="KAFKA-10706",
        title="A follower truncates to its log end offset, keeps an epoch that begins there, and asks again for ever",
        tickets=("KAFKA-10706",),
        versions="2.0.1 to 2.6.0",
        without_rule="leader-epoch-cache-truncates-records-only",
        with_rule="leader-epoch-cache",
        properties=("nothing_is_asked_in_vain",),
        lesson=(
            "Truncation has to treat the end itself like all before it. An epoch that begins at the log end has no "
            "record, and its entry must go."
        ),
    ),
    KnownBug(
        id="KAFKA-17142",
        title="An older copy of the leader-epoch cache is written over a newer file",
        tickets=("KAFKA-17142", "KAFKA-17166"),
        versions="none; it was taken back before 3.8.0",
        without_rule="leader-epoch-cache-writes-snapshots",
        with_rule="leader-epoch-cache-writes-later",
        properties=("file_misses_no_epoch", *OTHER_THAN_THE_LOG),
        lesson=(
            "What is written in the background is the state of when it is written, not of when it was decided. "
            "Otherwise the older copy may come last."
        ),
    ),
    KnownBug(
        id="H5",
        title="A failure brings back an epoch that was truncated, over records of another one",
        tickets=("LeaderEpochFileCache.truncateFromEndAsyncFlush; no ticket known", "KAFKA-16541", "KAFKA-15046"),
        versions="3.8 to 4.4",
        without_rule="leader-epoch-cache-writes-later",
        with_rule="leader-epoch-cache",
        properties=OTHER_THAN_THE_LOG,
        story=(
            "A follower truncates a record of a later epoch at offset 1, and with it the entry of that epoch. The file "
            "is to be written in the background, and still has the entry. The follower copies a record of the epoch "
            "before, which its cache knows already, so nothing is written. It fails, and starts with the file: the "
            "entry says that the later epoch begins at offset 1. Recovery truncates what begins beyond the log end, "
            "and this does not; of the records it takes only epochs that are greater. As a follower it truncates that "
            "record once more, and copies it again. As a leader it would tell followers that they diverge at offset "
            "1: they truncate what may be committed, copy it, and ask the same until there is a record of a new epoch "
            "(derived, not searched). Before KAFKA-15046 truncation waited for the file. In the model; no report is "
            "known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "What is written later must not be able to come back as what was before. If a file may be older than "
            "memory, recovery must compare it with the log."
        ),
    ),
)


def _place(bug: KnownBug) -> tuple[bool, bool, int, str]:
    """Where a bug stands: S before N, by number, then by letter; those without a number last, as they are listed."""
    digits = "".join(c for c in bug.id.partition(" ")[0] if c.isdigit())
    return not bug.id, not bug.id.startswith("S"), int(digits or 0), bug.id


KNOWN_BUGS: tuple[KnownBug, ...] = (
    *sorted((*KRAFT, *CLASSIC, *QUORUM, *ZOOKEEPER, *EPOCH_CACHE, *TRANSACTIONS), key=_place),
    *SHARE_GROUPS,
    *DISKLESS,
)
"""Every known bug that a specification shows: of replication and transactions in the order of their numbers, then of
share groups, and of diskless topics, which are proposed."""

CATALOGUE: tuple[KnownBug, ...] = tuple(bug for bug in KNOWN_BUGS if bug.with_rule)
"""Those that are searched without their rule and with it."""


def known_bug(protocol: str, property_id: str, bounds: tuple[tuple[str, int], ...] = ()) -> KnownBug | None:
    """What is known of the violation of a property by a protocol within its default bounds, or within these."""
    found = (b for b in bugs_of(protocol) if b.other_bounds == bounds and property_id in b.properties)
    return next(found, None)


def bugs_of(protocol: str) -> tuple[KnownBug, ...]:
    """The known bugs that a registered protocol has."""
    return tuple(bug for bug in KNOWN_BUGS if bug.without_rule == protocol)
