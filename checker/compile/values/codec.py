"""Between values and the codes of scalar domains, symbolically; and positions of elements in the universe of a set."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from epochal.spec.language import Identifier
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    IdentifierDomain,
    IntegerDomain,
    OptionalScalar,
    Scalar,
    SetDomain,
    StructDomain,
)
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ..execution import Execution
from .known import family_of, field_of, record_type, same_kind, same_values
from .records import SymMaybeStruct
from .scalars import SymOptional
from .set_values import SymbolicSet, SymSet
from .symbolic import Family, Symbolic

ELSEWHERE_EQUAL: dict[type[Domain], type] = {IntegerDomain: bool, BooleanDomain: int}
"""Whose values are in no domain of this class, but may equal one of its values: in Python, True is 1."""


# -- storing ------------------------------------------------------------------------------------------------------


def encode(execution: Execution, domain: Scalar, value: Any) -> Expression:
    """The code of a value to be stored in a domain. Evaluation fails where the value lies outside."""
    kind = type(domain)
    if kind is SetDomain:
        return _encode_set(execution, domain, value)  # type: ignore[arg-type]  # its class was compared
    if kind is OptionalScalar:
        return _encode_optional(execution, domain, value)  # type: ignore[arg-type]  # its class was compared
    if isinstance(value, SymOptional):
        value = value.required()
    return value.code_in(domain) if isinstance(value, Symbolic) else _encode_known(execution, domain, value)


def _encode_known(execution: Execution, domain: Scalar, value: Any) -> Expression:
    graph = execution.graph
    code = domain.code(value)
    if code is None:
        expected = {IntegerDomain: int, IdentifierDomain: Identifier}.get(type(domain))
        if value is not None and (expected is None or not isinstance(value, expected) or isinstance(value, bool)):
            raise execution.error(
                f"{shown_value(value)} cannot be stored where {domain} is expected", "Store a value of that domain."
            )
        execution.fail_if(graph.true, f"{shown_value(value)} is outside {domain}")
        code = 0
    return graph.boolean(bool(code)) if isinstance(domain, BooleanDomain) else graph.integer(code)


def _encode_optional(execution: Execution, domain: OptionalScalar, value: Any) -> Expression:
    graph = execution.graph
    if value is None:
        return graph.integer(0)
    if isinstance(value, SymOptional):
        if same_kind(domain.element, value.domain.element) and value.domain.size <= domain.size:
            return value.expression
        present, code = graph.not_(value.is_none()), graph.integer(0)
        with execution.under(present):
            code = _after_none(execution, encode(execution, domain.element, value.element()))
        return graph.ite(present, code, graph.integer(0))
    return _after_none(execution, encode(execution, domain.element, value))


def _after_none(execution: Execution, code: Expression) -> Expression:
    graph = execution.graph
    return graph.offset(graph.as_integer(code) if code.sort == "bool" else code, 1)


def _encode_set(execution: Execution, domain: SetDomain, value: Any) -> Expression:
    if family_of(value) is not Family.SET:
        raise execution.error(
            f"{shown_value(value)} cannot be stored where {domain} is expected", "Store a value of that domain."
        )
    inside, mask = set_mask(execution, domain, value)
    execution.fail_if(execution.graph.not_(inside), f"the set has elements outside {domain.element}")
    return mask


# -- looking up ---------------------------------------------------------------------------------------------------


def set_mask(execution: Execution, domain: SetDomain, value: Any) -> tuple[Expression, Expression]:
    """Whether all elements of a set lie in the universe of a domain, and the set of those that do."""
    graph = execution.graph
    if isinstance(value, SymSet) and same_values(value.domain, domain):
        return graph.true, value.expression
    if isinstance(value, SymbolicSet):
        elements = value.members()
    else:
        known = domain.code(value)
        if known is not None:
            return graph.true, graph.mask(known)
        elements = [(graph.true, element) for element in value]
    parts, total = [], graph.mask(0)
    for present, element in elements:
        if present is graph.false:
            continue
        inside, at = locate(execution, domain.element, element)
        parts.append(graph.implies(present, inside))
        found = graph.and_(present, inside)
        if found is not graph.false:
            total = graph.union(total, graph.ite(found, graph.singleton(at), graph.mask(0)))
    return graph.all_of(parts), total


def locate(execution: Execution, domain: Domain, value: Any) -> tuple[Expression, Expression]:
    """Whether a value is in a domain, and its position in the enumeration of the domain where it is."""
    graph = execution.graph
    if isinstance(value, SymMaybeStruct):
        inside, at = locate(execution, domain, value.record)
        return graph.and_(value.present, inside), at
    if isinstance(domain, StructDomain):
        return _locate_record(execution, domain, value)
    if isinstance(domain, OptionalScalar):
        if value is None:
            return graph.true, graph.integer(0)
        optional = isinstance(value, SymOptional)
        none = value.is_none() if optional else graph.false
        inside, at = locate(execution, domain.element, value.element() if optional else value)
        return graph.or_(none, inside), graph.ite(none, graph.integer(0), graph.offset(at, 1))
    if isinstance(value, SymOptional):
        inside, at = locate(execution, domain, value.element())
        return graph.and_(graph.not_(value.is_none()), inside), at
    assert isinstance(domain, Scalar)
    if isinstance(domain, SetDomain) and family_of(value) is Family.SET:
        inside, mask = set_mask(execution, domain, value)
        return inside, graph.integer(mask.value) if mask.is_const else graph.bits(mask)
    if isinstance(value, Symbolic):
        return value.located_in(domain)
    if type(value) is ELSEWHERE_EQUAL.get(type(domain)):
        raise execution.error(f"{shown_value(value)} is no value of {domain}", "Compare or look up values of one kind.")
    code = domain.code(value)
    return (graph.false, graph.integer(0)) if code is None else (graph.true, graph.integer(code))


def _locate_record(execution: Execution, domain: StructDomain, value: Any) -> tuple[Expression, Expression]:
    graph = execution.graph
    if family_of(value) is not Family.RECORD or record_type(value) is not domain.type:
        return graph.false, graph.integer(0)
    parts, total = [], graph.integer(0)
    for name, part in domain.field_domains.items():
        inside, at = locate(execution, part, field_of(value, name))
        parts.append(inside)
        total = graph.add(graph.mul(total, graph.integer(part.cardinality)), at)
    return graph.all_of(parts), total


def position(execution: Execution, domain: Domain, value: Any) -> Expression:
    """The position of a value in the enumeration of a domain. Evaluation fails where the value lies outside."""
    if not isinstance(value, Symbolic) and _has_plain_codes(type(domain)):
        code = encode(execution, cast(Scalar, domain), value)  # refuses a known value of another kind
        return execution.graph.as_integer(code) if code.sort == "bool" else code
    inside, at = locate(execution, domain, value)
    execution.fail_if(execution.graph.not_(inside), f"the value is outside {domain}")
    return at


@cache
def _has_plain_codes(kind: type[Domain]) -> bool:
    """Whether domains of a class are scalar and no sets. Asked once: the domains are an abstract family."""
    return issubclass(kind, Scalar) and not issubclass(kind, SetDomain)


def membership(execution: Execution, members: SymSet, value: Any) -> Expression:
    """Whether a value is in a set; a value outside the universe is in no set."""
    graph = execution.graph
    if not isinstance(value, Symbolic):
        at = next((i for i, v in enumerate(members.domain.universe) if v == value), None)
        return graph.false if at is None else graph.member(members.expression, graph.integer(at))
    inside, where = locate(execution, members.domain.element, value)
    return graph.and_(inside, graph.member(members.expression, where))
