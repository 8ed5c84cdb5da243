"""The whole audit: files to a cluster, its topics to classes, the classes decided, and every rule asked."""

from __future__ import annotations

import fnmatch
import io
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epochal.checker.base.files import write_atomically, writing
from epochal.checker.base.numbers import counted
from epochal.checker.base.permitted import NotPermitted, open_permitted
from epochal.errors import EpochalError, UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.kraft.generations import VERSIONS, known_as, numbered
from epochal.spec.kraft.heeded import MIN_ISR
from epochal.spec.language.errors import advice

from ..evidence.place import Place, escaped
from . import rules_loss, rules_settings
from .assembled import assembled, is_kraft_only, too_old_for_elr, without_elr
from .cluster import Cluster, SettingConflict
from .decided import FAULT, OPEN, Decider, Outcome, known_release, most_copies, severity
from .dump import read_dump
from .finding import SEVERITIES, Audited, Finding
from .said import Said, number_of
from .topic_class import Supposition, by_cases, by_kind, classified

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
    rules_loss.lineage_not_asked,
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


def read_cluster(
    paths: Sequence[Path], producers: Sequence[tuple[str, str]] = (), may_be_empty: bool = False
) -> Cluster:
    """The cluster that files describe, called as the first of them. Raises EvidenceError."""
    return assembled(read_dump(paths), name_of(paths), producers, may_be_empty)


def name_of(paths: Sequence[Path]) -> str:
    """What a cluster is called that files describe."""
    return paths[0].name or str(paths[0])


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


# -- policy -----------------------------------------------------------------------------------------------------------
# A policy: what must be kept for which topics, so that a repository of topics is checked before it is merged.
#
# [[require]]
# topics = "pay*"
# keep = ["clean", "two-clean", "lossy"]
# writes-with-down = 1


KEYS = ("topics", "keep", "as-shipped", "writes-with-down")


class PolicyError(EpochalError):
    """A policy that cannot be read, or asks for what nobody knows."""

    exit_code = ExitCode.BAD_CONFIGURATION


@dataclass(frozen=True)
class Requirement:
    """What must be kept for topics of some names. `as_shipped` asks for the release with its holes, not its design."""

    topics: tuple[str, ...]
    keep: tuple[str, ...]
    as_shipped: bool
    writes_with_down: int

    def covers(self, topic: str) -> bool:
        """Whether it is about a topic."""
        return any(fnmatch.fnmatchcase(topic, pattern) for pattern in self.topics)


def _text(path: Path) -> str:
    """The text of a file. Raises NotPermitted, OSError and UnicodeDecodeError."""
    with io.TextIOWrapper(io.BufferedReader(open_permitted(path)), encoding="utf-8") as stream:
        return stream.read()


def read_policy(path: Path) -> tuple[Requirement, ...]:
    """The requirements of a file. Raises PolicyError."""
    try:
        document = tomllib.loads(_text(path))
    except OSError as wrong:
        raise PolicyError(f"{path}: {wrong.strerror or wrong}") from wrong
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise PolicyError(f"{path}: no TOML: {escaped(str(wrong)[:200])}") from wrong
    _known(path, document, ("require",))
    listed = document.get("require")
    if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
        raise PolicyError(f"{path}: nothing is required", 'Write [[require]], topics = "pay*" and keep = ["clean"].')
    return tuple(_requirement(path, one) for one in listed)


