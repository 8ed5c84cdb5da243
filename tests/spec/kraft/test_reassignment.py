"""Reassignment (KIP-455): replicas come, go and come back, and committed records stay."""

from __future__ import annotations

import pytest

from epochal.checker.search.breadth_first import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.reassignment import Reassignment, ReassignmentBounds
from epochal.spec.kraft.settings import Settings


class ReassignmentKraft(Reassignment, Kraft):
    """The modern protocol, with replicas that are taken away and given back."""


SAFE = ("committed_never_lost", "leader_candidate_completeness", "expansion_safe", "isr_has_replicas", "isr_and_elr")


def searched(settings: Settings, properties: tuple[str, ...], **bounds: int) -> CheckResult:
    """Three brokers, one record; bounds that are not given are as small as can be."""
    least = {name: bound.least for name, bound in ReassignmentBounds.declared().items()}
    small = ReassignmentBounds(**{**least, "replication_factor": 3, "records": 1, "metadata_lag": 1, **bounds})
    protocol = with_settings(ReassignmentKraft, settings)(small)
    return check(protocol, Options(properties=properties, symmetry=True))


def test_replicas_are_exchanged() -> None:
    """One is taken out, given back in place of another, or not after all; the leader may be the one that goes."""
    mechanisms = ("reassignment_waits", "reassignment_moves_leader")
    result = searched(Settings(), (*SAFE, *mechanisms), max_epoch=3, reassignments=3)
    assert {p.member.name: p.verdict for p in result.properties} == dict.fromkeys((*SAFE, *mechanisms), "holds")
    assert {"reassign", "cancel_reassignment", "handle_alter_partition"}.isdisjoint(result.never_taken)


@pytest.mark.long
@pytest.mark.parametrize("waits", [False, True])
def test_complete_when_all_who_stay_are_in_the_isr(waits: bool) -> None:
    """KAFKA-15665: to wait for new replicas only leaves too few copies: one lossy crash loses what had two."""
    bounds = {"max_epoch": 2, "lossy_crashes": 1, "shrinks": 1, "reassignments": 1}
    result = searched(Settings(reassignment_waits_for_all=waits), ("committed_never_lost",), **bounds)
    (found,) = result.properties
    assert (found.verdict, found.length) == (("holds", None) if waits else ("violated", 11))
    assert result.exhaustive or not waits
