"""What happens when a rewritten rule calls something: other rules, methods, functions of the module."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

import spec.language as language
from spec.language import Disabled, EvaluationError, Set, Struct
from spec.language.errors import SpecificationError

from .built_in import BuiltIns, is_symbolic
from .execution import PathEnds
from .operations import Operations
from .states import SuperState, attempt, seen_as
from .symbolic import LooseSet, Symbolic

CALL_DEPTH = 100
UNSUITABLE = (TypeError, AttributeError, NameError)
COMPUTATION = (ArithmeticError, LookupError, ValueError)
PURE_MODULES = frozenset({"builtins", "collections", "enum", "functools", "itertools", "math", "operator", "typing"})
IMPURE = frozenset({"print", "input", "open", "exec", "eval", "id", "hash", "vars", "globals", "locals", "setattr"})
CHANGING = frozenset(
    "append extend insert pop remove clear sort reverse add discard update setdefault popitem".split()  # noqa: SIM905
)


class Calls:
    """Dispatches calls. `rewrite` turns a function of a specification into its symbolic form, once."""

    def __init__(self, operations: Operations, rewrite: Callable[[FunctionType], FunctionType]) -> None:
        self.operations = operations
        self._rewrite = rewrite
        self._rules: dict[FunctionType, FunctionType] = {}
        self._made: set[FunctionType] = set()
        self._attributes: dict[tuple[type, str], Any] = {}
        self._depth = 0
        operations.call_rule = self
        operations.super_ = lambda owner, state: SuperState(self, owner, state)
        self._builtins = BuiltIns(operations).table | {
            language.seen_as: lambda *a: seen_as(self, *a),
            language.attempt: lambda *a: attempt(self, *a),
        }

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
            self._made.add(found)
        return found

    @property
    def rewritten(self) -> tuple[FunctionType, ...]:
        """The functions of the specification that were read symbolically so far."""
        return tuple(self._rules)

    def __call__(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """Call anything a rule may call."""
        try:
            builtin = self._builtins.get(function)
        except TypeError:
            builtin = None
        if builtin is not None:
            return builtin(*arguments, **named)
        if isinstance(function, type) and issubclass(function, Struct):
            return self._builtins[Struct](function, *arguments, **named)
        target = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(target, FunctionType):
            if target in self._made or _is_ours(target):
                return self._enter(function, *arguments, **named)
            if any(is_symbolic(a) for a in (*arguments, *named.values())):
                if isinstance(function, MethodType):
                    arguments = (function.__self__, *arguments)
                return self._enter(self.rule(target), *arguments, **named)
            self._refuse_impure(target, target.__module__)
            return self._enter(function, *arguments, **named)
        symbolic = any(is_symbolic(a) for a in (*arguments, *named.values()))
        owner = getattr(function, "__self__", None)
        if isinstance(owner, list | set | dict) and function.__name__ in CHANGING:
            raise self.operations.execution.error(
                f"a {type(owner).__name__} cannot be changed in place in a rule", "Assign a new one: x = x + [...]."
            )
        if isinstance(owner, frozenset | set) and symbolic and isinstance(function, BuiltinMethodType | MethodType):
            return self._set_method(owner, function.__name__, *arguments)
        if symbolic and (isinstance(function, type | BuiltinFunctionType) or not isinstance(owner, Symbolic)):
            name = getattr(function, "__name__", repr(function))
            raise self.operations.execution.error(
                f"{name} cannot be called with values that depend on the state",
                "Use all, any, min, max, sum, len, range, next, set, records of the specification, or a helper "
                "function written in the language.",
            )
        if not isinstance(owner, Symbolic):
            kind = function if isinstance(function, type) else type(owner)
            module = owner.__name__ if isinstance(owner, ModuleType) else kind.__module__
            self._refuse_impure(function, module)
        return self._enter(function, *arguments, **named)

    def _refuse_impure(self, function: Any, module: str | None) -> None:
        """A rule may depend on nothing but the state: no chance, no time, no input or output."""
        base = (module or "").partition(".")[0]
        harmful = base in sys.stdlib_module_names and base not in PURE_MODULES
        if harmful or (base == "builtins" and getattr(function, "__name__", "") in IMPURE):
            name = getattr(function, "__name__", repr(function))
            raise self.operations.execution.error(
                f"{name} is not part of the language: a rule depends on the state alone",
                "Choose by a parameter of the action, and print nothing.",
            )

    def _enter(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        execution = self.operations.execution
        if self._depth >= CALL_DEPTH:
            raise execution.error("rules call each other without end", "A specification cannot use recursion.")
        self._depth += 1
        try:
            return function(*arguments, **named)
        except Disabled:
            execution.require(execution.graph.false)
            raise
        except EvaluationError as error:
            execution.fail_if(execution.graph.true, error.message)
            raise
        except (SpecificationError, RecursionError, PathEnds):
            raise
        except UNSUITABLE as error:
            raise execution.error(f"{type(error).__name__}: {error}") from error
        except COMPUTATION as error:  # on known values: where a run comes to this line, it fails as in Python
            execution.fail_if(execution.graph.true, f"{type(error).__name__}: {error}")
            raise
        finally:
            self._depth -= 1

    def _set_method(self, owner: Any, name: str, other: Any) -> Any:
        execution = self.operations.execution
        loose = LooseSet(execution, [(execution.graph.true, v) for v in Set(owner)])
        methods = {
            "union": lambda: loose | other,
            "intersection": lambda: loose & other,
            "difference": lambda: loose - other,
            "issubset": lambda: loose <= other,
            "issuperset": lambda: loose >= other,
            "isdisjoint": lambda: loose.isdisjoint(other),
        }
        if name not in methods:
            raise execution.error(f"sets have no method {name} in the language")
        return methods[name]()


def _is_ours(function: FunctionType) -> bool:
    """Whether a method belongs to the symbolic values or to the protocol's own helpers, and is called as it is."""
    module = function.__module__ or ""
    return module.startswith("checker.compile.") or module == "spec.language.protocol"