def _known(path: Path, table: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in table:
        if name not in known:
            raise PolicyError(f"{path}: {escaped(name)!r} is not known", advice(name, known, "keys"))


def _requirement(path: Path, said: Mapping[str, Any]) -> Requirement:
    _known(path, said, KEYS)
    keep = _texts(path, "keep", said.get("keep", []))
    for fault in keep:
        if fault not in FAULT:
            raise PolicyError(f"{path}: keep: {escaped(fault)!r} is no fault", advice(fault, list(FAULT), "faults"))
    down = said.get("writes-with-down", 0)
    if isinstance(down, bool) or not isinstance(down, int) or not 0 <= down <= 2:
        raise PolicyError(f"{path}: writes-with-down is 0, 1 or 2, not {escaped(repr(down)[:60])}")
    shipped = said.get("as-shipped", False)
    if not isinstance(shipped, bool):
        raise PolicyError(f"{path}: as-shipped is true or false, not {escaped(repr(shipped)[:60])}")
    topics = _texts(path, "topics", said.get("topics", []))
    if not topics or not (keep or down):
        raise PolicyError(f"{path}: a requirement names topics, and what is kept or written")
    return Requirement(topics, keep, shipped, down)


def _texts(path: Path, name: str, said: object) -> tuple[str, ...]:
    several = [said] if isinstance(said, str) else said
    if not isinstance(several, list) or not all(isinstance(one, str) and one for one in several):
        raise PolicyError(f"{path}: {name} is a text or a list of texts, not {escaped(repr(said)[:60])}")
    return tuple(several)


def missed(audited: Audited, policy: Sequence[Requirement], file: str) -> Iterator[Finding]:
    """What the policy asks for and is not so; and requirements that no topic has the name for."""
    for number, one in enumerate(policy, start=1):
        topics = [topic for topic in audited.topics if one.covers(topic.topic.name)]
        if not topics:
            yield Finding(
                "policy",
                (f"requirement {number}",),
                f"no topic is called {' or '.join(one.topics)}, so that nothing is required ({file})",
            )
        for topic in topics:
            wrong = [miss.said for miss in misses(audited.decider, topic.cases, one)]
            if wrong:
                yield Finding(
                    "policy",
                    (topic.topic.name,),
                    f"{'; '.join(wrong)} (requirement {number} of {file})",
                    places=(topic.topic.place,),
                    broken=tuple(wrong),
                )


@dataclass(frozen=True)
class Miss:
    """Something that is required and is not so: what a fault does, or that nothing can be written with `down` brokers
    down. `supposed` is the `min.insync.replicas` of the case, if no file says it. `is_open`: nobody has decided it.
    """

    supposed: int | None
    fault: str = ""
    outcome: Outcome = OPEN
    down: int = 0
    is_open: bool = False

    @property
    def said(self) -> str:
        """`lossy: acked lost, 12 states`."""
        supposed = "" if self.supposed is None else f"if {MIN_ISR} is {self.supposed}: "
        if not self.fault:
            down = f"with {self.down} down"
            return f"{supposed}writes {down}: not decided" if self.is_open else f"{supposed}no write {down}"
        length = f", {counted(self.outcome.length, 'state')}" if self.outcome.length else ""
        return f"{supposed}{self.fault}: {'not decided' if self.is_open else self.outcome.word}{length}"


def misses(decider: Decider, cases: Sequence[Supposition], required: Requirement) -> Iterator[Miss]:
    """What is not so, for the worst of the partitions, and with each value that may be in force."""
    for case in cases:
        for fault in required.keep:
            answers = [decider.under(kind, fault) for kind in case.kinds]
            outcome = min((one.worst if required.as_shipped else one.designed for one in answers), key=severity)
            if outcome.word != "kept":
                yield Miss(case.supposed, fault, outcome, is_open=outcome.word == "open")
        down = required.writes_with_down
        written = {kind: decider.writes(kind, down) for kind in case.kinds} if down else {}
        if any(one is not True for one in written.values()):
            stopped = any(one is False or kind.copies <= down for kind, one in written.items())
            yield Miss(case.supposed, down=down, is_open=not stopped)


# -- accepted ---------------------------------------------------------------------------------------------------------
# Findings that somebody has looked at and accepted, with the reason: a lock file beside the configuration.
#
# An acceptance is of a rule and a topic, `rack/payments` or `rack/pay*`, and of what was broken when it was given: if
# more breaks later, the finding is there again.

LOCK = "epochal-audit.lock.json"
FORMAT = 1


class AuditLockError(EpochalError):
    """A lock file that cannot be read."""

    exit_code = ExitCode.BAD_CONFIGURATION


@dataclass(frozen=True)
class Acceptance:
    """What was accepted, why, and which faults broke something then."""

    key: str
    reason: str
    broken: tuple[str, ...]

    def covers(self, key: str, finding: Finding) -> bool:
        """Whether a finding about a subject is accepted: nothing is broken now that was not then."""
        return fnmatch.fnmatchcase(key, self.key) and set(finding.broken) <= set(self.broken)


def read_acceptances(path: Path) -> tuple[Acceptance, ...]:
    """The acceptances of a lock file; none if it is not there. Raises AuditLockError."""
    try:
        text = _text(path)
    except (FileNotFoundError, NotPermitted):  # nobody has named it
        return ()
    except (OSError, UnicodeDecodeError) as wrong:
        raise AuditLockError(f"{path}: {getattr(wrong, 'strerror', None) or wrong}") from wrong
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise AuditLockError(f"{path}: format {escaped(str(document['format'])[:60])} is not known; {FORMAT} is")
        return tuple(
            Acceptance(str(one["finding"]), str(one["reason"]), tuple(map(str, one["broken"])))
            for one in document["accepted"]
        )
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise AuditLockError(
            f"{path} is no lock file of an audit", "Restore it, or remove it and accept again."
        ) from wrong


def sorted_out(findings: Sequence[Finding], given: Sequence[Acceptance]) -> tuple[list[Finding], list[Finding]]:
    """The findings that are left, and those that are accepted, each with the reason."""
    left, accepted = [], []
    for finding in findings:
        reasons: dict[str, list[str]] = {}
        open_ = []
        for subject, key in zip(finding.subjects, finding.keys, strict=True):
            by = next((one for one in given if one.covers(key, finding)), None)
            if by is None:
                open_.append(subject)
            else:
                reasons.setdefault(by.reason, []).append(subject)
        if open_ or not finding.subjects:
            left.append(finding.about(open_) if reasons else finding)
        accepted += [finding.about(subjects, reason) for reason, subjects in reasons.items()]
    return left, accepted


def accept(path: Path, findings: Sequence[Finding], keys: Sequence[str], reason: str) -> tuple[Acceptance, ...]:
    """Accept findings, and write the lock file; all acceptances there are now.

    Raises UsageError for a key that no finding has, or without a reason.
    """
    if not reason.strip():
        raise UsageError("an acceptance needs a reason", "Add --reason 'why this is so'.")
    found = {one.key: one for one in read_acceptances(path)}
    for key in keys:
        covered = [one for one in findings if any(fnmatch.fnmatchcase(name, key) for name in one.keys)]
        if not covered:
            known = sorted({name for one in findings for name in one.keys})
            raise UsageError(
                f"there is no finding {escaped(key)!r}", f"There is {', '.join(known[:12]) or 'none at all'}."
            )
        broken = sorted({fault for one in covered for fault in one.broken})
        found[key] = Acceptance(key, reason.strip(), tuple(broken))
    document = {
        "format": FORMAT,
        "accepted": [
            {"finding": one.key, "reason": one.reason, "broken": list(one.broken)}
            for one in sorted(found.values(), key=lambda one: one.key)
        ],
    }
    with writing(path):
        write_atomically(path, json.dumps(document, indent=1) + "\n")
    return tuple(found.values())
