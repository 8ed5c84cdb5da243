"""A mechanism that only some models have: its steps as commands of the harness, and what is compared of it.

The core of the protocol is mapped in `steps` and `compared`. Whatever an option adds stands in a file of its own and is
told of in `families`: it counts for those models that have the option's steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

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

Asking = str | Callable[[Any, KafkaRequest, Places], str]
"""The commands that take a step from a state, in one line: the words that `line` fills in, or a function."""

Leaves = Mapping[str, str]
"""Every value that is compared, as it is printed, by its name."""

Said = Mapping[str, Any]
"""What the harness says of the cluster, or of a broker."""


_Model = TypeVar("_Model", bound=KraftState)


@dataclass(frozen=True)
class Family(Generic[_Model]):
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

    steps: type[_Model]
    asking: Mapping[str, Asking]
    variables: frozenset[str]
    told_by_model: Callable[[_Model, Identifier], Leaves] = lambda _, __: {}
    told_by_kafka: Callable[[Said], Leaves] = lambda _: {}
    decode: Callable[[_Model, Identifier, Said], None] = lambda *_: None
    shared_in_model: Callable[[_Model], Leaves] = lambda _: {}
    shared_in_kafka: Callable[[Said, Sequence[str]], Leaves] = lambda _, __: {}
    decode_shared: Callable[[_Model, Said], None] = lambda *_: None
    answers: Callable[[_Model, KafkaRequest], frozenset[str] | None] = lambda *_: None
    refused: Callable[[_Model, KafkaRequest], str] = lambda *_: ""
    applies: Callable[[Settings], bool] = lambda _: True
    brought_along: bool = False
    second_round: Mapping[str, Asking] = field(default_factory=dict)
    operator: tuple[str, ...] = ()


ACKS: Mapping[Acks, int] = {Acks.ALL: -1, Acks.LEADER: 1}
"""What a producer sends, of what can be compared."""


def line(words: str, state: KraftState, request: KafkaRequest, places: Places, **more: object) -> str:
    """Words with the parameters of a step in place of their names in braces: `fetch:{follower}:{leader}`.

    A broker is put by its id in Kafka. `{record}` is the next one, `{acks}` what its producer sends; `more` are others.
    """
    named = {name: places[one] if isinstance(one, Identifier) else one for name, one in request.arguments}
    return words.format(**{"record": state.next_record, "acks": ACKS.get(state.settings.acks), **named, **more})


PRODUCE = "produce:{leader}:{record}:{acks}"
"""A record is sent to a leader, by a producer that does not number what it sends."""

FETCH = "fetch:{follower}:{leader}"

SEGMENTS: Mapping[str, Asking] = {"produce": f"{PRODUCE} roll:{{leader}}", "fetch": f"{FETCH} roll:{{follower}}"}
"""The same with each record in a segment of its own."""


def yes(so: bool) -> str:
    """A value that is so or not."""
    return "yes" if so else "no"


def shown_log(records: Iterable[tuple[int, int]]) -> str:
    """Records with their epochs, as a log has them: `r0@e0 r1@e2`."""
    return " ".join(f"r{id}@e{epoch}" for id, epoch in records) or "empty"
