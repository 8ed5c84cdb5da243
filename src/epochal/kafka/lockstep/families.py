"""The mechanisms that are mapped beside the core, each from its file."""

from __future__ import annotations

from typing import Any

from epochal.spec.kraft.state import KraftState

from . import (
    steps_directories,
    steps_log,
    steps_producers,
    steps_reassignment,
    steps_tiers,
    steps_transactions,
)
from .family import Asking, Family

FAMILIES: tuple[Family[Any], ...] = (
    *steps_reassignment.FAMILIES,
    *steps_directories.FAMILIES,
    *steps_log.FAMILIES,
    *steps_producers.FAMILIES,
    *steps_transactions.FAMILIES,
    *steps_tiers.FAMILIES,
)
"""All of them; of two that map one action, the later one counts."""


def with_steps_of(state: KraftState | type[KraftState]) -> tuple[Family[Any], ...]:
    """Those whose steps a model has."""
    kind = state if isinstance(state, type) else type(state)
    return tuple(one for one in FAMILIES if issubclass(kind, one.steps))


def families_of(state: KraftState | type[KraftState]) -> tuple[Family[Any], ...]:
    """Those whose steps a model has, and that say something under its settings."""
    return tuple(one for one in with_steps_of(state) if one.applies(state.settings))


def asking_of(state: KraftState | type[KraftState]) -> dict[str, Asking]:
    """How the steps of these are put to Kafka."""
    return {action: asking for one in families_of(state) for action, asking in one.asking.items()}


def second_rounds_of(state: KraftState | type[KraftState]) -> dict[str, Asking]:
    """What is done between the two rounds of a step that asks a leader, where a former leader needs two."""
    return {action: asking for one in families_of(state) for action, asking in one.second_round.items()}
