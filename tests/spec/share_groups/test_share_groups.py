"""Share groups: with every rule nothing is skipped, and without one of them a shortest run shows what it is for."""

from __future__ import annotations

from typing import ClassVar

import pytest

from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.share_groups import BUGS
from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered
from epochal.spec.share_groups.share_groups import ShareGroups
from epochal.spec.share_groups.state import DeliveryState
from epochal.spec.share_groups.switches import ShareAlterKeepsEpoch, ShareOwnWritesLate
from tests.spec.searches import assert_both_engines_agree, judged, named, shortest_run, violated, witnesses

NOTHING_FAILS = {"deletions": 0, "failovers": 0, "resets": 0}
SMALL = {"writes": 1, **NOTHING_FAILS}

SOUND: tuple[tuple[str, dict[str, int], int, int], ...] = (
    ("share-groups", SMALL, 10_148, 37),
    ("share-groups", {"writes": 1}, 86_941, 38),
    ("share-groups", {"records": 2, **SMALL}, 1_897_978, 59),
    ("share-groups", {"records": 3, "max_epoch": 0, **SMALL}, 2_113_455, 63),
    ("share-groups-unclean", {"writes": 1}, 221_528, 46),
)
"""Distinct states and depth; these figures are this specification's own."""

IN_THE_GATE = (
    pytest.param("share-groups", {"members": 2, "writes": 1}, 142_745, 38, marks=pytest.mark.long),
    pytest.param("share-groups", {}, 1_973_541, 46, marks=pytest.mark.long),
)
"""Two more, which are models of the gate in pyproject.toml."""


@pytest.mark.parametrize(("name", "bounds", "states", "depth"), [*SOUND, *IN_THE_GATE], ids=str)
def test_with_every_rule_nothing_is_skipped(name: str, bounds: dict[str, int], states: int, depth: int) -> None:
    result = judged(named(name, bounds))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (states, depth)
    assert None not in witnesses(result).values()
    assert bounds or result.never_taken == ()


@pytest.mark.long
def test_with_two_records_whatever_fails() -> None:
    result = judged(named("share-groups", {"records": 2, "writes": 1}))
    assert violated(result) == {}
    assert (result.distinct_states, result.depth) == (26_797_418, 61)


BROKEN = {
    "KAFKA-18494": {"nothing_is_skipped": 22},
    "KAFKA-19436": {"nothing_is_skipped": 12},
    "KAFKA-19859": {"start_never_goes_back": 20},
    "SG7": {"nothing_is_skipped": 12, "acknowledged_is_not_delivered_again": 16},
    "KAFKA-20742": {"nothing_is_skipped": 6},
    "SG6": {"acknowledged_is_not_delivered_again": 25, "start_never_goes_back": 20},
    "KAFKA-20910": {"nothing_is_skipped": 16, "acknowledged_is_not_delivered_again": 15},
    "SG1": {"nothing_is_skipped": 11, "only_what_is_over_is_passed": 14},
    "SG2": {"nothing_is_skipped": 7},
    "SG3": {"fenced_leader_is_refused": 9},
    "SG4": {"nothing_is_skipped": 20},
    "SG5": {"acknowledged_is_not_delivered_again": 25},
    "SG8": {"nothing_is_skipped": 8},
}
"""What each of the known bugs breaks at its bounds, with the number of states of the shortest run."""


def without_rule(bug: KnownBug) -> Protocol:
    """The protocol of a bug, within its bounds."""
    return instantiate(registered(bug.without_rule), dict(bug.other_bounds))


def bug_of(id: str) -> KnownBug:
    """The bug with this id."""
    return next(one for one in BUGS if one.id == id)


def is_in_sound(bug: KnownBug) -> bool:
    """Whether a row of SOUND has its bounds, or those and more that may happen: every property holds there."""
    kind = registered(bug.with_rule)
    own = instantiate(kind, dict(bug.other_bounds)).bounds.as_dict()
    rows = [named(name, bounds).bounds.as_dict() for name, bounds, *_ in SOUND if name == bug.with_rule]
    free = ("max_epoch", "deletions", "failovers", "resets")
    return any(all(row[k] == n or (k in free and row[k] > n) for k, n in own.items()) for row in rows)


LARGE = ("KAFKA-19436", "KAFKA-19859", "SG4")
"""More than five million states, of which the first violation needs a part."""
TWICE = pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.long)])


@TWICE
def test_without_a_rule(large: bool) -> None:
    """What is listed is violated, by a run of that length, and everything else holds; the catalogue names all of it."""
    for bug in BUGS:
        assert set(bug.properties) == BROKEN[bug.id].keys()
        assert bug.property_id == bug.properties[0]
        if bug.id in LARGE and not large:
            assert shortest_run(without_rule(bug), bug.property_id).length == BROKEN[bug.id][bug.property_id]
        elif (bug.id in LARGE) == large:
            assert violated(judged(without_rule(bug))) == BROKEN[bug.id], bug.id


