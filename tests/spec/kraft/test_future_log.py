"""A replica that moves to another log directory: what a restart in between may lose (H13)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import with_settings, with_steps
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.settings import Settings

NO_ELR = Settings(elr=False)
ONE = Settings(elr=False, min_insync_replicas=1)


def searched(settings: Settings, rule: bool, properties: tuple[str, ...], **bounds: int) -> CheckResult:
    """One record; bounds that are not given are as small as can be."""
    without = replace(settings, abandoned_future_log_has_caught_up=False)
    kind = with_settings(with_steps(Kraft, without), replace(settings, abandoned_future_log_has_caught_up=rule))
    assert issubclass(kind, FutureLogs)
    least = {name: bound.least for name, bound in kind.bounds_type().declared().items()}
    protocol = kind(kind.bounds_type()(**{**least, "max_epoch": 2, **bounds}))
    return check(protocol, Options(properties=properties, symmetry=True, all_violations=True))


def test_a_replica_moves() -> None:
    """The future log is filled, may fall behind, and takes over; it never has what the current one has not."""
    names = (
        "future_log_is_a_prefix",
        "future_log_takes_over",
        "future_log_behind",
        "log_matching",
        "acknowledged_durable",
    )
    result = searched(Settings(), True, names, replication_factor=2, fencings=1, lossy_crashes=1)
    assert {one.verdict for one in result.properties} == {"holds"}
    steps = {"alter_log_directory", "copy_to_future_log", "assign_future_log", "promote_future_log"}
    assert result.exhaustive and steps.isdisjoint(result.never_taken)


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "bounds", "length"),
    [
        (NO_ELR, {"replication_factor": 2, "fencings": 2}, 12),
        (ONE, {"replication_factor": 1, "fencings": 1}, 8),
        (ONE, {"replication_factor": 1, "crashes": 1}, 9),
    ],
)
def test_a_restart_in_between_loses_what_the_future_log_has_not(
    settings: Settings, bounds: dict[str, int], length: int
) -> None:
    """Without ELR it takes the last member of the ISR; with one replica a restart alone."""
    for rule, found in ((False, length), (True, None)):
        result = searched(settings, rule, ("acknowledged_durable",), **bounds)
        assert result.exhaustive and result.properties[0].length == found
