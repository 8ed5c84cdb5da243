"""`kafka-configs --describe`, with and without `--all`: what is set, for what, and where the value comes from.

Blocks begin with `Dynamic configs for topic X are:`, `All configs for broker 1 are:` or `Default configs for brokers in
the cluster are:`; each line has `name=value sensitive=false synonyms={SOURCE:name=value, ...}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..said import Place, Said, refuse

HEADER = re.compile(r"^[\t ]*(All|Dynamic) configs for ([a-z-]+) (.+) are:[\t ]*$")
CLUSTER = re.compile(r"^[\t ]*Default configs for ([a-z-]+) in the cluster are:[\t ]*$")
BEGINS = re.compile(
    r"^[\t ]*(?:(?:All|Dynamic) configs for (?:topic|broker) .+"
    r"|Default configs for (?:brokers|topics) in the cluster) are:",
    re.MULTILINE,
)
"""A line that only this output has."""

BEGUN = re.compile(r"[\t ]+[A-Za-z][A-Za-z0-9._-]*(?:=|$)|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+=")
"""How a setting begins, or as much of it as is left. Without the blanks before it only what can be nothing else."""

LINE = re.compile(r"^[\t ]*([A-Za-z][A-Za-z0-9._-]*)=(.*) sensitive=(?:true|false) synonyms=\{(.*)\}[\t ]*$", re.DOTALL)
SYNONYM = re.compile(r"(?:^|, )([A-Z_]+_CONFIG):([A-Za-z][A-Za-z0-9._-]*)=")


@dataclass
class ConfigBlock:
    """The settings of one thing: a topic or a broker by its name, or all brokers (`name` is "").

    `whole` says whether all settings stand there, defaults as well, so that one which is not there does not exist.
    `synonyms` have, for each setting, every value and its source, the first of them in force.
    """

    kind: str
    name: str
    whole: bool
    place: Place
    values: dict[str, Said] = field(default_factory=dict)
    synonyms: dict[str, list[Said]] = field(default_factory=dict)


def read_configs(lines: Iterable[str], file: str) -> list[ConfigBlock]:
    """The blocks of an output. Raises EvidenceError if a line is cut off."""
    found: list[ConfigBlock] = []
    begun: list[str] = []
    place = Place(file, 1)
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r\n")
        header, cluster = HEADER.match(line), CLUSTER.match(line)
        if begun and (header or cluster or len(begun) == MOST_LINES):
            raise refuse(place, "a setting without its end", CUT)
        if header or cluster:
            kind, name = (header[2], header[3]) if header else (cluster[1] if cluster else "", "")
            whole = bool(header and header[1] == "All")
            found.append(ConfigBlock(kind.removesuffix("s"), name, whole, Place(file, number)))
        elif found and (begun or BEGUN.match(line) or LINE.match(line)):
            place = place if begun else Place(file, number)
            begun.append(line)
            said = LINE.match("\n".join(begun))
            if said is not None:
                _take(found[-1], said, place)
                begun = []
    if begun:
        raise refuse(place, "a setting without its end", CUT)
    return found


CUT = "The file is cut off: ask again with 'kafka-configs --describe --all'."
MOST_LINES = 64
"""A value may have several lines, but not so many."""


def _take(block: ConfigBlock, said: re.Match[str], place: Place) -> None:
    name, value, synonyms = said[1], said[2], said[3]
    starts = list(SYNONYM.finditer(synonyms))
    ends = [one.start() for one in starts[1:]] + [len(synonyms)] * bool(starts)
    several = [Said(synonyms[one.end() : end], place, one.group(1)) for one, end in zip(starts, ends, strict=True)]
    block.values[name] = Said(value, place, several[0].source if several else "")
    block.synonyms[name] = several
