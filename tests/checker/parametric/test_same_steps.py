"""Steps with history are those without, term by term; whatever is not the same is found."""

from __future__ import annotations

import pytest

from epochal.checker.parametric.same_steps import other_steps
from epochal.checker.parametric.terms import INT, Bound, constant, eq, forall, renamed, variable
from epochal.language import Protocol, Set, action, invariant, require
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.registry import registered
from tests.checker.unbounded.test_proof import Client, Lock


def test_kip_320_and_its_history() -> None:
    plain = registered("kip-320")
    assert other_steps(plain, Kip320Proof, ["strong_isr", "weak_isr", "leader_in_isr"]) == ""


class Remembering(Lock):
    """Who was ever inside."""

    @action
    def enter(self, c: Client) -> None:
        """The same step."""
        super().enter(c)

    @invariant
    def alone(self) -> bool:
        """The same, with other names."""
        return all(one == two for one in self.inside for two in self.inside)


class Pushing(Lock):
    """It asks for more."""

    def enter(self, c: Client) -> None:
        """Only into an empty room."""
        require(not self.inside)
        super().enter(c)


class Staying(Lock):
    """It does something else."""

    def leave(self, c: Client) -> None:
        """Out and in again."""
        super().leave(c)
        self.inside |= {c}


class Failing(Lock):
    """It may not fail where the plain one does."""

    def leave(self, c: Client) -> None:
        """What is said only where it can be."""
        require(c in self.inside)
        self.inside -= {c}
        if self.served < self.bounds.tickets:
            self.served += 1


class Elsewhere(Lock):
    """It begins otherwise."""

    def initial(self) -> None:
        """All are inside."""
        self.inside = Set(c for c in self.each(Client))


class Claiming(Lock):
    """It says something else."""

    def alone(self) -> bool:
        """Nothing."""
        return True


class ClaimingCarefully(Lock):
    """It says the same wherever it can be said, and can be said in more states."""

    def alone(self) -> bool:
        """Nobody, and a ticket that is drawn."""
        return self.queue[self.served] == self.queue[self.served] and super().alone()


class ClaimingMore(ClaimingCarefully):
    """The other way round."""

    def alone(self) -> bool:
        """Nobody is inside with another."""
        return all(a == b for a in self.inside for b in self.inside)


class More(Lock):
    """One more action."""

    @action
    def steal(self, c: Client) -> None:
        """In it goes."""
        self.inside |= {c}


@pytest.mark.parametrize(
    ("kind", "differs"),
    [
        (Remembering, ""),
        (Pushing, "enter has other guards"),
        (Staying, "leave has another inside after it"),
        (Failing, "leave has other ways to fail"),
        (Elsewhere, "initial has another inside after it"),
        (Claiming, "alone says something else"),
        (More, "they have other actions: steal"),
    ],
)
def test_what_differs_is_named(kind: type[Protocol], differs: str) -> None:
    assert other_steps(Lock, kind, ["alone"]) == differs


def test_ways_in_which_a_property_fails_are_compared() -> None:
    """The proof of a property that fails less says nothing of one that fails more; of one that fails less it does."""
    assert other_steps(ClaimingCarefully, ClaimingMore, ["alone"]) == "alone has other ways to fail"
    assert other_steps(ClaimingMore, ClaimingCarefully, ["alone"]) == ""


def test_names_of_bound_variables_do_not_matter() -> None:
    a, b, c = (variable(name, INT) for name in "abc")
    three = constant(3)
    inner = [forall([Bound(x, constant(0), three)], eq(x, c)) for x in (a, b)]
    assert inner[0] is not inner[1]
    assert renamed(inner[0]) is renamed(inner[1])
    assert renamed(inner[0]) is not renamed(forall([Bound(a, constant(0), three)], eq(a, a)))
    twice = forall([Bound(c, constant(0), three)], inner[0])
    other = forall([Bound(a, constant(0), three)], forall([Bound(c, constant(0), three)], eq(c, a)))
    assert renamed(twice) is renamed(other)
