"""A mechanism that only some models have: its steps as commands of the harness, and what is compared of it.

The core of the protocol is mapped in `steps` and `compared`. Whatever an option adds stands in a file of its own and is
told of in `families`: it counts for those models that have the option's steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import ActionInstance, Identifier

CHOSEN_BY_CONTROLLER = ("successor", "elected")
CHOSEN_IN: Mapping[str, tuple[str, ...]] = {"elect_uncleanly": ("replica",), "cancel_uncleanly": ("kept",)}
"""What else the controller chooses, by the action."""


@dataclass(frozen=True)
class KafkaRequest:
    """A step without what the controller chooses in it: all that Kafka is told of it."""

    action: str
    arguments: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        """`fetch(b2, b1)`."""
        return f"{self.action}({', '.join(str(value) for _, value in self.arguments)})"

    def __getitem__(self, parameter: str) -> Any:
        return dict(self.arguments)[parameter]


def request_of(instance: ActionInstance) -> KafkaRequest:
    """What Kafka is told of a step."""
    action = instance.action.name
    chosen = (*CHOSEN_BY_CONTROLLER, *CHOSEN_IN.get(action, ()))
    named = zip((one.name for one in instance.parameters), instance.arguments, strict=True)
    return KafkaRequest(action, tuple(pair for pair in named if pair[0] not in chosen))


Places = Mapping[Identifier, int]
"""The broker id in Kafka, by the specification's identifier."""

Asking = Callable[[KraftState, KafkaRequest, Places], Sequence[str]]
"""The commands that take a step from a state."""

Leaves = Mapping[str, str]
"""Every value that is compared, as it is printed, by its name."""

Said = Mapping[str, Any]
"""What the harness says of the cluster, or of a broker."""


def any_answer(_: KraftState, __: KafkaRequest) -> frozenset[str] | None:
    """The state tells all of each step."""
    return None


def not_refused(_: KraftState, __: KafkaRequest) -> str:
    """Each step can be taken."""
    return ""


def always(_: Settings) -> bool:
    """Whatever the settings."""
    return True


def nothing_told(_: KraftState, __: Identifier) -> Leaves:
    """Of a family that adds steps, and no state."""
    return {}


def nothing_said(_: Said) -> Leaves:
    """The same of Kafka."""
    return {}


def nothing_decoded(_: KraftState, __: Identifier, ___: Said) -> None:
    """The same of Kafka's values."""


def nothing_shared(_: KraftState) -> Leaves:
    """Of a family whose state is that of single brokers."""
    return {}


def nothing_said_of_all(_: Said, __: Sequence[str]) -> Leaves:
    """The same of Kafka."""
    return {}


def nothing_decoded_of_all(_: KraftState, __: Said) -> None:
    """The same of Kafka's values."""


@dataclass(frozen=True)
class Family:
    """What a model with the steps of an option has beside the core.

    `asking` stands before what the core has for the same action. `answers` are what Kafka must say last where a step is
    about an answer, which no state tells, else None; `refused` is why a step cannot be taken, else "". `variables` are
    those that are compared, or count what the harness is told to do. `told_by_model` and `told_by_kafka` are the same
    leaves of a running broker; `decode` puts Kafka's values into a state, for the properties. `shared_in_model`,
    `shared_in_kafka` and `decode_shared` are the same of what belongs to no broker alone. `second_round` is what is
    done before a step that needs two rounds (`Driven.take`) is taken again. `operator` are settings that nobody ships:
    they are as the run has them on every release. Where it does not apply (`applies`) the model leaves out what Kafka
    has.
    `brought_along` says that the model of a release gets the steps for a run that has them (`protocol_of_run`).
    """

    steps: type[KraftState]
    asking: Mapping[str, Asking]
    variables: frozenset[str]
    told_by_model: Callable[[KraftState, Identifier], Leaves] = nothing_told
    told_by_kafka: Callable[[Said], Leaves] = nothing_said
    decode: Callable[[KraftState, Identifier, Said], None] = nothing_decoded
    shared_in_model: Callable[[KraftState], Leaves] = nothing_shared
    shared_in_kafka: Callable[[Said, Sequence[str]], Leaves] = nothing_said_of_all
    decode_shared: Callable[[KraftState, Said], None] = nothing_decoded_of_all
    answers: Callable[[KraftState, KafkaRequest], frozenset[str] | None] = any_answer
    refused: Callable[[KraftState, KafkaRequest], str] = not_refused
    applies: Callable[[Settings], bool] = always
    brought_along: bool = False
    second_round: Mapping[str, Asking] = field(default_factory=dict)
    operator: tuple[str, ...] = ()


ACKS: Mapping[Acks, int] = {Acks.ALL: -1, Acks.LEADER: 1}
"""What a producer sends, of what can be compared."""


def produce(state: KraftState, leader: int, record: int) -> Sequence[str]:
    """A record is sent to a leader, by a producer that does not number what it sends."""
    return (f"produce:{leader}:{record}:{ACKS[state.settings.acks]}",)


def produce_segment(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    """A record is sent to a leader, in a segment of its own."""
    leader = places[request["leader"]]
    return (*produce(state, leader, state.next_record), f"roll:{leader}")


def fetch_segment(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    """A follower fetches, and what it gets is in a segment of its own."""
    follower = places[request["follower"]]
    return (f"fetch:{follower}:{places[request['leader']]}", f"roll:{follower}")


def shown_log(records: Iterable[tuple[int, int]]) -> str:
    """Records with their epochs, as a log has them: `r0@e0 r1@e2`."""
    return " ".join(f"r{id}@e{epoch}" for id, epoch in records) or "empty"
