"""What `--format json` prints of Kafka's own classes beside the specification, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from epochal.checker.documents import document
from epochal.kafka.lockstep.controller_lines import KnownState, ThrownStep, places
from epochal.kafka.validation.image import NOBODY

from .documents import Bounds, Configuration, Counts, Ended, Head, Trace

if TYPE_CHECKING:
    from epochal.kafka.lockstep.closure import ControllerDifference
    from epochal.kafka.lockstep.judged import LockstepJudged


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


class SecondPartitionKnown(TypedDict):
    """A partition as a controller knows it; `leader_epoch` is how much it has grown by the request."""

    leader: Annotated[int | None, lambda one: _nobody(one.leader)]
    leader_epoch: Annotated[int, "epoch"]
    isr: Annotated[list[int], lambda one: places(one.isr)]
    eligible_leader_replicas: Annotated[list[int], lambda one: places(one.elr)]
    last_known_leader: Annotated[int | None, lambda one: _nobody(one.last_known_leader)]
    recovering: bool
    replicas: Annotated[list[int], lambda one: places(one.replicas)]
    adding: Annotated[list[int], lambda one: places(one.adding)]
    removing: Annotated[list[int], lambda one: places(one.removing)]


class SettingsInForce(TypedDict):
    """Settings that may change while a controller runs."""

    elr: bool
    min_insync_replicas: Annotated[int, "min_isr"]


class ControllerKnows(TypedDict):
    """What a controller knows of a partition; `leader_epoch` is how much it has grown by the request.

    `leaving` are brokers that wait until they may shut down, `forgotten` those of which a controller that took office
    meanwhile does not know for what. `in_force` is null where settings do not change, and `second` without another
    partition.
    """

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
    leaving: Annotated[list[int], lambda one: places(one.leaving)]
    forgotten: Annotated[list[int], lambda one: places(one.forgotten)]
    in_force: SettingsInForce | None
    second: SecondPartitionKnown | None


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
    shutdowns: Annotated[bool, "bounds.shutdowns"]
    setting_changes: Annotated[bool, "bounds.settings"]
    default_minimum: Annotated[bool, "bounds.minimum_is_default"]
    second_partition: Annotated[int, "bounds.second"]
    quorum_controller: bool
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


class ControllerBranch(BranchOnKafka):
    """A branch of an action: its line, the function that it stands in, and whether the condition there is true.

    `taken` counts the steps in which Kafka took it. `possible` is false where the settings of all closures rule it out;
    `exhausted` is true where no state of the closures has it; `reason` tells more.
    """


class ClosureMade(TypedDict):
    """A closure: what it was made with, and what was found."""

    closure: str
    states: int
    requests: int
    executions: int
    differ: int


def _closures(covered: Any) -> list[ClosureMade]:
    return [
        ClosureMade(
            closure=str(asked),
            states=found.states,
            requests=found.asked,
            executions=found.executions,
            differ=found.differences,
        )
        for asked, found in covered.closures
    ]


class LockstepControllerCoverage(Ended):
    """`epochal lockstep controller-coverage`: every branch of the controller's rules.

    `percent` is of the branches that some state of the closures has. `cut` is the budget that was spent before the end;
    empty if none was.
    """

    kafka: Annotated[str, "kafka.version"]
    reference: str
    percent: Annotated[float, "coverage.percent"]
    branches: Annotated[list[ControllerBranch], "coverage.branches"]
    closures: Annotated[list[ClosureMade], _closures]
    cut: str
