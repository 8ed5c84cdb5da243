"""The columns of a line that a tool prints as `Name: value`, with tabs between, or blanks after it was copied.

Kafka's releases and its vendors print different columns: a line is cut wherever a name begins, known or not, so that no
value takes in the column behind it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ..said import Place, refuse

TWO_WORDS = r"(?:(?:Adding|Removing) )?"
"""Some names of columns have a blank in them. A topic may be called like the first word of others."""

LONGEST_NAME = 60
NAME = re.compile(rf"[A-Z][A-Za-z]{{0,{LONGEST_NAME}}}(?: [A-Z][A-Za-z]{{0,{LONGEST_NAME}}}){{0,3}}\Z")
ESCAPED_TAB = "\\t"
"""A tab as JSON and programs that quote have it."""


def columns_of(line: str, known: Collection[str], place: Place) -> dict[str, str]:
    """The values of a line by the names of their columns. `known` are names that may stand right before their value.

    Raises EvidenceError if a name is there twice: then nobody knows which value it has.
    """
    text = line.strip().replace(ESCAPED_TAB, "\t").strip()
    said: dict[str, str] = {}
    for part in _parts(text, known):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not colon or not (name in known or NAME.match(name)):
            continue  # what stands before the first column
        if name in said:
            raise refuse(place, f"two columns are called {name}", TWICE)
        said[name] = value.strip()
    return said


TWICE = "Lines have run into each other: ask the tool again, and write what it prints to a file."


def _parts(text: str, known: Collection[str]) -> list[str]:
    """The pieces of a line, each with the name of its column first."""
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    if "\t" not in text:
        word = rf"[A-Z][A-Za-z]{{0,{LONGEST_NAME}}}"
        name = rf"(?:{TWO_WORDS}{word}|(?<=  ){word}(?: {word}){{1,2}})"  # behind two blanks no value goes on
        return _cut(text, re.compile(rf"(?<![^ ])(?:(?:{names}):|{name}:(?= |$))"))
    found: list[str] = []
    for part in (one.strip() for one in text.split("\t")):
        name = part.partition(":")[0]
        if found and not (":" in part and (name in known or NAME.match(name))):
            found[-1] += f"\t{part}"  # a value with a tab in it
        else:
            found += _cut(part, re.compile(rf"(?<![^ ])(?:{names}):"))
    return found


def _cut(text: str, begins: re.Pattern[str]) -> list[str]:
    starts = [one.start() for one in begins.finditer(text)]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] if starts else [text]
