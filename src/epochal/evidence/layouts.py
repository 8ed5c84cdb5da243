"""Layouts of logs: the message of a line, and when it was written, however log4j was told to print them.

A pattern layout prints the message as it is, with other words around it: nothing needs to be taken away. A JSON layout
(JsonLayout, JsonTemplateLayout, logstash) has an object a line, and so has what Docker and Kubernetes write of a
container's output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

MESSAGES = ("message", "msg", "log", "short_message", "full_message", "textPayload", "body", "line", "MESSAGE")
"""What the message is called in JSON; `log` is Docker's, `line` Loki's, and `MESSAGE` that of the journal."""

BESIDE = {
    *(
        "level",
        "log.level",
        "severity",
        "levelname",
        "level_value",
        "loggerName",
        "logger_name",
        "log.logger",
        "logger",
    ),
    *("@timestamp", "timestamp", "timeMillis", "instant", "time", "stream", "ts"),
}
"""What stands beside it in a log: without any of these an object is something else."""

DEEPEST = 3
"""A line of JSON may be the message of another one: that of a container."""

STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*")
SECONDS = re.compile(
    r'"(?:epochSecond|timeMillis|timestamp|time|ts)"\s*:\s*"?(?P<whole>\d{10})(?:\.?(?P<part>\d{1,9}))?[",}\s]'
)

LINE = re.compile(
    r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d"
    r"|\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b.*?\b(?:kafka\.|org\.apache\.kafka\.|state\.change\.logger)"
    r'|"(?:loggerName|logger_name|log\.logger|logger)"\s*:\s*"(?:kafka\.|org\.apache\.kafka\.|state\.change\.logger)'
    r"|\[Broker id=\d+\] |\[Partition \S+-\d+ broker=\d+\] "
)
"""A line of a log in whatever layout: when it was written; or its level and its logger; or who speaks."""


def is_log(text: str) -> bool:
    """Whether a file that begins so is a log, as far as its layout tells. Other JSON may quote one."""
    return any(
        _message(line, DEEPEST) is not None if line.startswith("{") else LINE.search(line) is not None
        for line in text.splitlines()
    )


def message_of(line: str) -> str:
    """The message of a line of JSON, in one line; any other line as it is."""
    if not line.startswith("{"):
        return line
    found = _message(line, DEEPEST)
    return line if found is None else " ".join(found.splitlines()) + line[len(line.rstrip("\n")) :]


BEFORE = re.compile(
    r"(?:[ \t]|\d{4}-\d\d-\d\dT[\d:.,]{8,20}(?:Z|[+-]\d\d:?\d\d)? |[\w.-]{1,253} +\| |\[pod/[^\]\s]{1,600}\] ){1,100}"
    r"(?=Dumping |baseOffset: |\|? ?offset: )"
)
"""What a paste, Docker Compose or Kubernetes writes before a line of kafka-dump-log."""


def of_dump(line: str) -> str:
    """A line of kafka-dump-log without what others have written before it."""
    found = BEFORE.match(line)
    return line if found is None else line[found.end() :]


def messages(lines: Iterable[str]) -> Iterator[str]:
    """The messages, a line each."""
    return map(message_of, lines)


def _message(line: str, deepest: int) -> str | None:
    try:
        said: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(said, dict) or not BESIDE & said.keys():
        return None
    found = next((said[name] for name in MESSAGES if isinstance(said.get(name), str)), None)
    if found is None or not found.startswith("{") or deepest == 0:
        return found
    return _message(found, deepest - 1) or found


def written_at(line: str) -> str | None:
    """When a line was written: a text that can be compared with that of another line of the same log.

    A local time stays as it is: the files of one log are all of one place.
    """
    if (stamp := STAMP.search(line)) is not None:
        return stamp[0].replace("T", " ").replace(",", ".")
    if (seconds := SECONDS.search(line)) is not None:
        at = datetime.fromtimestamp(int(seconds["whole"]), UTC).strftime("%Y-%m-%d %H:%M:%S")
        return f"{at}.{seconds['part'] or ''}"
    return None
