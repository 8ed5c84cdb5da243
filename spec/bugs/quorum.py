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
        faulty="quorum-change-any-epoch",
        sound="quorum-reconfiguration",
        properties=("majorities_intersect", "who_may_win_holds_committed"),
        bounds={"voters": 4, "log_size": 2},
        story="Of four voters one leader drops a voter, in a record that nobody else holds. The next leader, whom "
        "the other three elect, drops another. Each has three voters now, and two are a majority: one pair for "
        "either leader, with nobody in common. With room for a record more, what one pair commits the other loses.",
    ),
    KnownBug(
        id="Q2",
        title="A leader changes the voters again before the last change is committed",
        tickets=("KIP-853",),
        versions="none; a mutant",
        faulty="quorum-many-changes",
        sound="quorum-reconfiguration",
        properties=(
            "leader_completeness",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "observers_see_a_prefix",
            "who_may_win_holds_committed",
            "majorities_intersect",
        ),
    ),
    KnownBug(
        id="Q3",
        title="A leader that has removed itself counts itself among those that hold a record",
        tickets=("KAFKA-16530",),
        versions="none; corrected before voters could be removed (3.9)",
        faulty="quorum-removed-leader-counts",
        sound="quorum-reconfiguration",
        properties=(
            "leader_completeness",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "observers_see_a_prefix",
            "who_may_win_holds_committed",
        ),
    ),
    KnownBug(
        id="Q4",
        title="Voters are in force when their record is committed, which a restart forgets",
        tickets=("KIP-853",),
        versions="none; a mutant",
        faulty="quorum-voters-when-committed",
        sound="quorum-reconfiguration",
        properties=("majorities_intersect",),
    ),
    KnownBug(
        id="Q9",
        title="A voter that has truncated its log does not read the voters that come in place of what it cut",
        tickets=("KIP-853; no ticket known",),
        versions="3.9 to 4.4",
        faulty="quorum-voters-not-read-again",
        sound="quorum-reconfiguration",
        properties=("majorities_intersect", "who_may_win_holds_committed"),
        story="One leader appends two records that nobody fetches, and is deposed. It truncates both, and gets two "
        "others in their place, of which the second removes a voter: it does not look at them, because it had read up "
        "to there (KRaftControlRecordStateMachine.nextOffset). The leader removes this voter as well, and is alone "
        "then. The two that were removed are a majority of the three that the deposed one still takes for the voters. "
        "With an epoch more they elect it, and what the other has committed is lost.",
    ),
    KnownBug(
        id="Q10",
        title="A snapshot does not name the voters, and who loads it counts those that the cluster began with",
        tickets=("KAFKA-16207", "KIP-853"),
        versions="none; a mutant",
        faulty="quorum-snapshot-without-voters",
        sound="quorum-reconfiguration-snapshots",
        properties=(
            "leader_completeness",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "who_may_win_holds_committed",
            "majorities_intersect",
            "snapshots_are_committed",
            "log_start_only_grows",
        ),
    ),
)
"""What the rules by which voters are added and removed are for."""

SNAPSHOTS: tuple[KnownBug, ...] = (
    KnownBug(
        id="Q5",
        title="A follower throws when its leader sends a snapshot of an earlier epoch than that of its own last record",
        tickets=("KIP-630; no ticket known",),
        versions="3.0 to 4.4",
        faulty="quorum-snapshot-must-be-ahead",
        sound="quorum-snapshots",
        properties=("snapshot_helps_who_needs_it",),
        story="The leader of epoch 1 has a record that nobody else has. The leader of epoch 2 has another at the same "
        "offset, and nobody else has that. In epoch 3 the first leads again, commits its record with the next, makes "
        "a snapshot that ends between the two, and deletes what is before. The other is told to fetch it; but epoch 1 "
        "is not ahead of epoch 2, so it does not truncate its log, and throws.",
    ),
    KnownBug(
        id="Q6",
        title="A snapshot has records that are not committed",
        tickets=("KIP-630",),
        versions="none; a mutant",
        faulty="quorum-snapshot-any-offset",
        sound="quorum-snapshots",
        properties=(
            "snapshots_are_committed",
            "below_hw_is_committed",
            "observers_see_a_prefix",
            "log_start_only_grows",
        ),
    ),
    KnownBug(
        id="Q7",
        title="A leader takes a follower that ends where the leader's log starts at its word, whatever its last epoch",
        tickets=("KIP-630",),
        versions="none; a mutant",
        faulty="quorum-snapshot-by-offset",
        sound="quorum-snapshots",
        properties=(
            "log_matching",
            "committed_is_on_a_majority",
            "below_hw_is_committed",
            "truncation_spares_hw",
            "snapshots_are_committed",
            "log_start_only_grows",
        ),
    ),
    KnownBug(
        id="Q8",
        title="A log is deleted up to its high watermark, and no snapshot says what was there",
        tickets=("KAFKA-12155",),
        versions="none; a mutant",
        faulty="quorum-delete-below-hw",
        sound="quorum-snapshots",
        properties=("snapshot_helps_who_needs_it", "truncation_spares_hw", "log_start_only_grows"),
    ),
)
"""What the rules for snapshots are for, and one that Kafka has and should not have."""

BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="S32",
        title="The quorum commits a record of an earlier epoch before any of its own (Figure 8 of the Raft paper)",
        tickets=("KAFKA-12619",),
        versions="2.7 (not in use yet)",
        faulty="quorum-hw-any-epoch",
        sound="quorum",
        properties=COMMITTED_IS_LOST,
    ),
    KnownBug(
        id="",
        title="A voter grants its vote to a candidate that lacks committed records",
        tickets=("KIP-595",),
        versions="none; a mutant",
        faulty="quorum-vote-any-log",
        properties=COMMITTED_IS_LOST,
    ),
    KnownBug(
        id="",
        title="A voter restarts, and votes a second time in the same epoch",
        tickets=("KIP-595",),
        versions="none; a mutant",
        faulty="quorum-vote-not-persisted",
        properties=("one_leader_per_epoch", "log_matching", *COMMITTED_IS_LOST),
    ),
    KnownBug(
        id="",
        title="A voter that was cut off deposes on its return a leader that a majority fetches from",
        tickets=("KIP-996",),
        versions="2.8 to 3.9",
        faulty="quorum-no-pre-vote",
        properties=("leader_is_not_disturbed",),
    ),
    KnownBug(
        id="",
        title="A leader that resigned asks for pre-votes in its own epoch, and then follows itself",
        tickets=("KAFKA-17642",),
        versions="none; pollResigned names it as what the next epoch is for",
        faulty="quorum-resigned-stays",
        properties=("nobody_follows_itself",),
    ),
    KnownBug(
        id="S33a",
        title="A leader that a majority has left does not resign, and leads on in an epoch that is over",
        tickets=("KAFKA-15489",),
        versions="2.8 to 3.6",
        faulty="quorum-no-check-quorum",
        sound="quorum",
        properties=("left_leader_steps_down",),
        bounds={"log_size": 1, "max_epoch": 3},
    ),
    KnownBug(
        id="KAFKA-18345",
        title="Who has lost often waits as long as all others, and so they compete in vain for ever",
        tickets=("KAFKA-18345",),
        versions="2.8 to 3.9.1 and 4.0.0",
        faulty="quorum-same-cadence",
        sound="quorum",
        properties=("leader_is_elected",),
        bounds={"log_size": 1, "max_epoch": 1},
    ),
    KnownBug(
        id="",
        title="A voter comes back with an empty disk under its old name, and votes again",
        tickets=("KIP-853",),
        versions="since 2.8 (an assumption of Raft)",
        faulty="quorum-lost-disk",
        properties=(
            "one_leader_per_epoch",
            "log_matching",
            "leader_completeness",
            "committed_is_on_a_majority",
            "below_hw_is_committed",
            "observers_see_a_prefix",
        ),
    ),
    KnownBug(
        id="",
        title="A broker applies metadata that is not committed",
        tickets=("KIP-595",),
        versions="none; a mutant",
        faulty="quorum-uncommitted-replay",
        properties=("observers_see_a_prefix",),
    ),
    *RECONFIGURATION,
    *SNAPSHOTS,
)
