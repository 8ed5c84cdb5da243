"""Names and calls in rules: what `self` is, what an attribute is, and what happens when something is called."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any

from epochal.spec.language import Bounds, Disabled, EvaluationError, Identifier, Protocol, Struct
from epochal.spec.language.errors import LanguageError, SpecificationError
from epochal.spec.language.methods import borrowed_super
from epochal.spec.language.suggestions import undefined

from ..compile.source.admitted import PURE_FUNCTIONS, unfit
from .built_in import BuiltIns
from .domains import AnyBounds, Domain, Domains
from .leaves import View
from .operations import Operations, StateProxy
from .places import read, write
from .refused import NoReading, PathEnds
from .sources import Universe
from .values import Number, Unusable, Value

CALL_DEPTH = 100
SUSPECT = (TypeError, AttributeError, ValueError, LookupError, ArithmeticError, AssertionError)
"""What Python raises where a rule uses values of other kinds than it means."""

OWN_MODULES = "epochal.checker.parametric."


class Calls:
    """Dispatches calls and reads attributes for the rules of a protocol. `rewrite` makes a function's readable form."""

    def __init__(
        self,
        protocol: type[Protocol],
        domains: Domains,
        variables: dict[str, Domain],
        operations: Operations,
        rewrite: Callable[[FunctionType], FunctionType],
    ) -> None:
        self.protocol, self.domains, self.variables = protocol, domains, variables
        self.operations, self._rewrite = operations, rewrite
        self._rules: dict[FunctionType, FunctionType] = {}
        self._made: set[FunctionType] = set()
        self._depth = 0
        self._builtins = BuiltIns(operations).table
        operations.calls = self
        operations.attribute = self.attribute
        operations.super_ = lambda owner, state: SuperState(self, owner, state)

    def rule(self, function: FunctionType) -> FunctionType:
        """The readable form of a function of the specification."""
        if function not in self._rules:
            self._rules[function] = self._rewrite(function)
            self._made.add(self._rules[function])
        return self._rules[function]

    def __call__(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call what a rule calls."""
        run = self.operations.run
        for argument in (*arguments, *named.values()):
            if isinstance(argument, Unusable):
                argument.refuse()
        try:
            built_in = self._builtins.get(function)
        except (TypeError, NoReading):
            built_in = None
        if built_in is not None:
            return self._enter(built_in, *arguments, **named)
        if isinstance(function, type) and issubclass(function, Struct):
            return self._enter(self._builtins[Struct], function, *arguments, **named)
        target = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(target, FunctionType):
            if target in self._made or target.__module__.startswith(OWN_MODULES):
                return self._enter(function, *arguments, **named)
            if not target.__module__.startswith("epochal.spec.language"):
                bound = (function.__self__, *arguments) if isinstance(function, MethodType) else arguments
                return self._enter(self.rule(target), *bound, **named)
        known = not any(isinstance(one, Value | StateProxy | AnyBounds) for one in (*arguments, *named.values()))
        if known and not unfit(function) and any(function is pure for pure in PURE_FUNCTIONS):
            return self._enter(function, *arguments, **named)
        name = getattr(function, "__name__", repr(function))
        run.refuse(f"a call of {name}", "Use all, any, min, max, len, range, Set, records and helper functions.")

    def _enter(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        run = self.operations.run
        if self._depth >= CALL_DEPTH:
            run.refuse("rules that call each other without end", "Write it without recursion.")
        self._depth += 1
        try:
            return function(*arguments, **named)
        except (NoReading, PathEnds):
            raise
        except (Disabled, EvaluationError) as error:
            run.refuse(f"what this call raises ({error})", "Write require(...) with the condition.")
        except SpecificationError:
            raise
        except NameError as error:
            run.refuse(f"this call ({type(error).__name__}: {error})", undefined(error))
        except SUSPECT as error:
            run.refuse(
                f"this call ({type(error).__name__}: {error})", "Use names and values of the kinds that are meant."
            )
        finally:
            self._depth -= 1

    # -- attributes -----------------------------------------------------------------------------------------------

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute that a rule reads."""
        run = self.operations.run
        if isinstance(owner, StateProxy):
            return owner.read(name)
        if isinstance(owner, AnyBounds):
            if name in owner.numbers:
                return Number(run, owner.numbers[name])
            method = inspect.getattr_static(owner.kind, name, None)  # no class or static method: those have no bounds
            if isinstance(method, FunctionType) and not name.startswith("_") and name not in vars(Bounds):
                return MethodType(self.rule(method), owner)
            run.refuse(f"{name} of the bounds", f"Use {', '.join(owner.numbers)} themselves.")
        if isinstance(owner, Value):
            return owner.field(name)
        if isinstance(owner, Struct) and name in type(owner).fields:
            return owner.__dict__[name]
        if _is_settings(owner) and name in {field.name for field in fields(owner)}:
            found = getattr(owner, name)
            if not unfit(found):
                return found
        if isinstance(owner, enum.Enum) and name in ("name", "value"):
            return getattr(owner, name)
        if isinstance(owner, ModuleType | type) and not isinstance(owner, Identifier | Bounds):
            found = getattr(owner, name, None)
            if found is not None and not unfit(found):
                return found
        run.refuse(f"{name} of a {type(owner).__name__}", "Keep what a rule needs in variables, bounds and constants.")

    def method(self, owner: type, name: str, state: StateProxy) -> Any:
        """What a class defines under a name, for a state: a rule, the value of a property, or a constant."""
        found = vars(owner).get(name)
        if isinstance(found, FunctionType):
            return MethodType(self.rule(found), state)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return self(MethodType(self.rule(found.fget), state))
        if isinstance(found, staticmethod):
            return found.__func__
        if found is None or hasattr(type(found), "__get__") or unfit(found):
            self.operations.run.refuse(f"{name} of the protocol", "Make it a plain method or a constant.")
        return found


def _is_settings(owner: Any) -> bool:
    """Whether this is a frozen record of constants, whose fields are what they were made as.

    A class derived from such a one, and no dataclass itself, may give a field another meaning.
    """
    if not is_dataclass(owner) or isinstance(owner, type | Bounds | Identifier):
        return False
    own = vars(type(owner)).get("__dataclass_params__")
    return own is not None and own.frozen and not unfit(owner)


class State(StateProxy):
    """What a rule sees as `self`."""

    def __init__(self, calls: Calls, view: View) -> None:
        self.calls, self.view = calls, view

    def read(self, name: str) -> Any:
        calls, run = self.calls, self.calls.operations.run
        if name in calls.variables:
            return read(run, self.view, calls.variables[name], name, ())
        if name == "bounds":
            return calls.domains.bounds
        if name == "each":
            return self.each
        if name == "member" or (name in vars(Protocol) and name not in ("name", "initial")):
            run.refuse(f"{name} of the state", "Use variables, rules, bounds and self.each(...).")
        owner = next((one for one in calls.protocol.__mro__ if name in vars(one)), None)
        if owner is None:
            run.refuse(f"{name} of the state", f"Its variables are {', '.join(calls.variables)}.")
        return calls.method(owner, name, self)

    def each(self, domain: Any) -> Universe:
        """All values of a domain."""
        return Universe(self.calls.operations.run, self.calls.domains(domain))

    def assign(self, name: str, value: Any) -> None:
        calls, run = self.calls, self.calls.operations.run
        if name not in calls.variables:
            run.refuse(f"assignment to {name}", f"The variables are {', '.join(calls.variables)}.")
        write(run, self.view, calls.variables[name], name, (), value)


class SuperState(StateProxy):
    """What `super()` is: the methods of the classes after `owner`. Raises LanguageError where Python has none."""

    def __init__(self, calls: Calls, owner: type, state: StateProxy) -> None:
        if borrowed := borrowed_super(owner, calls.protocol):
            raise LanguageError(borrowed[0], calls.operations.run.where, borrowed[1])
        self.calls, self.owner, self.state = calls, owner, state

    def read(self, name: str) -> Any:
        order = self.calls.protocol.__mro__
        for one in order[order.index(self.owner) + 1 :]:
            if name in vars(one) and one is not Protocol:
                return self.calls.method(one, name, self.state)
        self.calls.operations.run.refuse(f"super().{name}", "Call a method that a class before this one defines.")

    def assign(self, name: str, value: Any) -> None:
        self.calls.operations.run.refuse("assignment to super()", "Assign to self.")
