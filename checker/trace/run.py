"""A run of a protocol as plain data: an initial state and the steps from it. `trace` adds what can be done with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from epochal.spec.language import ActionInstance, Protocol

from ..semantics.properties import AS_NAMED, Assumptions

# -- verdicts ---------------------------------------------------------------------------------------------------------
# What a run shows, and the codes of a state: what everything about traces has in common.

Codes = tuple[int, ...]
"""A state, as the codes of its leaves."""

DEADLOCK = "deadlock"
"""The verdict of a run to a state where nothing more happens and should."""

NOT_INDUCTIVE = "not-inductive"
"""The verdict of a counterexample to induction."""


@dataclass(frozen=True)
class Step:
    """One step: the action instance taken, and the codes of the state it leads to."""

    instance: ActionInstance
    codes: Codes


PlainRun = tuple[Codes, tuple[Step, ...]]
"""An initial state and the steps from it."""


@dataclass(frozen=True, repr=False)
class Run:
    """A run of a protocol within bounds.

    `property_id` is the id of the property that the run violates or witnesses ("" for a run that shows nothing in
    particular), `verdict` what it shows: "violated", "reached", "error" (a rule could not be evaluated in the last
    state), DEADLOCK (nothing more happens there), "run" or NOT_INDUCTIVE: in the first state, which need not be an
    initial nor a reachable one, every lemma holds, and in the last the property is false (for "": a rule cannot be
    evaluated there). `facts` are further entries for the metadata of exports: engine, digest, seed. `start` is for a
    run that does not begin in an initial state: what is assumed of its first state, which need not be reachable.

    A run that breaks a liveness property goes on for ever: `loop` is the number of the state that follows the last one,
    by the step of `closing`; without `closing` that is the last one itself, where nothing more happens. `arguments` are
    the parameters of the liveness property, `assumed` what fairness was assumed besides what it names.
    """

    protocol: Protocol
    initial: Codes
    steps: tuple[Step, ...]
    property_id: str = ""
    verdict: str = "run"
    note: str = ""
    facts: dict[str, str | int | bool] = field(default_factory=dict)
    start: str = ""
    loop: int | None = None
    closing: ActionInstance | None = None
    arguments: tuple[Any, ...] = ()
    assumed: Assumptions = AS_NAMED

    @property
    def states(self) -> Sequence[Codes]:
        """The codes of all states, the initial one first."""
        return (self.initial, *(step.codes for step in self.steps))

    @property
    def first(self) -> str:
        """What the first state is, as a heading."""
        if self.start:
            return self.start
        return "Any state in which every lemma holds" if self.verdict == NOT_INDUCTIVE else "Initial state"

    @property
    def length(self) -> int:
        """How many states the run has, the initial one included."""
        return 1 + len(self.steps)
