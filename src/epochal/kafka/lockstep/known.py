"""Known holes on Kafka's own classes: each is shown, or closed at a step, and as the model of the release says.

Nothing here lists what is to be expected. A run that the release's own model takes, with the property violated at its
end, is open there, and Kafka must follow; one that the model leaves is closed, and Kafka must leave it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.kraft import Kraft

from .compared import model_leaves
from .directed import Played, holds_at_the_end
from .judged import model_of
from .models import protocol_of_run


class Standing(Enum):
    """What became of a known hole."""

    SHOWN = "shown"
    CLOSED = "closed"
    NOT_MAPPED = "not mapped"


@dataclass(frozen=True)
class HolesProgress:
    """How far it is: how many of the holes are done, and which one is in hand."""

    done: int
    asked: int
    id: str
    seconds: float


@dataclass(frozen=True)
class KnownHole:
    """A run of a known hole, and what became of it.

    `left_by_model` is the number of the step at which the release's own model leaves the run; None if it takes all of
    it, with the property violated. `played` is how far Kafka followed, None if the run is not mapped, for a `reason`.
    """

    id: str
    title: str
    played: Played | None
    left_by_model: int | None
    reason: str = ""

    @property
    def standing(self) -> Standing:
        """Whether Kafka shows it."""
        if self.played is None:
            return Standing.NOT_MAPPED
        return Standing.SHOWN if self.played.holds is False else Standing.CLOSED

    @property
    def expected(self) -> Standing:
        """What the model of the release says of it."""
        if self.played is None:
            return Standing.NOT_MAPPED
        return Standing.SHOWN if self.left_by_model is None else Standing.CLOSED

    @property
    def as_expected(self) -> bool:
        """Whether Kafka does what the model of its release does."""
        return self.standing == self.expected

    @property
    def says(self) -> str:
        """`closed at step 3 of 4`, `shown in 9 steps`, or why it is not mapped."""
        if self.played is None:
            return f"not mapped: {self.reason}"
        steps = len(self.played.trace.steps)
        if self.standing == Standing.SHOWN:
            return f"shown in {steps} steps"
        where = "the property holds at the end" if self.played.followed else f"at step {self.played.taken} of {steps}"
        return f"closed: {where}"


def left_by_model(trace: Trace, version: str) -> int | None:
    """The step at which the release's own model leaves a run, or None if it takes all of it, to the same violation."""
    protocol = trace.protocol
    assert isinstance(protocol, Kraft)  # a run that is played
    model = protocol_of_run(model_of(version), protocol)
    semantics = PythonSemantics(model)
    first = model_leaves(protocol.at(trace.initial))
    codes = next(one for one in model.initial_states() if model_leaves(model.at(one)) == first)
    before = codes
    for number, step in enumerate(trace.steps, start=1):
        leaves = model_leaves(protocol.at(step.codes))
        wanted = step.instance.action.name, tuple(map(str, step.instance.arguments))
        found = [
            after
            for instance, after in semantics.successors(codes)
            if (instance.action.name, tuple(map(str, instance.arguments))) == wanted
            and model_leaves(model.at(after)) == leaves
        ]
        if not found:
            return number
        before, codes = codes, found[0]
    violated = holds_at_the_end(trace, model.at(before), model.at(codes)) is False
    return None if violated else len(trace.steps)
