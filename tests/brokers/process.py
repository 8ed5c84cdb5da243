"""One Java process: started, waited for, stopped, killed, paused; it never outlives the Python process that started it.

Linux alone keeps that promise also when Python itself is killed: `setpriv --pdeathsig KILL` (util-linux) has the kernel
end the Java process with its parent. The kernel means the thread that started it, so clusters are started by a thread
that lives as long as they do: the main one.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

SMALL = (
    "-Xms64m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
)
"""A small heap, and no compiler that pays off after minutes only: the start is what takes time here."""


class NotReady(Exception):
    """Something did not happen in time, or a process ended before it did."""


def wait_until(what: str, happened: Callable[[], bool], seconds: float, pause: float = 0.1) -> None:
    """Ask again and again until it happened; NotReady after so many seconds."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise NotReady(f"{what}: not within {seconds:g} s")
        time.sleep(pause)


def java_command(class_path: str, main: str, arguments: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """The command of a Java program that ends with the Python process."""
    java, setpriv = shutil.which("java"), shutil.which("setpriv")
    if java is None or setpriv is None:
        missing = "java (17 or newer)" if java is None else "setpriv (of util-linux, on Linux)"
        raise NotReady(f"{missing} is not here, and brokers are not started without it")
    return [setpriv, "--pdeathsig", "KILL", java, *SMALL, *options, "-cp", class_path, main, *arguments]


def last_lines(path: Path, lines: int = 15) -> str:
    """The last lines of a file of output; nothing if it was never written."""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]) if path.exists() else ""


class JavaProcess:
    """A running Java program, whose output goes to a file."""

    def __init__(self, command: Sequence[str], output: Path) -> None:
        self.output = output
        self.paused = False
        self.stopping = False
        with output.open("ab") as file:
            self._popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    @property
    def pid(self) -> int:
        """The process id, which is Java's own: `setpriv` becomes `java`."""
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended; a paused one runs."""
        return self._popen.poll() is None

    @property
    def exit_code(self) -> int | None:
        """What it ended with; minus the signal that ended it; None while it runs."""
        return self._popen.poll()

    def wait(self, seconds: float) -> int:
        """Wait until it has ended; its exit code. NotReady, and killed, if it has not after so many seconds."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise NotReady(
                f"process {self.pid} did not end within {seconds:g} s:\n{last_lines(self.output)}"
            ) from error

    def stop(self, seconds: float) -> None:
        """Ask it to end as an operator does (SIGTERM); NotReady if it has not after so many seconds."""
        self.begin_stop()
        try:
            self._popen.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise NotReady(f"process {self.pid} did not end within {seconds:g} s of SIGTERM") from error

    def begin_stop(self) -> None:
        """Ask it to end (SIGTERM), and do not wait."""
        self.stopping = True
        self._popen.terminate()

    def kill(self) -> None:
        """End it at once (SIGKILL), paused or not, and wait until it has; nothing if it has ended."""
        self._popen.kill()
        self._popen.wait(30)
        self.paused = False

    def pause(self) -> None:
        """Stop it where it is (SIGSTOP), and wait until every thread stands."""
        os.kill(self.pid, signal.SIGSTOP)
        wait_until(f"process {self.pid} stands", lambda: self._state() == "T", 10, 0.01)
        self.paused = True

    def resume(self) -> None:
        """Let it go on (SIGCONT)."""
        os.kill(self.pid, signal.SIGCONT)
        self.paused = False

    def _state(self) -> str:
        """The letter of the kernel for what the process does; T for stopped."""
        return Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
