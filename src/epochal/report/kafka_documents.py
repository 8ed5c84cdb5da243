"""What `--format json` prints of Kafka, as types: audit, conform, guarantees, catalogue, list and lockstep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from epochal.checker.documents import document
from epochal.kafka.lockstep.controller_lines import KnownState, ThrownStep, places
from epochal.kafka.validation.image import NOBODY

from .documents import Bounds, Configuration, Counts, Ended, Head, Trace

if TYPE_CHECKING:
    from epochal.kafka.lockstep.closure import ControllerDifference
    from epochal.kafka.lockstep.judged import LockstepJudged
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


class DifferingLeaf(TypedDict):
    """A value of the state, as Kafka and the model have it after a step."""

    leaf: str
    kafka: str
    model: str


def _kinds(found: Any) -> list[dict[str, object]]:
    return [{**vars(one), "runs": runs, "steps": len(one.trace.steps)} for one, runs in found.kinds]


class OfKafka(Head):
    """Which Kafka ran: the version that its classes say they are of, and how the command line named them."""

    kafka: Annotated[str, "kafka.version"]
    classes: Annotated[list[str], "kafka.told"]


class DifferingRunOfModel(TypedDict):
    """The shortest run of a kind of difference, and how many runs are of that kind. The states differ after its last
    step: `request` is what was asked, `said` what Kafka answered. `lines` are those of the harness."""

    runs: int
    number: int
    steps: int
    request: str
    said: list[str]
    differs: list[DifferingLeaf]
    lines: list[str]
    trace: Trace


class LockstepRuns(OfKafka):
    """`epochal lockstep runs`. `steps` counts the steps that were compared, by their actions.

    `left_out` counts steps that the model could take and the harness cannot, by the reason; `second_rounds` are fetches
    that took two rounds. `cut` is the budget that ended the runs; empty if none did.
    """

    protocol: Annotated[str, "model.name"]
    reference: str
    configuration: Annotated[Configuration, "model"]
    bounds: Annotated[Bounds, "model.bounds"]
    seed: int
    runs: Annotated[int, lambda found: found.runs]
    steps: Counts
    differing: Annotated[int, lambda found: len(found.differing)]
    kinds: Annotated[list[DifferingRunOfModel], _kinds]
    second_rounds: int
    left_out: Counts
    cut: str
    seconds: float
    exit_code: int


class BranchOnKafka(TypedDict):
    """A branch of an action: its line, the function that it stands in, and whether the condition there is true.

    That the action is taken at all is a branch without a function. `taken` counts the steps in which Kafka took it.
    `possible` is false where the settings rule it out, and `exhausted` true where an exhaustive search has no run that
    takes it; `reason` tells more.
    """

    action: Annotated[str, "branch.action"]
    source: Annotated[str, "branch.where"]
    function: Annotated[str, "branch.where.function"]
    condition: Annotated[bool, "branch.taken"]
    taken: int
    possible: bool
    exhausted: bool
    reason: str


class GuardOnKafka(TypedDict):
    """A guard of an action, and what Kafka made of `request`, which it alone forbids, after `steps` steps.

    `answer` is `refused` if nothing changed; `several steps` if Kafka did what several steps of the specification do;
    `changed` otherwise; `a bound` of a guard that is none of Kafka's; `no run` if none was found.
    """

    action: Annotated[str, "guard.action"]
    source: Annotated[str, "guard.where"]
    text: Annotated[str, "guard.text"]
    answer: Annotated[str, "answer.value"]
    request: str
    steps: Annotated[int, lambda one: 0 if one.run is None else len(one.run.steps)]
    said: list[str]
    changed: list[DifferingLeaf]
    reason: str


class LockstepCoverage(OfKafka):
    """`epochal lockstep coverage`: every branch of the actions, every guard, and the runs that differ.

    `percent` is of the branches that are possible, and that no exhaustive search rules out.
    """

    protocol: Annotated[str, "model.name"]
    reference: str
    configuration: Annotated[Configuration, "model"]
    bounds: Annotated[Bounds, "model.bounds"]
    seed: int
    runs: Annotated[int, "runs.runs"]
    steps: Annotated[Counts, "runs.steps"]
    percent: Annotated[float, "coverage.percent"]
    branches: Annotated[list[BranchOnKafka], "coverage.branches"]
    guards: list[GuardOnKafka]
    kinds: Annotated[list[DifferingRunOfModel], lambda covered: _kinds(covered.runs)]
    cut: Annotated[str, "runs.cut"]
    seconds: float
    exit_code: int


class LineAnswered(TypedDict):
    """A line of the harness, and its answer now; `kept` is the answer in the file, empty if it has none."""

    line: str
    kept: str
    now: str
    same: bool


class LockstepLines(OfKafka):
    """`epochal lockstep run FILE.steps`: lines that were put to Kafka's classes again."""

    file: Annotated[str, "name"]
    lines: list[LineAnswered]
    exit_code: int


def _where(hole: Any) -> int:
    return 0 if hole.played is None else hole.played.taken


class HoleOnKafka(TypedDict):
    """A known hole: whether Kafka shows it, whether the model of its release does, and how many steps Kafka took.

    `left_by_model` is the step at which that model leaves the run; null if it takes all of it.
    """

    id: str
    title: str
    standing: Annotated[str, "standing.value"]
    expected: Annotated[str, "expected.value"]
    as_expected: bool
    says: str
    taken: Annotated[int, _where]
    left_by_model: int | None


