"""The values that rules see while they are read as TLA+: terms with a kind, and places of the state."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from epochal.spec.language import Identifier, LanguageError, SourceLine, Struct
from epochal.spec.language.values import Log, Map

from . import terms
from .kinds import BOOL, INT, NONE, NOTHING, Domains, Kind, Limits
from .terms import FALSE, TRUE, Step, Term

# -- runs -------------------------------------------------------------------------------------------------------------


@dataclass
class Guard:
    """A condition under which a step can be taken: one that the rule requires, or those of two branches."""

    condition: Term
    bounded: bool = False
    then: list[Guard] | None = None
    orelse: list[Guard] = field(default_factory=list)


def as_term(guards: Sequence[Guard]) -> Term:
    """All guards as one condition."""
    return terms.and_(*map(_as_term, guards))


def _as_term(guard: Guard) -> Term:
    if guard.then is None:
        return guard.condition
    return terms.ite(guard.condition, as_term(guard.then), as_term(guard.orelse))


def stopped(guards: Sequence[Guard]) -> Term:
    """That nothing but a bound keeps a step from being taken: one is met after all guards before it were true."""
    found, before = [], TRUE
    for guard in guards:
        if guard.then is not None:
            inside = terms.ite(guard.condition, stopped(guard.then), stopped(guard.orelse))
            found.append(terms.and_(before, inside))
        elif guard.bounded:
            found.append(terms.and_(before, terms.not_(guard.condition)))
        before = terms.and_(before, _as_term(guard))
    return terms.or_(*found)


class PathEnds(Exception):
    """Nothing follows on the path that is read: a guard on it is never true."""


class HasEffect(Exception):
    """A helper that is read as an operator changes the state, or requires something."""


class View:
    """A state while a rule is read: the value of each variable as a term over the state in which the step begins.

    `pristine` are the terms that variables have in that state; None for a view whose parts are records of another.
    """

    def __init__(self, variables: Mapping[str, Kind], values: Mapping[str, Term], writable: bool) -> None:
        self.variables, self.values, self.writable = variables, dict(values), writable
        self.pristine = dict(values)

    def read(self, variable: str, path: Sequence[Step]) -> Term:
        """A part of a variable, as it is now."""
        return terms.read(self.values[variable], path)

    def write(self, variable: str, path: Sequence[Step], value: Term) -> None:
        """Change a part of a variable."""
        if not self.writable:
            raise HasEffect
        self.values[variable] = terms.updated(self.values[variable], path, value)

    @property
    def changed(self) -> frozenset[str]:
        """The variables that were changed."""
        return frozenset(name for name, value in self.values.items() if value is not self.pristine[name])


@dataclass(frozen=True)
class Place:
    """A part of a state."""

    view: View
    variable: str
    path: tuple[Step, ...] = ()

    def read(self) -> Term:
        """What is there now."""
        return self.view.read(self.variable, self.path)

    def write(self, value: Term) -> None:
        """Put something there."""
        self.view.write(self.variable, self.path, value)

    def child(self, step: Step) -> Place:
        """A part of it."""
        return Place(self.view, self.variable, (*self.path, step))


class Run:
    """The reading of one rule: where it is, its guards, and the domains of the protocol."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.where: SourceLine | None = None
        self.guards: list[Guard] = []
        self.effects = False
        self.inside = 0
        self.hints: dict[Term, str] = {}

    def error(self, what: str, advice: str = "") -> LanguageError:
        """What is refused, with its line."""
        return LanguageError(f"TLA+ export: {what}", self.where, advice)

    def refuse(self, what: str, advice: str = "") -> NoReturn:
        """Refuse what cannot be exported."""
        raise self.error(what, advice or "Write it in another way, or check this protocol with Epochal alone.")

    def require(self, condition: Term, bounded: bool) -> None:
        """A guard."""
        if not self.effects:
            raise HasEffect
        if condition is not TRUE:
            self.guards.append(Guard(condition, bounded))
        if condition is FALSE:
            raise PathEnds


# -- values -----------------------------------------------------------------------------------------------------------


