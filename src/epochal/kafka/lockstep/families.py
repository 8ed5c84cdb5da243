"""The mechanisms that are mapped beside the core, each from its file."""

from __future__ import annotations

from epochal.spec.kraft.state import KraftState

from . import steps_directories, steps_log, steps_reassignment
from .family import Asking, Family

FAMILIES: tuple[Family, ...] = (*steps_reassignment.FAMILIES, *steps_directories.FAMILIES, *steps_log.FAMILIES)
"""All of them; of two that map one action, the later one counts."""


def families_of(state: KraftState | type[KraftState]) -> tuple[Family, ...]:
    """Those whose steps a model has."""
    kind = state if isinstance(state, type) else type(state)
    return tuple(one for one in FAMILIES if issubclass(kind, one.steps))


def asking_of(state: KraftState | type[KraftState]) -> dict[str, Asking]:
    """How the steps of these are put to Kafka."""
    return {action: asking for one in families_of(state) for action, asking in one.asking.items()}


def second_rounds_of(state: KraftState | type[KraftState]) -> dict[str, Asking]:
    """What is done between the two rounds of a step that asks a leader, where a former leader needs two."""
    return {action: asking for one in families_of(state) for action, asking in one.second_round.items()}


def answers_of(state: KraftState | type[KraftState]) -> dict[str, frozenset[str]]:
    """What Kafka must answer to a step that is about an answer."""
    return {action: said for one in families_of(state) for action, said in one.answers.items()}
