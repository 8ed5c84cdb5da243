"""What a protocol consists of: its variables, its marked methods, and each action with a choice of its parameters."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any

from .domains import Domain
from .errors import SourceLine, printable
from .marks import ALL, ASKED, Mark


@dataclass(frozen=True)
class Variable:
    """A state variable: its domain, whether it is history only, the index of its first leaf, and if stories fold it."""

    name: str
    domain: Domain
    ghost: bool
    first_leaf: int
    bookkeeping: bool = False


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action, with the domain it is chosen from."""

    name: str
    domain: Domain


@dataclass(frozen=True)
class Member:
    """A marked method of a protocol, as found on the class."""

    name: str
    function: FunctionType
    mark: Mark
    where: SourceLine

    @property
    def asked_as(self) -> str:
        """How the property is asked for on a command line: its id, or the reference of a question of one's own."""
        return str(self.function.__dict__.get(ASKED, self.name))

    @cached_property
    def description(self) -> str:
        """The docstring, unwrapped, without what a terminal would obey."""
        return printable(" ".join((inspect.getdoc(self.function) or "").split()))

    @property
    def sentence(self) -> str:
        """The docstring's first sentence: what reports say about the member."""
        text = self.description
        end = text.find(". ")
        return text if end < 0 else text[: end + 1]

    def said(self, claim: str) -> str:
        """A claim about the member with what it says, if it says anything: `up is violated: It is never down.`"""
        return f"{claim}: {self.sentence}" if self.sentence else claim


@dataclass(frozen=True)
class ActionInstance:
    """An action with one choice of its parameters. Instances are numbered in one order, the same for every engine."""

    number: int
    action: Member
    parameters: tuple[Parameter, ...]
    arguments: tuple[Any, ...]

    @property
    def label(self) -> str:
        """`Fetch(b2, b1)`: the name and arguments as people read them."""
        shown = (p.domain.show(a) for p, a in zip(self.parameters, self.arguments, strict=True))
        return f"{title(self.action.name)}({', '.join(shown)})"

    @property
    def positions(self) -> tuple[int, ...]:
        """The place of each argument in its domain: with the action's name this tells the step from others."""
        return tuple(p.domain.index(a) for p, a in zip(self.parameters, self.arguments, strict=True))


def naming_all(promises: list[Member], actions: list[Member]) -> list[Member]:
    """Liveness properties of a protocol with these actions: one that names ALL names each that is marked `fair`."""
    fair = tuple(action.name for action in actions if action.mark.fair)
    return [replace(one, mark=replace(one.mark, needs=fair)) if one.mark.needs == ALL else one for one in promises]


def title(name: str) -> str:
    """`leader_shrinks_isr` as `LeaderShrinksIsr`."""
    return "".join(part.capitalize() for part in name.split("_"))
