"""What a rewritten rule calls in place of Python's own control flow: branches, loops, connectives, comprehensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.expression import Expression
from .assignment import Assignment
from .comprehension import Comprehension
from .execution import Execution, PathEnds, View
from .iteration import is_symbolic
from .source.lines import LINES
from .values.families import Family
from .values.known import family_of
from .values.places import LogReference
from .values.sequences import GuardedList
from .values.set_values import LooseSet
from .values.symbolic import truth_value
from .values.unusable import Mixed, Unassigned

ENDED = object()
Thunk = Callable[[], Any]


class Operations(Assignment):
    """The operations of one compilation. `execution` is the run they belong to, exchanged between rules."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self.visited: set[int] = set()
        self.written = View([], writable=False)
        self.call_rule: Callable[..., Any] = _no_calls
        self.super_: Callable[..., Any] = _no_calls

    # -- used by rewritten code -----------------------------------------------------------------------------------

    def at(self, token: int) -> None:
        """The line now being run."""
        self.visited.add(token)
        self.execution.graph.table.where = LINES[token]

    def call(self, token: int, function: Any, /, *arguments: Any, **named: Any) -> Any:
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
        before, state, mark = get(), view.copy(), view.history.mark()
        first = second = ENDED
        with execution.under(condition):
            first = then()
        locals_first, state_first, history_first = get(), view.copy(), view.history.taken_back(mark)
        put(before)
        view.leaves[:] = state
        with execution.under(graph.not_(condition)):
            second = orelse()
        if first is ENDED and second is ENDED:
            raise PathEnds
        if first is ENDED:
            return second
        if second is ENDED:
            put(locals_first)
            view.leaves[:] = state_first
            view.history.taken_back(mark)
            view.history.join(history_first, mark, certain=True)
            return first
        pairs = zip(state_first, view.leaves, strict=True)
        view.leaves[:] = [a if a is b else graph.ite(condition, a, b) for a, b in pairs]
        view.history.join(history_first, mark)
        put(tuple(execution.pairs.join(condition, a, b) for a, b in zip(locals_first, get(), strict=True)))
        return execution.pairs.join(condition, first, second)

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
        if all(family_of(value) is Family.TRUTH for value in values):
            truths = [self.condition(value) for value in values]
            return truth_value(execution, graph.all_of(truths) if conjunction else graph.any_of(truths))
        result = values.pop()
        for value, on in zip(reversed(values), reversed(going[: len(values)]), strict=True):
            result = execution.pairs.join(on, result, value)
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
        return truth_value(self.execution, self.execution.pairs.equal(a, b))

    def ne(self, a: Any, b: Any) -> Any:
        """`!=`."""
        return truth_value(self.execution, self.execution.graph.not_(self.execution.pairs.equal(a, b)))

    def is_(self, a: Any, b: Any) -> Any:
        """`is`, which the language has for none only."""
        if a is not None and b is not None:
            raise self.execution.error("is compares with None only", "Write == instead.")
        return self.eq(a, b)

    def chain(self, first: Any, *rest: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
        """A chained comparison: each operand is evaluated once."""
        execution, graph, left = self.execution, self.execution.graph, first
        total = graph.true
        for number, (compare, operand) in enumerate(rest):
            holds = graph.false
            with execution.operand(total) if number else execution.under(total):
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
        """A generator expression over one source, of which a log is taken as it is now."""
        if isinstance(source, LogReference):
            source = GuardedList(self.execution, source.slots())
        return Comprehension(self, source, condition, element, nested)

    def list_of(self, items: Comprehension) -> Any:
        """A list comprehension."""
        found = items.collect()
        if all(condition is self.execution.graph.true for condition, _ in found):
            return [value for _, value in found]
        return GuardedList(self.execution, found)

    def set_of(self, items: Any, kind: type = set) -> Any:
        """A set of a class from elements with conditions: an ordinary one if everything about it is known.

        A record of the state that is an element may change later: the set is then not used any more.
        """
        with self.order_free(items):
            found = list(self.iterate(items, ordered=False))
        for _, value in found:
            self.require_hashable(value)
        found = [(present, self.taken(value)) for present, value in found]
        if all(c is self.execution.graph.true and not is_symbolic(v) for c, v in found):
            return kind(v for _, v in found)
        return LooseSet(self.execution, found, kind)

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


def _no_calls(function: Any, *arguments: Any, **named: Any) -> Any:
    raise TypeError("no calls outside a compilation")
