"""What a rewritten rule calls in place of Python's own control flow: branches, loops, connectives, comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from spec.language import Log, Map, Set, SourceLine

from .codec import membership
from .equality import equal
from .execution import Execution, View
from .expression import Expression
from .merge import Unassigned, merge
from .places import LogReference, MapReference
from .symbolic import (
    LooseSet,
    SymBool,
    SymInt,
    SymOptional,
    SymScalar,
    SymSet,
    Symbolic,
    as_int,
    int_value,
    truth_value,
)

Guarded = tuple[Expression, Any]
Thunk = Callable[[], Any]


class SymRange(Symbolic):
    """The integers from `low` up to, but not including, `high`, where either depends on the state."""

    _kind = "a range"

    def __init__(self, execution: Execution, low: Expression, high: Expression) -> None:
        super().__init__(execution)
        self.low, self.high = low, high


class GuardedList(Symbolic):
    """A list whose elements are present under conditions."""

    _kind = "a list"

    def __init__(self, execution: Execution, elements: list[Guarded]) -> None:
        super().__init__(execution)
        self.elements = elements


class Comprehension(Symbolic):
    """A generator expression: evaluated element by element by whoever consumes it, which may stop early."""

    _kind = "a generator"

    def __init__(self, operations: Operations, source: Any, condition: Any, element: Any, nested: bool) -> None:
        super().__init__(operations.execution)
        self.operations, self.source, self.condition, self.element = operations, source, condition, element
        self.nested = nested

    def run(self, consume: Callable[[Expression, Any], Expression]) -> None:
        """Give every element with its condition to `consume`, which returns under what evaluation goes on."""
        execution, graph = self._execution, self._execution.graph
        depth = len(execution.path)
        for present, item in self.operations.iterate(self.source):
            with execution.under(present):
                kept = present
                if self.condition is not None:
                    kept = graph.and_(present, self.operations.condition(self.condition(item)))
                if kept is graph.false:
                    continue
                with execution.under(kept):
                    value = self.element(item)
                    if self.nested:
                        going: list[Expression] = []
                        value.run(lambda g, v, k=kept, to=going: to.append(consume(graph.and_(k, g), v)) or to[-1])
                        go_on = graph.all_of(going)
                    else:
                        go_on = consume(kept, value)
            execution.path.append(go_on)
        del execution.path[depth:]

    def collect(self) -> list[Guarded]:
        """All elements with their conditions."""
        found: list[Guarded] = []

        def consume(condition: Expression, value: Any) -> Expression:
            found.append((condition, value))
            return self._execution.graph.true

        self.run(consume)
        return found


class Operations:
    """The operations of one compilation. `execution` is the run they belong to, exchanged between rules."""

    def __init__(self, execution: Execution, lines: list[SourceLine]) -> None:
        self.execution = execution
        self.lines = lines
        self.written: View | None = None
        self.call_rule: Callable[..., Any] = _no_calls
        self.super_: Callable[..., Any] = _no_calls

    # -- used by rewritten code -----------------------------------------------------------------------------------

    def at(self, token: int) -> None:
        """The line now being run."""
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
        graph, condition = self.execution.graph, self.condition(test)
        if condition.is_const:
            return then() if condition.value else orelse()
        before, state = get(), list(self.written.leaves) if self.written else []
        with self.execution.under(condition):
            first = then()
        locals_first, state_first = get(), list(self.written.leaves) if self.written else []
        put(before)
        if self.written:
            self.written.leaves[:] = state
        with self.execution.under(graph.not_(condition)):
            second = orelse()
        put(tuple(merge(self.execution, condition, a, b) for a, b in zip(locals_first, get(), strict=True)))
        if self.written:
            leaves = self.written.leaves
            leaves[:] = [graph.ite(condition, a, b) for a, b in zip(state_first, leaves, strict=True)]
        return merge(self.execution, condition, first, second)

    def loop(self, source: Any, body: Callable[[Any], None], get: Thunk, put: Callable[[Any], None]) -> None:
        """Run the body for every element that is present."""
        for present, item in list(self.iterate(source)):
            condition = truth_value(self.execution, present)
            self.branch(condition, lambda item=item: body(item), lambda: None, get, put)  # type: ignore[misc]

    def and_(self, first: Any, *others: Thunk) -> Any:
        """`and`: later operands are evaluated only where the earlier ones are true."""
        total, depth = self.condition(first), len(self.execution.path)
        for operand in others:
            if total is self.execution.graph.false:
                break
            self.execution.path.append(total)
            total = self.execution.graph.and_(total, self.condition(operand()))
        del self.execution.path[depth:]
        return truth_value(self.execution, total)

    def or_(self, first: Any, *others: Thunk) -> Any:
        """`or`: later operands are evaluated only where the earlier ones are false."""
        total, depth = self.condition(first), len(self.execution.path)
        for operand in others:
            if total is self.execution.graph.true:
                break
            self.execution.path.append(self.execution.graph.not_(total))
            total = self.execution.graph.or_(total, self.condition(operand()))
        del self.execution.path[depth:]
        return truth_value(self.execution, total)

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
        left = first
        total, depth = self.execution.graph.true, len(self.execution.path)
        for compare, operand in rest:
            self.execution.path.append(total)
            right = operand()
            total = self.execution.graph.and_(total, self.condition(compare(left, right)))
            left = right
        del self.execution.path[depth:]
        return truth_value(self.execution, total)

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

    def concrete(self, test: Any) -> bool:
        """The condition of a `while`, which must not depend on the state."""
        condition = self.condition(test)
        if not condition.is_const:
            raise self.execution.error(
                "the condition of this while depends on the state", "Write a for loop over a finite domain or a range."
            )
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
        if isinstance(value, GuardedList | LooseSet):
            return graph.any_of([present for present, _ in value.elements])
        if isinstance(value, SymScalar):
            return graph.true
        if isinstance(value, Symbolic):
            raise self.execution.error(f"{value._kind} has no truth value here", "Compare it with something.")
        return graph.boolean(bool(value))

    def iterate(self, source: Any) -> Iterator[Guarded]:
        """The elements of anything that can be iterated, each with the condition under which it is present."""
        graph = self.execution.graph
        if isinstance(source, SymSet):
            for i, element in enumerate(source.domain.universe):
                present = graph.member(source.expression, graph.integer(i))
                if present is not graph.false:
                    yield present, element
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
        elif isinstance(source, GuardedList | LooseSet):
            yield from source.elements
        elif isinstance(source, Comprehension):
            yield from source.collect()
        elif isinstance(source, MapReference):
            yield from ((graph.true, key) for key in source.keys())  # noqa: SIM118
        elif isinstance(source, Symbolic):
            raise self.execution.error(f"{source._kind} cannot be iterated")
        else:
            ordered = Set(source) if isinstance(source, set) else source
            yield from ((graph.true, item) for item in ordered)

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
        if not isinstance(container, Symbolic) and not isinstance(item, Symbolic) and not isinstance(container, Log):
            parts = [equal(self.execution, item, member) for member in container]
        else:
            parts = [graph.and_(c, equal(self.execution, item, member)) for c, member in self.iterate(container)]
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
            return self.count(value.settled())
        if isinstance(value, LogReference):
            return int_value(self.execution, value.length())
        if isinstance(value, GuardedList):
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
