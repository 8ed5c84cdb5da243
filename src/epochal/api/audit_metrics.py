"""An audit as metrics of Prometheus, in the text format 0.0.4 that node_exporter's textfile collector reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from epochal.kafka.audit.audited import Audit
from epochal.kafka.audit.decided import SHOWN, Answered, Outcome, severity
from epochal.kafka.audit.finding import Finding
from epochal.kafka.audit.topic_class import Kind

PROMISE, WRITES, FINDINGS, UNKNOWN = (
    "epochal_audit_promise",
    "epochal_audit_writes",
    "epochal_audit_findings",
    "epochal_audit_topics_not_decided",
)

HELP: Mapping[str, str] = {
    PROMISE: "Whether no record that was acknowledged or read is lost by a fault (1) or some may be (0), by the rules "
    "of the release as designed and as shipped. Absent where nothing is decided.",
    WRITES: "Whether writes succeed while so many brokers are down (1) or not (0). Absent where nothing is decided.",
    FINDINGS: "Findings of the audit that nobody has accepted, by severity.",
    UNKNOWN: "Topics with a promise that is not decided.",
}

Sample = tuple[str, Mapping[str, str], int]


class MeasuredAudit(Protocol):
    """What metrics say something of: an audit, which has more."""

    @property
    def audit(self) -> Audit: ...
    @property
    def findings_left(self) -> Sequence[Finding]: ...


def metrics(result: MeasuredAudit) -> str:
    """The text: each metric once with its help and type, then its samples."""
    found: dict[str, list[str]] = {name: [] for name in HELP}
    for name, labels, value in _samples(result):
        told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        found[name].append(f"{name}{{{told}}} {value}\n")
    return "".join(
        f"# HELP {name} {HELP[name]}\n# TYPE {name} gauge\n{''.join(lines)}" for name, lines in found.items()
    )


def _samples(result: MeasuredAudit) -> Iterator[Sample]:
    audited = result.audit.audited
    cluster = {"cluster": audited.cluster.name}
    not_decided = len(audited.unknown)
    for topic in audited.topics:
        about = {**cluster, "topic": topic.topic.name}
        is_open = False
        for fault in SHOWN:
            answers = [audited.decider.under(kind, fault) for kind in topic.kinds]
            for rules, outcome in (("designed", _designed(answers)), ("shipped", _shipped(answers))):
                if outcome.word == "open" or not (audited.decides or outcome.is_lost):
                    is_open = True
                else:
                    yield PROMISE, {**about, "fault": fault, "rules": rules}, int(outcome.word == "kept")
        for down in (1, 2):
            written = [_writes(result, kind, down) for kind in topic.kinds]
            if False in written or None not in written:
                yield WRITES, {**about, "down": str(down)}, int(False not in written)
        not_decided += is_open
    for word in ("error", "warning", "note"):
        count = sum(one.severity == word for one in result.findings_left)
        yield FINDINGS, {**cluster, "severity": word}, count
    yield UNKNOWN, cluster, not_decided


def _designed(answers: Sequence[Answered]) -> Outcome:
    return min((one.designed for one in answers), key=severity)


def _shipped(answers: Sequence[Answered]) -> Outcome:
    return min((one.worst for one in answers), key=severity)


def _writes(result: MeasuredAudit, kind: Kind, down: int) -> bool | None:
    """Whether a write can succeed; with as many brokers down as there are replicas none can."""
    if kind.refuses or kind.copies <= down:
        return False
    return result.audit.audited.decider.writes(kind, down)


def _escaped(text: str) -> str:
    """The value of a label: the three characters that the format escapes, and what no text file has."""
    told = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", told)


CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Also the characters at which some readers end a line."""
