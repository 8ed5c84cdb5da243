"""What a rewritten rule calls in place of Python's own control flow, when it is read as TLA+."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, NoReturn

from epochal.spec.language import Set, Struct, bounded, require

from ..compile.source.rewrite import LINES
from ..compile.source.state_proxy import Assigned, StateProxy
from . import sources, terms
from .kinds import NOTHING, Kind, Limits
from .sources import Each, Generator, LoopLevel, Pieces, Range, used
from .terms import FALSE, TRUE, Term
from .values import (
    Bound,
    Guard,
    LogValue,
    MapValue,
    Maybe,
    PathEnds,
    Record,
    Run,
    SetValue,
    Unreturned,
    Unset,
    Value,
    View,
    condition,
    either,
    equal,
    is_number,
    is_truth,
    joined_all,
    kind_of,
    lifted,
    number,
    number_of,
    of_term,
    set_term,
    taken,
    truth,
)

Thunk = Callable[[], Any]
INNER = "__epochal_tla_inner__"
"""Where a function that is defined inside a rule says so."""
ENDED = object()
"""What a path gives that does not come to its end."""


class Operations:
    """The operations that rules call. `run` and `view` are exchanged between rules."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.view: View | None = None
        self.calls: Callable[..., Any] = _nothing
        self.attribute: Callable[[Any, str], Any] = _nothing
        self.super_: Callable[[type, Any], Any] = _nothing

    def condition(self, value: Any) -> Term:
        """The truth of a value."""
        return condition(self.run, value)

    # -- where ----------------------------------------------------------------------------------------------------

    def at(self, token: int) -> None:
        """The line now being run. What the rule has given a name so far may have that name in TLA+."""
        self.run.where = LINES[token]
        for name, value in sys._getframe(1).f_locals.items():
            if isinstance(value, Value) and name.isidentifier():
                self.run.hints.setdefault(value.term, name)

    def call(self, token: int, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call something, and come back to the caller's line."""
        self.run.where = LINES[token]
        result = self.calls(function, *arguments, **named)
        self.run.where = LINES[token]
        return result

    # -- statements -----------------------------------------------------------------------------------------------

    @property
    def unset(self) -> Unset:
        """The value of a local variable before its first assignment."""
        return Unset(self.run)

    def local(self, value: Any) -> Any:
        """A local variable that is read where a path may not have assigned it."""
        if isinstance(value, Unset):
            value.refuse()
        return value

    def branch(self, test: Any, then: Thunk, orelse: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
        """Run one branch, or both under their conditions and join what they leave: locals, state and result."""
        return self._branch(self.condition(test), then, orelse, get, put)

    def _branch(self, on: Term, then: Thunk, orelse: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
        if on.op == "bool":
            return then() if on.value else orelse()
        run, view = self.run, self.view
        before, values = get(), dict(view.values) if view is not None else {}
        guards = run.guards
        first, guards_first = self._path(then)
        locals_first, values_first = get(), dict(view.values) if view is not None else {}
        put(before)
        if view is not None:
            view.values = dict(values)
        second, guards_second = self._path(orelse)
        run.guards = guards
        if guards_first or guards_second:
            guards.append(Guard(on, False, guards_first, guards_second))
        if first is ENDED and second is ENDED:
            raise PathEnds
        if first is ENDED:
            return second
        if second is ENDED:
            put(locals_first)
            if view is not None:
                view.values = values_first
            return first
        if view is not None:
            view.values = {name: terms.ite(on, values_first[name], value) for name, value in view.values.items()}
        put(tuple(either(run, on, a, b) for a, b in zip(locals_first, get(), strict=True)))
        return either(run, on, first, second)

    def _path(self, path: Thunk) -> tuple[Any, list[Guard]]:
        """What a path gives, and its guards."""
        self.run.guards = []
        try:
            found = path()
        except PathEnds:
            found = ENDED
        return found, self.run.guards

    def loop(self, source: Any, body: Callable[[Any], None], get: Thunk, put: Callable[[Any], None]) -> None:
        """A `for` loop: all at once where its rounds have nothing to do with each other, else one after the other."""
        for each in used(self.run, source, lambda item: item):
            if not each.levels:
                body(each.item)
            elif not self._at_once(each, body, get, put):
                for present, item in sources.unrolled(self.run, each):
                    self._branch(present, partial(body, item), lambda: None, get, put)

    def _at_once(self, each: Each, body: Callable[[Any], None], get: Thunk, put: Callable[[Any], None]) -> bool:
        """Run a loop whose rounds change each a part of the state that is its own. False if it is another loop."""
        view, run = self.view, self.run
        if view is None or len(each.levels) != 1 or each.levels[0].variable is None:
            return False
        before, values, guards = get(), dict(view.values), run.guards
        (level,) = each.levels
        own = {name: terms.name(f"{name} before") for name in values}
        run.domains.variables.update({f"{name} before": kind for name, kind in view.variables.items()})
        view.values = dict(own)
        found: dict[str, Term] | None = None
        try:
            _, inside = self._path(lambda: body(each.item))
            if not inside and all(_unchanged(a, b) for a, b in zip(before, get(), strict=True)):
                found = {}
                for name, value in view.values.items():
                    if value is not own[name] and found is not None:
                        after = _pointwise(level, view.variables[name], own, name, value)
                        found = None if after is None else {**found, name: after}
        finally:
            view.values, run.guards = values, guards
            put(before)
        if found is None:
            return False
        back = {own[name]: value for name, value in values.items()}
        for name, value in found.items():
            view.values[name] = terms.replaced(value, back.get)
        return True

    def loop_until(self, source: Any, body: Callable[[Any], Any], get: Thunk, put: Callable[[Any], None]) -> None:
        """A `for` loop whose body says whether to go on. Its rounds are written out, one inside the other."""
        going = TRUE
        for each in used(self.run, source, lambda item: item):
            for present, item in sources.unrolled(self.run, each):
                here = terms.and_(going, present)
                goes_on = self._branch(here, partial(body, item), lambda: True, get, put)
                going = terms.and_(going, self.condition(goes_on))

    def while_(self, test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None]) -> None:
        """A `while` loop, whose condition must be known in each round."""
        on = self.condition(test())
        while on is TRUE:
            if self.condition(body()) is not TRUE:
                self.run.refuse("a while loop that the state ends", "Write a for loop over a range.")
            on = self.condition(test())
        if on is not FALSE:
            self.run.refuse("a while loop over the state", "Write a for loop over a range.")

    @property
    def unreturned(self) -> Unreturned:
        """What a loop has returned before it did."""
        return Unreturned(self.run)

    def depth(self) -> int:
        """How many conditions there are around a statement: nothing asks for it, as `:=` in an operand is refused."""
        return 0

    def bind(self, depth: int, old: Thunk, set_: Callable[[Any], None], value: Any) -> NoReturn:
        """`:=` in an operand."""
        self.run.refuse(":= in an operand", "Assign the name in a statement before.")

    def function(self, made: FunctionType, name: str) -> FunctionType:
        """A function that is defined inside a rule."""
        made.__name__ = made.__qualname__ = name
        made.__dict__[INNER] = True
        return made

    # -- connectives ----------------------------------------------------------------------------------------------

    def and_(self, first: Any, *others: Thunk) -> Any:
        """`and`."""
        total = self.condition(first)
        for operand in others:
            if total is FALSE:
                break
            total = terms.and_(total, self.condition(operand()))
        return truth(self.run, total)

    def or_(self, first: Any, *others: Thunk) -> Any:
        """`or`."""
        total = self.condition(first)
        for operand in others:
            if total is TRUE:
                break
            total = terms.or_(total, self.condition(operand()))
        return truth(self.run, total)

    def and_value(self, first: Any, *others: Thunk) -> Any:
        """`and` whose value is used: the first operand that is false, else the last."""
        return self._connected(first, others, lambda on, value, rest: either(self.run, on, rest, value))

    def or_value(self, first: Any, *others: Thunk) -> Any:
        """`or` whose value is used: the first operand that is true, else the last."""
        return self._connected(first, others, lambda on, value, rest: either(self.run, on, value, rest), stop=TRUE)

    def _connected(self, first: Any, others: tuple[Thunk, ...], join: Any, stop: Term = FALSE) -> Any:
        if not others:
            return first
        on = self.condition(first)
        if on is stop:
            return first
        rest = self._connected(others[0](), others[1:], join, stop)
        if is_truth(first) and is_truth(rest):
            one, other = self.condition(first), self.condition(rest)
            return truth(self.run, terms.and_(one, other) if stop is FALSE else terms.or_(one, other))
        return join(on, first, rest)

    def not_(self, value: Any) -> Any:
        """`not`."""
        return truth(self.run, terms.not_(self.condition(value)))

    def choose(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        """A conditional expression."""
        return self._branch(self.condition(test), then, orelse, tuple, lambda _: None)

    # -- comparisons ----------------------------------------------------------------------------------------------

    def eq(self, a: Any, b: Any) -> Any:
        """`==`."""
        return truth(self.run, equal(self.run, self._compared(a), self._compared(b)))

    def ne(self, a: Any, b: Any) -> Any:
        """`!=`."""
        return truth(self.run, terms.not_(equal(self.run, self._compared(a), self._compared(b))))

    def is_(self, a: Any, b: Any) -> Any:
        """`is`, which the language has for None alone."""
        return self.eq(a, b)

    def _compared(self, value: Any) -> Any:
        return sources.as_sequence(self.run, list(value.each)) if isinstance(value, Pieces) else value

    def chain(self, first: Any, *rest: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
        """A chained comparison."""
        total, left = TRUE, first
        for compare, operand in rest:
            right = operand()
            total = terms.and_(total, self.condition(compare(left, right)))
            left = right
            if total is FALSE:
                break
        return truth(self.run, total)

    def less(self, a: Any, b: Any) -> Any:
        """`<`."""
        self._scalar(a, b)
        return a < b

    def less_equal(self, a: Any, b: Any) -> Any:
        """`<=`."""
        self._scalar(a, b)
        return a <= b

    def greater(self, a: Any, b: Any) -> Any:
        """`>`."""
        self._scalar(a, b)
        return a > b

    def greater_equal(self, a: Any, b: Any) -> Any:
        """`>=`."""
        self._scalar(a, b)
        return a >= b

    def _scalar(self, *values: Any) -> None:
        """Refuse the order of tuples and records of the state."""
        if any(isinstance(one, Record | LogValue | Pieces | tuple | list | Struct) for one in values):
            self.run.refuse("the order of tuples, lists or records", "Compare their parts.")

    def contains(self, item: Any, container: Any) -> Any:
        """`in`."""
        run = self.run
        if isinstance(container, Range) and is_number(item):
            low, high = container.low, terms.add(container.high, terms.integer(-1))
            inside = terms.member(number_of(run, item), terms.interval(low, high))
            if isinstance(item, Maybe):
                there = terms.not_(terms.eq(item.term, terms.name("None")))
                inside = terms.and_(there, inside)
            return truth(run, inside)
        if isinstance(container, range) and container.step == 1 and isinstance(item, Value) and is_number(item):
            low, high = terms.integer(container.start), terms.integer(container.stop)
            return self.contains(item, Range(run, low, high))
        if isinstance(container, MapValue):
            container = sources.Universe(container.keys_of)
        if isinstance(container, SetValue) and self._same(kind_of(run, item), container.kind.element):
            return truth(run, terms.member(lifted(run, item), container.term))
        if isinstance(container, frozenset | set | tuple | list) and not isinstance(item, tuple | list):
            kinds = [kind_of(run, one) for one in container]
            if kinds and all(self._same(kind_of(run, item), kind) for kind in kinds):
                return truth(run, terms.member(lifted(run, item), terms.set_of(lifted(run, one) for one in container)))
        if isinstance(container, dict):
            container = list(container)
        known = isinstance(container, frozenset | set | tuple | list | range) and not isinstance(item, Value)
        if known and not any(isinstance(one, Value) for one in container):
            return item in container
        return truth(run, sources.some(used(run, container, lambda one: equal(run, item, one))))

    def _same(self, one: Kind, other: Kind) -> bool:
        """Whether TLA+ finds a value of one kind in a set of another as Python does."""
        one, other = (kind.element if kind.family == "opt" else kind for kind in (one, other))
        return NOTHING in (one, other) or one == other

    def excludes(self, item: Any, container: Any) -> Any:
        """`not in`."""
        return self.not_(self.contains(item, container))

    # -- what is made ---------------------------------------------------------------------------------------------

    def comprehension(self, source: Any, test: Any, element: Any, nested: bool) -> Generator:
        """A generator expression."""
        return Generator(self.run, source, test, element, nested)

    def list_of(self, items: Any) -> Any:
        """A list comprehension."""
        return self._pieces(used(self.run, items, lambda one: one))

    def _pieces(self, found: list[Each]) -> Any:
        if all(not each.levels for each in found):
            return [each.item for each in found]
        return Pieces(tuple(found))

    def set_of(self, items: Any, kind: type = frozenset) -> Any:
        """A set."""
        run = self.run
        if isinstance(items, SetValue):
            return items
        if isinstance(items, LogValue) and items.kind.element == NOTHING:
            return frozenset()
        found = used(run, items, lambda one: taken(run, one))
        if all(not each.levels and not isinstance(each.item, Value | tuple) for each in found):
            return kind(each.item for each in found)
        element = joined_all(run, [kind_of(run, each.item) for each in found])
        parts = [Each(each.levels, lifted(run, each.item, element)) for each in found]
        return of_term(run, Kind("set", None, (element,)), sources.as_set(parts))

    def taken(self, value: Any) -> Any:
        """A value that is kept beside the state, before the state changes."""
        return taken(self.run, value)

    def unpacked(self, value: Any) -> Any:
        """A value that an assignment takes apart."""
        return self.parts(value, len(value) if isinstance(value, tuple | list) else 0)

    def parts(self, value: Any, count: int) -> Any:
        """The parts of a tuple."""
        if not isinstance(value, tuple | list) or len(value) != count:
            self.run.refuse("what is taken apart here")
        return value

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`, where either may depend on the state."""
        run = self.run
        if isinstance(owner, Pieces):
            owner = sources.as_sequence(run, list(owner.each))
        if isinstance(key, slice):
            return self._cut_out(owner, key)
        symbolic = isinstance(key, Value) and not isinstance(key, Bound)
        if isinstance(owner, LogValue):
            low, _ = Limits(run.domains)(number_of(run, key))
            if owner.kind.domain is None and (low is None or low < 0):  # a log has nothing before its first entry
                run.refuse("an offset into a list that may be negative", "Index from the beginning.")
            return owner[key]
        if isinstance(owner, dict) and symbolic:
            return self._looked_up(key, list(owner.items()))
        if isinstance(owner, list | tuple) and symbolic:
            size = len(owner)
            return self._looked_up(key, [(at, owner[at]) for at in (*range(size), *range(-size, 0))])
        return owner[key]

    def _cut_out(self, owner: Any, piece: slice) -> Any:
        """A slice."""
        run, limits = self.run, (piece.start, piece.stop)
        if isinstance(owner, list) and any(isinstance(one, Value) and not isinstance(one, Bound) for one in limits):
            owner = self._as_log(owner)
        if not isinstance(owner, LogValue):
            return owner[piece]
        if piece.step == -1 and limits == (None, None):
            return sources.as_sequence(run, sources.elements(run, owner, backwards=True))
        if piece.step not in (None, 1):
            run.refuse("a slice with a step of what depends on the state", "Use a comprehension over a range.")
        return owner.cut_out(*limits)

    def _looked_up(self, key: Any, rows: list[tuple[Any, Any]]) -> Any:
        """A row of a table by a value of the state, which one of the rows has, or evaluation fails."""
        if not rows:
            self.run.refuse("a look-up in an empty table")
        found = rows[-1][1]
        for one, value in reversed(rows[:-1]):
            found = either(self.run, equal(self.run, key, one), value, found)
        if isinstance(found, Unset):
            self.run.refuse("a table of values of different kinds")
        return found

    def piece(self, start: Any, stop: Any, step: Any) -> slice:
        """A slice."""
        return slice(start, stop, step)

    def listed(self, *parts: tuple[bool, Any]) -> Any:
        """A list display in which some parts stand for all elements of something."""
        found: list[Each] = []
        for many, value in parts:
            found += used(self.run, value, lambda one: one) if many else [Each((), value)]
        return self._pieces(found)

    def fixed(self, value: Any) -> tuple[Any, ...]:
        """What starred arguments and the elements of a tuple stand for, of which the number is known."""
        return tuple(self._tuple(value))

    def named(self, value: Any) -> Any:
        """What a ** argument stands for."""
        return value

    def dictionary_of(self, items: Any) -> dict[Any, Any]:
        """A dictionary comprehension, whose keys are known."""
        found = used(self.run, items, lambda one: one)
        if any(each.levels or isinstance(each.item[0], Value) for each in found):
            self.run.refuse("a dictionary whose keys depend on the state", "Use a Map of the state.")
        return dict(each.item for each in found)

    def worded(self, value: Any) -> Any:
        """A value in a formatted text, which must be known."""
        if isinstance(value, Value):
            self.run.refuse("a text of a value of the state", "Rules compute states, not texts.")
        return value

    # -- assignments ----------------------------------------------------------------------------------------------

    def with_fields(self, target: Any) -> Any:
        """What an assignment to a field changes."""
        if isinstance(target, Record | StateProxy):
            return Assigned(target)
        self.run.refuse("an assignment to a field of something that is no part of the state")

    def with_entries(self, target: Any) -> Any:
        """What an assignment to an entry changes."""
        if isinstance(target, MapValue | LogValue):
            return target
        self.run.refuse("an assignment to an entry of something that is no part of the state")

    def update_field(self, owner: Any, name: str, operator: Callable[[Any, Any], Any], value: Thunk) -> None:
        """`owner.name += value`, and the like."""
        assigned = self.with_fields(owner)
        old = taken(self.run, self.attribute(owner, name))
        setattr(assigned, name, operator(old, value()))

    def update_entry(self, owner: Any, key: Any, operator: Callable[[Any, Any], Any], value: Thunk) -> None:
        """`owner[key] += value`, and the like."""
        old = taken(self.run, self.with_entries(owner)[key])
        owner[key] = operator(old, value())

    def augmented(self, value: Any) -> Any:
        """The old value of a name in an augmented assignment, by which Python would change a list in place."""
        if isinstance(value, LogValue | Pieces | list | dict):
            self.run.refuse("a list that an augmented assignment changes", "Assign a new one: x = x + [...].")
        return self.local(value)

    # -- operators ------------------------------------------------------------------------------------------------

    def product(self, a: Any, b: Any) -> Any:
        """`*`."""
        return a * b

    def modulo(self, a: Any, b: Any) -> Any:
        """`%`."""
        return a % b

    def power(self, a: Any, b: Any) -> Any:
        """`**`."""
        return a**b

    def shifted(self, a: Any, b: Any) -> Any:
        """`<<`."""
        return a << b

    # -- built in -------------------------------------------------------------------------------------------------

    def built_ins(self) -> dict[Any, Callable[..., Any]]:
        """The built-in functions by the objects that rules call; `Struct` stands for every class of records."""
        return {
            require: lambda holds: self.run.require(self.condition(holds), False),
            bounded: lambda holds: self.run.require(self.condition(holds), True),
            all: lambda items: truth(self.run, sources.every(used(self.run, items, self.condition))),
            any: lambda items: truth(self.run, sources.some(used(self.run, items, self.condition))),
            min: lambda *a, **n: self._extreme("Min", *a, **n),
            max: lambda *a, **n: self._extreme("Max", *a, **n),
            sum: self._sum,
            abs: abs,
            len: self._len,
            range: self._range,
            next: self._next,
            set: lambda items=(): self.set_of(items, set),
            frozenset: lambda items=(): self.set_of(items, frozenset),
            Set: lambda items=(): self.set_of(items, Set),
            list: self._list,
            tuple: self._tuple,
            enumerate: self._enumerate,
            zip: self._zip,
            reversed: self._reversed,
            bool: lambda value=False: truth(self.run, self.condition(value)),
            int: lambda value=0: number(self.run, number_of(self.run, value)),
            Struct: self._struct,
        }

    def _sum(self, items: Any, start: Any = 0) -> Any:
        found = sources.total(used(self.run, items, lambda one: number_of(self.run, one)))
        return number(self.run, terms.add(number_of(self.run, start), found))

    def _extreme(self, operator: str, /, *arguments: Any, **named: Any) -> Any:
        run = self.run
        items = arguments[0] if len(arguments) == 1 else list(arguments)
        found = used(run, items, lambda one: number_of(run, one))
        whole = sources.as_set(found)
        if whole.op == "set" and whole.args and all(one.op == "int" for one in whole.args):
            known = [one.value for one in whole.args]
            return min(known) if operator == "Min" else max(known)
        if whole.op == "set" and len(whole.args) == 1:
            return number(run, whole.args[0])
        if "default" not in named or (whole.op == "set" and whole.args):
            return number(run, terms.call(operator, whole))
        default = number_of(run, named["default"])
        if whole is terms.EMPTY:
            return number(run, default)
        variable = terms.bound("found")
        chosen = terms.ite(terms.eq(variable, terms.EMPTY), default, terms.call(operator, variable))
        return number(run, terms.let(variable, whole, chosen))

    def _len(self, value: Any) -> Any:
        run = self.run
        if isinstance(value, LogValue):
            return number(run, terms.length(value.term))
        if isinstance(value, SetValue):
            return number(run, terms.call("Cardinality", set_term(run, value)))
        if isinstance(value, Pieces):
            return number(run, sources.total([Each(each.levels, terms.integer(1)) for each in value.each]))
        if isinstance(value, MapValue):
            domain = value.keys_of.domain
            assert domain is not None
            return Bound(run, terms.call("Cardinality", domain.term), domain.within.cardinality)
        if isinstance(value, Range):
            count = terms.sub(value.high, value.low)
            return number(run, terms.ite(terms.compare("lt", count, terms.integer(0)), terms.integer(0), count))
        return len(value)

    def _range(self, *limits: Any) -> Any:
        if all(type(limit) is int for limit in limits):
            return range(*limits)
        if len(limits) > 2:
            return range(*(limit.__index__() for limit in limits))
        low, high = limits if len(limits) == 2 else (0, limits[0])
        return Range(self.run, number_of(self.run, low), number_of(self.run, high))

    def _next(self, items: Any, *default: Any) -> Any:
        run = self.run
        found = used(run, items, lambda one: taken(run, one))
        if default:
            return sources.first(run, found, default[0], lambda on, a, b: either(run, on, a, b))
        if not found:
            run.refuse("next of nothing")
        return sources.first(run, found, ENDED, lambda on, a, b: a if b is ENDED else either(run, on, a, b))

    def _list(self, items: Any = ()) -> Any:
        if isinstance(items, LogValue):
            return items.cut_out(None, None)
        return self._pieces(used(self.run, items, lambda one: one))

    def _tuple(self, items: Any = ()) -> Any:
        found = used(self.run, items, lambda one: one)
        result = []
        for each in found:
            if each.levels and (len(each.levels) > 1 or each.levels[0].condition is not TRUE):
                self.run.refuse("a tuple whose length depends on the state")
            result += [item for _, item in sources.unrolled(self.run, each)]
        return tuple(result)

    def _enumerate(self, items: Any, start: Any = 0) -> Any:
        found, at = [], number_of(self.run, start)
        for each in sources.elements(self.run, items):
            index = at
            if each.levels:
                (level,) = each.levels
                if level.variable is None or level.domain.op not in ("domain", "range") or level.condition is not TRUE:
                    return self._enumerated(items, start)
                low = terms.integer(1) if level.domain.op == "domain" else level.domain.args[0]
                index = terms.add(terms.sub(level.variable, low), at)
            found.append(Each(each.levels, (number(self.run, index), each.item)))
            if each.levels:
                count = sources.total([Each(each.levels, terms.integer(1))])
                at = terms.add(at, count)
            else:
                at = terms.add(at, terms.integer(1))
        return self._pieces(found)

    def _enumerated(self, items: Any, start: Any) -> Any:
        """Numbered elements of what is no prefix: keys of a map in their order."""
        return self._zip(range(start, start + 10_000), self._tuple(items))

    def _zip(self, *columns: Any, strict: bool = False) -> Any:
        found = [used(self.run, column, lambda one: one) for column in columns]
        if all(not each.levels for column in found for each in column):
            return list(zip(*([each.item for each in column] for column in found), strict=False))
        logs = [self._as_log(column) for column in columns]
        lengths = [terms.length(log.term) for log in logs]
        least = lengths[0] if len(set(lengths)) == 1 else terms.call("Min", terms.set_of(lengths))
        variable, domain = terms.bound("i"), terms.interval(terms.integer(1), least)
        items = tuple(of_term(self.run, log.kind.element, terms.read(log.term, [("[]", variable)])) for log in logs)
        return Pieces((Each((LoopLevel(variable, domain, TRUE, "up"),), items),))

    def _as_log(self, items: Any) -> LogValue:
        if isinstance(items, LogValue):
            return items
        return sources.as_sequence(self.run, used(self.run, items, lambda one: one))

    def _reversed(self, items: Any) -> Any:
        found = sources.elements(self.run, items, backwards=True)
        if all(not each.levels for each in found):
            known = [each.item for each in found]
            return known if isinstance(items, LogValue) else known[::-1]
        if isinstance(items, LogValue | Range):
            return Pieces(tuple(found))
        if isinstance(items, MapValue):
            return list(reversed(self._tuple(items)))
        self.run.refuse("reversed of such a collection")

    def _struct(self, kind: type[Struct], /, *arguments: Any, **named: Any) -> Any:
        run = self.run
        made = kind(*arguments, **named)  # says which fields there are
        values = dict(zip(made.fields, made.field_values(), strict=True))
        if not any(isinstance(value, Value | list | tuple) for value in values.values()):
            return made
        declared = run.domains.record(kind)
        fields = {name: lifted(run, value, declared.fields[name]) for name, value in values.items()}
        return of_term(run, declared, terms.record(fields))


def _unchanged(a: Any, b: Any) -> bool:
    return (
        a is b
        or (isinstance(a, Unset) and isinstance(b, Unset))
        or (isinstance(a, Value) and isinstance(b, Value) and a.term is b.term)
    )


def _pointwise(level: LoopLevel, kind: Kind, own: dict[str, Term], name: str, value: Term) -> Term | None:
    """A variable after a loop whose rounds change each its own entry; None if they do not."""
    base, variable, domain = own[name], level.variable, level.domain
    assert variable is not None
    place = _entry(value, base, variable)
    if place is None:
        return None
    before, after, here = terms.read(base, place), terms.read(value, place), terms.name(f"{name} here")
    seen = [terms.replaced(one, lambda term: here if term is before else None) for one in (after, level.condition)]
    if any(one.value in domain.names or any(one.value in part.names for part in seen) for one in own.values()):
        return None
    keys = place[:-1]
    whole = terms.read(base, keys)
    for _, field_name in keys:
        kind = kind.fields[field_name]
    declared = kind.parts[0].domain
    if declared is not None and declared.term is domain and level.condition is TRUE:
        changed = terms.function(variable, domain, after)
    else:
        inside = terms.and_(terms.member(variable, domain), level.condition)
        entry = terms.ite(inside, after, terms.made("index", (whole, variable)))
        changed = terms.function(variable, terms.made("domain", (whole,)), entry)
    return terms.updated(base, keys, changed)


def _entry(value: Term, base: Term, variable: Term) -> tuple[Any, ...] | None:
    """Where a value differs from `base`: at one entry, whose key is the variable, and nowhere else."""
    if value.op == "ite":
        places = [_entry(one, base, variable) for one in value.args[1:] if one is not base]
        return places[0] if places and all(place == places[0] for place in places) else None
    if value.op != "except" or value.args[0] is not base:
        return None
    found: set[tuple[Any, ...]] = set()
    for path, _ in terms.paths_of(value):
        at = next((number for number, step in enumerate(path) if step == ("[]", variable)), None)
        if at is None or any(kind == "[]" for kind, _ in path[:at]):
            return None
        found.add(path[: at + 1])
    return found.pop() if len(found) == 1 else None


def _nothing(*arguments: Any, **named: Any) -> NoReturn:
    raise TypeError("no rule is being read")
