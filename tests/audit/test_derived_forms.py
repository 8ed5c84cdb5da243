"""Changes of files that cannot change a cluster: each accepted input in the forms in which people paste it.

What is read is the same then, to the last value. Where something is really left out, no row of the report gets better
unless the report says that this is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit, title
from epochal.api.audit_cells import guarantees_of
from epochal.errors import EpochalError
from epochal.kafka.audit.assembled import assembled
from epochal.kafka.audit.dump import read_dump
from tests.audit.golden import CLUSTERS, KEYWORDS
from tests.audit.test_classes import how_bad
from tests.audit.test_requests import rules
from tests.each import for_each

FEW = [
    name for name in KEYWORDS if "kafka" not in name or name in ("kafka-3.9.2/broker-down", "kafka-4.3.1/broker-down")
]
"""The oldest and the newest of the recorded clusters, while a broker was down, and those that were written by hand."""

PLACE = re.compile(r"Place\([^()]*\)")
LINES = (
    "[2026-01-02 03:04:05,678] WARN [AdminClient clientId=adminclient-1] Connection to node 2 could not be "
    "established. (org.apache.kafka.clients.NetworkClient)",
    "2026-01-02T03:04:05Z something else = entirely: 1",
    "\tat org.apache.kafka.clients.NetworkClient.poll(NetworkClient.java:1)",
    "kafka@kafka-0:~$ kafka-topics.sh --describe --topic orders --bootstrap-server localhost:9092",
    "",
)
"""What other programs write between."""


def read(folder: Path) -> str:
    """What is read of a folder, without the places, and without what decides nothing."""
    found = assembled(read_dump([folder]), "a cluster")
    found.remarks, found.unread, found.paths = [], [], {}
    return PLACE.sub("", repr(found))


@cache
def read_as_it_is(name: str) -> str:
    """What is read of a cluster."""
    return read(CLUSTERS / name)


@cache
def texts_of(name: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((CLUSTERS / name).iterdir())}


def written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def each_line(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(f"{change(line)}\n" for line in text.splitlines())


def with_columns(text: str) -> str:
    """A column that nobody knows between any two of a line with tabs."""
    named = [f"Shade{letter}" for letter in "ABCDEFGHIJKL"]
    lines = []
    for line in text.splitlines():
        first, *more = line.lstrip("\t").split("\t")
        if line.lstrip().startswith(("Topic:", "Feature:")):
            start = line[: len(line) - len(line.lstrip("\t"))]
            line = start + "\t".join([first, *(f"{name}: 7,9\t{one}" for name, one in zip(named, more, strict=False))])
        elif "\t" in line and line.startswith("NodeId"):
            line = "\t".join([first, *(f"{name}\t{one}" for name, one in zip(named, more, strict=False))])
        elif "\t" in line and line[:1].isdigit():
            line = "\t".join([first, *(f"7\t{one}" for one in more)])
        lines.append(f"{line}\n")
    return "".join(lines)


def is_output(text: str) -> bool:
    """Whether it is the output of a tool, and no file of properties or resources: there a line of others is no line."""
    return (
        re.search(r"^\s*(kafka-1  \| )?(Topic:|Feature:|NodeId|ClusterId:|CurrentVoters|.* are:$)", text, re.M)
        is not None
    )


def among_others(text: str) -> str:
    if not is_output(text):
        return text
    lines = text.splitlines()
    return "\n".join((LINES[0], *(f"{line}\n{LINES[n % len(LINES)]}" for n, line in enumerate(lines)))) + "\n"


FORMS: dict[str, Callable[[str], str]] = {
    "unknown columns": with_columns,
    "three blanks before": each_line(lambda line: f"   {line}"),
    "a tab before": lambda text: each_line(lambda line: f"\t{line}")(text) if is_output(text) else text,
    "docker compose": each_line(lambda line: f"kafka-1  | {line}"),
    "kubectl --prefix": each_line(lambda line: f"[pod/kafka-0/kafka] {line}"),
    "kubectl --prefix --timestamps": each_line(lambda line: f"[pod/kafka-0/kafka] 2026-01-02T03:04:05.678901Z {line}"),
    "docker compose -t": each_line(lambda line: f"kafka-1  | 2026-01-02T03:04:05.678901Z {line}"),
    "other programs between": among_others,
    "others with other names between": lambda text: "".join(
        f"kafka-1  | {line}\nzoo_1    | {LINES[n % len(LINES)]}\n" for n, line in enumerate(text.splitlines())
    ),
    "blanks for tabs": lambda text: text.expandtabs(8) if is_output(text) else text,
    "blanks behind": lambda text: each_line(lambda line: f"{line}  ")(text) if is_output(text) else text,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "tabs as in JSON": lambda text: text.replace("\t", "\\t") if "\tTopic: " in text else text,
}


@for_each("form", FORMS)
@for_each("name", FEW)
def test_another_form_is_read_as_the_same(tmp_path: Path, name: str, form: str) -> None:
    texts = texts_of(name)
    changed = {file: FORMS[form](text) for file, text in texts.items()}
    assert read(written(tmp_path / "changed", changed)) == read_as_it_is(name)


def test_all_outputs_in_one_file_are_read_as_the_same(tmp_path: Path) -> None:
    for name in FEW:
        texts = texts_of(name)
        outputs = [file for file, text in texts.items() if is_output(text)]
        one = {"all.txt": "\n".join(texts[file] for file in outputs)}
        folder = written(
            tmp_path / name.replace("/", "-"), {**one, **{f: t for f, t in texts.items() if f not in outputs}}
        )
        told, whole = (re.sub("(?<=file=')[^']*", "", text) for text in (read(folder), read_as_it_is(name)))
        assert told == whole, name


def worst(result: ClusterAudit) -> dict[str, list[int]]:
    """Of each topic the worst of each column, in all of its rows: the less, the worse."""
    return {
        name: [min(column) for column in zip(*(how_bad(("", *row)) for row in rows), strict=True)]
        for name, rows in guarantees_of(result.audit).items()
    }


def better(before: ClusterAudit, after: ClusterAudit) -> list[str]:
    """The topics that have a better row."""
    old, new = worst(before), worst(after)
    return [name for name in new if name in old and any(b > a for a, b in zip(old[name], new[name], strict=True))]


def unknown(result: ClusterAudit) -> set[str]:
    """What a report says that it does not know."""
    said = {key for key in rules(result) if "unknown" in key or key.startswith("not-")}
    cells = {cell for rows in guarantees_of(result.audit).values() for row in rows for cell in row if "?" in cell}
    return said | cells | set(re.findall(r"\w+ \(assumed\)", title(result.audit.audited)))


@cache
def release_of(name: str) -> str | None:
    """The one release that the files of a cluster tell, so that it is known when one of them is left out."""
    if "kafka" in KEYWORDS[name]:
        return str(KEYWORDS[name]["kafka"])
    told = epochal.audit(CLUSTERS / name, searches=False, lock=CLUSTERS / "no.json").audit.audited
    return told.releases[0] if len(told.releases) == 1 and not told.refused else None if told.releases else "4.3.1"


def audit(folder: Path, name: str) -> ClusterAudit:
    return epochal.audit(folder, searches=False, kafka=release_of(name), lock=folder / "no.json")


@cache
def as_it_is(name: str) -> ClusterAudit:
    """The audit of a cluster in which nothing is changed."""
    return audit(CLUSTERS / name, name)


def without(texts: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The same cluster with something left out: a file, or a column of all lines of a table.

    That of a producer is not: nobody can know that there is one more.
    """
    for file in (file for file, text in texts.items() if "acks" not in text):
        yield file, {other: text for other, text in texts.items() if other != file}
    for file, text in texts.items():
        for column in sorted(set(re.findall(r"(?:\t|^)([A-Z][A-Za-z]+):", text))) if is_output(text) else ():
            yield f"{column} of {file}", {**texts, file: re.sub(rf"\t?\b{column}: ?[^\t\n]*", "", text)}


