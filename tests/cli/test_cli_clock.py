"""The clock is put forward and back: budgets do not notice, and what is kept by age is kept all the same."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.base.cache import Cache, Key
from epochal.checker.base.files import held
from epochal.cli.app import watch
from epochal.cli.commands.check import KEPT, remember

FUTURE = time.time() + 400 * 86_400
SEARCH = ("check", "kip-279-proof", "--max-epoch", "1", "--progress", "none")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("jump", [-(10**9), 10**9])
def test_a_budget_is_not_spent_by_a_jump(jump: int, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is cut by a budget of states, and gone on from, with the clock elsewhere."""
    assert run(*SEARCH, "--max-states", "1000", "--budget", "10m").exit_code == 30
    real, real_ns = time.time, time.time_ns
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() + jump * 10**9)
    result = run(*SEARCH, "--budget", "10m", "--resume", "last")
    assert result.exit_code == 12 and result.stderr == ""


def test_an_entry_from_the_future_is_forgotten_first(cache: Path) -> None:
    """Else the cache would forget whatever is new, until the clock is there again."""
    some = Cache("some", "bin", most=3)
    for key in "abcdef":
        assert some.write(Key(key), key.encode())
        os.utime(some.path(Key(key)), (FUTURE, FUTURE) if key < "d" else (ord(key), ord(key)))
    assert some.write(Key("new"), b"content")
    some.forget_oldest()
    assert set(some.entries()) == {"e", "f", "new"}


def test_the_checkpoint_that_was_written_last_is_kept(cache: Path) -> None:
    """Although others seem to be newer; of these, one that is being used is kept too."""
    home = cache / "checkpoints"
    for number in range(KEPT + 2):
        (home / str(number)).mkdir(parents=True)
        os.utime(home / str(number), (FUTURE + number, FUTURE + number))
    written = home / "written"
    written.mkdir()
    (written / "manifest.json").write_text("{}")
    cache.chmod(0o700)
    with held(home / "0"):
        os.utime(home / "0", (FUTURE, FUTURE))
        remember(written)
    left = {path.name for path in home.iterdir() if path.is_dir()}
    assert left == {"written", "0", *(str(KEPT + 1 - number) for number in range(KEPT - 1))}


def test_a_file_that_is_saved_after_the_clock_was_put_back(tmp_path: Path) -> None:
    """Is noticed by --watch, if the system tells of it; others are not taken for new."""
    saved, other = tmp_path / "saved.py", tmp_path / "other.py"
    saved.touch()
    other.touch()
    loaded, begun = frozenset({saved, other}), int(FUTURE * 1e9)
    assert watch._saved_since(begun, loaded, {saved}) == {saved}
    assert watch._saved_since(begun, loaded, set()) == set()
    assert watch._saved_since(begun, frozenset(), {other}) == {other}
