"""What a rewritten rule calls in place of Python's own control flow: branches, loops, connectives, comprehensions."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from epochal.spec.language import Identifier, Log, Map, SourceLine, Struct
from epochal.spec.language.domains import EnumDomain
from epochal.spec.language.errors import shown_value

from ..ir.expression import LIMIT, Expression, Op
from ..ir.graph import refuted
from .effort import is_long
from .execution import UNCHANGED, Execution, PathEnds, View
from .orders import in_every_order
from .source.patterns import SELF_MATCHING, SEQUENCES, TEXTS, field_at
from .source.rewrite import INNER, LINES
from .values.collections import GuardedList, LooseSet, SymMaybeStruct, SymOptional, SymRange, SymScalar, SymSet, counted
from .values.entries import cut_out, entry, entry_of_log, is_compound, listed, looked_up, ordered
from .values.known import EitherSet, family_of, is_hashable, is_unordered, kind_of, record_type, truth_of
from .values.places import LogReference, MapReference, membership
from .values.symbolic import (
    Family,
    Guarded,
    Mixed,
    Partial,
    Symbolic,
    SymInt,
    Unassigned,
    Unreturned,
    as_int,
    int_value,
    truth_value,
)

# -- iteration --------------------------------------------------------------------------------------------------------
# Truth, length, membership, and going through anything that has elements, each present under a condition.

Consumer = Callable[[Expression, Any], Expression]


class Comprehension(Symbolic):
    """A generator expression: evaluated element by element by whoever consumes it, which may stop early."""

    described = "a generator"
    comparable = False
    instead = "Make it a list or a set."

    def __init__(self, operations: Iteration, source: Any, condition: Any, element: Any, nested: bool) -> None:
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

        operations = self.operations
        operations.elements += 1  # the functions that are made here see the names of this element until it is over
        operations.open.append(operations.elements)
        try:
            with execution.under(present):
                kept = present
                if self.condition is not None:
                    kept = graph.false
                    with execution.operand(graph.true):
                        kept = graph.and_(present, operations.condition(self.condition(item)))
                if kept is not graph.false:
                    with execution.under(kept):
                        with execution.operand(graph.true):
                            value = self.element(item)
                        if self.nested:
                            value.run(lambda inner, v: consumed(graph.and_(kept, inner), v), ordered)
                        else:
                            consumed(kept, value)
        finally:
            operations.open.pop()
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


SETS_HAVE_ORDER = "Write Set(...) around it: that is gone through in the order of its domain."


class Iteration:
    """What the operations of a compilation do with things that have elements."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.elements = 0
        self.open: list[int] = []

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


# -- assignment -------------------------------------------------------------------------------------------------------
# What a rewritten rule calls for assignments and for operators that Python would apply to anything.

Operator = Callable[[Any, Any], Any]
LONGEST = 100_000
"""How many elements a list or tuple may be made to have by `*`."""


