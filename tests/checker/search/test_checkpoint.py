"""Checkpoints: the resumed search equals the uninterrupted one, and what is not its own is refused."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.native.runtime.worker import StateStore
from epochal.checker.native.tuning import TUNING, Tuning
from epochal.checker.search import checkpoint
from epochal.checker.search import native as breadth_first
from epochal.checker.search.checkpoint import CheckpointError
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.language import Protocol
from tests.checker.search.models import classic, middling, small_faulty
from tests.checker.search.test_workers import everything

ROOT = Path(__file__).resolve().parents[3]


def stopped(protocol: Protocol, folder: Path, states: int, tuning: Tuning = TUNING, **others: Any) -> CheckResult:
    """A search that a budget stops, and its checkpoint."""
    options = Options(all_violations=True, max_states=states, checkpoint=folder, **others)
    result = breadth_first.check(protocol, options, tuning=tuning)
    assert not result.exhaustive and result.checkpoint == folder
    return result


@pytest.mark.parametrize("calls", [1, 5, 20])
def test_interrupted_while_states_are_redistributed(
    calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while a checkpoint is being read leaves it as it is."""
    protocol, folder = middling(), tmp_path / "kept"
    tuning = Tuning(share_from=0, redistributed_at_once=100)
    expected = everything(breadth_first.check(protocol, Options(all_violations=True, workers=1)))
    stopped(protocol, folder, 20_000, tuning, workers=2)
    with monkeypatch.context() as patch:
        interrupt(patch, StateStore, "lacks", calls)
        options = Options(all_violations=True, workers=2, resume=folder, checkpoint=folder)
        assert breadth_first.check(protocol, options, tuning=tuning).cut == "interrupted"
    assert everything(breadth_first.check(protocol, options, tuning=tuning)) == expected


