"""Checking liveness properties in the Python semantics, over all states that the reference search has found: slow, and
the norm.

A run breaks a liveness property if it comes to a state where the premise holds, and from there on never to one where
the goal does. It may stay where it is, unless a fair step is possible there; or go round for ever, in states that each
can be reached from each other, if that is fair: a weak unit is taken on the way, or impossible somewhere on it; a
strong one is taken, or impossible everywhere. A weak unit that is taken nowhere in a component, and possible
everywhere, is so in every part of it; a strong one can be avoided by leaving out the states where it is possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from epochal.spec.language import EvaluationError, Member, OutOfBounds, Protocol
from epochal.spec.language.errors import Disabled
from epochal.spec.language.protocol import evaluated

from ..ir.layout import lay_out, state_hash
from ..ir.model import CompiledLiveness
from ..semantics.properties import Assumed, Unit, needed, units_of
from ..trace.run import DEADLOCK, Codes, PlainRun
from ..trace.trace import Trace
from .result import (
    OUTSIDE,
    CaseResult,
    Doom,
    Ends,
    Explored,
    Liveness,
    LivenessResult,
    Need,
    Without,
    lasso,
    least_instance,
    left_out,
)


def explored_from(protocol: Protocol, codes: Codes, number_of: Callable[[Codes], int]) -> Explored:
    """The steps from a state that change something, and those that only a bound stops, in the Python semantics.

    `number_of` gives the number of a state, OUTSIDE for one outside the constraint. Raises EvaluationError.
    """
    state, steps, stopped = protocol.at(codes), list[tuple[int, int]](), set[int]()
    for instance in protocol.instances:
        try:
            evaluated(instance.action.function, state, *instance.arguments)
        except OutOfBounds:
            stopped.add(instance.number)
        except Disabled:
            pass
        else:
            after = state.codes()
            if after != codes:
                steps.append((instance.number, number_of(after)))
        state.load(codes)
    return Explored(tuple(steps), frozenset(stopped))


@dataclass
class ReferenceGraph:
    """The states of a search in the Python semantics. `run_of` gives the run that the search has kept to a state."""

    protocol: Protocol
    states: Sequence[Codes]
    run_of: Callable[[Codes], PlainRun]
    _explored: list[Explored] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.numbers = {codes: number for number, codes in enumerate(self.states)}
        self.layout = lay_out(self.protocol.leaves)
        self._explored = [
            explored_from(self.protocol, codes, lambda after: self.numbers.get(after, OUTSIDE)) for codes in self.states
        ]

    def explored(self, state: int) -> Explored:
        """The steps from a state."""
        return self._explored[state]

    def codes(self, state: int) -> Codes:
        """A state itself."""
        return self.states[state]

    def hash(self, state: int) -> int:
        """The hash by which the search breaks ties."""
        return state_hash(self.layout.pack(self.states[state]))

    def run_to(self, state: int) -> PlainRun:
        """The run to a state that the search has kept."""
        return self.run_of(self.states[state])

    @cached_property
    def _levels(self) -> list[int]:
        levels, frontier = [0] * len(self.states), [self.numbers[c] for c in self.protocol.initial_states()]
        seen = set(frontier)
        while frontier:
            further = {t for s in frontier for _, t in self._explored[s].steps if t != OUTSIDE} - seen
            for state in further:
                levels[state] = levels[frontier[0]] + 1
            seen |= further
            frontier = list(further)
        return levels

    def level(self, state: int) -> int:
        """How many steps a shortest run to a state has."""
        return self._levels[state]

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """From which states a step leads to each."""
        found: list[list[int]] = [[] for _ in self.states]
        for state, explored in enumerate(self._explored):
            for target in {target for _, target in explored.steps if target != OUTSIDE}:
                found[target].append(state)
        return found


def judge(
    graph: ReferenceGraph, promises: Sequence[CompiledLiveness], assumed: Assumed = needed, needs: bool = False
) -> Liveness:
    """Check liveness properties over a whole state space; `assumed` are the actions of which each assumes fairness.

    With `needs` the result says which of these assumptions each liveness property takes. Raises EvaluationError where a
    liveness property cannot be evaluated.
    """
    started = time.process_time()
    members = {promise.member.name: promise.member for promise in promises}
    units = {name: units_of(graph.protocol, assumed(member)) for name, member in members.items()}
    cases: dict[str, list[CaseResult]] = {name: [] for name in members}
    for promise in promises:
        cases[promise.member.name].append(_judge(graph, promise, units[promise.member.name]))
    others = left_out(graph.protocol, list(members.values()), assumed) if needs else ()
    return Liveness(
        tuple(LivenessResult(member, tuple(cases[name])) for name, member in members.items()),
        cpu_seconds=time.process_time() - started,
        needs=tuple(
            _need(graph, promises, one, other) for one in members.values() for other in others if other.concerns(one)
        ),
    )


def _need(graph: ReferenceGraph, promises: Sequence[CompiledLiveness], member: Member, other: Without) -> Need:
    """What becomes of a liveness property without one of its assumptions."""
    units = units_of(graph.protocol, other(member))
    cases = [_judge(graph, promise, units, told=False) for promise in promises if promise.member.name == member.name]
    return Need(member, other.action, sum(case.doomed for case in cases))


def waiting_in(graph: ReferenceGraph, promise: CompiledLiveness) -> tuple[set[int], set[int]]:
    """Where the premise of a liveness property holds without its goal, and where the goal is still to come after
    that."""
    function = promise.member.function
    answers = [evaluated(function, graph.protocol.at(codes), *promise.arguments) for codes in graph.states]
    without = {state for state, (_, goal) in enumerate(answers) if not goal}
    asked = (state for state in without if not (promise.member.mark.once and graph.level(state)))
    begin = {state for state in asked if answers[state][0]}
    waiting, frontier = set(begin), list(begin)
    while frontier:
        fresh = {t for _, t in graph.explored(frontier.pop()).steps if t in without} - waiting
        waiting |= fresh
        frontier += fresh
    return begin, waiting


def _judge(graph: ReferenceGraph, promise: CompiledLiveness, units: Sequence[Unit], told: bool = True) -> CaseResult:
    begin, waiting = waiting_in(graph, promise)
    fair = frozenset[int]().union(*(unit.instances for unit in units))
    ends = {s for s in waiting if not any(number in fair for number, _ in graph.explored(s).steps)}
    stay = {s for s in ends if not graph.explored(s).stopped & fair}
    stopped = len(ends) - len(stay)
    components = list(_fair(graph, waiting, units))
    doomed = stay.union(*components)
    if not doomed or not told:
        return CaseResult(promise.member, promise.arguments, len(waiting), stopped, len(doomed))
    cost = _costs(graph, begin, waiting)
    least = min(cost[state] for state in doomed)
    nearest = min((s for s in doomed if cost[s] == least), key=lambda s: (s not in stay, graph.hash(s)))
    around = next((component for component in components if nearest in component), set())

    def before(state: int, steps: int) -> int:
        found = [one for one in graph.predecessors[state] if cost.get(one) == steps]
        return min(found, key=lambda one: (least_instance(graph, one, state), graph.hash(one)))

    doom = Doom(promise, tuple(units), cost.__getitem__, before, nearest, around.__contains__)
    return CaseResult(promise.member, promise.arguments, len(waiting), stopped, len(doomed), lasso(graph, doom))


def _costs(graph: ReferenceGraph, begin: Collection[int], waiting: Collection[int]) -> dict[int, int]:
    """The least number of steps to each waiting state by way of the premise and then without the goal."""
    cost: dict[int, int] = {}
    fringe = {graph.level(state): {s for s in begin if graph.level(s) == graph.level(state)} for state in begin}
    at = 0
    while fringe:
        found = fringe.pop(at, set()) - cost.keys()
        cost |= dict.fromkeys(found, at)
        further = {t for s in found for _, t in graph.explored(s).steps if t in waiting} - cost.keys()
        if further:
            fringe.setdefault(at + 1, set()).update(further)
        at += 1
    return cost


def _fair(graph: ReferenceGraph, inside: set[int], units: Sequence[Unit]) -> Iterator[set[int]]:
    """The greatest sets of at least two states in which a fair run can go round."""
    import networkx  # it takes a tenth of a second, which no other check has a use for

    arrows = networkx.DiGraph((s, t) for s in inside for _, t in graph.explored(s).steps if t in inside)
    for component in networkx.strongly_connected_components(arrows):
        if len(component) < 2:
            continue
        explored = [graph.explored(state) for state in component]
        taken = {number for one in explored for number, target in one.steps if target in component}
        missed = [unit for unit in units if not taken & unit.instances]
        if any(not unit.strong and all(one.possible & unit.instances for one in explored) for unit in missed):
            continue
        again = {
            state
            for state in component
            for unit in missed
            if unit.strong and graph.explored(state).possible & unit.instances
        }
        if again:
            yield from _fair(graph, component - again, units)
        else:
            yield component


def first_failure(graph: ReferenceGraph, promises: Sequence[CompiledLiveness]) -> int | None:
    """The least state, by its level and hash, in which a liveness property cannot be evaluated."""
    for state in sorted(range(len(graph.states)), key=lambda s: (graph.level(s), graph.hash(s))):
        for promise in promises:
            try:
                evaluated(promise.member.function, graph.protocol.at(graph.codes(state)), *promise.arguments)
            except EvaluationError:
                return state
    return None


# -- ends -------------------------------------------------------------------------------------------------------------
# States where nothing more happens: which of them are all right, and which only the bounds of the model make. An end is
# a state without a step that changes something. Where nothing but a bound stops a step, or every step leaves the
# constraint, the system would go on: such an end is the model's. Of the others a protocol says by `@ends` where a run
# may end. If it does not, but has liveness properties, a run may end wherever none of them waits for its goal.


def deadlock(protocol: Protocol, run: PlainRun, declared: Sequence[Member], promised: bool) -> Trace:
    """The run to a state where nothing more happens and should."""
    if declared:
        note = f"A run may end in other states: {', '.join(member.name for member in declared)}."
    else:
        note = (
            "A liveness property waits for its goal here."
            if promised
            else "Nothing says that a run may end here (@ends)."
        )
    initial, steps = run
    return Trace(protocol, initial, steps, "", DEADLOCK, note)


def by_python(graph: ReferenceGraph, promises: Iterable[CompiledLiveness]) -> Ends:
    """The ends of a state space in the Python semantics. Raises EvaluationError where a predicate cannot be
    evaluated."""
    protocol, declared = graph.protocol, graph.protocol.members("ends")
    promises = () if declared else tuple(promises)
    waiting = set[int]().union(*(waiting_in(graph, promise)[1] for promise in promises))
    kept, bounded, others = 0, 0, list[int]()
    for state in range(len(graph.states)):
        explored, view = graph.explored(state), protocol.at(graph.codes(state))
        told = [bool(evaluated(member.function, view)) for member in declared]  # everywhere, as other predicates are
        if any(target != OUTSIDE for _, target in explored.steps):
            continue
        right = any(told) if declared else bool(promises) and state not in waiting
        if explored.steps or explored.stopped:
            bounded += 1
        elif right:
            kept += 1
        else:
            others.append(state)
    trace = None
    if others:
        first = min(others, key=lambda state: (graph.level(state), graph.hash(state)))
        trace = deadlock(protocol, graph.run_to(first), declared, bool(promises))
    return Ends(kept, bounded, len(others), tuple(declared), bool(promises), trace)
