"""The lines that rewritten rules stand on, each with a number: in the code of a rule a line is its number."""

from __future__ import annotations

from threading import Lock

from epochal.spec.language import SourceLine


class Lines:
    """Lines by their numbers. A line keeps its number as long as the process lives."""

    def __init__(self) -> None:
        self._lines: list[SourceLine] = []
        self._numbers: dict[SourceLine, int] = {}
        self._lock = Lock()

    def __getitem__(self, number: int) -> SourceLine:
        return self._lines[number]

    def number(self, line: SourceLine) -> int:
        """The number of a line."""
        found = self._numbers.get(line)
        if found is None:
            with self._lock:
                found = self._numbers.setdefault(line, len(self._lines))
                if found == len(self._lines):
                    self._lines.append(line)
        return found


LINES = Lines()
"""Those of every rule that this process has rewritten."""
