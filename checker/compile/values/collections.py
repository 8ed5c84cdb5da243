"""Scalars, lists, sets and records that depend on the state, and from a domain's code to its value."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epochal.spec.language import Log, Set, Struct
from epochal.spec.language.domains import BooleanDomain, Domain, IntegerDomain, OptionalScalar, Scalar, SetDomain

from ...ir.expression import Expression
from ..execution import Execution, Place
from .known import element_domain, is_hashable, record_domain, same_kind, truth_of
from .symbolic import Family, Guarded, Symbolic, as_int, int_value, truth_value


class SymScalar(Symbolic):
    """An identifier or enumeration member that depends on the state; `expression` is its code."""

    def __init__(self, execution: Execution, expression: Expression, domain: Scalar) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    family = Family.NAME

    @property
    def described(self) -> str:
        return f"a value of {self.domain}"

    def truth(self) -> Expression:
        return self._execution.graph.true

    def smallest_domain(self) -> Domain:
        return self.domain

    def code_in(self, domain: Scalar) -> Expression:
        if not same_kind(domain, self.domain):
            return super().code_in(domain)
        graph = self._execution.graph
        if self.domain.size > domain.size:
            outside = graph.not_(graph.lt(self.expression, graph.integer(domain.size)))
            self._execution.fail_if(outside, f"the value is outside {domain}")
        return self.expression

    def located_in(self, domain: Scalar) -> tuple[Expression, Expression]:
        graph = self._execution.graph
        if not same_kind(domain, self.domain):
            return graph.false, graph.integer(0)
        return graph.lt(self.expression, graph.integer(domain.size)), self.expression


class SymOptional(Symbolic):
    """A scalar or none; used where a value is needed, it must not be none."""

    family = Family.OPTIONAL

    def __init__(self, execution: Execution, expression: Expression, domain: OptionalScalar) -> None:
        super().__init__(execution)
        self.expression = expression
        self.domain = domain

    @property
    def described(self) -> str:
        return f"a value of {self.domain}"

    def may_be_truth(self) -> bool:
        return isinstance(self.domain.element, BooleanDomain)

    def truth(self) -> Expression:
        graph = self._execution.graph
        present = graph.not_(self.is_none())
        return graph.and_(present, truth_of(self._execution, self.element()))

    def number(self) -> Expression | None:
        return as_int(self._execution, self.required())

    def smallest_domain(self) -> Domain:
        return self.domain

    def is_none(self) -> Expression:
        """Whether there is no value."""
        graph = self._execution.graph
        return graph.eq(self.expression, graph.integer(0))

    def element(self) -> Any:
        """The value, without a check that there is one."""
        graph = self._execution.graph
        element = self.domain.element
        if element.size == 1:
            return element.value(0)
        if isinstance(element, BooleanDomain):
            return truth_value(self._execution, graph.eq(self.expression, graph.integer(2)))
        return decode(self._execution, element, graph.offset(self.expression, -1))

    def required(self) -> Any:
        """The value, which must exist: evaluation fails otherwise."""
        self._execution.fail_if(self.is_none(), "none is used as a value")
        return self.element()

    @staticmethod
    def _with_value(name: str) -> Any:
        def operator(self: SymOptional, *others: object) -> Any:
            method = getattr(self.required(), name, None)
            return NotImplemented if method is None else method(*others)

        return operator

    __add__, __radd__ = _with_value("__add__"), _with_value("__radd__")
    __sub__, __rsub__ = _with_value("__sub__"), _with_value("__rsub__")
    __mul__, __rmul__ = _with_value("__mul__"), _with_value("__rmul__")
    __floordiv__, __rfloordiv__ = _with_value("__floordiv__"), _with_value("__rfloordiv__")
    __mod__, __rmod__ = _with_value("__mod__"), _with_value("__rmod__")
    __pow__, __rpow__ = _with_value("__pow__"), _with_value("__rpow__")
    __lshift__, __rlshift__ = _with_value("__lshift__"), _with_value("__rlshift__")
    __rshift__, __rrshift__ = _with_value("__rshift__"), _with_value("__rrshift__")
    __and__, __rand__ = _with_value("__and__"), _with_value("__rand__")
    __or__, __ror__ = _with_value("__or__"), _with_value("__ror__")
    __xor__, __rxor__ = _with_value("__xor__"), _with_value("__rxor__")
    __neg__, __pos__ = _with_value("__neg__"), _with_value("__pos__")
    __abs__, __invert__ = _with_value("__abs__"), _with_value("__invert__")
    __lt__, __le__ = _with_value("__lt__"), _with_value("__le__")
    __gt__, __ge__ = _with_value("__gt__"), _with_value("__ge__")


def decode(execution: Execution, domain: Scalar, code: Expression) -> Any:
    """The value with this code: an ordinary Python value if the code is known."""
    if code.is_const and 0 <= code.value < domain.size:
        return domain.value(code.value)
    kind = type(domain)  # compared by identity: the domains are an abstract family, whose isinstance is slow
    if kind is IntegerDomain:
        return int_value(execution, execution.graph.offset(code, domain.low))  # type: ignore[attr-defined]  # as compared
    if kind is BooleanDomain:
        return truth_value(execution, code)
    if kind is OptionalScalar:
        return SymOptional(execution, code, domain)  # type: ignore[arg-type]  # as compared
    if kind is SetDomain:
        return SymSet(execution, code, domain)  # type: ignore[arg-type]  # as compared
    return SymScalar(execution, code, domain)


# -- sequences --------------------------------------------------------------------------------------------------------
# Lists, iterators and ranges that depend on the state.


@dataclass(frozen=True)
class Placed:
    """Where the elements of a list stand: the place of each in the states in which it is present, and their number."""

    places: list[Expression]
    count: Expression


def counted(execution: Execution, elements: list[Guarded], prefix: bool = False) -> Placed:
    """The same by counting those that are present. In a `prefix` each of them has all those before it present too."""
    graph = execution.graph
    places, count = [], graph.integer(0)
    for number, (present, _) in enumerate(elements):
        places.append(graph.integer(number) if prefix else count)
        count = graph.add(count, graph.as_integer(present))
    return Placed(places, count)


class GuardedList(Symbolic):
    """A list whose elements are present under conditions. `placed` says where they stand, if nobody need count."""

    described = "a list"
    family = Family.LIST
    instead = "Compare its elements with all or any, or its length."

    def __init__(self, execution: Execution, elements: list[Guarded], placed: Placed | None = None) -> None:
        super().__init__(execution)
        self.elements = elements
        self._placed = placed

    @property
    def placed(self) -> Placed:
        """Where the elements stand."""
        if self._placed is None:
            self._placed = counted(self._execution, self.elements)
        return self._placed

    def truth(self) -> Expression:
        return self._execution.graph.any_of([present for present, _ in self.elements])

    def hashable(self) -> bool:
        return False

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        return self.elements

    def __add__(self, other: object) -> Any:
        return joined_lists(self._execution, self, other)

    def __radd__(self, other: object) -> Any:
        return joined_lists(self._execution, other, self)

    def length(self) -> Expression:
        return self.placed.count


def joined_lists(execution: Execution, first: object, second: object) -> Any:
    """One list or log after another. Python joins no list with anything else."""
    if isinstance(first, tuple) or isinstance(second, tuple):
        raise execution.error("a list and a tuple are added", "Write list(...) around the tuple.")
    one, other = parts_of(execution, first), parts_of(execution, second)
    if one is None or other is None:
        return NotImplemented
    graph, (before, begun), (after, behind) = execution.graph, one, other
    places = [*begun.places, *(graph.add(begun.count, place) for place in behind.places)]
    return GuardedList(execution, [*before, *after], Placed(places, graph.add(begun.count, behind.count)))


def parts_of(execution: Execution, value: object) -> tuple[list[Guarded], Placed] | None:
    """The elements of a list or log, and where they stand; None of anything else."""
    if isinstance(value, GuardedList):
        return value.elements, value.placed
    if isinstance(value, list | Log):
        elements = [(execution.graph.true, one) for one in value]
        return elements, counted(execution, elements)
    if isinstance(value, Symbolic) and value.family is Family.LOG:
        elements = list(value.guarded())
        return elements, Placed(counted(execution, elements, prefix=True).places, value.length())
    return None


Sources = list[list[Guarded]]
"""For each place in a sequence the elements that may stand there, and when."""


def compacted(execution: Execution, elements: list[Guarded], placed: Placed) -> Sources:
    """For each place in the sequence of the elements that are present which of them may stand there, and when."""
    graph = execution.graph
    sources: Sources = [[] for _ in range(placed.count.high)]
    for (present, element), place in zip(elements, placed.places, strict=True):
        for k in range(max(place.low, 0), min(place.high, len(sources) - 1) + 1):
            here = graph.and_(present, graph.eq(place, graph.integer(k)))
            if here is not graph.false:
                sources[k].append((here, element))
    return sources


class GuardedIterator(Symbolic):
    """What reversed, zip and enumerate give: elements that can be gone through once."""

    described = "an iterator"
    comparable = False
    instead = "Make it a list."

    def __init__(self, execution: Execution, elements: list[Guarded]) -> None:
        super().__init__(execution)
        self.elements: list[Guarded] | None = elements

    def hashable(self) -> bool:
        return False

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        """The elements. Refused the second time, when Python would give none."""
        if self.elements is None:
            raise self._execution.error("an iterator is used up after its first use", "Make it a list.")
        elements, self.elements = self.elements, None
        return elements


class SymRange(Symbolic):
    """The integers from `low` up to, but not including, `high`, where either depends on the state."""

    described = "a range"
    comparable = False
    instead = "Compare its bounds."

    def __init__(self, execution: Execution, low: Expression, high: Expression) -> None:
        super().__init__(execution)
        self.low, self.high = low, high

    def truth(self) -> Expression:
        return self._execution.graph.lt(self.low, self.high)

    def guarded(self, ordered: bool = True) -> Iterator[Guarded]:
        graph = self._execution.graph
        for i in range(self.low.low, self.high.high):
            self._execution.one_round()
            number = graph.integer(i)
            present = graph.and_(graph.le(self.low, number), graph.lt(number, self.high))
            if present is not graph.false:
                yield present, i

    def length(self) -> Expression:
        graph = self._execution.graph
        return graph.max(graph.sub(self.high, self.low), graph.integer(0))


# -- set values -------------------------------------------------------------------------------------------------------
# Sets that depend on the state. What two of them give together is in `pairs`.


def _of_sets(rule: str, reflected: bool = False) -> Any:
    """An operator of a set and another one, which is on the left if it is `reflected`."""

    def operator(self: SymbolicSet, other: object) -> Any:
        found = getattr(self._execution.pairs, rule)(*((other, self) if reflected else (self, other)))
        return truth_value(self._execution, found) if isinstance(found, Expression) else found

    return operator


class SymbolicSet(Symbolic):
    """A set that depends on the state.

    `kind` is the class that it has in Python. Only `Set` has an order, and only it and `frozenset` never change.
    """

    described = "a set"
    words = frozenset(
        {"union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"}
    )

    family = Family.SET

    def __init__(self, execution: Execution, kind: type) -> None:
        super().__init__(execution)
        self.kind = kind

    def hashable(self) -> bool:
        return not issubclass(self.kind, set)

    def guarded(self, ordered: bool = True) -> list[Guarded]:
        over_universe: SymSet = self._execution.pairs.settled(self)
        return over_universe.members()

    if TYPE_CHECKING:

        def members(self) -> list[Guarded]:
            """The possible elements with their conditions; those of a loose set may repeat."""

        def of_kind(self, kind: type) -> SymbolicSet:
            """The set as one of another class."""

    __or__, __ror__ = _of_sets("union"), _of_sets("union", reflected=True)
    __and__, __rand__ = _of_sets("intersection"), _of_sets("intersection", reflected=True)
    __sub__, __rsub__ = _of_sets("difference"), _of_sets("difference", reflected=True)
    __le__, __ge__ = _of_sets("subset"), _of_sets("subset", reflected=True)
    __lt__, __gt__ = _of_sets("proper_subset"), _of_sets("proper_subset", reflected=True)

    def __xor__(self, other: object) -> Any:
        return (self | other) - (self & other)

    def __rxor__(self, other: object) -> Any:
        return self._execution.pairs.difference(self._execution.pairs.union(other, self), self & other)

    def union(self, *others: object) -> Any:
        """Members of this set or of any other, as a set of this kind."""
        return of_kind(functools.reduce(operator.or_, others, self), self.kind)

    def intersection(self, *others: object) -> Any:
        """Members of all sets, as a set of this kind."""
        return of_kind(functools.reduce(operator.and_, others, self), self.kind)

    def difference(self, *others: object) -> Any:
        """Members of this set only, as a set of this kind."""
        return of_kind(functools.reduce(operator.sub, others, self), self.kind)

    def symmetric_difference(self, other: object) -> Any:
        """Members of one of the sets only, as a set of this kind."""
        return of_kind(self ^ other, self.kind)

    issubset = __le__
    issuperset = __ge__

    def isdisjoint(self, other: object) -> Any:
        """Whether the sets have no common member."""
        return truth_value(self._execution, self._execution.pairs.disjoint(self, other))


class SymSet(SymbolicSet):
    """A set over the universe of its domain. `origins` are the records of the state that are elements in Python."""

    def __init__(
        self,
        execution: Execution,
        expression: Expression,
        domain: SetDomain,
        kind: type = Set,
        origins: tuple[Origin, ...] = (),
    ) -> None:
        super().__init__(execution, kind)
        self._expression = expression
        self.domain = domain
        self.origins = origins

    @property
    def expression(self) -> Expression:
        """The mask of its elements. Refused once a record of the state that is one of them has changed."""
        if self.origins:
            refuse_changed(self._execution, "an element of this set", self.origins)
        return self._expression

    def unordered(self) -> bool:
        return self.kind is not Set and self.expression.high.bit_count() > 1

    def truth(self) -> Expression:
        graph = self._execution.graph
        return graph.not_(graph.eq(self.expression, graph.mask(0)))

    def length(self) -> Expression:
        return self._execution.graph.cardinality(self.expression)

    def smallest_domain(self) -> Domain:
        return self.domain

    def members(self) -> list[Guarded]:
        graph = self._execution.graph
        positions = enumerate(self.domain.universe)
        found = [(graph.member(self.expression, graph.integer(i)), element) for i, element in positions]
        return [(present, element) for present, element in found if present is not graph.false]

    def of_kind(self, kind: type) -> SymSet:
        return SymSet(self._execution, self.expression, self.domain, kind, self.origins)


class LooseSet(SymbolicSet):
    """A set display or comprehension: elements, each with its condition, whose universe is not known yet."""

    def __init__(self, execution: Execution, elements: list[Guarded], kind: type = set) -> None:
        super().__init__(execution, kind)
        self.elements = elements

    def unordered(self) -> bool:
        return self.kind is not Set and len(self.elements) > 1

    def truth(self) -> Expression:
        return self._execution.graph.any_of([present for present, _ in self.elements])

    def length(self) -> Expression:
        over_universe: SymSet = self._execution.pairs.settled(self)
        return over_universe.length()

    def smallest_domain(self) -> Domain | None:
        element = element_domain(self._execution, [element for _, element in self.elements])
        return SetDomain(element) if element else None

    def members(self) -> list[Guarded]:
        return self.elements

    def of_kind(self, kind: type) -> LooseSet:
        return LooseSet(self._execution, self.elements, kind)


def of_kind(value: Any, kind: type) -> Any:
    """A set as one of another class."""
    return value.of_kind(kind) if isinstance(value, SymbolicSet) else kind(value)


# -- records ----------------------------------------------------------------------------------------------------------
# Records as values: a snapshot whose fields depend on the state, and one that may be none.

Origin = tuple[Place, int]
"""A place of the state that a record was taken from, and the time of its view's clock then."""


