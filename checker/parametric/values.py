"""Values that depend on the state, as terms. A value that is known is an ordinary Python value, never one of these."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from epochal.spec.language import SourceLine, Struct

from .domains import (
    END,
    IS_THERE,
    Domain,
    Leaf,
    Logs,
    Maps,
    Names,
    Numbers,
    Optional,
    PathEnds,
    Records,
    Sets,
    Truths,
    Untranslatable,
    View,
)
from .terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Bound,
    Term,
    add,
    and_,
    constant,
    eq,
    exists,
    forall,
    implies,
    ite,
    kind_of,
    le,
    lt,
    not_,
    or_,
    scale,
    sub,
    variable,
)


@dataclass(frozen=True)
class Guard:
    """A condition that must hold for the step to be taken, and its line."""

    condition: Term
    where: SourceLine | None


@dataclass(frozen=True)
class Failure:
    """A condition under which evaluation fails, what is then said, and the line."""

    condition: Term
    message: str
    where: SourceLine | None


class Run:
    """A run of the rule called `name`, which names the variables that it binds.

    `path` holds, in order, the conditions under which the present place is reached and the variables that stand for
    arbitrary elements there. `operands` counts the operands and comprehensions around it, `loops` the loops.
    """

    def __init__(self, name: str, written: View | None) -> None:
        self.name, self.written = name, written
        self.where: SourceLine | None = None
        self.path: list[Term | tuple[Bound, ...]] = []
        self.guards: list[Guard] = []
        self.failures: list[Failure] = []
        self.operands = self.loops = self._fresh = 0

    def refuse(self, what: str, advice: str) -> NoReturn:
        """Refuse a construct, at the line being run."""
        raise Untranslatable(what, advice, self.where)

    @property
    def rounds(self) -> tuple[Term, ...]:
        """The variables that stand for arbitrary elements here: what is done here is done for each of them."""
        return tuple(bound.variable for frame in self.path if isinstance(frame, tuple) for bound in frame)

    # -- paths ----------------------------------------------------------------------------------------------------

    @contextmanager
    def under(self, *frames: Term | tuple[Bound, ...]) -> Iterator[None]:
        """Go on where a condition is true, or for an arbitrary value of variables.

        Where the path ends there, go on after it, unless it certainly came there.
        """
        depth = len(self.path)
        self.path += frames
        try:
            yield
        except PathEnds:
            if all(frame is TRUE for frame in frames):
                raise
        finally:
            del self.path[depth:]

    @contextmanager
    def operand(self, *frames: Term | tuple[Bound, ...]) -> Iterator[None]:
        """The same, for what may have no effect: whether and in which order Python comes to it depends on the state."""
        self.operands += 1
        try:
            with self.under(*frames):
                yield
        finally:
            self.operands -= 1

    def _closed(self, inner: Term, close: Callable[[Sequence[Bound], Term], Term], join: Callable[..., Term]) -> Term:
        for frame in reversed(self.path):
            inner = close(frame, inner) if isinstance(frame, tuple) else join(frame, inner)
        return inner

    def require(self, condition: Term, word: str) -> None:
        """Add a guard. Raises PathEnds if it is false in every state."""
        if self.operands or self.loops:
            self.refuse(f"{word} inside a loop or a comprehension", f"Write {word}(all(...)) as a statement before it.")
        self.guards.append(Guard(self._closed(condition, forall, implies), self.where))
        if condition is FALSE:
            raise PathEnds

    def fail_if(self, bad: Term, message: str) -> None:
        """Record that evaluation fails here if `bad` is true. Raises PathEnds if it always is."""
        if bad is FALSE:
            return
        condition = and_(*(guard.condition for guard in self.guards), self._closed(bad, exists, and_))
        if condition is not FALSE:
            self.failures.append(Failure(condition, message, self.where))
        if bad is TRUE:
            raise PathEnds

    # -- variables ------------------------------------------------------------------------------------------------

    def fresh(self, hint: str, sort: str, kind: str = "") -> Term:
        """A variable that nothing else is called."""
        self._fresh += 1
        return variable(f"{self.name}.{hint}.{self._fresh}", sort, kind)

    def within(self, hint: str, low: Term, high: Term) -> Bound:
        """A variable for an integer from `low` to below `high`."""
        kinds = {*kind_of(low).split("+"), *kind_of(high).split("+")} - {""}
        return Bound(self.fresh(hint, INT, "+".join(sorted(kinds))), low, high)

    def any_of(self, domain: Domain, hint: str) -> Bound | None:
        """A variable for any value of a domain of numbers or identifiers; None of another."""
        if isinstance(domain, Names):
            return Bound(self.fresh(hint, domain.sort))
        if isinstance(domain, Numbers):
            return self.within(hint, domain.low, add(domain.high, constant(1)))
        return None


COMPARE = "Compare with == and !=, do arithmetic with integers, and write 1 if ... else 0 for a truth value."
Has = Callable[[Sequence[Term]], Term]
Operator = Callable[[Any, Any], Any]


class Value:
    """A value of the state. Whatever a kind of values does not define is refused."""

    described = "a value of the state"

    def __init__(self, run: Run) -> None:
        self.run = run

    def field(self, name: str) -> Any:
        """An attribute of the value."""
        self.run.refuse(f"{name} of {self.described}", "Use fields of records, and the operators of the language.")

    def _refuse(self, *others: object) -> NoReturn:
        self.run.refuse(f"this operator on {self.described}", COMPARE)

    def __bool__(self) -> bool:
        self.run.refuse(f"Python's own use of {self.described}", COMPARE)

    def __eq__(self, other: object) -> bool:
        self.run.refuse(f"Python's own use of {self.described}", COMPARE)

    __ne__ = __eq__

    def __hash__(self) -> int:
        self.run.refuse(f"Python's own use of {self.described}", COMPARE)

    def __iter__(self) -> NoReturn:
        self.run.refuse(f"going through {self.described} like this", "Use for, all, any, min, max or a comprehension.")

    def __getitem__(self, key: Any) -> Any:
        self.run.refuse(f"an entry of {self.described}", "Index maps and logs of the state.")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.run.refuse(f"assignment to an entry of {self.described}", "Assign to maps and logs of the state.")

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __floordiv__ = __rfloordiv__ = _refuse
    __mod__ = __rmod__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __lshift__ = __rlshift__ = _refuse
    __rshift__ = __rrshift__ = __neg__ = __pos__ = __invert__ = __abs__ = __index__ = __int__ = __contains__ = _refuse


class Unusable(Value):
    """A local variable that has no value which the semantics knows. To use it is refused."""

    def __init__(self, run: Run, why: str, advice: str) -> None:
        super().__init__(run)
        self.why, self.advice = why, advice

    @property
    def described(self) -> str:  # type: ignore[override]  # said when it is used
        """Raises Untranslatable: whoever asks what it is wants to use it."""
        return self.refuse()

    def refuse(self) -> NoReturn:
        """Say why it cannot be used."""
        self.run.refuse(self.why, self.advice)


class NotReturned(Unusable):
    """What a loop has returned on a path on which it has not returned: nobody asks for it there."""


class _Scalar(Value):
    """A value that is one term."""

    def __init__(self, run: Run, term: Term) -> None:
        super().__init__(run)
        self.term = term


class Truth(_Scalar):
    """A truth value."""

    described = "a truth value"


class Number(_Scalar):
    """An integer. Its other operators stand below, in a table."""

    described = "a number"

    def __mul__(self, other: Any) -> Number:  # type: ignore[override]  # defined here
        if type(other) is not int:
            self.run.refuse("a product of two values of the state", "Multiply by a number that is known.")
        return Number(self.run, scale(other, self.term))

    __rmul__ = __mul__  # type: ignore[assignment]  # defined here

    def __neg__(self) -> Number:  # type: ignore[override]  # defined here
        return Number(self.run, scale(-1, self.term))


class Named(_Scalar):
    """An identifier."""

    described = "an identifier"


class Choice(Value):
    """A member of an enumeration, by its place in it."""

    described = "a member of an enumeration"

    def __init__(self, run: Run, term: Term, members: type[enum.Enum]) -> None:
        super().__init__(run)
        self.term, self.members = term, members


class Perhaps(Value):
    """A value or none. Where a value is needed and there is none, evaluation fails."""

    described = "a value that may be none"

    def __init__(self, run: Run, there: Term, element: Any) -> None:
        super().__init__(run)
        self.there, self.element = there, element

    def needed(self) -> Any:
        """The value; evaluation fails where there is none."""
        self.run.fail_if(not_(self.there), "there is no value here, but None")
        return self.element

    def field(self, name: str) -> Any:
        needed = self.needed()
        if isinstance(needed, Value):
            return needed.field(name)
        if isinstance(needed, Struct) and name in type(needed).fields:
            return needed.__dict__[name]
        if isinstance(needed, enum.Enum) and name in ("name", "value"):
            return getattr(needed, name)
        self.run.refuse(f"{name} of a {type(needed).__name__} that may be none", "Test for None before.")


def _through(name: str) -> Operator:
    def operator(self: Any, other: Any) -> Any:
        if isinstance(self.element, Number) and isinstance(other, Number | int) and not isinstance(other, bool):
            return getattr(self.needed(), name)(other)
        self.run.refuse("this operator on a value that may be none", "Test for None before, and use integers.")

    return operator


for _name in ("lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "mul", "rmul"):
    setattr(Perhaps, f"__{_name}__", _through(f"__{_name}__"))


class Record(Value):
    """A record as it was at some time. `usable` refuses its use where Python would see another one by now."""

    described = "a record"

    def __init__(
        self, run: Run, type: type[Struct], values: Mapping[str, Any], usable: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(run)
        self.type, self._values, self._usable = type, dict(values), usable

    @property
    def values(self) -> dict[str, Any]:
        """The values of its fields."""
        self._usable()
        return self._values

    def field(self, name: str) -> Any:
        if name not in self.values:
            self.run.refuse(f"{name} of a {self.type.__name__}", f"Its fields are {', '.join(self.values)}.")
        return self.values[name]


class Members(Value):
    """A set of identifiers, or of numbers of one domain, by the condition for being a member.

    `element` is None of an empty one of any kind. What `has` says of numbers outside the domain is moot.
    """

    described = "a set"

    def __init__(self, run: Run, element: Names | Numbers | None, has: Has) -> None:
        super().__init__(run)
        self.element, self.has = element, has

    def any(self) -> Bound:
        """A variable for any value that might be a member of such a set."""
        found = None if self.element is None else self.run.any_of(self.element, "m")
        assert found is not None, "an empty set of any kind has no members"
        return found

    def _both(self, other: Any) -> tuple[Names | Numbers | None, Members]:
        if not isinstance(other, Members):
            if isinstance(other, frozenset | set) and not other:
                return self.element, Members(self.run, self.element, lambda member: FALSE)
            self.run.refuse("a set together with something else", "Use sets of identifiers: {x}, Set(x for x in ...).")
        if self.element is not None and other.element is not None and self.element != other.element:
            self.run.refuse("a set of values of different kinds", "Keep them in two sets.")
        return self.element or other.element, other

    def _made(self, other: Any, make: Callable[[Term, Term], Term]) -> Members:
        element, right = self._both(other)
        return Members(self.run, element, lambda member: make(self.has(member), right.has(member)))

    def __or__(self, other: Any) -> Members:  # type: ignore[override]  # defined here
        return self._made(other, or_)

    def __and__(self, other: Any) -> Members:  # type: ignore[override]  # defined here
        return self._made(other, and_)

    def __sub__(self, other: Any) -> Members:  # type: ignore[override]  # defined here
        return self._made(other, lambda a, b: and_(a, not_(b)))

    def __rsub__(self, other: Any) -> Members:  # type: ignore[override]  # defined here
        return self._made(other, lambda a, b: and_(b, not_(a)))

    __ror__, __rand__ = __or__, __and__  # type: ignore[assignment]  # defined here

    def compared(self, other: Any, relation: Callable[[Term, Term], Term]) -> Term:
        """That the memberships of every identifier are in a relation."""
        element, right = self._both(other)
        if element is None:
            return TRUE
        bound = (self if self.element is not None else right).any()
        return forall([bound], relation(self.has([bound.variable]), right.has([bound.variable])))

    def __le__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return truth(self.run, self.compared(other, implies))

    def __ge__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return truth(self.run, self.compared(other, lambda a, b: implies(b, a)))

    def some(self) -> Term:
        """That it is not empty."""
        if self.element is None:
            return FALSE
        bound = self.any()
        return exists([bound], self.has([bound.variable]))

    def field(self, name: str) -> Any:
        words: dict[str, Callable[[Any], Any]] = {
            "union": self.__or__,
            "intersection": self.__and__,
            "difference": self.__sub__,
            "issubset": self.__le__,
            "issuperset": self.__ge__,
            "isdisjoint": lambda other: truth(self.run, self.compared(other, lambda a, b: not_(and_(a, b)))),
        }
        return words[name] if name in words else super().field(name)


# -- what is asked of any value -----------------------------------------------------------------------------------


def truth(run: Run, term: Term) -> Any:
    """A truth value: Python's own where it is known."""
    return term.value if term.op == "const" else Truth(run, term)


