"""Joining the values that two branches give: what a variable holds after an `if` that depends on the state."""

from __future__ import annotations

from typing import Any

from epochal.spec.language.domains import OptionalScalar, Scalar

from ...ir.expression import Expression
from ..execution import Execution, Place
from .alike import alike
from .codec import decode, encode
from .domains import domain_of, joined_all, same_values
from .equality import NUMBERS, RECORDS, record_type
from .places import LogReference, MapReference, Reference
from .records import SymMaybeStruct, SymStruct, field_of, origins_of
from .sets import SETS, chosen_set
from .symbolic import Symbolic, SymBool, SymOptional, as_int, int_value, truth_value

Guarded = tuple[Expression, Any]


class Unassigned(Symbolic):
    """What a variable holds on a path that did not assign it."""

    _kind = "a variable that is not assigned on every path"
    comparable = False
    instead = "Assign it before the if."


class Mixed(Symbolic):
    """What a variable holds after branches that gave it values of different kinds."""

    _kind = "a variable to which the branches give different kinds of values"
    comparable = False
    instead = "Use a variable of its own in each branch."


class GuardedList(Symbolic):
    """A list whose elements are present under conditions."""

    _kind = "a list"
    comparable = False
    instead = "Compare its elements with all or any, or its length."

    def __init__(self, execution: Execution, elements: list[Guarded]) -> None:
        super().__init__(execution)
        self.elements = elements


class GuardedIterator(GuardedList):
    """What reversed, zip and enumerate give: elements that can be gone through once."""

    _kind = "an iterator"
    instead = "Make it a list."

    def once(self) -> list[Guarded]:
        """The elements. Refused the second time, when Python would give none."""
        if self.elements is SPENT:
            raise self._execution.error("an iterator is used up after its first use", "Make it a list.")
        elements, self.elements = self.elements, SPENT
        return elements


SPENT: list[Guarded] = []


def merge(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    """The value that is `a` where the condition is true and `b` elsewhere."""
    if a is b:
        return a
    for value in (a, b):
        if isinstance(value, Unassigned | Mixed):
            return value
    if isinstance(a, bool | SymBool) and isinstance(b, bool | SymBool):
        return truth_value(execution, execution.graph.ite(condition, _truth(execution, a), _truth(execution, b)))
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        if isinstance(a, bool | SymBool) or isinstance(b, bool | SymBool):
            return Mixed(execution)  # True stays True in Python, and is no member of a domain of integers
        first, second = as_int(execution, a), as_int(execution, b)
        assert first is not None and second is not None
        return int_value(execution, execution.graph.ite(condition, first, second))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _merge_tuples(execution, condition, a, b)
    if _is_list(a) and _is_list(b):
        return _merge_lists(execution, condition, a, b)
    if not isinstance(a, Symbolic) and not isinstance(b, Symbolic) and alike(a, b):
        return a
    if isinstance(a, Reference) and isinstance(b, Reference) and type(a) is type(b):
        return _merge_references(execution, condition, a, b)
    if isinstance(a, SETS) and isinstance(b, SETS):
        return chosen_set(execution, condition, a, b)
    if _is_maybe_record(a) and _is_maybe_record(b):
        return _merge_records(execution, condition, a, b)
    return _merge_scalars(execution, condition, a, b)


def _merge_tuples(execution: Execution, condition: Expression, a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
    kind = type(a)
    if len(a) != len(b) or kind is not type(b) or hasattr(a, "__dict__"):
        return a if alike(a, b) else Mixed(execution)
    items = [merge(execution, condition, x, y) for x, y in zip(a, b, strict=True)]
    return tuple.__new__(kind, items)


def _truth(execution: Execution, value: bool | SymBool) -> Expression:
    return value.expression if isinstance(value, SymBool) else execution.graph.boolean(value)


def _merge_references(execution: Execution, condition: Expression, a: Reference, b: Reference) -> Any:
    graph = execution.graph
    one, two = a._place, b._place
    if one.view is not two.view or one.depth != two.depth or not _same_shape(one, two):
        return (
            Mixed(execution)
            if isinstance(a, LogReference | MapReference)
            else _merge_records(execution, condition, a, b)
        )
    if one.alternatives == two.alternatives:
        return a
    other = graph.not_(condition)
    alternatives = [(graph.and_(condition, c), at) for c, at in one.alternatives]
    alternatives += [(graph.and_(other, c), at) for c, at in two.alternatives]
    return type(a)(
        execution, Place(one.view, one.domain, tuple(x for x in alternatives if x[0] is not graph.false), one.depth)
    )


def _same_shape(one: Place, two: Place) -> bool:
    """Whether the leaves of two places mean the same."""
    if one.domain is two.domain:
        return True
    first, second = one.domain.leaves, two.domain.leaves
    return len(first) == len(second) and all(
        x.path == y.path and same_values(x.domain, y.domain) for x, y in zip(first, second, strict=True)
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list) or type(value) is GuardedList


def _merge_lists(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    graph = execution.graph
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [merge(execution, condition, x, y) for x, y in zip(a, b, strict=True)]
    elements = [(graph.and_(condition, g), e) for g, e in _elements(execution, a)]
    other = graph.not_(condition)
    elements += [(graph.and_(other, g), e) for g, e in _elements(execution, b)]
    return GuardedList(execution, [(g, e) for g, e in elements if g is not graph.false])


def _elements(execution: Execution, value: list[Any] | GuardedList) -> list[Guarded]:
    return value.elements if isinstance(value, GuardedList) else [(execution.graph.true, e) for e in value]


def _is_maybe_record(value: Any) -> bool:
    return value is None or isinstance(value, (SymMaybeStruct, *RECORDS))


def _merge_records(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    """Records or none: the fields are joined where both have a record."""
    graph = execution.graph
    (first, one), (second, two) = _maybe(execution, a), _maybe(execution, b)
    if one is None or two is None:
        record = two if one is None else one
        kind = record_type(record)
        fields = {n: field_of(record, n) for n in kind.fields}
    else:
        kind = record_type(one)
        if kind is not record_type(two):
            return Mixed(execution)
        fields = {n: merge(execution, condition, field_of(one, n), field_of(two, n)) for n in kind.fields}
    made = SymStruct(execution, kind, fields, (*origins_of(one), *origins_of(two)))
    present = graph.ite(condition, first, second)
    return made if present is graph.true else SymMaybeStruct(execution, present, made)


def _maybe(execution: Execution, value: Any) -> tuple[Expression, Any]:
    if value is None:
        return execution.graph.false, None
    if isinstance(value, SymMaybeStruct):
        return value.__dict__["_present"], value.__dict__["_record"]
    return execution.graph.true, value


def _merge_scalars(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    graph = execution.graph
    known = [domain_of(execution, v) for v in (a, b) if v is not None]
    domains = [d for d in known if isinstance(d, Scalar)]
    domain = joined_all(domains, optional=a is None or b is None) if domains and len(domains) == len(known) else None
    if not isinstance(domain, Scalar):
        return Mixed(execution)
    if not isinstance(domain, OptionalScalar):
        first, second = encode(execution, domain, a), encode(execution, domain, b)
        return decode(execution, domain, graph.ite(condition, first, second))
    return SymOptional(
        execution, graph.ite(condition, encode(execution, domain, a), encode(execution, domain, b)), domain
    )
