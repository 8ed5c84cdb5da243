"""The log of a transaction coordinator: a decision that is carried out before it is replicated tears a transaction."""

from __future__ import annotations

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.spec.kraft.options.transaction_log import TransactionLog
from epochal.spec.kraft.settings import Settings
from tests.spec.kraft.test_options import least, of

TORN = Settings(markers_wait_for_replicated_decision=False)


@pytest.mark.parametrize(
    ("bounds", "torn", "told"),
    [
        ({"replication_factor": 3, "max_epoch": 2, "fencings": 1, "elections": 1}, 14, 14),
        ({"replication_factor": 3, "max_epoch": 2, "fencings": 2}, 18, 18),  # no election of a live leader
        ({"max_epoch": 3, "fencings": 1, "elections": 2}, 11, 18),  # a leader that missed a term loads its own record
    ],
    ids=["an election and a shutdown", "a shutdown and a fencing", "two replicas"],
)
def test_shortest_runs(bounds: dict[str, int], torn: int, told: int) -> None:
    """By clean events alone, a transaction is torn, and one is aborted somewhere whose producer was told of success."""
    faulty = least(of(TransactionLog, TORN), records=2, metadata_lag=2, **bounds)
    for name, states in (("atomic", torn), ("told_is_kept", told)):
        found = check(faulty, Options(properties=(name,), symmetry=True))
        assert [one.length for one in found.properties if one.verdict == "violated"] == [states], name


def test_what_waits_is_atomic() -> None:
    """Also where a broker loses the end of its log: the transaction completes, and is never torn."""
    sound = least(of(TransactionLog), records=2, max_epoch=3, lossy_crashes=1, fencings=1, elections=2)
    asked = ("atomic", "told_is_kept", "transaction_completes")
    result = check(sound, Options(properties=asked, symmetry=True))
    assert result.exhaustive
    assert {one.member.name: one.verdict for one in result.properties} == {
        "atomic": "holds",
        "told_is_kept": "holds",
        "transaction_completes": "holds",
    }
