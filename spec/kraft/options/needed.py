"""Which setting is read by which optional steps, so that no setting is void because its steps are not there.

Some rules are about what the core leaves out to stay small: answers that are late, a deposed controller, reassignment.
A class whose settings take such a rule away needs the steps that the rule governs: without them nothing would change.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import fields, replace

from ...language import Protocol
from .. import options
from ..broker_lifecycle import BrokerLifecycle
from ..reductions import FETCH, void
from ..rules import RULES, Shipped
from ..settings import Settings
from ..state import KraftState
from .lost_fetch import UnansweredFetches

MODULES = tuple(
    importlib.import_module(f"{options.__name__}.{one.name}") for one in pkgutil.iter_modules(options.__path__)
)
"""Every module of optional steps, and this one."""

STEPS: dict[str, type[KraftState]] = {
    one.name: RULES[one.name].steps
    for one in fields(Settings)
    if one.name in RULES and not issubclass(BrokerLifecycle, RULES[one.name].steps)
}
"""The steps that read each of these settings. A rule that is in place needs none of them."""

SHIPPED: dict[str, Shipped] = {name: rule.shipped for name, rule in RULES.items() if rule.shipped}
"""Since which releases there are the rules that no generation brought."""


def about_its_steps(kind: type[KraftState], version: Settings) -> Settings:
    """The settings of a version, without the rules of steps that a class does not have and nobody asks for."""
    designed = Settings()
    left_out = {name for name, rule in RULES.items() if rule.only_where_asked_for and not issubclass(kind, rule.steps)}
    return replace(version, **{name: getattr(designed, name) for name in left_out})


def missing_steps(kind: type[KraftState], settings: Settings) -> dict[str, type[KraftState]]:
    """The settings without their rule whose steps a class does not have, and those steps.

    So is a rule of the class itself for which a fetch is not one step.
    """
    newest = Settings()
    missing = {
        name: steps
        for name, steps in STEPS.items()
        if getattr(settings, name) != getattr(newest, name) and _counts(name, settings) and not _has(kind, steps)
    }
    if not loses_answers(kind):
        for one in void(kind):
            if one.reduction is FETCH:
                missing.setdefault(one.rules[0], UnansweredFetches)
    return missing


def _counts(name: str, settings: Settings) -> bool:
    """Whether a rule can make a difference. Without ELR there is no last known leader, and nobody fenced leads."""
    return settings.elr or not RULES[name].only_with_elr


def loses_answers(kind: type[Protocol]) -> bool:
    """Whether the answer to a fetch may be lost in a class, so that a fetch is two steps."""
    return _has(kind, UnansweredFetches)


def _has(kind: type[Protocol], steps: type[KraftState]) -> bool:
    """Whether a class has these steps. By name, because a mutant has copies of all classes that it is made of."""
    return any((one.__module__, one.__name__) == (steps.__module__, steps.__name__) for one in kind.__mro__)
