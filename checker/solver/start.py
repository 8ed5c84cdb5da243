"""Where a bounded search begins: in the initial states, in a state of a trace, or in any state that a condition allows.

A run from a state of a trace is told with the way there, so it is a run of the protocol like any other. A run from a
condition begins in a typed state that need not be reachable, and says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from epochal.spec.language import LanguageError, Protocol, invariant
from epochal.spec.language.errors import source_line
from epochal.spec.language.marks import Kind

from ..ir.canonical import canonical
from ..ir.leaves import leaf_expressions
from ..ir.model import Model
from ..ir.shape import refuse_other_shape
from ..reading import PythonReading
from ..search.initial import initial_states
from ..trace.replay import replay
from ..trace.trace import NOT_INDUCTIVE, Codes, Step, Trace
from .unrolling import Unrolling

PREDICATES: tuple[Kind, ...] = ("invariant", "reachable", "lemma")


@dataclass(frozen=True)
class Start:
    """A start: `states` to begin in, or else the `conditions` (ids of properties of `compiled`) on the first state.

    `text` says what it is. `compiled` is the protocol to be compiled, which has the conditions among its properties, or
    its lemmas; its states and steps are those of the protocol that is searched. `way` is a run that leads to the one
    state.
    """

    text: str
    compiled: Protocol
    states: tuple[Codes, ...] = ()
    conditions: tuple[str, ...] = ()
    way: Trace | None = None
    lemmas: bool = False

    @property
    def reachable(self) -> bool:
        """Whether runs begin where some run from an initial state leads."""
        return not self.conditions and (self.way is None or not self.way.start)

    def assert_in(self, unrolling: Unrolling, model: Model) -> None:
        """Make the runs of an unrolling begin here. Raises LanguageError if there is no such state."""
        graph = model.graph
        if self.states:
            unrolling.begin_in(self.states)
            return
        compiled = {one.member.name: one for one in model.properties}
        conditions = canonical(graph, model.protocol, leaf_expressions(graph, model.protocol))
        for name in self.conditions:
            one = compiled[name]
            conditions += [one.holds, *(graph.not_(failure.condition) for failure in one.failures)]
        unrolling.begin_where(conditions)
        if unrolling.ask([unrolling.terms(graph.true)])[0] == "unsat":
            raise LanguageError(
                f"no state is like this: {self.text}", advice="Weaken the condition, or enlarge the bounds."
            )

    def trace(self, protocol: Protocol, first: Codes, steps: tuple[Step, ...], property_id: str, verdict: str) -> Trace:
        """A run from here as a trace, with the way that leads here before it."""
        if self.way is not None:
            way = replace(self.way, property_id=property_id, verdict=verdict)
            return replace(way, steps=(*self.way.steps, *steps))
        return Trace(protocol, first, steps, property_id, verdict, start="" if self.reachable else self.text)


def from_initial_states(protocol: Protocol) -> Start:
    """Runs from the initial states."""
    return Start("the initial states", protocol, tuple(initial_states(protocol)))


def from_trace(protocol: Protocol, trace: Trace, index: int | None, name: str) -> Start:
    """Runs that go on where a trace is after `index` steps (None: at its end). `name` is how the trace is called.

    If its steps are not steps of this protocol (it is a trace of another one, say), it gives the state alone, which
    need not be reachable here. Raises LanguageError if there is no such state, or if the states have another shape.
    """
    refuse_other_shape(protocol, trace.protocol, name)
    states = trace.states
    at = len(states) - 1 if index is None else index
    if not 0 <= at < len(states):
        raise LanguageError(f"{name} has no state {at}", advice=f"Its states are 0 to {len(states) - 1}.")
    text = f"State {at} of {name}"
    way = Trace(protocol, states[0], trace.steps[:at], start=trace.start)
    if trace.verdict == NOT_INDUCTIVE:
        way = replace(way, start=trace.first)
    if not (type(trace.protocol) is type(protocol) and _is_run(way)):
        way = Trace(protocol, states[at], (), start=text)
    return Start(text, protocol, (states[at],), way=way)


def _is_run(trace: Trace) -> bool:
    """Whether a trace can be taken as it is written, in the Python reading."""
    return replay(replace(trace, verdict="run"), [PythonReading(trace.protocol)]).ok


def from_conditions(protocol: Protocol, conditions: Sequence[str | Callable[..., Any]]) -> Start:
    """Runs from any typed state in which these conditions hold.

    A condition is the id of a property of single states, or a function of the state, written in the language.
    Raises LanguageError for a name that is none, and for a function that takes anything but the state.
    """
    # no name that a method can have: what the protocol calls by a name stays what it is
    functions = {f"start {n}": f for n, f in enumerate(dict.fromkeys(conditions)) if callable(f)}
    for function in functions.values():
        if len(inspect.signature(function).parameters) != 1:
            raise LanguageError(
                f"the start condition {function.__name__} does not take the state alone",
                source_line(function),
                f"Write it like an invariant: def {function.__name__}(self) -> bool.",
            )
    known = {m.name: m for kind in PREDICATES for m in protocol.members(kind)}
    names = [c for c in conditions if isinstance(c, str)]
    for name in names:
        if name not in known or len(inspect.signature(known[name].function).parameters) != 1:
            alone = [n for n, m in known.items() if len(inspect.signature(m.function).parameters) == 1]
            raise LanguageError(f"{name!r} is no condition on states of {protocol.name}", advice=_listed(alone))
    members = {name: invariant(function) for name, function in functions.items()}
    own = type(protocol)
    kind: type[Protocol] = type(own.__name__, (own,), {**members, "__module__": own.__module__})
    said = [c if isinstance(c, str) else c.__name__ for c in conditions]
    text = f"Any typed state in which {' and '.join(said)} {'hold' if len(said) > 1 else 'holds'}"
    lemmas = any(known[name].mark.kind == "lemma" for name in names)
    return Start(text, kind(protocol.bounds), conditions=(*members, *names), lemmas=lemmas)


def _listed(names: Sequence[str]) -> str:
    return f"It has {', '.join(names)}. One of your own is path/to/file.py:function."