class Value:
    """A value that depends on the state, or on a bound."""

    kind: Kind

    def __init__(self, run: Run, kind: Kind, term: Term) -> None:
        self.run, self.kind, self._term = run, kind, term

    @property
    def term(self) -> Term:
        """The value as a term."""
        return self._term

    def __bool__(self) -> bool:
        self.run.refuse("Python's own code asks for the truth of a value of the state")

    def __hash__(self) -> int:
        self.run.refuse("Python's own code looks for a value of the state")

    def __eq__(self, other: object) -> Any:
        return truth(self.run, equal(self.run, self, other))

    def __ne__(self, other: object) -> Any:
        return truth(self.run, terms.not_(equal(self.run, self, other)))

    def __iter__(self) -> NoReturn:
        self.run.refuse("Python's own code goes through a value of the state")

    def __index__(self) -> int:
        self.run.refuse("Python's own code needs a number that depends on the state")

    def field(self, name: str) -> Any:
        """A field."""
        self.run.refuse(f"{name} of {self.kind.family}")

    # -- numbers --------------------------------------------------------------------------------------------------

    def _number(self, other: object, compute: Any) -> Any:
        if not is_number(other):
            return NotImplemented
        return number(self.run, compute(number_of(self.run, self), number_of(self.run, other)))

    def __add__(self, other: object) -> Any:
        return self._number(other, terms.add)

    def __radd__(self, other: object) -> Any:
        return self._number(other, lambda a, b: terms.add(b, a))

    def __sub__(self, other: object) -> Any:
        if self.kind.family == "set":
            return with_set(self.run, terms.difference, self, other)
        return self._number(other, terms.sub)

    def __rsub__(self, other: object) -> Any:
        if self.kind.family == "set":
            return with_set(self.run, terms.difference, other, self)
        return self._number(other, lambda a, b: terms.sub(b, a))

    def __mul__(self, other: object) -> Any:
        return self._number(other, lambda a, b: terms.arithmetic("mul", a, b))

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Any:
        return self._number(other, lambda a, b: self._divided("div", a, b))

    def __mod__(self, other: object) -> Any:
        return self._number(other, lambda a, b: self._divided("mod", a, b))

    def _divided(self, op: str, a: Term, b: Term) -> Term:
        """A quotient or remainder, which TLA+ has as Python has it where the divisor is positive."""
        low, _ = Limits(self.run.domains)(b)
        if low is None or low <= 0:
            self.run.refuse("a divisor that may not be positive", "Divide by a positive number.")
        return terms.arithmetic(op, a, b)

    def __neg__(self) -> Any:
        return number(self.run, terms.sub(terms.integer(0), number_of(self.run, self)))

    def __pos__(self) -> Any:
        return number(self.run, number_of(self.run, self))

    def __abs__(self) -> Any:
        this = number_of(self.run, self)
        zero = terms.integer(0)
        return number(self.run, terms.ite(terms.compare("lt", this, zero), terms.sub(zero, this), this))

    # -- order, of numbers and of sets ----------------------------------------------------------------------------

    def _order(self, other: object, op: str, swapped: bool) -> Any:
        if self.kind.family == "set":
            a, b = (set_term(self.run, one) for one in ((other, self) if swapped else (self, other)))
            inside = terms.subset(a, b)
            return truth(self.run, inside if op == "le" else terms.and_(inside, terms.not_(terms.eq(a, b))))
        a, b = (number_of(self.run, one) for one in ((other, self) if swapped else (self, other)))
        found = terms.compare(op, a, b)
        if swapped and found.op in ("lt", "le"):  # as it is written
            found = terms.made({"lt": "gt", "le": "ge"}[found.op], (b, a))
        return truth(self.run, found)

    def __lt__(self, other: object) -> Any:
        return self._order(other, "lt", False)

    def __le__(self, other: object) -> Any:
        return self._order(other, "le", False)

    def __gt__(self, other: object) -> Any:
        return self._order(other, "lt", True)

    def __ge__(self, other: object) -> Any:
        return self._order(other, "le", True)

    # -- sets -----------------------------------------------------------------------------------------------------

    def __or__(self, other: object) -> Any:
        return with_set(self.run, terms.union, self, other)

    def __ror__(self, other: object) -> Any:
        return with_set(self.run, terms.union, other, self)

    def __and__(self, other: object) -> Any:
        return with_set(self.run, terms.intersection, self, other)

    def __rand__(self, other: object) -> Any:
        return with_set(self.run, terms.intersection, other, self)

    def __xor__(self, other: object) -> Any:
        return (self | other) - (self & other)

    def __rxor__(self, other: object) -> Any:
        return (self | other) - (self & other)


