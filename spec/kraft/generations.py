"""Which rules a Kafka version has: generations as their KIPs describe them, and versions as they were shipped.

A generation has the rules of its KIPs, and none of the holes that were found in them later. A version has those holes,
too, until the release that closed them.
"""

from __future__ import annotations

from dataclasses import replace

from .settings import FollowersForgotten, ReassignmentEnds, Settings

G9 = Settings()
"""Eligible leader replicas (KIP-966), Kafka 4.0 and, by default in new clusters, since 4.1."""

G8 = replace(G9, elr=False)
"""The strict high watermark (KIP-966), Kafka 3.7."""

G7 = replace(G8, strict_hw=False)
"""Broker epochs in Fetch and AlterPartition (KIP-903), Kafka 3.5."""

G6 = replace(G7, broker_epoch_check=False, shrink_bumps_leader_epoch=True)
"""Fenced replicas are kept out of the ISR (KIP-841), Kafka 3.3."""

G5 = replace(G6, fenced_check=False)
"""The KRaft controller with broker registration (KIP-500, KIP-631), Kafka 2.8."""

G4 = replace(G5, shrink_bumps_leader_epoch=False)
"""Truncation on fetch (KIP-595) and AlterPartition (KIP-497), before KRaft.

These are the partition's rules alone, under the controller of this family. Kafka 2.7 itself had a controller on
ZooKeeper, which is `zookeeper-stale-confirmation`.
"""

GENERATIONS: dict[str, Settings] = {"G4": G4, "G5": G5, "G6": G6, "G7": G7, "G8": G8, "G9": G9}

CLASSIC: dict[str, str] = {
    "G0": "truncate-to-hw",
    "G1": "kip-101",
    "G2": "kip-279",
    "G3": "kip-320",
}
"""The generations before, by the protocols of the classic family that model them."""


Version = tuple[int, ...]

RELEASES: dict[str, int] = {
    **dict.fromkeys(("2.8", "3.0", "3.1"), 2),
    "3.2": 3,
    "3.3": 2,
    "3.4": 1,
    **dict.fromkeys(("3.5", "3.6", "3.7"), 2),
    "3.8": 1,
    "3.9": 2,
    "4.0": 2,
    "4.1": 2,
    "4.2": 2,
    "4.3": 1,
    "4.4": 0,
}
"""The versions with KRaft, and the last point release of each that is known: on Maven Central, in November 2026."""


def _generation(version: Version) -> Settings:
    """The rules that a version was released with. In 4.0 ELR is there but off unless asked for."""
    since: tuple[tuple[Version, Settings], ...] = (
        ((4, 1), G9),
        ((3, 7), G8),
        ((3, 5), G7),
        ((3, 3), G6),
        ((2, 8), G5),
    )
    return next(settings for first, settings in since if version >= first)


def shipped(version: Version) -> Settings:
    """A generation with the holes that this release, such as (3, 9, 1), still has.

    Each line names the first release without the hole. Those of N1, S15, W4 and H7 are open in all. That a follower is
    judged by one fetch and proposed under the broker epoch of another (KAFKA-15221) is a hole only since proposals
    carry broker epochs (KIP-903, 3.5); the released 3.5.2 and 3.6.2 do not have the fix. Transactions are those of a
    new cluster: since 4.0 of version 2.
    """
    return replace(
        _generation(version),
        shrink_bumps_leader_epoch=version < (3, 6),
        diverging_answer_has_no_hw=version >= (3, 4, 1),
        registration_fences_the_old_incarnation=version >= (4, 0),
        known_leader_must_be_active=not (4, 0) <= version < (4, 1),
        only_active_brokers_expire=not (4, 0) <= version < (4, 1),
        fetched_partitions_only=version >= (2, 8, 1),
        late_answers_dropped=(3, 9, 1) <= version < (4, 0) or version >= (4, 0, 1),
        known_partition_epoch_ignored=False,
        followers_forgotten=FollowersForgotten.NEW_LEADER,
        decides_on_one_fetch=version < (3, 5) or version >= (3, 7),
        reassignment_ends=_reassignment_ends(version),
        elr_has_only_replicas=False,
        override_starts_anew=False,
        empty_log_begins_at_zero=False,
        snapshots_keep_batches=False,
        transactions_verified=version >= (3, 6),
        epoch_per_transaction=version >= (4, 0),
        late_markers_refused=version >= (4, 2),
    )