@pytest.mark.parametrize("name", [name for name in FEW if "3.9.2" not in name])
def test_what_is_left_out_makes_nothing_better(tmp_path: Path, name: str) -> None:
    texts = texts_of(name)
    before = as_it_is(name)
    if any(rule.startswith("contradiction/") for rule in rules(before)):
        return  # what is left is one of two things that cannot both be so
    for number, (what, fewer) in enumerate(without(texts)):
        try:
            after = audit(written(tmp_path / str(number), fewer), name)
        except EpochalError:
            continue
        gained = better(before, after)
        assert not gained or unknown(after) - unknown(before), f"without {what}: {gained}"


NODES = ("server-9.properties", "process.roles=broker\nnode.id=9\nmin.insync.replicas=1\nlog.dirs=/data\n")


@pytest.mark.parametrize("name", FEW)
def test_a_file_of_one_more_node_makes_nothing_better(tmp_path: Path, name: str) -> None:
    texts = texts_of(name)
    folder = written(tmp_path / "more", {**texts, NODES[0]: NODES[1]})
    assert better(as_it_is(name), audit(folder, name)) == []


@pytest.mark.parametrize("name", [name for name in FEW if name != "copies-differ"])
def test_a_partition_with_fewer_copies_makes_nothing_better(tmp_path: Path, name: str) -> None:
    """All partitions of a topic but its first have a replica less: that one still loses what it loses."""
    texts = texts_of(name)
    last = re.compile(r"^(.*Partition: [1-9]\d*\t.*Replicas: [\d,]+),(\d+)(\tIsr: )([\d,]*)(.*)$", re.MULTILINE)

    def fewer(found: re.Match[str]) -> str:
        isr = ",".join(one for one in found[4].split(",") if one != found[2])
        return f"{found[1]}{found[3]}{isr}{found[5].replace(f'Offline: {found[2]}', 'Offline: ')}"

    changed = {file: last.sub(fewer, text) for file, text in texts.items()}
    assert better(as_it_is(name), audit(written(tmp_path / "fewer", changed), name)) == []