class LockstepCatalogue(OfKafka):
    """`epochal lockstep catalogue`. `release` is the one whose model says what is to be expected.

    `asked` counts the holes that were to be played; `cut` is the budget that was spent before, empty if none.
    """

    release: str
    asked: int
    holes: list[HoleOnKafka]
    cut: str
    exit_code: int


class LockstepRun(OfKafka):
    """`epochal lockstep run`. `taken` steps were taken, in the order `order` of the brokers.

    `holds` says whether `property` holds in Kafka's own state at the end; null if Kafka did not follow to the end, or
    the run is about no property of states. `differs` is where the states differ after the last step that was taken.
    """

    trace: Annotated[str, "name"]
    protocol: Annotated[str, "trace.protocol.name"]
    configuration: Annotated[Configuration, "trace.protocol"]
    bounds: Annotated[Bounds, "trace.protocol.bounds"]
    property: Annotated[str, "trace.property_id"]
    steps: Annotated[int, lambda played: len(played.trace.steps)]
    taken: int
    order: list[str]
    followed: bool
    holds: bool | None
    differs: list[DifferingLeaf]
    lines: list[str]
    exit_code: int


def _nobody(broker: int) -> int | None:
    return None if broker == NOBODY else broker


class ControllerKnows(TypedDict):
    """What a controller knows of a partition; `leader_epoch` is how much it has grown by the request."""

    leader: Annotated[int | None, lambda one: _nobody(one.partition.leader)]
    leader_epoch: Annotated[int, "partition.epoch"]
    isr: Annotated[list[int], lambda one: places(one.partition.isr)]
    eligible_leader_replicas: Annotated[list[int], lambda one: places(one.partition.elr)]
    last_known_leader: Annotated[int | None, lambda one: _nobody(one.partition.last_known_leader)]
    recovering: Annotated[bool, "partition.recovering"]
    replicas: Annotated[list[int], lambda one: places(one.partition.replicas)]
    adding: Annotated[list[int], lambda one: places(one.partition.adding)]
    removing: Annotated[list[int], lambda one: places(one.partition.removing)]
    active: Annotated[list[int], lambda one: places(one.active)]
    offline: Annotated[list[int], lambda one: places(one.offline)]


class KafkaOutcome(TypedDict):
    """Where Kafka goes, and the line for the harness that shows it; `thrown` is the exception if there was one."""

    line: str
    state: ControllerKnows | None
    thrown: str


def _outcome(line: str, state: KnownState | ThrownStep) -> dict[str, Any]:
    thrown = state.said if isinstance(state, ThrownStep) else ""
    return {"line": line, "state": None if thrown else state, "thrown": thrown}


class RequestDiffers(TypedDict):
    """The shortest of the differences of a kind, and how many there are.

    `kafka` and `model` are what one of both alone does. `run` are the lines that lead to the state before.
    """

    request: Annotated[str, "request"]
    kind: str
    requests: int
    before: ControllerKnows
    kafka: Annotated[list[KafkaOutcome], lambda one: [_outcome(*each) for each in one.kafka]]
    model: list[ControllerKnows]
    run: Annotated[list[str], lambda one: [step.line for step in one.run]]


class RequestsMade(TypedDict):
    """How many requests of a kind were made, in how many the specification has no step, and how many differ."""

    made: int
    without_step: int
    differ: int


def _requests(judged: LockstepJudged) -> dict[str, RequestsMade]:
    found = judged.found
    differ = {name: sum(n for (one, _), n in found.differing.items() if one == name) for name in found.requests}
    return {
        name: RequestsMade(made=made, without_step=found.without_step[name], differ=differ[name])
        for name, made in sorted(found.requests.items())
    }


def _differences(judged: LockstepJudged) -> list[RequestDiffers]:
    def told(key: tuple[str, str], one: ControllerDifference) -> RequestDiffers:
        return document(RequestDiffers, one, requests=judged.found.differing[key])

    return [told(key, one) for key, one in sorted(judged.found.shortest.items())]


class LockstepController(Ended):
    """`epochal lockstep controller`. `classpath_sha256` is the digest of every file on the class path, in its order.

    `executions` counts the steps of Kafka's classes: each request in every order of the replicas. `errors` are Kafka's
    answers, by request and error. `cut` is the budget that was spent before every state was seen; empty if none was.
    """

    kafka: Annotated[str, "kafka.version"]
    classpath_sha256: Annotated[str, "kafka.digest"]
    reference: str
    model: str
    brokers: int
    replication_factor: Annotated[int, "bounds.replicas"]
    reassignments: Annotated[int, "bounds.reassignments"]
    directories: Annotated[bool, "bounds.directories"]
    elr: bool
    min_insync_replicas: int
    unclean_leader_election: bool
    states: Annotated[int, "found.states"]
    executions: Annotated[int, "found.executions"]
    requests: Annotated[dict[str, RequestsMade], _requests]
    errors: Annotated[Counts, lambda one: {f"{action}: {error}": n for (action, error), n in one.found.errors.items()}]
    differences: Annotated[list[RequestDiffers], _differences]
    not_asked: list[str]
    cut: str
