"""Checkpoints that somebody else uses, or in which a bit has flipped: refused, with a message that says what to do."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.base.files import held
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search.checkpoint import Checkpoint, CheckpointError
from epochal.checker.search.result import Options
from tests.checker.search.models import small_faulty
from tests.checker.search.test_workers import everything

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
    before, refused = Checkpoint(kept).document, 0
    for damaged in flipped(whole, 31):
        manifest.write_bytes(damaged)
        try:
            assert Checkpoint(kept).document == before
        except CheckpointError as error:
            refused += 1
            assert "tart again without resume." in str(error)
    assert refused > len(whole) // 31 // 2


def edited(kept: Path, change: Any) -> str:
    """The message of a resume after the manifest was edited."""
    document = json.loads((kept / "manifest.json").read_text())
    change(document)
    (kept / "manifest.json").write_text(json.dumps(document))
    return refused(Options(all_violations=True, resume=kept))


def refused(options: Options) -> str:
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
    """Whose manifest had no digest."""

    def older(document: dict[str, Any]) -> None:
        document["version"] = 1
        del document["digest"]

    assert edited(kept, older) == (
        f"{kept / 'manifest.json'} has version 1 of the format, and this is version 2.\n"
        "  Resume with the version of Epochal that wrote it, or start again without resume."
    )


def test_a_manifest_nested_without_end_is_damaged(kept: Path) -> None:
    (kept / "manifest.json").write_text("[" * 100_000)
    assert "manifest.json is damaged: " in refused(Options(all_violations=True, resume=kept))


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
        assert refused(options) == (
            f"another run is using the checkpoint in {kept}.\n"
            "  Wait until it ends, or give this run a folder of its own by checkpoint."
        )
        assert refused(Options(all_violations=True, resume=kept)) == (
            f"another run is writing the checkpoint in {kept}.\n  Wait until it ends, or end it."
        )
    expected = everything(breadth_first.check(PROTOCOL, Options(all_violations=True)))
    resumed = Options(all_violations=True, resume=kept, checkpoint=kept)
    assert everything(breadth_first.check(PROTOCOL, resumed)) == expected


def test_two_runs_go_on_from_one_checkpoint(kept: Path) -> None:
    """If neither writes it."""
    with held(kept, shared=True):
        assert breadth_first.check(PROTOCOL, Options(all_violations=True, resume=kept)).resumed_from > 0
        assert "another run is using" in refused(Options(all_violations=True, checkpoint=kept))


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
