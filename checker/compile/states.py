"""What a rule sees as a state: variables read as symbolic values, methods as rewritten rules."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import epochal.spec.language as language
from epochal.spec.language import Protocol
from epochal.spec.language.domains import Scalar, StructDomain
from epochal.spec.language.methods import borrowed_super
from epochal.spec.language.seen import like

from .calls import Calls
from .execution import PathEnds, Place, View
from .history import History
from .iteration import StateProxy
from .source.admitted import unfit
from .values.places import StructReference, read
from .values.stored import replace
from .values.symbolic import SymBool, truth_value


class SymbolicState(StateProxy):
    """What a rule sees as `self`: variables read as symbolic values, methods as rewritten rules."""

    def __init__(self, calls: Calls, view: View) -> None:
        self.__dict__.update(_calls=calls, _view=view, _places={})

    def protocol(self) -> Protocol:
        """The protocol whose methods these are."""
        calls: Calls = self.__dict__["_calls"]
        return calls.operations.execution.protocol

    def place(self, name: str) -> Place | None:
        """Where a variable lies; None if there is none of this name."""
        places: dict[str, Place | None] = self.__dict__["_places"]
        if name not in places:
            places[name] = None
            if variable := self.protocol().variables.get(name):
                true = self.__dict__["_calls"].operations.execution.graph.true
                places[name] = Place(self.__dict__["_view"], variable.domain, ((true, variable.first_leaf),))
        return places[name]

    def read(self, name: str) -> Any:
        """What a rule reads as an attribute of the state. Names of the checker's own are not among it."""
        calls: Calls = self.__dict__["_calls"]
        execution, protocol = calls.operations.execution, self.protocol()
        place = self.place(name)
        if place is not None:
            return read(execution, place)
        if name in ("bounds", "each", "member"):
            return getattr(protocol, name)
        found = None if name in OWN else calls.attribute(type(protocol), name)
        if isinstance(found, FunctionType):
            return MethodType(calls.rule(found), self)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return calls(MethodType(calls.rule(found.fget), self))
        if isinstance(found, staticmethod | classmethod):
            return getattr(protocol, name)
        if hasattr(type(found), "__get__"):
            raise execution.error(f"{name} cannot be read in a rule", "Make it a plain method, or a property.")
        if found is None:
            known = ", ".join(protocol.variables)
            raise execution.error(
                f"{type(protocol).__name__} has no variable or method {name!r}", f"Variables: {known}."
            )
        if why := unfit(found):
            raise execution.error(f"{name} cannot be used in a rule: {why}", "Keep it in a state variable.")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        execution = self.__dict__["_calls"].operations.execution
        place = self.place(name)
        if place is None:
            known = ", ".join(self.protocol().variables)
            raise execution.error(f"there is no state variable {name!r}", f"Variables: {known}.")
        replace(execution, place, value)


OWN = frozenset(name for name in vars(Protocol) if name not in ("name", "initial"))
"""What every protocol has for the checker's sake."""


class SeenState(SymbolicState):
    """A record of the state seen as a state of another protocol (`seen_as`).

    In Python it is a copy that `attempt` alone writes back. So it can be read until the record changes otherwise, and
    written during an attempt only.
    """

    def __init__(self, calls: Calls, record: StructReference, protocol: Protocol) -> None:
        place = record.place
        view = place.view
        self.__dict__.update(_calls=calls, _view=view, _place=place, _since=view.history.clock, _seen=protocol)
        self.__dict__["_attempted"] = False

    def protocol(self) -> Protocol:
        seen: Protocol = self.__dict__["_seen"]
        return seen

    def place(self, name: str) -> Place | None:
        place: Place = self.__dict__["_place"]
        domain = place.domain
        assert isinstance(domain, StructDomain)
        if name not in self.protocol().variables:
            return None
        if not self.__dict__["_attempted"]:
            if place.was_replaced(self.__dict__["_since"]) or place.was_changed(self.__dict__["_since"]):
                raise self.__dict__["_calls"].operations.execution.error(
                    f"the record that is seen as {type(self.protocol()).__name__} was changed since",
                    "Take seen_as(...) of it again.",
                )
            place = Place(place.view.read_only(), domain, place.alternatives, place.depth)
        return place.child(domain.field_domains[name], domain.offsets[name])

    def attempt(self, step: Callable[[], None]) -> None:
        """Take a step here: meanwhile the record can be written, and afterwards this is how it is seen."""
        self.__dict__["_attempted"] = True
        try:
            step()
        finally:
            self.__dict__["_attempted"] = False

    def renewed(self) -> None:
        """After an attempt all parts of the record are new ones, whether or not they differ."""
        place: Place = self.__dict__["_place"]
        domain = place.domain
        assert isinstance(domain, StructDomain)
        for name, part in domain.field_domains.items():
            if not isinstance(part, Scalar):
                place.child(part, domain.offsets[name]).note_change(whole=True)
        self.__dict__["_since"] = place.view.history.clock


