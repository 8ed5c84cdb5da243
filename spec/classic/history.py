"""What is known of each bug that the classic family shows."""

from __future__ import annotations

from epochal.spec.known_bug import NEVER, KnownBug

MISSING_FENCING = "A follower of another epoch counts as having the record, then obeys an older leader and truncates it"

KNOWN_BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        "truncate-to-hw",
        ("weak_isr", "strong_isr"),
        "Truncation to a stale high watermark loses committed records",
        ("KIP-101", "KAFKA-1211"),
        "0.8",
        "0.10.2",
    ),
    KnownBug("kip-101", ("weak_isr", "strong_isr"), MISSING_FENCING, ("KIP-320",), "0.11", "2.0"),
    KnownBug("kip-279", ("weak_isr", "strong_isr"), MISSING_FENCING, ("KIP-320",), "0.11", "2.0"),
    KnownBug(
        "kip-279",
        ("strong_isr",),
        "The ISR grows while the new leader's high watermark is stale, by a follower that lacks committed records",
        ("KAFKA-7128",),
        "0.8",
        "2.0.0",
        bounds=(("max_epoch", 1),),
    ),
    KnownBug(
        "kip-320-first-try",
        ("weak_isr", "strong_isr"),
        "An empty log has no tail to disagree: a follower of another epoch passes the test of the log's tail",
        ("KIP-320",),
        f"{NEVER} (design review)",
        "-",
    ),
    KnownBug(
        "kip-320-m1",
        ("weak_isr", "strong_isr"),
        "Mutant: the truncation query is not fenced, and a leader of another epoch answers it",
        ("KIP-320",),
        NEVER,
        "-",
    ),
    KnownBug(
        "kip-320-m2",
        ("weak_isr", "strong_isr"),
        "Mutant: the ISR may grow while the leader's high watermark is still stale",
        ("KAFKA-7128",),
        NEVER,
        "-",
    ),
    KnownBug(
        "kip-320-m3",
        ("weak_isr", "strong_isr"),
        "Mutant: followers of any epoch count towards the high watermark",
        ("KIP-320", "KAFKA-6880"),
        NEVER,
        "-",
    ),
)
