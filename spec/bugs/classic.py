"""The known bugs that the classic family shows: replication before KRaft, truncation above all."""

from __future__ import annotations

from .known_bug import KnownBug
from .kraft import BUGS as KRAFT

LESSONS = {bug.id: bug.lesson for bug in KRAFT}
"""What editions of a bug for several families teach is the same."""
LESSONS["S6"] = (
    "An acknowledgement is worth something only in the epoch in which it was given. A leader must not count a "
    "follower that may yet obey an older leader and truncate."
)

ISR_IS_LOST = ("weak_isr", "strong_isr")

BUGS: tuple[KnownBug, ...] = (
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