class Plain(Value):
    """A number, a truth value, an identifier or a member of an enumeration."""


class Bound(Value):
    """A number that depends on bounds alone. Python's own code may use it: the module then says which it is."""

    def __init__(self, run: Run, term: Term, known: int) -> None:
        super().__init__(run, INT, term)
        self.known = known

    def __index__(self) -> int:
        self.run.domains.assumed.update(self.term.names)
        return self.known

    def _number(self, other: object, compute: Any) -> Any:
        if isinstance(other, Bound) or type(other) is int:
            known = other.known if isinstance(other, Bound) else other
            found = compute(terms.integer(self.known), terms.integer(known))
            return Bound(self.run, compute(self.term, number_of(self.run, other)), found.value)
        return super()._number(other, compute)


class OfState(Value):
    """A record, map or log: a part of the state as it is whenever it is read, or a value beside the state."""

    def __init__(self, run: Run, kind: Kind, term: Term | None, place: Place | None = None) -> None:
        super().__init__(run, kind, term or TRUE)
        self.place = place

    @property
    def term(self) -> Term:
        return self._term if self.place is None else self.place.read()

    def child(self, step: Step, kind: Kind) -> Any:
        """A part of it: of a log's entry, or of an optional record, the value."""
        if self.place is not None:
            return of_place(self.run, kind, self.place.child(step))
        return of_term(self.run, kind, terms.read(self._term, [step]))


class Record(OfState):
    """A record."""

    def field(self, name: str) -> Any:
        if name not in self.kind.fields:
            self.run.refuse(f"{self.kind.of.__name__} has no field {name}")
        return self.child((".", name), self.kind.fields[name])

    def assign(self, name: str, value: Any) -> None:
        """Assign a field."""
        if self.place is None:
            self.run.refuse("an assignment to a field of a record that is no part of the state")
        kind = self.kind.fields[name]
        self.place.child((".", name)).write(lifted(self.run, value, kind))


class MapValue(OfState):
    """A map."""

    @property
    def keys_of(self) -> Kind:
        """The kind of the keys, with their domain."""
        return self.kind.parts[0]

    def __getitem__(self, key: Any) -> Any:
        return self.child(("[]", lifted(self.run, key, self.keys_of)), self.kind.element)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.place is None:
            self.run.refuse("an assignment to an entry of a map that is no part of the state")
        step = ("[]", lifted(self.run, key, self.keys_of))
        self.place.child(step).write(lifted(self.run, value, self.kind.element))


