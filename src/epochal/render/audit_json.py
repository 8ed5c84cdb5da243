"""An audit as one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast

from epochal.auditing.decided import Answered, Outcome
from epochal.auditing.finding import Finding
from epochal.auditing.precedence import InForce
from epochal.auditing.said import Place
from epochal.auditing.topic_class import Case, Classified, Kind
from epochal.checker.version import TOOL, tool_version
from epochal.render.audit_text import keys_of, promises_of
from epochal.render.documents import audit as documents
from epochal.spec.kraft.guarantees import BOUNDS

if TYPE_CHECKING:
    from epochal.auditing.asked import Audited
    from epochal.auditing.report import AuditReport


def audit_document(result: AuditReport) -> documents.Audit:
    """The document."""
    audited = result.audit.audited
    return {
        "tool": TOOL,
        "version": tool_version(),
        "cluster": audited.cluster.name,
        "releases": list(audited.releases),
        "eligible_leader_replicas": audited.elr,
        "eligible_leader_replicas_known": audited.elr_known,
        "kraft_known": audited.cluster.kraft is not None,
        "brokers": sorted(audited.cluster.brokers),
        "classes": [
            _class(audited, case, kind, topics)
            for cases, topics in audited.rows.items()
            for case in cases
            for kind in case.kinds
        ],
        "findings": [_finding(one) for one in result.findings_left],
        "accepted": [_finding(one) for one in result.accepted],
        "changed": _changed(result),
        "files_not_read": [one.file for one in audited.cluster.unread],
        "bounds": {name: value for name, value in BOUNDS.items() if name != "replication_factor"},
        "exit_code": int(result.exit_code),
    }


def _class(audited: Audited, case: Case, kind: Kind, topics: Sequence[Classified]) -> documents.AuditClass:
    first = topics[0]
    return {
        "topics": [one.topic.name for one in topics],
        "partitions": {
            one.topic.name: [part.number for part in one.topic.partitions.values() if part.copies == kind.copies]
            for one in topics
            if len(one.topic.numbers) > 1
        },
        "replication_factor": kind.copies,
        "effective_min_insync_replicas": kind.min_isr,
        "min_insync_replicas_supposed": case.supposed is not None,
        "writes_refused": kind.refuses,
        "acks": cast('Literal["0", "1", "all"]', kind.acks),
        "acks_known": kind.acks_known,
        "unclean_leader_election": kind.unclean,
        "ephemeral_storage": kind.ephemeral,
        "min_insync_replicas": _value(first.min_isr),
        "unclean_leader_election_enable": _value(first.unclean),
        "faults": [_fault(one) for one in audited.decider.all_of(kind)],
    }


def _value(found: InForce) -> documents.AuditValue:
    place = None if found.said is None else _place(found.said.place)
    return {"value": found.value, "level": found.level, "place": place, "assumed": found.assumed}


def _place(place: Place) -> documents.AuditPlace:
    return {"file": place.file, "line": place.line}


def _fault(one: Answered) -> documents.AuditFault:
    writes = (*one.designed.writes, None, None)
    return {
        "fault": one.fault.id,
        "title": one.fault.title,
        "as_shipped": _outcome(one.shipped),
        "as_designed": _outcome(one.designed),
        "newest_design": _outcome(one.best),
        "writes_with_one_down": writes[0],
        "writes_with_two_down": writes[1],
    }


def _outcome(one: Outcome) -> documents.AuditOutcome:
    return {
        "verdict": one.word,
        "length": one.length,
        "behind": list(one.behind),
        "reference": one.reference,
        "bounds": dict(one.bounds),
    }


def _finding(one: Finding) -> documents.AuditFinding:
    found: documents.AuditFinding = {
        "rule": one.rule,
        "severity": one.severity,
        "subjects": list(one.subjects),
        "title": one.title,
        "why": list(one.why),
        "places": [_place(place) for place in one.places],
        "fix": None if one.fix is None else {"changes": list(one.fix.commands), "decided": one.fix.decided},
        "broken": list(one.broken),
    }
    if one.reason:
        found["reason"] = one.reason
    return found


def _changed(result: AuditReport) -> documents.AuditChanged | None:
    if result.before is None:
        return None
    old, new = promises_of(result.before), promises_of(result.audit)
    old_keys, new_keys = keys_of(result.before.findings), keys_of(result.audit.findings)
    return {
        "asked": list(result.asked_otherwise),
        "topics": [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)],
        "gone": [key for key in old_keys if key not in new_keys],
        "new": [key for key in new_keys if key not in old_keys],
    }
