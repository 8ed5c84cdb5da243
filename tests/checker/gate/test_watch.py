"""--watch: a save of what the run has loaded starts it again; a save of anything else does not."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.checker.gate.conftest import KIP_320, UNFENCED, Repository


def _heed_interrupts() -> None:
    """A process started in the background ignores Ctrl-C, and hands that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watched:
    """A watching process, and the lines it prints."""

    def __init__(self, repository: Repository, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "epochal", *arguments, "--watch"],
            cwd=repository.path,
            env=repository.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=_heed_interrupts,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, text: str) -> None:
        """Wait for a line with this text."""
        while text not in self.lines.get(timeout=60):
            pass

    def quiet(self, seconds: float) -> bool:
        """Whether nothing is printed for a while."""
        try:
            self.lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def close(self) -> int:
        """Press Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        self.thread.join()
        return status


@pytest.fixture
def watched(kip_320: Repository, request: pytest.FixtureRequest) -> Iterator[tuple[Repository, Watched]]:
    running = Watched(kip_320, *request.param)
    try:
        yield kip_320, running
    finally:
        if running.process.poll() is None:
            running.close()


@pytest.mark.parametrize("watched", [("gate",)], indirect=True)
def test_the_gate_runs_again_when_its_model_is_saved(watched: tuple[Repository, Watched]) -> None:
    repository, running = watched
    running.until("watching for saved files")
    repository.write("notes.py", "x = 1\n")
    assert running.quiet(2)
    repository.write("mine.py", UNFENCED)
    running.until("mine.py saved")
    running.until("1 of 1 model fails: mine widened")
    running.until("epochal gate approve")
    repository.write("mine.py", KIP_320)
    running.until("mine is unchanged")
    running.until("from the cache")
    assert running.quiet(3)
    assert running.close() == 0


@pytest.mark.parametrize("watched", [("check", "mine.py:Mine", "--max-epoch", "1")], indirect=True)
def test_check_runs_again_when_its_file_is_saved(watched: tuple[Repository, Watched]) -> None:
    repository, running = watched
    running.until("39,619 distinct")
    running.until("ACTION")
    repository.write("mine.py", UNFENCED)
    running.until("43,771 distinct")
    repository.write("mine.py", "class Mine(\n")
    running.until("syntax error")
    repository.write("mine.py", KIP_320)
    running.until("39,619 distinct")
