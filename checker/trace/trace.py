"""The one trace type: an initial state and the steps from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spec.language import ActionInstance, Protocol

Codes = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One step: the action instance taken, and the codes of the state it leads to."""

    instance: ActionInstance
    codes: Codes


@dataclass(frozen=True)
class Trace:
    """A run of a protocol within bounds.

    `property_id` is the id of the property that the run violates or witnesses ("" for a run that shows nothing in
    particular), `verdict` what it shows: "violated", "reached", "error" (a rule could not be evaluated in the last
    state) or "run". `facts` are further entries for the metadata of exports: engine, digest, seed.
    """

    protocol: Protocol
    initial: Codes
    steps: tuple[Step, ...]
    property_id: str = ""
    verdict: str = "run"
    note: str = ""
    facts: dict[str, str | int | bool] = field(default_factory=dict)

    @property
    def states(self) -> Sequence[Codes]:
        """The codes of all states, the initial one first."""
        return (self.initial, *(step.codes for step in self.steps))

    @property
    def length(self) -> int:
        """How many states the run has, the initial one included."""
        return 1 + len(self.steps)
