"""What the language asks of any one value: of one that depends on the state by its methods, of a known one here.

A known value is an ordinary Python value: a constant, data of the specification, or what was computed from such. This
is the one place that says what families they belong to and which domains hold them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any

from epochal.spec.language import Identifier, LanguageError, Log, Map, Set, Struct
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
    UnionDomain,
)

from ...ir.expression import Expression
from ..execution import Execution
from .symbolic import Family, Symbolic

# -- domains ----------------------------------------------------------------------------------------------------------
# Relations between domains: which values they share, and the smallest one that holds the values of several.


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
    if isinstance(a, UnionDomain):
        return all(any(covers(kind, one) for kind in a.kinds) for one in kinds_of(b))
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
    if isinstance(a, StructDomain | UnionDomain) and isinstance(b, StructDomain | UnionDomain):
        return _of_all_kinds(kinds_of(a), kinds_of(b))
    return None


def kinds_of(domain: Domain) -> tuple[Domain, ...]:
    """The domains of the records of each class, if there may be several classes; else the domain."""
    return domain.kinds if isinstance(domain, UnionDomain) else (domain,)


def _of_all_kinds(first: Iterable[Domain], second: Iterable[Domain]) -> Domain | None:
    """The records of all these classes; None if two classes have one name, or fields of different kinds."""
    found: dict[str, StructDomain] = {}
    for one in (*first, *second):
        assert isinstance(one, StructDomain)
        kind = joined(found.get(one.type.__name__, one), one)
        if not isinstance(kind, StructDomain) or not kind.can_be_element:
            return None
        found[one.type.__name__] = kind
    return UnionDomain(found.values())


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
    str: Family.TEXT,
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


class EitherSet(set[Any]):
    """The class of a set that is chosen between two of different classes: which it is depends on the state."""


def kind_of(value: Any) -> type:
    """The class of a set in Python: `Set`, `frozenset` or `set`, or `EitherSet`."""
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
        return not issubclass(kind_of(value), set)
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


# -- alike ------------------------------------------------------------------------------------------------------------
# Whether two known values are alike: nothing that a rule can ask of them tells them apart. Values that are equal need
# not be: True is 1, two dictionaries are equal in whatever order their keys are, and a data class may leave a field out
# of its comparison.

COMPARED = (int, str, bytes, bool, range, type(None), type(...))
DEEPEST = 50
"""Values that are nested deeper count as different."""


def alike(a: Any, b: Any, depth: int = 0) -> bool:
    """Whether two known values are alike."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b) or depth > DEEPEST:
        return False
    if kind in COMPARED:
        return repr(a) == repr(b) if kind is range else bool(a == b)
    if kind in (float, complex):
        return repr(a) == repr(b)  # 0.0 == -0.0
    if isinstance(a, Identifier):
        return bool(a == b)
    if isinstance(a, enum.Enum | type):
        return False
    if kind is MethodType:
        return bool(a == b)
    if kind in (tuple, list):
        return _sequences(a, b, depth)
    if kind is dict:
        return _sequences(list(a.items()), list(b.items()), depth)
    if isinstance(a, set | frozenset):
        partners = {one: one for one in b}
        return len(a) == len(b) and all(one in partners and alike(one, partners[one], depth + 1) for one in a)
    if isinstance(a, tuple) and not _sequences(tuple(a), tuple(b), depth):
        return False
    return _objects(a, b, depth)


def _sequences(a: Any, b: Any, depth: int) -> bool:
    return len(a) == len(b) and all(alike(x, y, depth + 1) for x, y in zip(a, b, strict=True))


def _objects(a: Any, b: Any, depth: int) -> bool:
    """Two objects of one class that keep all they have in attributes, as those of classes written in Python do.

    What Python itself makes, a function for instance, has more than its attributes.
    """
    made = type(a).__new__
    if type(made) is not FunctionType and getattr(made, "__self__", None) not in (object, tuple):
        return False
    slots = [name for owner in type(a).__mro__ for name in _names(vars(owner).get("__slots__", ()))]
    kept = [{**getattr(one, "__dict__", {}), **{n: getattr(one, n, None) for n in slots}} for one in (a, b)]
    known = bool(kept[0]) or isinstance(a, tuple)
    return known and kept[0].keys() == kept[1].keys() and all(alike(kept[0][n], kept[1][n], depth + 1) for n in kept[0])


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
