"""What happens when a rewritten rule calls something: built-in functions, other rules, records, methods."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MethodType
from typing import Any

from spec.language import Set, Struct, require
from spec.language.errors import SpecificationError

from .expression import Expression
from .operations import Comprehension, GuardedList, Operations, SymRange
from .places import LogReference, MapReference, read, write
from .execution import Place, View
from .symbolic import LooseSet, SymStruct, Symbolic, as_int, int_value, truth_value

CALL_DEPTH = 100


def is_symbolic(value: Any) -> bool:
    """Whether a value, or a part of a plain list or tuple, depends on the state."""
    if isinstance(value, list | tuple):
        return any(is_symbolic(item) for item in value)
    return isinstance(value, Symbolic | SymbolicState)


class SymbolicState:
    """What a rule sees as `self`: variables read as symbolic values, methods as rewritten rules."""

    def __init__(self, calls: Calls, view: View) -> None:
        self.__dict__.update(_calls=calls, _view=view)

    def __getattr__(self, name: str) -> Any:
        calls: Calls = self.__dict__["_calls"]
        execution = calls.operations.execution
        protocol = execution.protocol
        variable = protocol.variables.get(name)
        if variable is not None:
            place = Place(self.__dict__["_view"], variable.domain, ((execution.graph.true, variable.first_leaf),))
            return read(execution, place)
        if name in ("bounds", "each", "member"):
            return getattr(protocol, name)
        found = getattr(type(protocol), name, None)
        if isinstance(found, FunctionType):
            return MethodType(calls.rule(found), self)
        if found is None:
            known = ", ".join(protocol.variables)
            raise execution.error(f"{type(protocol).__name__} has no variable or method {name!r}", f"Variables: {known}.")
        return getattr(protocol, name)

    def __setattr__(self, name: str, value: Any) -> None:
        execution = self.__dict__["_calls"].operations.execution
        variable = execution.protocol.variables.get(name)
        if variable is None:
            known = ", ".join(execution.protocol.variables)
            raise execution.error(f"there is no state variable {name!r}", f"Variables: {known}.")
        place = Place(self.__dict__["_view"], variable.domain, ((execution.graph.true, variable.first_leaf),))
        write(execution, place, value)


class SuperState:
    """What `super()` is inside a rewritten rule: the methods of the classes after `owner`."""

    def __init__(self, calls: Calls, owner: type, state: SymbolicState) -> None:
        self._calls, self._owner, self._state = calls, owner, state

    def __getattr__(self, name: str) -> Any:
        order = type(self._calls.operations.execution.protocol).__mro__
        for candidate in order[order.index(self._owner) + 1 :]:
            found = vars(candidate).get(name)
            if isinstance(found, FunctionType):
                return MethodType(self._calls.rule(found), self._state)
        raise self._calls.operations.execution.error(f"no base class has a method {name!r}")


class Calls:
    """Dispatches calls. `rewrite` turns a function of a specification into its symbolic form, once."""

    def __init__(self, operations: Operations, rewrite: Callable[[FunctionType], FunctionType]) -> None:
        self.operations = operations
        self._rewrite = rewrite
        self._rules: dict[FunctionType, FunctionType] = {}
        self._made: set[FunctionType] = set()
        self._depth = 0
        operations.call_rule = self
        operations.super_ = lambda owner, state: SuperState(self, owner, state)
        self._builtins: dict[Any, Callable[..., Any]] = {
            require: self._require,
            all: self._all,
            any: self._any,
            min: lambda *a, **n: self._extreme(False, *a, **n),
            max: lambda *a, **n: self._extreme(True, *a, **n),
            sum: self._sum,
            len: operations.count,
            range: self._range,
            next: self._next,
            set: self._set,
            frozenset: self._set,
            Set: self._set,
            list: self._list,
            tuple: lambda items=(): tuple(self._list(items)),
            bool: lambda value: truth_value(operations.execution, operations.condition(value)),
            int: self._int,
        }

    def rule(self, function: FunctionType) -> FunctionType:
        """The symbolic form of a function of the specification."""
        found = self._rules.get(function)
        if found is None:
            found = self._rules[function] = self._rewrite(function)
            self._made.add(found)
        return found

    def __call__(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """Call anything a rule may call."""
        try:
            builtin = self._builtins.get(function)
        except TypeError:
            builtin = None
        if builtin is not None:
            return builtin(*arguments, **named)
        if isinstance(function, type) and issubclass(function, Struct):
            return self._struct(function, *arguments, **named)
        target = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(target, FunctionType):
            if target in self._made or _is_ours(target):
                return self._enter(function, *arguments, **named)
            if any(is_symbolic(a) for a in (*arguments, *named.values())):
                if isinstance(function, MethodType):
                    arguments = (function.__self__, *arguments)
                return self._enter(self.rule(target), *arguments, **named)
            return function(*arguments, **named)
        symbolic = any(is_symbolic(a) for a in (*arguments, *named.values()))
        owner = getattr(function, "__self__", None)
        if isinstance(owner, frozenset | set) and symbolic and isinstance(function, BuiltinMethodType | MethodType):
            return self._set_method(owner, function.__name__, *arguments)
        if symbolic and (isinstance(function, type | BuiltinFunctionType) or not isinstance(owner, Symbolic)):
            name = getattr(function, "__name__", repr(function))
            raise self.operations.execution.error(
                f"{name} cannot be called with values that depend on the state",
                "Use all, any, min, max, sum, len, range, next, set, records of the specification, or a helper "
                "function written in the language.",
            )
        return function(*arguments, **named)

    def _enter(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        execution = self.operations.execution
        if self._depth >= CALL_DEPTH:
            raise execution.error("rules call each other without end", "A specification cannot use recursion.")
        self._depth += 1
        try:
            return function(*arguments, **named)
        except (SpecificationError, RecursionError):
            raise
        except (TypeError, AttributeError, IndexError, KeyError, ValueError, NameError) as error:
            raise execution.error(f"{type(error).__name__}: {error}") from error
        finally:
            self._depth -= 1

    # -- the built-in functions of the language -------------------------------------------------------------------

    def _require(self, condition: Any, *rest: Any) -> None:
        self.operations.execution.require(self.operations.condition(condition))

    def _run(self, items: Any, consume: Callable[[Expression, Any], Expression]) -> None:
        if isinstance(items, Comprehension):
            items.run(consume)
        else:
            for present, value in self.operations.iterate(items):
                consume(present, value)

    def _all(self, items: Any) -> Any:
        graph, parts = self.operations.execution.graph, []

        def consume(present: Expression, value: Any) -> Expression:
            parts.append(graph.implies(present, self.operations.condition(value)))
            return parts[-1]

        self._run(items, consume)
        return truth_value(self.operations.execution, graph.all_of(parts))

    def _any(self, items: Any) -> Any:
        graph, parts = self.operations.execution.graph, []

        def consume(present: Expression, value: Any) -> Expression:
            parts.append(graph.and_(present, self.operations.condition(value)))
            return graph.not_(parts[-1])

        self._run(items, consume)
        return truth_value(self.operations.execution, graph.any_of(parts))

    def _number(self, value: Any) -> Expression:
        number = as_int(self.operations.execution, value)
        if number is None:
            raise self.operations.execution.error(f"{value!r} is not a number")
        return number

    def _sum(self, items: Any, start: Any = 0) -> Any:
        graph = self.operations.execution.graph
        total = self._number(start)
        for present, value in self.operations.iterate(items):
            total = graph.add(total, graph.ite(present, self._number(value), graph.integer(0)))
        return int_value(self.operations.execution, total)

    def _extreme(self, greatest: bool, *arguments: Any, **named: Any) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        pick = graph.max if greatest else graph.min
        unknown = set(named) - {"default"}
        if unknown:
            raise execution.error(f"min and max take no {unknown.pop()} here")
        source = arguments[0] if len(arguments) == 1 else list(arguments)
        found = [(p, self._number(v)) for p, v in self.operations.iterate(source)]
        found = [(p, v) for p, v in found if p is not graph.false]
        default = self._number(named["default"]) if "default" in named else None
        anything = graph.any_of([p for p, _ in found])
        if default is None:
            execution.fail_if(graph.not_(anything), f"{'max' if greatest else 'min'} of nothing")
            if not found:
                return 0
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

    def _range(self, *limits: Any) -> Any:
        if not any(is_symbolic(limit) for limit in limits):
            return range(*limits)
        if len(limits) > 2:
            raise self.operations.execution.error("a range that depends on the state takes no step")
        low, high = limits if len(limits) == 2 else (0, limits[0])
        return SymRange(self.operations.execution, self._number(low), self._number(high))

    def _next(self, items: Any, *default: Any) -> Any:
        execution, graph = self.operations.execution, self.operations.execution.graph
        found = list(self.operations.iterate(items))
        none_of_them = graph.not_(graph.any_of([p for p, _ in found]))
        if default:
            result = default[0]
        elif found:
            execution.fail_if(none_of_them, "next of nothing")
            result = found.pop()[1]
        else:
            raise execution.error("next of nothing", "Give a default: next((...), default).")
        for present, value in reversed(found):
            condition = truth_value(execution, present)
            result = self.operations.choose(condition, lambda v=value: v, lambda r=result: r)  # type: ignore[misc]
        return result

    def _set(self, items: Any = ()) -> Any:
        if isinstance(items, Symbolic) and hasattr(items, "domain") and not isinstance(items, MapReference | LogReference):
            return items
        return self.operations.set_of(items)

    def _list(self, items: Any = ()) -> Any:
        found = list(self.operations.iterate(items))
        if all(p is self.operations.execution.graph.true for p, _ in found):
            return [value for _, value in found]
        return GuardedList(self.operations.execution, found)

    def _int(self, value: Any = 0) -> Any:
        return int_value(self.operations.execution, self._number(value))

    def _struct(self, type: type[Struct], *arguments: Any, **named: Any) -> Any:
        made = type(*arguments, **named)
        values = dict(zip(made.fields, made.field_values(), strict=True))
        if any(isinstance(v, Symbolic) for v in values.values()):
            return SymStruct(self.operations.execution, type, values)
        return made

    def _set_method(self, owner: Any, name: str, other: Any) -> Any:
        execution = self.operations.execution
        loose = LooseSet(execution, [(execution.graph.true, v) for v in Set(owner)])
        methods = {
            "union": lambda: loose | other,
            "intersection": lambda: loose & other,
            "difference": lambda: loose - other,
            "issubset": lambda: loose <= other,
            "issuperset": lambda: loose >= other,
            "isdisjoint": lambda: loose.settled().isdisjoint(other),
        }
        if name not in methods:
            raise execution.error(f"sets have no method {name} in the language")
        return methods[name]()


def _is_ours(function: FunctionType) -> bool:
    """Whether a method belongs to the symbolic values or to the protocol's own helpers, and is called as it is."""
    module = function.__module__ or ""
    return module.startswith("checker.compile.") or module == "spec.language.protocol"

