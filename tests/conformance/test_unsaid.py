"""A metadata log without the `server.properties` of a controller: what that sets may be anything that Kafka takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epochal.kafka.validation.controller import MAY_BE, RuleSet, judge_controller, settled
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS
from tests.conformance.made_up import MadeUp

NODE = {"process.roles": "controller"}


def uncleanly_elected() -> MadeUp:
    """The leader is fenced, alone in the ISR, and another replica elected at once."""
    made = MadeUp(min_isr=1, eligible_leader_replicas_version=0)
    made.changes(isr=[1])
    made.changes(isr=[2], leader=2, leaderRecoveryState=1)
    made.is_fenced(1)
    return made


def migrates() -> MadeUp:
    """The ISR shrinks, and a leader epoch begins with it."""
    made = MadeUp(eligible_leader_replicas_version=0)
    made.changes(isr=[1, 2], leader=1)
    made.is_fenced(3)
    return made


def stays_eligible() -> MadeUp:
    """Who leaves an ISR that is too small then stays eligible: no record says how small that is."""
    made = MadeUp()
    made.records = [one for one in made.records if one.kind != "CONFIG_RECORD"]
    made.changes(isr=[1, 2])
    made.is_fenced(3)
    made.changes(isr=[1], eligibleLeaderReplicas=[2])
    made.is_fenced(2)
    return made


@pytest.mark.parametrize(
    ("made", "version", "name", "value"),
    [
        (uncleanly_elected, "4.3.1", "unclean.leader.election.enable", "true"),
        (uncleanly_elected, "3.9.2", "unclean.leader.election.enable", "true"),
        (migrates, "3.9.2", "zookeeper.metadata.migration.enable", "true"),
        (stays_eligible, "4.3.1", "min.insync.replicas", "2"),
    ],
)
def test_what_no_file_says_is_no_refusal(made: Callable[[], MadeUp], version: str, name: str, value: str) -> None:
    """And where the properties of a controller are here, they have said it."""
    log, rules = made().log(), RuleSet(ConfigurableKraft, VERSIONS[version], version)
    assert judge_controller(log, rules).refused != []
    settled_rules, verdict = settled(log, rules)
    assert verdict.refused == [] and settled_rules.static == verdict.assumed == {name: value}
    assert settled(log, rules.with_static({"process.roles": "broker"}))[1].refused == []
    for static in (NODE, {name: MAY_BE[name][0]}):
        assert settled(log, rules.with_static(static))[1].refused != []


def test_what_contradicts_every_setting_is_refused() -> None:
    made = MadeUp()
    made.changes(isr=[1, 2], leader=3)
    made.is_fenced(3)
    rules = RuleSet(ConfigurableKraft, VERSIONS["4.3.1"], "4.3.1")
    known, verdict = settled(made.log(), rules)
    assert verdict.refused != [] and known is rules
