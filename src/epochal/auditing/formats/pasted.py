"""What stands before each line where several programs write to one place: the name of a container or a pod, and a time.

`docker compose` writes `kafka-1  | `, `kubectl --prefix` writes `[pod/kafka-0/kafka] `. What each of them has written
is a text of its own, so that two nodes do not become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.,]*(?:Z|[+-]\d\d:?\d\d)?[ \t]"
PREFIX = re.compile(
    rf"[ \t]{{0,100}}(?:{TIME})?"
    rf"(?:([\w.-]{{1,253}})[ \t]{{1,253}}\|(?: |(?=\t|$))|\[(pod/[^\]\s]{{1,600}})\] )(?:{TIME})?"
)
"""What Docker Compose and Kubernetes write before a line, with a time before or after if one was asked for."""

MOST = 100
"""So many programs write no description of one cluster: then these are no names of programs."""


def by_writer(lines: Iterable[str]) -> list[Iterable[str]]:
    """The texts of each program, without names; where others have written are empty lines, so that numbers stay.

    None if no line has a name before it, or too many different ones.
    """
    given = list(lines)
    split = [_split(line) for line in given]
    writers = dict.fromkeys(writer for writer, _ in split)
    if len(writers) > MOST or set(writers) <= {""}:
        return []
    return [[own if name == writer else "\n" for name, own in split] for writer in writers]


def _split(line: str) -> tuple[str, str]:
    """Who has written a line, "" if nobody says, and what. Of two names, one before the other, both count."""
    names, start = "", 0
    while (found := PREFIX.match(line, start)) is not None:
        names, start = f"{names} {found[1] or found[2]}", found.end()
    return names, line[start:]
