"""What can be wrong with a trace that is read from a file."""

from __future__ import annotations


class TraceError(Exception):
    """A file is not a trace that this tool can read. The message names the wrong part, `advice` says what to do."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}\n  {self.advice}" if self.advice else self.message