def _operator(make: Callable[[Term, Term], Term], result: Callable[[Run, Term], Any]) -> Operator:
    return lambda self, other: result(self.run, make(self.term, number_of(self.run, other)))


for _name, _made, _result in (
    ("add", add, Number),
    ("radd", add, Number),
    ("sub", sub, Number),
    ("rsub", lambda a, b: sub(b, a), Number),
    ("lt", lt, truth),
    ("le", le, truth),
    ("gt", lambda a, b: lt(b, a), truth),
    ("ge", lambda a, b: le(b, a), truth),
):
    setattr(Number, f"__{_name}__", _operator(_made, _result))


def number(run: Run, term: Term) -> Any:
    """A number: Python's own where it is known."""
    return term.value if term.op == "const" else Number(run, term)


def condition(run: Run, value: Any) -> Term:
    """The truth of a value, as Python defines it."""
    if isinstance(value, Truth):
        return value.term
    if isinstance(value, Unusable):
        value.refuse()
    if isinstance(value, Members):
        return value.some()
    if isinstance(value, Value):
        run.refuse(f"the truth of {value.described}", "Compare it: x is None, n == 0, len(log) > 0.")
    if value is None or isinstance(value, bool | int):
        return constant(bool(value))
    run.refuse(f"the truth of {type(value).__name__}", "Compare it with something.")


