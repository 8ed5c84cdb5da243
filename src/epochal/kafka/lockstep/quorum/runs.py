"""Random runs of the quorum, each step of which Kafka's voters take as well."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from epochal.checker.search.budget import Deadline
from epochal.checker.semantics.semantics import Codes, Semantics
from epochal.spec.language import ActionInstance
from epochal.spec.quorum.state import QuorumState

from ..driven import Harness
from ..family import KafkaRequest
from ..runs import DifferingRun, Runs
from .driven import DrivenQuorum
from .steps import MAPPED, not_comparable, refused_changes, refused_votes

WEIGHTS: Mapping[str, int] = {
    "fetch": 8,
    "vote": 6,
    "pre_vote": 6,
    "begin_quorum_epoch": 4,
    "truncate": 6,
    "append": 3,
    "add_voter": 8,
    "remove_voter": 3,
}
"""How often an action is drawn, next to 1 of any other: what makes a quorum commit more often than what stops it.

Changes of the voters are possible in few states, and adding one in fewer.
"""

REFUSED: Mapping[str, Callable[[QuorumState, Mapping[Any, int]], Iterator[str]]] = {
    "refused vote": refused_votes,
    "refused change": refused_changes,
}
"""What is asked for between the steps, wherever the model refuses it and nothing may change."""

DEFAULT_BOUNDS: Mapping[str, int] = {"voters": 3, "observers": 1, "log_size": 5, "max_epoch": 8}
"""Large enough that a run of 80 steps commits records of several leaders."""


def _comparable(
    semantics: Semantics, driven: DrivenQuorum, left_out: Counter[str]
) -> Iterator[tuple[ActionInstance, Codes]]:
    """The steps that are possible next, and that Kafka takes in the same way."""
    before = driven.state
    for instance, after in semantics.successors(driven.codes):
        if instance.action.name in MAPPED:
            why = not_comparable(driven.steps, before, instance)
            if why:
                left_out[why] += 1
            else:
                yield instance, after


def run_randomly(
    kafka: Harness,
    semantics: Semantics,
    protocol: QuorumState,
    seed: int,
    steps: int,
    most_runs: int | None,
    patience: Deadline,
    tell: Callable[[Runs], None] = lambda _: None,
) -> Runs:
    """Make runs until the budget is spent, or there are as many as were asked for. One seed makes the same lines."""
    found, dice = Runs(), random.Random(seed)
    while (most_runs is None or found.runs < most_runs) and not found.cut:
        driven = DrivenQuorum(kafka, protocol, dice.randrange(1 << 30))
        found.runs += 1
        differs, action = driven.differs(), "initial"
        for _ in range(steps):
            spent = patience.spent()
            found.cut = "" if spent is None else spent.text
            if differs or spent is not None:
                break
            possible = list(_comparable(semantics, driven, found.left_out))
            actions = sorted({instance.action.name for instance, _ in possible})
            if not actions:
                break
            (action,) = dice.choices(actions, [WEIGHTS.get(one, 1) for one in actions])
            instance, after = dice.choice([one for one in possible if one[0].action.name == action])
            differs = driven.take(instance, after, driven.at_once(after))
            if driven.left_out:
                found.left_out[driven.left_out] += 1
            else:
                found.steps[action] += 1
            tell(found)
            for what, refused_in in REFUSED.items():
                refused = [] if differs else list(refused_in(driven.state, driven.places))
                if refused:
                    action = what
                    differs = driven.refuse(dice.choice(refused))
                    found.steps[action] += 1
        if differs:
            lines, answers = tuple(driven.lines), tuple(driven.answers)
            request = KafkaRequest(action, ())
            found.differing.append(
                DifferingRun(found.runs, request, differs, (driven.said,), driven.trace, lines, answers)
            )
    return found
