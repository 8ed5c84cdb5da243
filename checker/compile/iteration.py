"""Truth, length, membership, and going through anything that has elements, each present under a condition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from epochal.spec.language import Log, Map, Set, Struct
from epochal.spec.language.domains import Domain, LogDomain, MapDomain, StructDomain
from epochal.spec.language.errors import shown_value

from ..ir.expression import Expression
from .comprehension import Comprehension, Consumer, SymRange
from .effort import is_long
from .execution import Execution, PathEnds
from .values.codec import membership
from .values.equality import equal
from .values.merge import Guarded, GuardedIterator, GuardedList
from .values.places import LogReference, MapReference, StructReference
from .values.records import SymMaybeStruct, SymStruct
from .values.sets import kind_of, members, settled
from .values.symbolic import (
    LooseSet,
    Symbolic,
    SymbolicSet,
    SymBool,
    SymInt,
    SymOptional,
    SymScalar,
    SymSet,
    as_int,
    int_value,
    truth_value,
)

SETS_HAVE_ORDER = "Write Set(...) around it: that is gone through in the order of its domain."


class Iteration:
    """What the operations of a compilation do with things that have elements."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution

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

    # -- going through --------------------------------------------------------------------------------------------

    def iterate(self, source: Any, ordered: bool = True) -> Iterator[Guarded]:
        """The elements of anything that can be iterated, each with the condition under which it is present.

        A plain set is refused where the order of its elements matters, since Python does not define it.
        """
        graph = self.execution.graph
        if ordered and self.is_plain(source):
            raise self.execution.error("Python defines no order for the elements of a plain set", SETS_HAVE_ORDER)
        if isinstance(source, SymSet | LooseSet):
            yield from members(self.execution, settled(self.execution, source))
        elif isinstance(source, SymRange):
            for i in range(source.low.low, source.high.high):
                self.execution.one_round()
                number = graph.integer(i)
                present = graph.and_(graph.le(source.low, number), graph.lt(number, source.high))
                if present is not graph.false:
                    yield present, i
        elif isinstance(source, LogReference):
            yield from source.slots()
        elif isinstance(source, GuardedIterator):
            yield from source.once()
        elif isinstance(source, GuardedList):
            yield from source.elements
        elif isinstance(source, Comprehension):
            yield from source.collect(ordered)
        elif isinstance(source, MapReference):
            yield from ((graph.true, key) for key in source.keys())  # noqa: SIM118
        elif isinstance(source, Symbolic):
            raise self.execution.error(
                f"{source._kind} cannot be iterated", "Go through a set, a map, a log, a list or a range."
            )
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

    def is_plain(self, source: Any) -> bool:
        """Whether this is a set with several elements whose order Python does not define."""
        if isinstance(source, SymSet):
            return source.kind is not Set and source.expression.high.bit_count() > 1
        if isinstance(source, LooseSet):
            return source.kind is not Set and len(source.elements) > 1
        return isinstance(source, set | frozenset) and kind_of(source) is not Set and len(source) > 1

    @contextmanager
    def order_free(self, source: Any) -> Iterator[None]:
        """Go through something that may be a plain set. An evaluation that may fail would depend on the order."""
        before = len(self.execution.failures)
        ended: PathEnds | None = None
        try:
            yield
        except PathEnds as ends:
            ended = ends
        if self.is_plain(source) and (ended is not None or len(self.execution.failures) > before):
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
        if isinstance(container, SymbolicSet | set | frozenset) and not is_set(item):
            self.require_hashable(item)
        if isinstance(container, MapReference | Map | dict):
            self.require_hashable(item)
        if isinstance(container, SymSet):
            return truth_value(self.execution, membership(self.execution, container, item))
        if isinstance(container, SymRange):
            return truth_value(self.execution, self._in_range(item, container))
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
            raise self.execution.error(
                f"{value._kind} has no length", "Take the len of a set, a map, a log, a list or a range."
            )
        return len(value)

    def require_hashable(self, value: Any) -> None:
        """Refuse what cannot be an element of a set or a key, as Python does."""
        if not hashable(value):
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


def is_set(value: Any) -> bool:
    """Whether a value is a set, of whatever class. Python looks for an equal one where a set is looked up in a set."""
    return isinstance(value, SymbolicSet | set | frozenset)


def hashable(value: Any) -> bool:
    """Whether a value can be an element of a set or a key, as far as Python is concerned."""
    if is_set(value):
        return kind_of(value) is not set
    if isinstance(value, list | dict | Log | Map | LogReference | MapReference | GuardedList):
        return False
    if isinstance(value, tuple):
        return all(hashable(item) for item in value)
    if isinstance(value, Struct):
        return all(hashable(item) for item in value.field_values())
    if isinstance(value, SymStruct):
        return all(hashable(item) for item in value.__dict__["_values"].values())
    if isinstance(value, SymMaybeStruct):
        return hashable(value.__dict__["_record"])
    return not isinstance(value, StructReference) or _plain(value._place.domain)


def _plain(domain: Domain) -> bool:
    if isinstance(domain, StructDomain):
        return all(_plain(part) for part in domain.field_domains.values())
    return not isinstance(domain, MapDomain | LogDomain)
