"""The built-in functions of the language, for every choice of the bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from epochal.spec.language import Set, Struct, bounded, require

from .operations import Operations
from .places import LogPlace, MapPlace, Place
from .sources import Generator, Range, Reversed, used
from .terms import Candidates, Term, and_, constant, count, exists, extreme, forall, implies, ite, le, not_, or_
from .values import Members, Record, Value, number, number_of, truth


class BuiltIns:
    """The functions by the objects that rules call; `Struct` stands for every class of records."""

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        self.table: dict[Any, Callable[..., Any]] = {
            require: lambda holds: self._require(holds, "require"),
            bounded: lambda holds: self._require(holds, "bounded"),
            all: self._all,
            any: self._any,
            min: lambda *a, **n: self._extreme(False, *a, **n),
            max: lambda *a, **n: self._extreme(True, *a, **n),
            len: self._len,
            range: self._range,
            Set: self._set,
            set: self._set,
            frozenset: self._set,
            bool: lambda value: truth(operations.run, operations.condition(value)),
            Struct: self._struct,
            sum: self._no("sum", "Say what it counts with all and any, or a position with min or max."),
            next: self._no("next", "Write min or max, or any."),
            abs: self._no("abs", "Compare both differences."),
            sorted: self._no("sorted", "Say with all and any what the order is for."),
            reversed: self._reversed,
            enumerate: self._no("enumerate", "Go through range(len(...))."),
            zip: self._no("zip", "Go through range(len(...))."),
            list: self._no("list", "Use the generator or the log itself."),
            tuple: self._no("tuple", "Use the generator or the log itself."),
            int: self._no("int", "Write 1 if ... else 0."),
        }

    def _no(self, name: str, advice: str) -> Callable[..., NoReturn]:
        def refuse(*arguments: Any, **named: Any) -> NoReturn:
            self.operations.run.refuse(name, advice)

        return refuse

    def _require(self, holds: Any, word: str) -> None:
        self.operations.run.require(self.operations.condition(holds), word)

    def _all(self, items: Any) -> Any:
        found = used(self.operations.run, items, self.operations.condition)
        return truth(self.operations.run, and_(*(forall(b, implies(present, holds)) for b, present, holds in found)))

    def _any(self, items: Any) -> Any:
        found = used(self.operations.run, items, self.operations.condition)
        return truth(self.operations.run, or_(*(exists(b, and_(present, holds)) for b, present, holds in found)))

    def _extreme(self, greatest: bool, /, *arguments: Any, **named: Any) -> Any:
        run = self.operations.run
        if set(named) - {"default"} or (named and len(arguments) != 1):
            run.refuse("min or max with such arguments", "Write a generator of numbers, and default=.")
        if len(arguments) > 1:
            result, *others = [number_of(run, one) for one in arguments]
            for one in others:
                result = ite(le(one, result) if not greatest else le(result, one), one, result)
            return number(run, result)
        found = used(run, arguments[0], lambda one: number_of(run, one))
        candidates = [Candidates(bounds, present, value) for bounds, present, value in found]
        some = or_(*(one.some for one in candidates))
        if "default" not in named:
            run.fail_if(not_(some), "min or max of nothing")
        default = number_of(run, named.get("default", 0))
        return number(run, extreme(greatest, candidates, default) if candidates else default)

    def _len(self, value: Any) -> Any:
        run = self.operations.run
        if isinstance(value, LogPlace):
            return number(run, value.end)
        if isinstance(value, Members):
            return number(run, self._size(value))
        if isinstance(value, tuple | list | range | frozenset | set):
            return len(value)
        shown = value.described if isinstance(value, Value) else f"a {type(value).__name__}"
        run.refuse(f"the length of {shown}", "Use len of logs and sets.")

    def _size(self, members: Members) -> Term:
        if members.element is None:
            return constant(0)
        bound = members.any()
        return count(bound, members.has([bound.variable]))

    def _range(self, *limits: Any) -> Any:
        run = self.operations.run
        if all(type(limit) is int for limit in limits):
            return range(*limits)
        if len(limits) > 2:
            run.refuse("a range with a step", "Leave out numbers by an if.")
        low, high = limits if len(limits) == 2 else (0, limits[0])
        return Range(run, number_of(run, low), number_of(run, high))

    def _reversed(self, items: Any) -> Any:
        if not isinstance(items, Range | range):
            self.operations.run.refuse("reversed of anything but a range", "Go forward, or write max.")
        return Reversed(self.operations.run, items)

    def _set(self, items: Any = ()) -> Any:
        if isinstance(items, Members):
            return items
        if isinstance(items, frozenset | set) and not items:
            return self.operations.set_of([])
        if not isinstance(items, Generator | MapPlace | Members | tuple | list | LogPlace):
            return self.operations.set_of(items if isinstance(items, Value) else self._unknown(items))
        return self.operations.set_of(items)

    def _unknown(self, items: Any) -> NoReturn:
        self.operations.run.refuse(f"a set of a {type(items).__name__}", "Write Set(x for x in ...).")

    def _struct(self, kind: type[Struct], /, *arguments: Any, **named: Any) -> Any:
        run = self.operations.run
        made = kind(*arguments, **named)  # says which fields there are
        values = dict(zip(made.fields, made.field_values(), strict=True))
        if any(isinstance(value, Place | Generator) for value in values.values()):
            run.refuse("a part of the state inside a new record", "Give the new record values: numbers, sets, names.")
        return Record(run, kind, values)
