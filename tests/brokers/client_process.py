"""A client of the cluster in a process of its own, which can be killed.

It is told what to do line by line, and answers each line: `ok` with what it has to tell, or `failed` with why.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.brokers.history import Journal
from tests.brokers.process import NotReady, last_lines

PATIENCE = 90.0
"""Seconds for one answer of a client; its own time-outs are 60 s."""


@dataclass(frozen=True)
class ClientAnswer:
    """What a client answered to a line: whether it was done, and an offset, or why not."""

    asked: str
    done: bool
    says: str

    def needed(self) -> ClientAnswer:
        """The same; NotReady if the client has failed."""
        if not self.done:
            raise NotReady(f"the client was asked to {self.asked}, and failed: {self.says}")
        return self


class ClientProcess:
    """Such a process. What it is asked and answers is written down."""

    def __init__(self, command: Sequence[str], name: str, folder: Path, journal: Journal) -> None:
        """What it says on stderr goes into a file of this folder."""
        self.name = name
        self._journal = journal
        self._errors = folder / f"client-{name}.txt"
        self._waiting: list[str] = []
        self._answers: queue.Queue[str | None] = queue.Queue()
        with self._errors.open("wb") as errors:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self._popen.stdin is not None and self._popen.stdout is not None
        self._stdin: IO[str] = self._popen.stdin
        reader = threading.Thread(target=self._listen, args=(self._popen.stdout,), name=f"client-{name}", daemon=True)
        reader.start()

    def _listen(self, stdout: IO[str]) -> None:
        for line in stdout:
            if line.startswith(("ok ", "failed ")):  # a client may print what nobody asked for
                self._answers.put(line.rstrip("\n"))
        self._answers.put(None)

    def tell(self, line: str) -> None:
        """Ask for something, and do not wait for the answer."""
        self._journal.write("asked", client=self.name, line=line)
        self._waiting.append(line)
        try:
            print(line, file=self._stdin, flush=True)
        except BrokenPipeError as error:
            raise NotReady(self._ended()) from error

    def answer(self, seconds: float = PATIENCE) -> ClientAnswer:
        """The answer to the line that waits longest. NotReady if it does not come in time."""
        line = self._waiting.pop(0)
        try:
            found = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise NotReady(f"client {self.name} did not answer to {line!r} within {seconds:g} s") from None
        if found is None:
            raise NotReady(self._ended())
        word, _, says = found.partition(" ")
        answer = ClientAnswer(line, word == "ok", says.strip())
        self._journal.write("answered", client=self.name, line=line, done=answer.done, says=answer.says)
        return answer

    def ask(self, line: str, seconds: float = PATIENCE) -> ClientAnswer:
        """Ask for something, and wait for the answer."""
        self.tell(line)
        return self.answer(seconds)

    def pause(self) -> None:
        """Let it stand still (SIGSTOP): it asks for nothing, and is a client to the cluster still."""
        self._journal.write("paused", client=self.name)
        self._popen.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._journal.write("resumed", client=self.name)
        self._popen.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once (SIGKILL) and wait until it has; nothing if it has ended."""
        self._popen.kill()
        self._popen.wait(30)
        self._stdin.close()

    def _ended(self) -> str:
        return f"client {self.name} ended with {self._popen.wait(30)}:\n{last_lines(self._errors)}"
