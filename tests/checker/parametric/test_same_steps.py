"""Steps with history are those without, term by term; whatever is not the same is found."""

from __future__ import annotations

import pytest

from epochal.checker.parametric.rules import other_steps
from epochal.checker.parametric.terms import INT, Bound, constant, eq, forall, renamed, variable
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.registry import registered
from tests.checker.unbounded.test_proof import Lock
from tests.zoo.rows import Row, rows


def test_kip_320_and_its_history() -> None:
    plain = registered("kip-320")
    assert other_steps(plain, Kip320Proof, ["strong_isr", "weak_isr", "leader_in_isr"]) == ""


VARIANTS = rows(
    globals(),
    "Lock",
    """
    Remembering:
        action enter(c: Client)
            super().enter(c)
        invariant alone
            return all(one == two for one in self.inside for two in self.inside)
    Pushing: enter has other guards
        def enter(self, c: Client) -> None:
            require(not self.inside)
            super().enter(c)
    Staying: leave has another inside after it
        def leave(self, c: Client) -> None:
            super().leave(c)
            self.inside |= {c}
    Failing: leave has other ways to fail
        def leave(self, c: Client) -> None:
            require(c in self.inside)
            self.inside -= {c}
            if self.served < self.bounds.tickets:
                self.served += 1
    Elsewhere: initial has another inside after it
        def initial(self) -> None:
            self.inside = Set(c for c in self.each(Client))
    Claiming: alone says something else
        def alone(self) -> bool:
            return True
    ClaimingCarefully:
        # The same wherever it can be said.
        def alone(self) -> bool:
            return self.queue[self.served] == self.queue[self.served] and super().alone()
    ClaimingMore < ClaimingCarefully:
        def alone(self) -> bool:
            return all(a == b for a in self.inside for b in self.inside)
    More: they have other actions: steal
        action steal(c: Client)
            self.inside |= {c}
    """,
)


@pytest.mark.parametrize("row", VARIANTS.values(), ids=VARIANTS)
def test_what_differs_is_named(row: Row) -> None:
    assert other_steps(Lock, row.kind, ["alone"]) == row.expected


def test_ways_in_which_a_property_fails_are_compared() -> None:
    """The proof of a property that fails less says nothing of one that fails more; of one that fails less it does."""
    careful, more = (VARIANTS[name].kind for name in ("ClaimingCarefully", "ClaimingMore"))
    assert other_steps(careful, more, ["alone"]) == "alone has other ways to fail"
    assert other_steps(more, careful, ["alone"]) == ""


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
