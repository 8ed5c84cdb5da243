"""Runs of the ZooKeeper era: what each fence is for, told by a shortest run without it."""

from __future__ import annotations

from typing import ClassVar

from epochal.spec.language import invariant
from epochal.spec.zookeeper.lost_disk import ZooKeeperNoBrokerEpochs
from tests.spec.searches import named, shortest_run


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
    steps = [s.instance for s in shortest_run(named("zookeeper-stale-confirmation"), "leader_counts_the_isr").steps]
    changes = [step.arguments[0] for step in steps if step.action.name == "alter_isr"]
    assert changes == [1, 2]
    assert (steps[-1].action.name, steps[-1].arguments[0]) == ("confirm_isr", 1)


def test_a_zombie_overwrites() -> None:
    """KAFKA-6082: the first controller elects a leader after the second was elected."""
    run = shortest_run(named("zookeeper-unfenced-controller"), "zombies_elect_nobody")
    steps = [step.instance for step in run.steps]
    assert [step.action.name for step in steps] == ["elect_controller", "elect_controller", "elect_leader"]
    assert steps[-1].arguments[0] == 1


def test_broker_epochs_do_not_survive_a_controller() -> None:
    """A bounce between two controllers is noticed by neither, even with KIP-380."""
    steps = [
        step.instance.action.name
        for step in shortest_run(named("zookeeper-lost-disk", {"controllers": 2}), "leader_completeness").steps
    ]
    assert steps[-2:] == ["elect_controller", "become_leader"] and "restart_empty" in steps
