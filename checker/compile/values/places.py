"""References into the state: records, maps and logs that can be read and assigned part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from epochal.spec.language import Identifier, Log, Struct
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    IdentifierDomain,
    IntegerDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    Scalar,
    SetDomain,
    StructDomain,
    UnionDomain,
)
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ..execution import Execution, Place, View
from .collections import (
    GuardedList,
    Origin,
    SymbolicSet,
    SymMaybeStruct,
    SymOptional,
    SymSet,
    SymStruct,
    compacted,
    decode,
    joined_lists,
)
from .entries import occurrences, place_of
from .known import family_of, field_of, kind_of, record_domain, record_type, same_kind, same_values
from .symbolic import Family, Guarded, Symbolic, as_int, int_value, is_truth

# -- codec ------------------------------------------------------------------------------------------------------------
# Between values and the codes of scalar domains, symbolically; and positions of elements in the universe of a set.

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
    if isinstance(domain, UnionDomain):
        found = domain.kind_of(record_type(value)) if family_of(value) is Family.RECORD else None
        if found is None:
            return graph.false, graph.integer(0)
        inside, at = _locate_record(execution, found[1], value)
        return inside, graph.offset(at, found[0])
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


# -- stored -----------------------------------------------------------------------------------------------------------
# What lies at a place of the state: its present value, and storing another one there.


def snapshot(execution: Execution, place: Place) -> Any:
    """The present value of a record, optional record or scalar, independent of later writes."""
    domain = place.domain
    if isinstance(domain, StructDomain):
        fields = {
            name: snapshot(execution, place.child(part, domain.offsets[name]))
            for name, part in domain.field_domains.items()
        }
        if all(not isinstance(value, Symbolic) for value in fields.values()):
            return domain.type(**fields)
        return SymStruct(execution, domain.type, fields)
    if isinstance(domain, OptionalStruct):
        present = execution.read_leaf(place)
        if present is execution.graph.false:
            return None
        record = snapshot(execution, place.child(domain.element, 1))
        if isinstance(record, Struct):
            record = SymStruct(execution, type(record), dict(zip(record.fields, record.field_values(), strict=True)))
        return record if present is execution.graph.true else SymMaybeStruct(execution, present, record)
    if isinstance(domain, Scalar):
        return decode(execution, domain, execution.read_leaf(place))
    raise execution.error(f"{domain} cannot stand inside a value", "Keep maps and logs in state variables.")


def overwrite(execution: Execution, place: Place, value: Any) -> None:
    """Assign to a place: what was read from it as a whole before does not change with it."""
    if isinstance(place.domain, Scalar):
        write(execution, place, value)
        place.note_change(whole=False)
        return
    view = place.view
    beside = View(list(view.leaves), view.writable)  # the value may be made of parts of what it replaces
    write(execution, Place(beside, place.domain, place.alternatives), value)
    view.leaves[:] = beside.leaves
    place.note_change(whole=True)


def write(execution: Execution, place: Place, value: Any) -> None:
    """Store a value at a place. Evaluation fails where it lies outside the domain."""
    domain = place.domain
    if isinstance(domain, Scalar):
        execution.write_leaf(place, 0, encode(execution, domain, value))
    elif isinstance(domain, StructDomain):
        if isinstance(value, SymMaybeStruct):
            value = value.required()
        elif value is None:
            execution.fail_if(execution.graph.true, "none is used as a record")
        if family_of(value) is not Family.RECORD or not issubclass(record_type(value), domain.type):
            raise execution.error(
                f"{shown_value(value)} is not a {domain.type.__name__}", "Store a record of that class."
            )
        parts = {name: field_of(value, name) for name in domain.field_domains}
        for name, part in domain.field_domains.items():
            write(execution, place.child(part, domain.offsets[name]), parts[name])
    elif isinstance(domain, OptionalStruct):
        _write_optional(execution, place, domain, value)
    elif isinstance(domain, MapDomain):
        _refuse_unusable(execution, value)
        if family_of(value) is not Family.MAP:
            raise execution.error(f"{shown_value(value)} is not a map", "Assign its entries in a for loop.")
        items = dict(value.items())
        if set(items) != set(domain.keys):
            raise execution.error(f"the value does not map exactly {domain.key}", "Give every key its value.")
        for i, key in enumerate(domain.keys):
            write(execution, place.child(domain.value, i * domain.value.leaf_count), items[key])
    else:
        assert isinstance(domain, LogDomain)
        _write_log(execution, place, domain, value)


def _write_optional(execution: Execution, place: Place, domain: OptionalStruct, value: Any) -> None:
    graph = execution.graph
    record: Any = value
    present = graph.boolean(value is not None)
    if isinstance(value, SymMaybeStruct):
        present, record = value.present, value.record
    zeros = [zero(execution, place.domain.leaves[i].domain) for i in range(domain.leaf_count)]
    if record is not None:
        with execution.under(present):
            write(execution, place.child(domain.element, 1), record)
    for i in range(1, domain.leaf_count):
        code = execution.read_leaf(place, i) if record is not None else zeros[i]
        execution.write_leaf(place, i, graph.ite(present, code, zeros[i]))
    execution.write_leaf(place, 0, present)


def zero(execution: Execution, domain: Scalar) -> Expression:
    """Code 0 of a leaf, in the leaf's sort."""
    return known_code(execution, domain, 0)


