"""Files of properties: `server.properties` of a node, and what a producer is configured with.

They are read as Java reads them: `=`, `:` or a space between, escapes, and lines that go on after a backslash. Lines of
YAML, `acks: "1"`, are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from javaproperties import KeyValue, parse

from ..said import Place, Said, quoted, refuse, trimmed

OF_A_NODE = ("process.roles", "node.id", "broker.id")
"""Settings by which a file is that of one node."""

OF_NODES = (
    "auto.create.topics.enable",
    "controller.listener.names",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "default.replication.factor",
    "inter.broker.protocol.version",
    "log.dir",
    "log.dirs",
    "num.io.threads",
    "num.network.threads",
    "num.partitions",
    "num.replica.fetchers",
    "offsets.topic.replication.factor",
    "replica.lag.time.max.ms",
    "transaction.state.log.min.isr",
    "transaction.state.log.replication.factor",
    "zookeeper.connect",
    "zookeeper.session.timeout.ms",
)
"""Settings that nodes have, and neither topics nor producers: what is set for all of them has no number of a node."""

SERVER = re.compile(
    rf"^[ \t]*(?:{'|'.join(map(re.escape, (*OF_A_NODE, *OF_NODES)))})[ \t]*[=:]",
    re.MULTILINE,
)
"""A setting that only a node has."""

PRODUCER = re.compile(
    r"^[ \t]*(?:(?:request\.required\.)?acks|enable\.idempotence|transactional\.id|delivery\.timeout\.ms|linger\.ms)"
    r"[ \t]*[=:]",
    re.MULTILINE,
)
"""A setting that only a producer has."""

OF_LIBRDKAFKA = {"request.required.acks": "acks"}
"""What librdkafka calls something else, which it knows by Kafka's name as well."""

LOOKS_BLANK = re.compile(r"[^\S \t\f\r\n]|[\u200b\u2060\ufeff]")
"""What looks like a blank, or like nothing, and is a part of a name for Java."""

OF_YAML = re.compile(r"[^=:]{1,250}: ")
QUOTED = re.compile(r"([\"'])([^\"'\\]*)\1(?:[ \t]+#.*)?")
"""A value as YAML quotes it. Behind `=` Kafka takes the quotation marks for a part of it, and refuses that."""

LOGGED = re.compile(r"\b(?:Kafka|Producer)Config values:[ \t]*$", re.MULTILINE)
"""What nodes and producers log before all their settings: lists in brackets, and null where nothing is set."""

MOST_LINES = 1000
"""A setting that goes on over more lines is refused: the library reads such a one in quadratic time."""


def _read(lines: Iterable[str], file: str) -> str:
    """The text of a file. Raises EvidenceError for a setting that goes on and on."""
    read, going_on = list[str](), 0
    for number, line in enumerate(lines, start=1):
        content = line.rstrip("\r\n")
        goes_on = (len(content) - len(content.rstrip("\\"))) % 2 == 1
        going_on = going_on + 1 if goes_on else 0
        if going_on > MOST_LINES:
            raise refuse(Place(file, number), f"a setting that goes on over more than {MOST_LINES} lines")
        read.append(line)
    return "".join(read)


def read_properties(lines: Iterable[str], file: str, repeated: dict[str, Said] | None = None) -> dict[str, Said]:
    """The settings of a file by name; of one that stands there twice the last, as in Java. `repeated` gets what stood
    there before it, and was something else.

    Raises EvidenceError for an escape that Java does not read, a name that looks like another one, and a setting that
    goes on and on.
    """
    found: dict[str, Said] = {}
    number = 1
    text = _read(lines, file)
    logged = LOGGED.search(text) is not None
    try:
        for element in parse(text):
            if isinstance(element, KeyValue) and not (logged and trimmed(element.value) == "null"):
                name, value = element.key, trimmed(element.value)
                value = value[1:-1] if logged and value[:1] == "[" and value[-1:] == "]" else value
                if LOOKS_BLANK.search(name):
                    raise refuse(Place(file, number), f"{quoted(name)} has what only looks like a blank", WRITE_ANEW)
                in_quotes = QUOTED.fullmatch(value) if OF_YAML.match(element.source) else None
                said = Said(value if in_quotes is None else in_quotes[2], Place(file, number))
                before = found.get(OF_LIBRDKAFKA.get(name, name))
                if before is not None and repeated is not None and before.value != said.value:
                    repeated[name] = before
                found[OF_LIBRDKAFKA.get(name, name)] = said
            number += len(element.source.splitlines())
    except ValueError as wrong:  # an escape such as \uXYZW
        raise refuse(Place(file, number), f"a line of properties that Java does not read: {wrong}") from wrong
    return found


WRITE_ANEW = "Kafka takes it for another setting, and leaves it out: write the line anew, with blanks or without."


def is_node(settings: dict[str, Said]) -> bool:
    """Whether these are the settings of one broker or controller."""
    return any(name in settings for name in OF_A_NODE)


def is_of_nodes(settings: dict[str, Said]) -> bool:
    """Whether these are what is set for all brokers and controllers, as a configuration of MSK is."""
    return not is_node(settings) and any(name in settings for name in OF_NODES)
