"""Reassignment (KIP-455): replicas come, go and come back, and committed records stay."""

from __future__ import annotations

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.reassignment import Reassignment, ReassignmentBounds
from epochal.spec.kraft.settings import ReassignmentEnds, Settings


class ReassignmentKraft(Reassignment, Kraft):
    """The modern protocol, with replicas that are taken away and given back."""


SAFE = (
    "committed_never_lost",
    "leader_candidate_completeness",
    "expansion_safe",
    "isr_has_replicas",
    "elr_has_replicas",
    "isr_and_elr",
)


def searched(
    settings: Settings, properties: tuple[str, ...], everything: bool = False, /, **bounds: int
) -> CheckResult:
    """Three brokers, one record; bounds that are not given are as small as can be."""
    least = {name: bound.least for name, bound in ReassignmentBounds.declared().items()}
    small = ReassignmentBounds(**{**least, "replication_factor": 3, "records": 1, "metadata_lag": 1, **bounds})
    protocol = with_settings(ReassignmentKraft, settings)(small)
    return check(protocol, Options(properties=properties, symmetry=True, all_violations=everything))


def test_replicas_are_exchanged() -> None:
    """One is taken out, given back in place of another, or not after all; the leader may be the one that goes."""
    mechanisms = ("reassignment_waits", "reassignment_moves_leader")
    result = searched(Settings(), (*SAFE, *mechanisms), max_epoch=3, reassignments=3)
    assert {p.member.name: p.verdict for p in result.properties} == dict.fromkeys((*SAFE, *mechanisms), "holds")
    assert {"reassign", "cancel_reassignment", "handle_alter_partition"}.isdisjoint(result.never_taken)


EXCHANGED = {"max_epoch": 2, "lossy_crashes": 1, "shrinks": 1}


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "reassignments", "length"),
    [
        (ReassignmentEnds.ALL_ADDED, 1, 11),
        (ReassignmentEnds.ALL_TARGETS, 2, None),
        (ReassignmentEnds.ALL_ADDED_IF_AS_MANY, 2, None),
    ],
)
def test_when_a_reassignment_may_end(rule: ReassignmentEnds, reassignments: int, length: int | None) -> None:
    """KAFKA-15665: to wait for new replicas only leaves too few copies: one lossy crash loses what had two.

    KAFKA-19975, which waits for fewer again where as many come as go, loses nothing at these bounds.
    """
    settings = Settings(reassignment_ends=rule)
    result = searched(settings, ("committed_never_lost",), **EXCHANGED, reassignments=reassignments)
    (found,) = result.properties
    assert (found.verdict, found.length) == (("violated", length) if length else ("holds", None))
    assert result.exhaustive or length


@pytest.mark.long
def test_without_elr_the_rules_of_3_8_and_4_3_lose_the_same() -> None:
    """The last member of the ISR without its log (S20): runs of the same lengths with both rules."""
    asked = (*SAFE, "acknowledged_durable")
    lengths = []
    for rule in (ReassignmentEnds.ALL_TARGETS, ReassignmentEnds.ALL_ADDED_IF_AS_MANY):
        result = searched(Settings(elr=False, reassignment_ends=rule), asked, True, **EXCHANGED, reassignments=2)
        assert result.exhaustive
        lengths.append({p.member.name: p.length for p in result.properties if p.verdict == "violated"})
    told = {
        "leader_candidate_completeness": 13,
        "acknowledged_durable": 17,
        "committed_never_lost": 21,
        "expansion_safe": 22,
    }
    assert lengths == [told, told]


def test_a_ghost_among_the_eligible() -> None:
    """W4: who leaves the partition stays eligible, and with the rule of KAFKA-19975 four steps earlier."""
    lengths = []
    for rule in (ReassignmentEnds.ALL_TARGETS, ReassignmentEnds.ALL_ADDED_IF_AS_MANY):
        settings = Settings(elr_has_only_replicas=False, reassignment_ends=rule)
        result = searched(settings, ("elr_has_replicas",), max_epoch=3, reassignments=3, shrinks=1)
        lengths.append(result.properties[0].length)
    assert lengths == [20, 16]
