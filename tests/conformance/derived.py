"""What people bring of a recording: the same evidence in other forms, and parts of it.

None of it can change what happened, so that none of it may be refused. A form is made of the files of an archive, by
their names; what it is called stands in `FORMS`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from tests.conformance.evidence import FOLDER

Files = dict[str, bytes]
Form = Callable[[Files], Files]

BROKERS = (1, 2, 3)
STAMP = re.compile(rb"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+)\]")
LOG = re.compile(r"node-(\d+)/logs/(server|state-change|controller)\.log$")
KEPT = re.compile(
    r"node-\d+/(?:logs/(?:server|state-change|controller|kafka-request)\.log|data/|config/server)|history"
)
METADATA = "node-101/metadata/__cluster_metadata-0/"
"""One copy of the metadata log is as good as four, and is read four times as fast."""


@cache
def files_of(name: str) -> Mapping[str, bytes]:
    """The files of an archive that matter."""
    found: Files = {}
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None and (KEPT.match(member.name) or member.name.startswith(METADATA)):
                found[member.name] = stream.read()
    return found


def written(files: Mapping[str, bytes], folder: Path) -> Path:
    """A form, below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def logs(files: Mapping[str, bytes]) -> Iterator[tuple[str, str, bytes]]:
    """The logs of brokers and controllers that are merged or cut, each with its node."""
    for name, content in files.items():
        if (found := LOG.match(name)) is not None:
            yield name, found[1], content