def number_of(run: Run, value: Any) -> Term:
    """A value as an integer; where there may be none, evaluation fails without one."""
    if isinstance(value, Perhaps):
        value = value.needed()
    if isinstance(value, Number):
        return value.term
    if isinstance(value, Unusable):
        value.refuse()
    if isinstance(value, int) and not isinstance(value, bool):
        return constant(int(value))
    shown = value.described if isinstance(value, Value) else repr(value)
    run.refuse(f"{shown} as a number", COMPARE)


def is_number(value: Any) -> bool:
    """Whether a value is an integer, and no truth value."""
    return isinstance(value, Number) or (isinstance(value, int) and not isinstance(value, bool))


def is_truth(value: Any) -> bool:
    """Whether a value is a truth value."""
    return isinstance(value, Truth | bool)


def choice_of(value: Any, members: type[enum.Enum]) -> Term | None:
    """The place of a member of an enumeration; None of anything else."""
    if isinstance(value, Choice) and value.members is members:
        return value.term
    return constant(list(members).index(value)) if isinstance(value, members) else None


# -- pairs ------------------------------------------------------------------------------------------------------------
# What two values of the state are together: whether they are equal, and what is one of them or the other.


def equal(run: Run, a: Any, b: Any) -> Term:
    """`==`. What Python would call unequal because of its kind alone is refused."""
    for value in (a, b):
        if isinstance(value, Unusable):
            value.refuse()
    if not isinstance(a, Value) and not isinstance(b, Value):
        return constant(bool(a == b))
    if not isinstance(a, Value) or (isinstance(b, Perhaps) and not isinstance(a, Perhaps)):
        a, b = b, a
    if isinstance(a, Perhaps):
        if b is None:
            return not_(a.there)
        if not isinstance(b, Perhaps):
            return and_(a.there, equal(run, a.element, b))
        neither = and_(not_(a.there), not_(b.there))
        return or_(neither, and_(a.there, b.there, equal(run, a.element, b.element)))
    if b is None:
        return FALSE
    if is_truth(a) and is_truth(b):
        return eq(condition(run, a), condition(run, b))
    if is_number(a) and is_number(b):
        return eq(number_of(run, a), number_of(run, b))
    if isinstance(a, Named) and isinstance(b, Named) and a.term.sort == b.term.sort:
        return eq(a.term, b.term)
    if isinstance(a, Choice) and (place := choice_of(b, a.members)) is not None:
        return eq(a.term, place)
    if isinstance(a, Members) and (isinstance(b, Members) or (isinstance(b, frozenset | set) and not b)):
        return a.compared(b, eq)
    if isinstance(a, Record):
        same = b.type if isinstance(b, Record) else type(b)
        if same is a.type:
            parts = b.values if isinstance(b, Record) else dict(zip(b.fields, b.field_values(), strict=True))
            return and_(*(equal(run, value, parts[name]) for name, value in a.values.items()))
    shown = b.described if isinstance(b, Value) else repr(b)
    run.refuse(f"{a.described} compared with {shown}", "Compare values of the same kind.")


