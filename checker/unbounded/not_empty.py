"""Why a proof is about something: its hypotheses can be met, and every action can happen where they are.

A run within bounds is the witness: a state that is reached, in which all lemmas hold and an action is taken, satisfies
every hypothesis of a proof of that action. Z3 is asked as well whether the hypotheses of an action contradict each
other: a reading of the rules that was wrong could make them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from epochal.spec.language import EvaluationError, Member, Protocol
from epochal.spec.language.protocol import evaluated

STEPS = 4_000
"""How many steps of a run are looked at for actions that happen."""

AGAIN = 0.03
"""How often a run begins again, of one step."""


@dataclass(frozen=True)
class Witnesses:
    """The actions that were seen to happen where all lemmas hold, and in how many steps of a run."""

    seen: tuple[str, ...]
    steps: int


def witnesses(protocol: Protocol, lemmas: Sequence[Member]) -> Witnesses:
    """Walk through states by chance, always the same way, until every action has been seen."""
    wanted = {member.name for member in protocol.members("action")}
    chance, seen = random.Random(0), dict[str, None]()
    first = protocol.initial_states()
    codes, steps = first[0], 0
    while steps < STEPS and seen.keys() != wanted:
        steps += 1
        taken = [(i, after) for i, after in protocol.outcomes(codes) if not isinstance(after, EvaluationError)]
        new = [instance.action.name for instance, _ in taken if instance.action.name not in seen]
        if new and all(_holds(lemma, protocol, codes) for lemma in lemmas):
            seen |= dict.fromkeys(new)
        codes = chance.choice(taken)[1] if taken and chance.random() > AGAIN else chance.choice(first)
    return Witnesses(tuple(sorted(seen)), steps)


def _holds(lemma: Member, protocol: Protocol, codes: tuple[int, ...]) -> bool:
    try:
        return bool(evaluated(lemma.function, protocol.at(codes)))
    except EvaluationError:
        return False
