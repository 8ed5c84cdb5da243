"""A mechanism that only some models have: its steps as commands of the harness, and what is compared of it.

The core of the protocol is mapped in `steps` and `compared`. Whatever an option adds stands in a file of its own and is
told of in `families`: it counts for those models that have the option's steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import ActionInstance, Identifier

CHOSEN_BY_CONTROLLER = ("successor", "elected")
CHOSEN_IN: Mapping[str, tuple[str, ...]] = {"elect_uncleanly": ("replica",)}
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


@dataclass(frozen=True)
class Family:
    """What a model with the steps of an option has beside the core.

    `asking` stands before what the core has for the same action. `answers` are what Kafka must say last where a step is
    about an answer, which no state tells, else None; `refused` is why a step cannot be taken, else "". `variables` are
    those that are compared, or count what the harness is told to do. `told_by_model` and `told_by_kafka` are the same
    leaves of a running broker; `decode` puts Kafka's values into a state, for the properties. `operator` are settings
    that nobody ships: they are as the run has them on every release. Where it does not apply the model leaves out what
    Kafka has.
    """

    steps: type[KraftState]
    asking: Mapping[str, Asking]
    variables: frozenset[str]
    told_by_model: Callable[[KraftState, Identifier], Leaves]
    told_by_kafka: Callable[[Said], Leaves]
    decode: Callable[[KraftState, Identifier, Said], None]
    answers: Callable[[KraftState, KafkaRequest], frozenset[str] | None] = any_answer
    refused: Callable[[KraftState, KafkaRequest], str] = not_refused
    operator: tuple[str, ...] = ()
    applies: Callable[[Settings], bool] = always


ACKS: Mapping[Acks, int] = {Acks.ALL: -1, Acks.LEADER: 1}
"""What a producer sends, of what can be compared."""


def produce(state: KraftState, leader: int, record: int) -> Sequence[str]:
    """A record is sent to a leader, by a producer that does not number what it sends."""
    return (f"produce:{leader}:{record}:{ACKS[state.settings.acks]}",)


def nothing_told(_: KraftState, __: Identifier) -> Leaves:
    """Of a family that adds steps, and no state."""
    return {}


def nothing_said(_: Said) -> Leaves:
    """The same of Kafka."""
    return {}


def nothing_decoded(_: KraftState, __: Identifier, ___: Said) -> None:
    """The same of Kafka's values."""
