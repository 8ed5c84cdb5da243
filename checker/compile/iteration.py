"""Truth, length, membership, and going through anything that has elements, each present under a condition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from epochal.spec.language.errors import shown_value

from ..ir.expression import Expression
from .execution import ROUND_LIMIT, Execution, PathEnds
from .values.codec import membership
from .values.known import family_of, is_hashable, is_unordered, truth_of
from .values.scalars import SymOptional
from .values.sequences import SymRange
from .values.set_values import LooseSet, SymSet
from .values.symbolic import Family, Guarded, Symbolic, as_int, int_value, truth_value

# -- comprehension ----------------------------------------------------------------------------------------------------
# Generator expressions.

Consumer = Callable[[Expression, Any], Expression]


class GoesThrough(Protocol):
    """The operations of a compilation, as far as a generator needs them: to go through what it is made from."""

    @property
    def execution(self) -> Execution:
        """The run that they belong to now."""

    def condition(self, value: Any) -> Expression:
        """The truth of a value."""

    def iterate(self, source: Any, ordered: bool = True) -> Iterator[Guarded]:
        """The elements of a source, each with the condition under which it is present."""

    def order_free(self, source: Any) -> AbstractContextManager[None]:
        """Go through something that may be a plain set."""


class Comprehension(Symbolic):
    """A generator expression: evaluated element by element by whoever consumes it, which may stop early."""

    described = "a generator"
    comparable = False
    instead = "Make it a list or a set."

    def __init__(self, operations: GoesThrough, source: Any, condition: Any, element: Any, nested: bool) -> None:
        super().__init__(operations.execution)
        self.operations, self.source, self.condition, self.element = operations, source, condition, element
        self.nested = nested
        self._consumed = False

    def run(self, consume: Consumer, ordered: bool = True) -> None:
        """Give every element with its condition to `consume`, which returns under what evaluation goes on.

        If `ordered`, it matters in which order they come.
        """
        execution = self._execution
        if self._consumed:
            raise execution.error("a generator is used up after its first use", "Make it a list: [... for ...].")
        self._consumed = True
        graph, going = execution.graph, execution.graph.true

        def each(present: Expression, item: Any) -> Expression:
            """One element, under what evaluation goes on. Where it certainly fails, it does not go on."""
            nonlocal going
            if going is not graph.false:
                go_on = graph.false
                with execution.under(going):
                    go_on = self._one(present, item, consume, ordered)
                going = graph.and_(going, go_on)
            return going

        if isinstance(self.source, Comprehension):
            self.source.run(each, ordered)
        else:
            with self.operations.order_free(self.source):
                for present, item in self.operations.iterate(self.source, ordered):
                    each(present, item)

    def _one(self, present: Expression, item: Any, consume: Consumer, ordered: bool) -> Expression:
        execution, graph = self._execution, self._execution.graph
        going: list[Expression] = []

        def consumed(condition: Expression, value: Any) -> Expression:
            going.append(consume(condition, value))
            return going[-1]

        with execution.under(present):
            kept = present
            if self.condition is not None:
                kept = graph.false
                with execution.operand(graph.true):
                    kept = graph.and_(present, self.operations.condition(self.condition(item)))
            if kept is not graph.false:
                with execution.under(kept):
                    with execution.operand(graph.true):
                        value = self.element(item)
                    if self.nested:
                        value.run(lambda inner, v: consumed(graph.and_(kept, inner), v), ordered)
                    else:
                        consumed(kept, value)
        return graph.all_of(going)

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        return self.collect(ordered)

    def collect(self, ordered: bool = True) -> list[Guarded]:
        """All elements with their conditions."""
        found: list[Guarded] = []

        def consume(condition: Expression, value: Any) -> Expression:
            found.append((condition, value))
            return self._execution.graph.true

        self.run(consume, ordered)
        return found


# -- effort -----------------------------------------------------------------------------------------------------------
# Calls of Python's own functions that would take too long: nothing can end them, neither a budget nor Ctrl-C.

GROWING = frozenset({math.factorial, math.comb, math.perm, itertools.islice})
"""The functions whose work grows with the numbers that they are given, and not with their lengths."""


def too_much(function: Any, arguments: Iterable[Any]) -> bool:
    """Whether a function that is called with known values may take very long."""
    return any(is_long(value) or (function in GROWING and _is_great(value)) for value in arguments)


def is_long(value: Any) -> bool:
    """Whether something to go through is far longer than loops of a rule may be."""
    return isinstance(value, range) and (value.stop - value.start) // value.step > ROUND_LIMIT


def _is_great(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > ROUND_LIMIT


SETS_HAVE_ORDER = "Write Set(...) around it: that is gone through in the order of its domain."


class Iteration:
    """What the operations of a compilation do with things that have elements."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution

    def condition(self, value: Any) -> Expression:
        """The truth of a value, as Python defines it."""
        return truth_of(self.execution, value)

    # -- going through --------------------------------------------------------------------------------------------

    def iterate(self, source: Any, ordered: bool = True) -> Iterator[Guarded]:
        """The elements of anything that can be iterated, each with the condition under which it is present.

        A plain set is refused where the order of its elements matters, since Python does not define it.
        """
        graph = self.execution.graph
        if ordered and is_unordered(source):
            raise self.execution.error("Python defines no order for the elements of a plain set", SETS_HAVE_ORDER)
        if isinstance(source, Symbolic):
            yield from source.guarded(ordered)
        else:
            for item in source:
                self.execution.one_round()
                yield graph.true, item

    def consume(self, source: Any, consumer: Consumer, ordered: bool = True) -> None:
        """Give the elements of anything that can be iterated to a consumer, those of a generator one by one."""
        if isinstance(source, Comprehension):
            source.run(consumer, ordered)
        else:
            with self.order_free(source):
                for present, item in list(self.iterate(source, ordered)):
                    consumer(present, item)

    @contextmanager
    def order_free(self, source: Any) -> Iterator[None]:
        """Go through something that may be a plain set. An evaluation that may fail would depend on the order."""
        before = len(self.execution.failures)
        ended: PathEnds | None = None
        try:
            yield
        except PathEnds as ends:
            ended = ends
        if is_unordered(source) and (ended is not None or len(self.execution.failures) > before):
            raise self.execution.error(
                "this may fail for an element of a plain set, for whose elements Python defines no order",
                SETS_HAVE_ORDER,
            )
        if ended is not None:
            raise ended

    # -- membership and length ------------------------------------------------------------------------------------

    def contains(self, item: Any, container: Any) -> Any:
        """`in`."""
        graph = self.execution.graph
        if not is_symbolic(item) and not is_symbolic(container) and not isinstance(container, dict):
            if is_long(container) and not isinstance(item, int):
                raise self.execution.error(f"{shown_value(item)} is looked for in a long range", "Compare its limits.")
            return item in container
        if isinstance(container, type):
            raise self.execution.error("a class is asked whether it has a value of the state", "Ask list(...) of it.")
        held = family_of(container)
        if held is Family.SET and family_of(item) is not Family.SET:
            self.require_hashable(item)
        if held is Family.MAP:
            self.require_hashable(item)
        if isinstance(container, SymSet):
            return truth_value(self.execution, membership(self.execution, container, item))
        if isinstance(container, SymRange):
            return truth_value(self.execution, self._in_range(item, container))
        if held is Family.MAP and not isinstance(item, Symbolic):
            return item in container.keys()  # noqa: SIM118
        parts: list[Expression] = []

        def compare(present: Expression, member: Any) -> Expression:
            parts.append(graph.and_(present, self.execution.pairs.equal(item, member)))
            return graph.not_(parts[-1])

        if isinstance(container, LooseSet):
            for present, member in container.elements:
                compare(present, member)
        else:
            self.consume(container, compare, ordered=False)
        return truth_value(self.execution, graph.any_of(parts))

    def _in_range(self, item: Any, container: SymRange) -> Expression:
        graph = self.execution.graph
        if isinstance(item, SymOptional):
            return graph.and_(graph.not_(item.is_none()), self._in_range(item.element(), container))
        number = as_int(self.execution, item)
        if isinstance(item, float | complex):
            raise self.execution.error(f"{item!r} is looked for in a range of the state", "Look for an integer.")
        if number is None:
            return graph.false
        return graph.and_(graph.le(container.low, number), graph.lt(number, container.high))

    def excludes(self, item: Any, container: Any) -> Any:
        """`not in`."""
        return truth_value(self.execution, self.execution.graph.not_(self.condition(self.contains(item, container))))

    def count(self, value: Any) -> Any:
        """`len`."""
        return int_value(self.execution, value.length()) if isinstance(value, Symbolic) else len(value)

    def require_hashable(self, value: Any) -> None:
        """Refuse what cannot be an element of a set or a key, as Python does."""
        if not is_hashable(value):
            raise self.execution.error(
                "maps, logs, lists and plain sets, and records that have them, are no elements of sets and no keys",
                "Compare with == and any(...), or use what is scalar in it; of a plain set make a Set(...).",
            )


def is_symbolic(value: Any) -> bool:
    """Whether a value, or a part of a plain list, tuple or dictionary, depends on the state."""
    if isinstance(value, list | tuple):
        return any(is_symbolic(item) for item in value)
    if isinstance(value, dict):
        return any(is_symbolic(item) for item in value.values())
    return isinstance(value, Symbolic | StateProxy)


class StateProxy:
    """What a rule sees as `self`."""

    if TYPE_CHECKING:

        def read(self, name: str) -> Any:
            """The attribute of this name: a variable, or something of the protocol's class."""
