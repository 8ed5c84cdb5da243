"""What the file of a mechanism says beside its steps: which rules govern them, and which releases have these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from .settings import Settings
from .state import KraftState

S = TypeVar("S", bound=KraftState)

Shipped = Mapping[str, Any]
"""The value that a setting has from each of these releases on, oldest first; `""` is before all of them."""

NEVER: Shipped = {"": False}
"""No release has the rule yet."""


def since(release: str) -> Shipped:
    """A rule that each release has from this one on."""
    return {"": False, release: True}


@dataclass(frozen=True)
class Governed:
    """A setting with the steps that it governs, which nothing but its absence needs.

    `shipped` says which releases have the rule; nothing where a release is as its generation was designed, or has none
    of these steps. `only_with_elr` are rules that make no difference without eligible leader replicas. Steps that come
    `only_where_asked_for` no version brings along, whatever rule it lacks.
    """

    steps: type[KraftState]
    shipped: Shipped
    only_with_elr: bool
    only_where_asked_for: bool


RULES: dict[str, Governed] = {}
"""The rules of all modules that are imported, by the names of their settings. `options.needed` imports all."""


def governed_by(
    *rules: str, only_with_elr: bool = False, only_where_asked_for: bool = False, **shipped: Shipped
) -> Callable[[type[S]], type[S]]:
    """Say that steps are governed by these settings; of those that follow a release and not its design, since when."""

    def steps_of(steps: type[S]) -> type[S]:
        for name in (*rules, *shipped):
            if name not in _NAMES:
                raise TypeError(f"{steps.__name__} is governed by {name}, and Settings has no such field")
            RULES[name] = Governed(steps, shipped.get(name, {}), only_with_elr, only_where_asked_for)
        return steps

    return steps_of


PARTS = ("late_answer_arrives", "finish_answer", "propose_decided", "receive_answer", "replay_known_change")
"""What some versions and options make steps of their own of: answers that arrive later, and what they bring."""

_NAMES = frozenset(one.name for one in fields(Settings))
