"""Operations on sets that depend on the state, whatever the universes of their operands.

An element outside the universe of the other operand is no error: it is in one set and not in the other, as in Python.
Only a set that is stored must fit its variable. A result has the class that it has in Python: of a plain set, whose
order Python does not define, comes another plain set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epochal.spec.language import Set
from epochal.spec.language.domains import SetDomain
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ...ir.ranges import refuted
from ..execution import Execution
from .codec import set_mask
from .domains import joined, same_values
from .families import Family
from .known import family_of, kind_of, universe_of
from .scalars import decode
from .set_values import LooseSet, SymbolicSet, SymSet, of_kind
from .symbolic import Guarded


def _joint_kind(a: Any, b: Any) -> type:
    """The class of what an operator makes of two sets: `Set` has its own, also on the right of a frozenset."""
    first, second = kind_of(a), kind_of(b)
    return Set if first is frozenset and second is Set else first


def _members(execution: Execution, value: Any) -> list[Guarded]:
    """The possible elements of a set with their conditions."""
    return value.members() if isinstance(value, SymbolicSet) else [(execution.graph.true, e) for e in value]


class SetRules:
    """What two sets give together, in one run of a rule."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution

    def _operand(self, value: Any) -> Any:
        if family_of(value) is Family.SET:
            return value
        raise self.execution.error(f"{shown_value(value)} is not a set", "Use a set on both sides.")

    def settled(self, value: Any) -> SymSet:
        """A set over the smallest universe that certainly holds its elements."""
        if isinstance(value, SymSet):
            return value
        elements = [element for _, element in value.elements] if isinstance(value, LooseSet) else list(value)
        domain = universe_of(self.execution, elements)
        return SymSet(self.execution, set_mask(self.execution, domain, value)[1], domain, kind_of(value))

    def _made(self, domain: SetDomain, expression: Expression, kind: type) -> Any:
        return of_kind(decode(self.execution, domain, expression), kind)

    def _certain(self, condition: Expression) -> bool:
        """Whether a condition is known to hold where the run stands."""
        graph = self.execution.graph
        return condition is graph.true or refuted(graph.and_(self.execution.present(), graph.not_(condition)))

    def _one_known(self, a: Any, b: Any) -> tuple[Any, Any]:
        """The operands, of which at least one has a universe."""
        a, b = self._operand(a), self._operand(b)
        if isinstance(a, SymSet) or isinstance(b, SymSet):
            return a, b
        return (self.settled(a), b) if isinstance(a, LooseSet) else (a, self.settled(b))

    def union(self, a: Any, b: Any) -> Any:
        """Members of either."""
        kind = _joint_kind(self._operand(a), self._operand(b))
        a, b = self._one_known(a, b)
        if not isinstance(a, SymSet):
            a, b = b, a
        inside, mask = set_mask(self.execution, a.domain, b)
        domain = a.domain
        if not self._certain(inside):
            other = self.settled(b)
            wider = joined(domain.element, other.domain.element)
            if wider is None:
                raise self.execution.error(
                    "these sets have elements of different kinds", "Keep elements of one kind in a set."
                )
            domain = SetDomain(wider)
            (_, first), (_, mask) = set_mask(self.execution, domain, a), set_mask(self.execution, domain, b)
            return self._made(domain, self.execution.graph.union(first, mask), kind)
        return self._made(domain, self.execution.graph.union(a.expression, mask), kind)

    def intersection(self, a: Any, b: Any) -> Any:
        """Members of both."""
        kind = _joint_kind(self._operand(a), self._operand(b))
        a, b = self._one_known(a, b)
        if not isinstance(a, SymSet):
            a, b = b, a
        _, mask = set_mask(self.execution, a.domain, b)
        return self._made(a.domain, self.execution.graph.intersection(a.expression, mask), kind)

    def difference(self, a: Any, b: Any) -> Any:
        """Members of the first that are not in the second."""
        kind = _joint_kind(self._operand(a), self._operand(b))
        a, b = self._one_known(a, b)
        if not isinstance(a, SymSet):
            inside, mask = set_mask(self.execution, b.domain, a)
            a = SymSet(self.execution, mask, b.domain) if self._certain(inside) else self.settled(a)
        _, mask = set_mask(self.execution, a.domain, b)
        return self._made(a.domain, self.execution.graph.difference(a.expression, mask), kind)

    def _compared(
        self, a: Any, b: Any, holds: Callable[[Expression, Expression], Expression]
    ) -> tuple[Expression, Expression, Expression]:
        """Whether each set lies in the universe used, and what the comparison says there."""
        a, b = self._one_known(a, b)
        domain = a.domain if isinstance(a, SymSet) else b.domain
        (inside_a, first), (inside_b, second) = set_mask(self.execution, domain, a), set_mask(self.execution, domain, b)
        return inside_a, inside_b, holds(first, second)

    def subset(self, a: Any, b: Any) -> Expression:
        """Whether every member of the first is in the second."""
        inside, _, holds = self._compared(a, b, self.execution.graph.subset)
        return self.execution.graph.and_(inside, holds)

    def equal_sets(self, a: Any, b: Any) -> Expression:
        """Whether both have the same members."""
        first, second, holds = self._compared(a, b, self.execution.graph.eq)
        return self.execution.graph.all_of([first, second, holds])

    def proper_subset(self, a: Any, b: Any) -> Expression:
        """Whether every member of the first is in the second, which has more."""
        graph = self.execution.graph
        return graph.and_(self.subset(a, b), graph.not_(self.equal_sets(a, b)))

    def disjoint(self, a: Any, b: Any) -> Expression:
        """Whether there is no common member."""
        graph = self.execution.graph
        _, _, holds = self._compared(a, b, lambda x, y: graph.eq(graph.intersection(x, y), graph.mask(0)))
        return holds

    def chosen_set(self, condition: Expression, a: Any, b: Any) -> Any:
        """The first set where the condition holds, else the second."""
        graph = self.execution.graph
        kind = kind_of(a) if kind_of(a) is kind_of(b) else set
        if isinstance(a, SymSet) and isinstance(b, SymSet) and same_values(a.domain, b.domain):
            return self._made(a.domain, graph.ite(condition, a.expression, b.expression), kind)
        other = graph.not_(condition)
        elements = [(graph.and_(condition, g), e) for g, e in _members(self.execution, a)]
        elements += [(graph.and_(other, g), e) for g, e in _members(self.execution, b)]
        for known in (a, b):
            if isinstance(known, SymSet):
                inside, mask = set_mask(self.execution, known.domain, b if known is a else a)
                if inside is graph.true:
                    first, second = (known.expression, mask) if known is a else (mask, known.expression)
                    return self._made(known.domain, graph.ite(condition, first, second), kind)
        return LooseSet(self.execution, elements, kind)
