"""Files of lines, `*.steps`: what was said to the harness, and below each line what it answered.

Played again the answers must be the same; what a newer harness says besides does not count. A line that begins with
`#` is a remark.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from epochal.errors import UsageError

from .driven import Harness

ANSWER = "= "
"""How the line of an answer begins."""

BEGINS_CLUSTER, BEGINS_QUORUM = "begin|", "begin:"
"""How the first line begins: it says which harness the others are for."""


def story(lines: Iterable[str], answers: Iterable[str]) -> str:
    """The text of such a file."""
    return "".join(f"{line}\n{ANSWER}{answer}\n" for line, answer in zip(lines, answers, strict=True))


@dataclass(frozen=True)
class AnsweredLine:
    """A line, what it was answered when it was kept ("" if that was not kept), and what it is answered now."""

    line: str
    kept: str
    now: str

    @property
    def same(self) -> bool:
        """Whether all that was kept of the answer is still answered so."""
        if self.kept in ("", self.now):
            return True
        try:
            return _says(json.loads(self.now), json.loads(self.kept))
        except json.JSONDecodeError:
            return False


def _says(now: object, kept: object) -> bool:
    """Whether each field that was kept has its value."""
    if isinstance(kept, dict) and isinstance(now, dict):
        return all(name in now and _says(now[name], value) for name, value in kept.items())
    if isinstance(kept, list) and isinstance(now, list):
        return len(now) == len(kept) and all(map(_says, now, kept))
    return type(now) is type(kept) and now == kept


def read_lines(path: Path) -> list[tuple[str, str]]:
    """The lines of a file with their answers. Raises UsageError for a file that begins no cluster and no quorum."""
    try:
        written = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} has no lines of a harness: {error}") from error
    found: list[tuple[str, str]] = []
    for line in written:
        if line.startswith(ANSWER) and found:
            found[-1] = (found[-1][0], line.removeprefix(ANSWER))
        elif line and not line.startswith("#"):
            found.append((line, ""))
    if not found or not found[0][0].startswith((BEGINS_CLUSTER, BEGINS_QUORUM)):
        raise UsageError(
            f"{path} does not begin a cluster: its first line is neither {BEGINS_CLUSTER}... nor {BEGINS_QUORUM}..."
        )
    return found


def played_again(kafka: Harness, lines: Sequence[tuple[str, str]]) -> Iterator[AnsweredLine]:
    """Each line with its answer now."""
    for line, kept in lines:
        (now,) = kafka.ask([line])
        yield AnsweredLine(line, kept, now)
