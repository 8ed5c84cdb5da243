"""What would be decided if something were set otherwise: `topic:orders:min.insync.replicas=2`."""

from __future__ import annotations

import copy
import fnmatch
from collections.abc import Sequence
from dataclasses import replace

from epochal.errors import UsageError
from epochal.sentences import LONGEST

from .cluster import Cluster, Producer
from .implied import too_old_for_elr
from .said import Place, Said, number_of

HOW = (
    "Write topic:NAME:SETTING=VALUE, topic:NAME:replication.factor=3, producer:FILE:acks=all, "
    "or cluster:SETTING=VALUE, cluster:elr=on, cluster:kafka=VERSION."
)
SAID = Place("--what-if")


def changed(cluster: Cluster, changes: Sequence[str]) -> tuple[Cluster, str]:
    """A cluster in which some things are set otherwise, and the release, if that is one of them.

    Raises UsageError for what is no change, or of nothing that is there.
    """
    found, kafka = copy.deepcopy(cluster), ""
    for change in changes:
        kind, _, rest = change.partition(":")
        where, _, what = rest.rpartition(":") if kind in ("topic", "producer") else ("", "", rest)
        name, equals, value = what.partition("=")
        name, value = name.strip(), value.strip()
        if kind not in ("topic", "producer", "cluster") or not equals or not name or not value:
            raise UsageError(f"{change[:LONGEST]!r} is no change", HOW)
        if kind == "cluster" and name == "kafka":
            kafka, found.releases = value, []
            if too_old_for_elr([Said(value, SAID)]) is not None:
                found.elr = None  # such a release knows none
        elif kind == "cluster":
            _cluster(found, name, value)
        elif kind == "topic":
            _topics(found, where, name, Said(value, SAID))
        else:
            _producers(found, where, name, Said(value, SAID))
    return found, kafka


def _cluster(found: Cluster, name: str, value: str) -> None:
    if name == "elr":
        if value not in ("on", "off"):
            raise UsageError(f"elr is on or off, not {value[:LONGEST]!r}", HOW)
        found.elr = Said("true" if value == "on" else "false", SAID)
        return
    found.everywhere[name] = Said(value, SAID)
    for node in found.nodes.values():
        node.dynamic.pop(name, None)
    for topic in found.topics.values():
        if topic.seen is not None and name not in topic.own:
            topic.seen = {**topic.seen, name: Said(value, SAID, "DYNAMIC_DEFAULT_BROKER_CONFIG")}


def _topics(found: Cluster, pattern: str, name: str, said: Said) -> None:
    topics = [topic for topic in found.topics.values() if fnmatch.fnmatchcase(topic.name, pattern)]
    if not topics:
        raise UsageError(f"no topic is called {pattern[:LONGEST]!r}", "The table of the report has their names.")
    for topic in topics:
        if name == "replication.factor":
            topic.copies, topic.partitions = (number_of(said, name),), {}
        else:
            topic.own[name] = said


def _producers(found: Cluster, file: str, name: str, said: Said) -> None:
    known = [one for one in found.producers if one.file == file]
    if not known and file != "*":
        names = ", ".join(one.file for one in found.producers) or "none was read"
        raise UsageError(f"no file of a producer is called {file[:LONGEST]!r}: {names}", HOW)
    found.producers = [
        replace(one, settings={**one.settings, name: said}) if file in (one.file, "*") else one
        for one in found.producers
    ] or [Producer("--what-if", {name: said})]
