"""What two values of the state are together: whether they are equal, and what is one of them or the other."""

from __future__ import annotations

import enum
from typing import Any

from .domains import Domain, Names, Numbers, Truths
from .refused import NoReading
from .run import Run
from .terms import BOOL, FALSE, TRUE, Bound, Term, and_, constant, eq, ite, not_, or_
from .values import (
    Choice,
    Members,
    Named,
    Number,
    Perhaps,
    Record,
    Truth,
    Unusable,
    Value,
    choice_of,
    condition,
    is_number,
    is_truth,
    number,
    number_of,
    truth,
)


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
        raise NoReading("a parameter that is a record", "Choose by numbers, names, sets and truth values.")
    term = bound.variable
    if isinstance(domain, Names):
        return Named(run, term), [bound]
    members = domain.members if isinstance(domain, Numbers) else None
    return (Number(run, term) if members is None else Choice(run, term, members)), [bound]
