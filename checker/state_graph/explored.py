"""Every reachable state of a small protocol with every step, in the Python semantics, and drawn as a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from epochal.errors import UsageError
from epochal.spec.language import Protocol
from epochal.spec.language.errors import printable
from epochal.spec.language.views import told_lines

from ..base.numbers import counted
from ..semantics.semantics import Codes, PythonSemantics
from ..trace.diagrams import folded, quoted
from ..trace.explain import shown_bounds, told_between

LIMIT: Final = 200
"""The most states that are drawn unless more are asked for: beyond that nobody reads a picture."""

MOST: Final = 2_000
"""The most that may be asked for."""


class TooManyStates(UsageError):
    """A state space that is too large to be drawn."""


@dataclass(frozen=True)
class State:
    """A state: its number, the one from which the search came to it, and what is false in it.

    `parent` is None for an initial state. `told` is what differs from the parent, of an initial state all of it.
    """

    number: int
    codes: Codes
    parent: int | None
    told: tuple[str, ...]
    violated: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A step from state to state by one instance of an action, and the properties of steps that are false for it."""

    before: int
    after: int
    label: str
    violated: tuple[str, ...]


@dataclass(frozen=True)
class StateGraph:
    """The states in the order of a breadth-first search, and the steps in the order in which it takes them."""

    protocol: Protocol
    states: tuple[State, ...]
    steps: tuple[Step, ...]

    @property
    def violated(self) -> dict[str, int]:
        """The properties that are false somewhere, each with the number of the states and steps where it is."""
        found: dict[str, int] = {}
        for violated in (*(state.violated for state in self.states), *(step.violated for step in self.steps)):
            for name in violated:
                found[name] = found.get(name, 0) + 1
        return found

    @property
    def terminal_states(self) -> frozenset[int]:
        """The numbers of the states from which nothing can happen."""
        return frozenset(range(len(self.states))) - {step.before for step in self.steps}


def explored(protocol: Protocol, limit: int = LIMIT, all_fields: bool = False) -> StateGraph:
    """Every state within the bounds and the state constraint, with its steps.

    Views tell what differs, or with `all_fields` every field does. Raises TooManyStates beyond `limit` states,
    EvaluationError for a rule or a property that fails, LanguageError for a view that does.
    """
    reading = PythonSemantics(protocol)
    parents: dict[Codes, int | None] = {}
    for codes in protocol.initial_states():
        if reading.within_constraint(codes):
            _admit(parents, codes, None, protocol, limit)
    queue, numbers = list(parents), {codes: number for number, codes in enumerate(parents)}
    steps = []
    for number, codes in enumerate(queue):  # which grows meanwhile
        for instance, after in reading.successors(codes):
            if after not in numbers:
                if not reading.within_constraint(after):
                    continue
                _admit(parents, after, number, protocol, limit)
                numbers[after] = len(queue)
                queue.append(after)
            false = reading.violated_by_step(codes, instance, after)
            steps.append(Step(number, numbers[after], instance.label, false))
    states = tuple(
        State(numbers[codes], codes, parent, _told(protocol, queue, codes, parent, all_fields), reading.violated(codes))
        for codes, parent in parents.items()
    )
    return StateGraph(protocol, states, tuple(steps))


def _admit(parents: dict[Codes, int | None], codes: Codes, parent: int | None, protocol: Protocol, limit: int) -> None:
    """Note a state and the one before it. Raises TooManyStates."""
    if codes not in parents and len(parents) == limit:
        bounds = ", ".join(f"{name} {value}" for name, value in protocol.bounds.items()) or "its bounds"
        raise TooManyStates(
            f"{protocol.name} has more than {limit:,} states within {bounds}: nobody can read that as a graph.",
            "Take smaller bounds: replicas, records and epochs multiply ('epochal show' lists the bounds, 'epochal "
            f"check' counts states). --limit draws more, {MOST:,} at most. One run, with what else was possible, is "
            "drawn by 'epochal trace export FILE --to dot'.",
        )
    parents.setdefault(codes, parent)


def _told(
    protocol: Protocol, queue: list[Codes], codes: Codes, parent: int | None, all_fields: bool
) -> tuple[str, ...]:
    if parent is None:
        return tuple(_lines(told_lines(protocol, codes, all_fields)))
    return tuple(str(told) for told in told_between(protocol, queue[parent], codes, all_fields))


def _lines(told: dict[str, str]) -> Iterator[str]:
    return (f"{head}: {text}" for head, text in told.items())


# -- words ------------------------------------------------------------------------------------------------------------
# What is written at the states and steps of a graph, the same in every format.


