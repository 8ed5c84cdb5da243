"""Searches that the explorer has under way: one after the other, each in a process of its own, with what it tells."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from epochal.errors import UsageError

from .questions import Question

MOST_JOBS: Final = 40
"""So many searches are kept, with their files; the oldest that has ended goes first."""

MOST_TOLD: Final = 20_000
"""So many snapshots of a search are kept, evenly over its time once there are more."""

PATIENCE: Final = 10.0
"""Seconds that a search that is stopped has, to say what it has found; then it is ended."""

Status = Literal["waiting", "running", "ended", "stopped"]


@dataclass
class Job:
    """A search: its question, the folder with its files, and what it has told. `code` is its exit code."""

    number: int
    question: Question
    folder: Path
    status: Status = "waiting"
    stopping: bool = False
    code: int | None = None
    said: list[dict[str, Any]] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    begun: float = 0.0
    seconds: float = 0.0
    process: subprocess.Popen[str] | None = None

    @property
    def output(self) -> str:
        """What the command has printed."""
        file = self.folder / "stdout"
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    @property
    def document(self) -> dict[str, Any] | None:
        """The answer as plain data, where the command prints or writes it."""
        for file in (self.folder / "stdout", self.folder / "out" / "result.json"):
            with contextlib.suppress(OSError, ValueError):
                found = json.loads(file.read_text(encoding="utf-8"))
                if isinstance(found, dict):
                    return found
        return None

    @property
    def traces(self) -> list[str]:
        """The names of the runs that were found, as files of its folder."""
        return sorted(file.name for file in (self.folder / "out").glob("*.itf.json"))

    def line(self) -> str:
        """What it does, in a line."""
        if self.status == "waiting":
            return "waiting for the search before it"
        last = self.said[-1] if self.said else {}
        seconds = time.monotonic() - self.begun
        if last.get("doing"):
            return f"{last['doing']}, {seconds:.0f} s"
        if "queue" in last:
            return (
                f"{last['states']:,} states, depth {last['depth']}, {last['queue']:,} in the queue, "
                f"{last['rate']:,.0f} a second, {seconds:.0f} s"
            )
        if "questions" in last:
            answered, asked, kept = last["answered"], last["questions"], last["from_cache"]
            return f"{answered} of {asked} questions answered ({kept} from the cache), {seconds:.0f} s"
        told = " ".join(f"{name} {value}" for name, value in last.items()) or (
            self.other[-1] if self.other else "starting"
        )
        return f"{told}, {seconds:.0f} s"


class Jobs:
    """Runs questions, one at a time, each in a folder below one of its own, which is deleted at the end."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="epochal-explore-"))
        self.known: dict[int, Job] = {}
        self._asked: queue.Queue[Job | None] = queue.Queue()
        self._closing = False
        self._lock = threading.Lock()
        self._ignored = _heeded_by_searches()
        self._thread = threading.Thread(target=self._work, name="searches", daemon=True)
        self._thread.start()

    def new_folder(self) -> tuple[int, Path]:
        """A number for the next search, and its folder."""
        with self._lock:
            number = max(self.known, default=0) + 1
            folder = self.folder / str(number)
            folder.mkdir()
            self.known[number] = Job(number, Question("", ()), folder)
            self._forget()
            return number, folder

    def start(self, number: int, asked: Question) -> Job:
        """Put a question into the queue."""
        job = self.known[number]
        job.question = asked
        self._asked.put(job)
        return job

    def cancel(self, number: int) -> None:
        """Forget a search that was not asked after all."""
        job = self.known.pop(number)
        shutil.rmtree(job.folder, ignore_errors=True)

    def job(self, number: int) -> Job:
        """A search by its number. Raises UsageError for one that is not there."""
        if number not in self.known:
            raise UsageError(f"there is no search {number}", "Searches are forgotten when the explorer ends.")
        return self.known[number]

    def stop(self, job: Job) -> None:
        """End a search as Ctrl-C does: it says what it has found until then."""
        if job.status == "waiting":
            job.status = "stopped"
        job.stopping = True
        process = job.process
        if process is not None and process.poll() is None:
            _signal(process, signal.SIGINT)
            timer = threading.Timer(PATIENCE, _end, (process,))
            timer.daemon = True
            timer.start()

    def close(self) -> None:
        """End the search that runs, begin none that waits, and delete all files."""
        self._closing = True
        self._asked.put(None)
        for job in self.known.values():
            if job.process is not None:
                _end(job.process)
        self._thread.join(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._ignored and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _forget(self) -> None:
        """Forget the oldest searches that have ended."""
        ended = [number for number, job in self.known.items() if job.status in ("ended", "stopped")]
        for number in ended[: max(0, len(self.known) - MOST_JOBS)]:
            self.cancel(number)

    def _work(self) -> None:
        while (job := self._asked.get()) is not None:
            if job.status == "waiting" and not self._closing:
                self._run(job)

    def _run(self, job: Job) -> None:
        """Run a command to its end, and keep what it tells meanwhile."""
        words = [*job.question.words, "--progress", "json"]
        words += ["--format", "json"] if job.question.as_json else []
        words += [] if job.question.quiet else ["--out", str(job.folder / "out")]
        job.status, job.begun = "running", time.monotonic()
        with (job.folder / "stdout").open("w", encoding="utf-8") as output:
            job.process = subprocess.Popen(
                [sys.executable, "-m", "epochal", *words],
                start_new_session=True,  # Ctrl-C is for the server, which ends its searches itself
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            if self._closing:
                _end(job.process)
            if job.stopping:  # between the queue and the process
                self.stop(job)
            assert job.process.stderr is not None
            for line in job.process.stderr:
                _hear(job, line.rstrip("\n"))
            job.code = job.process.wait()
        job.seconds = time.monotonic() - job.begun
        job.status = "ended"


def _heeded_by_searches() -> bool:
    """Let searches heed SIGINT, by which they are stopped, where this process ignores it; whether it does.

    What a shell runs in the background ignores it, and would hand that on. What is handled is not handed on.
    """
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: None)
        return True
    return False


def _hear(job: Job, line: str) -> None:
    """Keep a line of a search's progress, or of what else it says."""
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if isinstance(said, dict):
        job.said.append(said)
        if len(job.said) > MOST_TOLD:
            job.said[:] = job.said[::2]
    elif line.strip():
        job.other = [*job.other[-199:], line]


def _end(process: subprocess.Popen[str]) -> None:
    """End a search that is still there, with the processes that it has started."""
    if process.poll() is None:
        _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
