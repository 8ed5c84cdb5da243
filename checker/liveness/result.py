"""What is known of the liveness properties of a protocol after a search: verdicts, and the run that breaks each broken
one."""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from epochal.spec.language import Member, Protocol

from ..ir.model import CompiledLiveness
from ..semantics.properties import AS_NAMED, Assumed, Assumptions, Strength, Unit
from ..trace.run import Codes, PlainRun, Step
from ..trace.trace import Trace
from ..trace.why import steps_around

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


# -- lasso ------------------------------------------------------------------------------------------------------------
# The run that breaks a liveness property: the shortest way to a state from where it need not be kept, and a short round
# there.
#
# Of all doomed states one is chosen that takes the fewest steps to come to: to the premise, and on without the goal. Of
# several, one where nothing more happens comes before one of a round, then the one with the least hash. The way there
# is found backwards, by the least instance and then the least hash, as the search keeps its predecessors. So the run is
# the same for every engine and any number of workers.
#
# The round goes, as long as some unit of fairness is open, the shortest way to a step of it or to a state where it is
# impossible, and then home. That is no shortest round, but a short one.

OUTSIDE = -1
"""Where a step leads that leaves the constraint."""


@dataclass(frozen=True)
class Explored:
    """The steps from a state that change something, and what else is known of it.

    `steps` are the number of the instance and the state that it leads to, `stopped` the instances that only a bound
    keeps from being taken.
    """

    steps: tuple[tuple[int, int], ...]
    stopped: frozenset[int]

    @property
    def possible(self) -> frozenset[int]:
        """The instances that could be taken."""
        return self.stopped.union(number for number, _ in self.steps)


class Graph(typing.Protocol):
    """All states that a search has found, by numbers, and the steps between them."""

    protocol: Protocol

    def explored(self, state: int) -> Explored:
        """The steps from a state."""

    def codes(self, state: int) -> Codes:
        """A state itself."""

    def hash(self, state: int) -> int:
        """What decides between states that nothing else tells apart."""

    def level(self, state: int) -> int:
        """How many steps a shortest run to it has."""

    def run_to(self, state: int) -> PlainRun:
        """The initial state and the steps of the run to a state that the search has kept."""


@dataclass(frozen=True)
class Doom:
    """A liveness property that is broken: how far each waiting state is, and which of them are doomed.

    `cost` is the least number of steps to a state by way of the premise and then without the goal; `doomed` the state
    of least cost from where it need not be kept, of several the one described above. `before` is the state of a cost
    from which a step leads to another; `component` says whether a state can be in one round with the doomed one.
    """

    promise: CompiledLiveness
    units: tuple[Unit, ...]
    cost: Callable[[int], int]
    before: Callable[[int, int], int]
    doomed: int
    component: Callable[[int], bool]


def lasso(graph: Graph, doom: Doom) -> Trace:
    """The run that breaks a liveness property."""
    way = [doom.doomed]
    while not _begins(graph, doom, way[-1]):
        way.append(doom.before(way[-1], doom.cost(way[-1]) - 1))
    way.reverse()
    initial, steps = graph.run_to(way[0])
    steps = (*steps, *(_step(graph, *pair) for pair in pairwise(way)))
    loop = len(steps)
    goes_on = forced(graph, doom.units, doom.doomed)
    around = round_of(graph, doom.units, doom.doomed, doom.component) if goes_on else []
    instances = graph.protocol.instances
    steps = (*steps, *(Step(instances[number], graph.codes(state)) for number, state in around[:-1]))
    return Trace(
        graph.protocol,
        initial,
        steps,
        doom.promise.member.name,
        "violated",
        loop=loop,
        closing=instances[around[-1][0]] if around else None,
        arguments=doom.promise.arguments,
    )


def forced(graph: Graph, units: Sequence[Unit], state: int) -> bool:
    """Whether a fair step is possible in a state, so that no fair run stays there."""
    possible = graph.explored(state).possible
    return any(possible & unit.instances for unit in units)


def _begins(graph: Graph, doom: Doom, state: int) -> bool:
    """Whether the premise holds, and is asked, in a state to which the search has found no longer way."""
    level = graph.level(state)
    if level != doom.cost(state) or (doom.promise.member.mark.once and level):
        return False
    premise, _ = doom.promise.member.function(graph.protocol.at(graph.codes(state)), *doom.promise.arguments)
    return bool(premise)


def least_instance(graph: Graph, state: int, after: int) -> int:
    """The number of the least instance that leads from one state to another."""
    return min(number for number, target in graph.explored(state).steps if target == after)


def _step(graph: Graph, state: int, after: int) -> Step:
    return Step(graph.protocol.instances[least_instance(graph, state, after)], graph.codes(after))


def round_of(graph: Graph, units: Sequence[Unit], first: int, inside: Callable[[int], bool]) -> list[tuple[int, int]]:
    """A round from a state back to it, among states of its component, that is fair to all units.

    The component must be fair as a whole. A strong unit is taken if that is possible anywhere in the component.
    """
    at, path = first, list[tuple[int, int]]()
    possible = graph.explored(first).possible
    open_units = [unit for unit in units if unit.strong or possible & unit.instances]
    impossible = _never(graph, [unit for unit in units if unit.strong], first, inside)
    open_units = [unit for unit in open_units if unit not in impossible]
    while open_units:
        for number, state in _way(graph, at, inside, partial(_closes, graph, open_units)):
            path.append((number, state))
            at = state
            open_units = [unit for unit in open_units if not _closed(graph, unit, number, state)]
    if at != first or not path:
        path += _way(graph, at, inside, lambda _, state: state == first)
    return path


def _closed(graph: Graph, unit: Unit, number: int, state: int) -> bool:
    """Whether a step of some instance to a state is fair to a unit: it takes it, or comes to where it is impossible."""
    return number in unit.instances or not (unit.strong or graph.explored(state).possible & unit.instances)


def _closes(graph: Graph, units: Sequence[Unit], number: int, state: int) -> bool:
    """Whether a step is fair to one of some units."""
    return any(_closed(graph, unit, number, state) for unit in units)


def _never(graph: Graph, units: Sequence[Unit], first: int, inside: Callable[[int], bool]) -> list[Unit]:
    """The units that are possible nowhere in a component."""
    if not units:
        return []
    seen, stack, possible = {first}, [first], set[int]()
    while stack:
        explored = graph.explored(stack.pop())
        possible |= explored.possible
        fresh = [state for _, state in explored.steps if state != OUTSIDE and inside(state) and state not in seen]
        seen |= set(fresh)
        stack += fresh
    return [unit for unit in units if not possible & unit.instances]


def _way(
    graph: Graph, start: int, inside: Callable[[int], bool], goal: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """The shortest way inside a component to the first step that is a goal; of several the one of least instances."""
    came: dict[int, tuple[int, int] | None] = {start: None}
    queue = [start]
    for state in queue:
        for number, target in graph.explored(state).steps:
            if target == OUTSIDE or not inside(target):
                continue
            if goal(number, target):
                way, at = [(number, target)], state
                while (before := came[at]) is not None:
                    way.append((before[1], at))
                    at = before[0]
                return way[::-1]
            if target not in came:
                came[target] = (state, number)
                queue.append(target)
    raise RuntimeError("a fair component has no fair round; please report this specification")
