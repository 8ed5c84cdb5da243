"""How two specifications differ, action by action, as `comparison` finds out."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.checker.trace.trace import Trace
from epochal.spec.language import SourceLine


@dataclass(frozen=True)
class Example:
    """The shallowest step of its kind: a run whose last step only one specification allows.

    `refused_by` is the guard that refuses it in the other one, and its text; None if the other one has the step too and
    it leads elsewhere, or has no such step at all (`reason` says which).
    """

    trace: Trace
    reason: str
    refused_by: SourceLine | None = None
    guard: str = ""


@dataclass(frozen=True)
class ActionDifference:
    """How the rules of one action differ: how many steps came and went, and the shallowest example of each."""

    action: str
    gained: int = 0
    lost: int = 0
    gained_example: Example | None = None
    lost_example: Example | None = None

    @property
    def kind(self) -> str:
        """`narrowed`, `widened` or `changed`."""
        if self.gained and self.lost:
            return "changed"
        return "widened" if self.gained else "narrowed"


@dataclass(frozen=True)
class Difference:
    """How two specifications differ. `cut` says why not every state was compared ("" if all were).

    `incomparable` says why steps could not be compared at all; then nothing else is known. `compared_states` are the
    reachable states of the new and of the old rules in which steps were compared (0 where no step can differ).
    """

    actions: tuple[ActionDifference, ...] = ()
    initial_gained: int = 0
    initial_lost: int = 0
    compared_states: tuple[int, int] = (0, 0)
    cut: str = ""
    incomparable: str = ""

    @property
    def gained(self) -> bool:
        """Whether the new rules allow something that the old ones do not."""
        return bool(self.initial_gained) or any(a.gained for a in self.actions)

    @property
    def lost(self) -> bool:
        """Whether the old rules allow something that the new ones do not."""
        return bool(self.initial_lost) or any(a.lost for a in self.actions)
