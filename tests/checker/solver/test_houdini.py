"""Houdini keeps the largest inductive set, and `minimize` a set of which none can be missed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from epochal.checker.solver.dispatch import QueryRunner, in_this_process
from epochal.checker.solver.induction import RLIMIT, Induction, Reduced, Stopwatch, houdini, minimize, prepared, prove
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import Protocol
from tests.checker.solver.test_induction import Stack, every_state, true_in
from tests.zoo.rows import made

SMALL = ClassicBounds(2, 2, 2, 1)
MIDDLING = ClassicBounds(3, 2, 2, 1)


def induction(protocol: Protocol, properties: tuple[str, ...] | None = None, rlimit: int = RLIMIT) -> Induction:
    """What both are given."""
    return Induction(prepared(protocol, properties), rlimit, least=False)


def kept(found: Reduced) -> list[str]:
    """The lemmas that are left."""
    return [member.name for member in found.proof.lemmas]


Guesses: type[Any] = made(
    globals(),
    Stack,
    """
    Guesses: A stack with many candidates.
        lemma never_two: Holds at first only.
            return len(self.log) < 2
        lemma never_empty: False at first.
            return len(self.log) > 0
        lemma not_full_of_twos: Falls because nothing forbids it.
            return not all(n == 2 for n in self.log) or len(self.log) < 3
        lemma count_is_small: Always true of typed states.
            return self.count <= 3
    """,
)


def inductive(protocol: Protocol, names: tuple[str, ...]) -> bool:
    """Whether a set of lemmas is inductive, by trying every state in the Python reading."""
    if not all(true_in(protocol, name, codes) for name in names for codes in protocol.initial_states()):
        return False
    for codes in every_state(protocol):
        if all(true_in(protocol, name, codes) for name in names):
            for _, after in steps(protocol, codes):
                if not all(true_in(protocol, name, after) for name in names):
                    return False
    return True


def steps(protocol: Protocol, codes: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
    """The steps that can be evaluated."""
    from epochal.spec.language import EvaluationError

    found = []
    for instance in protocol.instances:
        try:
            after = protocol.step(protocol.at(codes), instance)
        except EvaluationError:
            continue
        if after is not None:
            found.append((instance.label, after))
    return found


@pytest.mark.long
def test_what_is_kept_is_the_largest_inductive_set() -> None:
    """Every inductive set among all subsets of the candidates is part of it, and it is inductive itself."""
    protocol = Guesses()
    found = houdini(induction(protocol), Stopwatch())
    names = [member.name for member in protocol.members("lemma")]
    all_inductive = [
        set(some)
        for size in range(len(names) + 1)
        for some in itertools.combinations(names, size)
        if inductive(protocol, some)
    ]
    largest = max(all_inductive, key=len)
    assert set(kept(found)) == largest
    assert all(some <= largest for some in all_inductive)
    fallen = {one.member.name: one for one in found.fallen}
    assert fallen["never_empty"].action == "initially" and fallen["never_empty"].round == 0
    assert fallen["never_two"].action == "Push(0)" and fallen["never_two"].round == 1
    assert fallen.keys() | set(kept(found)) == set(names)


@pytest.fixture(scope="module")
def of_279() -> Reduced:
    """The lemmas of KIP-320 that KIP-279 preserves."""
    return houdini(induction(Kip279Proof(SMALL)), Stopwatch())


@pytest.mark.xdist_group("houdini")
def test_of_kip_279_an_inductive_part_is_left(of_279: Reduced) -> None:
    """What is left is proved afresh; what fell, fell at some action; the ISR invariants do not follow."""
    assert of_279.fallen and of_279.proof.exit_code == 32
    assert {a.obligation.kind for a in of_279.proof.failed} <= {"implication", "evaluation"}
    by_name = {one.member.name: one.action.split("(")[0] for one in of_279.fallen}
    assert by_name["quorum_isr_holds_what_is_committed"] == "LeaderExpandsIsr"
    assert by_name["epoch_is_entered_by_its_leader_first"] == "BecomeFollower"
    rest = dict.fromkeys(by_name)
    left = type("Left", (Kip279Proof,), rest)
    again = prove(left(SMALL))
    assert [member.name for member in again.lemmas] == kept(of_279)
    assert not [a for a in again.failed if a.obligation.kind == "preservation"]


@pytest.mark.xdist_group("houdini")
def test_the_order_and_the_limit_do_not_decide(of_279: Reduced) -> None:
    """With the cache and least counterexamples the same set is left; with no effort at all, nothing is claimed."""
    other = Induction(prepared(Kip279Proof(SMALL), None), RLIMIT, QueryRunner(in_this_process, cached=True))
    assert kept(houdini(other, Stopwatch())) == kept(of_279)
    tired = houdini(induction(Kip320Proof(SMALL), rlimit=1), Stopwatch())
    assert tired.proof.exit_code == 31
    assert {one.answer.verdict for one in tired.fallen} == {"unknown"}


def test_of_kip_320_nothing_falls() -> None:
    """All lemmas are inductive: the result is that of a proof."""
    found = houdini(induction(Kip320Proof(SMALL)), Stopwatch())
    whole = prove(Kip320Proof(SMALL))
    assert not found.fallen and found.proof.exit_code == 0
    labels = [(a.obligation.label, a.verdict, a.asked) for a in found.proof.answers]
    assert labels == [(a.obligation.label, a.verdict, a.asked) for a in whole.answers]


@pytest.mark.long
@pytest.mark.parametrize("properties", [("strong_isr",), None], ids=["strong_isr", "all"])
def test_of_what_is_needed_none_can_be_missed(properties: tuple[str, ...] | None) -> None:
    """The rest proves the properties; without any one of them, Houdini's largest set does not."""
    protocol = Kip320Proof(SMALL)
    found = minimize(induction(protocol, properties), Stopwatch())
    assert found.proof.exit_code == 0
    needless = [member.name for member in found.needless]
    assert "leader_completeness" in needless
    assert sorted(needless + kept(found)) == sorted(member.name for member in protocol.members("lemma"))
    small = type("Small", (Kip320Proof,), dict.fromkeys(needless))
    assert prove(small(SMALL), properties).exit_code == 0
    for name in kept(found):
        without = type("Without", (small,), {name: None})
        assert houdini(induction(without(SMALL), properties), Stopwatch()).proof.exit_code != 0, name


def test_nothing_is_taken_from_a_proof_that_fails() -> None:
    """A lemma is only needless for a proof that there is."""
    found = minimize(induction(Kip279Proof(SMALL)), Stopwatch())
    assert found.proof.exit_code == 32 and not found.needless
    assert len(kept(found)) == 19
