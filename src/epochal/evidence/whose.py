"""Whose line it is, in a file that has the lines of several brokers: what a container's or a shipper's log says of it.

`docker compose logs` and `kubectl logs --prefix` write a name before each line, syslog a host, and log stores have a
field for it in JSON. Which of these words tell one broker from another the lines themselves show: those in which a
broker says its number. A word is believed if it never stands before the lines of two brokers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from .broker_events import UNKNOWN_BROKER
from .layouts import STAMP

Labels = Mapping[str, str]
"""What stands beside a message, by where: the words before it by their places, the fields of JSON by their names."""

LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b")
TIME = re.compile(rf"{STAMP.pattern}|\d\d:\d\d:\d\d[.,]?\d*|^[A-Z][a-z]{{2}} +\d{{1,2}} ")
NAMES_A_SOURCE = re.compile(
    r"pod|container|host|node|instance|source|broker|service|label|unit|stream|identifier|task|machine|file|path",
    re.IGNORECASE,
)
"""What a field of JSON is called that says from where a line is."""

MOST_WORDS, DEEPEST = 4, 3


def labels_of(line: str) -> Labels:
    """What stands beside the message of a line."""
    if line.startswith("{"):
        try:
            return dict(_fields(msgspec.json.decode(line), "", DEEPEST))
        except (msgspec.DecodeError, RecursionError):
            return {}
    until = _own_words(line)
    if until is None:
        return {}
    words = TIME.sub(" ", line[: until.start()]).split()
    return {f"word {place}": word for place, word in enumerate(islice(words, MOST_WORDS))}


def _own_words(line: str) -> re.Match[str] | None:
    """Where the words of Kafka's own layout begin, which may have the thread's name among them: with the last time
    before the level. Where there is none nobody can tell them from others."""
    level = LEVEL.search(line)
    if level is None:
        return STAMP.search(line)
    return next(iter([*TIME.finditer(line, 0, level.start())][-1:]), None)


def _fields(said: Any, name: str, deepest: int) -> Iterator[tuple[str, str]]:
    """The texts and numbers of an object whose names are of a source, or lie in one of such a name."""
    if isinstance(said, dict) and deepest:
        for key, value in said.items():
            yield from _fields(value, f"{name}.{key}", deepest - 1)
    elif isinstance(said, str | int) and NAMES_A_SOURCE.search(name):
        yield name, str(said)


@dataclass
class Speakers:
    """The brokers that speak in a file. `heard` are for each label and each value of it the brokers that it is of."""

    brokers: set[int] = field(default_factory=set)
    heard: dict[str, dict[str, set[int]]] = field(default_factory=dict)

    def hears(self, broker: int, labels: Labels) -> None:
        """A line in which a broker says its number."""
        self.brokers.add(broker)
        for label, value in labels.items():
            self.heard.setdefault(label, {}).setdefault(value, set()).add(broker)

    def whose(self, labels: Labels) -> int:
        """The broker that wrote a line which does not say it; UNKNOWN_BROKER if nothing tells, or not alike."""
        if len(self.brokers) == 1:
            return next(iter(self.brokers))
        said = {broker for label, value in labels.items() for broker in self._of(label, value)}
        return said.pop() if len(said) == 1 else UNKNOWN_BROKER

    def _of(self, label: str, value: str) -> set[int]:
        """The broker of whose lines a label has this value, if the label tells brokers apart."""
        values = self.heard.get(label, {})
        return values.get(value, set()) if all(len(brokers) == 1 for brokers in values.values()) else set()
