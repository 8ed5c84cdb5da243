"""The document of `epochal conform`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from epochal.checker.documents import document

from .common import Counts, Head

if TYPE_CHECKING:
    from epochal.kafka.validation.judged import Judged


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
