"""What a bounded search has found: for each property the shortest run that shows it, or how far none is known to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from epochal.exit_codes import ExitCode
from epochal.spec.language import Member, Protocol

from ..crosscheck.cross_check import NOTHING, CrossCheck
from ..ir.model import Model
from ..search.result import EvaluationFinding
from ..trace.trace import Trace
from .unrolling import Start

INTERRUPTED = "interrupted"
"""The reason why there is no answer after Ctrl-C. What is known is told."""

Verdict = Literal["none", "violated", "reached", "unknown"]
LengthVerdict = Literal["none", "found", "unknown", "running"]


@dataclass(frozen=True)
class BoundedProperty:
    """What is known of one property: "none" if no run of at most `steps` steps shows it, else the shortest that does.

    A run shows an invariant or action property by violating it, and a `reachable` by making it true. The verdict is
    unknown if the search ended before the length that was asked for: up to `steps` steps nothing was shown.
    """

    member: Member
    verdict: Verdict
    steps: int
    trace: Trace | None = None


@dataclass(frozen=True)
class LengthResult:
    """What was found among the runs of one length, and the processor seconds it took; so far, if it is running."""

    steps: int
    verdict: LengthVerdict
    shown: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class BoundedResult:
    """The result of a bounded search. `first_taken` says after how many steps an action can first be taken, and
    `cross_check` what was repeated in the Python semantics.

    `asked_actions` tells whether that was asked at all; an action that is not in it then cannot be taken. `reason` says
    why not every length is answered: it was cut, by a budget or Ctrl-C, or the solver gave up. `vacuous` says why it
    means less than it seems that nothing was found, `warnings` what else is odd about the specification.
    """

    protocol: Protocol
    start: Start
    length: int
    lengths: tuple[LengthResult, ...]
    properties: tuple[BoundedProperty, ...]
    asked_actions: bool
    first_taken: dict[str, int]
    reason: str
    cut: bool
    rlimit: int
    wall_seconds: float
    cpu_seconds: float
    model: Model
    error: EvaluationFinding | None = None
    cross_check: CrossCheck = NOTHING
    vacuous: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def complete_to(self) -> int:
        """The number of steps up to which every question is answered; -1 if not even the first states are checked."""
        return max((one.steps for one in self.lengths if one.verdict != "unknown"), default=-1)

    @property
    def interrupted(self) -> bool:
        """Whether it ended because somebody pressed Ctrl-C."""
        return self.reason == INTERRUPTED

    @property
    def solver_seconds(self) -> float:
        """Processor time of all lengths."""
        return sum(one.seconds for one in self.lengths)

    @property
    def missing(self) -> tuple[str, ...]:
        """The properties that must be reachable, and that no run shows."""
        found = [p.member for p in self.properties if p.member.mark.kind == "reachable" and p.verdict == "none"]
        return tuple(member.name for member in found if self.protocol.applies(member))

    @property
    def out_of_place(self) -> tuple[str, ...]:
        """The properties that some run shows although they do not apply under these bounds and settings."""
        found = [p.member for p in self.properties if p.verdict == "reached"]
        return tuple(member.name for member in found if not self.protocol.applies(member))

    @property
    def never_taken(self) -> tuple[str, ...]:
        """The actions that no run takes, as far as runs were looked at; none if that was not asked."""
        if not self.asked_actions:
            return ()
        return tuple(a.name for a in self.protocol.members("action") if a.name not in self.first_taken)

    def with_facts(self, facts: dict[str, str | int | bool]) -> BoundedResult:
        """The same result, whose traces have these facts in their metadata."""
        properties = tuple(
            replace(p, trace=replace(p.trace, facts=facts)) if p.trace is not None else p for p in self.properties
        )
        error = self.error
        if error is not None:
            error = replace(error, trace=replace(error.trace, facts=facts, note=error.message))
        return replace(self, properties=properties, error=error)

    @property
    def exit_code(self) -> ExitCode:
        """The documented exit code of the most severe finding."""
        if any(one.verdict == "violated" for one in self.properties):
            return ExitCode.VIOLATED
        if self.error is not None:
            return ExitCode.EVALUATION_FAILED
        if self.reason:
            return ExitCode.INCONCLUSIVE if self.cut else ExitCode.SOLVER_UNKNOWN
        if self.missing or self.out_of_place:
            return ExitCode.EXPECTATION_MISSED
        return ExitCode.VACUOUS if self.vacuous else ExitCode.HOLDS
