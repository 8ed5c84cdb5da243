"""The shortest runs to states or steps on which conditions are true, such as the branches of an action, in one search.

Nothing else is judged, and the search ends as soon as all of them are found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from epochal.spec.language import Member, SourceLine
from epochal.spec.language.marks import Mark

from ..base.machine import Stopwatch, without_collection
from ..ir.expression import Expression
from ..ir.layout import Layout
from ..ir.model import CompiledProperty, Model
from ..native.backend import FAILURES, INSIDE, Stepper
from ..native.engine import NativeModel, load_kernel
from ..native.kernel.kernel import Shape
from ..native.llvm.jit import Compiler
from ..native.program.program import PROPERTY_LIMIT
from ..semantics.properties import without_source
from ..semantics.semantics import Codes, PythonSemantics
from ..trace.run import Step
from ..trace.trace import Trace
from .budget import Budget, BudgetExceeded, Deadline
from .findings import Finding, initial_states
from .native import NativeSearch
from .result import EVERYTHING_FOUND, Options

OnSteps = Mapping[int, Expression]
"""A condition on the state before a step, by the number of the step's instance; of others it is false."""


@dataclass(frozen=True)
class ShortestRuns:
    """A shortest run to each state that was found, or to a step with it at its end, by the name of the condition.

    `states` were seen, to so many steps from the beginning. `cut` says why not all were seen; "" if they were, so that
    what was not found is nowhere within the bounds.
    """

    runs: Mapping[str, Trace]
    states: int
    depth: int
    cut: str


def shortest_runs(model: Model, wanted: Mapping[str, OnSteps | Expression], options: Options) -> ShortestRuns:
    """Search for a state or step of each condition, until all are found, every state is seen, or a budget is spent."""
    patience, found = Deadline(options.budget, options.max_memory, options.progress, options.begun), dict[str, Trace]()
    names, states, depth, cut = list(wanted), 0, 0, ""
    for first in range(0, len(names), PROPERTY_LIMIT):
        chosen = {name: wanted[name] for name in names[first : first + PROPERTY_LIMIT]}
        try:
            search = search_for(model, chosen, options, patience)
        except BudgetExceeded as spent:
            return ShortestRuns(found, states, depth, spent.reason.text)
        search.ends_when_found = True
        with closing(search):
            stopped = search.explore(Budget(options, Stopwatch(), patience))
            found |= {name: _run(model, finding) for name, finding in search.found.shown.items()}
            states, depth = states + search.pool.count, max(depth, search.depth)
            if stopped is not None and stopped is not EVERYTHING_FOUND:
                cut = stopped.text
    return ShortestRuns(found, states, depth, cut)


def search_for(
    model: Model,
    wanted: Mapping[str, OnSteps | Expression],
    options: Options,
    patience: Deadline,
    initial: Sequence[Codes] | None = None,
) -> NativeSearch:
    """A search for a state or step of each condition, to be explored and closed; `initial` as in `NativeSearch`.

    Raises BudgetExceeded if a budget is spent before there is machine code.
    """
    properties = tuple(_property(model, name, condition) for name, condition in wanted.items())
    constrained, compiler = model.constraint is not model.graph.true or bool(model.constraint_failures), Compiler()
    with patience.watching("turning the specification into machine code"), without_collection():
        native = NativeModel(replace(model, properties=properties), compiler)
        kernel = load_kernel(compiler, Shape(model.layout.words, constrained, False, False))
    return NativeSearch(native, kernel, options, None, members=[one.member for one in properties], initial=initial)


def _property(model: Model, name: str, wanted: OnSteps | Expression) -> CompiledProperty:
    graph, of_steps = model.graph, not isinstance(wanted, Expression)
    member = Member(name, without_source(of_steps=of_steps), Mark("reachable"), SourceLine("", 0))
    if isinstance(wanted, Expression):
        return CompiledProperty(member, wanted, {}, (), {})
    on_step = {one.instance.number: wanted.get(one.instance.number, graph.false) for one in model.instances}
    return CompiledProperty(member, graph.any_of(on_step.values()), on_step, (), {})


