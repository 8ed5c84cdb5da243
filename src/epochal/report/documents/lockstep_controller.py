"""The document of `epochal lockstep controller`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from epochal.checker.documents import document
from epochal.kafka.lockstep.controller_lines import KnownState, ThrownStep, places
from epochal.kafka.validation.image import NOBODY

from .common import Counts, Ended

if TYPE_CHECKING:
    from epochal.kafka.lockstep.closure import ControllerDifference
    from epochal.kafka.lockstep.judged import LockstepJudged


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


class ControllerBranch(TypedDict):
    """A branch of an action: its line, the function that it stands in, and whether the condition there is true.

    `taken` counts the steps in which Kafka took it. `possible` is false where the settings of all closures rule it out;
    `exhausted` is true where no state of the closures has it; `reason` tells more.
    """

    action: Annotated[str, "branch.action"]
    source: Annotated[str, "branch.where"]
    function: Annotated[str, "branch.where.function"]
    condition: Annotated[bool, "branch.taken"]
    taken: int
    possible: bool
    exhausted: bool
    reason: str


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
