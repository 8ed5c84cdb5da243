"""Relations between domains: which values they share, and the domains of values whose place is not known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from epochal.spec.language import Identifier, LanguageError, Struct
from epochal.spec.language.annotations import resolve
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    EnumDomain,
    IdentifierDomain,
    IntegerDomain,
    OptionalScalar,
    Scalar,
    SetDomain,
    StructDomain,
)

from ..execution import Execution
from .records import field_of
from .symbolic import LooseSet, Symbolic, SymBool, SymOptional, SymScalar, SymSet, as_int


def same_kind(a: Domain, b: Domain) -> bool:
    """Whether two domains of identifiers or enumeration members have the same values at the same codes, up to sizes."""
    if isinstance(a, IdentifierDomain) and isinstance(b, IdentifierDomain):
        return a.prefix == b.prefix
    if isinstance(a, EnumDomain) and isinstance(b, EnumDomain):
        return a.type is b.type
    return False


def covers(a: Domain, b: Domain) -> bool:
    """Whether every value of the second domain is in the first."""
    if a is b:
        return True
    if isinstance(a, OptionalScalar):
        return covers(a.element, b.element if isinstance(b, OptionalScalar) else b)
    if isinstance(a, IntegerDomain) and isinstance(b, IntegerDomain):
        return a.low <= b.low and b.high <= a.high
    if isinstance(a, Scalar) and isinstance(b, Scalar) and same_kind(a, b):
        return a.size >= b.size
    if isinstance(a, BooleanDomain):
        return isinstance(b, BooleanDomain)
    if isinstance(a, SetDomain) and isinstance(b, SetDomain):
        return covers(a.element, b.element)
    if isinstance(a, StructDomain) and isinstance(b, StructDomain):
        return a.type is b.type and all(covers(d, b.field_domains[n]) for n, d in a.field_domains.items())
    return False


def same_values(a: Domain, b: Domain) -> bool:
    """Whether two domains have the same values, and so the same codes."""
    return a is b or (covers(a, b) and covers(b, a))


def joined(a: Domain, b: Domain) -> Domain | None:
    """The smallest domain that holds the values of both; None if they are of different kinds."""
    if covers(a, b):
        return a
    if covers(b, a):
        return b
    if isinstance(a, OptionalScalar) or isinstance(b, OptionalScalar):
        element = joined(_required(a), _required(b))
        return OptionalScalar(element) if isinstance(element, Scalar) else None
    if isinstance(a, IntegerDomain) and isinstance(b, IntegerDomain):
        return IntegerDomain(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, SetDomain) and isinstance(b, SetDomain):
        element = joined(a.element, b.element)
        return SetDomain(element) if element else None
    if isinstance(a, StructDomain) and isinstance(b, StructDomain) and a.type is b.type:
        parts = {name: joined(part, b.field_domains[name]) for name, part in a.field_domains.items()}
        known = {name: part for name, part in parts.items() if part is not None}
        return StructDomain(a.type, known) if len(known) == len(parts) else None
    return None


def _required(domain: Domain) -> Domain:
    return domain.element if isinstance(domain, OptionalScalar) else domain


def joined_all(domains: Iterable[Domain], optional: bool) -> Domain | None:
    """The smallest domain that holds all values of these, and none if `optional`."""
    first, *others = domains
    total: Domain | None = first
    for domain in others:
        total = joined(total, domain) if total is not None else None
    if optional and isinstance(total, Scalar) and not isinstance(total, OptionalScalar):
        return OptionalScalar(total)
    return total


def domain_of(execution: Execution, value: Any) -> Domain | None:
    """A small domain that certainly holds a value; None if there is none."""
    if isinstance(value, SymOptional | SymScalar | SymSet):
        return value.domain
    if isinstance(value, bool | SymBool):
        return BooleanDomain()
    if isinstance(value, Identifier):
        return IdentifierDomain(value.prefix, value.index + 1, value.first)
    if isinstance(value, Struct) or (isinstance(value, Symbolic) and value.is_record):
        return _record_domain(execution, value)
    if isinstance(value, frozenset | set | LooseSet):
        elements = value.elements if isinstance(value, LooseSet) else [(None, e) for e in value]
        element = element_domain(execution, [e for _, e in elements])
        return SetDomain(element) if element else None
    number = as_int(execution, value)
    if number is not None:
        return IntegerDomain(number.low, number.high)
    if not isinstance(value, Symbolic) and hasattr(type(value), "__members__"):
        return EnumDomain(type(value))
    return None


def _record_domain(execution: Execution, value: Any) -> Domain | None:
    """The declared domain of a record, widened where a field may lie outside it."""
    from .equality import record_type

    kind = record_type(value)
    declared = resolve(kind, execution.protocol.bounds, kind.__name__)
    assert isinstance(declared, StructDomain)
    parts: dict[str, Domain] = {}
    for name, domain in declared.field_domains.items():
        field = field_of(value, name)
        actual = domain if field is None else domain_of(execution, field)
        part = joined(domain, actual) if actual is not None else None
        if part is None:
            return None
        parts[name] = part
    return declared if all(parts[n] is d for n, d in declared.field_domains.items()) else StructDomain(kind, parts)


def element_domain(execution: Execution, values: list[Any]) -> Domain | None:
    """The smallest domain that holds all these values; None if they are of different kinds."""
    known = [domain_of(execution, value) for value in values if value is not None]
    domains = [domain for domain in known if domain is not None]
    if not domains or len(domains) != len(known):
        return None
    return joined_all(domains, optional=any(value is None for value in values))


def universe_of(execution: Execution, values: list[Any]) -> SetDomain:
    """The set domain with the smallest universe that holds all these values."""
    element = element_domain(execution, values)
    if element is None:
        raise execution.error(
            "the elements of this set are of different kinds", "Store it in a set variable, or use one kind."
        )
    try:
        return SetDomain(element)
    except LanguageError as error:
        raise execution.error(error.message, error.advice) from error
