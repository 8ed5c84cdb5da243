"""Judging `leads_to` over a whole small state space: is there a fair run on which the goal never comes?

A run that breaks the promise comes to a state where the premise holds, and from there on never to one where the goal
does. It may stay where it is, unless a fair step is possible there, or go round for ever. Going round is fair if every
fair step, with each choice of its parameters, is taken on the way again and again, or is impossible somewhere on it
(weak fairness). Such a round exists if and only if a strongly connected component of the states without the goal has
this property as a whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import networkx

from epochal.spec.language import Member, Protocol

Codes = tuple[int, ...]


@dataclass(frozen=True)
class StateSpace:
    """Every reachable state, and the steps from each: the number of the action instance, and where it leads."""

    protocol: Protocol
    states: dict[Codes, Protocol]
    steps: dict[Codes, tuple[tuple[int, Codes], ...]]


@dataclass(frozen=True)
class BrokenPromise:
    """A state where the premise holds, and the states of a fair round to which it leads without the goal."""

    arguments: tuple[Any, ...]
    premise: Codes
    around: frozenset[Codes]


def state_space(protocol: Protocol) -> StateSpace:
    """All reachable states of a protocol."""
    steps: dict[Codes, tuple[tuple[int, Codes], ...]] = {}
    frontier = list(protocol.initial_states())
    while frontier:
        codes = frontier.pop()
        if codes not in steps:
            steps[codes] = tuple((instance.number, after) for instance, after in protocol.successors(codes))
            frontier.extend(after for _, after in steps[codes])
    return StateSpace(protocol, {codes: protocol.at(codes) for codes in steps}, steps)


def broken_promise(space: StateSpace, member: Member, fair: Iterable[str] | None = None) -> BrokenPromise | None:
    """A fair run that breaks a promise, if there is one. `fair` are the actions taken fairly, if not those it names."""
    names = frozenset(member.mark.needs if fair is None else fair)
    numbers = frozenset(i.number for i in space.protocol.instances if i.action.name in names)
    choices = [list(parameter.domain.values()) for parameter in space.protocol.parameters(member.function)]
    for arguments in itertools.product(*choices):
        answers = {codes: member.function(state, *arguments) for codes, state in space.states.items()}
        without = [codes for codes, (_, goal) in answers.items() if not goal]
        waiting = networkx.DiGraph()
        waiting.add_nodes_from(without)
        inside = frozenset(without)
        waiting.add_edges_from(
            (codes, after) for codes in without for _, after in space.steps[codes] if after in inside
        )
        rounds = [c for c in networkx.strongly_connected_components(waiting) if _is_fair(space, c, numbers)]
        doomed = {codes: frozenset(c) for c in rounds for codes in c}
        for codes in sorted(without):
            if answers[codes][0]:
                for reached in sorted({codes, *networkx.descendants(waiting, codes)} & doomed.keys()):
                    return BrokenPromise(arguments, codes, doomed[reached])
    return None


def _is_fair(space: StateSpace, component: set[Codes], numbers: frozenset[int]) -> bool:
    """Whether each fair step is taken inside the component, or impossible in some state of it."""
    always = numbers
    taken: set[int] = set()
    for codes in component:
        always &= {number for number, _ in space.steps[codes]}
        taken |= {number for number, after in space.steps[codes] if after in component}
    return always <= taken
