"""Generator expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..ir.expression import Expression
from .execution import Execution
from .values.symbolic import Guarded, Symbolic

Consumer = Callable[[Expression, Any], Expression]


class GoesThrough(Protocol):
    """The operations of a compilation, as far as a generator needs them: to go through what it is made from."""

    @property
    def execution(self) -> Execution:
        """The run that they belong to now."""

    def condition(self, value: Any) -> Expression:
        """The truth of a value."""

    def iterate(self, source: Any, ordered: bool = True) -> Iterator[Guarded]:
        """The elements of a source, each with the condition under which it is present."""

    def order_free(self, source: Any) -> AbstractContextManager[None]:
        """Go through something that may be a plain set."""


class Comprehension(Symbolic):
    """A generator expression: evaluated element by element by whoever consumes it, which may stop early."""

    described = "a generator"
    comparable = False
    instead = "Make it a list or a set."

    def __init__(self, operations: GoesThrough, source: Any, condition: Any, element: Any, nested: bool) -> None:
        super().__init__(operations.execution)
        self.operations, self.source, self.condition, self.element = operations, source, condition, element
        self.nested = nested
        self._consumed = False

    def run(self, consume: Consumer, ordered: bool = True) -> None:
        """Give every element with its condition to `consume`, which returns under what evaluation goes on.

        If `ordered`, it matters in which order they come.
        """
        execution = self._execution
        if self._consumed:
            raise execution.error("a generator is used up after its first use", "Make it a list: [... for ...].")
        self._consumed = True
        graph, going = execution.graph, execution.graph.true

        def each(present: Expression, item: Any) -> Expression:
            """One element, under what evaluation goes on. Where it certainly fails, it does not go on."""
            nonlocal going
            if going is not graph.false:
                go_on = graph.false
                with execution.under(going):
                    go_on = self._one(present, item, consume, ordered)
                going = graph.and_(going, go_on)
            return going

        if isinstance(self.source, Comprehension):
            self.source.run(each, ordered)
        else:
            with self.operations.order_free(self.source):
                for present, item in self.operations.iterate(self.source, ordered):
                    each(present, item)

    def _one(self, present: Expression, item: Any, consume: Consumer, ordered: bool) -> Expression:
        execution, graph = self._execution, self._execution.graph
        going: list[Expression] = []

        def consumed(condition: Expression, value: Any) -> Expression:
            going.append(consume(condition, value))
            return going[-1]

        with execution.under(present):
            kept = present
            if self.condition is not None:
                kept = graph.false
                with execution.operand(graph.true):
                    kept = graph.and_(present, self.operations.condition(self.condition(item)))
            if kept is not graph.false:
                with execution.under(kept):
                    with execution.operand(graph.true):
                        value = self.element(item)
                    if self.nested:
                        value.run(lambda inner, v: consumed(graph.and_(kept, inner), v), ordered)
                    else:
                        consumed(kept, value)
        return graph.all_of(going)

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        return self.collect(ordered)

    def collect(self, ordered: bool = True) -> list[Guarded]:
        """All elements with their conditions."""
        found: list[Guarded] = []

        def consume(condition: Expression, value: Any) -> Expression:
            found.append((condition, value))
            return self._execution.graph.true

        self.run(consume, ordered)
        return found
