"""Files of properties: `server.properties` of a node, and what a producer is configured with.

They are read as Java reads them: `=`, `:` or a space between, escapes, and lines that go on after a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from javaproperties import KeyValue, parse

from ..said import Place, Said, refuse

SERVER = re.compile(
    r"^[ \t]*(?:process\.roles|node\.id|broker\.id|zookeeper\.connect|log\.dirs?)[ \t]*[=:]", re.MULTILINE
)
"""A setting that only a node has."""

PRODUCER = re.compile(r"^[ \t]*(?:acks|enable\.idempotence|delivery\.timeout\.ms|linger\.ms)[ \t]*[=:]", re.MULTILINE)
"""A setting that only a producer has."""


def read_properties(lines: Iterable[str], file: str) -> dict[str, Said]:
    """The settings of a file by name; of one that stands there twice the last, as in Java.

    Raises EvidenceError for an escape that Java does not read.
    """
    found: dict[str, Said] = {}
    number = 1
    try:
        for element in parse("".join(lines)):
            if isinstance(element, KeyValue):
                found[element.key.strip()] = Said(element.value.strip(), Place(file, number))
            number += len(element.source.splitlines())
    except ValueError as wrong:  # an escape such as \uXYZW
        raise refuse(Place(file, number), f"a line of properties that Java does not read: {wrong}") from wrong
    return found


def is_node(settings: dict[str, Said]) -> bool:
    """Whether these are the settings of a broker or controller."""
    return any(name in settings for name in ("process.roles", "node.id", "broker.id", "zookeeper.connect"))
