"""Logs in the layouts that people use: JSON of several kinds, patterns with and without a time, rotated, compressed."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from epochal.kafka.evidence.broker_log import is_log, message_of, written_at
from epochal.kafka.validation.collected import collected
from tests.conformance.evidence import changed, judged_brokers, judged_files, line_of, logs_of

pytestmark = pytest.mark.usefixtures("without_runs")

NAME = "preferred-election-4.3.1"
STATE = "node-2/logs/state-change.log"
LINE = re.compile(
    r"\[(?P<day>\S+) (?P<time>\S+?),(?P<part>\d+)\] (?P<level>\w+) (?P<message>.*) \((?P<logger>[\w.$]+)\)$"
)


def template(said: re.Match[str]) -> str:
    """JsonTemplateLayout with the template of log4j itself, EcsLayout."""
    at = f"{said['day']}T{said['time']}.{said['part']}Z"
    beside = {"ecs.version": "1.2.0", "log.level": said["level"], "log.logger": said["logger"]}
    return json.dumps({"@timestamp": at, **beside, "message": said["message"], "process.thread.name": "main"})


def instant(said: re.Match[str]) -> str:
    """JsonLayout with compact and eventEol: seconds in place of a day; and Gson's escapes."""
    hours, minutes, seconds = said["time"].split(":")
    at = 1_795_392_000 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    text = json.dumps(
        {
            "instant": {"epochSecond": at, "nanoOfSecond": int(said["part"]) * 1_000_000},
            "thread": "main",
            "level": said["level"],
            "loggerName": said["logger"],
            "message": said["message"],
            "endOfBatch": False,
        }
    )
    return text.replace("=", r"\u003d").replace("'", r"\u0027")


def docker(said: re.Match[str]) -> str:
    """What Docker's json-file has of a container's output."""
    return json.dumps(
        {"log": said[0] + "\n", "stream": "stdout", "time": f"{said['day']}T{said['time']}.{said['part']}Z"}
    )


def nested(said: re.Match[str]) -> str:
    """JSON in a container: one in the other."""
    return json.dumps({"log": template(said) + "\n", "stream": "stdout", "time": f"{said['day']}T{said['time']}Z"})


def containerd(said: re.Match[str]) -> str:
    """What Kubernetes has on a node."""
    return f"{said['day']}T{said['time']}.{said['part']}000000Z stdout F {said[0]}"


def strimzi(said: re.Match[str]) -> str:
    return f"{said['day']} {said['time']},{said['part']} {said['level']} {said['message']} ({said['logger']}) [main]"


def other_zone(said: re.Match[str]) -> str:
    return f"{said['day']}T{said['time']}.{said['part']}+0530 {said['level']} {said['message']} ({said['logger']})"


def no_day(said: re.Match[str]) -> str:
    return f"{said['time']}.{said['part']} [main] {said['level']} {said['logger']} - {said['message']}"


def no_time(said: re.Match[str]) -> str:
    return f"{said['level']}: {said['message']} ({said['logger']})"


def by_epoch(said: re.Match[str]) -> str:
    """GELF."""
    return json.dumps({"version": "1.1", "timestamp": 1795398000.25, "level": 6, "short_message": said["message"]})


LAYOUTS = (template, instant, docker, nested, containerd, strimzi, other_zone, no_day, no_time, by_epoch)


def written(content: bytes, layout: Callable[[re.Match[str]], str], end: str = "\n") -> bytes:
    """A log in another layout. What is no line of log4j, such as a stack trace, stays."""
    lines = content.decode().splitlines()
    return "".join((layout(said) if (said := LINE.match(line)) else line) + end for line in lines).encode()


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: str(one.__name__))
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_every_layout_is_recognised_and_judged_alike(
    layout: Callable[[re.Match[str]], str], end: str, tmp_path: Path
) -> None:
    files = {file: written(content, layout, end) for file, content in logs_of(NAME).items()}
    verdict = judged_files(NAME, files, tmp_path)
    assert verdict.refused == [] and verdict.cut == ()
    assert verdict.judged == judged_brokers(NAME).judged
    assert collected([tmp_path]).versions == ("4.3.1",)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: str(one.__name__))
