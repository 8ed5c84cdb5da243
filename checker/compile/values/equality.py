"""When two values are equal, as an expression."""

from __future__ import annotations

from typing import Any

from epochal.spec.language import Identifier, Log, Map, Struct
from epochal.spec.language.domains import BooleanDomain, IntegerDomain
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ..execution import Execution
from .domains import same_kind
from .places import LogReference, MapReference, StructReference
from .records import SymMaybeStruct, SymStruct, field_of
from .sets import SETS, equal_sets
from .symbolic import Symbolic, SymBool, SymInt, SymOptional, SymScalar, as_int

RECORDS = (Struct, SymStruct, StructReference)
NUMBERS = (int, SymInt, SymBool)


def equal(execution: Execution, a: Any, b: Any) -> Expression:
    """Whether two values are equal."""
    graph = execution.graph
    if not isinstance(a, Symbolic | list | tuple) and not isinstance(b, Symbolic | list | tuple):
        return graph.boolean(bool(a == b))
    for value in (a, b):
        if isinstance(value, float | complex | str | bytes):
            raise execution.error(
                f"{shown_value(value)} is compared with a value of the state",
                "Values are integers, truth values, names and records.",
            )
    for value in (a, b):
        if isinstance(value, Symbolic) and not value.comparable:
            raise execution.error(f"{value._kind} cannot be compared", value.instead)
    if isinstance(b, SymOptional | SymMaybeStruct) and not isinstance(a, SymOptional | SymMaybeStruct):
        a, b = b, a
    if isinstance(a, SymOptional):
        return _equal_optional(execution, a, b)
    if isinstance(a, SymMaybeStruct):
        return _equal_maybe(execution, a, b)
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        return _equal_numbers(execution, a, b)
    if isinstance(a, SymScalar) or isinstance(b, SymScalar):
        return _equal_scalars(execution, a, b)
    if isinstance(a, SETS) and isinstance(b, SETS):
        return equal_sets(execution, a, b)
    if isinstance(a, RECORDS) and isinstance(b, RECORDS):
        return _equal_records(execution, a, b)
    if isinstance(a, LogReference | Log | list | tuple) and isinstance(b, LogReference | Log | list | tuple):
        return _equal_sequences(execution, a, b)
    if isinstance(a, MapReference | Map | dict) and isinstance(b, MapReference | Map | dict):
        if set(a.keys()) != set(b.keys()):
            return graph.false
        return graph.all_of([equal(execution, a[k], b[k]) for k in a.keys()])  # noqa: SIM118
    return graph.false


def _equal_numbers(execution: Execution, a: Any, b: Any) -> Expression:
    if isinstance(a, bool | SymBool) and isinstance(b, bool | SymBool):
        return execution.graph.eq(_condition(execution, a), _condition(execution, b))
    first, second = as_int(execution, a), as_int(execution, b)
    assert first is not None and second is not None
    return execution.graph.eq(first, second)


def _condition(execution: Execution, value: bool | SymBool) -> Expression:
    return value.expression if isinstance(value, SymBool) else execution.graph.boolean(value)


def _code(value: Any, like: Any) -> int | None:
    """The code of a known scalar in a domain of the same kind, whatever its size."""
    if isinstance(value, Identifier):
        return value.index if getattr(like, "prefix", None) == value.prefix else None
    code: int | None = like.code(value)
    return code


def _equal_scalars(execution: Execution, a: Any, b: Any) -> Expression:
    graph = execution.graph
    if isinstance(a, SymScalar) and isinstance(b, SymScalar):
        return graph.eq(a.expression, b.expression) if same_kind(a.domain, b.domain) else graph.false
    symbol, known = (a, b) if isinstance(a, SymScalar) else (b, a)
    code = None if isinstance(known, Symbolic) else _code(known, symbol.domain)
    return graph.false if code is None else graph.eq(symbol.expression, graph.integer(code))


def _equal_optional(execution: Execution, a: SymOptional, b: Any) -> Expression:
    graph = execution.graph
    if b is None:
        return a.is_none()
    element = a.domain.element
    if isinstance(b, SymOptional):
        other = b.domain.element
        low_a, low_b = getattr(element, "low", None), getattr(other, "low", None)
        if same_kind(element, other) or (isinstance(element, IntegerDomain) and low_a == low_b):
            return graph.eq(a.expression, b.expression)
        both = graph.and_(graph.not_(a.is_none()), graph.not_(b.is_none()))
        return graph.or_(
            graph.and_(a.is_none(), b.is_none()),
            graph.and_(both, equal(execution, a.element(), b.element())),
        )
    if isinstance(b, SymScalar) and same_kind(element, b.domain):
        return graph.eq(a.expression, graph.offset(b.expression, 1))
    if not isinstance(b, Symbolic) and not isinstance(element, IntegerDomain | BooleanDomain):
        code = _code(b, element)
        return graph.false if code is None else graph.eq(a.expression, graph.integer(code + 1))
    return graph.and_(graph.not_(a.is_none()), equal(execution, a.element(), b))


def _equal_maybe(execution: Execution, a: SymMaybeStruct, b: Any) -> Expression:
    graph = execution.graph
    present, record = a.__dict__["_present"], a.__dict__["_record"]
    if b is None:
        return graph.not_(present)
    if isinstance(b, SymMaybeStruct):
        other_present, other = b.__dict__["_present"], b.__dict__["_record"]
        neither = graph.and_(graph.not_(present), graph.not_(other_present))
        both = graph.and_(present, other_present)
        return graph.or_(neither, graph.and_(both, equal(execution, record, other)))
    return graph.and_(present, equal(execution, record, b))


def _equal_records(execution: Execution, a: Any, b: Any) -> Expression:
    graph = execution.graph
    if record_type(a) is not record_type(b):
        return graph.false
    return graph.all_of([equal(execution, field_of(a, n), field_of(b, n)) for n in record_type(a).fields])


def record_type(value: Any) -> type[Struct]:
    """The `Struct` class of a record, in whatever form."""
    if isinstance(value, Struct):
        return type(value)
    if isinstance(value, StructReference):
        domain: Any = value._place.domain
        return domain.type  # type: ignore[no-any-return]
    return value.__dict__["_type"]  # type: ignore[no-any-return]


def _equal_sequences(execution: Execution, a: Any, b: Any) -> Expression:
    graph = execution.graph
    if not isinstance(a, LogReference) and not isinstance(b, LogReference):
        if len(a) != len(b) or isinstance(a, tuple) != isinstance(b, tuple):
            return graph.false
        return graph.all_of([equal(execution, x, y) for x, y in zip(a, b, strict=True)])
    if not isinstance(a, LogReference):
        a, b = b, a
    other = b.length() if isinstance(b, LogReference) else graph.integer(len(b))
    entries = [entry for _, entry in b.slots()] if isinstance(b, LogReference) else b
    parts = [graph.eq(a.length(), other)]
    for (reached, entry), another in zip(a.slots(), entries, strict=False):
        parts.append(graph.implies(reached, equal(execution, entry, another)))
    return graph.all_of(parts)
