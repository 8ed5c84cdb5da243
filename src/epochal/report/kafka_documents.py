"""What `--format json` prints of Kafka, as types: audit, conform, guarantees, catalogue, list, show and explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from epochal.checker.documents import document

from .documents import Bounds, Configuration, Counts, Ended, Head, OfProtocol, Trace

if TYPE_CHECKING:
    from epochal.kafka.validation.run.as_trace import Judged


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


class AuditEffect(TypedDict):
    """What happens to some partitions, and the searches behind it, as `epochal guarantees` is asked for them."""

    verdict: Literal["no", "not known", "writes stop", "yes"]
    why: str
    partitions: list[str]
    runs: list[str]


class AuditAnswer(TypedDict):
    """The answer to a question of the day."""

    question: str
    verdict: Literal["no", "not known", "writes stop", "yes"]
    effects: list[AuditEffect]


class Audit(Head):
    """What an audit found. `eligible_leader_replicas` is what was taken; `known` whether a file says so.

    `as_before` are findings that were there before the change that is asked about, and `unreadable_before` says why
    nothing is known of before. `asked_for` is what brokers were asked for, `not_told` what they did not tell.
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
    as_before: list[AuditFinding]
    unreadable_before: Annotated[str, "unreadable"]
    asked_for: list[str]
    not_told: list[str]
    answers: list[AuditAnswer]
    changed: AuditChanged | None
    files_not_read: Annotated[list[str], lambda audited: [one.file for one in audited.cluster.unread]]
    bounds: Bounds
    exit_code: int


class PartitionKnown(TypedDict):
    """A partition as the controller knows it. `leader` and `last_known_leader` are null if there is none."""

    replicas: list[int]
    isr: list[int]
    leader: int | None
    leader_epoch: int
    adding: list[int]
    removing: list[int]
    eligible_leader_replicas: Annotated[list[int], "elr"]
    last_known_leader: int | None
    recovering: bool


class Expected(TypedDict):
    """A step of the specification that may have happened, and the partition after it."""

    step: str
    partition: PartitionKnown


class RefusedChange(TypedDict):
    """Something that no step explains: a change, or one that is missing where this record stands."""

    file: Annotated[str, "record.place.file"]
    line: Annotated[int | None, "record.place.line"]
    offset: Annotated[int, "record.offset"]
    record: Annotated[str, "record.kind"]
    partition: str
    missing: bool
    before: PartitionKnown
    found: PartitionKnown
    expected: Annotated[
        list[Expected], lambda one: [{"step": step, "partition": after} for step, after in one.expected]
    ]


def _verdict(refused: bool, accepted: object) -> str:
    return "refused" if refused else "accepted" if accepted else "nothing to judge"


class ControllerJudged(TypedDict):
    """What the controller did: changes by the step that explains them, those refused, and those left out by reason.

    `assumed` is what no file says, Kafka ships otherwise, and must have been set, or some would be refused.
    """

    verdict: Annotated[
        Literal["accepted", "refused", "nothing to judge"], lambda found: _verdict(found.refused, found.judged)
    ]
    first_offset: int
    last_offset: int
    explained: Counts
    refused: list[RefusedChange]
    left_out: Counts
    assumed: dict[str, str]


class RefusedLine(TypedDict):
    """A line of a broker's log that cannot be, and what the metadata log or a rule of the specification says."""

    file: Annotated[str, "place.file"]
    line: Annotated[int | None, "place.line"]
    broker: int
    partition: str
    found: str
    expected: str


class BrokersJudged(TypedDict):
    """What brokers did, as their logs tell: lines that agree by what they tell, those refused, and those left out.

    `cut` are the places of lines that cannot be read to their end.
    """

    verdict: Annotated[
        Literal["accepted", "refused", "nothing to judge"], lambda found: _verdict(found.refused, found.accepted)
    ]
    brokers: list[int]
    partitions: int
    accepted: Annotated[Counts, "judged"]
    refused: list[RefusedLine]
    left_out: Counts
    cut: list[str]


WeightName = Literal["lost", "cut off", "elected", "opened", "writes refused"]
"""A client's record is lost; a replica has cut off what was committed; a leader was elected that may lack some; what
such a loss needs has happened; writes are refused."""

WEIGHTS: dict[str, WeightName] = {
    "LOST": "lost",
    "GONE": "cut off",
    "ELECTED": "elected",
    "OPENED": "opened",
    "REFUSED": "writes refused",
}


class Noticed(TypedDict):
    """An event by which records may have been lost. `about` is the ticket, KIP or finding that tells of it.

    `offset` is null for a line of a log. `weight` says how bad it is, and the worst come first. `event` is what
    happened to a broker, where that is why the partition has changed.
    """

    file: Annotated[str, "place.file"]
    line: Annotated[int | None, "place.line"]
    offset: int | None
    partition: str
    about: str
    says: str
    weight: Annotated[WeightName, lambda one: WEIGHTS[one.weight.name]]
    event: str | None


