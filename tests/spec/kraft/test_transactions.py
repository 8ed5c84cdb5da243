"""Transactions of one partition: who ends them, and what consumers see that read what is committed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.spec.kraft.configuration import configured
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.last_stable_offset import LastStableOffset
from epochal.spec.kraft.settings import Settings
from tests.spec.kraft.test_producers import verdicts

PROMISES = ("no_hanging_transaction", "aborted_is_never_visible", "stable_is_decided", "visible_stays")
WITNESSES = (
    "waits_for_the_transaction",
    "waits_for_the_marker",
    "committed_transaction_is_visible",
    "marker_is_written_again",
)
VERSION_1 = Settings(epoch_per_transaction=False, late_markers_refused=False)
ONE_BROKER = {"replication_factor": 1, "records": 3, "transactions": 2}


class TransactionalKraft(LastStableOffset, Kraft):
    """The modern protocol, with a transactional producer."""


def test_transactions_end_wherever_the_leader_is() -> None:
    """A marker is written until it is replicated; what a consumer saw stays, and is never what was aborted."""
    result, found = verdicts(
        TransactionalKraft, Settings(), (*PROMISES, *WITNESSES), records=2, max_epoch=1, elections=1
    )
    assert {verdict for verdict, _ in found.values()} == {"holds"}
    assert [found[name][1] for name in WITNESSES] == [5, 7, 8, 6]
    assert result.distinct_states == 887


@pytest.mark.long
def test_transactions_end_whatever_fails() -> None:
    """Two transactions, and every fault of the default bounds; nobody takes a late batch or a late marker."""
    faults = {"max_epoch": 2, "metadata_lag": 2, "lossy_crashes": 1, "fencings": 1, "shrinks": 1, "elections": 1}
    result, found = verdicts(
        TransactionalKraft, Settings(), (*PROMISES, *WITNESSES), records=3, transactions=2, **faults
    )
    assert {verdict for verdict, _ in found.values()} == {"holds"}
    assert result.distinct_states == 13_001_317


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        (Settings(), {}),
        (Settings(epoch_per_transaction=False), {"aborted_is_never_visible": 10}),
        (Settings(late_markers_refused=False), {"aborted_is_never_visible": 9, "stable_is_decided": 8}),
        (
            replace(VERSION_1, transactions_verified=False),
            {"no_hanging_transaction": 7, "aborted_is_never_visible": 9, "stable_is_decided": 8},
        ),
    ],
)
def test_what_each_rule_is_for(settings: Settings, broken: dict[str, int]) -> None:
    """Of two transactions at one broker; where both epochs are the same, the rules of KIP-890 and KIP-1228 are two."""
    _, found = verdicts(TransactionalKraft, settings, PROMISES, **ONE_BROKER)
    assert {name: length for name, (verdict, length) in found.items() if verdict == "violated"} == broken


def test_a_release_has_its_transactions_where_there_are_some() -> None:
    """Verification came with 3.6, version 2 with 4.0, and late markers are refused since 4.2."""

    class Mine(LastStableOffset, configured()):  # type: ignore[misc]  # a class that is made of settings
        """With a transactional producer."""

    def rules(kafka: str) -> tuple[bool, bool, bool]:
        settings = Mine.configured({"kafka": kafka}).settings
        return settings.transactions_verified, settings.epoch_per_transaction, settings.late_markers_refused

    assert [rules(kafka) for kafka in ("3.5", "3.6", "4.0", "4.2")] == [
        (False, False, False),
        (True, False, False),
        (True, True, False),
        (True, True, True),
    ]
    assert configured(kafka="3.5").settings.transactions_verified, "a class without them takes no part"
