"""Random runs of the quorum, each step of which Kafka's voters take as well."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from epochal.checker.search.budget import Deadline
from epochal.checker.semantics.semantics import Semantics
from epochal.spec.quorum.state import QuorumState

from ..driven import Harness
from ..family import KafkaRequest
from ..runs import DifferingRun, Runs
from .driven import DrivenQuorum
from .steps import MAPPED, not_comparable, refused_votes

WEIGHTS: Mapping[str, int] = {"fetch": 8, "vote": 6, "pre_vote": 6, "begin_quorum_epoch": 4, "truncate": 6, "append": 3}
"""How often an action is drawn, next to 1 of any other: what makes a quorum commit more often than what stops it."""

REFUSED = "refused vote"
"""What is asked for between the steps, wherever the model refuses it and nothing may change."""

DEFAULT_BOUNDS: Mapping[str, int] = {"voters": 3, "observers": 1, "log_size": 5, "max_epoch": 8}
"""Large enough that a run of 80 steps commits records of several leaders."""


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
            before = driven.state
            possible = [
                one
                for one in semantics.successors(driven.codes)
                if one[0].action.name in MAPPED and not not_comparable(driven.steps, before, one[0])
            ]
            actions = sorted({instance.action.name for instance, _ in possible})
            if not actions:
                break
            (action,) = dice.choices(actions, [WEIGHTS.get(one, 1) for one in actions])
            instance, after = dice.choice([one for one in possible if one[0].action.name == action])
            differs = driven.take(instance, after, driven.at_once(after))
            found.steps[action] += 1
            tell(found)
            refused = [] if differs else list(refused_votes(driven.state, driven.places))
            if refused:
                action = REFUSED
                differs = driven.refuse(dice.choice(refused))
                found.steps[action] += 1
        if differs:
            lines, answers = tuple(driven.lines), tuple(driven.answers)
            request = KafkaRequest(action, ())
            found.differing.append(
                DifferingRun(found.runs, request, differs, (driven.said,), driven.trace, lines, answers)
            )
    return found
