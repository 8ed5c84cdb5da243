"""The built-in functions of the language, on values that depend on the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epochal.spec.language import Set, Struct, bounded, require
from epochal.spec.language.errors import shown_value

from ..ir.expression import Expression
from .comprehension import Comprehension
from .iteration import is_symbolic
from .operations import Operations
from .values.families import Family
from .values.known import family_of
from .values.places import LogReference, MapReference
from .values.records import SymStruct
from .values.scalars import SymOptional
from .values.sequences import GuardedIterator, GuardedList, SymRange
from .values.set_values import SymbolicSet
from .values.symbolic import Guarded, Symbolic, as_int, int_value, is_truth, truth_value


class BuiltIns:
    """The functions by the objects that rules call. `Struct` stands for every record class."""

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        self.table: dict[Any, Callable[..., Any]] = {
            require: self._require,
            bounded: self._bounded,
            all: self._all,
            any: self._any,
            min: lambda *a, **n: self._extreme(False, *a, **n),
            max: lambda *a, **n: self._extreme(True, *a, **n),
            abs: lambda value: value.__abs__(),
            sum: self._sum,
            len: operations.count,
            range: self._range,
            next: self._next,
            set: lambda items=(): self._set(set, items),
            frozenset: lambda items=(): self._set(frozenset, items),
            Set: lambda items=(): self._set(Set, items),
            list: self._list,
            tuple: lambda items=(): tuple(self._all_present(items, "a tuple")),
            enumerate: self._enumerate,
            zip: self._zip,
            reversed: self._reversed,
            bool: lambda value=False: truth_value(operations.execution, operations.condition(value)),
            int: self._int,
            Struct: self._struct,
        }

    def _require(self, condition: Any) -> None:
        self.operations.execution.require(self.operations.condition(condition))

    def _bounded(self, condition: Any) -> None:
        self.operations.execution.require(self.operations.condition(condition), "bounded")

    def _all(self, items: Any) -> Any:
        graph, parts = self.operations.execution.graph, []

        def consume(present: Expression, value: Any) -> Expression:
            parts.append(graph.implies(present, self.operations.condition(value)))
            return parts[-1]

        self.operations.consume(items, consume, ordered=False)
        return truth_value(self.operations.execution, graph.all_of(parts))

    def _any(self, items: Any) -> Any:
        graph, parts = self.operations.execution.graph, []

        def consume(present: Expression, value: Any) -> Expression:
            parts.append(graph.and_(present, self.operations.condition(value)))
            return graph.not_(parts[-1])

        self.operations.consume(items, consume, ordered=False)
        return truth_value(self.operations.execution, graph.any_of(parts))

    def _number(self, value: Any) -> Expression:
        number = as_int(self.operations.execution, value)
        if number is None:
            raise self.operations.execution.error(
                f"{shown_value(value)} is not a number", "Use integers here: 1 if ... else 0, or the len of something."
            )
        return number

    def _numbers(self, items: Any) -> list[tuple[Expression, Any, Expression]]:
        """The elements that may be there, with their conditions; each also as a number, if it is there."""
        execution, found = self.operations.execution, []

        def consume(present: Expression, value: Any) -> Expression:
            with execution.under(present):
                found.append((present, value, self._number(value)))
            return execution.graph.true

        self.operations.consume(items, consume, ordered=False)
        return [one for one in found if one[0] is not execution.graph.false]

    def _sum(self, items: Any, start: Any = 0) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        if is_truth(start):
            raise execution.error("sum begins with a number here", "Write 1 if ... else 0.")
        total = self._number(start)
        for present, _, number in self._numbers(items):
            total = graph.add(total, graph.ite(present, number, graph.integer(0)))
        return int_value(execution, total)

    def _extreme(self, greatest: bool, /, *arguments: Any, **named: Any) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        pick, name = (graph.max, "max") if greatest else (graph.min, "min")
        unknown = set(named) - ({"default"} if len(arguments) == 1 else set())
        if unknown:
            raise execution.error(
                f"min and max take no {unknown.pop()} here", "Write a comprehension of the numbers to compare."
            )
        found = self._compared(name, arguments[0] if len(arguments) == 1 else list(arguments))
        default = self._extreme_default(named["default"]) if "default" in named else None
        anything = graph.any_of([p for p, _ in found])
        if default is None:
            execution.fail_if(graph.not_(anything), f"{name} of nothing")
        if all(v.is_const for _, v in found):
            ordered = sorted(found, key=lambda pv: pv[1].value, reverse=greatest)
            result = default if default is not None else ordered[-1][1]
            for present, value in reversed(ordered if default is not None else ordered[:-1]):
                result = graph.ite(present, value, result)
            return int_value(execution, result)
        best, have = found[0][1], found[0][0]
        for present, value in found[1:]:
            better = graph.ite(have, pick(best, value), value)
            best = graph.ite(present, better, best)
            have = graph.or_(have, present)
        return int_value(execution, best if default is None else graph.ite(have, best, default))

    def _compared(self, name: str, source: Any) -> list[tuple[Expression, Expression]]:
        """The numbers among which min and max choose. A truth value would stay one, and a none that is alone a none."""
        execution, graph = self.operations.execution, self.operations.execution.graph
        found = self._numbers(source)
        if any(is_truth(value) for _, value, _ in found):
            raise execution.error(f"{name} chooses among numbers, and this is a truth value", "Write 1 if ... else 0.")
        certain = sum(present is graph.true for present, _, _ in found)
        if certain < 2 and any(isinstance(value, SymOptional) for _, value, _ in found):
            raise execution.error(
                f"{name} of one none would be none, and of several it fails", "Leave out what is none by an if."
            )
        return [(present, number) for present, _, number in found]

    def _extreme_default(self, value: Any) -> Expression:
        if is_truth(value) or value is None or isinstance(value, SymOptional):
            raise self.operations.execution.error("the default of min and max is a number here", "Use an if.")
        return self._number(value)

    def _range(self, *limits: Any) -> Any:
        if not any(is_symbolic(limit) for limit in limits):
            return range(*limits)
        if len(limits) > 2:
            raise self.operations.execution.error(
                "a range that depends on the state takes no step", "Multiply the number in the body, or filter by %."
            )
        low, high = limits if len(limits) == 2 else (0, limits[0])
        return SymRange(self.operations.execution, self._number(low), self._number(high))

    def _next(self, items: Any, *default: Any) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        if not isinstance(items, Comprehension | GuardedIterator):
            raise execution.error("next takes a generator", "Write next(x for x in ...).")
        found: list[Guarded] = []

        def consume(present: Expression, value: Any) -> Expression:
            found.append((present, value))
            return graph.not_(present)

        self.operations.consume(items, consume)
        if default:
            result = default[0]
        else:
            execution.fail_if(graph.not_(graph.any_of([p for p, _ in found])), "next of nothing")
            result = found.pop()[1]
        for present, value in reversed(found):
            condition = truth_value(execution, present)
            result = self._either(condition, value, result)
        return result

    def _either(self, condition: Any, value: Any, other: Any) -> Any:
        """One of two values that are there already."""
        return self.operations.choose(condition, lambda: value, lambda: other)

    def _set(self, kind: type, items: Any = ()) -> Any:
        if isinstance(items, SymbolicSet):
            return items.of_kind(kind)
        return self.operations.set_of(items, kind)

    def _list(self, items: Any = ()) -> Any:
        found = list(self.operations.iterate(items))
        if all(p is self.operations.execution.graph.true for p, _ in found):
            return [value for _, value in found]
        return GuardedList(self.operations.execution, found)

    def _all_present(self, items: Any, what: str) -> list[Any]:
        """The elements of something whose length is known."""
        found = list(self.operations.iterate(items))
        if any(present is not self.operations.execution.graph.true for present, _ in found):
            raise self.operations.execution.error(f"the length of {what} cannot depend on the state", "Use a list.")
        return [value for _, value in found]

    def _enumerate(self, items: Any, start: Any = 0) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        number, found = self._number(start), []
        self._refuse_lazy(items, "enumerate")
        for present, value in self.operations.iterate(items):
            found.append((present, (int_value(execution, number), value)))
            number = graph.add(number, graph.integer(1) if _is_prefix(items) else graph.as_integer(present))
        return GuardedIterator(execution, found)

    def _zip(self, *sources: Any, strict: bool = False) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        if strict:
            raise execution.error("zip cannot be strict here", "Compare the lengths before.")
        for source in sources:
            self._refuse_lazy(source, "zip")
            if not _is_prefix(source):
                self._all_present(source, "what zip takes")
        rows = zip(*(list(self.operations.iterate(source)) for source in sources), strict=False)
        return GuardedIterator(
            execution, [(graph.all_of([p for p, _ in row]), tuple(v for _, v in row)) for row in rows]
        )

    def _refuse_lazy(self, items: Any, name: str) -> None:
        """A generator is evaluated when its elements are asked for, which is later than it would be here."""
        if isinstance(items, Comprehension):
            raise self.operations.execution.error(
                f"the elements of a generator are not known yet where {name} is called",
                "Make it a list: [... for ...].",
            )

    def _reversed(self, items: Any) -> Any:
        if isinstance(items, Comprehension | GuardedIterator):
            raise self.operations.execution.error("a generator cannot be reversed", "Make it a list: [... for ...].")
        if family_of(items) is Family.SET:
            raise self.operations.execution.error("a set has no order and cannot be reversed", "Make it a list first.")
        return GuardedIterator(self.operations.execution, list(self.operations.iterate(items))[::-1])

    def _int(self, value: Any = 0) -> Any:
        return int_value(self.operations.execution, self._number(value))

    def _struct(self, type: type[Struct], /, *arguments: Any, **named: Any) -> Any:
        made = type(*arguments, **named)
        values = dict(zip(made.fields, made.field_values(), strict=True))
        if any(is_symbolic(v) for v in values.values()):
            return SymStruct(self.operations.execution, type, values)
        return made


def _is_prefix(source: Any) -> bool:
    """Whether an element that is present has all those before it present too."""
    return not isinstance(source, Symbolic) or isinstance(source, LogReference | MapReference)
