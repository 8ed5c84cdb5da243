"""What the files of a cluster imply without saying it: asked before anything is assumed.

An ELR that is not empty, or an ISR that is, is there only where eligible leader replicas are on, and so only since
Kafka 4.0 and with KRaft. A quorum of controllers, a metadata version and `process.roles` are there only with KRaft.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from epochal.spec.kraft.generations import known_as, numbered

from .cluster import Cluster, Contradiction
from .decided import known_release, may_have_elr
from .formats.features import ELR, METADATA_VERSION, RELEASE, Feature
from .formats.topics import Partition
from .said import Said, is_number

WITHOUT_ZOOKEEPER = (4, 0)
"""The first release that has KRaft alone."""

ON, OFF = "true", "false"
SEEN_BY = {"": "", "SEEN": ", as an ELR or an empty ISR shows"}
SWITCHED_OFF = (
    "Either it was switched off while replicas were eligible, which then stay so; or the files are of two moments. "
    "It is taken for off."
)


def add_implied(found: Cluster, features: Sequence[Feature]) -> None:
    """Add to a cluster what its files imply, and what two of them cannot both be right in."""
    for said in _elr(features):
        _agree(found, said)
    seen = _seen_elr(found)
    if seen is not None:
        _agree(found, seen)
    old = too_old_for_elr(found.releases)
    if old is not None and found.elr is not None and found.elr.value == ON:
        found.contradictions.append(without_elr(old, found.elr))
    elif old is not None and found.elr is None:
        found.elr = Said(OFF, old.place)
    found.kraft = found.kraft or next(_kraft(found, features), None)
    if found.kraft is not None and found.zookeeper is not None:
        kraft, zookeeper = (
            replace(one, value=word) for one, word in ((found.kraft, "KRaft"), (found.zookeeper, "ZooKeeper"))
        )
        found.contradictions.append(
            Contradiction("the cluster", "what runs it", kraft, zookeeper, "It is taken to be run by ZooKeeper.")
        )


def _elr(features: Sequence[Feature]) -> Iterator[Said]:
    """Whether eligible leader replicas are on, as features say it."""
    for one in features:
        if one.name == ELR and is_number(one.final):
            yield Said(ON if int(one.final) else OFF, one.place)


def _seen_elr(found: Cluster) -> Said | None:
    """The first partition whose replicas say that eligible leader replicas are on."""
    for topic in found.topics.values():
        for one in topic.partitions.values():
            if _only_with_elr(one):
                return Said(ON, one.place, "SEEN")
    return None


def _only_with_elr(one: Partition) -> bool:
    """Whether a partition is in a state that only the controller makes which keeps an ELR (KIP-966)."""
    return bool(one.elr or one.last_known or not one.isr)


def _agree(found: Cluster, said: Said) -> None:
    """Note whether ELR is on: files of one moment say the same."""
    before = found.elr
    if before is not None and before.value != said.value:
        levels = {ON: "1", OFF: "0"}
        left, right = (replace(one, value=f"{levels[one.value]}{SEEN_BY[one.source]}") for one in (before, said))
        why = SWITCHED_OFF if "SEEN" in (left.source, right.source) else ""
        found.contradictions.append(Contradiction("the cluster", ELR, left, right, why))
    if before is None or said.value == OFF:
        found.elr = said


def too_old_for_elr(releases: Sequence[Said]) -> Said | None:
    """The oldest of some releases, if all are known and none of them can have eligible leader replicas."""
    named = [replace(one, value=known_as(one.value)) for one in releases]
    if not named or any(not known_release(one.value) or may_have_elr(one.value) for one in named):
        return None
    return min(named, key=lambda one: numbered(one.value))


def without_elr(release: Said, elr: Said) -> Contradiction:
    """That a release before 4.0 cannot be what runs where eligible leader replicas are on."""
    why = "No broker before 4.0 has an ELR: another release runs, or the files are of two clusters."
    return Contradiction("the cluster", "the release", release, replace(elr, value="4.0 or newer"), why)


def _kraft(found: Cluster, features: Sequence[Feature]) -> Iterator[Said]:
    """Where a file says that the cluster has KRaft, or something that only such a cluster has."""
    for node in found.nodes.values():
        roles = node.static.get("process.roles")
        if roles is not None and roles.value:
            yield roles
    for voter in found.voters.values():
        yield Said(str(voter.node), voter.place)
    for one in features:
        if one.name == METADATA_VERSION and RELEASE.fullmatch(one.final):
            yield Said(one.final, one.place)
    if found.elr is not None and found.elr.value == ON:
        yield found.elr
    for release in found.releases:
        if is_kraft_only(release.value):
            yield release


def is_kraft_only(release: str) -> bool:
    """Whether a release knows no ZooKeeper."""
    name = known_as(release)
    return known_release(name) and numbered(name) >= WITHOUT_ZOOKEEPER
