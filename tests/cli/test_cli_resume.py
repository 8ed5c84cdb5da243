"""`--resume last`: the checkpoint that this user's search wrote last, and no other that was put in its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

BUDGET = ("check", "kip-279-proof", "--max-epoch", "1", "--max-states", "1000")
AGAIN = ("check", "kip-279-proof", "--max-epoch", "1", "--resume", "last")


@pytest.fixture
def stopped(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of a search that a budget has stopped."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    missing = run(*AGAIN)
    assert missing.exit_code == 2
    assert missing.stderr.startswith("epochal: there is no last checkpoint.\n  A search writes one with --checkpoint")
    assert run(*BUDGET).exit_code == 30
    return tmp_path / "cache"


def test_the_last_checkpoint_is_gone_on_from(run: Any, stopped: Path) -> None:
    result = run(*AGAIN, "--format", "json")
    assert result.exit_code == 12
    assert result.stderr == ""
    assert (stopped / "key").stat().st_mode & 0o777 == 0o600


def test_every_flipped_bit_of_the_note_is_a_miss(run: Any, stopped: Path) -> None:
    """Which says where the last checkpoint is."""
    note = stopped / "checkpoints" / "last.json"
    whole = note.read_bytes()
    for at in range(0, len(whole), 7):
        note.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        result = run(*AGAIN)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "epochal: there is no last checkpoint.\n" in result.stderr


def test_a_checkpoint_that_has_changed_is_not_the_last_one(run: Any, stopped: Path) -> None:
    (manifest,) = (stopped / "checkpoints").glob("*/manifest.json")
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["states"] += 1
    manifest.write_text(json.dumps(document), encoding="utf-8")
    result = run(*AGAIN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"epochal: the checkpoint in {manifest.parent} is not the one that was written last: it has changed since.\n"
        f"  If you trust it: --resume {manifest.parent}. Else start again without --resume.\n"
    )


def test_a_checkpoint_of_ones_own_may_have_gone_on(run: Any, stopped: Path, tmp_path: Path) -> None:
    """A run that was killed since has written it again."""
    own = str(tmp_path / "own")
    assert run(*BUDGET, "--checkpoint", own).exit_code == 30
    manifest = tmp_path / "own" / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub(r"\n$", " \n", text), encoding="utf-8")
    assert run(*AGAIN).exit_code == 12
