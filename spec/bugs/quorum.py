"""The known bugs of the metadata quorum without one of its rules."""

from __future__ import annotations

from .known_bug import KnownBug

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

BUGS: tuple[KnownBug, ...] = (
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
