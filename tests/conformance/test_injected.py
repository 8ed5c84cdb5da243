"""Brokers under random faults: what they left is accepted, and the rules of another version do not fit it."""

from __future__ import annotations

import pytest

import epochal
from epochal.exit_codes import ExitCode
from tests.conformance.evidence import FOLDER, INJECTED


@pytest.mark.usefixtures("without_runs")
@pytest.mark.parametrize("name", INJECTED)
def test_random_faults_are_accepted(name: str) -> None:
    """Dozens of changes of each run, of causes that come in no order that anybody thought of."""
    result = epochal.conform(FOLDER / f"{name}.tar.xz")
    assert result.exit_code == ExitCode.HOLDS, result
    assert result.controller is not None and result.brokers is not None
    assert result.controller.judged >= 30 and result.brokers.accepted > 100
    assert {"fence", "unfence", "handle_alter_partition"} <= result.controller.explained.keys()


@pytest.mark.usefixtures("without_runs")
def test_a_reassignment_ends_by_the_rule_of_its_version() -> None:
    """KAFKA-19975: since 4.3 it is enough that those that were added are in the ISR; 4.2 would go on waiting."""
    archive = FOLDER / "injected-4-4.3.1.tar.xz"
    assert epochal.conform(archive, kafka="4.4").exit_code == ExitCode.HOLDS
    result = epochal.conform(archive, kafka="4.2.1")
    assert result.controller is not None
    refused = [(set(one.before.adding), set(one.found.adding)) for one in result.controller.refused]
    assert refused == [({2}, set()), ({1}, set())]
