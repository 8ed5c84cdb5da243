"""Processes that are paused, killed and waited for, with `sleep` in place of Java."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.brokers.process import JavaProcess, NotReady, java_command, last_lines, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="brokers are started on Linux alone")


@pytest.fixture
def sleeping(tmp_path: Path) -> Iterator[JavaProcess]:
    """A process that does nothing for a minute."""
    process = JavaProcess(
        ["sh", "-c", "echo begun; trap 'echo asked; exit 3' TERM; sleep 60 & wait"], tmp_path / "output"
    )
    wait_until("it has begun", lambda: "begun" in last_lines(tmp_path / "output"), 10)
    yield process
    process.kill()


def test_a_process_that_is_asked_ends_by_itself(sleeping: JavaProcess) -> None:
    assert sleeping.running and sleeping.exit_code is None
    sleeping.stop(10)
    assert sleeping.exit_code == 3 and last_lines(sleeping.output) == "begun\nasked"


def test_a_process_that_stands_still_does_not_hear_and_is_killed(sleeping: JavaProcess) -> None:
    sleeping.pause()
    assert sleeping.paused and sleeping.running
    with pytest.raises(NotReady, match=rf"process {sleeping.pid} did not end within 0\.2 s of SIGTERM"):
        sleeping.stop(0.2)
    sleeping.kill()
    sleeping.kill()
    assert sleeping.exit_code == -signal.SIGKILL and not sleeping.paused


def test_a_process_goes_on(sleeping: JavaProcess) -> None:
    sleeping.pause()
    sleeping.resume()
    sleeping.stop(10)
    assert sleeping.exit_code == 3


def test_a_wait_that_is_too_long_kills_and_tells_what_was_said(sleeping: JavaProcess) -> None:
    with pytest.raises(NotReady, match=r"did not end within 0\.2 s:\nbegun"):
        sleeping.wait(0.2)
    assert not sleeping.running


def test_what_did_not_happen_is_named() -> None:
    with pytest.raises(NotReady, match=r"a wonder: not within 0\.05 s"):
        wait_until("a wonder", lambda: False, 0.05, 0.01)


def test_java_ends_with_the_process_that_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    command = java_command("a.jar", "kafka.Kafka", ["server.properties"], ["-Dx=y"])
    assert command[:4] == ["/bin/setpriv", "--pdeathsig", "KILL", "/bin/java"]
    assert command[-5:] == ["-Dx=y", "-cp", "a.jar", "kafka.Kafka", "server.properties"]
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "setpriv" else name)
    with pytest.raises(NotReady, match=r"setpriv .* is not here"):
        java_command("a.jar", "kafka.Kafka", [])
