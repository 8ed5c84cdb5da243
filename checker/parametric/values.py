"""Values that depend on the state, as terms. A value that is known is an ordinary Python value, never one of these."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from epochal.spec.language import Struct

from .domains import Domain, Names, Numbers, Truths, Untranslatable
from .run import Run
from .terms import (
    BOOL,
    FALSE,
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
    le,
    lt,
    not_,
    or_,
    scale,
    sub,
)

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


class Truth(Value):
    """A truth value."""

    described = "a truth value"

    def __init__(self, run: Run, term: Term) -> None:
        super().__init__(run)
        self.term = term


class Number(Value):
    """An integer."""

    described = "a number"

    def __init__(self, run: Run, term: Term) -> None:
        super().__init__(run)
        self.term = term

    def _with(self, other: Any, make: Callable[[Term, Term], Term], swapped: bool = False) -> Number:
        number = number_of(self.run, other)
        return Number(self.run, make(number, self.term) if swapped else make(self.term, number))

    def _than(self, other: Any, make: Callable[[Term, Term], Term]) -> Any:
        return truth(self.run, make(self.term, number_of(self.run, other)))

    def __add__(self, other: Any) -> Number:  # type: ignore[override]  # defined here
        return self._with(other, add)

    __radd__ = __add__  # type: ignore[assignment]  # defined here

    def __sub__(self, other: Any) -> Number:  # type: ignore[override]  # defined here
        return self._with(other, sub)

    def __rsub__(self, other: Any) -> Number:  # type: ignore[override]  # defined here
        return self._with(other, sub, swapped=True)

    def __mul__(self, other: Any) -> Number:  # type: ignore[override]  # defined here
        if type(other) is not int:
            self.run.refuse("a product of two values of the state", "Multiply by a number that is known.")
        return Number(self.run, scale(other, self.term))

    __rmul__ = __mul__  # type: ignore[assignment]  # defined here

    def __neg__(self) -> Number:  # type: ignore[override]  # defined here
        return Number(self.run, scale(-1, self.term))

    def __lt__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return self._than(other, lt)

    def __le__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return self._than(other, le)

    def __gt__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return self._than(other, lambda a, b: lt(b, a))

    def __ge__(self, other: Any) -> Any:  # type: ignore[override]  # defined here
        return self._than(other, lambda a, b: le(b, a))


class Named(Value):
    """An identifier."""

    described = "an identifier"

    def __init__(self, run: Run, term: Term) -> None:
        super().__init__(run)
        self.term = term


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
    if a is b:
        return a
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
        raise Untranslatable("a parameter that is a record", "Choose by numbers, names, sets and truth values.")
    term = bound.variable
    if isinstance(domain, Names):
        return Named(run, term), [bound]
    members = domain.members if isinstance(domain, Numbers) else None
    return (Number(run, term) if members is None else Choice(run, term, members)), [bound]
