"""Sentences that name bounds and settings, so that each reader can write them in their own way.

A bound that is too large reads `replicas=9: ...` in Python, `--replicas 9: ...` in a shell, and `replicas = 9: ...` in
the table of a file. So a sentence is text with `Given`s in it, and whoever shows it says how they are written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Given:
    """A bound, a setting or an option that a sentence names, perhaps with a value (None: the name alone)."""

    name: str
    value: object = None

    def __str__(self) -> str:
        """As a Python call has it: `replicas=9`."""
        return self.name if self.value is None else f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class GivenProtocols(Given):
    """How somebody lets a specification of their own be loaded: by `--protocol mine.py:Mine` in a shell."""

    def __str__(self) -> str:
        """As a Python call has it, which takes several."""
        return f"protocols=[{self.value!r}]"


def naming_protocol(reference: str) -> GivenProtocols:
    """How a protocol is named, so that the files of its traces can be read."""
    return GivenProtocols("protocol", reference)


Sentence = str | tuple[str | Given, ...]
"""Text, or its parts."""

Writer = Callable[[Given], str]
"""How a `Given` is written."""

LONGEST: Final = 40
"""How many characters of a text are repeated in a message about it."""


def written(sentence: Sentence, writer: Writer = str) -> str:
    """The sentence as text."""
    parts = (sentence,) if isinstance(sentence, str) else sentence
    return "".join(part if isinstance(part, str) else writer(part) for part in parts)


def listed(names: Iterable[Given]) -> tuple[str | Given, ...]:
    """Several of them, as a part of a sentence: `replicas, records`."""
    parts = [part for name in names for part in (", ", name)]
    return tuple(parts[1:])


def as_key(given: Given) -> str:
    """How the table of a configuration file has it: `replicas = 9`, `elr = false`."""
    name = given.name.replace("_", "-")
    return name if given.value is None else f"{name} = {json.dumps(given.value)}"
