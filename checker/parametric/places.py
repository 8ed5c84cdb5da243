"""Parts of the state as a rule holds them: records, maps and logs that it can read and change in place."""

from __future__ import annotations

from typing import Any

from epochal.spec.language import Struct

from .domains import Domain, Logs, Maps, Names, Numbers, Optional, Records, Sets, Truths
from .leaves import END, IS_THERE, View
from .run import Run
from .terms import Term, add, constant, le, lt, not_, or_
from .values import (
    Choice,
    Members,
    Named,
    Perhaps,
    Record,
    Truth,
    Unusable,
    Value,
    choice_of,
    condition,
    number,
    number_of,
    truth,
)

Arguments = tuple[Term, ...]


class Place(Value):
    """A part of a state, at a path of leaves with the arguments given so far."""

    def __init__(self, run: Run, view: View, domain: Domain, path: str, arguments: Arguments) -> None:
        super().__init__(run)
        self.view, self.domain, self.path, self.arguments = view, domain, path, arguments
        self.since = view.clock

    def fresh(self) -> Place:
        """The place itself, unless what lay there has been replaced since."""
        if self.view.stale(self.path, self.since):
            self.run.refuse("a part of the state that was assigned as a whole since it was named", "Read it again.")
        return self


class RecordPlace(Place):
    """A record of the state."""

    described = "a record of the state"
    domain: Records

    def field(self, name: str) -> Any:
        self.fresh()
        if name not in dict(self.domain.fields):
            self.run.refuse(f"{name} of a {self.domain.type.__name__}", "Use its fields.")
        return read(self.run, self.view, self.domain.field(name), f"{self.path}.{name}", self.arguments)

    def assign(self, name: str, value: Any) -> None:
        """Assign to a field."""
        self.fresh()
        if name not in dict(self.domain.fields):
            self.run.refuse(f"{name} of a {self.domain.type.__name__}", "Use its fields.")
        self.view.touch(self.path)
        write(self.run, self.view, self.domain.field(name), f"{self.path}.{name}", self.arguments, value)


