"""`kraft` and its proof with one place changed: what a search breaks is not proved within the same bounds.

As with KIP-320 (`tests/checker/unbounded/test_mutated.py`): the end of the shortest run that breaks anything refutes
some obligations, and the solver is asked those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from epochal.checker.solver.induction import Induction, ObligationResult, prepared
from epochal.spec.kraft.commit_proof import KraftProof
from epochal.spec.language import LanguageError, Protocol
from tests.checker.mutated import Broken, Mutant, first_broken, mutants_of

INVARIANTS = ("leader_completeness", "committed_never_lost", "acknowledged_durable", "single_leader_per_epoch")
"""There are more than a search can check together with the lemmas."""

FEW = 2
"""Replicas, or one more."""

MANY = 10
"""One mutant of so many is asked in the long test."""

SOME = ("may_join: follower not in", "only_leaders_remember_followers: self.brokers[r].behind != 0")
"""How those begin that are asked in the ordinary suite."""

MOST = 150_000
"""States of a search."""

RLIMIT = 4_000_000


def within(kind: type[Protocol], replicas: int) -> Protocol:
    """The protocol with so many replicas."""
    return kind(kind.bounds_type()().with_values({"replication_factor": replicas}))


@cache
def mutants() -> dict[str, Mutant]:
    """All of them, by name."""
    return {str(one): one for one in mutants_of(within(KraftProof, FEW))}


def refuted(protocol: Protocol, found: Broken) -> Iterator[ObligationResult]:
    """What the solver says of the obligations that the end of the run refutes: each has a counterexample."""
    induction = Induction(prepared(protocol, INVARIANTS), RLIMIT, least=False)
    claims = {one.member.name: one for one in induction.plan.lemmas}
    wrong = found.lemmas | (found.failing & claims.keys())
    if wrong and not found.run.steps:
        yield from (one for one in induction.initiations() if one.obligation.column in wrong)
    elif wrong:
        number = found.run.steps[-1].instance.number
        asked = induction.steps({number: [claims[name] for name in sorted(wrong)]})
        yield from (one for one in asked if one.obligation.member is not None)
    else:
        of_invariants = found.invariants | (found.failing & set(INVARIANTS))
        yield from (one for one in induction.implications() if one.obligation.column in of_invariants)
        actions = found.failing - set(INVARIANTS)
        failing = {one.instance.number: () for one in induction.model.instances if one.instance.action.name in actions}
        answers = list(induction.steps(failing))
        for action in sorted(actions):
            of_action = [one for one in answers if one.obligation.instance.action.name == action]  # type: ignore[union-attr]
            yield next((one for one in of_action if one.verdict != "proved"), of_action[0])


def attack(names: Iterable[str], replicas: Iterable[int]) -> tuple[int, list[str]]:
    """How many of these mutants a search breaks and the solver was asked about, and what it has proved of them."""
    asked, wrong = 0, list[str]()
    for name in names:
        try:
            for protocol in (within(mutants()[name].kind, number) for number in replicas):
                if (found := first_broken(protocol, INVARIANTS, MOST)) is None:
                    continue
                answers = list(refuted(protocol, found))
                assert answers, (name, found)
                wrong += [f"{name}: {one.obligation.label}" for one in answers if one.verdict == "proved"]
                asked += 1
                break
        except LanguageError:  # a change may leave what cannot be compiled; nothing is proved then
            continue
    return asked, wrong


def test_no_mutant_of_a_sample_is_proved() -> None:
    asked, wrong = attack([next(name for name in mutants() if name.startswith(start)) for start in SOME], (FEW,))
    assert asked == len(SOME) and not wrong, wrong


@pytest.mark.long
def test_no_mutant_is_proved() -> None:
    asked, wrong = attack(sorted(mutants())[::MANY], (FEW, FEW + 1))
    assert asked >= 60 and not wrong, wrong
