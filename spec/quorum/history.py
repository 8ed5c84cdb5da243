"""What is known of each bug that the quorum without one of its rules shows."""

from __future__ import annotations

from epochal.spec.known_bug import NEVER, KnownBug

COMMITTED_IS_LOST = (
    "leader_completeness",
    "committed_is_on_a_majority",
    "below_hw_is_committed",
    "truncation_spares_hw",
    "observers_see_a_prefix",
)

KNOWN_BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        "quorum-hw-any-epoch",
        COMMITTED_IS_LOST,
        "A record of an earlier epoch is committed before any record of the leader's own (Figure 8 of the Raft paper)",
        ("KAFKA-12619",),
        "2.7 (not in use yet)",
        "fixed in April 2021",
    ),
    KnownBug(
        "quorum-vote-any-log",
        COMMITTED_IS_LOST,
        "Mutant: a voter grants its vote to a candidate that lacks committed records",
        ("KIP-595",),
        NEVER,
        "-",
    ),
    KnownBug(
        "quorum-vote-not-persisted",
        ("one_leader_per_epoch", "log_matching", *COMMITTED_IS_LOST),
        "Mutant: a voter restarts, and votes a second time in the same epoch",
        ("KIP-595",),
        NEVER,
        "-",
    ),
    KnownBug(
        "quorum-no-pre-vote",
        ("leader_is_not_disturbed",),
        "A voter that was cut off deposes on its return a leader that a majority fetches from",
        ("KIP-996",),
        "2.8",
        "3.9",
    ),
    KnownBug(
        "quorum-lost-disk",
        (
            "one_leader_per_epoch",
            "log_matching",
            "leader_completeness",
            "committed_is_on_a_majority",
            "below_hw_is_committed",
            "observers_see_a_prefix",
        ),
        "A voter comes back with an empty disk under its old name, and votes again",
        ("KIP-853",),
        "2.8",
        "- (an assumption of Raft)",
    ),
    KnownBug(
        "quorum-uncommitted-replay",
        ("observers_see_a_prefix",),
        "Mutant: a broker applies metadata that is not committed",
        ("KIP-595",),
        NEVER,
        "-",
    ),
)
