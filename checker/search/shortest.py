"""The shortest runs to states or steps on which conditions are true, such as the branches of an action, in one search.

Nothing else is judged, and the search ends as soon as all of them are found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from epochal.spec.language import Member, SourceLine
from epochal.spec.language.marks import Mark

from ..base.machine import Stopwatch, without_collection
from ..ir.expression import Expression
from ..ir.model import CompiledProperty, Model
from ..native.engine import NativeModel, load_kernel
from ..native.kernel.kernel import Shape
from ..native.llvm.jit import Compiler
from ..native.program.program import PROPERTY_LIMIT
from ..semantics.properties import without_source
from ..semantics.semantics import PythonSemantics
from ..trace.run import Step
from ..trace.trace import Trace
from .budget import Budget, BudgetExceeded, Deadline
from .findings import Finding
from .native import NativeSearch
from .result import EVERYTHING_FOUND, Options

OnSteps = Mapping[int, Expression]
"""A condition on the state before a step, by the number of the step's instance; of others it is false."""

NOWHERE = SourceLine("", 0)


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
    patience, compiler = Deadline(options.budget, options.max_memory, options.progress, options.begun), Compiler()
    graph, found = model.graph, dict[str, Trace]()
    names, states, depth, cut = list(wanted), 0, 0, ""
    for first in range(0, len(names), PROPERTY_LIMIT):
        chosen = names[first : first + PROPERTY_LIMIT]
        properties = [_property(model, name, wanted[name]) for name in chosen]
        searched = replace(model, properties=tuple(properties))
        constrained = model.constraint is not graph.true or bool(model.constraint_failures)
        try:
            with patience.watching("turning the specification into machine code"), without_collection():
                native = NativeModel(searched, compiler)
                kernel = load_kernel(compiler, Shape(model.layout.words, constrained, False, False))
        except BudgetExceeded as spent:
            return ShortestRuns(found, states, depth, spent.reason.text)
        search = NativeSearch(native, kernel, options, None, members=[one.member for one in properties])
        search.ends_when_found = True
        try:
            stopped = search.explore(Budget(options, Stopwatch(), patience))
            found |= {name: _run(model, finding) for name, finding in search.found.shown.items()}
            states, depth = states + search.pool.count, max(depth, search.depth)
            if stopped is not None and stopped is not EVERYTHING_FOUND:
                cut = stopped.text
        finally:
            search.close()
    return ShortestRuns(found, states, depth, cut)


def _property(model: Model, name: str, wanted: OnSteps | Expression) -> CompiledProperty:
    mark, graph = Mark("reachable"), model.graph
    if isinstance(wanted, Expression):
        return CompiledProperty(Member(name, without_source(), mark, NOWHERE), wanted, {}, (), {})
    on_step = {one.instance.number: wanted.get(one.instance.number, graph.false) for one in model.instances}
    member = Member(name, without_source(of_steps=True), mark, NOWHERE)
    return CompiledProperty(member, graph.any_of(on_step.values()), on_step, (), {})


def _run(model: Model, finding: Finding) -> Trace:
    """A run to a state, or with a step at its end, as the Python semantics takes it."""
    initial, before = finding.run
    if finding.instance is None:
        return Trace(model.protocol, initial, before)
    after = PythonSemantics(model.protocol).taken(finding.codes, finding.instance)
    assert after is not None  # the engine has taken it
    return Trace(model.protocol, initial, (*before, Step(finding.instance, after)))
