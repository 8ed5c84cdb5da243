"""Relations between domains: which values they share, and the smallest one that holds the values of several."""

from __future__ import annotations

from collections.abc import Iterable

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
