"""What lies at a place of the state: its present value, and storing another one there."""

from __future__ import annotations

from typing import Any

from epochal.spec.language import Log, Struct
from epochal.spec.language.domains import (
    BooleanDomain,
    LogDomain,
    MapDomain,
    OptionalStruct,
    Scalar,
    SetDomain,
    StructDomain,
)
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ..execution import Execution, Place, View
from .codec import encode
from .families import Family
from .known import family_of, field_of, record_type
from .records import SymMaybeStruct, SymStruct
from .scalars import decode
from .sequences import GuardedList
from .symbolic import Guarded, Symbolic


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


def replace(execution: Execution, place: Place, value: Any) -> None:
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
    if isinstance(domain, SetDomain):
        return execution.graph.mask(0)
    return execution.graph.false if isinstance(domain, BooleanDomain) else execution.graph.integer(0)


def _write_log(execution: Execution, place: Place, domain: LogDomain, value: Any) -> None:
    graph = execution.graph
    if isinstance(value, GuardedList):
        length, sources = _compacted(execution, value.elements)
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


def _compacted(execution: Execution, elements: list[Guarded]) -> tuple[Expression, list[list[Guarded]]]:
    """How many elements are present, and for each place in their sequence which of them may stand there, and when."""
    graph = execution.graph
    before = graph.integer(0)
    sources: list[list[Guarded]] = [[] for _ in elements]
    for i, (present, element) in enumerate(elements):
        for k in range(i + 1):
            here = graph.and_(present, graph.eq(before, graph.integer(k)))
            if here is not graph.false:
                sources[k].append((here, element))
        before = graph.add(before, graph.as_integer(present))
    return before, sources


def write_where(execution: Execution, condition: Expression, place: Place, value: Any) -> None:
    """Store a value at a place in the states where a condition holds."""
    both = execution.graph.and_
    guarded = Place(place.view, place.domain, tuple((both(c, condition), at) for c, at in place.alternatives))
    with execution.under(condition):
        write(execution, guarded, value)
