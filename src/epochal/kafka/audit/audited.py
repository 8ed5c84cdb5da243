"""The whole audit: files to a cluster, its topics to classes, the classes decided, and every rule asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from epochal.spec.kraft.generations import VERSIONS, known_as, numbered

from ..evidence.place import Place
from . import rules_loss, rules_settings
from .assembled import assembled, is_kraft_only, too_old_for_elr, without_elr
from .cluster import Cluster, SettingConflict
from .decided import Decider, known_release, most_copies
from .dump import read_dump
from .finding import SEVERITIES, Audited, Finding
from .said import Said, number_of
from .topic_class import by_cases, by_kind, classified

RULES = (
    rules_loss.lost_by_settings,
    rules_loss.ephemeral,
    rules_settings.internal_topics,
    rules_loss.not_decided,
    rules_settings.writes_refused,
    rules_loss.writes_stop,
    rules_settings.values_differ,
    rules_settings.brokers_do_not_count,
    rules_settings.contradictions,
    rules_settings.auto_created,
    rules_settings.rack_losses,
    rules_settings.copies_differ,
    rules_settings.not_heeded,
    rules_loss.retained_too_little,
    rules_loss.metadata_on_one,
    rules_settings.quorum,
    rules_settings.at_this_moment,
    rules_loss.lost_by_release,
    rules_loss.two_faults,
    rules_loss.known_bugs,
    rules_loss.acks_unknown,
    rules_loss.min_isr_unknown,
    rules_loss.unclean_unknown,
    rules_settings.more_than_copies,
    rules_settings.reassigning,
    rules_loss.ids_not_kept,
    rules_settings.idempotence_off,
    rules_settings.assumed,
    rules_settings.nodes_unknown,
    rules_settings.not_read,
)
"""Every rule, in the order in which findings of one severity are told."""


@dataclass(frozen=True)
class Audit:
    """What was found: the cluster, what was decided of it, and the findings, most serious first."""

    audited: Audited
    findings: tuple[Finding, ...]


def read_cluster(paths: Sequence[Path], producers: Sequence[tuple[str, str]] = ()) -> Cluster:
    """The cluster that files describe, called as the first of them. Raises EvidenceError."""
    name = paths[0].name or str(paths[0])
    return assembled(read_dump(paths), name, producers)


def audit_cluster(cluster: Cluster, decider: Decider, kafka: str = "") -> Audit:
    """Decide every class of topics, and ask every rule. `kafka` is the release, where the files do not tell it.

    Raises EvidenceError for a value that Kafka would refuse.
    """
    given = Said(known_as(kafka), Place("--kafka"))
    said = [given] if kafka else _releases(cluster)
    if kafka and cluster.releases and all(_minor(one.value) != _minor(kafka) for one in cluster.releases):
        cluster = replace(cluster, contradictions=[*cluster.contradictions, _released(given, cluster.releases[0])])
    refused = tuple(one for one in said if not known_release(one.value))
    releases = tuple(dict.fromkeys(one.value for one in said if known_release(one.value)))
    releases = tuple(sorted(releases, key=numbered))
    old = too_old_for_elr([given]) if kafka else None
    if old is not None:
        if cluster.elr is not None and cluster.elr.value == "true":
            cluster = replace(cluster, contradictions=[*cluster.contradictions, without_elr(old, cluster.elr)])
        cluster = replace(cluster, elr=Said("false", given.place))
    if cluster.kraft is None and kafka and is_kraft_only(given.value):
        cluster = replace(cluster, kraft=given)
    elr = cluster.elr is not None and cluster.elr.value == "true"
    default = cluster.everywhere.get("default.replication.factor")
    copies = None if default is None else number_of(default, "replication factor")
    topics, unknown = classified(cluster, elr, () if refused else releases, most_copies(), copies)
    decider.releases = [] if cluster.zookeeper is not None or refused else releases
    audited = Audited(
        cluster,
        tuple(topics),
        by_kind(topics),
        by_cases(topics),
        tuple(unknown),
        decider,
        elr,
        cluster.elr is not None,
        releases,
        refused,
        bool(kafka) or not any(_changed_later(one) for one in releases),
    )
    found = [one for rule in RULES for one in rule(audited)]
    return Audit(audited, tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity))))


def _minor(release: str) -> str:
    """`4.1` of `4.1.2`."""
    return ".".join(release.split(".")[:2])


def _released(given: Said, told: Said) -> SettingConflict:
    why = "What is given is taken: leave --kafka out, or mend it."
    return SettingConflict("the cluster", "the release", given, told, why)


def _changed_later(release: str) -> bool:
    """Whether a point release of a version, such as 4.0, has other rules than its first one."""
    return any(VERSIONS[name] != VERSIONS[release] for name in VERSIONS if name.startswith(f"{release}."))


def _releases(cluster: Cluster) -> list[Said]:
    """The releases that files tell of, each once, as Kafka's own releases are called."""
    found: dict[str, Said] = {}
    for one in cluster.releases:
        name = known_as(one.value)
        found.setdefault(name, Said(name, one.place))
    exact = {_minor(name) for name in found if name.count(".") > 1}
    return [said for name, said in found.items() if name not in exact]  # 4.1.2 says more than 4.1
