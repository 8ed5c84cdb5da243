"""Whether two protocols have the same states: the same variables, each with the same leaves over the same values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from epochal.spec.language import LanguageError, Protocol
from epochal.spec.language.domains import Domain, EnumDomain, OptionalScalar, SetDomain


def first_difference(a: Protocol, b: Protocol) -> str:
    """The first thing in which the states of two protocols differ, in words; "" if they are of one shape."""
    return next(_differences(a, b), "")


def refuse_other_shape(a: Protocol, b: Protocol, name: str) -> None:
    """Raise LanguageError, naming the first difference, unless the states of `b` (called `name`) are those of `a`."""
    found = first_difference(a, b)
    if found:
        raise LanguageError(
            f"the states of {a.name} and of {name} differ: {found}",
            advice="Both need the same variables, in the same order and at the same bounds.",
        )


def _differences(a: Protocol, b: Protocol) -> Iterator[str]:
    for ours, theirs in zip_longest(a.variables.items(), b.variables.items()):
        if ours is None or theirs is None or ours[0] != theirs[0]:
            yield _only(ours[0] if ours else None, theirs[0] if theirs else None)
            return
        if ours[1].ghost != theirs[1].ghost:
            yield f"{ours[0]} is history in one of them only"
    for leaf, other in zip_longest(a.leaves, b.leaves):
        if leaf is None or other is None or leaf.path != other.path:
            yield _only(leaf.path if leaf else None, other.path if other else None)
            return
        if _values(leaf.domain) != _values(other.domain):
            yield f"{leaf.path} is of {leaf.domain} in the first and of {other.domain} in the second"


def _only(first: str | None, second: str | None) -> str:
    return f"the first has {first or 'no more'} where the second has {second or 'no more'}"


def _values(domain: Domain) -> tuple[object, ...]:
    """What tells the values of two scalar domains apart, code by code."""
    if isinstance(domain, EnumDomain):
        return tuple(member.name for member in domain.values())
    if isinstance(domain, OptionalScalar | SetDomain):
        return type(domain), *_values(domain.element)
    return type(domain), str(domain)
