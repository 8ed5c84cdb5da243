"""Where in a file something stands, and the error for what cannot be read there."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode


def escaped(text: str) -> str:
    """A text in one line, with what a terminal would obey, or nobody sees, written as in a source text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def partition_named(topic: str, number: int) -> str:
    """`topic-0`. A topic that Kafka would not allow is shown escaped."""
    return f"{escaped(topic)}-{number}"


Named = tuple[str, int]
"""A partition as logs call it: the name of its topic and its number."""


class OfNamed:
    """Something of a partition, by the name of its topic."""

    __slots__ = ()
    topic: str
    number: int

    @property
    def named(self) -> Named:
        """The partition."""
        return self.topic, self.number

    @property
    def shown(self) -> str:
        """`topic-0`."""
        return partition_named(self.topic, self.number)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the evidence: a file, and a line of text or an offset of a log in it."""

    file: str
    line: int | None = None
    offset: int | None = None

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}"
        return self.file if self.offset is None else f"{self.file}, offset {self.offset}"


class EvidenceError(EpochalError):
    """A file is not what it should be: no such file, another format, or its content is damaged."""

    exit_code = ExitCode.USAGE