class Assignment(Iteration):
    """The assignments of a compilation. `attribute` reads an attribute for a rule."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self.attribute: Callable[[Any, str], Any] = getattr

    # -- targets --------------------------------------------------------------------------------------------------

    def with_fields(self, target: Any) -> Any:
        """What an assignment to a field changes, which must be a part of the state."""
        if isinstance(target, StateProxy) or (isinstance(target, Symbolic) and target.has_fields):
            return target
        raise self._not_a_place(target)

    def with_entries(self, target: Any) -> Any:
        """What an assignment to an entry changes, which must be a part of the state."""
        if isinstance(target, Symbolic) and target.has_entries:
            return target
        raise self._not_a_place(target)

    def _not_a_place(self, target: Any) -> Exception:
        if isinstance(target, Log | Map) or (isinstance(target, Struct) and target._frozen):
            return self.execution.error(*UNCHANGED)
        shown = f"{shown_value(target)}" if kind_is_plain(target) else f"a {type(target).__name__}"
        return self.execution.error(
            f"{shown} is not a part of the state and cannot be changed in place",
            "Make a new value with all its parts and assign that.",
        )

    def update_field(self, owner: Any, name: str, operator: Operator, value: Callable[[], Any]) -> None:
        """`owner.name += value`, and the like."""
        old = self._to_replace(self.attribute(self.with_fields(owner), name))
        setattr(owner, name, operator(old, value()))

    def update_entry(self, owner: Any, key: Any, operator: Operator, value: Callable[[], Any]) -> None:
        """`owner[key] += value`, and the like."""
        old = self._to_replace(self.with_entries(owner)[key])
        owner[key] = operator(old, value())

    def _to_replace(self, value: Any) -> Any:
        """The old value at a place of the state: of a log a new one is made."""
        return value if isinstance(value, LogReference) else self.augmented(value)

    def augmented(self, value: Any) -> Any:
        """The old value in an augmented assignment. What Python would change in place is refused."""
        value = self.local(value)
        if isinstance(value, dict) or family_of(value) is Family.LIST:
            raise self.execution.error("a list cannot be changed in place", "Assign a new one: x = x + [...].")
        if family_of(value) is Family.LOG:
            raise self.execution.error(
                "this gives the name a list, and leaves the log as it was", "Append to the log, or write x = x + [...]."
            )
        if family_of(value) is Family.SET and issubclass(kind_of(value), set):
            raise self.execution.error(
                "a plain set is changed in place by this, and with it every other name for it",
                "Assign a new one: x = x | {...}.",
            )
        return value

    def local(self, value: Any) -> Any:
        """A local variable that is read where a path may not have assigned it."""
        if isinstance(value, Partial):
            graph = self.execution.graph
            if refuted(graph.and_(self.execution.present(), graph.not_(value.condition))):
                return value.value
        if isinstance(value, Unassigned):
            raise self.execution.error("a variable is read that is not assigned on every path", value.instead)
        return value

    # -- values ---------------------------------------------------------------------------------------------------

    def parts(self, value: Any, count: int) -> Any:
        """The parts of a pair or tuple that a comprehension takes apart."""
        if not isinstance(value, tuple | list) or len(value) != count:
            raise self.execution.error(
                f"{shown_value(value)} cannot be taken apart into {count} names", "Name the whole, and use its parts."
            )
        return value

    def unpacked(self, value: Any) -> Any:
        """A value that an assignment takes apart. The parts of a plain set have no order."""
        if isinstance(value, GuardedList | LogReference):
            raise self.execution.error(
                f"{value.described}, of which the length depends on the state, is taken apart",
                "Write first = log[0] and others = log[1:].",
            )
        for part in (value, *(value if isinstance(value, tuple | list) else ())):
            if is_unordered(part):
                raise self.execution.error("Python defines no order for the elements of a plain set", "Name a tuple.")
        return value

    def taken(self, value: Any) -> Any:
        """A value that is kept beside the state: a record as it is now, of whose changes is known."""
        return value.taken() if isinstance(value, Symbolic) else value

    # -- operators ------------------------------------------------------------------------------------------------

    def modulo(self, a: Any, b: Any) -> Any:
        """`%`, which is no formatting here."""
        if isinstance(a, str | bytes):
            raise self.execution.error(
                "the specification language does not have formatted texts", "Compute with numbers."
            )
        return a % b

    def product(self, a: Any, b: Any) -> Any:
        """`*`, of which the result must have a size that a rule can work with."""
        for some, times in ((a, b), (b, a)):
            if isinstance(some, str | bytes | list | tuple) and isinstance(times, int) and len(some) * times > LONGEST:
                raise self.execution.error(f"a result of more than {LONGEST:,} elements", "Use a smaller one.")
        return self._bounded(a * b)

    def power(self, a: Any, b: Any) -> Any:
        """`**`, for known numbers."""
        if (
            isinstance(a, int)
            and isinstance(b, int)
            and abs(a) > 1
            and b * abs(a).bit_length() > 2 * LIMIT.bit_length()
        ):
            raise self._too_large()
        return self._bounded(a**b)

    def shifted(self, a: Any, b: Any) -> Any:
        """`<<`, for known numbers."""
        if isinstance(a, int) and isinstance(b, int) and b > LIMIT.bit_length() and a != 0:
            raise self._too_large()
        return a << b

    def _too_large(self) -> Exception:
        return self.execution.error("a value can exceed 62 bits", "Use smaller domains, or less arithmetic.")

    def _bounded(self, value: Any) -> Any:
        """A result that is not too large a number to go on with."""
        if type(value) is int and abs(value) > 1 << 4 * LIMIT.bit_length():
            raise self._too_large()
        return value


def kind_is_plain(value: Any) -> bool:
    """Whether the text of a value says what it is, and is the same in every run."""
    return isinstance(value, Symbolic | Struct | int | str | list | tuple | dict | frozenset | type(None))


@dataclass(frozen=True)
class BranchMet:
    """An `if`, or a conditional expression, that a run came to: its line, what is known there, and its condition."""

    where: SourceLine
    known: tuple[Expression, ...]
    condition: Expression


ENDED = object()
Thunk = Callable[[], Any]


NAMED = {Family.TRUTH: bool, Family.NUMBER: int, Family.LIST: list, Family.LOG: Log, Family.MAP: Map}
"""The classes of values that depend on the state, where the family tells it."""


SCALAR = frozenset({SymInt, int})
"""Classes of most values that are compared by order: they have no parts."""


class Pieces(Assignment):
    """What a compilation does with entries, order, patterns and displays."""

    # -- entries --------------------------------------------------------------------------------------------------

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`, where either may depend on the state."""
        kind, whole = type(owner), type(key) is slice
        if kind is MapReference or (kind is LogReference and not whole):  # nearly always, so it is asked first
            return owner[key]
        if isinstance(owner, GuardedList | LogReference) and (whole or isinstance(owner, GuardedList)):
            return self.entries(owner, key)
        symbolic = is_symbolic((key.start, key.stop) if whole else key)
        if symbolic and isinstance(owner, dict):
            self.require_hashable(key)
            return looked_up(self.execution, owner, key)
        if symbolic and isinstance(owner, Map):
            return looked_up(self.execution, dict(owner.items()), key)
        if symbolic and isinstance(owner, Log):
            return self.entries(list(owner), key) if whole else entry_of_log(self.execution, owner, key)
        if symbolic and isinstance(owner, SEQUENCES):
            if whole and not isinstance(owner, list):
                raise self.execution.error(
                    f"a {type(owner).__name__} whose length depends on the state", "Cut it out of list(...)."
                )
            return self.entries(owner, key)
        return owner[key]

    def entries(self, owner: Any, key: Any) -> Any:
        """An entry, or a slice, of something whose entries have an order."""
        elements, guarded = list(self.iterate(owner)), isinstance(owner, GuardedList)
        if isinstance(key, slice):
            placed = owner.placed if guarded else counted(self.execution, elements, prefix=True)
            return cut_out(self.execution, elements, key, placed)
        return entry(self.execution, elements, key, owner.placed if guarded else None)

    def piece(self, start: Any, stop: Any, step: Any) -> slice:
        """A slice."""
        return slice(start, stop, step)

    # -- order ----------------------------------------------------------------------------------------------------

    def less(self, a: Any, b: Any) -> Any:
        """`<`."""
        if type(a) not in SCALAR and is_compound(a) and is_symbolic((a, b)):
            return ordered(self.execution, "<", a, b)
        return a < b

    def less_equal(self, a: Any, b: Any) -> Any:
        """`<=`."""
        if type(a) not in SCALAR and is_compound(a) and is_symbolic((a, b)):
            return ordered(self.execution, "<=", a, b)
        return a <= b

    def greater(self, a: Any, b: Any) -> Any:
        """`>`."""
        if type(a) not in SCALAR and is_compound(a) and is_symbolic((a, b)):
            return ordered(self.execution, ">", a, b)
        return a > b

    def greater_equal(self, a: Any, b: Any) -> Any:
        """`>=`."""
        if type(a) not in SCALAR and is_compound(a) and is_symbolic((a, b)):
            return ordered(self.execution, ">=", a, b)
        return a >= b

    # -- displays -------------------------------------------------------------------------------------------------

    def listed(self, *parts: tuple[bool, Any]) -> Any:
        """A list display in which some parts stand for all elements of something."""
        elements: list[Guarded] = []
        for many, value in parts:
            elements += list(self.iterate(value)) if many else [(self.execution.graph.true, value)]
        return listed(self.execution, elements)

    def fixed(self, value: Any) -> tuple[Any, ...]:
        """What starred arguments and the elements of a tuple stand for, of which the number is known."""
        found = list(self.iterate(value))
        if any(present is not self.execution.graph.true for present, _ in found):
            raise self.execution.error(
                "the number of these arguments or elements depends on the state", "Make a list of them."
            )
        return tuple(element for _, element in found)

    def named(self, value: Any) -> dict[str, Any]:
        """What a ** argument stands for."""
        if not isinstance(value, dict):
            raise self.execution.error("a ** argument that is no dictionary of the rule", "Name the arguments.")
        return value

    def dictionary_of(self, items: Comprehension) -> dict[Any, Any]:
        """A dictionary comprehension, whose keys are known."""
        made = {}
        for present, (key, value) in items.collect():
            if present is not self.execution.graph.true or is_symbolic(key):
                raise self.execution.error(
                    "a dictionary whose keys depend on the state",
                    "Use a Map of the state, or a dictionary of all keys.",
                )
            made[key] = value
        return made

    def worded(self, value: Any) -> Any:
        """A value in a formatted text, which must be known."""
        if isinstance(value, TEXTS):
            return value
        raise self.execution.error(
            "a text is made of a value of the state, or of one that is no number, name or text",
            "Rules compute states, not texts: a view or `says` tells what a value is.",
        )

    # -- patterns -------------------------------------------------------------------------------------------------

    def is_a(self, value: Any, kind: Any) -> Any:
        """`isinstance`."""
        graph = self.execution.graph
        if isinstance(value, SymMaybeStruct):
            return (
                truth_value(self.execution, value.present) if self.is_a(value.record, kind) else self.is_a(None, kind)
            )
        if isinstance(value, SymOptional):
            element, none = self.is_a(value.element(), kind), self.is_a(None, kind)
            if element is none:
                return element
            there = graph.not_(value.is_none())
            return truth_value(self.execution, there if element else graph.not_(there))
        return isinstance(value, kind) if not isinstance(value, Symbolic) else issubclass(self._class_of(value), kind)

    def _class_of(self, value: Symbolic) -> type:
        family = value.family
        if family is Family.RECORD:
            return record_type(value)
        if family is Family.SET:
            if kind_of(value) is EitherSet:
                raise self.execution.error("the class of this set depends on the state", "Write Set(...) around both.")
            return kind_of(value)
        if isinstance(value, SymScalar):
            return value.domain.type if isinstance(value.domain, EnumDomain) else Identifier
        if family in NAMED:
            return NAMED[family]
        raise self.execution.error(f"{value.described} is asked for its class", value.instead or "Compare it.")

    def is_sequence(self, value: Any, count: int, more: bool) -> Any:
        """Whether a pattern of so many parts, or of at least so many, can match."""
        if isinstance(value, GuardedList):
            length, wanted, graph = value.length(), self.execution.graph.integer(count), self.execution.graph
            return truth_value(self.execution, graph.le(wanted, length) if more else graph.eq(length, wanted))
        if isinstance(value, SymRange) or family_of(value) is Family.UNUSABLE:
            raise self.execution.error(f"{value.described} is matched with a pattern of its parts", "Make it a list.")
        if not isinstance(value, SEQUENCES):
            return False
        return len(value) >= count if more else len(value) == count

    def positional(self, value: Any, kind: Any, at: int) -> Any:
        """The part of a record that a pattern names by its place."""
        if kind in SELF_MATCHING and at == 0:
            return value
        name = field_at(kind, at)
        if not name:
            raise self.execution.error(
                f"a pattern of {kind.__name__} with {at + 1} parts without names", "Name the fields: Point(x=0)."
            )
        return self.attribute(value, name)

    # -- functions ------------------------------------------------------------------------------------------------

    def function(self, made: FunctionType, name: str) -> FunctionType:
        """A function that is defined inside a rule; one that a comprehension makes ends with its element."""
        made.__name__ = made.__qualname__ = name
        made.__dict__[INNER] = self.open[-1] if self.open else 0
        return made

    def is_inner(self, function: FunctionType) -> bool:
        """Whether a function is one that is defined inside a rule. Refused after the element that it was made in."""
        element = function.__dict__.get(INNER)
        if element is None:
            return False
        if element and element not in self.open:
            raise self.execution.error(
                "a function that a comprehension has made is called after its element: in Python its names mean other "
                "elements then",
                "Call it in the comprehension, or write a for loop.",
            )
        return True

    # -- assigned in expressions ----------------------------------------------------------------------------------

    def depth(self) -> int:
        """How many conditions there are around the statement."""
        return len(self.execution.path)

    def bind(self, depth: int, old: Callable[[], Any], set_: Callable[[Any], None], value: Any) -> Any:
        """`:=` in an operand: the name has another value where Python comes to it."""
        execution, before = self.execution, old()
        condition = execution.graph.all_of(execution.path[depth:])
        if condition is execution.graph.true:
            set_(value)
        elif isinstance(before, Partial):
            both = execution.graph.or_(condition, before.condition)
            set_(Partial(execution, both, execution.pairs.join(condition, value, before.value)))
        elif isinstance(before, Unassigned):
            set_(Partial(execution, condition, value))
        else:
            set_(execution.pairs.join(condition, value, before))
        return value

    @property
    def unreturned(self) -> Unreturned:
        """What a loop has returned before it did."""
        return Unreturned(self.execution)