class SymStruct(Symbolic):
    """A record whose fields depend on the state: a snapshot, not a place that can be assigned.

    In Python a record that was chosen by a condition is still a part of the state, if it was one before. `origins` are
    the places it may be: once a part of them changes, the snapshot is not what Python sees, and its use is refused.
    """

    family = Family.RECORD
    has_fields = True
    record_type: type[Struct]
    origins: tuple[Origin, ...]
    _values: dict[str, Any]

    def __init__(
        self, execution: Execution, type: type[Struct], fields: dict[str, Any], origins: tuple[Origin, ...] = ()
    ) -> None:
        self.__dict__.update(_execution=execution, record_type=type, _values=fields, origins=origins)

    def hashable(self) -> bool:
        return all(is_hashable(value) for value in self._values.values())

    @property
    def described(self) -> str:
        return f"a {self.record_type.__name__}"

    def truth(self) -> Expression:
        return self._execution.graph.true

    def smallest_domain(self) -> Domain | None:
        return record_domain(self._execution, self.record_type, self.field)

    def field(self, name: str) -> Any:
        """A field of the record."""
        values = self._values
        if name not in values:
            raise self._execution.error(
                f"{self.record_type.__name__} has no field {name!r}; it has {', '.join(values)}",
                "Use one of its fields.",
            )
        refuse_changed(self._execution, f"this {self.record_type.__name__}", self.origins)
        return values[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise self._execution.error(
            f"this {self.record_type.__name__} is a value, not a place in the state, and cannot be changed in place",
            "Write the whole record to its place.",
        )


class SymMaybeStruct(Symbolic):
    """A record or none: a snapshot with the condition under which there is a record."""

    family = Family.MAYBE_RECORD
    has_fields = True
    present: Expression
    record: SymStruct

    def __init__(self, execution: Execution, present: Expression, record: SymStruct) -> None:
        self.__dict__.update(_execution=execution, present=present, record=record)

    def hashable(self) -> bool:
        return self.record.hashable()

    @property
    def described(self) -> str:
        return f"{self.record.described} or none"

    def truth(self) -> Expression:
        return self.present

    def required(self) -> SymStruct:
        """The record, which must be there: evaluation fails otherwise."""
        self._execution.fail_if(self._execution.graph.not_(self.present), "none is used as a record")
        return self.record

    def field(self, name: str) -> Any:
        """A field of the record, which must be there."""
        return self.required().field(name)

    def __setattr__(self, name: str, value: object) -> None:
        raise self._execution.error(
            "an optional record read into a variable cannot be changed in place", "Write the whole record to its place."
        )


def refuse_changed(execution: Execution, what: str, origins: tuple[Origin, ...]) -> None:
    """Refuse the use of what is a record of the state in Python, after that has changed."""
    if any(place.was_changed(since) for place, since in origins):
        raise execution.error(
            f"{what} is a record of the state, chosen before a part of it was changed",
            "Read the fields you need into variables before the change, or choose the record again after it.",
        )


def origins_in(value: Any) -> tuple[Origin, ...]:
    """The places of the state that the elements of a set are, or may be, in Python."""
    if isinstance(value, SymSet):
        return value.origins
    elements = value.elements if isinstance(value, LooseSet) else ()
    return tuple(origin for _, element in elements for origin in origins_of(element))


def origins_of(record: Any) -> tuple[Origin, ...]:
    """The places of the state that a record is, or may be, in Python."""
    if isinstance(record, SymMaybeStruct):
        record = record.record
    found: tuple[Origin, ...] = record.origins if isinstance(record, Symbolic) and record.has_fields else ()
    return found