def either(run: Run, on: Term, a: Any, b: Any) -> Any:
    """The value that is `a` where the condition is true and `b` elsewhere; unusable if there is no such value."""
    if a is b or isinstance(b, NotReturned):
        return a
    if isinstance(a, NotReturned):
        return b
    if is_truth(a) and is_truth(b):
        return truth(run, ite(on, condition(run, a), condition(run, b)))
    if is_number(a) and is_number(b):
        return number(run, ite(on, number_of(run, a), number_of(run, b)))
    if isinstance(a, Named) and isinstance(b, Named) and a.term.sort == b.term.sort:
        return Named(run, ite(on, a.term, b.term))
    for one in (a, b):
        members = one.members if isinstance(one, Choice) else type(one) if isinstance(one, enum.Enum) else None
        if members is not None and None not in (choices := [choice_of(a, members), choice_of(b, members)]):
            return Choice(run, ite(on, *choices), members)  # type: ignore[arg-type]  # neither is none
    if isinstance(a, Members) and isinstance(b, Members) and (a.element == b.element or None in (a.element, b.element)):
        first, second = a, b
        return Members(run, a.element or b.element, lambda m: ite(on, first.has(m), second.has(m)))
    if isinstance(a, Record) and isinstance(b, Record) and a.type is b.type:
        return Record(run, a.type, {name: either(run, on, value, b.values[name]) for name, value in a.values.items()})
    if isinstance(a, Perhaps) or isinstance(b, Perhaps) or a is None or b is None:
        (here, one), (there, other) = _parts(a), _parts(b)
        element = one if other is None else other if one is None else either(run, on, one, other)
        if not isinstance(element, Unusable):
            return Perhaps(run, ite(on, here, there), element)
    if not isinstance(a, Value) and not isinstance(b, Value) and _same(a, b):
        return a
    return Unusable(
        run, "a variable that has values of different kinds on different paths", "Give each kind a name of its own."
    )