class SuperState(StateProxy):
    """What `super()` is inside a rewritten rule: the methods of the classes after `owner`.

    Raises LanguageError where Python raises a TypeError: in a method of a class from which the protocol is not derived.
    """

    def __init__(self, calls: Calls, owner: type, state: SymbolicState) -> None:
        if borrowed := borrowed_super(owner, type(state.protocol())):
            raise calls.operations.execution.error(*borrowed)
        self._calls, self._owner, self._state = calls, owner, state

    def read(self, name: str) -> Any:
        """A method of a base class."""
        order = type(self._state.protocol()).__mro__
        for candidate in order[order.index(self._owner) + 1 :]:
            found = None if candidate is Protocol and name in OWN else vars(candidate).get(name)
            if isinstance(found, property) and isinstance(found.fget, FunctionType):
                return self._calls(MethodType(self._calls.rule(found.fget), self._state))
            if isinstance(found, FunctionType):
                return MethodType(self._calls.rule(found), self._state)
        raise self._calls.operations.execution.error(
            f"no base class has a method {name!r}", "Call a method that a class before this one defines."
        )


def add_states(calls: Calls) -> None:
    """Teach calls what the language says of states: `super()`, `seen_as` and `attempt`."""
    calls.operations.super_ = lambda owner, state: SuperState(calls, owner, state)
    calls.add_builtins(
        {
            language.seen_as: lambda *arguments: seen_as(calls, *arguments),
            language.attempt: lambda *arguments: attempt(calls, *arguments),
        }
    )


def seen_as(calls: Calls, protocol: Any, record: Any, bounds: Any) -> SeenState:
    """The symbolic form of `spec.language.seen_as`."""
    if not isinstance(record, StructReference):
        raise calls.operations.execution.error(
            "only a record of the state can be seen as a protocol", "Store it in a variable."
        )
    domain: Any = record.place.domain
    return SeenState(calls, record, like(protocol, bounds, domain))


def attempt(calls: Calls, step: Any, *arguments: Any) -> SymBool | bool:
    """The symbolic form of `spec.language.attempt`: where the step's guards do not hold, nothing changes.

    The guards are those of the step alone; the rule that attempts it is enabled all the same.
    """
    execution = calls.operations.execution
    seen = getattr(step, "__self__", None)
    graph = execution.graph
    if not isinstance(seen, SeenState):
        raise execution.error(
            "attempt takes a step of a state that seen_as gave", "attempt(seen_as(P, record, bounds).step, ...)"
        )
    if execution.operands:
        raise execution.error("attempt stands inside an operand or a comprehension", "Assign its answer to a variable.")
    view: View = seen.__dict__["_view"]
    before, mark = list(view.leaves), view.history.mark()
    guards, assumed, depth = len(execution.guards), len(execution.assumed), len(execution.path)
    stops = len(execution.stops)
    try:
        seen.attempt(lambda: calls(step, *arguments))
        enabled = graph.all_of(guard.condition for guard in execution.guards[guards:])
    except PathEnds:
        enabled = graph.false
    del execution.guards[guards:], execution.assumed[assumed:], execution.path[depth:], execution.stops[stops:]
    pairs = zip(before, view.leaves, strict=True)
    view.leaves[:] = [old if old is new else graph.ite(enabled, new, old) for old, new in pairs]
    view.history.join(History(), mark)
    seen.renewed()
    allowed: SymBool | bool = truth_value(execution, enabled)
    return allowed
