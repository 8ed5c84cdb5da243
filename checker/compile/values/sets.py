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
from .codec import decode, set_mask
from .domains import joined, same_values, universe_of
from .symbolic import LooseSet, SymbolicSet, SymSet

SETS = (frozenset, set, SymSet, LooseSet)


def kind_of(value: Any) -> type:
    """The class of a set in Python: `Set`, `frozenset` or `set`."""
    if isinstance(value, SymbolicSet):
        return value.kind
    return Set if isinstance(value, Set) else frozenset if isinstance(value, frozenset) else set


def _joint_kind(a: Any, b: Any) -> type:
    """The class of what an operator makes of two sets: `Set` has its own, also on the right of a frozenset."""
    first, second = kind_of(a), kind_of(b)
    return Set if first is frozenset and second is Set else first


def of_kind(execution: Execution, value: Any, kind: type) -> Any:
    """A set as one of another class."""
    if isinstance(value, SymSet):
        return SymSet(execution, value.expression, value.domain, kind)
    return LooseSet(execution, value.elements, kind) if isinstance(value, LooseSet) else kind(value)


def _operand(execution: Execution, value: Any) -> Any:
    if isinstance(value, SETS):
        return value
    raise execution.error(f"{shown_value(value)} is not a set", "Use a set on both sides.")


def settled(execution: Execution, value: Any) -> SymSet:
    """A set over the smallest universe that certainly holds its elements."""
    if isinstance(value, SymSet):
        return value
    elements = value.elements if isinstance(value, LooseSet) else [(execution.graph.true, e) for e in value]
    domain = universe_of(execution, [element for _, element in elements])
    return SymSet(execution, set_mask(execution, domain, value)[1], domain, kind_of(value))


def _made(execution: Execution, domain: SetDomain, expression: Expression, kind: type) -> Any:
    return of_kind(execution, decode(execution, domain, expression), kind)


def _certain(execution: Execution, condition: Expression) -> bool:
    """Whether a condition is known to hold where the run stands."""
    graph = execution.graph
    return condition is graph.true or refuted(graph.and_(execution.present(), graph.not_(condition)))


def _one_known(execution: Execution, a: Any, b: Any) -> tuple[Any, Any]:
    """The operands, of which at least one has a universe."""
    a, b = _operand(execution, a), _operand(execution, b)
    if isinstance(a, SymSet) or isinstance(b, SymSet):
        return a, b
    return (settled(execution, a), b) if isinstance(a, LooseSet) else (a, settled(execution, b))


def union(execution: Execution, a: Any, b: Any) -> Any:
    """Members of either."""
    kind = _joint_kind(_operand(execution, a), _operand(execution, b))
    a, b = _one_known(execution, a, b)
    if not isinstance(a, SymSet):
        a, b = b, a
    inside, mask = set_mask(execution, a.domain, b)
    domain = a.domain
    if not _certain(execution, inside):
        other = settled(execution, b)
        wider = joined(domain.element, other.domain.element)
        if wider is None:
            raise execution.error("these sets have elements of different kinds", "Keep elements of one kind in a set.")
        domain = SetDomain(wider)
        (_, first), (_, mask) = set_mask(execution, domain, a), set_mask(execution, domain, b)
        return _made(execution, domain, execution.graph.union(first, mask), kind)
    return _made(execution, domain, execution.graph.union(a.expression, mask), kind)


def intersection(execution: Execution, a: Any, b: Any) -> Any:
    """Members of both."""
    kind = _joint_kind(_operand(execution, a), _operand(execution, b))
    a, b = _one_known(execution, a, b)
    if not isinstance(a, SymSet):
        a, b = b, a
    _, mask = set_mask(execution, a.domain, b)
    return _made(execution, a.domain, execution.graph.intersection(a.expression, mask), kind)


def difference(execution: Execution, a: Any, b: Any) -> Any:
    """Members of the first that are not in the second."""
    kind = _joint_kind(_operand(execution, a), _operand(execution, b))
    a, b = _one_known(execution, a, b)
    if not isinstance(a, SymSet):
        inside, mask = set_mask(execution, b.domain, a)
        a = SymSet(execution, mask, b.domain) if _certain(execution, inside) else settled(execution, a)
    _, mask = set_mask(execution, a.domain, b)
    return _made(execution, a.domain, execution.graph.difference(a.expression, mask), kind)


def _compared(
    execution: Execution, a: Any, b: Any, holds: Callable[[Expression, Expression], Expression]
) -> tuple[Expression, Expression, Expression]:
    """Whether each set lies in the universe used, and what the comparison says there."""
    a, b = _one_known(execution, a, b)
    domain = a.domain if isinstance(a, SymSet) else b.domain
    (inside_a, first), (inside_b, second) = set_mask(execution, domain, a), set_mask(execution, domain, b)
    return inside_a, inside_b, holds(first, second)


def subset(execution: Execution, a: Any, b: Any) -> Expression:
    """Whether every member of the first is in the second."""
    inside, _, holds = _compared(execution, a, b, execution.graph.subset)
    return execution.graph.and_(inside, holds)


def equal_sets(execution: Execution, a: Any, b: Any) -> Expression:
    """Whether both have the same members."""
    first, second, holds = _compared(execution, a, b, execution.graph.eq)
    return execution.graph.all_of([first, second, holds])


def proper_subset(execution: Execution, a: Any, b: Any) -> Expression:
    """Whether every member of the first is in the second, which has more."""
    graph = execution.graph
    return graph.and_(subset(execution, a, b), graph.not_(equal_sets(execution, a, b)))


def disjoint(execution: Execution, a: Any, b: Any) -> Expression:
    """Whether there is no common member."""
    graph = execution.graph
    _, _, holds = _compared(execution, a, b, lambda x, y: graph.eq(graph.intersection(x, y), graph.mask(0)))
    return holds


def chosen_set(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    """The first set where the condition holds, else the second."""
    graph = execution.graph
    kind = kind_of(a) if kind_of(a) is kind_of(b) else set
    if isinstance(a, SymSet) and isinstance(b, SymSet) and same_values(a.domain, b.domain):
        return _made(execution, a.domain, graph.ite(condition, a.expression, b.expression), kind)
    other = graph.not_(condition)
    elements = [(graph.and_(condition, g), e) for g, e in members(execution, a)]
    elements += [(graph.and_(other, g), e) for g, e in members(execution, b)]
    for known in (a, b):
        if isinstance(known, SymSet):
            inside, mask = set_mask(execution, known.domain, b if known is a else a)
            if inside is graph.true:
                first, second = (known.expression, mask) if known is a else (mask, known.expression)
                return _made(execution, known.domain, graph.ite(condition, first, second), kind)
    return LooseSet(execution, elements, kind)


def members(execution: Execution, value: Any) -> list[tuple[Expression, Any]]:
    """The possible elements with their conditions; those of a loose set may repeat."""
    graph = execution.graph
    if isinstance(value, LooseSet):
        return value.elements
    if isinstance(value, SymSet):
        positions = enumerate(value.domain.universe)
        found = [(graph.member(value.expression, graph.integer(i)), element) for i, element in positions]
        return [(present, element) for present, element in found if present is not graph.false]
    return [(graph.true, element) for element in value]
