"""Checkpoints: the resumed search equals the uninterrupted one, and what is not its own is refused."""

from __future__ import annotations

import itertools
import json
import mmap
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from epochal.checker.base.files import held
from epochal.checker.native.runtime.memory import Region
from epochal.checker.native.runtime.worker_pool import StateStore, WorkerPool
from epochal.checker.native.tuning import TUNING, Tuning
from epochal.checker.search import checkpoint
from epochal.checker.search import native as breadth_first
from epochal.checker.search.checkpoint import Checkpoint, CheckpointError
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


# Checkpoints that somebody else uses, or in which a bit has flipped: refused, with a message that says what to do.

PROTOCOL = small_faulty()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A checkpoint with several levels and a violation."""
    folder = tmp_path / "kept"
    options = Options(all_violations=True, max_states=330, checkpoint=folder)
    breadth_first.check(PROTOCOL, options, tuning=Tuning(quantum=10))
    assert json.loads((folder / "manifest.json").read_text())["shown"]
    return folder


def flipped(content: bytes, step: int) -> Iterator[bytes]:
    """The content with one bit flipped, another one each time."""
    for number, at in enumerate(range(0, len(content), step)):
        yield content[:at] + bytes([content[at] ^ 1 << number % 8]) + content[at + 1 :]


def test_every_flipped_bit_of_the_manifest_is_refused(kept: Path) -> None:
    """Or says the same: white space, or the digits of a number written in letters."""
    manifest = kept / "manifest.json"
    whole = manifest.read_bytes()
    before, refused_for = Checkpoint(kept).document, 0
    for damaged in flipped(whole, 31):
        manifest.write_bytes(damaged)
        try:
            assert Checkpoint(kept).document == before
        except CheckpointError as error:
            refused_for += 1
            assert "tart again without resume." in str(error)
    assert refused_for > len(whole) // 31 // 2


def edited(kept: Path, change: Any) -> str:
    """The message of a resume after the manifest was edited."""
    document = json.loads((kept / "manifest.json").read_text())
    change(document)
    (kept / "manifest.json").write_text(json.dumps(document))
    return refused_for(Options(all_violations=True, resume=kept))


def refused_for(options: Options) -> str:
    """The message of a refused run."""
    with pytest.raises(CheckpointError) as caught:
        breadth_first.check(PROTOCOL, options)
    return str(caught.value)


def test_a_counter_that_was_raised_is_refused(kept: Path) -> None:
    """The states would all be there, and the report would lie."""

    def raised(document: dict[str, Any]) -> None:
        document["totals"]["steps"][0] += 1

    expected = f"{kept / 'manifest.json'} is damaged: its content has changed.\n  Start again without resume."
    assert edited(kept, raised) == expected
    assert edited(kept, lambda document: document.pop("digest")) == expected


def test_a_violation_that_was_taken_out_is_refused(kept: Path) -> None:
    assert "its content has changed" in edited(kept, lambda document: document["shown"].clear())


def test_a_checkpoint_of_an_older_version_is_refused(kept: Path) -> None:
    def older(document: dict[str, Any]) -> None:
        document["version"] = 1
        del document["digest"]

    assert edited(kept, older) == (
        f"{kept / 'manifest.json'} has version 1 of the format, and this is version 2.\n"
        "  Resume with the version of Epochal that wrote it, or start again without resume."
    )


def test_a_manifest_nested_without_end_is_damaged(kept: Path) -> None:
    (kept / "manifest.json").write_text("[" * 100_000)
    assert "manifest.json is damaged: " in refused_for(Options(all_violations=True, resume=kept))


def test_a_flipped_bit_of_any_file_is_refused(kept: Path) -> None:
    files = sorted(kept.glob("records-*.bin"))
    assert len(files) > 5
    for file in files:
        whole = file.read_bytes()
        for damaged in flipped(whole, 1 + len(whole) // 2):
            file.write_bytes(damaged)
            with pytest.raises(CheckpointError, match=f"{file.name} of the checkpoint is damaged: its content"):
                for _ in Checkpoint(kept)._segments(record_bytes(kept)):
                    pass
        file.write_bytes(whole)


def record_bytes(kept: Path) -> int:
    """How long a record is."""
    first: dict[str, Any] = json.loads((kept / "manifest.json").read_text())["levels"][0][0]
    return (kept / str(first["file"])).stat().st_size // int(first["records"])


def test_two_runs_on_one_folder(kept: Path) -> None:
    """The second is refused before it searches; when the first has ended, or died, it goes on."""
    options = Options(all_violations=True, checkpoint=kept)
    with held(kept):
        assert refused_for(options) == (
            f"another run is using the checkpoint in {kept}.\n"
            "  Wait until it ends, or give this run a folder of its own by checkpoint."
        )
        assert refused_for(Options(all_violations=True, resume=kept)) == (
            f"another run is writing the checkpoint in {kept}.\n  Wait until it ends, or end it."
        )
    expected = everything(breadth_first.check(PROTOCOL, Options(all_violations=True)))
    resumed = Options(all_violations=True, resume=kept, checkpoint=kept)
    assert everything(breadth_first.check(PROTOCOL, resumed)) == expected


def test_two_runs_go_on_from_one_checkpoint(kept: Path) -> None:
    with held(kept, shared=True):
        assert breadth_first.check(PROTOCOL, Options(all_violations=True, resume=kept)).resumed_from > 0
        assert "another run is using" in refused_for(Options(all_violations=True, checkpoint=kept))


def test_a_spent_budget_does_not_write_where_another_run_does(tmp_path: Path) -> None:
    """The result is told all the same."""
    rescue = tmp_path / "rescue"
    rescue.mkdir()
    with held(rescue):
        options = Options(max_states=1, checkpoint_on_stop=rescue, properties=("strong_isr",))
        result = breadth_first.check(PROTOCOL, options)
    assert (result.exit_code, result.checkpoint) == (30, None)
    assert f"no checkpoint is kept: another run is using the checkpoint in {rescue}." in result.warnings
    assert [path.name for path in rescue.iterdir()] == ["lock"]


def test_the_clock_jumps(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets, and when a checkpoint is due, are none of its business."""
    expected = everything(breadth_first.check(PROTOCOL, Options(all_violations=True)))
    times = iter(range(0, 10**9, 10**6))
    monkeypatch.setattr(time, "time", lambda: (-1) ** next(times) * next(times))
    options = Options(all_violations=True, resume=kept, checkpoint=kept, budget=600.0)
    assert everything(breadth_first.check(PROTOCOL, options)) == expected