@pytest.mark.parametrize("compact", [False, True], ids=["exact", "compact"])
@pytest.mark.parametrize("calls", [6, 7, 13])
def test_interrupted_at_the_end_of_a_level(
    calls: int, compact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written then is what was known at the end of the level before, without the states found since."""
    protocol, folder = middling(), tmp_path / "kept"
    tuning = Tuning(share_from=0)
    expected = everything(breadth_first.check(protocol, Options(all_violations=True, workers=1)))
    options = Options(all_violations=True, workers=2, compact=compact, checkpoint=folder)
    with monkeypatch.context() as patch:
        interrupt(patch, StateStore, "end_level", calls)
        assert breadth_first.check(protocol, options, tuning=tuning).cut == "interrupted"
    assert everything(breadth_first.check(protocol, replace(options, resume=folder), tuning=tuning)) == expected


def interrupt(patch: pytest.MonkeyPatch, kind: type, name: str, calls: int) -> None:
    """Have Ctrl-C come at so many calls of a method."""
    method, count = getattr(kind, name), itertools.count(1)

    def interrupted(self: object, *arguments: object) -> object:
        if next(count) == calls:
            raise KeyboardInterrupt
        return method(self, *arguments)

    patch.setattr(kind, name, interrupted)


@pytest.mark.parametrize("workers", [(1, 1), (1, 3), (3, 1), (2, 3)], ids=str)
@pytest.mark.parametrize("compact", [False, True], ids=["exact", "compact"])
@pytest.mark.parametrize(
    "protocol",
    [
        pytest.param(middling(), id="kip-320"),
        pytest.param(classic("kip-101", 3, 1, 1, 1), id="kip-101", marks=pytest.mark.long),
    ],
)
def test_resumed_equals_uninterrupted(
    protocol: Protocol, workers: tuple[int, int], compact: bool, tmp_path: Path
) -> None:
    """With other numbers of workers, and in the other mode of memory, twice in a row."""
    expected = everything(breadth_first.check(protocol, Options(all_violations=True, workers=1)))
    tuning = Tuning(share_from=0, quantum=100, checkpoint_seconds=0.0)
    folder = tmp_path / "kept"
    stopped(protocol, folder, 2_000, tuning, workers=workers[0])
    stopped(protocol, folder, 5_000, tuning, workers=workers[1], resume=folder)
    options = Options(
        all_violations=True, workers=workers[1], resume=folder, compact=compact, spill=tmp_path if compact else None
    )
    result = breadth_first.check(protocol, options, tuning=tuning)
    assert 0 < result.resumed_from < result.distinct_states
    assert everything(result) == expected


def test_a_finished_search_resumes_to_its_result(tmp_path: Path) -> None:
    """Nothing is left to explore."""
    protocol = middling()
    first = breadth_first.check(protocol, Options(checkpoint=tmp_path))
    again = breadth_first.check(protocol, Options(resume=tmp_path))
    assert everything(first) == everything(again)
    assert again.resumed_from == again.distinct_states


def test_a_violation_before_the_checkpoint_is_remembered(tmp_path: Path) -> None:
    """Findings and their traces are part of a checkpoint."""
    protocol = small_faulty()
    expected = everything(breadth_first.check(protocol, Options(all_violations=True)))
    stopped(protocol, tmp_path, 330, Tuning(quantum=10))
    document = json.loads((tmp_path / "manifest.json").read_text())
    assert "weak_isr" in document["shown"]
    result = breadth_first.check(protocol, Options(all_violations=True, resume=tmp_path))
    assert everything(result) == expected


def test_a_budget_leaves_a_checkpoint(tmp_path: Path) -> None:
    """Without --checkpoint too, where the command line keeps it; a search that ends by itself leaves none."""
    rescue, protocol = tmp_path / "rescue", middling()
    assert breadth_first.check(protocol, Options(checkpoint_on_stop=rescue)).checkpoint is None and not rescue.exists()
    result = breadth_first.check(protocol, Options(max_states=1 << 13, checkpoint_on_stop=rescue))
    assert result.exit_code == 30 and result.checkpoint == rescue
    resumed = breadth_first.check(protocol, Options(resume=rescue))
    assert everything(resumed) == everything(breadth_first.check(protocol, Options()))


def refused(options: Options, protocol: Protocol) -> str:
    """The message of a refused resume."""
    with pytest.raises(CheckpointError) as caught:
        breadth_first.check(protocol, options)
    return str(caught.value)


def test_another_search_is_refused(tmp_path: Path) -> None:
    """Other bounds, another specification, other questions."""
    stopped(middling(), tmp_path, 10_000)
    same = Options(all_violations=True, resume=tmp_path)
    assert "with bounds replicas 3, log_size 2" in refused(same, classic("kip-320", 3, 2, 2, 2))
    assert "with protocol kip-320 instead of kip-279" in refused(same, classic("kip-279", 3, 2, 2, 1))
    assert "with all violations True instead of False" in refused(replace(same, all_violations=False), middling())
    assert "with properties " in refused(replace(same, properties=("weak_isr",)), middling())
    document = json.loads((tmp_path / "manifest.json").read_text())
    document["specification"] = "0" * 32
    (tmp_path / "manifest.json").write_text(json.dumps({**document, "digest": checkpoint.digest_of(document)}))
    assert "with specification 000" in refused(same, middling())


def test_damage_is_found(tmp_path: Path) -> None:
    """Nothing that was changed, cut short or lost is used."""
    stopped(middling(), tmp_path, 10_000)
    options = Options(all_violations=True, resume=tmp_path)
    largest = max(tmp_path.glob("records-*.bin"), key=lambda path: path.stat().st_size)
    content = largest.read_bytes()
    largest.write_bytes(content[:-8])
    assert "is damaged: it has" in refused(options, middling())
    largest.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    assert "its content has changed" in refused(options, middling())
    largest.unlink()
    assert "No such file" in refused(options, middling())
    manifest = (tmp_path / "manifest.json").read_text()
    (tmp_path / "manifest.json").write_text(manifest[:100])
    assert "is damaged" in refused(options, middling())
    (tmp_path / "manifest.json").write_text("{}")
    assert "not the manifest" in refused(options, middling())
    (tmp_path / "manifest.json").write_text(manifest.replace('"version": 2', '"version": 1'))
    assert "has version 1 of the format, and this is version 2.\n  Resume with the version" in refused(
        options, middling()
    )
    (tmp_path / "manifest.json").unlink()
    assert "has no checkpoint" in refused(options, middling())


def command(folder: Path, *more: str) -> list[str]:
    """The command that is killed and resumed."""
    bounds = ["--replicas", "3", "--log-size", "3", "--records", "3", "--max-epoch", "2"]
    kept = ["--checkpoint", str(folder), "--workers", "2", "--format", "json", "--progress", "none"]
    return [sys.executable, "-m", "epochal.cli.main", "check", "kip-320", *bounds, *kept, *more]


def killed_and_resumed(folder: Path, kills: int, chosen: random.Random) -> dict[str, Any]:
    """Kill the search without warning so many times, resuming each time, and let it finish; its result."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for _ in range(kills):
        more = ["--resume", str(folder)] if (folder / "manifest.json").exists() else []
        running = subprocess.Popen(command(folder, *more), env=environment, stdout=subprocess.DEVNULL)
        time.sleep(chosen.uniform(0.3, 6.0))
        running.send_signal(signal.SIGKILL)
        running.wait()
    more = ["--resume", str(folder)] if (folder / "manifest.json").exists() else []
    done = subprocess.run(command(folder, *more), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.long)])
def test_killed_at_random_moments(kills: int, tmp_path: Path) -> None:
    """SIGKILL loses at most what was found since the last checkpoint, and never a state."""
    result = killed_and_resumed(tmp_path, kills, random.Random(kills))
    assert (result["distinct_states"], result["depth"]) == (4_093_531, 31)
    assert result["state_digest"] == "9df97d65ddbd76c5d5d3e3324c84773d"
    assert result["step_digest"] == "78adbf1d12b0b2b6a337a391ad65c2f0"
