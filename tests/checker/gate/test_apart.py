"""Several models that nothing is known of are searched side by side, and judged as if one process had done it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import epochal
from epochal.api.gate import GateResult
from epochal.checker.gate import session as apart
from epochal.cli.main import main
from tests.checker.gate.conftest import SEALED, Repository

MODELS = "".join(
    f"[model.m{number}]\nprotocol = 'kip-{kip}'\nbounds = {{ replicas = 2, log-size = {size}, max-epoch = 1 }}\n"
    for number, (kip, size) in enumerate((("320", 1), ("279", 1), ("320", 2)))
)


def _gate(folder: Path, monkeypatch: pytest.MonkeyPatch, processors: int) -> tuple[GateResult, list[str]]:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(folder / f"cache-{processors}"))
    monkeypatch.setattr(apart, "usable_processors", lambda: processors)
    heard: list[str] = []
    return epochal.gate(tell=heard.append), heard


@pytest.fixture(autouse=True)
def three_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: Repository) -> None:
    """Three models whose behaviour is approved, and caches with machine code alone."""
    monkeypatch.setenv("EPOCHAL_CACHE_KEY", SEALED)
    for name in ("cache", "cache-1", "cache-2"):
        shutil.copytree(recorded.cache / "objects", tmp_path / name / "objects")
    (tmp_path / "epochal.toml").write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    done = CliRunner().invoke(main, ["gate", "approve", "--reason", "at first"])
    assert done.exit_code == 0, done.output


def _without_times(result: GateResult) -> Any:
    document = result.to_dict()
    return [{key: value for key, value in model.items() if key != "wall_seconds"} for model in document["models"]]


def test_the_verdicts_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records too, and where they are from: a search, and the next time the cache."""
    beside, heard = _gate(tmp_path, monkeypatch, 2)
    alone, _ = _gate(tmp_path, monkeypatch, 1)
    assert "checking 3 models, 2 at a time" in heard and sum(one.startswith("checked ") for one in heard) == 3
    assert _without_times(beside) == _without_times(alone) and beside.exit_code == alone.exit_code
    assert {model["source"] for model in beside.to_dict()["models"]} == {"search"}
    again, heard = _gate(tmp_path, monkeypatch, 2)
    assert {model["source"] for model in again.to_dict()["models"]} == {"cache"} and heard == []


@pytest.mark.long
def test_what_a_process_cannot_answer_the_gate_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.checker.workers.pool.WORKER", "tests.checker.workers.losing_worker")
    monkeypatch.setenv("EPOCHAL_TEST_WORKER", "dies")
    beside, _ = _gate(tmp_path, monkeypatch, 2)
    alone, _ = _gate(tmp_path, monkeypatch, 1)
    assert _without_times(beside) == _without_times(alone)