def timed(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The lines of a log, each with its time: that of the line before it where it has none."""
    time = b""
    for line in content.splitlines(keepends=True):
        found = STAMP.match(line)
        time = time if found is None else found[1]
        yield time, line


def merged(files: Files, layout: Callable[[str, bytes], bytes]) -> Files:
    """All logs in one file, by time: those of one time in the order of the files."""
    lines = [(time, node, line) for _, node, content in logs(files) for time, line in timed(content)]
    content = b"".join(layout(node, line) for _, node, line in sorted(lines, key=lambda one: one[0]))
    return {**{name: said for name, said in files.items() if not LOG.match(name)}, "all.log": content}


def compose(node: str, line: bytes) -> bytes:
    """What `docker compose logs` prints."""
    return f"kafka-{node}".ljust(10).encode() + b"| " + line


def kubectl(node: str, line: bytes) -> bytes:
    """What `kubectl logs --prefix` prints."""
    return f"[pod/kafka-{node}/kafka] ".encode() + line


def loki(node: str, line: bytes) -> bytes:
    """What `logcli --output=jsonl` prints."""
    said = {"labels": {"pod": f"kafka-{node}", "namespace": "prod"}, "line": line.decode().rstrip("\n")}
    return json.dumps({**said, "timestamp": "2026-11-23T00:34:48Z"}).encode() + b"\n"


def syslog(node: str, line: bytes) -> bytes:
    """What a syslog daemon writes."""
    found = STAMP.match(line)
    time = b"00:00:00" if found is None else found[1][11:19]
    return b"Nov 23 " + time + f" kafka-{node} kafka[71]: ".encode() + line


def bare(node: str, line: bytes) -> bytes:
    """A file in which nothing tells whose line it is."""
    return line


def without(pattern: str) -> Form:
    """No file whose name is like this."""
    return lambda files: {name: content for name, content in files.items() if not re.search(pattern, name)}


def of_lines(pattern: str, keep: Callable[[list[bytes]], list[bytes]]) -> Form:
    """A part of the lines of logs whose name is like this."""

    def form(files: Files) -> Files:
        return {
            name: b"".join(keep(content.splitlines(keepends=True)))
            if name.endswith(".log") and "/logs/" in name and re.search(pattern, name)
            else content
            for name, content in files.items()
        }

    return form


def rotated(pack: Callable[[bytes], bytes], ending: str) -> Form:
    """Each log in three files."""

    def form(files: Files) -> Files:
        found = dict(files)
        for name, _, content in logs(files):
            lines = content.splitlines(keepends=True)
            first, second = (_begins(lines, len(lines) * third // 3) for third in (1, 2))
            found[name] = b"".join(lines[second:])
            found[f"{name}.1{ending}"] = pack(b"".join(lines[first:second]))
            found[f"{name}.2{ending}"] = pack(b"".join(lines[:first]))
        return found

    return form


def _begins(lines: list[bytes], at: int) -> int:
    """Where a message begins, from this line on: a rotation cuts none."""
    return next((number for number in range(at, len(lines)) if STAMP.match(lines[number])), len(lines))


def tenths(phase: int) -> Callable[[list[bytes]], list[bytes]]:
    """Every tenth line left out."""
    return lambda lines: [line for number, line in enumerate(lines) if number % 10 != phase]


def with_words(*words: bytes) -> Callable[[list[bytes]], list[bytes]]:
    """What `grep` leaves."""
    return lambda lines: [line for line in lines if any(word in line for word in words)]


def first_half(lines: list[bytes]) -> list[bytes]:
    """What a log is before it goes on."""
    return lines[: len(lines) // 2]


def second_half(lines: list[bytes]) -> list[bytes]:
    """What `tail` leaves."""
    return lines[len(lines) // 2 :]


def of_logs(change: Callable[[bytes], Mapping[str, bytes]]) -> Form:
    """Each log as files, by what is added to its name: nothing, or what a rotation adds."""

    def form(files: Files) -> Files:
        found = dict(files)
        for name, _, content in logs(files):
            del found[name]
            found |= {f"{name}{added}": part for added, part in change(content).items()}
        return found

    return form


def newest_first(content: bytes) -> bytes:
    """What a console exports, or `tac` prints."""
    return b"".join(reversed(content.splitlines(keepends=True)))


def sent_again(lines: list[bytes]) -> list[bytes]:
    """A shipper was not told that its batches had come, and sends each again: the first ones much later."""
    batches = [lines[at : at + 7] for at in range(0, len(lines), 7)]
    again = [line for number, batch in enumerate(batches) for line in (*batch, *batches[max(0, number - 2)])]
    return [*again, *lines[: len(lines) // 2]]


def overlapping(*names: str) -> Form:
    """Windows of each log that overlap, the oldest first; a log that is copied before it is truncated is cut so."""

    def windows(content: bytes) -> Mapping[str, bytes]:
        lines = content.splitlines(keepends=True)
        size, step = 2 * len(lines) // (len(names) + 1), len(lines) // (len(names) + 1)
        return {
            name: b"".join(lines[number * step : None if number + 1 == len(names) else number * step + size])
            for number, name in enumerate(names)
        }

    return of_logs(windows)


def set_back(*names: str) -> Form:
    """The local time falls back by an hour between two files of each log: those behind it are written an hour less."""

    def parts(content: bytes) -> Mapping[str, bytes]:
        lines = content.splitlines(keepends=True)
        at = [_begins(lines, len(lines) * number // len(names)) for number in range(len(names))]
        files = [b"".join(lines[begin:end]) for begin, end in zip(at, [*at[1:], None], strict=True)]
        return dict(zip(names, [files[0], *map(_an_hour_less, files[1:])], strict=True))

    return of_logs(parts)


def set_back_within(files: Files) -> Files:
    """The same in the middle of each file."""
    parts = set_back(".1", "")(files)
    names = {name for name, _, _ in logs(files)}
    found = {name: content for name, content in parts.items() if name.removesuffix(".1") not in names}
    return {**found, **{name: parts[f"{name}.1"] + parts[name] for name in names}}


def _an_hour_less(content: bytes) -> bytes:
    def less(found: re.Match[bytes]) -> bytes:
        time = datetime.strptime(found[1].decode(), "%Y-%m-%d %H:%M:%S,%f") - timedelta(hours=1)
        return f"[{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03}]".encode()

    return re.sub(STAMP.pattern, less, content, flags=re.MULTILINE)


def additive(files: Files) -> Files:
    """What state-change.log has is in server.log as well, at its time."""
    found = dict(files)
    for name, _, content in logs(files):
        if name.endswith("state-change.log"):
            server = name.replace("state-change", "server")
            lines = [*timed(files.get(server, b"")), *timed(content)]
            found[server] = b"".join(line for _, line in sorted(lines, key=lambda one: one[0]))
    return found


def newest_first_as_json(files: Files) -> Files:
    """What Kibana exports of all brokers: objects with a time, the newest first."""

    def layout(node: str, line: bytes) -> bytes:
        found = STAMP.match(line)
        time = "" if found is None else found[1].decode().replace(" ", "T").replace(",", ".") + "Z"
        said = {"@timestamp": time, "kubernetes": {"pod": f"kafka-{node}"}, "level": "INFO"}
        return json.dumps({**said, "message": line.decode().rstrip("\n")}).encode() + b"\n"

    found = merged(dict(files), layout)
    return {**found, "all.log": newest_first(found["all.log"])}


def shuffled(lines: list[bytes]) -> list[bytes]:
    """Lines in an order that nobody meant."""
    return sorted(lines, key=lambda line: hashlib.sha256(line).digest())


def cut_off_disk(broker: int, records: Callable[[int], int]) -> Form:
    """The segments of one broker, cut off where a batch ends: copied earlier than its logs, as its checkpoints are."""

    def form(files: Files) -> Files:
        return {
            name: _batches(content, records) if re.match(rf"node-{broker}/data/t-\d+/\d{{20}}\.log$", name) else content
            for name, content in files.items()
            if not re.match(rf"node-{broker}/data/[\w-]+-checkpoint$", name)
        }

    return form


def _batches(content: bytes, keep: Callable[[int], int]) -> bytes:
    """So many of the batches of a segment as `keep` says of their number."""
    ends = [0]
    while ends[-1] + 12 <= len(content):
        ends.append(ends[-1] + 12 + int.from_bytes(content[ends[-1] + 8 : ends[-1] + 12], "big"))
    return content[: ends[keep(len(ends) - 1)]]


FORMS: Mapping[str, Form] = {
    "docker compose": lambda files: merged(files, compose),
    "kubectl": lambda files: merged(files, kubectl),
    "loki": lambda files: merged(files, loki),
    "syslog": lambda files: merged(files, syslog),
    "one file": lambda files: merged(files, bare),
    "no server.log": without(r"/logs/server\.log$"),
    "no state-change.log": without(r"/logs/state-change\.log$"),
    "no disks": without(r"/data/"),
    **{f"no logs of {broker}": without(rf"node-{broker}/logs/") for broker in BROKERS},
    **{f"nothing of {broker}": without(rf"node-{broker}/") for broker in BROKERS},
    **{f"no disk of {broker}": without(rf"node-{broker}/data/") for broker in BROKERS},
    **{f"logs of {broker} alone": without(rf"node-[^{broker}]/logs/") for broker in BROKERS},
    **{f"no server.log of {broker}": without(rf"node-{broker}/logs/server\.log$") for broker in BROKERS},
    **{f"no state-change.log of {broker}": without(rf"node-{broker}/logs/state-change\.log$") for broker in BROKERS},
    "the second half": of_lines("", second_half),
    "the first half": of_lines("", first_half),
    "the second half of state-change.log": of_lines("state-change", second_half),
    "the first half of state-change.log": of_lines("state-change", first_half),
    "the second half of server.log": of_lines(r"server\.log", second_half),
    "the first half of server.log": of_lines(r"server\.log", first_half),
    **{f"the second half of {broker}": of_lines(f"node-{broker}/", second_half) for broker in BROKERS},
    **{f"the first half of {broker}": of_lines(f"node-{broker}/", first_half) for broker in BROKERS},
    **{f"every tenth line left out, from {phase}": of_lines("", tenths(phase)) for phase in range(10)},
    "grep t-0": of_lines("", with_words(b"t-0")),
    "grep for roles": of_lines("", with_words(b"Leader t-0", b"Follower t-0", b"ISR")),
    "rotated": rotated(bytes, ""),
    "rotated and compressed": rotated(gzip.compress, ".gz"),
    "rotated, and the oldest is gone": lambda files: without(r"\.log\.2$")(rotated(bytes, "")(files)),
    "without its middle": of_lines("", lambda lines: [*lines[: len(lines) // 3], *lines[2 * len(lines) // 3 :]]),
    "each line twice": of_lines("", lambda lines: [line for line in lines for _ in range(2)]),
    "all of it twice": of_lines("", lambda lines: [*lines, *lines]),
    "batches sent again": of_lines("", sent_again),
    "additive appenders": additive,
    "copied and truncated": overlapping(".1", ""),
    "windows that overlap": overlapping("-1", "-2", "-3", "-4"),
    "newest first": of_logs(lambda content: {"": newest_first(content)}),
    "newest first as JSON": newest_first_as_json,
    "shuffled": of_lines("", shuffled),
    "state-change.log shuffled": of_lines("state-change", shuffled),
    "the clock is set back, and files have numbers": set_back(".2", ".1", ""),
    "the clock is set back, and files have two numbers": set_back(".2", ".1"),
    "the clock is set back, and files have dates": set_back(".2026-10-25-02", ".2026-10-25-03", ""),
    "the clock is set back in a file": set_back_within,
    **{f"the disk of {broker} copied earlier": cut_off_disk(broker, lambda many: many // 2) for broker in BROKERS},
    **{f"the disk of {broker} cut to nothing": cut_off_disk(broker, lambda many: 0) for broker in BROKERS},
}