def _reassignment_ends(version: Version) -> ReassignmentEnds:
    """KAFKA-15665 (3.8) and KAFKA-19975 (4.3)."""
    if version >= (4, 3):
        return ReassignmentEnds.ALL_ADDED_IF_AS_MANY
    return ReassignmentEnds.ALL_TARGETS if version >= (3, 8) else ReassignmentEnds.ALL_ADDED


def generation_of(version: str, elr: bool | None = None) -> str:
    """The generation whose rules a release was designed with, `G8` for 3.9. `elr` says what it is configured with."""
    designed = _generation(numbered(version))
    if elr and numbered(version) >= FIRST_WITH_ELR:
        designed = G9
    return next(name for name, settings in GENERATIONS.items() if settings == designed)


DIRECTORY_CHANGE_KEEPS_ELR: Version = (4, 3)
"""The first version in which a change of a log directory leaves the ELR as it is (H3).

The protocol of a version has no log directories, and so not this hole: who adds them to it asks here.
"""

LAST_KNOWN_LEADER_MAY_BE_OLD: Version = (4, 1, 1)
"""The first version that keeps a last known leader of before where ELR was switched off and on.

A protocol has ELR on or off from the start, and so not this hole: who knows that it was switched asks here.
"""

FIRST_WITH_ELR: Version = (4, 0)
"""The first version that can have eligible leader replicas: on if it is told so."""


def numbered(version: str) -> Version:
    """`3.9.1` as (3, 9, 1), and `3.9` as (3, 9, 0), its first release."""
    parts = tuple(int(part) for part in version.split("."))
    return parts if len(parts) > 2 else (*parts, 0)


VERSIONS: dict[str, Settings] = {
    version: shipped(numbered(version))
    for minor, last in RELEASES.items()
    for version in (minor, *(f"{minor}.{patch}" for patch in range(1, last + 1)))
}
"""Every release; `3.9` is the first one of that version, 3.9.0."""


def known_as(release: str) -> str:
    """`3.9` for `3.9.0`, which is its first release; every other word as it is."""
    first = release.removesuffix(".0")
    return first if first in RELEASES or first in OLDER else release


NEWEST = max(RELEASES, key=numbered)
"""The newest version that is known."""


def _same_as_before(version: str) -> bool:
    minor, _, patch = version.rpartition(".")
    before = VERSIONS[minor if patch == "1" else f"{minor}.{int(patch) - 1}"]
    return VERSIONS[version] == before


TOLD: tuple[str, ...] = tuple(v for v in VERSIONS if v.count(".") == 1 or not _same_as_before(v))
"""The releases that people choose among: the first of each version, and point releases that changed a rule."""

OLDER: dict[str, str] = {
    **dict.fromkeys(("0.8", "0.9", "0.10"), "truncate-to-hw"),
    **dict.fromkeys(("0.11", "1.0", "1.1"), "kip-101"),
    "2.0": "kip-279",
    **dict.fromkeys(("2.1", "2.2", "2.3", "2.4", "2.5", "2.6"), "kip-320"),
    "2.7": "zookeeper-stale-confirmation",
}
"""Versions without KRaft, by the protocol that models them."""


def older(release: str) -> str | None:
    """The protocol of a release without KRaft, such as 2.7 or 2.6.3; None if it is no such release."""
    parts = release.split(".")
    return next((OLDER[v] for n in range(len(parts), 1, -1) if (v := ".".join(parts[:n])) in OLDER), None)


PARTS = ("late_answer_arrives", "finish_answer", "propose_decided", "receive_answer", "replay_known_change")
"""What some versions and options make steps of their own of: answers that arrive later, and what they bring."""
