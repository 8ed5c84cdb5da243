"""No false claim is proved for every choice of the bounds: small protocols, each aimed at one assumption.

Of each a search in Python finds that the claim is false, or that a rule fails, within bounds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from epochal.checker.unbounded.ladder import Climber
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import (
    Asking,
    Cell,
    refuse_history_in_rules,
    unbounded_proof,
    with_implied,
)
from epochal.checker.unbounded.proof import _tried as tried
from epochal.checker.workers.pool import one_by_one
from epochal.exit_codes import ExitCode
from epochal.language import Protocol
from epochal.spec.language import EvaluationError, LanguageError
from tests.checker.unbounded.attacks import ATTACKS
from tests.each import for_each

SAMPLE = 12
"""How many are attacked in the ordinary suite: always the same, of all groups by chance."""

LITTLE, MUCH = 2_000, 640_000
"""Z3's resource units: for each unit of effort of the lower part of the ladder, and for a whole proof."""

MOST = 5_000
"""States of a search. All of these protocols have fewer."""

NO_REFUTATION = {
    "OneBeyond": "Rise can never be carried out",
    "ReadsHistory": "history",
}
"""Those that a proof refuses, with what it says: not even a question is asked."""


def broken(protocol: Protocol) -> str:
    """How a search finds that something is wrong: which rule fails, or `claim`; "" if nothing is."""
    try:
        todo = protocol.initial_states()
        seen = set(todo)
        for codes in todo:
            if not protocol.at(codes).claim():  # type: ignore[attr-defined]  # each has one
                return "claim"
            for instance, after in protocol.outcomes(codes):
                if isinstance(after, EvaluationError):
                    return instance.action.name
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
            assert len(seen) < MOST
    except EvaluationError as error:  # of initial, or of the claim
        return str(error)
    return ""


def open_cells(kind: type[Any], claims: Sequence[str] = ("claim",), effort: int = LITTLE) -> list[str]:
    """What the lower part of the ladder leaves open with little effort, also of lemmas that follow from others."""
    plan = UnboundedPlan(kind, list(claims))
    refuse_history_in_rules(plan)
    asking = Asking(partial(one_by_one, Climber), False, effort)
    whole = [
        Cell(one, "untouched" if one.untouched else "unknown", tuple(range(len(one.questions))))
        for one in plan.obligations()
    ]
    left = with_implied(tried(whole, asking, ["lower"]), plan, asking, ["lower"])
    return [cell.obligation.label for cell in left if cell.open]


@for_each("name", ATTACKS)
def test_a_search_finds_that_each_claim_is_false(name: str) -> None:
    attack = ATTACKS[name]
    assert broken(attack.kind(attack.kind.bounds_type()().with_values(attack.bounds)))


def test_there_are_many_and_no_two_have_one_aim() -> None:
    assert len(ATTACKS) >= 100
    assert len({attack.aim for attack in ATTACKS.values()}) == len(ATTACKS)


def is_not_proved_with_little_effort(name: str) -> None:
    """What is false and needs little is found out here."""
    if "history" in NO_REFUTATION.get(name, ""):
        with pytest.raises(LanguageError, match=NO_REFUTATION[name]):
            open_cells(ATTACKS[name].kind)
    else:
        assert open_cells(ATTACKS[name].kind), ATTACKS[name].aim


@for_each("name", sorted(random.Random(42).sample(sorted(ATTACKS), SAMPLE)))
def test_some_false_claims_are_not_proved(name: str) -> None:
    is_not_proved_with_little_effort(name)


@pytest.mark.long
@for_each("name", ATTACKS)
def test_no_false_claim_is_proved_with_little_effort(name: str) -> None:
    is_not_proved_with_little_effort(name)


@pytest.mark.long
@for_each("name", ATTACKS)
def test_no_false_claim_is_proved(name: str) -> None:
    """By the whole prover: comparison with Python, oracle, steep part of the ladder, counterexamples."""
    kind = ATTACKS[name].kind
    protocol = kind(kind.bounds_type()())
    if name in NO_REFUTATION:
        with pytest.raises(LanguageError, match=NO_REFUTATION[name]):
            unbounded_proof(protocol, ["claim"], cached=False, rlimit=MUCH)
    else:
        found = unbounded_proof(protocol, ["claim"], cached=False, rlimit=MUCH)
        assert found.exit_code in (ExitCode.NOT_PROVED, ExitCode.SOLVER_UNKNOWN), ATTACKS[name].aim
