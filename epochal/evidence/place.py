"""Where in a file something stands, and the error for what cannot be read there."""

from __future__ import annotations

from dataclasses import dataclass

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode


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
