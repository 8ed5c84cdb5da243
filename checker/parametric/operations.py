"""What a rewritten rule calls in place of Python's own control flow, for every choice of the bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..compile.source.lines import LINES
from .domains import Numbers, names_of
from .loops import loop
from .pairs import either, equal
from .places import LogPlace, MapPlace, Place, RecordPlace, kept, taken_record
from .refused import PathEnds
from .run import Run
from .sources import Generator, Range, Reversed, used
from .terms import FALSE, TRUE, Bound, Term, add, and_, constant, eq, exists, le, lt, not_, or_, substitute
from .values import Members, Named, Number, Perhaps, Unusable, Value, condition, is_number, is_truth, number_of, truth

Thunk = Callable[[], Any]
ENDED = object()
"""What a path gives that does not come to its end."""


class Operations:
    """The operations that rules call. `run` is exchanged between rules; `calls` and the like are set from outside."""

    def __init__(self) -> None:
        self.run = Run("", None)
        self.calls: Callable[..., Any] = _nothing
        self.attribute: Callable[[Any, str], Any] = _nothing
        self.super_: Callable[[type, Any], Any] = _nothing

    def condition(self, value: Any) -> Term:
        """The truth of a value."""
        if isinstance(value, LogPlace | MapPlace | Range | Reversed | Generator):
            self.run.refuse(f"the truth of {value.described}", "Write len(...) > 0.")
        return condition(self.run, value)

    # -- where ----------------------------------------------------------------------------------------------------

    def at(self, token: int) -> None:
        """The line now being run."""
        self.run.where = LINES[token]

    def call(self, token: int, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call something, and come back to the caller's line."""
        self.at(token)
        result = self.calls(function, *arguments, **named)
        self.at(token)
        return result

    # -- statements -----------------------------------------------------------------------------------------------

    @property
    def unset(self) -> Unusable:
        """The value of a local variable before its first assignment."""
        return Unusable(
            self.run, "a variable that is not assigned on every path", "Assign it before the if, or in each branch."
        )

    def local(self, value: Any) -> Any:
        """A local variable that is read where a path may not have assigned it."""
        if isinstance(value, Unusable):
            value.refuse()
        return value

    def branch(self, test: Any, then: Thunk, orelse: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
        """Run one branch, or both under their conditions and join what they leave: locals, state and result."""
        run, view = self.run, self.run.written
        on = self.condition(test)
        if on.op == "const":
            return then() if on.value else orelse()
        before, leaves = get(), dict(view.leaves) if view is not None else {}
        first = second = ENDED
        with run.under(on):
            first = then()
        locals_first, leaves_first = get(), dict(view.leaves) if view is not None else {}
        put(before)
        if view is not None:
            view.leaves = dict(leaves)
        with run.under(not_(on)):
            second = orelse()
        if first is ENDED and second is ENDED:
            raise PathEnds
        if first is ENDED:
            return second
        if second is ENDED:
            put(locals_first)
            if view is not None:
                view.leaves = leaves_first
            return first
        if view is not None:
            view.joined(on, leaves_first)
        put(tuple(either(run, on, a, b) for a, b in zip(locals_first, get(), strict=True)))
        return either(run, on, first, second)

    def loop(self, source: Any, body: Callable[[Any], None], get: Thunk, put: Callable[[Any], None]) -> None:
        """A `for` loop."""
        loop(self.run, source, body, get, put)

    def concrete(self, test: Any) -> NoReturn:
        """`while`."""
        self.run.refuse("a while loop", "Write a for loop, all, any, min or max.")

    # -- connectives ----------------------------------------------------------------------------------------------

    def and_(self, first: Any, *others: Thunk) -> Any:
        """`and`: later operands are evaluated only where the earlier ones are true."""
        total = self.condition(first)
        for operand in others:
            if total is FALSE:
                break
            value = FALSE
            with self.run.operand(total):
                value = self.condition(operand())
            total = and_(total, value)
        return truth(self.run, total)

    def or_(self, first: Any, *others: Thunk) -> Any:
        """`or`: later operands are evaluated only where the earlier ones are false."""
        total = self.condition(first)
        for operand in others:
            if total is TRUE:
                break
            value = FALSE
            with self.run.operand(not_(total)):
                value = self.condition(operand())
            total = or_(total, value)
        return truth(self.run, total)

    def and_value(self, first: Any, *others: Thunk) -> Any:
        """`and` whose value is used: of truth values."""
        return self.and_(self._truth(first), *(lambda one=one: self._truth(one()) for one in others))

    def or_value(self, first: Any, *others: Thunk) -> Any:
        """`or` whose value is used: of truth values."""
        return self.or_(self._truth(first), *(lambda one=one: self._truth(one()) for one in others))

    def _truth(self, value: Any) -> Any:
        if not is_truth(value):
            self.run.refuse("and or or between values that are no truth values", "Compare them, or use if and else.")
        return value

    def not_(self, value: Any) -> Any:
        """`not`."""
        return truth(self.run, not_(self.condition(value)))

    def choose(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        """A conditional expression."""
        run, on = self.run, self.condition(test)
        if on.op == "const":
            return then() if on.value else orelse()
        first = second = ENDED
        with run.operand(on):
            first = then()
        with run.operand(not_(on)):
            second = orelse()
        if first is ENDED and second is ENDED:
            raise PathEnds
        return second if first is ENDED else first if second is ENDED else either(run, on, first, second)

    # -- comparisons ----------------------------------------------------------------------------------------------

    def eq(self, a: Any, b: Any) -> Any:
        """`==`."""
        return truth(self.run, self._equal(a, b))

    def ne(self, a: Any, b: Any) -> Any:
        """`!=`."""
        return truth(self.run, not_(self._equal(a, b)))

    def is_(self, a: Any, b: Any) -> Any:
        """`is`, which the language has for None alone."""
        if a is not None and b is not None:
            self.run.refuse("is between values that are not None", "Write == instead.")
        return truth(self.run, self._equal(a, b))

    def _equal(self, a: Any, b: Any) -> Term:
        a, b = (taken_record(self.run, value) for value in (a, b))
        return equal(self.run, a, b)

    def chain(self, first: Any, *rest: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
        """A chained comparison: each operand is evaluated once, and only where the comparisons before are true."""
        total, left = TRUE, first
        for compare, operand in rest:
            holds = FALSE
            with self.run.operand(total):
                right = operand()
                holds = self.condition(compare(left, right))
                left = right
            total = and_(total, holds)
            if total is FALSE:
                break
        return truth(self.run, total)

    def contains(self, item: Any, container: Any) -> Any:
        """`in`."""
        run = self.run
        if isinstance(container, Members):
            return truth(run, self._member(item, container))
        if isinstance(container, frozenset | set) and not container:
            return False
        if isinstance(container, Range):
            if not is_number(item):
                run.refuse("something that is no integer in a range", "Look for an integer.")
            wanted = number_of(run, item)
            return truth(run, and_(le(container.low, wanted), lt(wanted, container.high)))
        if not isinstance(container, Generator | LogPlace | tuple | list):
            shown = container.described if isinstance(container, Value) else f"a {type(container).__name__}"
            run.refuse(f"`in` with {shown}", "Look for it with any(... == ...).")
        found = used(run, container, lambda one: self._equal(item, one))
        return truth(run, or_(*(exists(bounds, and_(present, same)) for bounds, present, same in found)))

    def _member(self, item: Any, container: Members) -> Term:
        if container.element is None:
            return FALSE
        if isinstance(item, Perhaps):
            return and_(item.there, self._member(item.element, container))
        if item is None:
            return FALSE
        if isinstance(container.element, Numbers):
            wanted = number_of(self.run, item)
            return and_(container.element.has(wanted), container.has([wanted]))
        if not isinstance(item, Named) or item.term.sort != container.element.sort:
            self.run.refuse("something that is no such identifier in a set", "Look for an identifier of the same kind.")
        return container.has([item.term])

    def excludes(self, item: Any, container: Any) -> Any:
        """`not in`."""
        return truth(self.run, not_(self.condition(self.contains(item, container))))

    # -- what is made ---------------------------------------------------------------------------------------------

    def comprehension(self, source: Any, test: Any, element: Any, nested: bool) -> Generator:
        """A generator expression."""
        return Generator(self.run, source, test, element, nested)

    def list_of(self, items: Any) -> NoReturn:
        """A list comprehension."""
        self.run.refuse("a list comprehension", "Write the generator where its elements are used: all(... for ...).")

    def set_of(self, items: Any) -> Members:
        """A set of identifiers, of those that are named or that a generator gives, or of numbers out of a range."""
        run, found, element = self.run, [], None
        every = used(run, items, _element)
        for bounds, present, value in every:
            if isinstance(value, Number) and [bound.variable for bound in bounds] == [value.term] and len(every) == 1:
                return _chosen(run, bounds[0], present)
            if not isinstance(value, Named):
                shown = value.described if isinstance(value, Value) else repr(value)
                run.refuse(
                    f"a set of {shown}",
                    "Make sets of identifiers, and of numbers by Set(x for x in self.each(...) if ...).",
                )
            found.append((bounds, present, value.term))
        sorts = {term.sort for _, _, term in found}
        if len(sorts) > 1:
            run.refuse("a set of identifiers of different kinds", "Keep them in two sets.")
        if sorts:
            element = names_of(sorts.pop())
        return Members(run, element, lambda m: or_(*(_is_made(m[0], bounds, p, term) for bounds, p, term in found)))

    def taken(self, value: Any) -> Any:
        """A value that is kept beside the state, before the state changes."""
        return kept(self.run, value)

    def unpacked(self, value: Any) -> Any:
        """A value that an assignment takes apart."""
        return self.parts(value, len(value) if isinstance(value, tuple | list) else 0)

    def parts(self, value: Any, count: int) -> Any:
        """The parts of a tuple."""
        if not isinstance(value, tuple | list) or len(value) != count:
            self.run.refuse("what is taken apart here", "Name the whole, and use its parts.")
        return value

    # -- assignments ----------------------------------------------------------------------------------------------

    def with_fields(self, target: Any) -> Any:
        """What an assignment to a field changes, which must be a part of the state."""
        if isinstance(target, RecordPlace | StateProxy):
            return Assigned(target)
        self.run.refuse("assignment to a field of something that is no part of the state", "Assign a new value.")

    def with_entries(self, target: Any) -> Any:
        """What an assignment to an entry changes, which must be a part of the state."""
        if isinstance(target, MapPlace | LogPlace):
            return target
        self.run.refuse("assignment to an entry of something that is no part of the state", "Assign a new value.")

    def update_field(self, owner: Any, name: str, operator: Callable[[Any, Any], Any], value: Thunk) -> None:
        """`owner.name += value`, and the like."""
        assigned = self.with_fields(owner)
        old = self.augmented(self.attribute(owner, name))
        setattr(assigned, name, operator(old, value()))

    def update_entry(self, owner: Any, key: Any, operator: Callable[[Any, Any], Any], value: Thunk) -> None:
        """`owner[key] += value`, and the like."""
        old = self.augmented(self.with_entries(owner)[key])
        owner[key] = operator(old, value())

    def augmented(self, value: Any) -> Any:
        """The old value in an augmented assignment."""
        if isinstance(value, list | dict | set | Place):
            self.run.refuse("a change in place by an augmented assignment", "Assign a new value.")
        return self.local(value)

    # -- operators ------------------------------------------------------------------------------------------------

    def product(self, a: Any, b: Any) -> Any:
        """`*`."""
        if not (is_number(a) and is_number(b)):
            self.run.refuse("a product of something else than numbers", "Multiply numbers.")
        return a * b

    def modulo(self, a: Any, b: Any) -> Any:
        """`%`."""
        return self._of_known(a, b, "%", lambda: a % b)

    def power(self, a: Any, b: Any) -> Any:
        """`**`."""
        return self._of_known(a, b, "**", lambda: a**b)

    def shifted(self, a: Any, b: Any) -> Any:
        """`<<`."""
        return self._of_known(a, b, "<<", lambda: a << b)

    def _of_known(self, a: Any, b: Any, sign: str, compute: Thunk) -> Any:
        if type(a) is not int or type(b) is not int:
            self.run.refuse(f"{sign} with values of the state", "Use + and -, and products with known numbers.")
        return compute()


def _element(value: Any) -> Any:
    """What a set is made of; evaluation fails where it may be none."""
    return value.needed() if isinstance(value, Perhaps) else value


def _chosen(run: Run, bound: Bound, present: Term) -> Members:
    """The set of those numbers of a range for which a condition is true."""
    numbers = Numbers(bound.low, add(bound.high, constant(-1)))
    return Members(run, numbers, lambda member: substitute(present, {bound.variable: member[0]}))


class StateProxy:
    """What a rule sees as `self`; `read` and `assign` are its attributes."""

    def read(self, name: str) -> Any:
        """The attribute of this name: a variable, or something of the protocol's class."""
        raise NotImplementedError

    def assign(self, name: str, value: Any) -> None:
        """Assign a variable."""
        raise NotImplementedError


class Assigned:
    """A part of the state to whose fields a rule assigns."""

    def __init__(self, target: RecordPlace | StateProxy) -> None:
        object.__setattr__(self, "_target", target)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__getattribute__(self, "_target").assign(name, value)


def _is_made(member: Term, bounds: tuple[Bound, ...], present: Term, made: Term) -> Term:
    """That an identifier is among those that a generator makes; of one that only leaves some out, that it is kept."""
    if len(bounds) == 1 and bounds[0].variable is made:
        return substitute(present, {made: member})
    return exists(bounds, and_(present, eq(made, member)))


def _nothing(*arguments: Any, **named: Any) -> Any:
    raise TypeError("no rule is being read")
