"""How two specifications, a left and a right one, differ: for each action the steps that only one of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..search.stop import INTERRUPTED
from ..trace.trace import Trace
from .refusal import Refused

Scope = Literal["typed", "lemmas", "reachable"]
SCOPES: tuple[Scope, ...] = ("typed", "lemmas", "reachable")
Answer = Literal["same", "differs", "unknown", "not asked"]


@dataclass(frozen=True)
class Example:
    """A step that only one specification takes, as the end of `trace`, and why the other does not take it.

    In a reachable state the trace is a shortest run, else the one step.
    """

    trace: Trace
    refused: Refused


@dataclass(frozen=True)
class ScopeAnswer:
    """Whether an action has steps of its own in the states of one scope, and an example, if there is one to show.

    `steps` is how many of them start in reachable states that were searched; elsewhere they are not counted. `reason`
    says why the answer is not known, or why there is no example.
    """

    answer: Answer
    steps: int = 0
    example: Example | None = None
    reason: str = ""


@dataclass(frozen=True)
class ActionDifference:
    """The steps of an action that one specification takes and the other does not, whose action is the `counterpart`.

    None: it has no such action. A scope that is missing was not asked about.
    """

    action: str
    counterpart: str | None
    answers: Mapping[Scope, ScopeAnswer]

    @property
    def reachable(self) -> ScopeAnswer:
        """The answer for the states that are reached."""
        return self.answers["reachable"]


@dataclass(frozen=True)
class Explored:
    """What was searched of one specification: distinct states, and why not all ("" if all).

    None: there was nothing to search for.
    """

    states: int = 0
    cut: str | None = None


@dataclass(frozen=True)
class Difference:
    """How two specifications differ: `lost` are the steps that only the left one takes, `gained` those of the right.

    `initial_only` is how many initial states only the left one has, and only the right one. `constraint` says whether
    their state constraints are the same. `incomparable` says why steps could not be compared at all; then nothing else
    is known.
    """

    lost: tuple[ActionDifference, ...] = ()
    gained: tuple[ActionDifference, ...] = ()
    initial_only: tuple[int, int] = (0, 0)
    constraint: Answer = "same"
    explored: tuple[Explored, Explored] = (Explored(), Explored())
    incomparable: str = ""

    @property
    def narrows(self) -> bool:
        """Whether the left one is known to allow something that the right one does not."""
        return bool(self.initial_only[0]) or any(one.reachable.answer == "differs" for one in self.lost)

    @property
    def widens(self) -> bool:
        """Whether the right one is known to allow something that the left one does not."""
        return bool(self.initial_only[1]) or any(one.reachable.answer == "differs" for one in self.gained)

    @property
    def interrupted(self) -> bool:
        """Whether somebody has ended the comparison."""
        return any(one.cut == INTERRUPTED.text for one in self.explored)

    @property
    def cut(self) -> str:
        """Why not every reachable state was compared; "" if all were."""
        return self.explored[1].cut or self.explored[0].cut or ""


@dataclass(frozen=True)
class Unreached:
    """How rules differ in typed states: the `actions` that do, and those of which it is `open` whether they do.

    `failing` are actions that may take the same steps, and cannot be evaluated in other states. `other` says what else
    differs, in words. With `gained` only what the right one allows, and the left one does not,
    was asked. `shown_at` are the bounds at which a search has come to such a state, and `tried` how many larger bounds
    were searched for it.
    """

    actions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    other: str = ""
    gained: bool = False
    shown_at: Mapping[str, int] | None = None
    tried: int = 0
