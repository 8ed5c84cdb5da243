"""What the language asks of any one value: of one that depends on the state by its methods, of a known one here.

A known value is an ordinary Python value: a constant, data of the specification, or what was computed from such. This
is the one place that says what families they belong to and which domains hold them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epochal.spec.language import Identifier, LanguageError, Log, Map, Set, Struct
from epochal.spec.language.annotations import resolve
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    EnumDomain,
    IdentifierDomain,
    IntegerDomain,
    SetDomain,
    StructDomain,
)

from ...ir.expression import Expression
from ..execution import Execution
from .domains import joined, joined_all
from .families import Family
from .symbolic import Symbolic

_FAMILIES: dict[type, Family] = {
    bool: Family.TRUTH,
    int: Family.NUMBER,
    type(None): Family.NONE,
    Identifier: Family.OTHER,
    Struct: Family.RECORD,
    tuple: Family.TUPLE,
    list: Family.LIST,
    dict: Family.MAP,
    Map: Family.MAP,
    Log: Family.LOG,
    Set: Family.SET,
    frozenset: Family.SET,
    set: Family.SET,
}


def family_of(value: Any) -> Family:
    """The family of a value."""
    if isinstance(value, Symbolic):
        return value.family
    kind = type(value)
    found = _FAMILIES.get(kind)
    if found is None:  # of a class of the specification's, or of the standard library's
        found = next((_FAMILIES[base] for base in kind.__mro__ if base in _FAMILIES), Family.OTHER)
    return found


def truth_of(execution: Execution, value: Any) -> Expression:
    """The truth of a value, as Python defines it."""
    return value.truth() if isinstance(value, Symbolic) else execution.graph.boolean(bool(value))


def kind_of(value: Any) -> type:
    """The class of a set in Python: `Set`, `frozenset` or `set`."""
    if isinstance(value, Symbolic):
        kind: type = value.kind
        return kind
    return Set if isinstance(value, Set) else frozenset if isinstance(value, frozenset) else set


def is_unordered(value: Any) -> bool:
    """Whether this is a set with several elements whose order Python does not define."""
    if isinstance(value, Symbolic):
        return value.unordered()
    return isinstance(value, set | frozenset) and kind_of(value) is not Set and len(value) > 1


def is_hashable(value: Any) -> bool:
    """Whether a value can be an element of a set or a key, as far as Python is concerned."""
    if isinstance(value, Symbolic):
        return value.hashable()
    family = family_of(value)
    if family is Family.SET:
        return kind_of(value) is not set
    if family is Family.TUPLE:
        return all(is_hashable(item) for item in value)
    if family is Family.RECORD:
        return all(is_hashable(item) for item in value.field_values())
    return family not in (Family.LIST, Family.MAP, Family.LOG)


# -- records ------------------------------------------------------------------------------------------------------


def record_type(record: Any) -> type[Struct]:
    """The `Struct` class of a record."""
    return record.record_type if isinstance(record, Symbolic) else type(record)


def field_of(record: Any, name: str) -> Any:
    """A field of a record."""
    return record.field(name) if isinstance(record, Symbolic) else record.__dict__[name]


# -- domains ------------------------------------------------------------------------------------------------------


def domain_of(execution: Execution, value: Any) -> Domain | None:
    """A small domain that certainly holds a value; None if there is none."""
    if isinstance(value, Symbolic):
        return value.smallest_domain()
    family = family_of(value)
    if family is Family.TRUTH:
        return BooleanDomain()
    if family is Family.NUMBER:
        return IntegerDomain(int(value), int(value))
    if family is Family.RECORD:
        return record_domain(execution, type(value), value.__dict__.__getitem__)
    if family is Family.SET:
        element = element_domain(execution, list(value))
        return SetDomain(element) if element else None
    if isinstance(value, Identifier):
        return IdentifierDomain(value.prefix, value.index + 1, value.first)
    return EnumDomain(type(value)) if hasattr(type(value), "__members__") else None


def record_domain(execution: Execution, kind: type[Struct], field_of: Callable[[str], Any]) -> Domain | None:
    """The declared domain of a record, widened where a field may lie outside it."""
    declared = resolve(kind, execution.protocol.bounds, kind.__name__)
    assert isinstance(declared, StructDomain)
    parts: dict[str, Domain] = {}
    for name, domain in declared.field_domains.items():
        field = field_of(name)
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