@dataclass(frozen=True)
class Arrow:
    """All steps from one state to another, drawn as one: their labels, and what some of them break."""

    before: int
    after: int
    labels: tuple[str, ...]
    violated: tuple[str, ...]


def title(graph: StateGraph, name: str) -> list[str]:
    """What the graph is, and how to read it."""
    parts = [f"{name}: every state within {shown_bounds(graph.protocol)}", counts(graph)]
    parts += [f"{what} is false in {counted(number, 'place')}" for what, number in graph.violated.items()]
    return [*parts, "a box says what differs from the state from which it was reached first"]


def counts(graph: StateGraph) -> str:
    """`37 states, 54 transitions, 3 terminal states`."""
    ends = counted(len(graph.terminal_states), "terminal state")
    return f"{counted(len(graph.states), 'state')}, {counted(len(graph.steps), 'transition')}, {ends}"


def heading(state: State, graph: StateGraph) -> str:
    """The number of a state, and what it is besides."""
    marks = [
        *(["initial"] if state.parent is None else []),
        *(["terminal state"] if state.number in graph.terminal_states else []),
        *([f"violates {', '.join(state.violated)}"] if state.violated else []),
    ]
    return ", ".join([str(state.number), *marks])


def arrows(steps: Iterable[Step]) -> list[Arrow]:
    """The steps, those between the same two states as one."""
    found: dict[tuple[int, int], list[Step]] = {}
    for step in steps:
        found.setdefault((step.before, step.after), []).append(step)
    return [
        Arrow(
            *ends,
            tuple(dict.fromkeys(step.label for step in taken)),
            tuple(dict.fromkeys(name for step in taken for name in step.violated)),
        )
        for ends, taken in found.items()
    ]


# -- dot --------------------------------------------------------------------------------------------------------------
# A state space in DOT, the language of Graphviz (https://graphviz.org/doc/info/lang.html).

HEAD: Final = (
    "digraph states {",
    '  graph [labelloc=t, labeljust=l, fontname="Helvetica", fontsize=14, ranksep=0.4, nodesep=0.25];',
    '  node [shape=box, fontname="Helvetica", fontsize=10, margin="0.08,0.05"];',
    '  edge [fontname="Helvetica", fontsize=9, arrowsize=0.7];',
)
TITLE: Final = 100
"""How many characters a line of the title has at most."""

BAD: Final = 'color="#a40000", fontcolor="#a40000", penwidth=2'


def dot(graph: StateGraph, name: str) -> str:
    """The graph as DOT text. Initial states have a double border, and what breaks a property is red and says so.

    Steps between the same two states are one arrow. `name` is how the protocol is called.
    """
    lines = [*HEAD, f"  label={quoted(folded(title(graph, name), TITLE))};"]
    lines += [_node(state, graph) for state in graph.states]
    lines += [_edge(arrow) for arrow in arrows(graph.steps)]
    return "\n".join([*lines, "}"]) + "\n"


def _node(state: State, graph: StateGraph) -> str:
    marks = ", peripheries=2" if state.parent is None else ""
    marks += f', {BAD}, style=filled, fillcolor="#fbe9e7"' if state.violated else ""
    return f"  s{state.number} [label={quoted(folded([heading(state, graph), *state.told]))}{marks}];"


def _edge(arrow: Arrow) -> str:
    broken = [f"violates {', '.join(arrow.violated)}"] if arrow.violated else []
    label = quoted([" " + line for line in folded([*arrow.labels, *broken])])
    return f"  s{arrow.before} -> s{arrow.after} [label={label}{f', {BAD}' if broken else ''}];"


# -- graphml ----------------------------------------------------------------------------------------------------------
# A state space in GraphML (http://graphml.graphdrawing.org), which yEd, Gephi and networkx read.


def graphml(graph: StateGraph, name: str) -> str:
    """The graph as GraphML: each step is an edge, and what is said of states and steps is data of them."""
    import networkx

    made = networkx.MultiDiGraph(name=printable(name))
    for state in graph.states:
        made.add_node(
            f"s{state.number}",
            label=printable(heading(state, graph)),
            told=printable("\n".join(state.told), lines=True),
            initial=state.parent is None,
            violated=", ".join(state.violated),
        )
    for number, step in enumerate(graph.steps):
        made.add_edge(
            f"s{step.before}",
            f"s{step.after}",
            key=f"e{number}",
            label=printable(step.label),
            violated=", ".join(step.violated),
        )
    return "\n".join(networkx.generate_graphml(made, named_key_ids=True)) + "\n"