# Ctrl-C may come between any two lines: what the search says then is right, and a checkpoint can be gone on from.

SIZES = Tuning(share_from=200, slack=0, first_slots=1 << 8, early_slots=0, first_records=1, quantum=300)
"""Memory grows all the time, and workers join while there are few states."""

PLACES = ("checker/native/runtime/", "checker/search/native.py")
"""Where interruptions come."""


@cache
def is_place(code: CodeType) -> bool:
    """Whether interruptions come in a function."""
    return any(place in code.co_filename for place in PLACES)


class Interruptions:
    """Counts the lines that are run in these places, and raises KeyboardInterrupt before one of them."""

    def __init__(self, at: int | None) -> None:
        self.lines, self._at = 0, at
        self.where = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if is_place(frame.f_code) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self._line


@contextmanager
def interrupted(at: int | None) -> Iterator[Interruptions]:
    """Interrupt what is run at so many lines; with None never."""
    interruptions, before = Interruptions(at), sys.gettrace()
    sys.settrace(interruptions)
    try:
        yield interruptions
    finally:
        sys.settrace(before)


def move(region: Region, size: int) -> None:
    """Memory that grows lies elsewhere then; where it was there is none, so that whoever looks there is found."""
    larger = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    larger[: region.size] = region._map[: region.size]
    before, region._map = region._map, larger
    before.close()


def require_consistent(result: CheckResult, where: str) -> None:
    """Every state was found by some action, but the first, and is counted once."""
    assert sum(action.new_states for action in result.actions) + 1 == result.distinct_states, where


@pytest.mark.parametrize("compact", [False, True], ids=["exact", "compact"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("samples", [4, pytest.param(2_000, marks=pytest.mark.long)])
def test_wherever_it_is_interrupted(
    workers: int, compact: bool, samples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state is not counted twice, nothing is read where memory no longer is, and the rest can be searched later."""
    monkeypatch.setattr(Region, "_grow_anonymous", move)
    protocol = classic("kip-101", 3, 1, 1, 1)
    options = Options(all_violations=True, workers=workers, compact=compact)
    with interrupted(None) as counted:
        expected = breadth_first.check(protocol, options, tuning=SIZES)
    require_consistent(expected, "")
    picked, seen = random.Random(workers), set[str]()
    for sample in range(samples):
        kept = replace(options, checkpoint=tmp_path / str(sample))
        with interrupted(picked.randrange(1, counted.lines)) as interruption:
            try:
                result = breadth_first.check(protocol, kept, tuning=SIZES)
            except KeyboardInterrupt:  # there was nothing to tell yet, or no longer
                continue
        seen.add(interruption.where)
        if result.cut:
            require_consistent(result, interruption.where)
        if result.checkpoint is not None:
            result = breadth_first.check(protocol, replace(kept, resume=result.checkpoint), tuning=SIZES)
        assert everything(result) == everything(expected) or not result.exhaustive, interruption.where
    assert len(seen) > samples // 8


def test_what_was_found_before_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A violation in the level that Ctrl-C cuts short counts, as it does when a budget ends the search."""
    expand = WorkerPool.expand

    def expand_until_found(self: WorkerPool, quantum: int) -> None:
        expand(self, quantum)
        if self.findings():
            raise KeyboardInterrupt

    monkeypatch.setattr(WorkerPool, "expand", expand_until_found)
    result = breadth_first.check(small_faulty(), Options(("weak_isr",), workers=1), tuning=SIZES)
    assert result.interrupted and result.exit_code == 12
    (found,) = result.properties
    assert found.verdict == "violated" and found.trace is not None