ROUNDS = 32
"""So many rounds a `while` may go whose condition depends on the state."""


class Operations(Pieces):
    """The operations of one compilation. `execution` is the run they belong to, exchanged between rules."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self.visited: set[int] = set()
        self.decisions: list[BranchMet] | None = None
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
        condition = self.condition(test)
        if self.decisions is not None and (where := self.execution.where) is not None:
            self.decisions.append(BranchMet(where, self.execution.known(), condition))
        return self._either(condition, then, orelse, get, put)

    def _either(self, condition: Expression, then: Thunk, orelse: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
        execution, graph, view = self.execution, self.execution.graph, self.written
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
            self._either(present, lambda: body(item), _nothing, get, put)
            self.execution.operands = inside
            return self.execution.graph.true

        if is_unordered(source):
            self._loop_unordered(source, lambda: run, get, put)
        else:
            self.consume(source, run)

    def loop_until(self, source: Any, body: Callable[[Any], Any], get: Thunk, put: Callable[[Any], None]) -> None:
        """The same for a body that says whether to go on: no element is taken after it has said no."""
        outside, graph = self.execution.operands, self.execution.graph

        def round_of() -> Consumer:
            going = graph.true

            def run(present: Expression, item: Any) -> Expression:
                nonlocal going
                here = graph.and_(going, present)
                if here is not graph.false:
                    inside, self.execution.operands = self.execution.operands, outside
                    going = graph.and_(going, self.condition(self._either(here, lambda: body(item), _yes, get, put)))
                    self.execution.operands = inside
                return going

            return run

        if is_unordered(source):
            self._loop_unordered(source, round_of, get, put)
        else:
            self.consume(source, round_of())

    def _loop_unordered(
        self, source: Any, rounds: Callable[[], Consumer], get: Thunk, put: Callable[[Any], None]
    ) -> None:
        """A loop over a plain set, which every order of its elements must leave alike."""
        execution, where = self.execution, self.execution.where
        made = 0 if self.decisions is None else len(self.decisions)
        elements = list(self.iterate(source, ordered=False))

        def run(order: list[Guarded]) -> None:
            if self.decisions is not None:
                del self.decisions[made:]
            consume = rounds()
            for present, item in order:
                consume(present, item)

        if not in_every_order(execution, self.written, elements, run, get, put):
            execution.graph.table.where = where
            raise execution.error("Python defines no order for the elements of a plain set", SETS_HAVE_ORDER)

    def while_(self, test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None], rounds: int = 0) -> None:
        """Run the body as long as the condition may be true, a round within the other; it says whether to go on."""
        execution, graph = self.execution, self.execution.graph
        condition, where = self.condition(test()), execution.where
        while condition is graph.true:
            execution.one_round()
            going = self.condition(body())
            if going is not graph.true:
                self._go_on(going, test, body, get, put, rounds, where)
                return
            condition = self.condition(test())
        if condition is graph.false or self._refuted(condition):
            return

        def one_round() -> None:
            execution.one_round()
            self._go_on(self.condition(body()), test, body, get, put, rounds, where)

        self._either(condition, one_round, _nothing, get, put)

    def _go_on(
        self,
        going: Expression,
        test: Thunk,
        body: Thunk,
        get: Thunk,
        put: Callable[[Any], None],
        rounds: int,
        where: SourceLine | None,
    ) -> None:
        """The next rounds of a `while`, where its body has said so."""
        if going is self.execution.graph.false or self._refuted(going):
            return
        if rounds >= ROUNDS:
            self.execution.graph.table.where = where
            raise self.execution.error(
                f"after {ROUNDS} rounds the condition of this while may still be true, as far as the compiler sees",
                "Write a for loop over a range that is long enough, and break out of it.",
            )

        def next_rounds() -> None:
            put(tuple(self._resolved(going, value) for value in get()))
            self.while_(test, body, get, put, rounds + 1)

        self._either(going, next_rounds, _nothing, get, put)

    def _refuted(self, condition: Expression) -> bool:
        """Whether a condition is false in every state that comes here, as far as intervals tell."""
        return refuted(self.execution.graph.and_(self.execution.present(), condition))

    def _resolved(self, holds: Expression, value: Any) -> Any:
        """A number that a condition has chosen, where the condition is known to hold: so a counter stays known."""
        if not isinstance(value, SymInt) or value.expression.op is not Op.ITE:
            return value
        condition, then, orelse = value.expression.args
        graph = self.execution.graph
        if condition is holds:
            return int_value(self.execution, then)
        return int_value(self.execution, orelse) if condition is graph.not_(holds) else value

    def and_(self, first: Any, *others: Thunk) -> Any:
        """`and` as a truth value: later operands are evaluated only where the earlier ones are true."""
        return self._truths(True, first, others)

    def or_(self, first: Any, *others: Thunk) -> Any:
        """`or` as a truth value: later operands are evaluated only where the earlier ones are false."""
        return self._truths(False, first, others)

    def _truths(self, conjunction: bool, first: Any, others: tuple[Thunk, ...]) -> Any:
        execution, graph = self.execution, self.execution.graph
        total, depth = self.condition(first), len(execution.path)
        decided, joined = (graph.false, graph.and_) if conjunction else (graph.true, graph.or_)
        for operand in others:
            if total is decided:
                break
            value = decided
            with execution.operand(total if conjunction else graph.not_(total)):
                value = self.condition(operand())
            total = joined(total, value)
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
        """`is`, which the language has for none, truth values and members of enumerations: there is one of each."""
        if a is None or b is None:
            return self.eq(a, b)
        single = _is_single(a), _is_single(b)
        if all(single) or Family.UNUSABLE in (family_of(a), family_of(b)):
            return self.eq(a, b)
        if any(single):
            other = b if single[0] else a
            return self.eq(a, b) if isinstance(other, SymOptional) and _is_single(other.element()) else False
        raise self.execution.error(
            "is compares with None, True, False and members of enumerations only", "Write == instead."
        )

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


def _is_single(value: Any) -> bool:
    """Whether there is one object of each such value: truth values, and members of enumerations."""
    if isinstance(value, SymScalar):
        return isinstance(value.domain, EnumDomain)
    return family_of(value) is Family.TRUTH or isinstance(value, enum.Enum)


def _nothing() -> None:
    """What is done where there is nothing to do."""


def _yes() -> bool:
    """That a loop goes on."""
    return True


def _no_calls(function: Any, *arguments: Any, **named: Any) -> Any:
    raise TypeError("no calls outside a compilation")