def _same(a: Any, b: Any) -> bool:
    """Whether two known values are the same, their parts included: 1 equals True, and is another value."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(x is y or _same(x, y) for x, y in zip(a, b, strict=True))
    return not isinstance(a, Value) and bool(a == b)


def _parts(value: Any) -> tuple[Term, Any]:
    if value is None:
        return FALSE, None
    return (value.there, value.element) if isinstance(value, Perhaps) else (TRUE, value)


def arbitrary(run: Run, domain: Domain, name: str) -> tuple[Any, list[Bound]]:
    """A value of a domain about which nothing else is known, and the variables that it is made of."""
    if isinstance(domain, Truths):
        term = run.fresh(name, BOOL)
        return Truth(run, term), [Bound(term)]
    bound = run.any_of(domain, name)
    if bound is None:
        what = {Records: "a record", Maps: "a map", Logs: "a log", Sets: "a set"}.get(type(domain), "none or a value")
        raise Untranslatable(
            f"a parameter that is {what}",
            "For all bounds, choose by numbers, names, sets and truth values; within bounds it can be proved as it is.",
        )
    term = bound.variable
    if isinstance(domain, Names):
        return Named(run, term), [bound]
    members = domain.members if isinstance(domain, Numbers) else None
    return (Number(run, term) if members is None else Choice(run, term, members)), [bound]


# -- places -----------------------------------------------------------------------------------------------------------
# Parts of the state as a rule holds them: records, maps and logs that it can read and change in place.


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
        if name in ("first", "last"):
            self.run.fail_if(le(self.end, constant(0)), f"the {name} entry of an empty log")
            return self.entry(constant(0) if name == "first" else add(self.end, constant(-1)))
        words = {"append": self.append, "truncate": self.truncate}
        return words[name] if name in words else super().field(name)

    def parts(self) -> dict[str, Leaf]:
        """What its entries are made of, as they are now: by what follows the log's path, functions of the offset."""
        self.fresh()
        found = dict[str, Leaf]()
        for leaf in leaves_under(self.view, self.path):
            self.view.accesses.read.append((leaf, self.arguments))
            found[leaf.removeprefix(self.path)] = _inside(self.view.leaves[leaf], self.arguments)
        return found

    def cut_out(self, start: Any, stop: Any) -> Slice:
        """A slice, as a list."""
        end = self.end
        first = constant(0) if start is None else self._limit(start, end)
        last = end if stop is None else _least(self._limit(stop, end), end)
        leaves = {SLICE + name: _moved(part, first) for name, part in self.parts().items()}
        leaves[SLICE + END] = lambda left: _greatest(sub(last, first), constant(0))
        return Slice(self.run, View(leaves, writable=False), self.domain, SLICE, ())

    def _limit(self, limit: Any, end: Term) -> Term:
        """A limit of a slice, which is counted from behind if it is negative."""
        at = number_of(self.run, limit)
        return ite(lt(at, constant(0)), _greatest(add(at, end), constant(0)), at)

    def __add__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return Joined(self.run, [self]) + other

    def __radd__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return other + Joined(self.run, [self])


