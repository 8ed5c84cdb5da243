"""How a node logs: the files, layout and levels of Kafka's own release archive, for Log4j 1 (3.9) and Log4j 2 (4.0).

The archive's `config/log4j.properties` and `config/log4j2.yaml` say the same: server.log, state-change.log,
controller.log, kafka-request.log and log-cleaner.log, each line `[time] LEVEL message (logger)`. None is rotated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PATTERN = "[%d] %p %m (%c)%n"

FILES = {
    "server.log": (),
    "state-change.log": ("state.change.logger",),
    "controller.log": ("org.apache.kafka.controller", "kafka.controller"),
    "kafka-request.log": ("kafka.request.logger", "kafka.network.RequestChannel$"),
    "log-cleaner.log": ("kafka.log.LogCleaner", "org.apache.kafka.storage.internals.log.LogCleaner"),
}
"""Each file with the loggers that write to it and to no other; the rest is for server.log."""

LEVELS = {
    "": "INFO",
    "kafka": "INFO",
    "org.apache.kafka": "INFO",
    "kafka.request.logger": "WARN",
    "kafka.network.RequestChannel$": "WARN",
    "org.apache.kafka.controller": "INFO",
    "kafka.controller": "INFO",
    "kafka.log.LogCleaner": "INFO",
    "org.apache.kafka.storage.internals.log.LogCleaner": "INFO",
    "state.change.logger": "INFO",
}
"""The levels of the archive, by logger; the root is the empty name."""


def logging_file(log4j2: bool, folder: Path, changed: Mapping[str, str]) -> tuple[str, str]:
    """The name and the text of the file that tells a node how to log into a folder; `changed` are levels by logger."""
    levels = {**LEVELS, **changed}
    return ("log4j2.xml", _log4j2(folder, levels)) if log4j2 else ("log4j.properties", _log4j1(folder, levels))


def java_option(log4j2: bool, path: Path) -> str:
    """The option of `java` that names that file."""
    return f"-Dlog4j2.configurationFile={path}" if log4j2 else f"-Dlog4j.configuration=file:{path}"


def _file_of(logger: str) -> str | None:
    """The file that a logger writes to by an appender of its own."""
    return next((name for name, loggers in FILES.items() if logger in loggers), None)


def _log4j1(folder: Path, levels: Mapping[str, str]) -> str:
    lines = [f"log4j.rootLogger={levels['']}, server-log"]
    for name in FILES:
        appender = f"log4j.appender.{name.replace('.', '-')}"
        lines += [f"{appender}=org.apache.log4j.FileAppender", f"{appender}.File={folder / name}"]
        lines += [f"{appender}.layout=org.apache.log4j.PatternLayout", f"{appender}.layout.ConversionPattern={PATTERN}"]
    for logger, level in levels.items():
        own = _file_of(logger)
        if logger:
            lines.append(f"log4j.logger.{logger}={level}" + (f", {own.replace('.', '-')}" if own else ""))
            lines += [f"log4j.additivity.{logger}=false"] if own else []
    return "\n".join(lines) + "\n"


def _log4j2(folder: Path, levels: Mapping[str, str]) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<Configuration status="ERROR">', "  <Appenders>"]
    for name in FILES:
        lines += [f'    <File name="{name}" fileName="{folder / name}">', f'      <PatternLayout pattern="{PATTERN}"/>']
        lines.append("    </File>")
    lines += ["  </Appenders>", "  <Loggers>", f'    <Root level="{levels[""]}"><AppenderRef ref="server.log"/></Root>']
    for logger, level in levels.items():
        own = _file_of(logger)
        if logger and own:
            lines.append(f'    <Logger name="{logger}" level="{level}" additivity="false">')
            lines += [f'      <AppenderRef ref="{own}"/>', "    </Logger>"]
        elif logger:
            lines.append(f'    <Logger name="{logger}" level="{level}"/>')
    return "\n".join([*lines, "  </Loggers>", "</Configuration>"]) + "\n"
