"""Storage that does not outlive a restart: an emptyDir of Kubernetes, or a folder that a machine empties.

Who comes back from there comes back without its log: each restart and each crash is what a crash that loses data is
elsewhere. A controller has lost its vote as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .said import Said

if TYPE_CHECKING:
    from .cluster import Cluster, Node, Topic
    from .formats.strimzi import Resource

TEMPORARY = re.compile(r"(?:[A-Za-z]:)?[/\\](?:tmp|run|var/run|dev/shm)(?:[/\\]|$)")
"""Folders that are emptied when the machine starts, or live in its memory."""

LOGS, LOG, METADATA = "log.dirs", "log.dir", "metadata.log.dir"
FOLDERS = (LOGS, LOG, METADATA)
UNSET = ("", "null")
EPHEMERAL = "ephemeral"


def loses_logs(cluster: Cluster, topic: Topic) -> Said | None:
    """Where it is said that a broker which has replicas of a topic, or may have, comes back from a restart without."""
    replicas = {number for one in topic.partitions.values() for number in one.members}
    for pool in cluster.pools:
        elsewhere = replicas and pool.nodes and replicas.isdisjoint(pool.nodes)
        if pool.emptied is not None and "broker" in pool.roles and not elsewhere:
            return pool.emptied
    for node in cluster.nodes.values():
        if (not node.roles or "broker" in node.roles) and (not replicas or node.id in replicas):
            said = _temporary(node, (LOGS, LOG))
            if said is not None:
                return said
    return _temporary_in(cluster.planned, (LOGS, LOG))


def forgetful_controllers(cluster: Cluster) -> Iterator[tuple[str, Said]]:
    """Controllers that come back from a restart without their vote and their log, and where it is said."""
    for pool in cluster.pools:
        if pool.forgets is not None and "controller" in pool.roles:
            yield f"node pool {pool.name}", pool.forgets
    for node in cluster.nodes.values():
        said = _temporary(node, (METADATA, LOGS, LOG)) if node.is_controller else None
        if said is not None:
            yield f"node {node.id}", said


def _temporary(node: Node, names: Sequence[str]) -> Said | None:
    return _temporary_in(node.static, names)


def _temporary_in(settings: dict[str, Said], names: Sequence[str]) -> Said | None:
    """The setting, if it has a temporary folder. The first of the names that is set counts, as in Kafka."""
    for said in (settings[name] for name in names if name in settings):
        set_ones = [one for one in said.each if one.value not in UNSET]
        for one in set_ones:
            if any(TEMPORARY.match(folder.strip()) for folder in one.value.split(",")):
                return one
        if len(set_ones) == len(said.each):
            break
    return None


def storage_of(resource: Resource, path: str) -> tuple[Said | None, Said | None]:
    """Where a resource says that a restart loses logs of partitions, and that it loses the metadata log."""
    said = resource.values.get(f"{path}/type")
    if said is None or said.value != "jbod":
        ephemeral = said if said is not None and said.value == EPHEMERAL else None
        return ephemeral, ephemeral
    volumes: dict[str, dict[str, Said]] = {}
    for name, value in resource.below(f"{path}/volumes").items():
        number, _, field = name.partition("/")
        volumes.setdefault(number, {})[field] = value
    emptied = [one["type"] for one in volumes.values() if "type" in one and one["type"].value == EPHEMERAL]
    for_metadata = min(volumes.values(), key=_before, default={}).get("type")
    forgets = for_metadata if for_metadata is not None and for_metadata.value == EPHEMERAL else None
    return next(iter(emptied), None), forgets


def _before(volume: dict[str, Said]) -> tuple[bool, int]:
    """The volume that has the metadata log comes first: the one that says so, or else the one with the lowest id."""
    id = volume["id"].value if "id" in volume else ""
    return "kraftMetadata" not in volume, int(id) if id.isdecimal() else 0
