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

ONLY_TIME = re.compile(TIME.replace(r"[ \t]", r"(?:[ \t]|(?=\r?\n))"))
"""A time, and nothing behind it where the line was empty."""

BLANKS = str.maketrans({"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u200b": None, "\u2060": None})
"""What pages and chats make of blanks, and put between words: no tool of Kafka prints it."""

COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""What `grep --color` and terminals put around words."""

MOST = 100
"""So many programs write no description of one cluster: then these are no names of programs."""


def as_printed(text: str) -> str:
    """A text of a tool as it was before it was copied from a page or a terminal."""
    return (COLOUR.sub("", text) if "\x1b" in text else text).translate(BLANKS)


def by_writer(lines: Iterable[str]) -> list[Iterable[str]]:
    """The texts of each program, without names; where others have written are empty lines, so that numbers stay.

    None if no line has a name before it, or too many different ones. Where each line has a time and no name
    (`kubectl logs --timestamps`), one program has written all.
    """
    given = list(lines)
    if _all_timed(given):
        return [[ONLY_TIME.sub("", line) for line in given]]
    split = [_split(line) for line in given]
    writers = dict.fromkeys(writer for writer, _ in split)
    if len(writers) > MOST or set(writers) <= {""}:
        return []
    return [[own if name == writer else "\n" for name, own in split] for writer in writers]


def _all_timed(lines: list[str]) -> bool:
    """Whether a time alone stands before each line. The last one may be cut off: who asks may have the beginning."""
    whole = [line for line in lines if line.endswith("\n") and line.strip()]
    return bool(whole) and all(ONLY_TIME.match(line) and not PREFIX.match(line) for line in whole)


def _split(line: str) -> tuple[str, str]:
    """Who has written a line, "" if nobody says, and what. Of two names, one before the other, both count."""
    names, start = "", 0
    while (found := PREFIX.match(line, start)) is not None:
        names, start = f"{names} {found[1] or found[2]}", found.end()
    return names, line[start:]