def _step(step: Any) -> list[str | int | list[int] | None]:
    return [step.action, *(sorted(one) if isinstance(one, frozenset) else one for one in step.arguments)]


class RunExplained(TypedDict):
    """A partition of which one run explains everything, and that run.

    A step is the name of an action and its arguments: a broker is its place in `brokers`, an offset its place in
    `offsets`, a set of brokers a list of places.
    """

    partition: str
    lines: Annotated[int, "evidence.events"]
    steps: Annotated[list[list[str | int | list[int] | None]], lambda run: [_step(step) for step in run.steps]]
    brokers: Annotated[list[int], "evidence.decided.brokers"]
    offsets: Annotated[list[int], "evidence.offsets"]


class Stopped(TypedDict):
    """Where the nearest run ends. `broker` is null for the controller, `line` for what lies on a disk."""

    file: Annotated[str, "place.file"]
    line: Annotated[int | None, "place.line"]
    broker: Annotated[int | None, "of"]
    found: str
    expected: str


class RunRefused(TypedDict):
    """A partition that no run explains: the nearest explains so many of its lines; the first place is to blame."""

    partition: str
    lines: Annotated[int, "evidence.events"]
    explained: int
    stopped: list[Stopped]


class RunUndecided(TypedDict):
    """A partition of which no run was found, and why that says nothing."""

    partition: str
    why: Annotated[str, "given_up"]


class RunsFound(TypedDict):
    """Whether there is one run for each partition of which brokers tell. `left_out` counts the others, by reason."""

    explained: Annotated[list[RunExplained], "whole"]
    refused: list[RunRefused]
    undecided: list[RunUndecided]
    left_out: Counts


class ClientsTold(TypedDict):
    """How many records that clients were told of are in the log of the present leader, and how many are lost.

    Those are among `noticed`, each with its place. `left_out` are those of which it cannot be said, by reason.
    """

    kept: int
    lost: int
    left_out: Counts


def _controller(found: Judged) -> ControllerJudged | None:
    log, controller = found.evidence.metadata, found.controller
    if log is None or controller is None:
        return None
    first, last = log.records[0].offset, log.records[-1].offset
    return document(ControllerJudged, controller, first_offset=first, last_offset=last)


class Conform(Head):
    """`epochal conform`. `read` counts the files by what they are, `requests` those in logs of them.

    `damaged` says what is wrong with segments of partitions: they are read up to there.
    `kafka` is empty where no log names the version, and none is needed: without a metadata log. `zookeeper` is a place
    that shows that such a cluster was on ZooKeeper, so that it has none.
    `unplaced` are segments and dumps of partitions that do not say of which, or of replicas that are not in use.
    `controller`, `brokers` and `runs` are null without a metadata log, `clients` without a history of clients as well.
    `cut` is the budget that was spent before all partitions were looked at; empty if none was.
    """

    evidence: Annotated[str, "name"]
    kafka: Annotated[str, "version"]
    reference: str
    read: Annotated[Counts, "evidence.read"]
    unread: Annotated[list[str], "evidence.unread"]
    damaged: Annotated[list[str], "evidence.damaged"]
    requests: Annotated[int, lambda found: sum(len(log.requests) for log in found.evidence.logs)]
    unplaced: Annotated[list[str], "evidence.unplaced"]
    zookeeper: Annotated[str | None, lambda found: found.evidence.zookeeper if found.evidence.is_of_zookeeper else None]
    controller: Annotated[ControllerJudged | None, _controller]
    brokers: BrokersJudged | None
    runs: RunsFound | None
    clients: ClientsTold | None
    noticed: list[Noticed]
    cut: str
    exit_code: int


class GuaranteeAnswer(TypedDict):
    """The answer to one question under one fault; `length` counts the states of the shortest run that breaks it.

    `behind` are the ids of the known bugs each of which, closed alone, stops that run.
    """

    verdict: Literal["holds", "violated", "open", "nothing"]
    length: int | None
    behind: list[str]


class FaultDecidedAgain(TypedDict):
    """The same fault with the bugs of these ids closed: what breaks a liveness property then."""

    closed: list[str]
    answers: dict[str, GuaranteeAnswer]
    distinct_states: Annotated[int, "states"]
    depth: int
    exhaustive: Annotated[bool, lambda one: not one.cut]
    cut: str


class Recovers(TypedDict):
    """Whether something comes back by itself; `length` counts the states of the shortest run in which it does not.

    Where it does after a restart, no broker restarts in that run.
    """

    verdict: Literal["alone", "after a restart", "never", "open"]
    length: int | None


