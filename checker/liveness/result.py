"""What is known of the liveness properties of a protocol after a search: verdicts, and the run that breaks each broken
one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from epochal.spec.language import Member, Protocol

from ..ir.model import CompiledLiveness
from ..semantics.fairness import AS_NAMED, Assumed, Assumptions, Strength
from ..trace.for_ever import steps_around
from ..trace.run import PlainRun
from ..trace.trace import Trace

LivenessVerdict = Literal["holds", "violated", "not judged"]


class NotJudged(Exception):
    """Why liveness properties cannot be checked: what ran out, and what would help; `by_machine` if that is memory or a
    disk."""

    def __init__(self, why: str, by_machine: bool = False) -> None:
        super().__init__(why)
        self.by_machine = by_machine


class LivenessFails(Exception):
    """A liveness property cannot be evaluated in the last state of a run."""

    def __init__(self, run: PlainRun, promises: Sequence[CompiledLiveness]) -> None:
        super().__init__("a liveness property cannot be evaluated")
        self.run, self.promises = run, promises


@dataclass(frozen=True)
class CaseResult:
    """A liveness property with one choice of its parameters.

    `waiting` is in how many states the goal is still to come after the premise. `stopped` is in how many of them a
    bound alone stops every fair step: if that were a real end, the liveness property would be broken there. `doomed` is
    in how many a fair run may go on for ever without the goal; `trace` is then a shortest run to one, and how it goes
    on.
    """

    member: Member
    arguments: tuple[Any, ...]
    waiting: int
    stopped: int = 0
    doomed: int = 0
    trace: Trace | None = None


@dataclass(frozen=True)
class LivenessResult:
    """A liveness property, with all choices of its parameters; no cases where it was not checked."""

    member: Member
    cases: tuple[CaseResult, ...] = ()

    @property
    def verdict(self) -> LivenessVerdict:
        """Whether it is kept in every case."""
        if not self.cases:
            return "not judged"
        return "violated" if any(case.doomed for case in self.cases) else "holds"

    @property
    def waiting(self) -> int:
        """In how many states the goal is still to come, over all cases; 0: the liveness property was never put to the
        test."""
        return sum(case.waiting for case in self.cases)

    @property
    def stopped(self) -> int:
        """In how many states a bound alone stops every fair step, over all cases."""
        return sum(case.stopped for case in self.cases)

    @property
    def trace(self) -> Trace | None:
        """The shortest of the runs that break it."""
        found = [case.trace for case in self.cases if case.trace is not None]
        return min(found, key=lambda trace: trace.length, default=None)

    @property
    def length(self) -> int | None:
        """The number of states of that run, those of the round included."""
        return self.trace.length if self.trace else None

    @property
    def round(self) -> int | None:
        """The number of steps of that run that go on for ever; 0: nothing changes any more."""
        return len(steps_around(self.trace)) if self.trace else None


@dataclass(frozen=True)
class Need:
    """A liveness property that was checked as if one of its assumptions were not made; ANY: as if none were.

    `doomed` is in how many states, over all cases, a run may then go on for ever without the goal.
    """

    member: Member
    without: str
    doomed: int


@dataclass(frozen=True)
class Ends:
    """How many ends are all right (`kept`), are made by a bound alone (`bounded`), and are neither (`others`).

    `declared` are the predicates of the protocol that say where a run may end. `promised` says that there are none, and
    that a run may end where no liveness property waits. `trace` is a shortest run to one of the others.
    """

    kept: int
    bounded: int
    others: int
    declared: tuple[Member, ...] = ()
    promised: bool = False
    trace: Trace | None = None

    @property
    def total(self) -> int:
        """How many ends there are."""
        return self.kept + self.bounded + self.others


@dataclass(frozen=True)
class Liveness:
    """What is known of all liveness properties that were asked about; `reason` says why they were not checked, if they
    were not.

    `by_machine` says that this was for want of memory, or of room on a disk.
    `assumed` is what fairness was assumed besides what they name. `needs` says which assumptions each takes, if that
    was asked; an action that it does not assume is not among them. `ends` are the states where nothing more happens, if
    that was asked.
    `cpu_seconds` and `wall_seconds` are what checking took, `memory_bytes` what it needed besides the states, or
    `file_bytes` in files where that was too much. Where executors checked, it was in so many `parts`; `cpu_seconds` is
    then without what they took, and `memory_bytes` what the largest part needed.
    """

    promises: tuple[LivenessResult, ...] = ()
    reason: str = ""
    by_machine: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_bytes: int = 0
    file_bytes: int = 0
    parts: int = 0
    assumed: Assumptions = AS_NAMED
    needs: tuple[Need, ...] = ()
    ends: Ends | None = None

    @classmethod
    def not_judged(cls, members: Sequence[Member], reason: str, by_machine: bool = False) -> Liveness:
        """Nothing is known, and why."""
        return cls(tuple(map(LivenessResult, members)), reason, by_machine)

    def telling(self, told: Callable[[Trace], Trace]) -> Liveness:
        """The same, with other traces."""

        def case(one: CaseResult) -> CaseResult:
            return one if one.trace is None else replace(one, trace=told(one.trace))

        promises = tuple(replace(one, cases=tuple(map(case, one.cases))) for one in self.promises)
        ends = self.ends
        if ends is not None and ends.trace is not None:
            ends = replace(ends, trace=told(ends.trace))
        return replace(self, promises=promises, ends=ends)

    @property
    def judged(self) -> bool:
        """Whether liveness properties were checked."""
        return bool(self.promises or self.ends) and not self.reason

    @property
    def broken(self) -> tuple[LivenessResult, ...]:
        """The liveness properties that some fair run breaks."""
        return tuple(one for one in self.promises if one.verdict == "violated")

    @property
    def stopped(self) -> tuple[LivenessResult, ...]:
        """The liveness properties that a bound alone keeps in some states."""
        return tuple(one for one in self.promises if one.stopped)

    @property
    def never_due(self) -> tuple[LivenessResult, ...]:
        """The liveness properties that were checked and never put to the test: no state has the premise without the
        goal."""
        return tuple(one for one in self.promises if one.verdict == "holds" and not one.waiting)

    @property
    def cases(self) -> int:
        """How many choices of parameters were checked, over all liveness properties."""
        return sum(len(one.cases) for one in self.promises)


NO_LIVENESS = Liveness()
"""Nothing was asked."""


# -- needs ------------------------------------------------------------------------------------------------------------
# Which of its assumptions a liveness property takes: each action that it assumes to be fair left out in turn, and all.

ANY = ""
"""What is left out where nothing at all is assumed."""


@dataclass(frozen=True)
class Without:
    """What a liveness property assumes, but for one action, or for ANY."""

    assumed: Assumed
    action: str

    def __call__(self, promise: Member) -> Mapping[str, Strength]:
        """The actions that are left."""
        found = self.assumed(promise)
        said: Mapping[str, Strength] = found if isinstance(found, Mapping) else dict.fromkeys(found, "")
        return {} if self.action == ANY else {name: how for name, how in said.items() if name != self.action}

    def concerns(self, promise: Member) -> bool:
        """Whether the liveness property assumes that the action is fair."""
        return self.action == ANY or self.action in self.assumed(promise)


def left_out(protocol: Protocol, promises: Collection[Member], assumed: Assumed) -> tuple[Without, ...]:
    """What is assumed without each action, in the order of the protocol, and in the end without any."""
    named = {name for promise in promises for name in assumed(promise)}
    actions: Iterable[str] = (action.name for action in protocol.members("action") if action.name in named)
    return tuple(Without(assumed, action) for action in (*actions, ANY))
