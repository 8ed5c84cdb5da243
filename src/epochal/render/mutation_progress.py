"""Progress of a mutation run, on stderr: how many mutants were tried, and what became of them."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from epochal.checker.host.numbers import timed
from epochal.render.estimate import Counted, Estimate, about
from epochal.render.page import plain_wanted

if TYPE_CHECKING:
    from epochal.checker.mutation.outcomes import Outcome

PLAIN_EVERY = 2.0


@contextlib.contextmanager
def shown_mutants(kind: str, stream: TextIO, total: int) -> Iterator[Callable[[Outcome], None]]:
    """What to call with each outcome, for `--progress auto|plain|json|none`."""
    if kind == "none":
        yield lambda outcome: None
    elif kind == "json":
        yield _JsonLines(stream, total)
    elif kind == "plain" or plain_wanted(stream):
        yield _PlainLines(stream, total)
    else:
        from rich.console import Console

        with Console(file=stream).status("mutants ...") as status:
            counted, estimate = _Counted(total), Estimate()
            estimate.left(counted, Counted(0, total))

            def update(outcome: Outcome) -> None:
                counted.count(outcome)
                left = estimate.left(counted, Counted(counted.done, total))
                said = "" if left is None else f"{about(left)}: "
                status.update(f"{said}{counted.in_words()}: {outcome.mutant.id}")

            yield update


class _Counted:
    """How many mutants were tried, and what became of them."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.survived = total, 0, 0
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.began

    def count(self, outcome: Outcome) -> None:
        """Take one more outcome into account."""
        self.done += 1
        self.survived += outcome.verdict == "survived"

    def in_words(self) -> str:
        """The progress on one line."""
        spent = timed(self.seconds)
        return f"{self.done} of {self.total} mutants tried, {self.survived} survived, {spent}"


class _PlainLines(_Counted):
    """A line every two seconds."""

    def __init__(self, stream: TextIO, total: int) -> None:
        super().__init__(total)
        self.stream, self.next = stream, self.began + PLAIN_EVERY

    def __call__(self, outcome: Outcome) -> None:
        self.count(outcome)
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + PLAIN_EVERY
            self.stream.write(self.in_words() + "\n")
            self.stream.flush()


class _JsonLines(_Counted):
    """One JSON object for each mutant."""

    def __init__(self, stream: TextIO, total: int) -> None:
        super().__init__(total)
        self.stream = stream

    def __call__(self, outcome: Outcome) -> None:
        self.count(outcome)
        document = {"done": self.done, "of": self.total, "mutant": outcome.mutant.id, "verdict": outcome.verdict}
        self.stream.write(json.dumps(document) + "\n")
        self.stream.flush()
