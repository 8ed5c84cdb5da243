"""The rules of a protocol that its steps and properties call: methods without a mark, which a variant may replace."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import FunctionType

from .configurable import Configurable
from .errors import SourceLine, printable, source_line
from .marks import mark_of
from .protocol import Protocol


@dataclass(frozen=True)
class Rule:
    """A method that steps and properties call. `called` is how: `may_join(leader, r)`."""

    name: str
    called: str
    description: str
    where: SourceLine

    @property
    def sentence(self) -> str:
        """The docstring's first sentence."""
        end = self.description.find(". ")
        return self.description if end < 0 else self.description[: end + 1]


def rules_of(kind: type[Protocol]) -> list[Rule]:
    """The rules of a protocol by name. Private ones are not among them, nor what every protocol has."""
    found: dict[str, object] = {}
    marked: set[str] = set()
    for owner in kind.__mro__:
        if owner not in (Configurable, Protocol, object):
            marked |= {name for name, value in vars(owner).items() if mark_of(value) is not None}
            found = {**vars(owner), **found}
    return [
        _rule(name, value)
        for name, value in sorted(found.items())
        if type(value) is FunctionType
        and not name.startswith("_")
        and name not in marked
        and not hasattr(Configurable, name)
    ]


def _rule(name: str, function: FunctionType) -> Rule:
    parameters = ", ".join(list(inspect.signature(function).parameters)[1:])
    description = printable(" ".join((inspect.getdoc(function) or "").split()))
    return Rule(name, f"{name}({parameters})", description, source_line(function))