def test_what_is_wrong_is_at_the_same_line(layout: Callable[[re.Match[str]], str], tmp_path: Path) -> None:
    number = line_of(NAME, STATE, "Leader t-0")
    files = changed(NAME, STATE, number, lambda line: [line.replace(b"ISR [2,3]", b"ISR [2]")])
    verdict = judged_files(NAME, {file: written(content, layout) for file, content in files.items()}, tmp_path)
    assert [str(one.place) for one in verdict.refused] == [f"{STATE}:{number}"]


def test_json_of_several_lines(tmp_path: Path) -> None:
    """JsonLayout that is not compact: a message has a line of its own."""
    files = {
        file: written(content, lambda said: json.dumps(json.loads(template(said)), indent=2))
        for file, content in logs_of(NAME).items()
    }
    verdict = judged_files(NAME, files, tmp_path)
    assert verdict.refused == [] and verdict.cut == () and verdict.judged == judged_brokers(NAME).judged


def test_a_line_of_json_that_is_cut(tmp_path: Path) -> None:
    number = line_of(NAME, STATE, "Leader t-0")
    files = {file: written(content, template) for file, content in logs_of(NAME).items()}
    lines = files[STATE].splitlines(keepends=True)
    half = lines[number - 1].index(b"high watermark")
    files[STATE] = b"".join([*lines[: number - 1], lines[number - 1][:half] + b"\n", *lines[number:]])
    verdict = judged_files(NAME, files, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{STATE}:{number}"] and verdict.refused == []


@pytest.mark.parametrize("layout", [template, instant, other_zone], ids=lambda one: str(one.__name__))
def test_rotated_files_are_put_in_order(layout: Callable[[re.Match[str]], str], tmp_path: Path) -> None:
    """The older one has the higher number, and is compressed."""
    lines = logs_of(NAME)[STATE].splitlines(keepends=True)
    half = line_of(NAME, STATE, "Leader t-0")
    files = {file: written(content, layout) for file, content in logs_of(NAME).items() if file != STATE}
    files[STATE] = written(b"".join(lines[half:]), layout)
    files[f"{STATE}.1.gz"] = gzip.compress(written(b"".join(lines[:half]), layout))
    verdict = judged_files(NAME, files, tmp_path)
    assert verdict.refused == [] and verdict.judged == judged_brokers(NAME).judged
    found = [log.name for log in collected([tmp_path]).logs if log.name.startswith(STATE)]
    assert found == [STATE]


@pytest.mark.parametrize("layout", [no_time, by_epoch], ids=lambda one: str(one.__name__))
def test_rotated_files_whose_order_is_not_known(layout: Callable[[re.Match[str]], str], tmp_path: Path) -> None:
    """Without times, or with the same ones: each is judged for itself, and nothing is refused for their order."""
    lines = logs_of(NAME)[STATE].splitlines(keepends=True)
    half = line_of(NAME, STATE, "Leader t-0")
    files = {file: written(content, layout) for file, content in logs_of(NAME).items() if file != STATE}
    files[STATE] = written(b"".join(lines[:half]), layout)
    files[f"{STATE}.1"] = written(b"".join(lines[half:]), layout)
    assert judged_files(NAME, files, tmp_path).refused == []
    assert {log.name for log in collected([tmp_path]).logs} >= {STATE, f"{STATE}.1"}


@pytest.mark.parametrize(
    "text",
    [
        '{"at": "2026-11-23 00:34:55", "what": "seen", "line": "[Broker id=1] Leader t-0 with topic id"}',
        '{"message": "an object that is no log"}',
        '{"level": "INFO", "message": 7}',
        "[" * 100_000,
        '{"level":' * 10_000,
        "INFO started",
    ],
)
def test_what_is_no_log(text: str) -> None:
    assert not is_log(text)


def test_messages_and_times() -> None:
    assert message_of('{"level": "INFO", "message": "one\\ntwo"}\n') == "one two\n"
    assert message_of('{"level": "INFO", "message": "one"}') == "one"  # the line has no end
    assert message_of("[2026-11-23 00:34:55,099] INFO text\n") == "[2026-11-23 00:34:55,099] INFO text\n"
    assert (
        written_at('{"instant":{"epochSecond":1795393945,"nanoOfSecond":5},"level":"INFO"}') == "2026-11-23 00:32:25."
    )
    assert written_at('{"timeMillis":1795393945247,"level":"INFO"}') == "2026-11-23 00:32:25.247"
    assert written_at("00:32:25 INFO text") is None
