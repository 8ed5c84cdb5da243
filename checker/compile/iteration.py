"""Truth, length, membership, and going through anything that has elements, each present under a condition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from epochal.spec.language.errors import shown_value

from ..ir.expression import Expression
from .comprehension import Comprehension, Consumer
from .effort import is_long
from .execution import Execution, PathEnds
from .values.codec import membership
from .values.families import Family
from .values.known import family_of, is_hashable, is_unordered, truth_of
from .values.scalars import SymOptional
from .values.sequences import SymRange
from .values.set_values import LooseSet, SymSet
from .values.symbolic import Guarded, Symbolic, as_int, int_value, truth_value

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