class MapPlace(Place):
    """A map of the state."""

    described = "a map of the state"
    domain: Maps

    def _at(self, key: Any) -> Arguments:
        self.fresh()
        domain = self.domain.key
        term = scalar(self.run, key, domain, "a key")
        if isinstance(domain, Numbers):
            self.run.fail_if(not_(domain.has(term)), "the key is not one of the map")
        return (*self.arguments, term)

    def __getitem__(self, key: Any) -> Any:
        return read(self.run, self.view, self.domain.value, self.path, self._at(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        write(self.run, self.view, self.domain.value, self.path, self._at(key), value)

    def field(self, name: str) -> Any:
        return (lambda: self.fresh()) if name == "keys" else super().field(name)


class LogPlace(Place):
    """A log of the state."""

    described = "a log of the state"
    domain: Logs

    @property
    def end(self) -> Term:
        """How many entries there are."""
        self.fresh()
        return self.view.leaf(self.path + END, self.arguments)

    def entry(self, offset: Term) -> Any:
        """The entry at an offset, which lies in the log."""
        found = read(self.run, self.view, self.domain.entry, self.path, (*self.arguments, offset))
        return taken(self.run, found)

    def _offset(self, offset: Any) -> Term:
        if isinstance(offset, Perhaps):
            offset = offset.needed()
        term = number_of(self.run, offset)
        outside = or_(lt(term, constant(0)), le(self.end, term))
        self.run.fail_if(outside, "the offset is outside the log")
        return term

    def __getitem__(self, offset: Any) -> Any:
        return self.entry(self._offset(offset))

    def __setitem__(self, offset: Any, value: Any) -> None:
        at = (*self.arguments, self._offset(offset))
        write(self.run, self.view, self.domain.entry, self.path, at, value)

    def append(self, value: Any) -> None:
        """Write an entry at the end."""
        end = self.end
        self.run.fail_if(le(self.domain.capacity, end), "append to a full log")
        write(self.run, self.view, self.domain.entry, self.path, (*self.arguments, end), value)
        change(self.run, self.view, self.path + END, self.arguments, add(end, constant(1)))

    def truncate(self, length: Any) -> None:
        """Keep the first entries."""
        term = number_of(self.run, length)
        self.run.fail_if(or_(lt(term, constant(0)), lt(self.end, term)), "truncation to beyond the end")
        change(self.run, self.view, self.path + END, self.arguments, term)

    def field(self, name: str) -> Any:
        if name == "last":
            self.run.fail_if(le(self.end, constant(0)), "the last entry of an empty log")
            return self.entry(add(self.end, constant(-1)))
        words = {"append": self.append, "truncate": self.truncate}
        return words[name] if name in words else super().field(name)


# -- reading and writing ------------------------------------------------------------------------------------------


def read(run: Run, view: View, domain: Domain, path: str, arguments: Arguments) -> Any:
    """What lies at a place: a value, or a part of the state that can be changed."""
    if isinstance(domain, Records):
        return RecordPlace(run, view, domain, path, arguments)
    if isinstance(domain, Maps):
        return MapPlace(run, view, domain, path, arguments)
    if isinstance(domain, Logs):
        return LogPlace(run, view, domain, path, arguments)
    if isinstance(domain, Sets):
        return Members(run, domain.element, view.members(path, arguments))
    if isinstance(domain, Optional):
        element = taken(run, read(run, view, domain.element, path, arguments))
        return Perhaps(run, view.leaf(path + IS_THERE, arguments), element)
    term = view.leaf(path, arguments)
    if isinstance(domain, Truths):
        return truth(run, term)
    if isinstance(domain, Names):
        return Named(run, term)
    return number(run, term) if domain.members is None else Choice(run, term, domain.members)


def taken(run: Run, value: Any) -> Any:
    """A record of the state as it is now; other values are what they are."""
    if isinstance(value, RecordPlace):
        fields = {name: taken(run, value.field(name)) for name, _ in value.domain.fields}
        return Record(run, value.domain.type, fields)
    if isinstance(value, Place):
        run.refuse(f"{value.described} inside a record that is copied", "Assign its parts one by one.")
    return value


def kept(run: Run, value: Any) -> Any:
    """The same, for later use: Python has a reference, which sees what is changed in place, so that this is refused."""
    if not isinstance(value, RecordPlace):
        return value
    view, path, since = value.view, value.path, value.view.clock

    def usable() -> None:
        if view.changed_in_place(path, since):
            run.refuse("a record of the state of which a part was changed since it was named", "Read it again.")

    found = taken(run, value)
    return Record(run, found.type, found.values, usable)


def taken_record(run: Run, value: Any) -> Any:
    """The same; maps and logs stay parts of the state."""
    return taken(run, value) if isinstance(value, RecordPlace) else value


def scalar(run: Run, value: Any, domain: Truths | Numbers | Names, what: str) -> Term:
    """A value as a term of a scalar domain; its range is not looked at. None is no value: evaluation fails with it."""
    if isinstance(value, Perhaps):
        value = value.needed()
    if isinstance(value, Unusable):
        value.refuse()
    if isinstance(domain, Names) and isinstance(value, Named) and value.term.sort == domain.sort:
        return value.term
    if isinstance(domain, Truths) and isinstance(value, Truth | bool):
        return condition(run, value)
    if isinstance(domain, Numbers):
        if domain.members is None:
            return number_of(run, value)
        if (place := choice_of(value, domain.members)) is not None:
            return place
    shown = value.described if isinstance(value, Value) else repr(value)
    run.refuse(f"{shown} as {what} of another kind", "Use a value of the domain that is declared.")


def write(run: Run, view: View, domain: Domain, path: str, arguments: Arguments, value: Any) -> None:
    """Assign a value. Evaluation fails where a number lies outside its domain."""
    if isinstance(value, Unusable):
        value.refuse()
    if isinstance(domain, Logs) and isinstance(value, LogPlace) and value.domain.entry == domain.entry:
        _copy_log(run, view, domain, path, arguments, value)
        return
    if isinstance(domain, Maps | Logs):
        run.refuse("assignment of a whole map or log", "Assign its entries, or append and truncate.")
    if isinstance(domain, Records):
        _write_record(run, view, domain, path, arguments, value)
    elif isinstance(domain, Optional):
        _write_optional(run, view, domain, path, arguments, value)
    elif isinstance(domain, Sets):
        if isinstance(value, frozenset | set) and not value:
            value = Members(run, domain.element, lambda member: constant(False))
        if not isinstance(value, Members) or value.element not in (None, domain.element):
            run.refuse("something else than a set of these identifiers in their place", "Assign a set of them.")
        change(run, view, path, arguments, value.has)
    else:
        term = scalar(run, value, domain, f"the value of {path}")
        if isinstance(domain, Numbers) and domain.members is None:
            run.fail_if(not_(domain.has(term)), f"the value is outside the domain of {path}")
        change(run, view, path, arguments, term)


def leaves_under(view: View, path: str) -> list[str]:
    """The leaves of what lies at a path."""
    return [one for one in view.leaves if one == path or one.startswith((path + ".", path + IS_THERE))]


def _copy_log(run: Run, view: View, domain: Logs, path: str, arguments: Arguments, source: LogPlace) -> None:
    """Assign a log: its end, and its entries as they are now."""
    run.fail_if(lt(domain.capacity, source.end), "the log is longer than what it is assigned to can be")
    for leaf in leaves_under(source.view, source.path):
        now, at = source.view.leaves[leaf], source.arguments
        source.view.accesses.read.append((leaf, at))
        change(run, view, path + leaf.removeprefix(source.path), arguments, lambda left, n=now, a=at: n((*a, *left)))
    view.replace(path)


def _write_record(run: Run, view: View, domain: Records, path: str, arguments: Arguments, value: Any) -> None:
    if isinstance(value, Perhaps):
        value = value.needed()
    value = taken(run, value)
    if isinstance(value, Record) and value.type is domain.type:
        parts = value.values
    elif isinstance(value, Struct) and type(value) is domain.type:
        parts = dict(zip(value.fields, value.field_values(), strict=True))
    else:
        run.refuse(f"something else than a {domain.type.__name__} in its place", "Assign a record of this class.")
    for name, field in domain.fields:
        write(run, view, field, f"{path}.{name}", arguments, parts[name])
    view.replace(path)


def _write_optional(run: Run, view: View, domain: Optional, path: str, arguments: Arguments, value: Any) -> None:
    if value is None:
        change(run, view, path + IS_THERE, arguments, constant(False))
        return
    there = value.there if isinstance(value, Perhaps) else constant(True)
    element = value.element if isinstance(value, Perhaps) else value
    change(run, view, path + IS_THERE, arguments, there)
    if element is not None:
        with run.under(there):
            write(run, view, domain.element, path, arguments, element)


def change(run: Run, view: View, path: str, arguments: Arguments, value: Any) -> None:
    """Change a leaf, if the state may be changed here."""
    if not view.writable:
        run.refuse("a change of the state in a property", "Only actions assign.")
    if run.operands:
        run.refuse("a change of the state inside an operand or a comprehension", "Write it as a statement.")
    view.set(path, arguments, value)