def known_code(execution: Execution, domain: Scalar, code: int) -> Expression:
    """A code of a leaf, in the leaf's sort."""
    if isinstance(domain, SetDomain):
        return execution.graph.mask(code)
    return execution.graph.boolean(bool(code)) if isinstance(domain, BooleanDomain) else execution.graph.integer(code)


def _refuse_unusable(execution: Execution, value: Any) -> None:
    """Refuse to store a variable that branches leave without one value."""
    if isinstance(value, Symbolic) and value.family is Family.UNUSABLE:
        raise execution.error(f"{value.described} is stored as a whole", "Write the if around the assignment.")


def _write_log(execution: Execution, place: Place, domain: LogDomain, value: Any) -> None:
    graph = execution.graph
    _refuse_unusable(execution, value)
    if isinstance(value, GuardedList):
        length, sources = value.length(), compacted(execution, value.elements, value.placed)
    elif isinstance(value, Symbolic) and value.family is Family.LOG:
        length, sources = value.length(), [[slot] for slot in value.guarded()]
    elif isinstance(value, Log | list | tuple):
        length, sources = graph.integer(len(value)), [[(graph.true, entry)] for entry in value]
    else:
        raise execution.error(f"{shown_value(value)} is not a log", "Store a log, a list or a tuple of entries.")
    too_long = graph.lt(graph.integer(domain.capacity), length)
    execution.fail_if(too_long, f"more entries than a log of {domain.capacity} has room for")
    execution.write_leaf(place, 0, length)
    for i in range(domain.capacity):
        slot = place.child(domain.entry, 1 + i * domain.entry.leaf_count)
        for k, leaf in enumerate(domain.entry.leaves):
            execution.write_leaf(slot, k, zero(execution, leaf.domain))
        for condition, entry in sources[i] if i < len(sources) else ():
            write_where(execution, condition, slot, entry)


def write_where(execution: Execution, condition: Expression, place: Place, value: Any) -> None:
    """Store a value at a place in the states where a condition holds."""
    both = execution.graph.and_
    guarded = Place(place.view, place.domain, tuple((both(c, condition), at) for c, at in place.alternatives))
    with execution.under(condition):
        write(execution, guarded, value)


class Reference(Symbolic):
    """A part of the state; what is read through it is the present value."""

    _at: Place
    _made: int

    def __init__(self, execution: Execution, place: Place) -> None:
        self.__dict__.update(_execution=execution, _at=place, _made=place.view.history.clock)

    @property
    def place(self) -> Place:
        """Where the part lies. Refused if it was replaced since: in Python the old value then left the state."""
        place = self._at
        if place.view.history.replaced and place.was_replaced(self._made):
            raise self._execution.error(
                f"this value of {place.domain} was replaced in the state since it was read",
                "Read it again, or read the fields you need into variables before.",
            )
        return place

    @property
    def described(self) -> str:
        return f"a value of {self.place.domain}"


def read(execution: Execution, place: Place) -> Any:
    """The value at a place: scalars as values, everything else as a reference."""
    kind = type(place.domain)  # compared by identity: the domains are an abstract family, whose isinstance is slow
    reference = _REFERENCES.get(kind)
    if reference is not None:
        return reference(execution, place)
    if kind is OptionalStruct:
        return snapshot(execution, place)
    return decode(execution, cast(Scalar, place.domain), execution.read_leaf(place))


