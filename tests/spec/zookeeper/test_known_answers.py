"""The fences of the ZooKeeper era: with each of them the properties hold; without it the known bug is found."""

from __future__ import annotations

from typing import ClassVar

import pytest

from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import Protocol, invariant
from epochal.spec.registry import registered
from epochal.spec.zookeeper.alter_isr import ZooKeeperAlterIsr
from epochal.spec.zookeeper.lost_disk import ZooKeeperLostDisk, ZooKeeperNoBrokerEpochs
from epochal.spec.zookeeper.zookeeper import ZooKeeper
from tests.spec.quorum.searches import judged, shortest_run, violated

EVERYTHING = Options(all_violations=True)

COUNTS: tuple[tuple[str, dict[str, int], int, int], ...] = (
    ("zookeeper", {"brokers": 2}, 19_136, 22),
    ("zookeeper", {}, 539_865, 26),
    ("zookeeper-lost-disk", {}, 81_996, 22),
    ("zookeeper-lost-disk", {"stops": 2}, 488_566, 25),
    ("zookeeper-alter-isr", {}, 1_870_401, 27),
)
"""Sound protocols, bounds other than the defaults; distinct states; depth: this specification's own figures."""

SWITCHES: tuple[tuple[str, dict[str, int], str, dict[str, int]], ...] = (
    ("zookeeper-unfenced-controller", {}, "zookeeper", {"controller_knows_the_leader": 4, "zombies_elect_nobody": 4}),
    ("zookeeper-no-broker-epochs", {}, "zookeeper-lost-disk", {"leader_completeness": 12}),
    (
        "zookeeper-no-broker-epochs",
        {"stops": 2},
        "zookeeper-lost-disk",
        {"leader_completeness": 12, "leader_counts_the_isr": 13},
    ),
    ("zookeeper-stale-confirmation", {}, "zookeeper-alter-isr", {"leader_counts_the_isr": 13}),
    (
        "zookeeper-stale-confirmation",
        {"stops": 0, "max_version": 4},
        "zookeeper-alter-isr",
        {"leader_counts_the_isr": 13, "leader_completeness": 18},
    ),
)
"""The protocol without the fence, bounds, the one with it, and what fails without it, with the length of the run."""


def at(name: str, bounds: dict[str, int]) -> Protocol:
    """A registered protocol at its default bounds, but for these."""
    kind = registered(name)
    return kind(kind.bounds_type()(**bounds))


@pytest.mark.parametrize(("name", "bounds", "states", "depth"), COUNTS)
def test_with_every_fence_all_properties_hold(name: str, bounds: dict[str, int], states: int, depth: int) -> None:
    result = judged(at(name, bounds))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)


@pytest.mark.parametrize("name", ["zookeeper", "zookeeper-lost-disk", "zookeeper-alter-isr"])
def test_at_the_default_bounds_everything_that_must_be_possible_is(name: str) -> None:
    result = judged(at(name, {}))
    assert result.exit_code == 0
    assert result.never_taken == ()
    assert result.warnings == ()


@pytest.mark.parametrize(("faulty", "bounds", "sound", "found"), SWITCHES)
def test_each_fence_is_needed(faulty: str, bounds: dict[str, int], sound: str, found: dict[str, int]) -> None:
    """Without the fence these properties fail; with it none does, within the same bounds."""
    without, with_it = at(faulty, bounds), at(sound, bounds)
    assert without.bounds == with_it.bounds
    assert violated(judged(without)) == found
    assert violated(judged(with_it)) == {}


@pytest.mark.parametrize("kind", [ZooKeeper, ZooKeeperLostDisk, ZooKeeperAlterIsr, ZooKeeperNoBrokerEpochs])
def test_both_engines_agree(kind: type[Protocol]) -> None:
    protocol = kind(brokers=2, max_version=2, controllers=1)
    native, python = judged(protocol), reference_engine.check(protocol, EVERYTHING)
    assert (native.state_digest, native.step_digest) == (python.state_digest, python.step_digest)
    assert [(p.verdict, p.length) for p in native.properties] == [(p.verdict, p.length) for p in python.properties]


class ElectedNoBrokerEpochs(ZooKeeperNoBrokerEpochs):
    """S19 proper: not the old leader of the same leader epoch, but one elected later, lacks the record."""

    name: ClassVar[str] = "elected-no-broker-epochs"

    @invariant
    def elected_leader_completeness(self) -> bool:
        """Whoever is elected after a record was committed holds it."""
        return all(
            self.end(b) > 0
            for b in self.brokers
            for record in self.committed
            if self.is_true_leader(b) and self.brokers[b].leader_epoch > record
        )


def test_an_unobserved_bounce() -> None:
    """KAFKA-7235: a member of the ISR loses its log and is back unnoticed; it is elected, and the record is gone."""
    trace = shortest_run(ElectedNoBrokerEpochs(), "elected_leader_completeness")
    steps = [step.instance for step in trace.steps]
    (lost,) = (step.arguments[0] for step in steps if step.action.name == "restart_empty")
    assert steps[-1].action.name == "become_leader"
    assert steps[-1].arguments[0] == lost
    assert not any(step.action.name.startswith("on_broker") for step in steps)


def test_a_stale_confirmation() -> None:
    """KAFKA-14154: the controller that confirms is not the one that made the last change."""
    steps = [s.instance for s in shortest_run(at("zookeeper-stale-confirmation", {}), "leader_counts_the_isr").steps]
    changes = [step.arguments[0] for step in steps if step.action.name == "alter_isr"]
    assert changes == [1, 2]
    assert (steps[-1].action.name, steps[-1].arguments[0]) == ("confirm_isr", 1)


def test_a_zombie_overwrites() -> None:
    """KAFKA-6082: the first controller elects a leader after the second was elected."""
    run = shortest_run(at("zookeeper-unfenced-controller", {}), "zombies_elect_nobody")
    steps = [step.instance for step in run.steps]
    assert [step.action.name for step in steps] == ["elect_controller", "elect_controller", "elect_leader"]
    assert steps[-1].arguments[0] == 1


def test_broker_epochs_do_not_survive_a_controller() -> None:
    """A bounce between two controllers is noticed by neither, even with KIP-380."""
    steps = [
        step.instance.action.name
        for step in shortest_run(at("zookeeper-lost-disk", {"controllers": 2}), "leader_completeness").steps
    ]
    assert steps[-2:] == ["elect_controller", "become_leader"] and "restart_empty" in steps
