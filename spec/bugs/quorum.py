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
)
