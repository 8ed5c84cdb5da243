"""Between values and the codes of scalar domains, symbolically; and positions of elements in the universe of a set."""

from __future__ import annotations

from typing import Any

from spec.language import Identifier, Struct
from spec.language.domains import (
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

from .execution import Execution
from .expression import Expression
from .symbolic import (
    LooseSet,
    SymBool,
    SymInt,
    SymOptional,
    SymScalar,
    SymSet,
    SymStruct,
    Symbolic,
    as_int,
    int_value,
    truth_value,
)


def decode(execution: Execution, domain: Scalar, code: Expression) -> Any:
    """The value with this code: an ordinary Python value if the code is known."""
    if code.is_const and 0 <= code.value < domain.size:
        return domain.value(code.value)
    kind = type(domain)  # compared by identity: the domains are an abstract family, whose isinstance is slow
    if kind is IntegerDomain:
        return int_value(execution, execution.graph.offset(code, domain.low))  # type: ignore[attr-defined]
    if kind is BooleanDomain:
        return truth_value(execution, code)
    if kind is OptionalScalar:
        return SymOptional(execution, code, domain)  # type: ignore[arg-type]
    if kind is SetDomain:
        return SymSet(execution, code, domain)  # type: ignore[arg-type]
    return SymScalar(execution, code, domain)


def encode(execution: Execution, domain: Scalar, value: Any) -> Expression:
    """The code of a value to be stored in a domain. Evaluation fails where the value lies outside."""
    if isinstance(domain, SetDomain):
        return _encode_set(execution, domain, value)
    if isinstance(domain, OptionalScalar):
        return _encode_optional(execution, domain, value)
    if isinstance(value, SymOptional):
        value = value.required()
    if not isinstance(value, Symbolic):
        return _encode_known(execution, domain, value)
    if isinstance(domain, IntegerDomain) and isinstance(value, SymInt):
        return _encode_integer(execution, domain, value.expression)
    if isinstance(domain, BooleanDomain) and isinstance(value, SymBool):
        return value.expression
    if isinstance(value, SymScalar) and same_kind(domain, value.domain):
        graph = execution.graph
        if value.domain.size > domain.size:
            outside = graph.not_(graph.lt(value.expression, graph.integer(domain.size)))
            execution.fail_if(outside, f"the value is outside {domain}")
        return value.expression
    raise execution.error(f"{value._kind} cannot be stored where {domain} is expected")


def same_kind(a: Domain, b: Domain) -> bool:
    """Whether two scalar domains have the same values at the same codes, up to their sizes."""
    if isinstance(a, IdentifierDomain) and isinstance(b, IdentifierDomain):
        return a.prefix == b.prefix
    if isinstance(a, EnumDomain) and isinstance(b, EnumDomain):
        return a.type is b.type
    return False


def _encode_known(execution: Execution, domain: Scalar, value: Any) -> Expression:
    graph = execution.graph
    code = domain.code(value)
    if code is None:
        expected = {IntegerDomain: int, IdentifierDomain: Identifier}.get(type(domain))
        if value is not None and (expected is None or not isinstance(value, expected) or isinstance(value, bool)):
            raise execution.error(f"{value!r} cannot be stored where {domain} is expected")
        execution.fail_if(graph.true, f"{value!r} is outside {domain}")
        code = 0
    return graph.boolean(bool(code)) if isinstance(domain, BooleanDomain) else graph.integer(code)


def _encode_integer(execution: Execution, domain: IntegerDomain, value: Expression) -> Expression:
    graph = execution.graph
    low, high = graph.integer(domain.low), graph.integer(domain.high)
    execution.fail_if(graph.or_(graph.lt(value, low), graph.lt(high, value)), f"the value is outside {domain}")
    return graph.offset(value, -domain.low)


def _encode_optional(execution: Execution, domain: OptionalScalar, value: Any) -> Expression:
    graph = execution.graph
    if value is None:
        return graph.integer(0)
    if isinstance(value, SymOptional):
        if same_kind(domain.element, value.domain.element) and value.domain.size <= domain.size:
            return value.expression
        present = graph.not_(value.is_none())
        with execution.under(present):
            code = graph.offset(encode(execution, domain.element, value.element()), 1)
        return graph.ite(present, code, graph.integer(0))
    code = encode(execution, domain.element, value)
    return graph.offset(graph.as_integer(code) if code.sort == "bool" else code, 1)


def _encode_set(execution: Execution, domain: SetDomain, value: Any) -> Expression:
    graph = execution.graph
    if isinstance(value, SymSet):
        if len(value.domain.universe) == len(domain.universe) and value.domain.universe == domain.universe:
            return value.expression
        bits = [
            (graph.member(value.expression, graph.integer(i)), element)
            for i, element in enumerate(value.domain.universe)
        ]
        return _encode_set(execution, domain, LooseSet(execution, bits))
    if isinstance(value, LooseSet):
        total = graph.mask(0)
        for present, element in value.elements:
            with execution.under(present):
                single = graph.singleton(position(execution, domain.element, element))
            total = graph.union(total, graph.ite(present, single, graph.mask(0)))
        return total
    if isinstance(value, frozenset | set):
        mask = domain.code(value)
        if mask is None:
            execution.fail_if(graph.true, f"{value!r} has elements outside {domain.element}")
            mask = 0
        return graph.mask(mask)
    raise execution.error(f"{value!r} cannot be used where {domain} is expected")


def position(execution: Execution, domain: Domain, value: Any) -> Expression:
    """The position of a value in the enumeration of a domain. Evaluation fails where the value lies outside."""
    graph = execution.graph
    if isinstance(domain, Scalar):
        code = encode(execution, domain, value)
        if code.sort == "set":
            return graph.integer(code.value) if code.is_const else graph.bits(code)
        return graph.as_integer(code) if code.sort == "bool" else code
    if not isinstance(domain, StructDomain):
        raise execution.error(f"the values of {domain} cannot be enumerated")
    if not isinstance(value, Struct | SymStruct):
        raise execution.error(f"{value!r} is not a {domain.type.__name__}")
    total = graph.integer(0)
    for name, part in domain.field_domains.items():
        scaled = graph.mul(total, graph.integer(part.cardinality))
        total = graph.add(scaled, position(execution, part, getattr(value, name)))
    return total


def membership(execution: Execution, members: SymSet, value: Any) -> Expression:
    """Whether a value is in a set; a value outside the universe is in no set."""
    graph = execution.graph
    if isinstance(value, SymOptional):
        present = graph.not_(value.is_none())
        return graph.and_(present, membership(execution, members, value.element()))
    if value is None:
        return graph.false
    element = members.domain.element
    if not isinstance(value, Symbolic):
        at = next((i for i, v in enumerate(members.domain.universe) if v == value), None)
        return graph.false if at is None else graph.member(members.expression, graph.integer(at))
    if isinstance(element, IntegerDomain):
        number = as_int(execution, value)
        if number is None:
            raise execution.error(f"{value._kind} is not an element of {members.domain}")
        inside = graph.and_(
            graph.le(graph.integer(element.low), number), graph.le(number, graph.integer(element.high))
        )
        at_number = graph.offset(number, -element.low)
        if inside is graph.true:
            return graph.member(members.expression, at_number)
        clamped = graph.min(graph.max(at_number, graph.integer(0)), graph.integer(element.size - 1))
        return graph.and_(inside, graph.member(members.expression, clamped))
    return graph.member(members.expression, position(execution, element, value))


def universe_of(execution: Execution, value: LooseSet) -> SetDomain:
    """The smallest set domain that holds every possible element of a set whose universe was not given."""
    domains = [domain_of(execution, element) for _, element in value.elements]
    if all(isinstance(d, IntegerDomain) for d in domains):
        integers = [d for d in domains if isinstance(d, IntegerDomain)]
        return SetDomain(IntegerDomain(min(d.low for d in integers), max(d.high for d in integers)))
    largest = max(domains, key=lambda d: d.size)
    if not all(same_kind(d, largest) for d in domains):
        raise execution.error(
            "the elements of this set are of different kinds", "Store it in a set variable, or use one kind."
        )
    return SetDomain(largest)


def domain_of(execution: Execution, value: Any) -> Scalar:
    """The smallest scalar domain that certainly holds a value."""
    if isinstance(value, SymOptional):
        return value.domain.element
    if isinstance(value, SymScalar):
        return value.domain
    if isinstance(value, Identifier):
        return IdentifierDomain(value.prefix, value.index + 1, value.first)
    number = as_int(execution, value)
    if number is not None:
        return IntegerDomain(number.low, number.high)
    if not isinstance(value, Symbolic) and hasattr(type(value), "__members__"):
        return EnumDomain(type(value))
    raise execution.error(f"the universe of a set that holds {value!r} is not known", "Assign it to a set variable.")
