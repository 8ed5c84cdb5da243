"""What must happen in the end does, under the fairness that it names; without it, it need not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.semantics.properties import Assumed, liveness, needed
from epochal.spec.balancing.policies import KraftBalancing, ZooKeeperBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.liveness import HEALING
from epochal.spec.kraft.state import KraftBounds, Replica
from epochal.spec.language import Member, Protocol, leads_to
from tests.checker.liveness.judged import by_machine
from tests.spec.liveness.fair_cycles import StateSpace, broken_promise, state_space
from tests.zoo.liveness import Called, Lift, Stuck


def member(protocol: Protocol, name: str) -> Member:
    """A liveness property by its name."""
    return next(m for m in liveness(protocol) if m.name == name)


@pytest.mark.parametrize(
    ("kind", "name", "fair", "kept"),
    [
        (Lift, "arrives", None, True),
        (Lift, "arrives", (), False),
        (Lift, "arrives_closed", None, False),
        (Lift, "arrives_closed", ("rise_closed", "rise"), True),
        (Lift, "stays", None, True),
        (Called, "arrives", None, False),
    ],
)
def test_a_lift(kind: type[Lift], name: str, fair: tuple[str, ...] | None, kept: bool) -> None:
    """Without fairness it stays where it is; a door that opens again and again disables the step; calls are endless."""
    space = state_space(kind())
    assert (broken_promise(space, member(space.protocol, name), fair) is None) == kept


def test_a_promise_is_broken_where_nothing_is_possible() -> None:
    stuck = Stuck()
    space = state_space(stuck)
    broken = broken_promise(space, member(space.protocol, "arrives"))
    assert broken is not None
    assert {stuck.at(codes).floor for codes in broken.around} == {1}


# -- the promises of the specifications ---------------------------------------------------------------------------


def bounds(**given: int) -> KraftBounds:
    """The least bounds but for these, with two brokers."""
    least = {name: bound.least for name, bound in KraftBounds.declared().items()}
    return KraftBounds(**{**least, "replication_factor": 2, **given})


SPACES = {
    "one fenced": Kraft(bounds(max_epoch=2, fencings=1)),
    "two fenced": Kraft(bounds(max_epoch=4, fencings=2)),
    "one crash": Kraft(bounds(max_epoch=1, crashes=1)),
    "one election": Kraft(bounds(max_epoch=1, elections=1)),
    "one slow": Kraft(bounds(replication_factor=3, shrinks=1)),
    "balancing": KraftBalancing(replace(KraftBalancing().bounds, brokers=2, failures=1)),
    "threshold": ZooKeeperBalancing(replace(ZooKeeperBalancing().bounds, brokers=2, failures=1)),
}
PROMISES = sorted({(type(protocol), m.name) for protocol in SPACES.values() for m in liveness(protocol)}, key=str)


pytestmark = pytest.mark.xdist_group("fair cycles")


@pytest.fixture(scope="module")
def spaces() -> list[StateSpace]:
    """The state spaces in which the promises are judged."""
    return [state_space(protocol) for protocol in SPACES.values()]


@pytest.mark.parametrize(("kind", "name"), PROMISES, ids=lambda value: value if isinstance(value, str) else value.name)
def test_promises_are_kept_with_fairness_only(kind: type[Protocol], name: str, spaces: list[StateSpace]) -> None:
    """Everywhere a fair run keeps the promise, and somewhere an unfair one breaks it."""
    judged = [space for space in spaces if type(space.protocol) is kind]
    assert all(broken_promise(space, member(space.protocol, name)) is None for space in judged)
    assert any(broken_promise(space, member(space.protocol, name), ()) is not None for space in judged)


def test_the_native_judge_agrees(spaces: list[StateSpace]) -> None:
    """Fair to actors, and to every choice of all parameters: on these spaces that is the same, kept or broken."""
    for space in spaces:
        fairness: tuple[Assumed, ...] = (needed, lambda member: member.mark.needs[1:])
        for assumed in fairness:
            found = by_machine(space.protocol, assumed)
            for one in found.promises:
                broken = broken_promise(space, one.member, assumed(one.member))
                assert (broken is not None) == (one.verdict == "violated"), one.member.name


def test_the_fairness_is_what_the_promise_takes(spaces: list[StateSpace]) -> None:
    """A follower that fetches, but whose leader's requests are not answered, need not join the ISR."""
    promise = member(SPACES["one slow"], "follower_joins_isr")
    for left_out in ("fetch", "handle_alter_partition"):
        fair = tuple(name for name in promise.mark.needs if name != left_out)
        assert any(
            broken_promise(space, promise, fair) is not None for space in spaces if type(space.protocol) is Kraft
        )


def test_a_dead_member_of_the_isr_holds_up_the_high_watermark(spaces: list[StateSpace]) -> None:
    """The controller must fence it: of a failure detector nothing is assumed, so the promise makes an exception."""

    class Impatient(Kraft):
        @leads_to(fair=HEALING)
        def commits(self, leader: Replica) -> tuple[bool, bool]:
            """Every leader that goes on leading commits everything."""
            done = self.brokers[leader].hw == self.end(leader) or len(self.view(leader).isr) < 2
            return self.leads_for_good(leader), done or not self.leads_for_good(leader)

    space = state_space(Impatient(bounds(max_epoch=1, crashes=1)))
    assert broken_promise(space, member(space.protocol, "commits")) is not None
    assert broken_promise(space, member(space.protocol, "commits"), (*HEALING, "fence")) is None
