"""From the codes of leaves to Arrow columns: one for each field of a state, by the name that the specification has.

A record is a struct, and so is a map, whose fields are its keys: `replicas[b1].hw` of the specification is the column
`replicas.b1.hw`. Sets and logs are lists, in the order of their domain and of their offsets. None is null. Names are
written as in traces (`itf_values`). A column keeps nothing of the specification, so that it can be sent elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from epochal.errors import UsageError
from epochal.spec.language import Protocol
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    EnumDomain,
    IdentifierDomain,
    IntegerDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    SetDomain,
    StructDomain,
)

from ..trace.itf_values import NameCodec

Codes = NDArray[np.uint64]
"""The codes of one leaf, a row each."""

LARGEST = (1 << 63) - 1
"""The largest integer of a column: SQL has no unsigned ones of 64 bits."""


class Column(ABC):
    """A field of a state: its Arrow type, and its values from the codes of its leaves."""

    type: Any

    @abstractmethod
    def decoded(self, leaves: Sequence[Codes]) -> Any:
        """The Arrow array of the values whose codes these are, one array of codes for each leaf."""


class IntegerColumn(Column):
    """64-bit integers, whatever the bounds are: tables of different bounds have the same types."""

    type = pa.int64()

    def __init__(self, domain: IntegerDomain) -> None:
        if not -LARGEST <= domain.low <= domain.high <= LARGEST:
            raise UsageError(f"{domain} has integers that no column of 64 bits can hold", "Use a smaller domain.")
        self._low = domain.low

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        return pa.array(leaves[0].astype(np.int64) + self._low, self.type)


class BooleanColumn(Column):
    """False and true."""

    type = pa.bool_()

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        return pa.array(leaves[0] != 0, self.type)


class NameColumn(Column):
    """Identifiers and members of enumerations, as text."""

    type = pa.string()

    def __init__(self, domain: IdentifierDomain | EnumDomain) -> None:
        self._names = pa.array(NameCodec(domain).names, self.type)

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        return self._names.take(pa.array(leaves[0].astype(np.int64)))


class OptionalColumn(Column):
    """A scalar or none: null for code 0."""

    def __init__(self, domain: OptionalScalar) -> None:
        self._element = column_of(domain.element)
        self.type = self._element.type

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        there = leaves[0] != 0
        places = np.where(there, np.cumsum(there) - 1, 0)
        values = self._element.decoded([leaves[0][there] - np.uint64(1)])
        return values.take(pa.array(places, mask=~there))


class SetColumn(Column):
    """A set: the list of its members. A code has a bit for each value that may be in it."""

    def __init__(self, domain: SetDomain) -> None:
        element = column_of(domain.element)
        self.type = pa.list_(element.type)
        self._members = pa.array([plain(domain.element, value) for value in domain.universe], element.type)

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        bits = np.arange(len(self._members), dtype=np.uint64)
        there = (leaves[0][:, None] >> bits & np.uint64(1)) != 0
        ends = np.concatenate([np.zeros(1, np.int32), np.cumsum(there.sum(axis=1), dtype=np.int32)])
        return pa.ListArray.from_arrays(pa.array(ends), self._members.take(pa.array(np.nonzero(there)[1])))


class StructColumn(Column):
    """A record, or a map: columns by name. `present` says that the first leaf tells whether there is a record."""

    def __init__(self, parts: Sequence[tuple[str, Domain]], present: bool = False) -> None:
        self._parts = [(column_of(domain), domain.leaf_count) for _, domain in parts]
        self._present = present
        named = zip(parts, self._parts, strict=True)
        self.type = pa.struct([pa.field(name, column.type) for (name, _), (column, _) in named])

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        at, arrays = int(self._present), []
        for column, count in self._parts:
            arrays.append(column.decoded(leaves[at : at + count]))
            at += count
        absent = pa.array(leaves[0] == 0) if self._present else None
        return pa.StructArray.from_arrays(arrays, fields=list(self.type), mask=absent)


class LogColumn(Column):
    """A log: a list of as many entries as it has."""

    def __init__(self, domain: LogDomain) -> None:
        self._entry, self._each, self._capacity = column_of(domain.entry), domain.entry.leaf_count, domain.capacity
        self.type = pa.list_(self._entry.type)

    def decoded(self, leaves: Sequence[Codes]) -> Any:
        lengths = leaves[0].astype(np.int32)
        ends = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
        used = np.arange(self._capacity, dtype=np.int32) < lengths[:, None]
        slots = [np.stack(leaves[1 + leaf :: self._each], axis=1)[used] for leaf in range(self._each)]
        return pa.ListArray.from_arrays(pa.array(ends), self._entry.decoded(slots))


def column_of(domain: Domain) -> Column:
    """The column of a domain."""
    match domain:
        case IntegerDomain():
            return IntegerColumn(domain)
        case BooleanDomain():
            return BooleanColumn()
        case IdentifierDomain() | EnumDomain():
            return NameColumn(domain)
        case OptionalScalar():
            return OptionalColumn(domain)
        case SetDomain():
            return SetColumn(domain)
        case OptionalStruct():
            return StructColumn(list(domain.element.field_domains.items()), present=True)
        case StructDomain():
            return StructColumn(list(domain.field_domains.items()))
        case MapDomain():
            return StructColumn([(domain.key.show(key), domain.value) for key in domain.keys])
        case LogDomain():
            return LogColumn(domain)
    raise TypeError(f"{domain} has no column")  # pragma: no cover  # there is no other domain


def plain(domain: Domain, value: Any) -> Any:
    """A value of the Python reading as Arrow takes it: text, numbers, lists, dictionaries, and None."""
    match domain:
        case OptionalScalar():
            return None if value is None else plain(domain.element, value)
        case SetDomain():
            return [plain(domain.element, member) for member in sorted(value, key=domain.element.index)]
        case IdentifierDomain() | EnumDomain():
            return NameCodec(domain).names[cast(int, domain.code(value))]
        case OptionalStruct():
            return None if value is None else plain(domain.element, value)
        case StructDomain():
            return {name: plain(inner, getattr(value, name)) for name, inner in domain.field_domains.items()}
        case MapDomain():
            return {domain.key.show(key): plain(domain.value, value[key]) for key in domain.keys}
        case LogDomain():
            return [plain(domain.entry, entry) for entry in value]
    return value


class StateColumns:
    """All fields of a state, variable by variable. `taken` are names that other columns have already."""

    def __init__(self, protocol: Protocol, taken: Iterable[str] = ()) -> None:
        used = {name.lower() for name in taken}
        self._columns: list[tuple[Column, int, int]] = []
        self.names: dict[str, str] = {}
        fields = []
        for name, variable in protocol.variables.items():
            shown = name
            while shown.lower() in used:  # SQL does not tell capitals from small letters
                shown += "_"
            used.add(shown.lower())
            self.names[name] = shown
            column = column_of(variable.domain)
            self._columns.append((column, variable.first_leaf, variable.domain.leaf_count))
            fields.append(pa.field(shown, column.type))
        self.schema = pa.schema(fields)

    def decoded(self, leaves: Sequence[Codes]) -> list[Any]:
        """The columns of states whose codes these are, one array of codes for each leaf of a state."""
        return [column.decoded(leaves[first : first + count]) for column, first, count in self._columns]
