"""Whenever the gate or `baseline` is killed, or has no room, the files are the old ones or the new ones, and whole."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.gate.lock_file import loads
from tests.checker.gate.conftest import Repository
from tests.cli.conftest import COUNTER

CONFIGURED = """[model.counter]
protocol = "counter.py:Counter"
bounds = {{ most = {} }}
expect-violated = ["small"]
expect-never = ["never"]
"""
ADD = ("add", "counter.py:Counter", "--name", "second", "--expect-violated", "small", "--expect-never", "never")


@pytest.fixture
def counter(repository: Repository) -> Repository:
    """A counter, recorded; then its bounds were changed."""
    repository.write("counter.py", textwrap.dedent(COUNTER))
    repository.write("epochal.toml", CONFIGURED.format(8))
    repository.baseline()
    repository.write("epochal.toml", CONFIGURED.format(9))
    return repository


def lock_of(repository: Repository) -> Path:
    """Its lock file."""
    return repository.path / "epochal.lock.json"


def killed(repository: Repository, file: str, *arguments: str, stride: int = 1) -> dict[str, Any]:
    """What a command leaves that is killed at every moment, or at every so manieth."""
    command = [sys.executable, "-m", "tests.checker.gate.killed", str(stride), file, *arguments]
    done = subprocess.run(
        command, cwd=repository.path, env=repository.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert not list(repository.path.rglob(".*.tmp")), "the next run removes what a killed one has left"
    return found


def test_baseline_update_is_killed(counter: Repository) -> None:
    old = lock_of(counter).read_text(encoding="utf-8")
    found = killed(counter, "epochal.lock.json", "baseline", "update", "--reason", "larger")
    new = lock_of(counter).read_text(encoding="utf-8")
    assert loads(new).models["counter"].reason == "larger"
    assert found["kills"] >= 4 and found["contents"] == [old] and found["ends"] == [0]


def test_baseline_add_is_killed(counter: Repository) -> None:
    """At worst between the two files; the gate then calls the model new."""
    old = (counter.path / "epochal.toml").read_text(encoding="utf-8")
    found = killed(counter, "epochal.toml", "baseline", *ADD, stride=2)
    new = (counter.path / "epochal.toml").read_text(encoding="utf-8")
    assert "[model.second]" in new and "second" in loads(lock_of(counter).read_text(encoding="utf-8")).models
    assert found["kills"] >= 3 and set(found["contents"]) <= {old, new} and set(found["ends"]) <= {0, 2}


def test_the_gate_is_killed(counter: Repository) -> None:
    """Reports that are there are whole, and the lock file is not touched."""
    lock = lock_of(counter).read_bytes()
    found = killed(counter, "report/result.json", "gate", "--out", "report", stride=6)
    assert found["kills"] >= 4 and found["documents"] > 2 * found["kills"] and found["ends"] == [20]
    assert lock_of(counter).read_bytes() == lock


LIMITED = """
import resource, sys
from epochal.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
main(sys.argv[2:])
"""


def without_room(repository: Repository, room: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run epochal where no file may become larger than so many bytes."""
    command = [sys.executable, "-B", "-P", "-c", LIMITED, str(room), *arguments]
    return subprocess.run(
        command, cwd=repository.path, env=repository.environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", [("update", "--reason", "larger"), ADD])
def test_there_is_no_room_for_the_lock_file(counter: Repository, arguments: tuple[str, ...]) -> None:
    """Nothing is changed, the configuration neither, although there was room for that."""
    before = {path.name: path.read_bytes() for path in counter.path.iterdir() if path.is_file()}
    file = "epochal.toml" if arguments[0] == "add" else "epochal.lock.json"
    done = without_room(counter, 900, "baseline", *arguments)
    assert done.returncode == 153, done.stderr
    assert done.stderr == (
        f"checking {'second' if arguments[0] == 'add' else 'counter'}\n"
        f"epochal: {counter.path / file}: nothing can be written there: File too large.\n"
        "  Nothing was changed. Make room on the disk, or see that you may write there, and run it again.\n"
    )
    assert {path.name: path.read_bytes() for path in counter.path.iterdir() if path.is_file()} == before


def test_the_warning_about_the_cache_is_told_once(counter: Repository) -> None:
    """Although the specification of the other commit is loaded by a process of its own."""
    counter.commit()
    counter.write("counter.py", textwrap.dedent(COUNTER).replace("self.value < 2", "self.value < 3"))
    counter.cache.chmod(0o777)
    done = counter.epochal("gate", "--base", "HEAD")
    assert done.returncode in (0, 20), done.stderr
    assert done.stderr.count("epochal: warning: ") == 1
    assert f"the cache {counter.cache} can be written by others (mode 777), and is not used.\n" in done.stderr