SLICE = "slice"
"""The path of a list that was cut out of a log, which lies in no state."""


class Slice(LogPlace):
    """A list that was cut out of a log."""

    described = "a slice of a log"

    def _offset(self, offset: Any) -> Term:
        if type(offset) is not int or offset < 0:
            self.run.refuse("an index of a list that may be negative", "Index the log.")
        return super()._offset(offset)

    def field(self, name: str) -> Any:
        return Value.field(self, name)


class Joined(Value):
    """The sum of logs and lists, to be stored in a log."""

    described = "a sum of lists"

    def __init__(self, run: Run, parts: Sequence[LogPlace | list[Any]]) -> None:
        super().__init__(run)
        self.parts = [one.cut_out(None, None) if isinstance(one, LogPlace) else one for one in parts]

    def __add__(self, other: Any) -> Joined:  # type: ignore[override]  # defined here
        return Joined(self.run, [*self.parts, *self._other(other)])

    def __radd__(self, other: Any) -> Joined:  # type: ignore[override]  # defined here
        return Joined(self.run, [*self._other(other), *self.parts])

    def _other(self, other: Any) -> Sequence[LogPlace | list[Any]]:
        if isinstance(other, Joined):
            return other.parts
        if not isinstance(other, LogPlace | list):
            self.run.refuse("a list and something else added", "Add logs and lists.")
        return [other]


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
    if isinstance(domain, Logs) and isinstance(value, Joined | list):
        _write_joined(run, view, domain, path, arguments, value.parts if isinstance(value, Joined) else [value])
        return
    if isinstance(domain, Maps | Logs):
        run.refuse(
            "assignment of a whole map or log", "Assign its entries; of a log assign slices, lists, and sums of them."
        )
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
    for name, part in source.parts().items():
        change(run, view, path + name, arguments, part)
    view.replace(path)


def _write_joined(
    run: Run, view: View, domain: Logs, path: str, arguments: Arguments, parts: Sequence[LogPlace | list[Any]]
) -> None:
    """Assign several logs and lists, one after the other."""
    starts, items = [constant(0)], list[tuple[Term, Any]]()
    for part in parts:
        if isinstance(part, LogPlace):
            if part.domain.entry != domain.entry:
                run.refuse("entries of another kind in a log", "Use entries of the domain that is declared.")
            starts.append(add(starts[-1], part.end))
        else:
            items += [(add(starts[-1], constant(number)), taken_record(run, one)) for number, one in enumerate(part)]
            starts.append(add(starts[-1], constant(len(part))))
    run.fail_if(lt(domain.capacity, starts[-1]), "more entries than a log has room for")
    spans = zip(starts, starts[1:], parts, strict=False)
    logs = [(start, end, part.parts()) for start, end, part in spans if isinstance(part, LogPlace)]
    for name in [name for name in logs[0][2] if name != END] if logs else ():
        change(run, view, path + name, arguments, _one_after_another([(a, b, part[name]) for a, b, part in logs]))
    change(run, view, path + END, arguments, starts[-1])
    for at, item in items:
        write(run, view, domain.entry, path, (*arguments, at), item)
    view.replace(path)


def _least(a: Term, b: Term) -> Term:
    return ite(le(a, b), a, b)


def _greatest(a: Term, b: Term) -> Term:
    return ite(le(b, a), a, b)


def _one_after_another(logs: Sequence[tuple[Term, Term, Leaf]]) -> Leaf:
    """A leaf of the entries of several logs, of which each has the offsets from one number to another."""
    (start, end, part), *others = logs
    this = _moved(part, sub(constant(0), start))
    if not others:
        return this
    rest = _one_after_another(others)
    return lambda left: ite(lt(left[0], end), this(left), rest(left))


def _inside(leaf: Leaf, at: Arguments) -> Leaf:
    """A leaf of which the first arguments are given."""
    return lambda left: leaf((*at, *left))


def _moved(leaf: Leaf, by: Term) -> Leaf:
    """A leaf of the entries of a log, of which each is asked for at an offset that is smaller by a number."""
    return lambda left: leaf((add(left[0], by), *left[1:]))


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