class FaultDecided(TypedDict):
    """A fault, and every question under it. Writes are null where the fault does not stop so many brokers.

    `causes` is there with --causes, and `recovery` with --recovery: a leader, writes with acks=all (an ISR as
    large as min.insync.replicas) and the whole ISR.
    """

    fault: Annotated[str, "fault.id"]
    title: Annotated[str, "fault.title"]
    reference: str
    bounds: Bounds
    answers: dict[str, GuaranteeAnswer]
    writes_with_one_down: Annotated[bool | None, lambda one: one.writes[0]]
    writes_with_two_down: Annotated[bool | None, lambda one: one.writes[1]]
    distinct_states: Annotated[int, "states"]
    depth: int
    exhaustive: Annotated[bool, lambda one: not one.cut]
    cut: str
    causes: NotRequired[list[FaultDecidedAgain]]
    beneath: NotRequired[list[FaultDecidedAgain]]
    recovery: NotRequired[Annotated[dict[str, Recovers], "back"]]
    comes_back: NotRequired[dict[str, Recovers]]


class GuaranteeTable(TypedDict):
    """One protocol. `known_holes` are the ids of the catalogue whose rule it lacks, `title` what it is called.

    `remarks` are what rules of its own make of the steps that the protocol joins; none of a protocol without any.
    """

    title: Annotated[str, "column.title"]
    reference: Annotated[str, "column.reference"]
    configuration: Annotated[Configuration, "column.settings"]
    known_holes: Annotated[list[str], lambda table: [bug.id for bug in table.holes]]
    remarks: list[str]
    faults: Annotated[list[FaultDecided], "decided"]


class Guarantees(Head):
    """`epochal guarantees`. `properties` says which property answers which question."""

    bounds: Bounds
    properties: dict[str, str]
    tables: list[GuaranteeTable]
    exit_code: int


class Side(TypedDict):
    """What the search of one side of a catalogue entry found."""

    verdict: str
    length: int | None
    exhaustive: bool
    cut: str
    distinct_states: int
    depth: int
    error: Annotated[str | None, "error.message"]
    cpu_seconds: float


class CatalogueEntry(TypedDict):
    """A known bug: without the rule that forbids it, and with it. What a search found is there if one was made."""

    id: str
    title: str
    source: str
    kafka: Annotated[str, "versions"]
    shown_on: list[str]
    property: Annotated[str, "property_id"]
    without_rule: str
    with_rule: str
    bounds: Annotated[Bounds, "other_bounds"]
    as_expected: NotRequired[bool]
    faulty: NotRequired[Annotated[Side, "found.faulty"]]
    sound: NotRequired[Annotated[Side, "found.sound"]]
    trace: NotRequired[Trace | None]


class Catalogue(Head):
    """`epochal catalogue`. `interrupted` counts the entries that were not searched in time."""

    entries: list[CatalogueEntry]
    not_searched: list[dict[str, Any]]
    interrupted: int
    exit_code: int


class Family(TypedDict):
    """A family of protocols, and what it is about."""

    family: str
    title: str


class Registered(TypedDict):
    """A registered protocol. `start` says why to start with it, `proof` where its proof stands; null if not so."""

    protocol: str
    family: str
    summary: str
    start: str | None
    proof: str | None


class Protocols(Ended):
    """`epochal list`."""

    families: list[Family]
    protocols: list[Registered]


class ShownBound(TypedDict):
    """A bound of a protocol, with its value here."""

    bound: str
    value: int
    default: int
    least: int
    most: int
    counts: str


class ShownSetting(TypedDict):
    """A setting of a configurable protocol; `value` is null where it has its default."""

    setting: str
    value: str | None
    default: str
    means: str


class ShownVariable(TypedDict):
    """A part of the state. A ghost is history, which only properties read."""

    variable: str
    bits: int
    domain: str
    ghost: bool


class ShownAction(TypedDict):
    """An action, with the number of its instances at these bounds."""

    action: Annotated[str, "name"]
    parameters: list[str]
    choices: int
    fair: Annotated[str | None, "mark.fair"]
    says: Annotated[str, "mark.says"]
    description: str
    place: Annotated[str, "where"]


class ShownRule(TypedDict):
    """What steps and properties call, and a variant may replace."""

    rule: Annotated[str, "called"]
    says: Annotated[str, "sentence"]
    place: Annotated[str, "where"]


class ShownProperty(TypedDict):
    """A property, lemma, constraint or liveness property. A liveness property names the actions that it needs fair."""

    property: Annotated[str, "name"]
    kind: str
    says: Annotated[str, "sentence"]
    fair: list[str]
    place: Annotated[str, "where"]


class Show(Ended, OfProtocol):
    """`epochal show`."""

    told: str
    known_bugs: list[str]
    declared_bounds: list[ShownBound]
    settings: list[ShownSetting]
    state: list[ShownVariable]
    actions: list[ShownAction]
    rules: list[ShownRule]
    properties: list[ShownProperty]
    state_bits: int
    instances: int


class Meaning(TypedDict):
    """A meaning of a word, and commands that show more."""

    heading: str
    said: list[str]
    commands: list[str]


class Explain(Ended):
    """`epochal explain`."""

    meanings: list[Meaning]
