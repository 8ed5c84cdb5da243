"""The run that breaks a liveness property: the shortest way to a state from where it need not be kept, and a short
round there.

Of all doomed states one is chosen that takes the fewest steps to come to: to the premise, and on without the goal. Of
several, one where nothing more happens comes before one of a round, then the one with the least hash. The way there is
found backwards, by the least instance and then the least hash, as the search keeps its predecessors. So the run is the
same for every engine and any number of workers.

The round goes, as long as some unit of fairness is open, the shortest way to a step of it or to a state where it is
impossible, and then home. That is no shortest round, but a short one.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from epochal.spec.language import Protocol

from ..ir.model import CompiledLiveness
from ..semantics.fairness import Unit
from ..trace.run import Codes, PlainRun, Step
from ..trace.trace import Trace

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
