"""What the file of a mechanism says beside its steps: which rules govern them, who has these, and what they prevent."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from ..bugs.known_bug import KnownBug
from ..language.errors import advice
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
                raise TypeError(
                    f"{steps.__name__} is governed by {name}, which is no field of Settings. Add it to "
                    f"spec/kraft/settings.py. {advice(name, _NAMES, 'fields')}"
                )
            RULES[name] = Governed(steps, shipped.get(name, {}), only_with_elr, only_where_asked_for)
        return steps

    return steps_of


PARTS = ("late_answer_arrives", "finish_answer", "propose_decided", "receive_answer", "replay_known_change")
"""What some versions and options make steps of their own of: answers that arrive later, and what they bring."""

_NAMES = tuple(one.name for one in fields(Settings))


@dataclass(frozen=True, eq=False, kw_only=True)
class KraftBug(KnownBug):
    """A bug of the modern protocol: `faulty` are settings without the rule, `sound` the same with it.

    `kraft-s15` is the protocol without the rule of S15, and `kraft-s15-fixed` with it. Both have `bounds` for defaults;
    those that are not named are as small as can be, with two replicas and one record.

    `steps` are those that the bug is about, if its rule does not bring them along. With the settings of `closed_by` it
    does not show, although its rule is lacking, nor, if it is `only_with_elr`, without eligible leader replicas.
    """

    without_rule: str = field(init=False)
    with_rule: str = field(init=False)
    faulty: Settings
    sound: Settings = field(default_factory=Settings)
    steps: tuple[type[KraftState], ...] = ()
    only_with_elr: bool = False
    closed_by: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        name = f"kraft-{self.id.lower()}"
        object.__setattr__(self, "without_rule", name)
        object.__setattr__(self, "with_rule", f"{name}-fixed")

    @property
    def other_bounds(self) -> tuple[tuple[str, int], ...]:
        """None: the protocols are registered with the bounds of the bug."""
        return ()

    @functools.cached_property
    def rule(self) -> dict[str, object]:
        """The settings that take the rule away, with the values that do: those in which the two protocols differ."""
        without = {name: getattr(self.faulty, name) for name in _NAMES}
        return {name: value for name, value in without.items() if value != getattr(self.sound, name)}
