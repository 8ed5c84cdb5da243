"""Which classes of Kafka take the steps of a protocol: those of brokers and controller, or the voters of the quorum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from epochal.checker.trace.trace import Trace
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.language import Protocol
from epochal.spec.quorum.state import QuorumState

from . import directed, known
from .directed import Played
from .driven import Harness
from .harness import CLUSTER, QUORUM, JavaProgram
from .quorum import directed as quorum_directed


class Layer(NamedTuple):
    """A program with Kafka's classes, and how a trace is put to it.

    `with_what` says with what of Kafka every step is compared. `left_by_model` is the step at which the model of a
    release leaves the trace of a hole, None if it takes it all, to the same violation.
    """

    program: JavaProgram
    with_what: str
    not_mapped: Callable[[Trace, str], str]
    play: Callable[[Harness, Trace, Callable[[int, int], None]], Played]
    left_by_model: Callable[[Trace, str, KnownBug], int | None]


BROKERS = Layer(CLUSTER, "Kafka's controller and brokers", directed.not_mapped, directed.play, known.left_by_model)
VOTERS = Layer(
    QUORUM, "Kafka's voters", quorum_directed.not_mapped, quorum_directed.play, quorum_directed.left_by_model
)


def layer_of(protocol: Protocol | type[Protocol]) -> Layer:
    """The layer of a protocol; that of the brokers says why it has none."""
    kind = protocol if isinstance(protocol, type) else type(protocol)
    return VOTERS if issubclass(kind, QuorumState) else BROKERS
