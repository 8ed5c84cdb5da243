"""The documents of `epochal lockstep`: Kafka's own classes beside the specification."""

from __future__ import annotations

from typing import Annotated, TypedDict

from .common import Bounds, Configuration, Head


class DifferingLeaf(TypedDict):
    """A value of the state, as Kafka and the model have it after a step."""

    leaf: str
    kafka: str
    model: str


class OfKafka(Head):
    """Which Kafka ran: the version that its classes say they are of, and how the command line named them."""

    kafka: Annotated[str, "kafka.version"]
    classes: Annotated[list[str], "kafka.told"]


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
