"""The words that give a method its role: action, invariant, action property, reachable, leads to, constraint, lemma."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, overload

from .errors import Disabled, LanguageError, require_printable

Kind = Literal["action", "invariant", "action_property", "reachable", "constraint", "lemma", "leads_to"]
F = TypeVar("F", bound=Callable[..., Any])
MARK = "__epochal_mark__"


@dataclass(frozen=True)
class Mark:
    """What a decorator says about a method.

    `by` and `to` name who acts and on whom: a parameter of the action, or a lane such as "controller". `says` is the
    step as a sentence, with parameters in braces. `fair` records the fairness that liveness properties may assume.
    `only_if` says of what must be reachable under which bounds and settings it is; see `reachable`. `needs` are the
    actions of which a liveness property assumes fairness.
    """

    kind: Kind
    by: str = ""
    to: str = ""
    says: str = ""
    fair: Literal["", "weak", "strong"] = ""
    only_if: Callable[[Any], object] | None = None
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("by", "to", "says"):
            require_printable(getattr(self, name), f"'{name}' of an action")


def require(condition: object) -> None:
    """Guard of an action: the action is enabled only in states where every `require` it meets is true."""
    if not condition:
        raise Disabled


@overload
def action(function: F) -> F: ...
@overload
def action(
    *, by: str = "", to: str = "", says: str = "", fair: Literal["", "weak", "strong"] = ""
) -> Callable[[F], F]: ...
def action(
    function: F | None = None,
    *,
    by: str = "",
    to: str = "",
    says: str = "",
    fair: Literal["", "weak", "strong"] = "",
) -> F | Callable[[F], F]:
    """A step of the protocol. Its parameters, annotated with finite domains, are chosen nondeterministically."""

    def marked(function: F) -> F:
        setattr(function, MARK, Mark("action", by, to, says, fair))
        return function

    return marked if function is None else marked(function)


def _property(kind: Kind, only_if: Callable[[Any], object] | None = None) -> Callable[[F], F]:
    def marked(function: F) -> F:
        setattr(function, MARK, Mark(kind, only_if=only_if))
        return function

    return marked


def invariant(function: F) -> F:
    """A predicate that must be true in every reachable state. The docstring's first sentence is what people read."""
    return _property("invariant")(function)


def action_property(function: F) -> F:
    """A predicate on every step, as a method `(self, new)`: `self` is the state before, `new` the state after."""
    return _property("action_property")(function)


@overload
def reachable(function: F) -> F: ...
@overload
def reachable(*, only_if: Callable[[Any], object]) -> Callable[[F], F]: ...
def reachable(function: F | None = None, *, only_if: Callable[[Any], object] | None = None) -> F | Callable[[F], F]:
    """A predicate that some reachable state, or step with a parameter `new`, must make true: it can happen.

    `only_if` is a condition on the protocol's bounds and settings, as a function of `self`, which has no state yet:
    `@reachable(only_if=lambda self: self.settings.elr)`. Where it is false the property does not apply, and must *not*
    happen: a mechanism that a protocol does not have is never seen.
    """
    marked: Callable[[F], F] = _property("reachable", only_if)
    return marked if function is None else marked(function)


def leads_to(*, fair: tuple[str, ...]) -> Callable[[F], F]:
    """What happens in the end: a liveness property. The method returns two conditions, a premise and a goal.

    Wherever the premise holds, the goal holds then or later, for each choice of the method's parameters, in every run
    that goes on as long as it can and is fair to the actions named by `fair`. Each of these is marked `fair` itself.
    """
    if not isinstance(fair, tuple) or not all(isinstance(name, str) for name in fair):
        raise LanguageError(
            f"leads_to takes the names of actions, not {fair!r}", advice='Write @leads_to(fair=("fetch", "restart")).'
        )

    def marked(function: F) -> F:
        setattr(function, MARK, Mark("leads_to", needs=fair))
        return function

    return marked


def constraint(function: F) -> F:
    """A bound on states: a state where it is false is checked, but neither counted nor explored further."""
    return _property("constraint")(function)


def lemma(function: F) -> F:
    """A predicate that a proof leans on: true at first, and preserved by every step where all lemmas hold before it."""
    return _property("lemma")(function)
