"""Share groups on Kafka's own classes: what they skip is shown, and what a release has mended is closed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import epochal
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.itf_reader import read_trace
from epochal.checker.trace.trace import Step
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue import trace_file
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.driven import Harness
from epochal.kafka.lockstep.harness import SHARE_GROUPS, running
from epochal.kafka.lockstep.sharing import models
from epochal.kafka.lockstep.sharing.directed import DrivenShareGroup, play
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.share_groups import BUGS
from epochal.spec.registry import registered
from epochal.spec.share_groups.state import ShareGroupState
from epochal.spec.share_groups.unclean import ShareStateOutlivesRecords
from tests.lockstep.conftest import Released
from tests.lockstep.shown import RELEASES

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
WITH_SHARE_GROUPS = RELEASES[1:]
WITH_GROUP_COORDINATOR = RELEASES[2:]
NEWEST = RELEASES[-1]

START_FORGOTTEN = RUNS / (
    "share-groups-start-not-persisted-nothing-is-skipped-writes-1-deletions-0-failovers-0-resets-0.itf.json"
)
ALTERED_AGAIN = RUNS / (
    "share-groups-alter-keeps-epoch-nothing-is-skipped-records-2-max-epoch-0-writes-1-deletions-0-failovers-0-resets-2"
    ".itf.json"
)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", WITH_SHARE_GROUPS)
def test_every_release_forgets_where_a_group_has_begun(released: Released, version: str) -> None:
    """SG2: the leader changes before anything was acknowledged, and the next one begins at the end of the log."""
    released(version)
    result = epochal.lockstep_run(START_FORGOTTEN, kafka=version)
    assert result.exit_code == ExitCode.VIOLATED, str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", WITH_GROUP_COORDINATOR)
def test_offsets_that_are_altered_twice_keep_their_state_epoch(released: Released, version: str) -> None:
    """KAFKA-20910: what the group coordinator initializes is Kafka's own, and so is what refuses a write."""
    released(version)
    result = epochal.lockstep_run(ALTERED_AGAIN, kafka=version)
    assert result.exit_code == ExitCode.VIOLATED, str(result)


LATE_WRITE = (
    "share|2|earliest|0",
    "produce",
    "read:0",
    "hear_state:0",
    "acquire:m1",
    "acknowledge:m1:0:0",
    "alter:0:1",
    "take_write:0",
)
"""The write of an acknowledgement comes after the offsets were altered once, when the last member had left."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", WITH_GROUP_COORDINATOR)
def test_a_write_of_before_the_last_member_left_is_refused(released: Released, version: str) -> None:
    """The member that leaves raises the group epoch, with which the state is initialized anew."""
    released(version)
    with running(SHARE_GROUPS, kafka_classes(version, None)) as kafka:
        answers = [json.loads(one) for one in kafka.ask(LATE_WRITE)]
    assert answers[-1]["answers"] == ["FENCED_STATE_EPOCH"]
    before, after = (one["state"]["persisted"]["stateEpoch"] for one in (answers[0], answers[-1]))
    assert before < after


@pytest.mark.lockstep
def test_before_4_0_there_are_none(released: Released) -> None:
    released(RELEASES[0])
    with pytest.raises(epochal.EpochalError, match=r"Kafka 3\.9\.2 has none"):
        epochal.lockstep_run(START_FORGOTTEN, kafka=RELEASES[0])


FIXES = ("SG2", "SG3", "KAFKA-20910")
LEFT_AT = {
    "KAFKA-18494": 21,
    "KAFKA-19436": 11,
    "KAFKA-19859": 19,
    "SG7": 10,
    "KAFKA-20742": 0,
    "SG6": 18,
    "KAFKA-20910": 9,
    "SG2": 2,
    "SG3": 6,
}
"""The step at which 4.4.0 with these fixes leaves the committed run of a hole: the one of the rule that it has."""


@pytest.mark.lockstep
def test_with_its_fixes_the_newest_release_takes_the_runs_of_the_catalogue_to_their_rules(released: Released) -> None:
    """A leader that persists its first start offset follows them: open holes are shown, and the others left."""
    released(NEWEST)
    with running(SHARE_GROUPS, kafka_classes(NEWEST, None, fixes=FIXES)) as kafka:
        played = {bug.id: play(kafka, read_trace(RUNS / _file(bug), registered)) for bug in BUGS}
    assert {id: one.taken for id, one in played.items() if one.differs or one.taken == 0} == LEFT_AT
    assert {id for id, one in played.items() if one.holds is False} == {"SG1", "SG4", "SG5", "SG8"}


def _file(bug: KnownBug) -> str:
    return trace_file(bug.without_rule, bug.property_id, bug.other_bounds)


# -- random runs ------------------------------------------------------------------------------------------------------
# All that the specification has at once, with the rules of a release.

LARGE = {"records": 3, "members": 2, "deliveries": 3, "max_epoch": 2, "writes": 2}
STEPS = 50


def random_run(kafka: Harness, protocol: ShareGroupState, dice: random.Random) -> DrivenShareGroup:
    """A run of so many steps, or to the first difference. Each action is as likely as another."""
    semantics = PythonSemantics(protocol)
    driven = DrivenShareGroup(kafka, protocol, protocol.initial_states()[0])
    while len(driven.steps) < STEPS:
        by_action: dict[str, list[Step]] = {}
        for instance, codes in semantics.successors(driven.codes):
            by_action.setdefault(instance.action.name, []).append(Step(instance, codes))
        if driven.take(dice.choice(by_action[dice.choice(sorted(by_action))])):
            break
    return driven


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[3:])
def test_random_runs_are_the_same(released: Released, version: str) -> None:
    """From 4.2 on: before, a record whose release is being written holds those behind it back."""
    released(version)
    protocol = models.released(ShareStateOutlivesRecords, version)(None, **LARGE)
    with running(SHARE_GROUPS, kafka_classes(version, None)) as kafka:
        for seed in range(6):
            driven = random_run(kafka, protocol, random.Random(seed))
            assert driven.differs() == (), driven.trace.steps[-1].instance.label
            assert len(driven.steps) == STEPS