class LogValue(OfState):
    """A log, or a list of values of the state: a sequence."""

    def __getitem__(self, index: Any) -> Any:
        at = terms.add(number_of(self.run, index), terms.integer(1))
        return of_term(self.run, self.kind.element, terms.read(self.term, [("[]", at)]))

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.place is None:
            self.run.refuse("an assignment to an entry of a log that is no part of the state")
        at = terms.add(number_of(self.run, index), terms.integer(1))
        self.place.child(("[]", at)).write(lifted(self.run, value, self.kind.element))

    def field(self, name: str) -> Any:
        if name == "first":
            return self[0]
        if name == "last":
            return of_term(self.run, self.kind.element, terms.read(self.term, [("[]", terms.length(self.term))]))
        if name in ("append", "truncate") and self.place is not None:
            return getattr(self, name)
        self.run.refuse(f"{name} of a log")

    def __add__(self, other: object) -> Any:
        return self._joined(self, other)

    def __radd__(self, other: object) -> Any:
        return self._joined(other, self)

    def _joined(self, first: object, second: object) -> Any:
        """One log or list after another, as a list."""
        if not isinstance(first, LogValue | list | Log) or not isinstance(second, LogValue | list | Log):
            return NotImplemented
        element = joined(self.run, *(kind_of(self.run, one).element for one in (first, second)))
        kind = Kind("log", None, (element,))
        if any(isinstance(one, Sum) or (isinstance(one, list) and any(map(_is_live, one))) for one in (first, second)):
            parts = taken(self.run, first), taken(self.run, second)
            return Sum(self.run, kind, lambda: terms.concat(*(lifted(self.run, one, kind) for one in parts)))
        return LogValue(self.run, kind, terms.concat(*(lifted(self.run, one, kind) for one in (first, second))))

    def cut_out(self, start: Any, stop: Any) -> LogValue:
        """A slice, as a list."""
        kind = Kind("log", None, (self.kind.element,))
        if start is None and stop is None:
            return LogValue(self.run, kind, self.term)
        end = terms.length(self.term)
        first = terms.integer(0) if start is None else self._limit(start, end, lambda at: at)
        last = end if stop is None else self._limit(stop, end, lambda at: terms.call("Min", terms.set_of([at, end])))
        found = terms.cut_out(self.term, terms.add(first, terms.integer(1)), last)
        return LogValue(self.run, kind, found)

    def _limit(self, limit: Any, end: Term, within: Callable[[Term], Term]) -> Term:
        """A limit of a slice, which is counted from behind if it is negative."""
        at = number_of(self.run, limit)
        if at.op == "int" and at.value < 0:
            return terms.call("Max", terms.set_of([terms.add(end, at), terms.integer(0)]))
        low, _ = Limits(self.run.domains)(at)
        if low is not None and low >= 0:
            return within(at)
        zero = terms.integer(0)
        behind = terms.call("Max", terms.set_of([terms.add(end, at), zero]))
        return terms.ite(terms.compare("lt", at, zero), behind, within(at))

    def append(self, entry: Any) -> None:
        """Write an entry at the end."""
        assert self.place is not None
        self.place.write(terms.append(self.term, lifted(self.run, entry, self.kind.element)))

    def truncate(self, length: Any) -> None:
        """Keep the first entries."""
        assert self.place is not None
        self.place.write(terms.prefix(self.term, number_of(self.run, length)))


class Sum(LogValue):
    """A list with records of the state in it, which are as they are whenever it is read."""

    def __init__(self, run: Run, kind: Kind, now: Callable[[], Term]) -> None:
        super().__init__(run, kind, None)
        self._now = now

    @property
    def term(self) -> Term:
        return self._now()

    def __getitem__(self, index: Any) -> NoReturn:
        self.refuse()

    def cut_out(self, start: Any, stop: Any) -> LogValue:
        return Sum(self.run, self.kind, lambda: LogValue(self.run, self.kind, self.term).cut_out(start, stop).term)

    def refuse(self) -> NoReturn:
        """Say that an entry may be a part of the state, whose changes the list sees."""
        self.run.refuse("an entry of a list with records of the state in it", "Make new records: Point(x=self.p.x).")


def _is_live(value: Any) -> bool:
    """Whether a value is a part of the state, whose later changes are seen."""
    return isinstance(value, OfState) and value.place is not None


class Maybe(Value):
    """A value that may be none."""

    def field(self, name: str) -> Any:
        found = self.needed()
        if isinstance(found, Record):
            return found.field(name)
        self.run.refuse(f"{name} of a value that may be none")

    def needed(self) -> Any:
        """The value, where it is not none; evaluation fails where it is, in Epochal and mostly in TLC."""
        return of_term(self.run, self.kind.element, self.term)


class SetValue(Value):
    """A set."""

    def field(self, name: str) -> Any:
        run = self.run
        by: dict[str, Any] = {"union": terms.union, "intersection": terms.intersection, "difference": terms.difference}
        if name in by:
            return lambda *others: _folded(run, by[name], self, others)
        if name == "symmetric_difference":
            return lambda other: self ^ as_set(run, other)
        if name == "issubset":
            return lambda other: self <= as_set(run, other)
        if name == "issuperset":
            return lambda other: as_set(run, other) <= self
        if name == "isdisjoint":
            return lambda other: truth(run, terms.eq((self & as_set(run, other)).term, terms.EMPTY))
        run.refuse(f"{name} of a set")


def _folded(run: Run, operator: Any, first: Any, others: Iterable[Any]) -> Any:
    for other in others:
        first = with_set(run, operator, first, as_set(run, other))
    return first


