"""Which rules a Kafka version has: generations as their KIPs describe them, and versions as they were shipped.

A generation has the rules of its KIPs, and none of the holes that were found in them later. A version has those holes,
too, until the release that closed them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..language.errors import advice
from .options.needed import SHIPPED
from .rules import Shipped
from .settings import Settings

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

    Transactions are those of a new cluster: since 4.0 of version 2.
    """
    return replace(_generation(version), **{name: _at(version, shipped) for name, shipped in SHIPPED.items()})


def _at(version: Version, shipped: Shipped) -> Any:
    """What a release has of what was shipped."""
    return [value for first, value in shipped.items() if not first or version >= numbered(first)][-1]


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

for _name, _shipped in SHIPPED.items():
    if _unknown := sorted(filter(None, _shipped.keys() - VERSIONS.keys())):
        _advice = advice(_unknown[0], VERSIONS, "releases")
        raise TypeError(f"{_name} is said to change in {_unknown[0]}, which is no release. {_advice}")


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
