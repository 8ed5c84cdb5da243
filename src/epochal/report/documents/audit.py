"""The document of `epochal audit`."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from .common import Bounds, Head


class AuditPlace(TypedDict):
    """Where something is said; `line` is null for a whole file."""

    file: str
    line: int | None


class AuditValue(TypedDict):
    """A setting in force: who has set it, and where; `assumed` if no file says."""

    value: str
    level: str
    place: Annotated[AuditPlace | None, "said.place"]
    assumed: bool


class AuditOutcome(TypedDict):
    """What a fault does. `length` counts the states of a shortest run; `behind` are known bugs that it needs."""

    verdict: Annotated[Literal["kept", "acked lost", "read lost", "logs differ", "no promise", "open"], "word"]
    length: int | None
    behind: list[str]
    reference: str
    bounds: Bounds


class AuditFault(TypedDict):
    """A fault: of the release as it was shipped, as it was designed, and by the newest design."""

    fault: Annotated[str, "fault.id"]
    title: Annotated[str, "fault.title"]
    as_shipped: Annotated[AuditOutcome, "shipped"]
    as_designed: Annotated[AuditOutcome, "designed"]
    newest_design: Annotated[AuditOutcome, "best"]
    writes_with_one_down: Annotated[bool | None, lambda one: (*one.designed.writes, None)[0]]
    writes_with_two_down: Annotated[bool | None, lambda one: (*one.designed.writes, None, None)[1]]


class AuditClass(TypedDict):
    """Topics of the same settings, and what was decided of them.

    `partitions` are those that are meant of a topic whose partitions have different numbers of replicas. Where no file
    says `min.insync.replicas`, each value that it may have is `supposed`, and a class of its own.
    """

    topics: list[str]
    partitions: dict[str, list[int]]
    replication_factor: Annotated[int, "copies"]
    effective_min_insync_replicas: Annotated[int, "min_isr"]
    min_insync_replicas_supposed: bool
    writes_refused: Annotated[bool, "refuses"]
    acks: Literal["0", "1", "all"]
    acks_known: bool
    unclean_leader_election: Annotated[bool, "unclean"]
    ephemeral_storage: Annotated[bool, "ephemeral"]
    min_insync_replicas: AuditValue
    unclean_leader_election_enable: AuditValue
    faults: list[AuditFault]


class AuditFix(TypedDict):
    """What to change, and what is decided with it; "" if nothing had to be."""

    changes: Annotated[list[str], "commands"]
    decided: str


class AuditFinding(TypedDict):
    """A finding, known by its keys; `reason` says why it was accepted."""

    rule: str
    severity: Literal["error", "warning", "note"]
    subjects: list[str]
    title: str
    why: list[str]
    places: list[AuditPlace]
    fix: AuditFix | None
    broken: list[str]
    reason: NotRequired[str]


class AuditChanged(TypedDict):
    """What is another one than before: topics whose row differs, findings that are gone, and new ones."""

    asked: list[str]
    topics: list[str]
    gone: list[str]
    new: list[str]


class Audit(Head):
    """What an audit found. `eligible_leader_replicas` is what was taken; `known` whether a file says so.

    `kraft_known` says whether a file tells that the cluster has KRaft; else it is assumed.
    """

    cluster: Annotated[str, "cluster.name"]
    releases: list[str]
    eligible_leader_replicas: Annotated[bool, "elr"]
    eligible_leader_replicas_known: Annotated[bool, "elr_known"]
    kraft_known: Annotated[bool, lambda audited: audited.cluster.kraft is not None]
    brokers: Annotated[list[int], lambda audited: sorted(audited.cluster.brokers)]
    classes: list[AuditClass]
    findings: Annotated[list[AuditFinding], "findings_left"]
    accepted: list[AuditFinding]
    changed: AuditChanged | None
    files_not_read: Annotated[list[str], lambda audited: [one.file for one in audited.cluster.unread]]
    bounds: Bounds
    exit_code: int
