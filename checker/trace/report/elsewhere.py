"""What else can be done in a state: every action that is possible, and of the others the first guard that is false."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.spec.language import ActionInstance, Protocol

from ..explain import sentence
from ..verdicts import Codes
from .guards import tried


@dataclass(frozen=True)
class Refused:
    """A guard that is false for some actions in a state: its text, and the actions by the values that make it so.

    One that is `bounded` is a bound of the model, which the system does not have.
    """

    text: str
    where: str
    actions: tuple[tuple[str, tuple[str, ...]], ...]
    bounded: bool = False


@dataclass(frozen=True)
class Elsewhere:
    """What else can be done in a state, what cannot and why, and what cannot be evaluated.

    `possible` has labels, each with its sentence. `unchanging` are those among them that lead back to the same state.
    """

    possible: tuple[tuple[str, str], ...]
    refused: tuple[Refused, ...]
    fails: tuple[tuple[str, str], ...] = ()
    unchanging: frozenset[str] = frozenset()


def elsewhere(protocol: Protocol, codes: Codes, following: ActionInstance | None = None) -> Elsewhere:
    """What can be done in a state besides the step that follows in a run, which is left out."""
    refused: dict[tuple[str, str, bool], dict[str, list[str]]] = {}
    possible, fails, unchanging = [], [], set[str]()
    for instance in protocol.instances:
        if instance == following:
            continue
        found = tried(protocol, codes, instance)
        if found.enabled:
            possible.append((instance.label, sentence(instance)))
            unchanging |= {instance.label} if found.after == codes else set()
        elif found.error:
            fails.append((instance.label, found.error))
        elif found.guards:
            guard = found.guards[-1]
            key = guard.text, str(guard.where), guard.is_bound
            refused.setdefault(key, {}).setdefault(", ".join(guard.facts), []).append(instance.label)
    groups = [
        Refused(text, where, tuple((facts, tuple(labels)) for facts, labels in actions.items()), bounded)
        for (text, where, bounded), actions in refused.items()
    ]
    return Elsewhere(tuple(possible), tuple(groups), tuple(fails), frozenset(unchanging))
