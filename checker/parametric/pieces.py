"""Entries, order, patterns and functions of a rule, for every choice of the bounds: of tuples and lists that it writes.

What a rule makes by itself has a length that is known, so it is gone through here. Parts of logs and sets have not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NoReturn

from epochal.spec.language import Identifier

from ..compile.source.patterns import SELF_MATCHING, SEQUENCES, SIGNS, TEXTS, field_at
from ..compile.source.rewrite import INNER
from .terms import FALSE, TRUE, Term, and_, constant, eq, le, lt, not_, or_
from .values import (
    Choice,
    LogPlace,
    Named,
    NotReturned,
    Number,
    Perhaps,
    Record,
    RecordPlace,
    Run,
    Truth,
    Value,
    condition,
    either,
    equal,
    taken_record,
    truth,
)

KNOWN = "Write tuples, lists and dictionaries of the rule, of which the length is known."


class KnownPieces:
    """What the operations of a rule do with these. `run` is that of the rule being read."""

    run: Run
    attribute: Callable[[Any, str], Any]

    # -- entries --------------------------------------------------------------------------------------------------

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        run = self.run
        if isinstance(key, slice) and isinstance(owner, LogPlace):
            if key.step not in (None, 1):
                run.refuse("a slice with a step of a log", "Go through range(...), with an if.")
            return owner.cut_out(key.start, key.stop)
        if isinstance(key, slice) and any(isinstance(one, Value) for one in (key.start, key.stop, key.step)):
            run.refuse("a slice whose limits depend on the state", "Go through range(...), with an if.")
        if isinstance(owner, tuple | list) and isinstance(key, Number):
            at, count = key.term, constant(len(owner))
            run.fail_if(or_(lt(at, constant(-len(owner))), le(count, at)), "the index is out of range")
            places = [*range(len(owner)), *range(-len(owner), 0)]
            return self._first([(eq(at, constant(place)), owner[place]) for place in places])
        if isinstance(owner, dict) and isinstance(key, Value):
            choices = [(equal(run, key, one), value) for one, value in owner.items()]
            run.fail_if(not_(or_(*(same for same, _ in choices))), "the key is not in the dictionary")
            return self._first(choices)
        return owner[key]

    def _first(self, choices: Sequence[tuple[Term, Any]]) -> Any:
        *others, (_, result) = [(on, value) for on, value in choices if on is not FALSE]
        for on, value in reversed(others):
            result = either(self.run, on, value, result)
        return result

    def piece(self, *limits: Any) -> slice:
        """A slice."""
        return slice(*limits)

    # -- order ----------------------------------------------------------------------------------------------------

    def less(self, a: Any, b: Any) -> Any:
        """`<`."""
        return self._compared("<", a, b)

    def less_equal(self, a: Any, b: Any) -> Any:
        """`<=`."""
        return self._compared("<=", a, b)

    def greater(self, a: Any, b: Any) -> Any:
        """`>`."""
        return self._compared(">", a, b)

    def greater_equal(self, a: Any, b: Any) -> Any:
        """`>=`."""
        return self._compared(">=", a, b)

    def _compared(self, sign: str, a: Any, b: Any) -> Any:
        compound = isinstance(a, tuple | list) and isinstance(b, tuple | list) and type(a) is type(b)
        if not compound or not any(isinstance(part, Value | tuple | list) for part in (*a, *b)):
            return SIGNS[sign](a, b)
        same, result = TRUE, FALSE
        for one, other in zip(a, b, strict=False):
            alike = equal(self.run, taken_record(self.run, one), taken_record(self.run, other))
            differ, holds = and_(same, not_(alike)), FALSE
            if differ is not FALSE:
                with self.run.operand(differ):
                    holds = condition(self.run, self._compared(sign, one, other))
                result = or_(result, and_(differ, holds))
            same = and_(same, alike)
        ends = TRUE if SIGNS[sign](len(a) - len(b), 0) else FALSE
        return truth(self.run, or_(result, and_(same, ends)))

    # -- displays -------------------------------------------------------------------------------------------------

    def listed(self, *parts: tuple[bool, Any]) -> list[Any]:
        """A list display in which some parts stand for all elements of something."""
        return [one for many, value in parts for one in (self.fixed(value) if many else (value,))]

    def fixed(self, value: Any) -> tuple[Any, ...]:
        """What starred arguments stand for."""
        if not isinstance(value, SEQUENCES):
            self.run.refuse("starred values whose number depends on the bounds or the state", KNOWN)
        return tuple(value)

    def named(self, value: Any) -> dict[str, Any]:
        """What a ** argument stands for."""
        if not isinstance(value, dict):
            self.run.refuse("a ** argument that is no dictionary of the rule", "Name the arguments.")
        return value

    def dictionary_of(self, items: Any) -> NoReturn:
        """A dictionary comprehension."""
        self.run.refuse("a dictionary comprehension", "Assign the map's entries in a for loop.")

    def worded(self, value: Any) -> Any:
        """A value in a formatted text."""
        if not isinstance(value, TEXTS):
            self.run.refuse("a text that is made of a value of the state", "Rules compute states, not texts.")
        return value

    # -- patterns -------------------------------------------------------------------------------------------------

    def is_a(self, value: Any, kind: Any) -> Any:
        """`isinstance`."""
        if not isinstance(value, Value):
            return isinstance(value, kind)
        if isinstance(value, Perhaps):
            element, none = self.is_a(value.element, kind), isinstance(None, kind)
            return element if element is none else truth(self.run, value.there if element else not_(value.there))
        classes: dict[type[Value], type[Any]] = {Truth: bool, Number: int, Named: Identifier}
        found = classes.get(type(value))
        if isinstance(value, Choice):
            found = value.members
        elif isinstance(value, Record | RecordPlace):
            found = value.type if isinstance(value, Record) else value.domain.type
        if found is None:
            self.run.refuse(f"the class of {value.described}", "Compare it with ==.")
        return issubclass(found, kind)

    def is_sequence(self, value: Any, count: int, more: bool) -> bool:
        """Whether a pattern of so many parts, or of at least so many, can match."""
        if not isinstance(value, SEQUENCES):
            return False
        return len(value) >= count if more else len(value) == count

    def positional(self, value: Any, kind: Any, at: int) -> Any:
        """The part of a record that a pattern names by its place."""
        if kind in SELF_MATCHING and at == 0:
            return value
        name = field_at(kind, at)
        if not name:
            self.run.refuse(f"a pattern of {kind.__name__} with {at + 1} parts without names", "Name the fields.")
        return self.attribute(value, name)

    # -- functions ------------------------------------------------------------------------------------------------

    def function(self, made: FunctionType, name: str) -> FunctionType:
        """A function that is defined inside a rule."""
        made.__name__ = made.__qualname__ = name
        if self.run.operands:
            self.run.refuse("a lambda inside an operand or a comprehension", "Define it before, on a line of its own.")
        made.__dict__[INNER] = 0
        return made

    def is_inner(self, function: FunctionType) -> bool:
        """Whether a function is one that is defined inside a rule."""
        return INNER in function.__dict__

    # -- assigned in expressions ----------------------------------------------------------------------------------

    def depth(self) -> int:
        """How many conditions there are around the statement."""
        return len(self.run.path)

    def bind(self, depth: int, old: Callable[[], Any], set_: Callable[[Any], None], value: Any) -> Any:
        """`:=` in an operand, which must be come to."""
        if any(frame is not TRUE for frame in self.run.path[depth:]):
            self.run.refuse("a := that not every path comes to", "Assign on a line of its own.")
        set_(value)
        return value

    @property
    def unreturned(self) -> NotReturned:
        """What a loop has returned before it did."""
        return NotReturned(self.run, "the result of a loop that has not returned", "Return after the loop.")
