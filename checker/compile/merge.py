"""Joining the values that two branches give: what a variable holds after an `if` whose condition depends on the state."""

from __future__ import annotations

from typing import Any


from spec.language.domains import IdentifierDomain, IntegerDomain, OptionalScalar, Scalar

from .codec import domain_of, encode
from .equality import NUMBERS, RECORDS, SETS, record_type
from .execution import Execution, Place
from .expression import Expression
from .places import Reference
from .symbolic import (
    LooseSet,
    SymBool,
    SymMaybeStruct,
    SymOptional,
    SymScalar,
    SymSet,
    SymStruct,
    Symbolic,
    as_int,
    int_value,
    truth_value,
)


class Unassigned(Symbolic):
    """What a variable holds on a path that did not assign it."""

    _kind = "a variable that is not assigned on every path"


def merge(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    """The value that is `a` where the condition is true and `b` elsewhere."""
    if a is b:
        return a
    if isinstance(a, Unassigned) or isinstance(b, Unassigned):
        return a if isinstance(a, Unassigned) else b
    if not isinstance(a, Symbolic) and not isinstance(b, Symbolic) and type(a) is type(b) and bool(a == b):
        return a
    if isinstance(a, bool | SymBool) and isinstance(b, bool | SymBool):
        return truth_value(execution, execution.graph.ite(condition, _truth(execution, a), _truth(execution, b)))
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        first, second = as_int(execution, a), as_int(execution, b)
        assert first is not None and second is not None
        return int_value(execution, execution.graph.ite(condition, first, second))
    if isinstance(a, Reference) and isinstance(b, Reference) and type(a) is type(b):
        return _merge_references(execution, condition, a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(merge(execution, condition, x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, SETS) and isinstance(b, SETS):
        return _merge_sets(execution, condition, a, b)
    if isinstance(a, RECORDS) and isinstance(b, RECORDS) and record_type(a) is record_type(b):
        return _merge_records(execution, condition, a, b)
    if isinstance(a, SymMaybeStruct | None | RECORDS) and isinstance(b, SymMaybeStruct | None | RECORDS):  # type: ignore[arg-type]
        return _merge_maybe(execution, condition, a, b)
    return _merge_scalars(execution, condition, a, b)


def _truth(execution: Execution, value: bool | SymBool) -> Expression:
    return value.expression if isinstance(value, SymBool) else execution.graph.boolean(value)


def _merge_references(execution: Execution, condition: Expression, a: Reference, b: Reference) -> Any:
    graph = execution.graph
    one, two = a.__dict__["_place"], b.__dict__["_place"]
    if one.view is not two.view or str(one.domain) != str(two.domain):
        raise execution.error("the branches give different kinds of values")
    if one.alternatives == two.alternatives:
        return a
    other = graph.not_(condition)
    alternatives = [(graph.and_(condition, c), at) for c, at in one.alternatives]
    alternatives += [(graph.and_(other, c), at) for c, at in two.alternatives]
    return type(a)(execution, Place(one.view, one.domain, tuple(x for x in alternatives if x[0] is not graph.false)))


def _merge_sets(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    graph = execution.graph
    known = [s for s in (a, b) if isinstance(s, SymSet)]
    if not known:
        other = graph.not_(condition)
        elements = [(graph.and_(condition, g), e) for g, e in _elements(execution, a)]
        return LooseSet(execution, elements + [(graph.and_(other, g), e) for g, e in _elements(execution, b)])
    domain = max((s.domain for s in known), key=lambda d: len(d.universe))
    with execution.under(condition):
        first = encode(execution, domain, a)
    with execution.under(graph.not_(condition)):
        second = encode(execution, domain, b)
    return SymSet(execution, graph.ite(condition, first, second), domain)


def _elements(execution: Execution, value: Any) -> list[tuple[Expression, Any]]:
    if isinstance(value, LooseSet):
        return value.elements
    return [(execution.graph.true, element) for element in value]


def _merge_records(execution: Execution, condition: Expression, a: Any, b: Any) -> SymStruct:
    kind = record_type(a)
    return SymStruct(
        execution, kind, {n: merge(execution, condition, getattr(a, n), getattr(b, n)) for n in kind.fields}
    )


def _merge_maybe(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    graph = execution.graph
    (first, record_a), (second, record_b) = _maybe(execution, a), _maybe(execution, b)
    if record_a is None or record_b is None:
        record = record_b if record_a is None else record_a
    else:
        record = _merge_records(execution, condition, record_a, record_b)
    if not isinstance(record, SymStruct):
        kind = record_type(record)
        record = SymStruct(execution, kind, {n: getattr(record, n) for n in kind.fields})
    return SymMaybeStruct(execution, graph.ite(condition, first, second), record)


def _maybe(execution: Execution, value: Any) -> tuple[Expression, Any]:
    if value is None:
        return execution.graph.false, None
    if isinstance(value, SymMaybeStruct):
        return value.__dict__["_present"], value.__dict__["_record"]
    return execution.graph.true, value


def _merge_scalars(execution: Execution, condition: Expression, a: Any, b: Any) -> Any:
    graph = execution.graph
    domains = [domain_of(execution, v) for v in (a, b) if v is not None]
    if not domains:
        raise execution.error("the branches give different kinds of values")
    domain = _joined(execution, domains)
    optional = any(v is None or isinstance(v, SymOptional) for v in (a, b))
    if optional:
        wide = OptionalScalar(domain)
        code = graph.ite(condition, encode(execution, wide, a), encode(execution, wide, b))
        return SymOptional(execution, code, wide)
    return SymScalar(execution, graph.ite(condition, encode(execution, domain, a), encode(execution, domain, b)), domain)


def _joined(execution: Execution, domains: list[Scalar]) -> Scalar:
    integers = [d for d in domains if isinstance(d, IntegerDomain)]
    if len(integers) == len(domains):
        return IntegerDomain(min(d.low for d in integers), max(d.high for d in integers))
    first = domains[0]
    if all(isinstance(d, IdentifierDomain) and d.prefix == getattr(first, "prefix", None) for d in domains):
        return max(domains, key=lambda d: d.size)
    if all(type(d) is type(first) and str(d) == str(first) for d in domains) and not integers:
        return first
    raise execution.error("the branches give different kinds of values")



