"""Whether two protocols have the same states: the same variables, each with the same leaves over the same values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from epochal.spec.language import LanguageError, Protocol
from epochal.spec.language.domains import Domain, EnumDomain, OptionalScalar, SetDomain


@dataclass(frozen=True)
class StateShape:
    """The states of a protocol as plain data, so that those of another version can be told from them.

    `variables` are names, and whether each is history. A leaf is its path, its domain in words, and what tells its
    values apart, code by code.
    """

    variables: tuple[tuple[str, bool], ...]
    leaves: tuple[tuple[str, str, tuple[str, ...]], ...]


def shape_of(protocol: Protocol) -> StateShape:
    """The shape of a protocol's states."""
    return StateShape(
        tuple((name, variable.ghost) for name, variable in protocol.variables.items()),
        tuple((leaf.path, str(leaf.domain), _values(leaf.domain)) for leaf in protocol.leaves),
    )


def first_difference(a: StateShape, b: StateShape) -> str:
    """The first thing in which two shapes differ, in words; "" if they are the same."""
    return next(_differences(a, b), "")


def refuse_other_shape(a: Protocol, b: Protocol, name: str) -> None:
    """Raise LanguageError, naming the first difference, unless the states of `b` (called `name`) are those of `a`."""
    found = first_difference(shape_of(a), shape_of(b))
    if found:
        raise LanguageError(
            f"the states of {a.name} and of {name} differ: {found}",
            advice="Both need the same variables, in the same order and at the same bounds.",
        )


def _differences(a: StateShape, b: StateShape) -> Iterator[str]:
    for ours, theirs in zip_longest(a.variables, b.variables, fillvalue=("", False)):
        if ours[0] != theirs[0]:
            yield _only(ours[0], theirs[0])
            return
        if ours[1] != theirs[1]:
            yield f"{ours[0]} is history in one of them only"
    for leaf, other in zip_longest(a.leaves, b.leaves, fillvalue=("", "", ())):
        if leaf[0] != other[0]:
            yield _only(leaf[0], other[0])
            return
        if leaf[2] != other[2]:
            yield f"{leaf[0]} is of {leaf[1]} in the first and of {other[1]} in the second"


def _only(first: str, second: str) -> str:
    return f"the first has {first or 'no more'} where the second has {second or 'no more'}"


def _values(domain: Domain) -> tuple[str, ...]:
    """What tells the values of two scalar domains apart, code by code."""
    if isinstance(domain, EnumDomain):
        return tuple(member.name for member in domain.values())
    if isinstance(domain, OptionalScalar | SetDomain):
        return type(domain).__name__, *_values(domain.element)
    return type(domain).__name__, str(domain)
