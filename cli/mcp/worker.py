"""The process of one call: it answers a question that it reads from stdin, and ends with it, or with who asked.

What the code of a specification prints goes to stderr: the answer has a descriptor of its own. Each message is a line
of JSON: the progress, then the answer.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import msgspec

from epochal.checker.base.permitted import read_only_from
from epochal.checker.described import budget_exceeded, described
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.report.page import shown_text
from epochal.spec.loading import import_only_from

from .tools import TOOLS, Answer, Asked, require_readable

TOLD_EVERY: Final = 0.5
"""Seconds between two lines about the progress."""

LATE: Final = 5.0
"""Seconds after its budget at which a call that a query has not ended itself is interrupted."""

ROOM: Final = 1.25
"""And the part of its memory."""


class Question(msgspec.Struct):
    """A call that the server has examined: the tool and its arguments, and what it may read, run and use."""

    tool: str
    arguments: dict[str, Any]
    readable: Sequence[str]
    runnable: Sequence[str]
    seconds: float
    memory: int


class Spoken(msgspec.Struct):
    """A message of this process: how far it is (`message`, with `seconds`), or how it ended."""

    seconds: float
    message: str
    exit_code: Annotated[int | None, msgspec.Meta(description="None: it goes on")] = None
    failed: bool = False
    headline: str = ""
    document: Any = None


class Voice:
    """Says messages to who asked."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._begun, self._next = stream, time.monotonic(), 0.0
        self._lock = threading.Lock()

    def report(self, in_words: Callable[[Any], str], now: Any) -> None:
        """Say how far it is, now and then."""
        moment = time.monotonic()
        if moment >= self._next:
            self._next = moment + TOLD_EVERY
            self._say(Spoken(moment - self._begun, shown_text(in_words(now))))

    def end(self, answer: Answer, failed: bool = False) -> None:
        """Say how it ended."""
        seconds, headline = time.monotonic() - self._begun, shown_text(answer.headline)
        self._say(Spoken(seconds, answer.text, answer.exit_code, failed, headline, answer.document))

    def _say(self, spoken: Spoken) -> None:
        line = json.dumps(msgspec.to_builtins(spoken)).encode() + b"\n"
        with self._lock:
            self._stream.write(line)
            self._stream.flush()


def answer(question: Question, voice: Voice) -> None:
    """Answer a question, whatever comes of it."""
    asked = Asked(question.seconds, question.memory, voice.report)
    last = Deadline(question.seconds + LATE, int(question.memory * ROOM))
    try:
        import_only_from(map(Path, question.runnable))
        read_only_from(map(Path, question.readable))
        tool = msgspec.convert(question.arguments, TOOLS[question.tool])
        with last.watching("answering"):
            require_readable(tool.read())
            found = tool.answer(asked)
    except BudgetExceeded as spent:
        voice.end(_failure(budget_exceeded(spent)), failed=True)
    except SystemExit:
        ended = EpochalError("the specification ended the program (sys.exit)", exit_code=ExitCode.EVALUATION_FAILED)
        voice.end(_failure(ended), failed=True)
    except BaseException as error:  # the boundary: nothing may pass it
        voice.end(_failure(error), failed=True)
    else:
        voice.end(found)


def _failure(error: BaseException) -> Answer:
    code, message = described(error)
    text = shown_text(message)
    return Answer(text, None, code, text.partition("\n")[0])


def _end_with(stream: BinaryIO) -> None:
    """End, with all processes that this one has started, once nobody holds the other end of a stream."""
    while stream.read(4096):
        pass
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    """Answer the question on stdin. The process leads a group of its own, which ends with it."""
    voice = Voice(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    stdin = os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    line = b""
    while not line.endswith(b"\n") and (more := stdin.read(1 << 16)):
        line += more
    question = msgspec.json.decode(line, type=Question)
    threading.Thread(target=_end_with, args=(stdin,), name="who asked", daemon=True).start()
    answer(question, voice)
    os._exit(0)  # what a specification has begun, threads say, ends with the answer


if __name__ == "__main__":
    main()
