"""Reassignments that override each other (KIP-455), and `kraft-reassignment`, which judges the rule of a version."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import with_settings, with_steps
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.overlapping import OverlappingReassignments
from epochal.spec.kraft.reassigned import KraftReassignment
from epochal.spec.kraft.settings import ALONE, ReassignmentEnds, Settings
from epochal.spec.language import BoundsError, SettingValue
from epochal.spec.language.configurable import with_configuration

ASKED = ("reassignment_can_complete", "replicas_as_asked_for")
SMALL = {"replication_factor": 2, "lossy_crashes": 0, "reassignments": 3, "max_epoch": 2, "metadata_lag": 2}


def lengths(settings: Settings) -> list[int | None]:
    """How long the shortest runs are that break what overrides promise, on two brokers."""
    unsound = replace(settings, override_starts_anew=False)
    kind = with_settings(with_steps(Kraft, unsound), settings)
    least = {name: bound.least for name, bound in kind.bounds_type().declared().items()}
    protocol = kind(kind.bounds_type()(**{**least, **SMALL}))
    result = check(protocol, Options(properties=ASKED, all_violations=True, symmetry=True))
    assert result.exhaustive
    return [one.length for one in result.properties]


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "never_complete"),
    [
        (ReassignmentEnds.ALL_ADDED, 6),
        (ReassignmentEnds.ALL_TARGETS, None),
        (ReassignmentEnds.ALL_ADDED_IF_AS_MANY, 6),
    ],
)
def test_what_an_override_leaves_behind(rule: ReassignmentEnds, never_complete: int | None) -> None:
    """H7: with the rules of 3.7 and of 4.3 a reassignment may never complete, with that of 3.8 it always can.

    With every rule the last request may not be what the partition ends up with.
    """
    assert lengths(replace(ALONE, reassignment_ends=rule, override_starts_anew=False)) == [never_complete, 8]


@pytest.mark.long
def test_an_override_that_starts_anew_leaves_nothing_behind() -> None:
    assert lengths(replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY)) == [None, None]


def of_version(kafka: str | None, properties: tuple[str, ...], **bounds: int) -> CheckResult:
    """`kraft-reassignment` of a version on two brokers, with one replica that is enough."""
    said: dict[str, SettingValue] = {"min_insync_replicas": 1, **({} if kafka is None else {"kafka": kafka})}
    kind = with_configuration(KraftReassignment, said)
    assert issubclass(kind, OverlappingReassignments)
    protocol = kind(kind.bounds_type()(**{**SMALL, **bounds}))
    return check(protocol, Options(properties=properties, all_violations=True))


def test_known_counts() -> None:
    """And every step is taken, none of them breaks what it must not."""
    names = ("reassignment_waits", "reassignment_moves_leader", "reassignment_overridden")
    result = of_version(None, (*ASKED, "isr_has_replicas", "elr_has_replicas", *names))
    assert {one.verdict for one in result.properties} == {"holds"}
    assert result.exhaustive
    assert (result.distinct_states, result.depth) == (3082, 17)
    taken = {"reassign", "override_reassignment", "cancel_reassignment", "handle_alter_partition"}
    assert taken.isdisjoint(result.never_taken)


@pytest.mark.long
@pytest.mark.parametrize(("kafka", "found"), [("4.2", [None, 8]), ("4.3", [6, 8])])
def test_a_version_is_judged_by_its_rule(kafka: str, found: list[int | None]) -> None:
    assert [one.length for one in of_version(kafka, ASKED).properties] == found


@pytest.mark.long
@pytest.mark.parametrize(("kafka", "length"), [(None, None), ("3.7", None), ("4.2", 18), ("4.3", 15)])
def test_a_ghost_among_the_eligible_of_a_version(kafka: str | None, length: int | None) -> None:
    """W4 at the default bounds: three brokers, one of which loses the end of its log."""
    kind = with_configuration(KraftReassignment, {} if kafka is None else {"kafka": kafka})
    result = check(kind(), Options(properties=("elr_has_replicas",), symmetry=True))
    assert result.properties[0].length == length


def test_kraft_2_8_could_not_reassign() -> None:
    with pytest.raises(BoundsError, match="cannot reassign partitions"):
        with_configuration(KraftReassignment, {"kafka": "2.8"})
    with_configuration(KraftReassignment, {"kafka": "3.0"})