class Unset:
    """A local variable that is not assigned on every path."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def refuse(self) -> NoReturn:
        """Say that it is read."""
        self.run.refuse("a variable is read that is not assigned on every path")


class Unreturned(Unset):
    """What a loop has returned before it did: whoever reads it knows that it did."""


def of_term(run: Run, kind: Kind, term: Term) -> Any:
    """A value of a kind."""
    if term.op in ("bool", "int") and kind in (BOOL, INT):
        return term.value
    if kind.family == "none":
        return None
    families: dict[str, type[Any]] = {"rec": Record, "map": MapValue, "log": LogValue, "opt": Maybe, "set": SetValue}
    return families.get(kind.family, Plain)(run, kind, term)


def of_place(run: Run, kind: Kind, place: Place) -> Any:
    """The value at a place: of a record, map or log the place itself."""
    if kind.family in ("rec", "map", "log"):
        families: dict[str, type[OfState]] = {"rec": Record, "map": MapValue, "log": LogValue}
        return families[kind.family](run, kind, None, place)
    return of_term(run, kind, place.read())


def number(run: Run, term: Term) -> Any:
    """A number."""
    return of_term(run, INT, term)


def truth(run: Run, term: Term) -> Any:
    """A truth value."""
    return of_term(run, BOOL, term)


def taken(run: Run, value: Any) -> Any:
    """A value as it is now, whatever becomes of the state."""
    if isinstance(value, OfState) and value.place is not None:
        return of_term(run, value.kind, value.term)
    return value


# -- of any value -----------------------------------------------------------------------------------------------------


def kind_of(run: Run, value: Any) -> Kind:
    """The kind of a value, which may be one of Python's own."""
    if isinstance(value, Value):
        return value.kind
    if isinstance(value, Unset):
        value.refuse()
    if value is None:
        return NONE
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, Identifier):
        return Kind("id", value.prefix)
    if isinstance(value, enum.Enum):
        return Kind("enum", type(value))
    if isinstance(value, Struct):
        return run.domains.record(type(value))
    if isinstance(value, frozenset | set):
        return Kind("set", None, (joined_all(run, [kind_of(run, one) for one in value]),))
    if isinstance(value, list | Log):
        return Kind("log", None, (joined_all(run, [kind_of(run, one) for one in value]),))
    if isinstance(value, tuple):
        return Kind("tuple", None, tuple(kind_of(run, one) for one in value))
    run.refuse(f"a {type(value).__name__} as a value")


def joined_all(run: Run, kinds: Iterable[Kind]) -> Kind:
    """The kind that has all values of some kinds."""
    found = NOTHING
    for kind in kinds:
        found = joined(run, found, kind)
    return found


def joined(run: Run, a: Kind, b: Kind) -> Kind:
    """The kind that has all values of two kinds."""
    if a == b or b == NOTHING:
        return a
    if a == NOTHING:
        return b
    if a == NONE or b == NONE:
        other = b if a == NONE else a
        return other if other.family == "opt" else Kind("opt", None, (other,))
    if "opt" in (a.family, b.family):
        one, other = (kind.element if kind.family == "opt" else kind for kind in (a, b))
        return Kind("opt", None, (joined(run, one, other),))
    if a.family == b.family and a.of == b.of and len(a.parts) == len(b.parts):
        parts = tuple(joined(run, one, other) for one, other in zip(a.parts, b.parts, strict=True))
        return Kind(a.family, a.of, parts, a.domain)
    run.refuse(f"a value that is {a.family} or {b.family}")


def lifted(run: Run, value: Any, kind: Kind | None = None) -> Term:
    """A value as a term, where one of a kind is expected."""
    if isinstance(value, Unset):
        value.refuse()
    if kind is not None and kind.family == "opt":
        return terms.name(terms.NONE_NAME) if value is None else lifted(run, value, _expected(run, value, kind))
    if isinstance(value, Map):
        return _table(run, value, kind)
    if kind is not None and {kind.family, kind_of(run, value).family} == {"int", "bool"}:
        run.refuse("a truth value where a number is expected, or a number where a truth value is", "Write int(...).")
    if isinstance(value, Value):
        return value.term
    if value is None:
        return terms.name(terms.NONE_NAME)
    if isinstance(value, bool | int):
        return terms.boolean(value) if isinstance(value, bool) else terms.integer(value)
    if isinstance(value, Identifier):
        return run.domains.identifier(value)
    if isinstance(value, enum.Enum):
        return terms.text(value._name_)
    if isinstance(value, Struct):
        kinds = run.domains.record(type(value)).fields
        return terms.record({name: lifted(run, value.__dict__[name], kinds[name]) for name in value.fields})
    element = kind.element if kind is not None and kind.family in ("set", "log") else None
    if isinstance(value, frozenset | set):
        return terms.set_of(lifted(run, one, element) for one in _in_order(value))
    if isinstance(value, list | Log) or (isinstance(value, tuple) and element is not None):
        return terms.sequence([lifted(run, one, element) for one in value])
    if isinstance(value, tuple):
        return terms.sequence([lifted(run, one) for one in value])
    run.refuse(f"a {type(value).__name__} as a value")


