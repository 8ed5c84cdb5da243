"""Lists, iterators and ranges that depend on the state."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.expression import Expression
from ..execution import Execution
from .symbolic import Family, Guarded, Symbolic


class GuardedList(Symbolic):
    """A list whose elements are present under conditions."""

    described = "a list"
    family = Family.LIST
    comparable = False
    instead = "Compare its elements with all or any, or its length."

    def __init__(self, execution: Execution, elements: list[Guarded]) -> None:
        super().__init__(execution)
        self.elements = elements

    def truth(self) -> Expression:
        return self._execution.graph.any_of([present for present, _ in self.elements])

    def hashable(self) -> bool:
        return False

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        return self.elements

    def length(self) -> Expression:
        graph = self._execution.graph
        total = graph.integer(0)
        for present, _ in self.elements:
            total = graph.add(total, graph.as_integer(present))
        return total


class GuardedIterator(Symbolic):
    """What reversed, zip and enumerate give: elements that can be gone through once."""

    described = "an iterator"
    comparable = False
    instead = "Make it a list."

    def __init__(self, execution: Execution, elements: list[Guarded]) -> None:
        super().__init__(execution)
        self.elements: list[Guarded] | None = elements

    def hashable(self) -> bool:
        return False

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        """The elements. Refused the second time, when Python would give none."""
        if self.elements is None:
            raise self._execution.error("an iterator is used up after its first use", "Make it a list.")
        elements, self.elements = self.elements, None
        return elements


class SymRange(Symbolic):
    """The integers from `low` up to, but not including, `high`, where either depends on the state."""

    described = "a range"
    comparable = False
    instead = "Compare its bounds."

    def __init__(self, execution: Execution, low: Expression, high: Expression) -> None:
        super().__init__(execution)
        self.low, self.high = low, high

    def truth(self) -> Expression:
        return self._execution.graph.lt(self.low, self.high)

    def guarded(self, ordered: bool = True) -> Iterator[Guarded]:
        graph = self._execution.graph
        for i in range(self.low.low, self.high.high):
            self._execution.one_round()
            number = graph.integer(i)
            present = graph.and_(graph.le(self.low, number), graph.lt(number, self.high))
            if present is not graph.false:
                yield present, i

    def length(self) -> Expression:
        graph = self._execution.graph
        return graph.max(graph.sub(self.high, self.low), graph.integer(0))
