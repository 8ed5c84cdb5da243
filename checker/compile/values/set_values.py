"""Sets that depend on the state. What two of them give together is in `sets`."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

from epochal.spec.language import Set
from epochal.spec.language.domains import Domain, SetDomain

from ...ir.expression import Expression
from ..execution import Execution
from .known import element_domain
from .symbolic import Family, Guarded, Symbolic, truth_value


class SymbolicSet(Symbolic):
    """A set that depends on the state.

    `kind` is the class that it has in Python. Only `Set` has an order, and only it and `frozenset` never change.
    """

    described = "a set"
    words = frozenset(
        {"union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"}
    )

    family = Family.SET

    def __init__(self, execution: Execution, kind: type) -> None:
        super().__init__(execution)
        self.kind = kind

    def hashable(self) -> bool:
        return self.kind is not set

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        over_universe: SymSet = self._execution.pairs.settled(self)
        return over_universe.members()

    if TYPE_CHECKING:

        def members(self) -> list[Guarded]:
            """The possible elements with their conditions; those of a loose set may repeat."""

        def of_kind(self, kind: type) -> SymbolicSet:
            """The set as one of another class."""

    def __or__(self, other: object) -> Any:
        return self._execution.pairs.union(self, other)

    def __ror__(self, other: object) -> Any:
        return self._execution.pairs.union(other, self)

    def __and__(self, other: object) -> Any:
        return self._execution.pairs.intersection(self, other)

    def __rand__(self, other: object) -> Any:
        return self._execution.pairs.intersection(other, self)

    def __xor__(self, other: object) -> Any:
        return (self | other) - (self & other)

    def __rxor__(self, other: object) -> Any:
        return self._execution.pairs.difference(self._execution.pairs.union(other, self), self & other)

    def __sub__(self, other: object) -> Any:
        return self._execution.pairs.difference(self, other)

    def __rsub__(self, other: object) -> Any:
        return self._execution.pairs.difference(other, self)

    def __le__(self, other: object) -> Any:
        return truth_value(self._execution, self._execution.pairs.subset(self, other))

    def __ge__(self, other: object) -> Any:
        return truth_value(self._execution, self._execution.pairs.subset(other, self))

    def __lt__(self, other: object) -> Any:
        return truth_value(self._execution, self._execution.pairs.proper_subset(self, other))

    def __gt__(self, other: object) -> Any:
        return truth_value(self._execution, self._execution.pairs.proper_subset(other, self))

    def union(self, *others: object) -> Any:
        """Members of this set or of any other, as a set of this kind."""
        return of_kind(functools.reduce(operator.or_, others, self), self.kind)

    def intersection(self, *others: object) -> Any:
        """Members of all sets, as a set of this kind."""
        return of_kind(functools.reduce(operator.and_, others, self), self.kind)

    def difference(self, *others: object) -> Any:
        """Members of this set only, as a set of this kind."""
        return of_kind(functools.reduce(operator.sub, others, self), self.kind)

    def symmetric_difference(self, other: object) -> Any:
        """Members of one of the sets only, as a set of this kind."""
        return of_kind(self ^ other, self.kind)

    issubset = __le__
    issuperset = __ge__

    def isdisjoint(self, other: object) -> Any:
        """Whether the sets have no common member."""
        return truth_value(self._execution, self._execution.pairs.disjoint(self, other))


class SymSet(SymbolicSet):
    """A set over the universe of its domain."""

    def __init__(self, execution: Execution, expression: Expression, domain: SetDomain, kind: type = Set) -> None:
        super().__init__(execution, kind)
        self.expression = expression
        self.domain = domain

    def unordered(self) -> bool:
        return self.kind is not Set and self.expression.high.bit_count() > 1

    def truth(self) -> Expression:
        graph = self._execution.graph
        return graph.not_(graph.eq(self.expression, graph.mask(0)))

    def length(self) -> Expression:
        return self._execution.graph.cardinality(self.expression)

    def smallest_domain(self) -> Domain:
        return self.domain

    def members(self) -> list[Guarded]:
        graph = self._execution.graph
        positions = enumerate(self.domain.universe)
        found = [(graph.member(self.expression, graph.integer(i)), element) for i, element in positions]
        return [(present, element) for present, element in found if present is not graph.false]

    def of_kind(self, kind: type) -> SymSet:
        return SymSet(self._execution, self.expression, self.domain, kind)


class LooseSet(SymbolicSet):
    """A set display or comprehension: elements, each with its condition, whose universe is not known yet."""

    def __init__(self, execution: Execution, elements: list[Guarded], kind: type = set) -> None:
        super().__init__(execution, kind)
        self.elements = elements

    def unordered(self) -> bool:
        return self.kind is not Set and len(self.elements) > 1

    def truth(self) -> Expression:
        return self._execution.graph.any_of([present for present, _ in self.elements])

    def length(self) -> Expression:
        over_universe: SymSet = self._execution.pairs.settled(self)
        return over_universe.length()

    def smallest_domain(self) -> Domain | None:
        element = element_domain(self._execution, [element for _, element in self.elements])
        return SetDomain(element) if element else None

    def members(self) -> list[Guarded]:
        return self.elements

    def of_kind(self, kind: type) -> LooseSet:
        return LooseSet(self._execution, self.elements, kind)


def of_kind(value: Any, kind: type) -> Any:
    """A set as one of another class."""
    return value.of_kind(kind) if isinstance(value, SymbolicSet) else kind(value)