def _expected(run: Run, value: Any, kind: Kind) -> Kind | None:
    """What is expected of a value that is not none; nothing of one that may be."""
    return None if isinstance(value, Maybe) else kind.element


def _in_order(value: Iterable[Any]) -> list[Any]:
    return sorted(value, key=lambda one: (repr(type(one)), repr(one)))


def _table(run: Run, value: Map[Any, Any], kind: Kind | None) -> Term:
    if kind is None or kind.family != "map":
        run.refuse("a map that is no part of the state")
    domain, (first, *others) = kind.parts[0].domain, value.values()
    assert domain is not None
    if all(one == first for one in others):
        return terms.function(terms.bound(hint_for(kind.parts[0])), domain.term, lifted(run, first, kind.element))
    pairs = ((lifted(run, key, kind.parts[0]), lifted(run, one, kind.element)) for key, one in value.items())
    return terms.made("table", tuple(term for pair in pairs for term in pair))


def hint_for(kind: Kind) -> str:
    """How a variable of a kind is called."""
    return kind.of if kind.family == "id" and kind.of.isidentifier() else {"int": "n", "rec": "m"}.get(kind.family, "x")


def is_truth(value: Any) -> bool:
    """Whether a value is a truth value."""
    return isinstance(value, bool) or (isinstance(value, Value) and value.kind == BOOL)


def is_number(value: Any) -> bool:
    """Whether a value can be computed with."""
    if isinstance(value, Maybe):
        return value.kind.element in (INT, BOOL)
    return isinstance(value, int) or (isinstance(value, Value) and value.kind in (INT, BOOL))


def number_of(run: Run, value: Any) -> Term:
    """A value as a number; a truth value is 0 or 1."""
    if isinstance(value, Unset):
        value.refuse()
    if isinstance(value, Maybe):
        value = value.needed()
    if isinstance(value, Value) and value.kind == INT:
        return value.term
    if is_truth(value):
        return terms.ite(lifted(run, value), terms.integer(1), terms.integer(0))
    if isinstance(value, int):
        return terms.integer(value)
    run.refuse(f"{getattr(value, 'kind', type(value).__name__)} as a number")


def condition(run: Run, value: Any) -> Term:
    """The truth of a value, as Python defines it."""
    if isinstance(value, Unset):
        value.refuse()
    if not isinstance(value, Value):
        return terms.boolean(bool(value))
    family, term = value.kind.family, value.term
    if family == "bool":
        return term
    if family == "int":
        return terms.not_(terms.eq(term, terms.integer(0)))
    if family == "set":
        return terms.not_(terms.eq(term, terms.EMPTY))
    if family == "log":
        return terms.not_(terms.eq(terms.length(term), terms.integer(0)))
    if isinstance(value, Maybe):
        there = terms.not_(terms.eq(term, terms.name(terms.NONE_NAME)))
        return terms.and_(there, condition(run, value.needed()))
    return TRUE


def set_term(run: Run, value: Any) -> Term:
    """A set as a term."""
    if not (isinstance(value, frozenset | set) or (isinstance(value, Value) and value.kind.family == "set")):
        run.refuse("something else than a set among sets")
    return lifted(run, value)


def as_set(run: Run, value: Any) -> Any:
    """What a method of sets is given: a set, or a list or tuple of its elements."""
    return frozenset(value) if isinstance(value, list | tuple | range) else value


