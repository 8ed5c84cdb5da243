"""What people read of a state: its leaves by short names, or a few lines, one for each broker.

A variable that maps identifiers is shown from the identifier's side: `b1.hw` is the field `hw` of `replicas[b1]`, and
`b2.offsets` the entry of b2 in the variable `offsets`. A record with a `text_format` is one value; other records are
shown field by field. Every slot of a log has its leaf, `-` beyond the end of the log.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from .domains import Domain, IdentifierDomain, LogDomain, MapDomain, OptionalStruct, StructDomain
from .members import Variable

ABSENT = "-"


class HasVariables(Protocol):
    """A protocol within bounds, of which only the variables are shown."""

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The state variables in the order of their declaration."""


class Naming(enum.Enum):
    """How the leaves of a variable are named; each is tried only where the one before would name two leaves alike."""

    KEY_ONLY = enum.auto()
    KEY_AND_VARIABLE = enum.auto()
    VARIABLE_FIRST = enum.auto()


def shown_leaves(protocol: HasVariables, codes: Sequence[int]) -> dict[str, str]:
    """The leaves of the state with these codes: path and value as text, in the order of the state's variables.

    The paths depend on the protocol and its bounds only, so that two states can be compared path by path.
    """
    found: dict[str, str] = {}
    for variable, naming in _namings(protocol).items():
        value = variable.domain.unflatten(codes, variable.first_leaf, None)
        found |= _variable_leaves(variable, value, naming)
    return found


def shown_lines(protocol: HasVariables, codes: Sequence[int]) -> dict[str, str]:
    """The same state in a few lines: one for each identifier that variables are shown by, one for each other variable.

    Maps the line's head (`b1`, `quorum`) to its text (`log [r0@e0], hw 1, leader b1`).
    """
    parts: dict[str, list[str]] = {}
    for name, variable in protocol.variables.items():
        domain = variable.domain
        value = domain.unflatten(codes, variable.first_leaf, None)
        if isinstance(domain, MapDomain) and isinstance(domain.key, IdentifierDomain):
            for key in domain.keys:
                fields = _fields(domain.value)
                text = _one_line(domain.value, value[key]) if fields else f"{name} {domain.value.show(value[key])}"
                parts.setdefault(domain.key.show(key), []).append(text)
        else:
            parts.setdefault(name, []).append(_one_line(domain, value))
    return {head: ", ".join(texts) for head, texts in parts.items()}


def _fields(domain: Domain) -> dict[str, Domain] | None:
    """The fields of a record that is shown field by field; None for every other domain."""
    record = domain.element if isinstance(domain, OptionalStruct) else domain
    if isinstance(record, StructDomain) and record.type.text_format is None:
        return record.field_domains
    return None


def _one_line(domain: Domain, value: Any) -> str:
    fields = _fields(domain)
    if fields is None or value is None:
        return domain.show(value)
    return ", ".join(f"{name} {field.show(value.__dict__[name])}" for name, field in fields.items())


class _Beyond:
    """Stands for the value of a slot beyond the end of a log, and for the fields of a record that is none."""


_BEYOND = _Beyond()


def _leaves(domain: Domain, value: Any, path: str) -> Iterator[tuple[str, str]]:
    """The leaves of a value; below a value that is not there every leaf is `-`."""
    fields = _fields(domain)
    there = value is not _BEYOND
    if fields is not None:
        for name, field in fields.items():
            yield from _leaves(
                field, value.__dict__[name] if there and value is not None else _BEYOND, f"{path}.{name}"
            )
    elif isinstance(domain, MapDomain):
        for key in domain.keys:
            yield from _leaves(domain.value, value[key] if there else _BEYOND, f"{path}[{domain.key.show(key)}]")
    elif isinstance(domain, LogDomain):
        end = len(value) if there else 0
        for slot in range(domain.capacity):
            yield from _leaves(domain.entry, value[slot] if slot < end else _BEYOND, f"{path}[{slot}]")
    else:
        yield path, domain.show(value) if there else ABSENT


def _variable_leaves(variable: Variable, value: Any, naming: Naming) -> dict[str, str]:
    """The leaves of one variable. Naming matters only for a map keyed by identifiers."""
    domain = variable.domain
    if naming is Naming.VARIABLE_FIRST or not isinstance(domain, MapDomain):
        return dict(_leaves(domain, value, variable.name))
    found: dict[str, str] = {}
    for key in domain.keys:
        head = domain.key.show(key)
        if naming is Naming.KEY_AND_VARIABLE or _fields(domain.value) is None:
            head = f"{head}.{variable.name}"
        found |= _leaves(domain.value, _BEYOND if value is _BEYOND else value[key], head)
    return found


def _namings(protocol: HasVariables) -> dict[Variable, Naming]:
    """The shortest naming of each variable under which no two leaves of the state have the same path."""
    order = list(Naming)
    chosen: dict[Variable, Naming] = {}
    for variable in protocol.variables.values():
        domain = variable.domain
        by_identifier = isinstance(domain, MapDomain) and isinstance(domain.key, IdentifierDomain)
        chosen[variable] = Naming.KEY_ONLY if by_identifier else Naming.VARIABLE_FIRST
    while True:
        paths = {variable: list(_variable_leaves(variable, _BEYOND, naming)) for variable, naming in chosen.items()}
        count = Counter(path for found in paths.values() for path in found)
        again = [v for v, found in paths.items() if any(count[p] > 1 for p in found)]
        again = [v for v in again if chosen[v] is not Naming.VARIABLE_FIRST]
        if not again:
            return chosen
        for variable in again:
            chosen[variable] = order[order.index(chosen[variable]) + 1]
