"""What a rule sees as a state: variables read as symbolic values, methods as rewritten rules."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from spec.language import Protocol
from spec.language.seen import like

from .execution import PathEnds, Place, View
from .operations import StateProxy
from .places import StructReference, read, replace
from .symbolic import SymBool, truth_value

if TYPE_CHECKING:
    from .calls import Calls


class SymbolicState(StateProxy):
    """What a rule sees as `self`: variables read as symbolic values, methods as rewritten rules."""

    def __init__(self, calls: Calls, view: View) -> None:
        self.__dict__.update(_calls=calls, _view=view)

    @property
    def _owner(self) -> Protocol:
        """The protocol whose methods these are."""
        calls: Calls = self.__dict__["_calls"]
        return calls.operations.execution.protocol

    def _variable(self, name: str) -> Place | None:
        """Where a variable lies; None if there is none of this name."""
        variable = self._owner.variables.get(name)
        if variable is None:
            return None
        true = self.__dict__["_calls"].operations.execution.graph.true
        return Place(self.__dict__["_view"], variable.domain, ((true, variable.first_leaf),))

    def __getattr__(self, name: str) -> Any:
        calls: Calls = self.__dict__["_calls"]
        execution, protocol = calls.operations.execution, self._owner
        place = self._variable(name)
        if place is not None:
            return read(execution, place)
        if name in ("bounds", "each", "member"):
            return getattr(protocol, name)
        found = calls.attribute(type(protocol), name)
        if isinstance(found, FunctionType):
            return MethodType(calls.rule(found), self)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return calls(MethodType(calls.rule(found.fget), self))
        if isinstance(found, staticmethod | classmethod):
            return getattr(protocol, name)
        if hasattr(type(found), "__get__"):
            raise execution.error(f"{name} cannot be read in a rule", "Make it a plain method, or a property.")
        if found is None or name.startswith("__"):
            known = ", ".join(protocol.variables)
            raise execution.error(
                f"{type(protocol).__name__} has no variable or method {name!r}", f"Variables: {known}."
            )
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        execution = self.__dict__["_calls"].operations.execution
        place = self._variable(name)
        if place is None:
            known = ", ".join(self._owner.variables)
            raise execution.error(f"there is no state variable {name!r}", f"Variables: {known}.")
        replace(execution, place, value)


class SeenState(SymbolicState):
    """A record of the state seen as a state of another protocol (`seen_as`)."""

    def __init__(self, calls: Calls, record: StructReference, protocol: Protocol) -> None:
        self.__dict__.update(_calls=calls, _view=record._place.view, _record=record, _seen=protocol)

    @property
    def _owner(self) -> Protocol:
        seen: Protocol = self.__dict__["_seen"]
        return seen

    def _variable(self, name: str) -> Place | None:
        record: StructReference = self.__dict__["_record"]
        return record._field(name) if name in self._owner.variables else None


class SuperState:
    """What `super()` is inside a rewritten rule: the methods of the classes after `owner`."""

    def __init__(self, calls: Calls, owner: type, state: SymbolicState) -> None:
        self._calls, self._owner, self._state = calls, owner, state

    def __getattr__(self, name: str) -> Any:
        order = type(self._state._owner).__mro__
        for candidate in order[order.index(self._owner) + 1 :]:
            found = vars(candidate).get(name)
            if isinstance(found, FunctionType):
                return MethodType(self._calls.rule(found), self._state)
        raise self._calls.operations.execution.error(f"no base class has a method {name!r}")


def seen_as(calls: Calls, protocol: Any, record: Any, bounds: Any) -> SeenState:
    """The symbolic form of `spec.language.seen_as`."""
    if not isinstance(record, StructReference):
        raise calls.operations.execution.error(
            "only a record of the state can be seen as a protocol", "Store it in a variable."
        )
    domain: Any = record._place.domain
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
    before = list(view.leaves)
    guards, assumed, depth = len(execution.guards), len(execution.assumed), len(execution.path)
    try:
        calls(step, *arguments)
        enabled = graph.all_of(guard.condition for guard in execution.guards[guards:])
    except PathEnds:
        enabled = graph.false
    del execution.guards[guards:], execution.assumed[assumed:], execution.path[depth:]
    pairs = zip(before, view.leaves, strict=True)
    view.leaves[:] = [old if old is new else graph.ite(enabled, new, old) for old, new in pairs]
    allowed: SymBool | bool = truth_value(execution, enabled)
    return allowed