def with_set(run: Run, operator: Any, a: Any, b: Any) -> Any:
    """An operator of two sets."""
    term = operator(set_term(run, a), set_term(run, b))
    element = joined(run, kind_of(run, a).element, kind_of(run, b).element)
    return of_term(run, Kind("set", None, (element,)), term)


# -- two values -------------------------------------------------------------------------------------------------------


def equal(run: Run, a: Any, b: Any) -> Term:
    """Whether two values are equal, as Python has it."""
    for one in (a, b):
        if isinstance(one, Unset):
            one.refuse()
    if not isinstance(a, Value) and not isinstance(b, Value):
        if isinstance(a, list | tuple) and type(a) is type(b):
            if len(a) != len(b):
                return FALSE
            return terms.and_(*(equal(run, one, other) for one, other in zip(a, b, strict=True)))
        return terms.boolean(bool(a == b))
    if isinstance(a, str) or isinstance(b, str):
        return FALSE
    a, b = _as_list(a, b), _as_list(b, a)
    one, other = kind_of(run, a), kind_of(run, b)
    if other.family == "opt" and one.family != "opt":
        return equal(run, b, a)
    if one.family == "opt":
        none, element = terms.name(terms.NONE_NAME), one.element
        if b is None:
            return terms.eq(lifted(run, a), none)
        inner = other.element if other.family == "opt" else other
        if {element.family, inner.family} == {"int", "bool"}:
            there = terms.not_(terms.eq(lifted(run, a), none))
            if other.family == "opt":
                run.refuse("a comparison of truth values and numbers that may be none")
            return terms.and_(there, equal(run, a.needed(), b))
        if _comparable(run, element, inner):
            return terms.eq(lifted(run, a), lifted(run, b))
        both = (terms.eq(lifted(run, value), none) for value in (a, b))
        return terms.and_(*both) if other.family == "opt" else FALSE
    if is_number(a) and is_number(b):
        if one == other:
            return terms.eq(lifted(run, a), lifted(run, b))
        return terms.eq(number_of(run, a), number_of(run, b))
    if not _comparable(run, one, other):
        empty = one.family == other.family and one.family in ("set", "log")
        if empty:
            nothing = terms.EMPTY if one.family == "set" else terms.sequence(())
            return terms.and_(*(terms.eq(lifted(run, value), nothing) for value in (a, b)))
        return FALSE
    return terms.eq(lifted(run, a), lifted(run, b))


def _as_list(value: Any, beside: Any) -> Any:
    """A value as it is compared with another: a log equals a tuple of its entries, which no list does."""
    log = isinstance(beside, LogValue) and beside.kind.domain is not None
    return list(value) if log and isinstance(value, tuple) else value


def _comparable(run: Run, a: Kind, b: Kind) -> bool:
    """Whether a value of one kind may be equal to one of the other, and TLA+ compares them as Python does."""
    if NOTHING in (a, b) or a == b:
        return True
    a, b = (one.element if one.family == "opt" else one for one in (a, b))
    if {a.family, b.family} == {"int", "bool"}:
        run.refuse("a comparison of collections of truth values with those of numbers")
    if a.family != b.family or a.of != b.of or len(a.parts) != len(b.parts):
        return NONE in (a, b)
    return all(_comparable(run, one, other) for one, other in zip(a.parts, b.parts, strict=True))


def either(run: Run, on: Term, a: Any, b: Any) -> Any:
    """The first value where a condition is true, else the second."""
    if on.op == "bool":
        return a if on.value else b
    if a is b or (type(a) is type(b) and not isinstance(a, Value | list | tuple | Unset) and a == b):
        return a
    if isinstance(a, Unreturned) or isinstance(b, Unreturned):
        return b if isinstance(a, Unreturned) else a
    if isinstance(a, Unset) or isinstance(b, Unset):
        return Unset(run)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(either(run, on, one, other) for one, other in zip(a, b, strict=True))
    if isinstance(a, tuple) or isinstance(b, tuple):
        return Unset(run)
    one, other = kind_of(run, a), kind_of(run, b)
    if one.family != other.family and not {"opt", "none"} & {one.family, other.family}:
        return Unset(run)
    kind = joined(run, one, other)
    return of_term(run, kind, terms.ite(on, lifted(run, a, kind), lifted(run, b, kind)))
