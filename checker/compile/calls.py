"""What happens when a rewritten rule calls something: other rules, methods, functions of the module."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from epochal.spec import language
from epochal.spec.language import (
    Bounds,
    Disabled,
    EvaluationError,
    Identifier,
    Log,
    Map,
    OutOfBounds,
    Protocol,
    Set,
    SourceLine,
    Struct,
    bounded,
    require,
)
from epochal.spec.language.errors import SpecificationError, shown_value, undefined
from epochal.spec.language.source_text import present_text

from ..ir.expression import Expression
from ..ir.graph import refuted
from .effort import too_much
from .execution import COMPUTATION, ROUND_LIMIT, UNCHANGED, Execution, PathEnds
from .operations import ENDED, Comprehension, Operations, StateProxy, is_symbolic
from .source.admitted import ITERATORS, PURE_FUNCTIONS, READING, constructible, impure_module, unfit
from .values.collections import GuardedIterator, GuardedList, LooseSet, SymbolicSet, SymOptional, SymRange, SymStruct
from .values.entries import best, in_order, looked_up, occurrences, place_of, ties
from .values.known import family_of, is_unordered, kind_of
from .values.places import LogReference, MapReference
from .values.symbolic import Family, Guarded, Symbolic, SymInt, as_int, int_value, is_truth, truth_value

# -- in place ---------------------------------------------------------------------------------------------------------
# Methods by which Python's own sets, dictionaries and lists change, and what a rule writes instead of each.

SETS = {
    "add": "{own} = {own} | {{{what}}}",
    "update": "{own} = {own} | {what}",
    "remove": "{own} = {own} - {{{what}}}",
    "discard": "{own} = {own} - {{{what}}}",
    "append": "{own} = {own} | {{{what}}}",
    "pop": "{own} = {own} - {{{what}}}",
    "clear": "{own} = {own} - {own}",
    "difference_update": "{own} = {own} - {what}",
    "intersection_update": "{own} = {own} & {what}",
    "symmetric_difference_update": "{own} = {own} ^ {what}",
}
MAPS = {
    "update": "{own}[key] = value for each entry",
    "setdefault": "{own}[key] = value",
    "get": "{own}[key], which has a value for every key",
    "pop": "{own}[key] = value: a map has a value for every key",
    "clear": "{own}[key] = value in a for loop over {own}",
    "add": "{own}[{what}] = value",
    "append": "{own}[key] = {what}",
}
LOGS = {
    "add": "{own}.append({what})",
    "appendleft": "{own} = [{what}] + {own}",
    "extend": "{own} += {what}",
    "insert": "{own} = {own}[:i] + [entry] + {own}[i:]",
    "pop": "entry = {own}.last, and then {own}.truncate(len({own}) - 1)",
    "pop(0)": "entry = {own}.first, and then {own} = {own}[1:]",
    "popleft": "entry = {own}.first, and then {own} = {own}[1:]",
    "remove": "i = {own}.index({what}), and then {own} = {own}[:i] + {own}[i + 1:]",
    "clear": "{own}.truncate(0)",
    "reverse": "{own} = {own}[::-1]",
    "sort": "{own} = sorted({own})",
    "copy": "list({own})",
}
EXAMPLES = {"sets": ("self.s", "x"), "maps": ("self.m", "key"), "logs": ("self.log", "entry")}


def instead(words: frozenset[str], name: str, where: SourceLine | None) -> str:
    """What to write instead of a method of Python's own collections; "" if there is nothing to say.

    `words` are the methods that the value has: they tell sets, maps and logs. `where` is the line that was being run,
    of which the names are taken.
    """
    kind = "sets" if "union" in words else "maps" if "keys" in words else "logs" if "truncate" in words else ""
    table = {"sets": SETS, "maps": MAPS, "logs": LOGS}.get(kind, {})
    if name not in table:
        return ""
    own, what = _called(name, where) or EXAMPLES[kind]
    text = table.get(f"{name}({what})", table[name])
    return f"Write {text.format(own=own, what=what or EXAMPLES[kind][1])}."


def _called(name: str, where: SourceLine | None) -> tuple[str, str] | None:
    """What a method is called on in a line, and with what, as text; None if the line cannot be read alone."""
    text = None if where is None else present_text(where.file)
    line = "" if text is None or where is None else text.line(where.line).strip()
    try:
        tree = ast.parse(line)
    except SyntaxError:  # a part of a longer statement
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            return ast.unparse(node.func.value), ", ".join(map(ast.unparse, node.args))
    return None


# -- attributes -------------------------------------------------------------------------------------------------------
# Reading an attribute in a rule: fields and methods of the language, and whatever else Python would find as data.

CHANGING = frozenset(
    [
        *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "add", "discard", "update"),
        *("setdefault", "popitem", "difference_update", "intersection_update", "symmetric_difference_update"),
        *("move_to_end", "appendleft", "popleft", "rotate"),
    ]
)
PLAIN = (tuple, list, dict, set, frozenset, int, bool, Log, Map)


class Attributes:
    """Reads attributes for the rules of one compilation. `call` calls what a rule calls: properties are methods."""

    def __init__(self, execution: Callable[[], Execution], call: Callable[..., Any]) -> None:
        self._execution, self._call = execution, call
        self._readers: dict[type, Callable[[Any, str], Any]] = {}

    def read(self, owner: Any, name: str) -> Any:
        """The attribute of this name, as Python finds it. Raises LanguageError if a rule cannot have it."""
        kind = type(owner)
        reader = self._readers.get(kind)
        if reader is None:
            reader = self._readers[kind] = self._reader(kind)
        return reader(owner, name)

    def _reader(self, kind: Any) -> Callable[[Any, str], Any]:
        """What reads the attributes of objects of a class."""
        if issubclass(kind, StateProxy):
            found = kind.read
        elif issubclass(kind, Symbolic):
            found = kind.field if kind.has_fields else self._of_symbolic
        else:
            found = self._of_known
        return cast(Callable[[Any, str], Any], found)

    def _of_known(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Struct) and name in type(owner).fields:
            return owner.__dict__[name]
        if isinstance(owner, PLAIN):
            return self._of_plain(owner, name)
        if isinstance(owner, str | bytes):
            raise self._execution().error("rules compute states, not texts", "Compare whole texts with ==.")
        if isinstance(owner, Identifier):
            if name not in ("prefix", "index", "first"):
                raise self._unknown(owner, name)
            return getattr(owner, name)
        found = self._found(owner, name)
        if why := unfit(found):
            raise self._execution().error(f"{name} cannot be used in a rule: {why}", "Keep it in a state variable.")
        return found

    def _of_symbolic(self, owner: Symbolic, name: str) -> Any:
        if name not in owner.words:
            execution = self._execution()
            raise execution.error(
                f"{owner.described} has no attribute {name!r}",
                instead(owner.words, name, execution.where)
                or "Use what the language has: fields of records, and the methods that the documentation lists.",
            )
        return getattr(owner, name)

    def _of_plain(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Log | Map):
            return self._of_chosen(owner, name)
        if name in CHANGING and hasattr(owner, name):
            raise self._execution().error(
                f"a {type(owner).__name__} cannot be changed in place in a rule", "Assign a new one: x = x + [...]."
            )
        if name in READING or name in getattr(type(owner), "_fields", ()):
            return getattr(owner, name)
        raise self._unknown(owner, name)

    def _of_chosen(self, owner: Log[Any] | Map[Any, Any], name: str) -> Any:
        """An attribute of a log or map that is known: it is a parameter, or one of all values of a domain."""
        like = LogReference if isinstance(owner, Log) else MapReference
        if name in READING and (name in like.words or hasattr(owner, name)):
            return getattr(owner, name)
        execution = self._execution()
        if name in like.words or name in CHANGING:
            raise execution.error(*UNCHANGED)
        raise execution.error(
            f"a {owner.__class__.__name__} has no attribute {name!r}",
            instead(like.words, name, execution.where) or f"It has {', '.join(sorted(like.words & READING))}.",
        )

    def _found(self, owner: Any, name: str) -> Any:
        """What Python finds as an attribute of a module, a class or an object; methods and properties as rules."""
        if isinstance(owner, ModuleType) and name not in vars(owner):
            raise self._unknown(owner, name)
        if owner is None:
            raise self._execution().error(
                f"none has no field {name!r}", "Test for None before: require(... is not None), or if ... is not None."
            )
        if isinstance(owner, ModuleType):
            return getattr(owner, name)
        if isinstance(owner, type):
            return self._of_class(owner, name)
        if callable(owner) and isinstance(owner, FunctionType | MethodType):
            raise self._unknown(owner, name)
        found = inspect.getattr_static(type(owner), name, None)
        if isinstance(owner, enum.Enum) and name in ("name", "value"):
            return getattr(owner, name)
        own = getattr(owner, "__dict__", {})
        if name in own and isinstance(found, FunctionType | functools.cached_property):
            return own[name]
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return self._call(MethodType(found.fget, owner))
        if isinstance(found, functools.cached_property):
            return self._call(MethodType(found.func, owner))
        if isinstance(found, FunctionType):
            return MethodType(found, owner)
        known = found is None or not hasattr(type(found), "__get__") or isinstance(found, staticmethod | classmethod)
        if known or isinstance(owner, Bounds) or inspect.ismemberdescriptor(found) or isinstance(owner, tuple):
            return getattr(owner, name)
        raise self._unknown(owner, name)

    def _of_class(self, owner: type, name: str) -> Any:
        if issubclass(owner, Protocol) and name in vars(Protocol) and name not in ("name", "each", "member"):
            raise self._unknown(owner, name)
        found = inspect.getattr_static(owner, name, None)
        if found is None or isinstance(found, property) or issubclass(owner, set | list | dict):
            raise self._unknown(owner, name)
        return getattr(owner, name)

    def _unknown(self, owner: Any, name: str) -> Exception:
        of = owner.__name__ if isinstance(owner, type) else type(owner).__name__
        return self._execution().error(
            f"{of} has no attribute {name!r} that a rule can use",
            "Keep what a rule needs in state variables, bounds or constants.",
        )


# -- built in ---------------------------------------------------------------------------------------------------------
# The built-in functions of the language, on values that depend on the state.


class BuiltIns:
    """The functions by the objects that rules call. `Struct` stands for every record class."""

    def __init__(self, operations: Operations) -> None:
        self.operations = operations
        self.table: dict[Any, Callable[..., Any]] = {
            require: lambda condition: operations.execution.require(operations.condition(condition)),
            bounded: lambda condition: operations.execution.require(operations.condition(condition), "bounded"),
            all: lambda items: self._truths(True, items),
            any: lambda items: self._truths(False, items),
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
            int: lambda value=0: int_value(operations.execution, self._number(value)),
            Struct: self._struct,
            divmod: lambda a, b: (a // b, operations.modulo(a, b)),
            pow: operations.power,
            isinstance: operations.is_a,
            sorted: self._sorted,
            map: self._map,
            filter: self._filter,
        }

    def _truths(self, conjunction: bool, items: Any) -> Any:
        graph, parts = self.operations.execution.graph, []

        def consume(present: Expression, value: Any) -> Expression:
            truth = self.operations.condition(value)
            parts.append(graph.implies(present, truth) if conjunction else graph.and_(present, truth))
            return parts[-1] if conjunction else graph.not_(parts[-1])

        self.operations.consume(items, consume, ordered=False)
        return truth_value(self.operations.execution, graph.all_of(parts) if conjunction else graph.any_of(parts))

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
        name = "max" if greatest else "min"
        unknown = set(named) - ({"default", "key"} if len(arguments) == 1 else {"key"})
        if unknown:
            raise execution.error(f"{name} of these takes no {unknown.pop()}", "Give one iterable, or write an if.")
        source = arguments[0] if len(arguments) == 1 else list(arguments)
        key = named.get("key")
        found, numbers = self._candidates(name, source, key)
        if numbers is not None and type(named.get("default", 0)) is not bool and _is_number(named.get("default", 0)):
            return self._extreme_number(greatest, numbers, named)
        have = graph.any_of([present for present, _, _ in found])
        if "default" not in named:
            execution.fail_if(graph.not_(have), f"{name} of nothing")
        if not found:
            return named["default"]
        elements, keys = [(present, value) for present, value, _ in found], [by for _, _, by in found]
        if key is not None:
            self._refuse_ties(source, elements, keys, name)
        chosen, _ = best(execution, elements, keys, ">" if greatest else "<")
        return execution.pairs.join(have, chosen, named["default"]) if "default" in named else chosen

    def _candidates(
        self, name: str, source: Any, key: Any
    ) -> tuple[list[tuple[Expression, Any, Any]], list[tuple[Expression, Expression]] | None]:
        """The elements that may be there, with what they are compared by; also as numbers, if all are that."""
        execution, found = self.operations.execution, []

        def consume(present: Expression, value: Any) -> Expression:
            with execution.under(present):
                by = value if key is None else self.operations.call_rule(key, value)
                number = self._number(value) if key is None and _is_number(value) else None
                found.append((present, value, by, number))
            return execution.graph.true

        self.operations.consume(source, consume, ordered=False)
        there = [one for one in found if one[0] is not execution.graph.false]
        truths = [is_truth(by) for _, _, by, _ in there]
        if any(truths) and not all(truths):
            raise execution.error(
                f"{name} chooses among numbers, and one of these is a truth value",
                "Write 1 if ... else 0, or int(...).",
            )
        candidates = [(present, value, by) for present, value, by, _ in there]
        optional = key is None and any(isinstance(value, SymOptional) for _, value, _, _ in there)
        certain = sum(present is execution.graph.true for present, _, _, _ in there)
        if (
            optional
            and certain > 1
            and all(number is not None or isinstance(v, SymOptional) for _, v, _, number in there)
        ):
            return candidates, [(present, self._there(present, value)) for present, value, _, _ in there]
        numbers = [(present, number) for present, _, _, number in there if number is not None]
        plain = len(numbers) == len(there) and not any(truths)
        return candidates, numbers if plain else None

    def _there(self, present: Expression, value: Any) -> Expression:
        """The number of an element that is compared with another one, and so must not be none."""
        number = self.operations.execution.graph.integer(0)
        with self.operations.execution.under(present):
            number = self._number(value)
        return number

    def _extreme_number(
        self, greatest: bool, found: list[tuple[Expression, Expression]], named: Mapping[str, Any]
    ) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        pick, name = (graph.max, "max") if greatest else (graph.min, "min")
        default = self._number(named["default"]) if "default" in named else None
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

    def _refuse_ties(self, source: Any, found: list[Guarded], keys: list[Any], name: str) -> None:
        """Of two elements of a plain set with one key Python takes the first, in an order that it does not define."""
        execution = self.operations.execution
        if is_unordered(source):
            same = ties(execution, found, keys)
            if not refuted(execution.graph.and_(execution.present(), same)):
                raise execution.error(
                    f"elements of a plain set may have the same key, and Python defines no order for them in {name}",
                    "Write Set(...) around it.",
                )

    def _sorted(self, items: Any, *, key: Any = None, reverse: Any = False) -> Any:
        execution = self.operations.execution
        if is_symbolic(reverse):
            raise execution.error("sorted in a direction that depends on the state", "Write an if.")
        found: list[Guarded] = []
        keys: list[Any] = []

        def consume(present: Expression, value: Any) -> Expression:
            with execution.under(present):
                keys.append(value if key is None else self.operations.call_rule(key, value))
                found.append((present, value))
            return execution.graph.true

        self.operations.consume(items, consume, ordered=False)
        if key is not None:
            self._refuse_ties(items, found, keys, "sorted")
        if len(found) > LONGEST_SORTED and any(is_symbolic(one) for one in keys):
            raise execution.error(f"more than {LONGEST_SORTED} values of the state are sorted", "Sort fewer.")
        if all(present is execution.graph.true for present, _ in found) and not is_symbolic(keys):
            return [found[at][1] for at in sorted(range(len(found)), key=keys.__getitem__, reverse=bool(reverse))]
        return in_order(execution, found, keys, bool(reverse))

    def _map(self, function: Any, items: Any) -> Any:
        return self.operations.comprehension(items, None, lambda item: self.operations.call_rule(function, item), False)

    def _filter(self, function: Any, items: Any) -> Any:
        holds = (lambda item: item) if function is None else lambda item: self.operations.call_rule(function, item)
        return self.operations.comprehension(items, holds, lambda item: item, False)

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

    def _struct(self, type: type[Struct], /, *arguments: Any, **named: Any) -> Any:
        made = type(*arguments, **named)
        values = dict(zip(made.fields, made.field_values(), strict=True))
        if any(is_symbolic(v) for v in values.values()):
            return SymStruct(self.operations.execution, type, values)
        return made


LONGEST_SORTED = 64
"""So many values of the state can be sorted: each is compared with each."""


def _is_number(value: Any) -> bool:
    """Whether a value is an integer, and neither a truth value nor possibly none."""
    return isinstance(value, SymInt) or (isinstance(value, int) and not isinstance(value, bool))


def _is_prefix(source: Any) -> bool:
    """Whether an element that is present has all those before it present too."""
    return not isinstance(source, Symbolic) or isinstance(source, LogReference | MapReference)


CALL_DEPTH = 100
UNSUITABLE = (TypeError, AttributeError)
HELPERS: frozenset[Any] = frozenset({Protocol.each, Protocol.member})
"""The methods of every protocol that rules call as they are."""
INSTEAD = (
    "Use all, any, min, max, sum, len, range, next, set, records of the specification, or a helper function written in "
    "the language."
)

SUBSETS = (
    "Go through the subsets of the domain: for some in self.each(Set[...]) if len(some) == 2 and some <= self.those."
)


class Calls:
    """Dispatches calls. `rewrite` turns a function of a specification into its symbolic form, once."""

    def __init__(self, operations: Operations, rewrite: Callable[[FunctionType], FunctionType]) -> None:
        self.operations = operations
        self._rewrite = rewrite
        self._rules: dict[FunctionType, FunctionType] = {}
        self._made_rules: set[FunctionType] = set()
        self._attributes: dict[tuple[type, str], Any] = {}
        self._depth = 0
        operations.call_rule = self
        operations.attribute = Attributes(lambda: operations.execution, self).read
        self._builtins = BuiltIns(operations).table

    def add_builtins(self, table: Mapping[Any, Callable[..., Any]]) -> None:
        """Functions of the language that are symbolic in a way of their own, by the objects that rules call."""
        self._builtins.update(table)

    def attribute(self, owner: type, name: str) -> Any:
        """An attribute of a protocol's class as it was defined; None if there is none."""
        key = (owner, name)
        if key not in self._attributes:
            self._attributes[key] = inspect.getattr_static(*key, None)
        return self._attributes[key]

    def rule(self, function: FunctionType) -> FunctionType:
        """The symbolic form of a function of the specification."""
        found = self._rules.get(function)
        if found is None:
            found = self._rules[function] = self._rewrite(function)
            self._made_rules.add(found)
        return found

    @property
    def rewritten(self) -> tuple[FunctionType, ...]:
        """The functions of the specification that were read symbolically so far."""
        return tuple(self._rules)

    def __call__(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call anything a rule may call."""
        if isinstance(function, Symbolic):
            raise self.operations.execution.error(
                "which function is called depends on the state", "Call each of them under an if of its own."
            )
        try:
            builtin = self._builtins.get(function)
        except TypeError:
            builtin = None
        if builtin is not None:
            return self._built_in(function, builtin, *arguments, **named)
        if isinstance(function, type):
            return self._made(function, *arguments, **named)
        owner = getattr(function, "__self__", None)
        target = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(target, FunctionType):
            if self.operations.is_inner(target):
                return self._enter(function, *arguments, **named)
            if target in self._made_rules or target.__module__.startswith("epochal.checker.compile."):
                return self._enter(function, *arguments, **named)
            if isinstance(owner, Protocol) and target in HELPERS:
                return self._enter(function, *arguments, **named)
            if isinstance(owner, frozenset | language.Map | language.Log | Struct) and _is_ours(target):
                return self._of_plain(owner, function, *arguments, **named)
            if _is_ours(target) and target.__name__ in vars(Set) and owner is None:
                raise self.operations.execution.error(
                    f"{target.__qualname__} is not called as a function in the language",
                    f"Call the method of the value: a.{target.__name__}(b).",
                )
            self._refuse_impure(target)
            bound = (owner, *arguments) if isinstance(function, MethodType) else arguments
            return self._enter(self.rule(target), *bound, **named)
        if isinstance(function, BuiltinFunctionType):
            if function in PURE_FUNCTIONS:
                return self._computed(function, *arguments, **named)
            if type(owner) not in (list, tuple, dict) or function.__name__ not in READING:
                self._refuse_impure(function)
            return self._of_plain(owner, function, *arguments, **named)
        called = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(called, FunctionType) and not unfit(function):
            return self._enter(self.rule(called), function, *arguments, **named)
        raise self._not_in_the_language(function)

    def _built_in(self, function: Any, builtin: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        """Call the language's form of one of Python's functions."""
        try:
            return builtin(*arguments, **named)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is not None:  # it was called, and failed inside
                raise
            name = getattr(function, "__name__", repr(function))
            raise self.operations.execution.error(
                f"{name} is not called with these arguments in the language", "See the chapter on calls for its forms."
            ) from error

    def _refuse_impure(self, function: Any) -> None:
        """A rule may depend on nothing but the state: no chance, no time, no input or output."""
        if unfit(function) or impure_module(getattr(function, "__module__", "")):
            raise self._not_in_the_language(function)

    def _not_in_the_language(self, function: Any) -> Exception:
        name = getattr(function, "__name__", repr(function))
        return self.operations.execution.error(
            f"{name} is not part of the language: a rule depends on the state alone",
            "Choose by a parameter of the action, and print nothing.",
        )

    def _computed(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """What a function of Python that depends on its arguments alone gives for known ones."""
        execution = self.operations.execution
        if any(is_symbolic(a) for a in (*arguments, *named.values())):
            advice = SUBSETS if function in (itertools.combinations, itertools.permutations) else INSTEAD
            raise execution.error(f"{function.__name__} cannot be called with values that depend on the state", advice)
        if callable(named.get("key")):
            raise execution.error(f"{function.__name__} takes no key here", "Compare what the key would give.")
        if too_much(function, (*arguments, *named.values())):
            raise execution.error(
                f"{function.__name__} would go through more than {ROUND_LIMIT:,} values",
                "Use smaller ranges and numbers.",
            )
        return self._enter(function, *arguments, **named)

    def _made(self, kind: type, /, *arguments: Any, **named: Any) -> Any:
        """An object of a class: a record, a member of an enumeration, or plain data."""
        execution = self.operations.execution
        if issubclass(kind, Struct):
            return self._builtins[Struct](kind, *arguments, **named)
        if kind not in ITERATORS and not constructible(kind):
            raise self._not_in_the_language(kind)
        found = self._computed(kind, *arguments, **named)
        if kind not in ITERATORS:
            return found
        if any(is_unordered(argument) for argument in arguments):
            raise execution.error(
                "Python defines no order for the elements of a plain set", "Write Set(...) around it."
            )
        return GuardedIterator(execution, [(execution.graph.true, item) for item in self._rounds(found)])

    def _rounds(self, items: Iterable[Any]) -> Iterable[Any]:
        for item in items:
            self.operations.execution.one_round()
            yield item

    def _of_plain(self, owner: Any, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """A method of a known value, which changes nothing."""
        symbolic = any(is_symbolic(a) for a in (*arguments, *named.values()))
        if isinstance(owner, list | tuple | dict | Log) and not named and (symbolic or is_symbolic(owner)):
            searched = self._searched(owner, function.__name__, *arguments)
            if searched is not ENDED:
                return searched
        if symbolic and isinstance(owner, frozenset | set) and arguments and not named:
            return self._set_method(owner, function.__name__, *arguments)
        if symbolic:
            raise self.operations.execution.error(
                f"{function.__name__} cannot be called with values that depend on the state", INSTEAD
            )
        return self._enter(function, *arguments, **named)

    def _searched(self, owner: Any, name: str, /, *arguments: Any) -> Any:
        """What a search of a list, tuple or dictionary finds; ENDED if the method is another one."""
        execution = self.operations.execution
        if isinstance(owner, dict):
            if name != "get" or not 1 <= len(arguments) <= 2:
                return ENDED
            if not is_symbolic(arguments[0]):
                return owner.get(*arguments)
            self.operations.require_hashable(arguments[0])
            return looked_up(execution, owner, arguments[0], (*arguments[1:], None)[:1])
        elements = [(execution.graph.true, value) for value in owner]
        if name == "count" and len(arguments) == 1:
            return occurrences(execution, elements, arguments[0])
        if name == "index" and 1 <= len(arguments) <= 3:
            return place_of(execution, elements, arguments[0], arguments[1:], prefix=True)
        return ENDED

    def _enter(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        execution = self.operations.execution
        if self._depth >= CALL_DEPTH:
            raise execution.error("rules call each other without end", "A specification cannot use recursion.")
        self._depth += 1
        try:
            return function(*arguments, **named)
        except Disabled as disabled:
            word = "bounded" if isinstance(disabled, OutOfBounds) else "require"
            execution.require(execution.graph.false, word)
            raise
        except EvaluationError as error:
            execution.fail_if(execution.graph.true, error.message)
            raise
        except (SpecificationError, RecursionError, PathEnds):
            raise
        except NameError as error:
            raise execution.error(f"{type(error).__name__}: {error}", undefined(error)) from error
        except UNSUITABLE as error:
            raise execution.error(
                f"{type(error).__name__}: {_in_words(error)}",
                "Test for None before, and use values of the kinds that are meant.",
            ) from error
        except COMPUTATION as error:
            execution.failed(error)
            raise
        finally:
            self._depth -= 1

    def _set_method(self, owner: Any, name: str, *others: Any) -> Any:
        execution = self.operations.execution
        loose = LooseSet(execution, [(execution.graph.true, v) for v in Set(owner)], kind_of(owner))
        if name not in loose.words:
            raise execution.error(f"sets have no method {name} in the language", "Use |, &, -, ^, in and comparison.")
        return self._enter(getattr(loose, name), *others)


def _in_words(error: Exception) -> str:
    """What an exception says, where the compiler's own classes are called what they stand for."""
    kinds, text = list(Symbolic.__subclasses__()), str(error)
    for kind in kinds:
        kinds += kind.__subclasses__()
        word = kind.described if isinstance(kind.described, str) else "a value of the state"
        text = text.replace(f"'{kind.__name__}'", word)
    return text


def _is_ours(function: FunctionType) -> bool:
    """Whether a method is one of the values of the language."""
    return function.__module__ == "epochal.spec.language.values"
