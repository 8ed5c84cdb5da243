"""What the controller does with brokers that are fenced and still in the ISR, that register, or that shut down.

Each outcome here was executed on the classes of the Kafka release that is named: ReplicationControlManager,
PartitionChangeBuilder, ClusterControlManager and BrokerHeartbeatManager.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from epochal.kafka.validation.controller import Cause, ControllerModel, Outline, Steps
from epochal.kafka.validation.image import NOBODY
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import DIRECTORY_CHANGE_KEEPS_ELR, VERSIONS, numbered
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Status

ALL, B0, B1, B2 = 0b111, 0b001, 0b010, 0b100
BROKERS, PAIR = 3, 2
ENDS = (Status.CRASHED, Status.SHUT_DOWN)


def rules_of(version: str) -> Settings:
    """The rules of a release, with ELR if it has that, and log directories as it treats them."""
    elr = numbered(version) >= (4, 0)
    keeps = numbered(version) >= DIRECTORY_CHANGE_KEEPS_ELR
    return replace(VERSIONS[version], elr=elr, strict_hw=True, directory_change_keeps_elr=keeps)


def caused(version: str, before: Outline, active: int, step: str, broker: int) -> set[Outline]:
    """Where a record beside a change may have led."""
    return set(Steps(ConfigurableKraft, rules_of(version)).by_cause(BROKERS, before, active, Cause(step, broker)))


def free(version: str, before: Outline, active: int, step: str) -> set[Outline]:
    """Where a step may lead that no other record tells of."""
    found = Steps(ConfigurableKraft, rules_of(version)).free(BROKERS, before, active)
    model = ControllerModel(ConfigurableKraft, rules_of(version), BROKERS)
    taken = {model.shape(after) for after in model.after(model.state(before, active), step)}
    assert taken <= found.keys() | {before}
    return taken


def led_by(
    leader: int, isr: int, epoch: int = 1, elr: int = 0, last: int = NOBODY, recovering: bool = False
) -> Outline:
    """A partition with a replica on every broker, and no reassignment."""
    return Outline(leader, epoch, isr, ALL, 0, 0, elr, last, recovering)


# -- a fenced broker that is in the ISR, or leads ----------------------------------------------------------------------


@pytest.mark.parametrize("step", ["fence", "shut_down"])
def test_a_fenced_leader_that_shuts_down_leaves_the_isr(step: str) -> None:
    """3.9.2 (KAFKA-18106): it is let go at once, which fences it again. The record says no more than that."""
    model = ControllerModel(ConfigurableKraft, rules_of("3.9.2"), BROKERS)
    state = model.state(led_by(0, ALL), B1 | B2)
    found = {model.shape(after) for after in model.after(state, step, 0)}
    assert found == {led_by(1, B1 | B2, epoch=2), led_by(2, B1 | B2, epoch=2)}
    assert caused("3.9.2", led_by(0, ALL), B1 | B2, "fence", 0) == found


def test_a_fenced_leader_may_be_the_last_member_of_the_isr() -> None:
    """4.0.2: the last known leader was elected while it was fenced (KAFKA-19522), and shuts down or expires."""
    before = led_by(0, B0, recovering=True)
    after = led_by(NOBODY, 0, epoch=2, elr=B0, last=0, recovering=True)
    assert caused("4.0.2", before, B1 | B2, "fence", 0) == {after}


# -- a broker that registers before it was fenced ----------------------------------------------------------------------


def test_registering_uncleanly_is_one_change() -> None:
    """4.0.2: nobody leads then. Fencing and registering one after the other would elect the fenced one."""
    found = caused("4.0.2", led_by(2, B2), B2, "restart", 2)
    assert led_by(NOBODY, 0, epoch=2, last=2) in found
    assert led_by(2, B2, epoch=3, recovering=True) not in found


def test_registering_does_not_end_a_reassignment_that_it_lets_go_on() -> None:
    """4.3.1: broker 0, which is to join, is elected, and the next change ends the reassignment, not this one."""
    before = Outline(2, 1, B2, ALL, B0, B2, B0 | B1, NOBODY, False)
    found = caused("4.3.1", before, ALL, "restart", 2)
    assert Outline(0, 2, B0, ALL, B0, B2, B1, NOBODY, False) in found
    assert {one.epoch for one in found} == {2}


def test_before_kafka_4_0_registering_changes_nothing() -> None:
    """3.9.2 (KAFKA-18106)."""
    assert caused("3.9.2", led_by(0, ALL), ALL, "restart", 0) == {led_by(0, ALL)}


@pytest.mark.parametrize("version", ["4.4", "3.9.2"])
def test_registering_at_once_is_otherwise_fencing_and_registering(version: str) -> None:
    """Why the core leaves it out: in every state of a controller without reassignments both lead to the same."""
    rules = replace(rules_of(version), registration_fences_the_old_incarnation=True)
    model = ControllerModel(ConfigurableKraft, rules, PAIR)
    compared = 0
    for shape, active in reached(model):
        for broker in (one for one in range(PAIR) if active >> one & 1):
            for status in ENDS:
                stopped = model.stopped(model.state(shape, active), broker, status)
                at_once = {model.shape(one) for one in model.after(stopped, "restart", broker)}
                fenced = model.after(stopped, "fence", broker)
                apart = {model.shape(one) for first in fenced for one in model.after(first, "restart", broker)}
                assert {one._replace(epoch=0) for one in at_once} == {one._replace(epoch=0) for one in apart}
                compared += 1
    assert compared > 20


def reached(model: ControllerModel) -> Iterator[tuple[Outline, int]]:
    """Every state of a controller that fences, unfences, registers and judges AlterPartition, whoever leads first."""
    both = 0b11
    todo = deque((Outline(leader, 0, both, both, 0, 0, 0, NOBODY, False), both) for leader in range(PAIR))
    seen = set(todo)
    while todo:
        shape, active = todo.popleft()
        yield shape, active
        for after in following(model, shape, active):
            if after not in seen:
                seen.add(after)
                todo.append(after)


def following(model: ControllerModel, shape: Outline, active: int) -> Iterator[tuple[Outline, int]]:
    """Where the next request leads; epochs are counted from the present one."""
    found: list[Any] = []
    for broker in range(PAIR):
        step = "fence" if active >> broker & 1 else "unfence"
        found += model.after(model.state(shape, active), step, broker)
        for status in ENDS if not active >> broker & 1 else ():
            found += model.after(model.stopped(model.state(shape, active), broker, status), "restart", broker)
    for isr in range(1, shape.replicas + 1):
        if shape.leader != NOBODY and isr >> shape.leader & 1:
            found += model.after(model.requested(model.state(shape, active), isr), "handle_alter_partition")
    for after in found:
        yield model.shape(after)._replace(epoch=0), active_in(after)


def active_in(state: Any) -> int:
    """The brokers that are active in a state."""
    return sum(1 << place for place, of in enumerate(state.brokers) if not state.registrations[of].fenced)


# -- elections that somebody asks for ----------------------------------------------------------------------------------


def test_a_preferred_leader_is_asked_for_where_nobody_leads() -> None:
    """4.1.2: the last known leader is elected if it is live, and is recovering."""
    found = free("4.1.2", led_by(NOBODY, 0, last=2), B2, "elect_any_leader")
    assert found == {led_by(2, B2, epoch=2, recovering=True)}


def test_a_preferred_leader_is_asked_for_where_a_fenced_broker_leads() -> None:
    """3.9.2: any live member of the ISR takes its place; if there is none, nobody leads, and the ISR stays."""
    assert free("3.9.2", led_by(0, ALL), B2, "elect_any_leader") == {led_by(2, ALL, epoch=2)}
    assert free("3.9.2", led_by(0, B0), B1 | B2, "elect_any_leader") == {led_by(NOBODY, B0, epoch=2)}


def test_a_preferred_leader_is_never_elected_uncleanly() -> None:
    """Whatever `unclean.leader.election.enable` says: ElectLeaders of type PREFERRED does not look at it."""
    rules = replace(rules_of("4.3.1"), unclean_leader_election=True)
    model = ControllerModel(ConfigurableKraft, rules, BROKERS)
    nobody = model.state(led_by(NOBODY, 0, elr=B0), B1 | B2)
    assert list(model.after(nobody, "elect_any_leader")) == []


def test_an_unclean_election_takes_the_last_known_leader_first() -> None:
    """4.1.2: if it is live, and nobody else; 4.0.2 also if it is fenced."""
    assert free("4.1.2", led_by(NOBODY, 0, last=1), B1 | B2, "elect_uncleanly") == {
        led_by(1, B1, epoch=2, recovering=True)
    }
    assert free("4.0.2", led_by(NOBODY, 0, last=0), B1 | B2, "elect_uncleanly") == {
        led_by(0, B0, epoch=2, recovering=True)
    }
    assert free("4.1.2", led_by(NOBODY, 0, last=0), B1 | B2, "elect_uncleanly") == {
        led_by(1, B1, epoch=2, recovering=True),
        led_by(2, B2, epoch=2, recovering=True),
    }


# -- every change elects, and ends a reassignment ----------------------------------------------------------------------


def test_a_directory_that_is_assigned_moves_leadership_away_from_a_fenced_broker() -> None:
    """3.9.2: PartitionChangeBuilder.build does it, whatever the change is about."""
    assert free("3.9.2", led_by(0, ALL), B1 | B2, "assign_directory") == {
        led_by(1, ALL, epoch=2),
        led_by(2, ALL, epoch=2),
    }


def test_a_directory_that_is_assigned_elects_no_last_known_leader_up_to_kafka_4_2() -> None:
    """4.1.2 builds that change as if ELR were off (H3): the last known leader stays what it is."""
    nobody = led_by(NOBODY, 0, last=2)
    assert free("4.1.2", nobody, B2, "assign_directory") == {nobody}
    assert free("4.3.1", nobody, B2, "assign_directory") == {led_by(2, B2, epoch=2, recovering=True)}


@pytest.mark.parametrize("step", ["assign_directory", "elect_any_leader"])
def test_whatever_comes_next_ends_a_reassignment_whose_last_replica_was_elected(step: str) -> None:
    """4.3.1: the ISR of an election is not looked at for the reassignment until the next change is built."""
    before = Outline(2, 1, B2, ALL, B2, B1, 0, NOBODY, True)
    assert free("4.3.1", before, B2, step) == {Outline(2, 2, B2, B0 | B2, 0, 0, 0, NOBODY, True)}


def test_a_reassignment_that_begins_elects_nobody_uncleanly() -> None:
    """AlterPartitionReassignments never sets the type UNCLEAN."""
    rules = replace(rules_of("3.9.2"), unclean_leader_election=True)
    model = ControllerModel(ConfigurableKraft, rules, BROKERS)
    before = Outline(0, 1, B0, B0 | B1, 0, 0, 0, NOBODY, False)
    found = {model.shape(after).leader for after in model.after(model.state(before, B1 | B2), "reassign")}
    assert found == {NOBODY}


@pytest.mark.parametrize("version", ["4.0.2", "4.1.2", "4.3.1", "4.4"])
def test_a_reassignment_fails_if_who_is_added_is_eligible_and_nobody_comes_before_it(version: str) -> None:
    """UNKNOWN_SERVER_ERROR: broker 1 is eligible without being a replica (W4), so that it has no directory.

    Broker 2 is elected only where it stays; if it is to go, broker 1 is looked at before it.
    """
    nobody = led_by(NOBODY, 0, elr=ALL, last=2)._replace(replicas=B0 | B2)
    assert free(version, nobody, B1, "reassign") == {nobody}
    joins = nobody._replace(replicas=ALL, adding=B1)
    assert free(version, nobody._replace(elr=B0 | B2), B1, "reassign") >= {
        joins._replace(elr=B0 | B2),
        joins._replace(elr=B0 | B2, removing=B2),
    }
    led = led_by(2, B2, epoch=2, elr=B0 | B1)._replace(replicas=B0 | B2)
    assert free(version, nobody, B1 | B2, "reassign") == {
        led,
        led._replace(replicas=ALL, adding=B1),
        led._replace(replicas=ALL, adding=B1, removing=B0),
    }