class StructReference(Reference):
    """A record in the state; its fields can be read and assigned."""

    family = Family.RECORD
    has_fields = True

    @property
    def record_type(self) -> type[Struct]:
        """The class of the record."""
        return self._domain.type

    @property
    def _domain(self) -> StructDomain:
        return cast(StructDomain, self.place.domain)  # only places of records are referred to so

    def truth(self) -> Expression:
        return self._execution.graph.true

    def hashable(self) -> bool:
        return _is_plain(self._domain)

    def smallest_domain(self) -> Domain | None:
        return record_domain(self._execution, self.record_type, self.field)

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Where this record is, now."""
        return ((self.place, self.place.view.history.clock),)

    def taken(self) -> SymStruct:
        fields = {}
        for name, domain in self._domain.field_domains.items():
            part = self.place.child(domain, self._domain.offsets[name])
            record = isinstance(domain, StructDomain)
            fields[name] = StructReference(self._execution, part).taken() if record else snapshot(self._execution, part)
        return SymStruct(self._execution, self.record_type, fields, self.origins)

    def _field(self, name: str) -> Place:
        domain = self._domain
        if name not in domain.field_domains:
            known = ", ".join(domain.field_domains)
            raise self._execution.error(
                f"{domain.type.__name__} has no field {name!r}; it has {known}", "Use one of its fields."
            )
        return self.place.child(domain.field_domains[name], domain.offsets[name])

    def field(self, name: str) -> Any:
        """A field of the record: its present value, or a reference to it."""
        return read(self._execution, self._field(name))

    def __setattr__(self, name: str, value: object) -> None:
        overwrite(self._execution, self._field(name), value)


class MapReference(Reference):
    """A map in the state."""

    family = Family.MAP
    has_entries = True
    words = frozenset({"keys", "values", "items"})

    @property
    def domain(self) -> MapDomain:
        return cast(MapDomain, self.place.domain)

    def entry(self, key: Any) -> Place:
        """The place of a key's value. Evaluation fails where the key is not in the key domain."""
        graph, domain = self._execution.graph, self.domain
        if family_of(key) is Family.SET and issubclass(kind_of(key), set):
            raise self._execution.error("a plain set is no key", "Write Set(...) around it.")
        step = domain.value.leaf_count
        at = position(self._execution, domain.key, key)
        if at.is_const:
            return self.place.child(domain.value, at.value * step)
        alternatives = [
            (graph.and_(condition, graph.eq(at, graph.integer(k))), base + k * step)
            for condition, base in self.place.alternatives
            for k in range(max(at.low, 0), min(at.high, domain.key.size - 1) + 1)
        ]
        possible = tuple(a for a in alternatives if a[0] is not graph.false)
        return Place(self.place.view, domain.value, possible, self.place.depth + 1)

    def __getitem__(self, key: Any) -> Any:
        return read(self._execution, self.entry(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        overwrite(self._execution, self.entry(key), value)

    def truth(self) -> Expression:
        return self._execution.graph.boolean(len(self) > 0)

    def hashable(self) -> bool:
        return False

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        return [(self._execution.graph.true, key) for key in self.domain.keys]

    def length(self) -> Expression:
        return self._execution.graph.integer(len(self))

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]  # the keys of a map are known; others refuse
        return iter(self.domain.keys)

    def __len__(self) -> int:
        return len(self.domain.keys)

    def __contains__(self, key: object) -> bool:
        return key in self.domain.keys

    def keys(self) -> Iterable[Any]:
        """The keys, in canonical order."""
        return list(self.domain.keys)

    def values(self) -> Iterable[Any]:
        """The values, in the order of their keys."""
        return [self[k] for k in self.domain.keys]

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Keys and values."""
        return [(k, self[k]) for k in self.domain.keys]


class LogReference(Reference):
    """A log in the state."""

    family = Family.LOG
    has_entries = True
    words = frozenset({"append", "truncate", "first", "last", "index", "count"})
    instead = "Write slices and sums of logs and lists: log[1:] + [entry]."

    @property
    def domain(self) -> LogDomain:
        return cast(LogDomain, self.place.domain)

    def truth(self) -> Expression:
        graph = self._execution.graph
        return graph.not_(graph.eq(self.length(), graph.integer(0)))

    def hashable(self) -> bool:
        return False

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        return self.slots()

    def length(self) -> Expression:
        return self._execution.read_leaf(self.place)

    def _slot_place(self, index: int) -> Place:
        if not 0 <= index < self.domain.capacity:
            raise AssertionError(f"slot {index} is asked for, of a log of {self.domain.capacity}")
        return self.place.child(self.domain.entry, 1 + index * self.domain.entry.leaf_count)

    def slot(self, index: int) -> Any:
        """The content of one slot, whether or not the log reaches it."""
        return snapshot(self._execution, self._slot_place(index))

    def slots(self) -> list[tuple[Expression, Any]]:
        """The entries that the log may have, each with the condition that it reaches so far.

        What is known of the length may be more than the capacity, after an append; there is no slot beyond it.
        """
        graph, length = self._execution.graph, self.length()
        reached = min(length.high, self.domain.capacity)
        return [(graph.lt(graph.integer(i), length), self.slot(i)) for i in range(reached)]

    def entry(self, index: Any) -> Place:
        """The place of an entry. Evaluation fails where the log does not reach it."""
        graph = self._execution.graph
        at = as_int(self._execution, index)
        if at is None or is_truth(index):
            raise self._execution.error(f"{shown_value(index)} is not an offset", "Index a log by an integer.")
        outside = graph.or_(graph.lt(at, graph.integer(0)), graph.le(self.length(), at))
        self._execution.fail_if(outside, "the offset is outside the log")
        step = self.domain.entry.leaf_count
        if at.is_const:
            slot = min(max(at.value, 0), self.domain.capacity - 1)
            return self._slot_place(slot)
        alternatives = tuple(
            (graph.and_(condition, graph.eq(at, graph.integer(k))), base + 1 + k * step)
            for condition, base in self.place.alternatives
            for k in range(max(at.low, 0), min(at.high, self.domain.capacity - 1) + 1)
        )
        possible = tuple(a for a in alternatives if a[0] is not graph.false)
        possible = possible or ((graph.true, self._slot_place(0).alternatives[0][1]),)
        return Place(self.place.view, self.domain.entry, possible, self.place.depth + 1)

    def __getitem__(self, index: Any) -> Any:
        return snapshot(self._execution, self.entry(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        write(self._execution, self.entry(index), value)
        self.place.note_change(whole=False)

    def __add__(self, other: object) -> Any:
        return joined_lists(self._execution, self, other)

    def __radd__(self, other: object) -> Any:
        return joined_lists(self._execution, other, self)

    @property
    def first(self) -> Any:
        """The first entry. Evaluation fails where the log is empty."""
        return self[0]

    @property
    def last(self) -> Any:
        """The last entry. Evaluation fails where the log is empty."""
        return self[int_value(self._execution, self._execution.graph.offset(self.length(), -1))]

    def index(self, entry: Any, *limits: Any) -> Any:
        """Where an entry stands first. Evaluation fails where it is not there."""
        return place_of(self._execution, self.slots(), entry, limits, prefix=True)

    def count(self, entry: Any) -> Any:
        """How often an entry stands there."""
        return occurrences(self._execution, self.slots(), entry)

    def append(self, entry: Any) -> None:
        """Write an entry at the end. Evaluation fails where the log is full."""
        graph, capacity = self._execution.graph, self.domain.capacity
        length = self.length()
        self._execution.fail_if(graph.eq(length, graph.integer(capacity)), f"append to a full log ({capacity} entries)")
        for k in range(max(length.low, 0), min(length.high, capacity - 1) + 1):
            here = graph.eq(length, graph.integer(k))
            write_where(self._execution, here, self._slot_place(k), entry)
        self._execution.write_leaf(self.place, 0, graph.offset(length, 1))
        self.place.note_change(whole=False)

    def truncate(self, length: Any) -> None:
        """Keep the first `length` entries. Evaluation fails where the log is shorter."""
        graph = self._execution.graph
        to, end = as_int(self._execution, length), self.length()
        if to is None or is_truth(length):
            raise self._execution.error(f"{shown_value(length)} is not a length", "Truncate to an integer.")
        outside = graph.or_(graph.lt(to, graph.integer(0)), graph.lt(end, to))
        self._execution.fail_if(outside, "truncation to a length beyond the end of the log")
        for k in range(self.domain.capacity):
            kept = graph.lt(graph.integer(k), to)
            slot = self._slot_place(k)
            for i, leaf in enumerate(self.domain.entry.leaves):
                code = graph.ite(kept, self._execution.read_leaf(slot, i), zero(self._execution, leaf.domain))
                self._execution.write_leaf(slot, i, code)
        self._execution.write_leaf(self.place, 0, to)
        self.place.note_change(whole=False)


def _is_plain(domain: Domain) -> bool:
    """Whether the values of a domain have no maps and logs in them."""
    if isinstance(domain, StructDomain):
        return all(_is_plain(part) for part in domain.field_domains.values())
    return not isinstance(domain, MapDomain | LogDomain)


_REFERENCES: Mapping[type[Domain], type[Reference]] = {
    StructDomain: StructReference,
    MapDomain: MapReference,
    LogDomain: LogReference,
}
