"""Which rules a Kafka version has: generations as their KIPs describe them, and versions as they were shipped.

A generation has the rules of its KIPs, and none of the holes that were found in them later. A version has those holes,
too, until the release that closed them.
"""

from __future__ import annotations

from dataclasses import replace

from .settings import Settings

G9 = Settings()
"""Eligible leader replicas (KIP-966), Kafka 4.0 and, by default in new clusters, 4.1."""

G8 = replace(G9, elr=False)
"""The strict high watermark (KIP-966), Kafka 3.7."""

G7 = replace(G8, strict_hw=False)
"""Broker epochs in Fetch and AlterPartition (KIP-903), Kafka 3.5."""

G6 = replace(G7, broker_epoch_check=False, shrink_bumps_leader_epoch=True)
"""Fenced replicas are kept out of the ISR (KIP-841), Kafka 3.3."""

G5 = replace(G6, fenced_check=False)
"""The KRaft controller with broker registration (KIP-500, KIP-631), Kafka 2.8."""

G4 = replace(G5, shrink_bumps_leader_epoch=False)
"""Truncation on fetch (KIP-595) and AlterPartition (KIP-497) with a ZooKeeper controller, Kafka 2.7."""

GENERATIONS: dict[str, Settings] = {"G4": G4, "G5": G5, "G6": G6, "G7": G7, "G8": G8, "G9": G9}

CLASSIC: dict[str, str] = {
    "G0": "truncate-to-hw",
    "G1": "kip-101",
    "G2": "kip-279",
    "G3": "kip-320",
}
"""The generations before, by the protocols of the classic family that model them."""


def _shipped(settings: Settings, version: tuple[int, int]) -> Settings:
    """A generation with the holes that this version still has.

    The hole in reassignments (KAFKA-15665, up to 3.7) is left out, as reassignments are: nobody asks for one here. That
    a follower is judged by one fetch and proposed under the broker epoch of another (KAFKA-15221) is a hole only since
    proposals carry broker epochs (KIP-903, 3.5).
    """
    return replace(
        settings,
        shrink_bumps_leader_epoch=(2, 8) <= version < (3, 6),
        diverging_answer_has_no_hw=version >= (3, 5),
        stale_controller_refuses=version >= (3, 3),
        register_only_when_fenced=version < (2, 8) or version >= (4, 0),
        known_leader_must_be_active=version != (4, 0),
        late_answers_dropped=version >= (4, 1),
        known_partition_epoch_ignored=version < (2, 8),
        forgets_followers_each_epoch=False,
        decides_on_one_fetch=version < (3, 5) or version >= (3, 7),
    )


VERSIONS: dict[str, Settings] = {
    f"{major}.{minor}": _shipped(settings, (major, minor))
    for major, minor, settings in (
        (2, 7, G4),
        (2, 8, G5),
        (3, 0, G5),
        (3, 1, G5),
        (3, 2, G5),
        (3, 3, G6),
        (3, 4, G6),
        (3, 5, G7),
        (3, 6, G7),
        (3, 7, G8),
        (3, 8, G8),
        (3, 9, G8),
        (4, 0, G8),
        (4, 1, G9),
    )
}
"""The first release of each version. In 4.0 ELR is there but off unless asked for."""

OLDER: dict[str, str] = {
    **dict.fromkeys(("0.8", "0.9", "0.10"), "truncate-to-hw"),
    **dict.fromkeys(("0.11", "1.0", "1.1"), "kip-101"),
    "2.0": "kip-279",
    **dict.fromkeys(("2.1", "2.2", "2.3", "2.4", "2.5", "2.6"), "kip-320"),
}
"""Versions of the classic family, by the protocol that models them."""
