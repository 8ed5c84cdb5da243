"""What is known of each bug that the classic family shows: where it was found, and which Kafka versions had it.

The index of `counterexamples/` is made from this. A bug is named by the protocol that has it, the property that it
breaks and the bounds, if they are not the defaults; several properties may show the same bug.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownBug:
    """A bug of a released or proposed protocol. `since` and `until` are the first and the last version that had it.

    `bounds` are the bounds, other than the defaults, within which its run is the shortest violation: at the defaults a
    shorter bug may hide it.
    """

    protocol: str
    properties: tuple[str, ...]
    title: str
    references: tuple[str, ...]
    since: str
    until: str
    bounds: tuple[tuple[str, int], ...] = ()


NEVER = "never released"

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


def known_bug(protocol: str, property_id: str, bounds: tuple[tuple[str, int], ...] = ()) -> KnownBug | None:
    """What is known of the violation of a property by a protocol within its default bounds, or within these."""
    found = (b for b in KNOWN_BUGS if b.protocol == protocol and b.bounds == bounds and property_id in b.properties)
    return next(found, None)
