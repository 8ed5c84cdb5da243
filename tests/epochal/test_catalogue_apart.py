"""The catalogue searched by several processes: what one process finds, whatever goes wrong with the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

import epochal
from epochal.api.result import Interrupted
from epochal.kafka import catalogue as catalogue_apart
from epochal.kafka.catalogue import CatalogueProgress


def _told(workers: int) -> tuple[Any, str]:
    """Everything but the seconds: the document, and traces with their stories as people see them."""

    def without_seconds(found: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in found.items() if name != "cpu_seconds"}

    result = epochal.catalogue("S9 classic", "S3", workers=workers)
    document = json.loads(json.dumps(result.to_dict()), object_hook=without_seconds)
    return document, "\n".join(f"{one.trace}\n{one.replayed}" for one in result.results or ())


@pytest.mark.long
def test_processes_say_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results, replayed traces and stories; also where every other process dies."""
    monkeypatch.setattr(catalogue_apart, "FEWEST", 1)
    alone = _told(1)
    assert _told(2) == alone
    monkeypatch.setattr("epochal.checker.workers.pool.WORKER", "tests.checker.workers.losing_worker")
    monkeypatch.setenv("EPOCHAL_TEST_WORKER", "dies")
    assert _told(2) == alone


@pytest.mark.long
def test_ctrl_c_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And says that entries are left."""
    monkeypatch.setattr(catalogue_apart, "FEWEST", 1)

    def press(now: CatalogueProgress) -> None:
        if now.done:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        epochal.catalogue("S9 classic", "S3", workers=2, progress=press)
    found = stopped.value.result
    assert found.exit_code == epochal.ExitCode.INCONCLUSIVE and len(found.results) == 1  # type: ignore[attr-defined]  # of a catalogue
