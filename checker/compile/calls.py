"""What happens when a rewritten rule calls something: other rules, methods, functions of the module."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import epochal.spec.language as language
from epochal.spec.language import Disabled, EvaluationError, OutOfBounds, Protocol, Set, Struct
from epochal.spec.language.errors import SpecificationError
from epochal.spec.language.suggestions import undefined

from .attributes import Attributes
from .built_in import BuiltIns
from .effort import too_much
from .execution import COMPUTATION, ROUND_LIMIT, PathEnds
from .iteration import is_symbolic
from .operations import Operations
from .source.admitted import ITERATORS, PURE_FUNCTIONS, constructible, impure_module, unfit
from .values.known import is_unordered, kind_of
from .values.sequences import GuardedIterator
from .values.set_values import LooseSet
from .values.symbolic import Symbolic

CALL_DEPTH = 100
UNSUITABLE = (TypeError, AttributeError)
HELPERS: frozenset[Any] = frozenset({Protocol.each, Protocol.member})
"""The methods of every protocol that rules call as they are."""
INSTEAD = (
    "Use all, any, min, max, sum, len, range, next, set, records of the specification, or a helper function written in "
    "the language."
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
            raise execution.error(f"{function.__name__} cannot be called with values that depend on the state", INSTEAD)
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
        if symbolic and isinstance(owner, frozenset | set) and arguments and not named:
            return self._set_method(owner, function.__name__, *arguments)
        if symbolic:
            raise self.operations.execution.error(
                f"{function.__name__} cannot be called with values that depend on the state", INSTEAD
            )
        return self._enter(function, *arguments, **named)

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
