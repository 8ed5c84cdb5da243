"""What a rewritten rule calls in place of Python's own control flow: branches, loops, connectives, comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from spec.language import Map, Set, SourceLine

from .codec import membership
from .comprehension import Comprehension, Consumer, SymRange
from .equality import equal
from .execution import Execution, PathEnds, View
from .expression import Expression
from .merge import Guarded, GuardedIterator, GuardedList, Mixed, Unassigned, merge
from .places import LogReference, MapReference, Reference, StructReference, snapshot
from .sets import members, settled
from .symbolic import (
    LooseSet,
    Symbolic,
    SymBool,
    SymInt,
    SymMaybeStruct,
    SymOptional,
    SymScalar,
    SymSet,
    as_int,
    int_value,
    truth_value,
)

ENDED = object()
Thunk = Callable[[], Any]


class StateProxy:
    """What a rule sees as `self`."""


class Operations:
    """The operations of one compilation. `execution` is the run they belong to, exchanged between rules."""

    def __init__(self, execution: Execution, lines: list[SourceLine]) -> None:
        self.execution = execution
        self.lines = lines
        self.visited: set[int] = set()
        self.written: View | None = None
        self.call_rule: Callable[..., Any] = _no_calls
        self.super_: Callable[..., Any] = _no_calls

    # -- used by rewritten code -----------------------------------------------------------------------------------

    def at(self, token: int) -> None:
        """The line now being run."""
        self.visited.add(token)
        self.execution.graph.table.where = self.lines[token]

    def call(self, token: int, function: Any, *arguments: Any, **named: Any) -> Any:
        """Call something, and come back to the caller's line."""
        self.at(token)
        result = self.call_rule(function, *arguments, **named)
        self.at(token)
        return result

    @property
    def unset(self) -> Unassigned:
        """The value of a local variable before its first assignment."""
        return Unassigned(self.execution)

    def branch(self, test: Any, then: Thunk, orelse: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
        """Run one branch, or both under their conditions and join what they leave: locals, state and result."""
        execution, graph, view = self.execution, self.execution.graph, self.written
        condition = self.condition(test)
        if condition.is_const:
            return then() if condition.value else orelse()
        before, state = get(), list(view.leaves) if view else []
        replaced = list(view.replaced) if view else []
        first = second = ENDED
        with execution.under(condition):
            first = then()
        locals_first, state_first = get(), list(view.leaves) if view else []
        put(before)
        if view:
            replaced_first, view.replaced = view.replaced, replaced
            view.leaves[:] = state
        with execution.under(graph.not_(condition)):
            second = orelse()
        if view:
            view.replaced = [*replaced_first, *view.replaced[len(replaced) :]]
        if first is ENDED and second is ENDED:
            raise PathEnds
        if first is ENDED:
            return second
        if second is ENDED:
            put(locals_first)
            if view:
                view.leaves[:] = state_first
            return first
        put(tuple(merge(execution, condition, a, b) for a, b in zip(locals_first, get(), strict=True)))
        if view:
            pairs = zip(state_first, view.leaves, strict=True)
            view.leaves[:] = [a if a is b else graph.ite(condition, a, b) for a, b in pairs]
        return merge(execution, condition, first, second)

    def loop(self, source: Any, body: Callable[[Any], None], get: Thunk, put: Callable[[Any], None]) -> None:
        """Run the body for every element that is present; that of a generator before its next element is made."""
        outside = self.execution.operands

        def run(present: Expression, item: Any) -> Expression:
            inside, self.execution.operands = self.execution.operands, outside
            self.branch(truth_value(self.execution, present), lambda: body(item), lambda: None, get, put)
            self.execution.operands = inside
            return self.execution.graph.true

        self.consume(source, run)

    def and_(self, first: Any, *others: Thunk) -> Any:
        """`and` as a truth value: later operands are evaluated only where the earlier ones are true."""
        execution, graph = self.execution, self.execution.graph
        total, depth = self.condition(first), len(execution.path)
        for operand in others:
            if total is graph.false:
                break
            value = graph.false
            with execution.operand(total):
                value = self.condition(operand())
            total = graph.and_(total, value)
        del execution.path[depth:]
        return truth_value(execution, total)

    def or_(self, first: Any, *others: Thunk) -> Any:
        """`or` as a truth value: later operands are evaluated only where the earlier ones are false."""
        execution, graph = self.execution, self.execution.graph
        total, depth = self.condition(first), len(execution.path)
        for operand in others:
            if total is graph.true:
                break
            value = graph.true
            with execution.operand(graph.not_(total)):
                value = self.condition(operand())
            total = graph.or_(total, value)
        del execution.path[depth:]
        return truth_value(execution, total)

    def and_value(self, first: Any, *others: Thunk) -> Any:
        """`and` as Python defines it: the first operand that is false, else the last."""
        return self._connected(True, first, others)

    def or_value(self, first: Any, *others: Thunk) -> Any:
        """`or` as Python defines it: the first operand that is true, else the last."""
        return self._connected(False, first, others)

    def _connected(self, conjunction: bool, first: Any, others: tuple[Thunk, ...]) -> Any:
        execution, graph = self.execution, self.execution.graph
        values, going, reached = [first], [], graph.true
        for operand in others:
            truth = self.condition(values[-1])
            going.append(truth if conjunction else graph.not_(truth))
            reached = graph.and_(reached, going[-1])
            if reached is graph.false:
                break
            value = ENDED
            with execution.operand(reached):
                value = operand()
            if value is ENDED:
                break
            values.append(value)
        if all(isinstance(value, bool | SymBool) for value in values):
            truths = [self.condition(value) for value in values]
            return truth_value(execution, graph.all_of(truths) if conjunction else graph.any_of(truths))
        result = values.pop()
        for value, on in zip(reversed(values), reversed(going[: len(values)]), strict=True):
            result = merge(execution, on, result, value)
        if isinstance(result, Mixed):
            raise execution.error(
                "the operands of this and or or are of different kinds", "Compare them, so that each is true or false."
            )
        return result

    def not_(self, value: Any) -> Any:
        """`not`."""
        return truth_value(self.execution, self.execution.graph.not_(self.condition(value)))

    def eq(self, a: Any, b: Any) -> Any:
        """`==`."""
        return truth_value(self.execution, equal(self.execution, a, b))

    def ne(self, a: Any, b: Any) -> Any:
        """`!=`."""
        return truth_value(self.execution, self.execution.graph.not_(equal(self.execution, a, b)))

    def is_(self, a: Any, b: Any) -> Any:
        """`is`, which the language has for none only."""
        if a is not None and b is not None:
            raise self.execution.error("is compares with None only", "Write == instead.")
        return self.eq(a, b)

    def chain(self, first: Any, *rest: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
        """A chained comparison: each operand is evaluated once."""
        execution, graph, left = self.execution, self.execution.graph, first
        total = graph.true
        for compare, operand in rest:
            holds = graph.false
            with execution.under(total):
                right = operand()
                holds = self.condition(compare(left, right))
                left = right
            total = graph.and_(total, holds)
            if total is graph.false:
                break
        return truth_value(execution, total)

    def choose(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        """A conditional expression."""
        return self.branch(test, then, orelse, tuple, lambda _: None)

    def comprehension(self, source: Any, condition: Any, element: Any, nested: bool) -> Comprehension:
        """A generator expression over one source."""
        return Comprehension(self, source, condition, element, nested)

    def list_of(self, items: Comprehension) -> Any:
        """A list comprehension."""
        found = items.collect()
        if all(condition is self.execution.graph.true for condition, _ in found):
            return [value for _, value in found]
        return GuardedList(self.execution, found)

    def set_of(self, items: Any) -> Any:
        """A set from elements with conditions: an ordinary set if everything about it is known."""
        found = list(self.iterate(items))
        if all(c is self.execution.graph.true and not isinstance(v, Symbolic) for c, v in found):
            return Set(v for _, v in found)
        return LooseSet(self.execution, found)

    def place(self, target: Any) -> Any:
        """What an assignment to a field or an entry changes, which must be a part of the state."""
        if isinstance(target, Reference | StateProxy) or (isinstance(target, Symbolic) and target.is_record):
            return target
        if isinstance(target, SymMaybeStruct):
            return target
        raise self.execution.error(
            f"{target!r} is not a part of the state and cannot be changed in place",
            "Make a new value with all its parts and assign that.",
        )

    def parts(self, value: Any, count: int) -> Any:
        """The parts of a pair or tuple that a comprehension takes apart."""
        if not isinstance(value, tuple | list) or len(value) != count:
            raise self.execution.error(f"{value!r} cannot be taken apart into {count} names")
        return value

    def taken(self, value: Any) -> Any:
        """A value that is assigned together with others: a record as it is before the first of them is stored."""
        return snapshot(self.execution, value._place) if isinstance(value, StructReference) else value

    def augmented(self, value: Any) -> Any:
        """The old value of a variable in an augmented assignment."""
        if isinstance(value, list | set | dict):
            raise self.execution.error("a list cannot be changed in place", "Assign a new one: x = x + [...].")
        return value

    def concrete(self, test: Any) -> bool:
        """The condition of a `while`, which must not depend on the state."""
        condition = self.condition(test)
        if not condition.is_const:
            raise self.execution.error(
                "the condition of this while depends on the state", "Write a for loop over a finite domain or a range."
            )
        if condition.value:
            self.execution.one_round()
        return bool(condition.value)

    # -- shared with the built-in functions -----------------------------------------------------------------------

    def condition(self, value: Any) -> Expression:
        """The truth of a value, as Python defines it."""
        graph = self.execution.graph
        if isinstance(value, SymBool):
            return value.expression
        if isinstance(value, SymInt):
            return graph.not_(graph.eq(value.expression, graph.integer(0)))
        if isinstance(value, SymOptional):
            present = graph.not_(value.is_none())
            return graph.and_(present, self.condition(value.element()))
        if isinstance(value, SymSet):
            return graph.not_(graph.eq(value.expression, graph.mask(0)))
        if isinstance(value, LogReference):
            return graph.not_(graph.eq(value.length(), graph.integer(0)))
        if isinstance(value, LooseSet) or type(value) is GuardedList:
            return graph.any_of([present for present, _ in value.elements])
        if isinstance(value, SymMaybeStruct):
            there: Expression = value.__dict__["_present"]
            return there
        if isinstance(value, SymRange):
            return graph.lt(value.low, value.high)
        if isinstance(value, SymScalar) or (isinstance(value, Symbolic) and value.is_record):
            return graph.true
        if isinstance(value, MapReference):
            return graph.boolean(len(value) > 0)
        if isinstance(value, Symbolic):
            raise self.execution.error(f"{value._kind} has no truth value here", "Compare it with something.")
        return graph.boolean(bool(value))

    def iterate(self, source: Any) -> Iterator[Guarded]:
        """The elements of anything that can be iterated, each with the condition under which it is present."""
        graph = self.execution.graph
        if isinstance(source, SymSet | LooseSet):
            yield from members(self.execution, settled(self.execution, source))
        elif isinstance(source, SymRange):
            for i in range(source.low.low, source.high.high):
                number = graph.integer(i)
                present = graph.and_(graph.le(source.low, number), graph.lt(number, source.high))
                if present is not graph.false:
                    yield present, i
        elif isinstance(source, LogReference):
            length = source.length()
            entries = [source.slot(i) for i in range(length.high)]
            yield from ((graph.lt(graph.integer(i), length), entry) for i, entry in enumerate(entries))
        elif isinstance(source, GuardedIterator):
            yield from source.once()
        elif isinstance(source, GuardedList):
            yield from source.elements
        elif isinstance(source, Comprehension):
            yield from source.collect()
        elif isinstance(source, MapReference):
            yield from ((graph.true, key) for key in source.keys())  # noqa: SIM118
        elif isinstance(source, Symbolic):
            raise self.execution.error(f"{source._kind} cannot be iterated")
        else:
            ordered = Set(source) if isinstance(source, set) else source
            for item in ordered:
                self.execution.one_round()
                yield graph.true, item

    def consume(self, source: Any, consumer: Consumer) -> None:
        """Give the elements of anything that can be iterated to a consumer, those of a generator one by one."""
        if isinstance(source, Comprehension):
            source.run(consumer)
        else:
            for present, item in list(self.iterate(source)):
                consumer(present, item)

    def contains(self, item: Any, container: Any) -> Any:
        """`in`."""
        graph = self.execution.graph
        if isinstance(container, SymSet):
            return truth_value(self.execution, membership(self.execution, container, item))
        if isinstance(container, SymRange):
            number = as_int(self.execution, item)
            if number is None:
                return False
            inside = graph.and_(graph.le(container.low, number), graph.lt(number, container.high))
            return truth_value(self.execution, inside)
        if isinstance(container, MapReference | Map | dict) and not isinstance(item, Symbolic):
            return item in container.keys()  # noqa: SIM118
        parts: list[Expression] = []

        def compare(present: Expression, member: Any) -> Expression:
            parts.append(graph.and_(present, equal(self.execution, item, member)))
            return graph.not_(parts[-1])

        if isinstance(container, LooseSet):
            for present, member in container.elements:
                compare(present, member)
        else:
            self.consume(container, compare)
        return truth_value(self.execution, graph.any_of(parts))

    def excludes(self, item: Any, container: Any) -> Any:
        """`not in`."""
        return self.not_(self.contains(item, container))

    def count(self, value: Any) -> Any:
        """`len`."""
        graph = self.execution.graph
        if isinstance(value, SymSet):
            return int_value(self.execution, graph.cardinality(value.expression))
        if isinstance(value, LooseSet):
            return self.count(settled(self.execution, value))
        if isinstance(value, LogReference):
            return int_value(self.execution, value.length())
        if type(value) is GuardedList:
            total = graph.integer(0)
            for present, _ in value.elements:
                total = graph.add(total, graph.as_integer(present))
            return int_value(self.execution, total)
        if isinstance(value, SymRange):
            size = graph.max(graph.sub(value.high, value.low), graph.integer(0))
            return int_value(self.execution, size)
        if isinstance(value, Symbolic) and not isinstance(value, MapReference):
            raise self.execution.error(f"{value._kind} has no length")
        return len(value)


def _no_calls(function: Any, *arguments: Any, **named: Any) -> Any:
    raise TypeError("no calls outside a compilation")
