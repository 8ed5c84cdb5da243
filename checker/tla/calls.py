"""Names and calls in rules that are read as TLA+: what `self` is, and which helpers become operators of the module."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, cast

from epochal.spec import language
from epochal.spec.language import Bounds, Disabled, EvaluationError, LanguageError, Protocol, Struct
from epochal.spec.language.domains import Domain, StructDomain
from epochal.spec.language.errors import SpecificationError
from epochal.spec.language.protocol import borrowed_super
from epochal.spec.language.seen import like

from ..compile.calls import Attributes
from ..compile.source.admitted import unfit
from ..compile.source.state_proxy import StateProxy
from . import terms
from .kinds import INT, NOTHING, Domains, Kind
from .operations import ENDED, INNER, Operations
from .sources import Generator, Pieces, Range, Universe, as_sequence, used
from .terms import Step, Term
from .values import (
    Bound,
    HasEffect,
    OfState,
    PathEnds,
    Place,
    Record,
    Run,
    Unset,
    Value,
    View,
    as_term,
    kind_of,
    lifted,
    of_place,
    of_term,
    truth,
)

CALL_DEPTH = 100
MODULES = ("epochal.checker.tla.", "epochal.checker.compile.")


@dataclass
class Operator:
    """An operator of the module: a helper of the specification with its parameters and what it gives."""

    name: str
    parameters: tuple[Term, ...]
    body: Term
    kind: Kind
    function: FunctionType
    hints: dict[Term, str]


class TlaReading:
    """The reading of one protocol: its domains, the run that is under way, and the operators that were made so far."""

    def __init__(self, protocol: Protocol, rewrite: Callable[[FunctionType, Operations], FunctionType]) -> None:
        self.protocol = protocol
        self._rewrite = rewrite
        self._rules: dict[FunctionType, FunctionType] = {}
        self._made: set[FunctionType] = set()
        self._operators: dict[tuple[Any, ...], Operator | None] = {}
        self.operators: dict[str, Operator] = {}
        self._bodies: dict[tuple[str, Term], Operator] = {}
        self._depth = 0

    def begin(self, domains: Domains) -> None:
        """Read for a module with these domains."""
        self.domains = domains
        self.operations = Operations(Run(domains))
        self.operations.calls = self
        self.operations.attribute = self.attribute
        self.operations.super_ = lambda owner, state: SuperState(self, owner, state)
        self._attributes = Attributes(lambda: cast(Any, self.run), self)
        self._builtins = self.operations.built_ins()
        self._builtins[language.seen_as] = self._seen_as
        self._builtins[language.attempt] = self._attempt

    @property
    def run(self) -> Run:
        """The run that is under way."""
        return self.operations.run

    def rule(self, function: FunctionType) -> FunctionType:
        """The readable form of a function of the specification."""
        if function not in self._rules:
            self._rules[function] = self._rewrite(function, self.operations)
            self._made.add(self._rules[function])
        return self._rules[function]

    # -- calls ----------------------------------------------------------------------------------------------------

    def __call__(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call what a rule calls."""
        run = self.run
        for argument in (*arguments, *named.values()):
            if isinstance(argument, Unset):
                argument.refuse()
        try:
            built_in = self._builtins.get(function)
        except TypeError:
            built_in = None
        if built_in is not None:
            return self._enter(built_in, *arguments, **named)
        if isinstance(function, type) and issubclass(function, Struct):
            return self._enter(self._builtins[Struct], function, *arguments, **named)
        target = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(target, FunctionType):
            if target in self._made or INNER in target.__dict__ or target.__module__.startswith(MODULES):
                return self._enter(function, *arguments, **named)
            bound = (function.__self__, *arguments) if isinstance(function, MethodType) else arguments
            if not target.__module__.startswith("epochal.spec.language.values"):
                return self.helper(target, bound, named)
        known = not any(_is_ours(one) for one in (*arguments, *named.values(), getattr(function, "__self__", None)))
        if known:
            return self._enter(function, *arguments, **named)
        owner = getattr(function, "__self__", None)
        if isinstance(owner, frozenset | set) and isinstance(function, BuiltinFunctionType | MethodType):
            element = kind_of(run, owner)
            return self(of_term(run, element, lifted(run, owner)).field(function.__name__), *arguments)
        run.refuse(f"a call of {getattr(function, '__name__', function)}")

    def _enter(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        if self._depth >= CALL_DEPTH:
            self.run.refuse("rules that call each other without end")
        self._depth += 1
        try:
            return function(*arguments, **named)
        except (Disabled, EvaluationError) as error:
            self.run.refuse(f"what this call raises ({error})")
        except (SpecificationError, PathEnds, HasEffect, RecursionError):
            raise
        except (TypeError, AttributeError, ValueError, LookupError, ArithmeticError, NameError) as error:
            raise self.run.error(f"this call ({type(error).__name__}: {error})") from error
        finally:
            self._depth -= 1

    # -- helpers --------------------------------------------------------------------------------------------------

    def helper(self, function: FunctionType, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Call a function of the specification: as an operator of the module if it is one, else as it is written."""
        made = self._operator(function, arguments, named)
        if made is None:
            return self._enter(self.rule(function), *arguments, **named)
        operator, given, primed = made
        term = terms.call(operator.name, *given)
        return of_term(self.run, operator.kind, terms.prime(term) if primed else term)

    def _operator(
        self, function: FunctionType, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Operator, list[Term], bool] | None:
        """The operator for a call, with the arguments, and whether it is asked of the next state."""
        try:
            placed = inspect.signature(function).bind(*arguments, **named)
        except TypeError:
            return None
        placed.apply_defaults()
        state: State | None = None
        given: list[Any] = []
        key: list[Any] = [function]
        for name, value in placed.arguments.items():
            if isinstance(value, StateProxy):
                if type(value) is not State or (state is not None and state.view is not value.view):
                    return None
                state = value
                key.append((name, "state"))
                continue
            kind = self._parameter(value)
            if kind is None:
                return None
            given.append((name, value, kind))
            key.append((name, kind))
        if state is None:
            return None
        operator = self._operators.get(tuple(key), NEVER)
        if operator is NEVER:
            self._operators[tuple(key)] = None  # while it is read: a helper that calls itself is written out
            operator = self._operators[tuple(key)] = self._made_operator(function, list(placed.arguments), given)
        if operator is None:
            return None
        primed = state.view is self.next
        lifts = [lifted(self.run, value, kind) for _, value, kind in given]
        reads = self.reads(operator)
        if any(state.view.values[name] is not terms.name(name) for name in reads) and not primed:
            return None
        if primed and any(self.domains.variables.keys() & term.names for term in lifts):
            return None
        return operator, lifts, primed and bool(reads)

    def _parameter(self, value: Any) -> Kind | None:
        """The kind of an argument that an operator can be given; None if it must be written out."""
        if value is None or isinstance(value, Generator | Pieces | Range | Universe | str | tuple | list | type):
            return None
        if isinstance(value, OfState):
            return None if value.kind.family in ("map", "log") or value.place is not None else value.kind
        if isinstance(value, Value | bool | int) or hasattr(value, "prefix"):
            return kind_of(self.run, value)
        if isinstance(value, frozenset | set):
            return None if not value else kind_of(self.run, value)
        return None

    def _made_operator(self, function: FunctionType, order: list[str], given: list[Any]) -> Operator | None:
        """A helper as an operator; None if it changes the state, or gives what TLA+ has no value for."""
        outside = self.operations.run
        view = self.current()
        run = self.operations.run = Run(self.domains)
        before_view, self.operations.view = self.operations.view, view
        run.where = outside.where
        made: dict[str, Any] = {}
        parameters = []
        try:
            for name, _, kind in given:
                variable = terms.bound(name)
                parameters.append(variable)
                made[name] = of_term(run, kind, variable)
            state = State(self, view)
            result = self._enter(self.rule(function), *(made.get(name, state) for name in order))
            if result is None or result is ENDED or not isinstance(result, Value | bool | int | frozenset):
                return None
            kind = kind_of(run, result)
            body = lifted(run, result)
        except (HasEffect, PathEnds, LanguageError):
            return None
        finally:
            self.operations.run, self.operations.view = outside, before_view
        if body.size <= 1 or NOTHING in (kind, *kind.parts):
            return None
        return self._named(function, tuple(parameters), body, kind, run)

    def _named(
        self, function: FunctionType, parameters: tuple[Term, ...], body: Term, kind: Kind, run: Run
    ) -> Operator:
        plain = terms.substitute(body, {one: terms.name(f" {number}") for number, one in enumerate(parameters)})
        known = self._bodies.get((function.__name__, plain))
        if known is not None:
            return known
        name = self.domains.names.take(function.__name__)
        operator = Operator(name, parameters, body, kind, function, run.hints)
        self.operators[name] = self._bodies[function.__name__, plain] = operator
        self.domains.operators[name] = parameters, body
        return operator

    def reads(self, operator: Operator) -> frozenset[str]:
        """The variables that an operator reads, also by others."""
        found, todo, seen = set[str](), [operator], {operator.name}
        while todo:
            for name in todo.pop().body.names:
                if name in self.operators and name not in seen:
                    seen.add(name)
                    todo.append(self.operators[name])
                elif name in self.current().variables:
                    found.add(name)
        return frozenset(found)

    # -- states ---------------------------------------------------------------------------------------------------

    next: View | None = None
    """The next state, while a property of steps is read."""

    def current(self, writable: bool = False) -> View:
        """The state in which a rule begins."""
        variables = {name: kind for name, kind in self.domains.variables.items() if " " not in name}
        return View(variables, {name: terms.name(name) for name in variables}, writable)

    # -- attributes -----------------------------------------------------------------------------------------------

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute that a rule reads."""
        if isinstance(owner, StateProxy):
            return owner.read(name)
        if isinstance(owner, Bounds):
            found = getattr(owner, name)
            if owner is self.protocol.bounds and name in self.domains.bounds and type(found) is int:
                return Bound(self.run, terms.name(self.domains.bounds[name]), found)
            if isinstance(found, MethodType):
                return found
            self.domains.assumed.update(self.domains.bounds.values())
            return found
        if isinstance(owner, Value):
            if name in ("keys", "values", "items") and owner.kind.family == "map":
                return lambda: self._columns(owner, name)
            return owner.field(name)
        return self._attributes.read(owner, name)

    def _columns(self, of: Any, name: str) -> Any:
        if name == "keys":
            return of
        found = used(self.run, of, lambda key: of[key] if name == "values" else (key, of[key]))
        return Pieces(tuple(found))

    def method(self, owner: type, name: str, state: StateProxy, protocol: Protocol) -> Any:
        """What a class defines under a name, for a state: a rule, the value of a property, or a constant."""
        found = inspect.getattr_static(owner, name, None)
        if isinstance(found, FunctionType):
            return MethodType(found, state)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return self.helper(found.fget, (state,), {})
        if isinstance(found, staticmethod | classmethod):
            return getattr(protocol, name)
        if found is None or hasattr(type(found), "__get__") or unfit(found):
            self.run.refuse(f"{name} of the protocol")
        return found

    # -- refinement -----------------------------------------------------------------------------------------------

    def _seen_as(self, protocol: Any, record: Any, bounds: Any) -> SeenState:
        if not isinstance(record, Record) or record.place is None:
            self.run.refuse("seen_as of something that is no record of the state")
        declared = record.kind.domain
        assert declared is not None
        within: Domain = declared.within
        assert isinstance(within, StructDomain)
        return SeenState(self, record.place, record.kind, like(protocol, bounds, within))

    def _attempt(self, step: Any, *arguments: Any) -> Any:
        """Take a step of a state that `seen_as` gave, where its guards hold; nothing changes elsewhere."""
        run, view = self.run, self.operations.view
        if view is None or not isinstance(getattr(step, "__self__", None), SeenState):
            run.refuse("attempt of something that is no step of a state that seen_as gave")
        before, guards, run.guards = dict(view.values), run.guards, []
        try:
            self(step, *arguments)
            enabled = as_term(run.guards)
        except PathEnds:
            enabled = terms.FALSE
        run.guards = guards
        view.values = {name: terms.ite(enabled, value, before[name]) for name, value in view.values.items()}
        return truth(run, enabled)


NEVER: Any = object()
"""What stands for an operator that nobody has asked for yet."""


def _is_ours(value: Any) -> bool:
    """Whether a value, or a part of it, depends on the state or a bound."""
    if isinstance(value, tuple | list):
        return any(map(_is_ours, value))
    return isinstance(value, Value | StateProxy | Generator | Pieces | Range | Universe) and not isinstance(
        value, Bound
    )


class State(StateProxy):
    """What a rule sees as `self`."""

    def __init__(self, reading: TlaReading, view: View, protocol: Protocol | None = None) -> None:
        self.reading, self.view, self.protocol = reading, view, protocol or reading.protocol

    def place(self, name: str) -> tuple[Kind, Place] | None:
        """Where a variable lies."""
        kind = self.view.variables.get(name)
        return None if kind is None else (kind, Place(self.view, name))

    def read(self, name: str) -> Any:
        run = self.reading.run
        found = self.place(name)
        if found is not None:
            return of_place(run, *found)
        if name == "bounds":
            return self.protocol.bounds
        if name == "each":
            return lambda domain: Universe(self.reading.domains(domain))
        if name == "member":
            return self._member
        return self.reading.method(type(self.protocol), name, self, self.protocol)

    def _member(self, domain: Any, index: Any) -> Any:
        kind = self.reading.domains(domain)
        assert kind.domain is not None
        if isinstance(index, int):
            return list(kind.domain.within.values())[index]
        if kind == INT and kind.domain.term.op == "range":
            return of_term(self.reading.run, kind, terms.add(kind.domain.term.args[0], lifted(self.reading.run, index)))
        return list(kind.domain.within.values())[index]

    def assign(self, name: str, value: Any) -> None:
        found = self.place(name)
        if found is None:
            self.reading.run.refuse(f"an assignment to {name}, which is no variable")
        kind, place = found
        if isinstance(value, Pieces):
            value = as_sequence(self.reading.run, list(value.each))
        place.write(lifted(self.reading.run, value, kind))


class SeenState(State):
    """A record of the state seen as a state of another protocol."""

    def __init__(self, reading: TlaReading, at: Place, kind: Kind, protocol: Protocol) -> None:
        super().__init__(reading, at.view, protocol)
        self.at, self.kind = at, kind

    def place(self, name: str) -> tuple[Kind, Place] | None:
        if name not in self.protocol.variables:
            return None
        step: Step = (".", name)
        return self.kind.fields[name], self.at.child(step)

    def read(self, name: str) -> Any:
        if name == "bounds":
            self.reading.domains.assumed.update(self.reading.domains.bounds.values())
        return super().read(name)


class SuperState(StateProxy):
    """What `super()` is: the methods of the classes after `owner`."""

    def __init__(self, reading: TlaReading, owner: type, state: Any) -> None:
        if borrowed := borrowed_super(owner, type(state.protocol)):
            raise reading.run.error(*borrowed)
        self.reading, self.owner, self.state = reading, owner, state

    def read(self, name: str) -> Any:
        order = type(self.state.protocol).__mro__
        for one in order[order.index(self.owner) + 1 :]:
            found = vars(one).get(name)
            if isinstance(found, property) and isinstance(found.fget, FunctionType):
                return self.reading.helper(found.fget, (self.state,), {})
            if isinstance(found, FunctionType):
                return MethodType(found, self.state)
        self.reading.run.refuse(f"super().{name}")