def _run(model: Model, finding: Finding) -> Trace:
    """A run to a state, or with a step at its end, as the Python semantics takes it."""
    initial, before = finding.run
    if finding.instance is None:
        return Trace(model.protocol, initial, before)
    after = PythonSemantics(model.protocol).taken(finding.codes, finding.instance)
    assert after is not None  # the engine has taken it
    return Trace(model.protocol, initial, (*before, Step(finding.instance, after)))


# -- reachability -----------------------------------------------------------------------------------------------------
# Which of some states can be reached, and after how many steps: a breadth-first search to a number of states. That is
# enough to tell whether the state of a counterexample to induction is one that can happen, and if not, which state that
# can is most like it. Every state is kept in Python's memory: some hundred thousand steps a second. `native` is
# for millions of states.

REPORT_EVERY = 4096


@dataclass(frozen=True)
class Reach:
    """What the search found: the least number of steps to each wanted state that was reached.

    `states` were seen; `exhaustive` tells whether they are all within the bounds. `nearest` has of wanted states that
    were not reached the one that was which differs from it in the fewest leaves, and of several the first.
    """

    steps: dict[Codes, int]
    states: int
    exhaustive: bool
    nearest: dict[Codes, Codes] = field(default_factory=dict)


def reach(
    model: Model,
    wanted: Sequence[Codes],
    max_states: int,
    progress: Callable[[int], None] | None = None,
    compared: Collection[Codes] = (),
) -> Reach:
    """Search for the wanted states until all are found, every state is seen, or `max_states` are.

    A step that cannot be evaluated is not taken, and a state outside the constraint is not entered. `progress` is
    called with the number of states now and then. Of wanted states that are `compared`, the nearest is looked for.
    """
    found, stepper, known = _reach(model, wanted, max_states, progress)
    nearest = {
        codes: stepper.unpacked(_nearest(model.layout, stepper.packed(codes), known, stepper))
        for codes in sorted(set(compared) - found.steps.keys())
    }
    return replace(found, nearest=nearest)


def _reach(
    model: Model, wanted: Sequence[Codes], max_states: int, progress: Callable[[int], None] | None
) -> tuple[Reach, Stepper, dict[bytes, None]]:
    """The search, and the states that it has seen, in the order in which it came to them."""
    stepper = Stepper(model, NativeModel(replace(model, properties=())).program)
    pending = {stepper.packed(codes): codes for codes in wanted}
    constrained = bool(model.protocol.members("constraint"))
    frontier = list(dict.fromkeys(stepper.packed(codes) for codes in initial_states(model.protocol)))
    known, steps, depth = dict.fromkeys(frontier), dict[Codes, int](), 0
    while True:
        steps |= {pending.pop(state): depth for state in frontier if state in pending}
        if not pending or not frontier:
            return Reach(steps, len(known), not frontier), stepper, known
        following: list[bytes] = []
        for after in (after for state in frontier for after, tag in stepper.steps(state) if not tag >> FAILURES):
            if after not in known and (not constrained or stepper.inside(after) == INSIDE):
                if len(known) >= max_states:
                    steps |= {pending.pop(state): depth + 1 for state in following if state in pending}
                    return Reach(steps, len(known), False), stepper, known
                known[after] = None
                following.append(after)
                if progress is not None and len(known) % REPORT_EVERY == 0:
                    progress(len(known))
        frontier, depth = following, depth + 1


def _nearest(layout: Layout, wanted: bytes, known: Iterable[bytes], stepper: Stepper) -> bytes:
    """The known state that differs from the wanted one in the fewest leaves, the first of several.

    All leaves are compared at once. Of two states that are one number each, the difference of a leaf is a field of
    their exclusive or; adding all but its first bit to it carries into that one unless it is 0, and no further.
    """
    first = _number(stepper.packed(tuple(1 << one.bits - 1 if one.bits else 0 for one in layout.fields)))
    rest = _number(stepper.packed(tuple((1 << one.bits - 1) - 1 if one.bits else 0 for one in layout.fields)))
    goal = _number(wanted)

    def distance(state: bytes) -> int:
        differs = _number(state) ^ goal
        return ((((differs & rest) + rest) | differs) & first).bit_count()

    return min(known, key=distance)


def _number(state: bytes) -> int:
    return int.from_bytes(state, sys.byteorder)