@TWICE
def test_with_the_rule_within_the_same_bounds(large: bool) -> None:
    """That of KAFKA-19859 has eleven million states; the catalogue searches it."""
    for bug in [one for one in BUGS if (one.id == "KAFKA-19436") == large and one.id != "KAFKA-19859"]:
        if not is_in_sound(bug):
            result = judged(instantiate(registered(bug.with_rule), dict(bug.other_bounds)))
            assert not set(bug.properties) & violated(result).keys(), bug.id


def test_every_bug_is_told() -> None:
    assert BROKEN.keys() == {bug.id for bug in BUGS}
    assert [bug.id for bug in BUGS if is_in_sound(bug)] == ["KAFKA-18494", "SG7", "SG1", "SG2", "SG3", "SG8"]


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("share-groups", {"deliveries": 1, "max_epoch": 0, "writes": 1, "failovers": 0}),
        ("share-groups-state-outlives-records", {"deliveries": 1, **SMALL}),
    ],
)
def test_machine_code_and_python_agree(name: str, bounds: dict[str, int]) -> None:
    assert_both_engines_agree(named(name, bounds))


# -- what the rules do ------------------------------------------------------------------------------------------------


def test_of_two_writes_that_of_the_later_delivery_counts() -> None:
    """PersisterStateBatchCombiner: the greater delivery count, then the greater id of the state (RecordState)."""
    ids = {
        DeliveryState.NONE: -1,
        DeliveryState.AVAILABLE: 0,
        DeliveryState.ACKNOWLEDGED: 2,
        DeliveryState.ARCHIVED: 4,
    }
    known = [(state, count) for state in ids for count in ((0,) if state == DeliveryState.NONE else (1, 2))]
    protocol = named("share-groups", {"deliveries": 2})
    assert isinstance(protocol, ShareGroups)
    for state, count in known:
        for other, others in known:
            protocol.persisted.records[0].state = state
            protocol.persisted.records[0].count = count
            protocol.writes[0].state = other
            protocol.writes[0].count = others
            assert protocol.supersedes(0, 0) == ((others, ids[other]) > (count, ids[state]))


def test_a_record_is_delivered_as_often_as_may_be() -> None:
    """With one delivery a record that is released is archived, and never available again."""
    run = shortest_run(named("share-groups", {"deliveries": 1, **SMALL}), "record_is_archived")
    assert "acquire" in {step.instance.action.name for step in run.steps}
    twice = shortest_run(named("share-groups", {"deliveries": 2, **SMALL}), "record_is_archived")
    assert len(twice.steps) > len(run.steps)


def test_a_write_is_first_awaited_by_its_leader() -> None:
    """The run of SG4 ends with a write for which nobody waits any more."""
    run = shortest_run(without_rule(bug_of("SG4")), "nothing_is_skipped")
    names = [step.instance.action.name for step in run.steps]
    assert names.index("forget_partition") < names.index("make_anew") < len(names) - 1
    assert "take_write" in names[names.index("make_anew") :]


def test_the_start_offset_passes_an_acknowledgement() -> None:
    """The run of KAFKA-19436: the write of a lock that timed out is given up, while r0 is being acknowledged."""
    run = shortest_run(without_rule(bug_of("KAFKA-19436")), "nothing_is_skipped")
    names = [step.instance.action.name for step in run.steps]
    assert names[-3:] == ["acquire", "acknowledge", "give_up"]
    assert "time_out" in names
    assert "release" not in names


def test_a_late_write_undoes_the_second_alteration() -> None:
    """KAFKA-20910: the first one has a state epoch of its own, for the last member has left before it."""
    run = shortest_run(without_rule(bug_of("KAFKA-20910")), "nothing_is_skipped")
    names = [step.instance.action.name for step in run.steps]
    assert [name for name in names if name == "alter_offsets"] == ["alter_offsets"] * 2
    second = len(names) - 1 - names[::-1].index("alter_offsets")
    assert "take_write" in names[second:]
    once = instantiate(ShareAlterKeepsEpoch, {**bug_of("KAFKA-20910").bounds, "resets": 1})
    assert violated(judged(once)) == {}


class ShareGroupsAsInKafka44(ShareOwnWritesLate):
    """What Kafka 4.4 has of share groups, with all that this project derives from its sources but SG8."""

    name: ClassVar[str] = "share-groups-as-in-kafka-4.4"
    persists_first_start: ClassVar[bool] = False
    initialize_knows_leader: ClassVar[bool] = False
    new_group_bumps_epoch: ClassVar[bool] = False


def test_what_kafka_breaks_and_what_it_keeps() -> None:
    """Start offsets and delivery counts go forward, and locks hold; what does not is told by SG2 to SG5."""
    result = judged(instantiate(ShareGroupsAsInKafka44, {"writes": 1, "deletions": 0}))
    assert violated(result).keys() == {"nothing_is_skipped", "fenced_leader_is_refused"}
