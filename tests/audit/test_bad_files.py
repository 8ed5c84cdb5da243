"""Files that are damaged, hostile, huge or of something else: one clear error with a place, and never another one."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

import epochal
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.place import EvidenceError
from tests.audit.golden import CLUSTERS
from tests.audit.test_requests import refused, topic
from tests.cli.conftest import Run

WHOLE = CLUSTERS / "kafka-4.3.1" / "broker-down"


def read(folder: Path) -> str:
    """What is said of files: the headline, or the error, which must be one that is told to people."""
    try:
        return epochal.audit(folder, kafka="4.3.1", searches=False, lock=folder / "no.json").headline
    except EvidenceError as wrong:
        assert wrong.exit_code == ExitCode.USAGE
        return f"refused: {wrong}"


@pytest.mark.parametrize("name", sorted(path.name for path in WHOLE.iterdir()))
def test_a_file_that_ends_anywhere(tmp_path: Path, name: str) -> None:
    """What is cut off is refused, or what is left is read: nothing falls over, and no topic is lost in silence."""
    text = (WHOLE / name).read_bytes()
    folder = tmp_path / "cluster"
    folder.mkdir()
    (folder / "topics.txt").write_bytes((WHOLE / "topics.txt").read_bytes())
    some = random.Random(name)
    for at in sorted(some.sample(range(len(text)), 25)):
        (folder / name).write_bytes(text[:at])
        said = read(folder)
        assert said.startswith("refused: ") or "6 topics" in said or name == "topics.txt", (at, said)


@pytest.mark.parametrize("name", sorted(path.name for path in WHOLE.iterdir()))
def test_a_file_with_other_bytes(tmp_path: Path, name: str) -> None:
    text = (WHOLE / name).read_bytes()
    folder = tmp_path / "cluster"
    folder.mkdir()
    (folder / "topics.txt").write_bytes((WHOLE / "topics.txt").read_bytes())
    some = random.Random(name)
    for _ in range(25):
        changed = bytearray(text)
        for at in some.sample(range(len(text)), 5):
            changed[at] = some.randrange(256)
        (folder / name).write_bytes(changed)
        read(folder)


def test_a_table_that_lost_its_last_lines(tmp_path: Path) -> None:
    """As copied from a terminal: a partition is missing, and it is said of which topic."""
    lines = (WHOLE / "topics.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "topics.txt").write_text("".join(lines[:-1]), encoding="utf-8")
    message, code = refused(tmp_path)
    assert (code == ExitCode.USAGE and "partitions, and 1 are described" in message) or "are described" in message
    assert message.startswith("topics.txt:")


TOO_MUCH = {
    "a line of 10 MB": topic("orders") + "Topic: x\tConfigs: " + "a" * 10_000_000 + "\n",
    "10 MB without a line": "Topic: x\tPartitionCount: 1\t" + "\t" * 10_000_000,
    "a replica list of 10 MB": "\tTopic: x\tPartition: 0\tLeader: 1\tReplicas: " + "1," * 5_000_000 + "\tIsr: 1\n",
    "a number of a million digits": topic("orders", 3, "min.insync.replicas=" + "9" * 1_000_000),
    "many values with equals signs": topic("orders", 3, ",".join(f"a{n}=b" for n in range(100_000))),
    "properties of 10 MB": "node.id=1\nx=" + "y" * 10_000_000 + "\n",
    "properties that go on": "node.id=1\n" + "x=\\\n" * 500_000,
    "yaml that refers to itself": "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: &a\n  name: *a\n",
    "yaml of laughs": "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata:\n  name: x\nspec:\n"
    "  a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
    + "".join(
        f"  {name}: &{name} [{','.join(['*' + before] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "yaml that is deep": "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nspec: " + "[" * 3000,
    "yaml that calls Python": "apiVersion: kafka.strimzi.io/v1beta2\nkind: !!python/object/apply:os.system [exit]\n",
    "configs without an end": "All configs for topic orders are:\n" + "  x=" + "y" * 10_000_000,
    "configs of many lines": "All configs for topic orders are:\n  x=\n" + "  y\n" * 500_000,
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_too_much(tmp_path: Path, what: str) -> None:
    (tmp_path / "big.txt").write_text(TOO_MUCH[what], encoding="utf-8")
    (tmp_path / "topics.txt").write_text(topic("payments"), encoding="utf-8")
    begun = time.process_time()
    said = read(tmp_path)
    assert time.process_time() - begun < 20
    assert len(said) < 2000 and "\x1b" not in said


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "hello\n", "a.txt has no form that is understood"),
        ("a.bin", "\0\1\2Topic: a\tPartition: 0\n", "has no form that is understood"),
        ("a.txt", "", "has no form that is understood"),
        ("t.txt", topic("a").replace("Leader: 1", "Leader: one"), "t.txt:2: 'one' is no number of a broker"),
        ("t.txt", topic("a").replace("Replicas: 1,2,3", "Replicas: "), "t.txt:2: a partition without replicas"),
        ("t.txt", topic("a").replace("\tIsr: 1,2,3", ""), "t.txt:2: a partition without Isr"),
        ("t.txt", topic("a").replace("Isr: 1,2,3", "Isr: 9"), "t.txt:2: ISR 9 is not among the replicas"),
        ("t.txt", topic("a").replace("Leader: 1", "Leader: 9"), "t.txt:2: leader 9 is not among the replicas"),
        ("t.txt", topic("a").replace("Replicas: 1,2,3", "Replicas: 1,1,2"), "a broker is twice among the replicas"),
        ("t.txt", topic("a") + topic("a").replace("Isr: 1,2,3", "Isr: 1"), "t.txt:4: partition 0 of a is another one"),
        ("t.txt", topic("a" * 250), "t.txt:1: a topic with a name of 250 characters; Kafka allows 249"),
        ("t.txt", topic("a").replace("PartitionCount: 1", "PartitionCount: \u0661"), "t.txt:1: PartitionCount is"),
        ("t.txt", topic("a", 3, "min.insync.replicas=0"), "t.txt:1: min.insync.replicas is '0'"),
        ("t.txt", topic("a", 3, "min.insync.replicas=-1"), "min.insync.replicas is '-1'"),
        ("t.txt", topic("a", 3, "unclean.leader.election.enable=maybe"), "is 'maybe', and neither true nor false"),
        ("s.properties", "process.roles=broker\n", "s.properties: a node without node.id"),
        ("s.properties", "node.id=one\n", "s.properties:1: node.id is 'one', and not a number"),
        ("s.properties", "node.id=1\nx=\\u00zz\n", "a line of properties that Java does not read"),
        ("f.txt", "Feature: metadata.version\tSupportedMinVersion: 3.3\n", "f.txt:1: a feature without its versions"),
        ("k.yaml", "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\n", "k.yaml:1: a Kafka without metadata.name"),
        ("k.yaml", "apiVersion: kafka.strimzi.io/v1beta2\nkind: [\n", "k.yaml:"),
    ],
)
def test_the_error_says_where(tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_bytes(text.encode("utf-8"))
    message, code = refused(file, kafka="4.3.1")
    assert said in message and code == ExitCode.USAGE


def test_two_clusters_at_once() -> None:
    message, _ = refused(CLUSTERS / "kafka-4.3.1" / "healthy", CLUSTERS / "good")
    assert "TopicId of orders is" in message
    assert "one cluster" in message


def test_two_clusters_of_strimzi(tmp_path: Path) -> None:
    kafka = "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata:\n  name: {}\n---\n"
    (tmp_path / "k.yaml").write_text(kafka.format("one") + kafka.format("two"), encoding="utf-8")
    assert "a second cluster, two, beside one in k.yaml:1" in refused(tmp_path)[0]


def test_powershell_wrote_it(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text(topic("orders"), encoding="utf-16")
    message, code = refused(tmp_path)
    assert "topics.txt is UTF-16, as PowerShell writes it" in message and code == ExitCode.USAGE


@pytest.mark.parametrize("name", ["topics.txt", "features.txt", "quorum.txt"])
def test_somebody_copied_it_from_a_terminal(tmp_path: Path, name: str) -> None:
    """Tabs are spaces then, and the same is read."""
    for file in WHOLE.iterdir():
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text.expandtabs(8) if file.name == name else text, encoding="utf-8")
    spaces = epochal.audit(tmp_path, searches=False, lock=tmp_path / "no.json")
    tabs = epochal.audit(WHOLE, searches=False, lock=tmp_path / "no.json")
    assert [str(one) for one in spaces.findings_left] == [str(one) for one in tabs.findings_left]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    message, code = refused(tmp_path / "pipe")
    assert "pipe is neither a file nor a folder" in message and code == ExitCode.USAGE
    (tmp_path / "topics.txt").write_text(topic("orders"), encoding="utf-8")
    assert "1 topic" in read(tmp_path), "in a folder it is passed over"


def test_folders_that_lie_too_deep(tmp_path: Path) -> None:
    top = tmp_path / "deep"
    top.mkdir()
    at = os.open(top, os.O_RDONLY)
    for _ in range(2_500):
        os.mkdir("a", dir_fd=at)
        above, at = at, os.open("a", os.O_RDONLY, dir_fd=at)
        os.close(above)
    os.close(at)
    try:
        with pytest.raises(EvidenceError, match=r"too many folders lie one in the other|name too long"):
            epochal.audit(top)
    finally:
        subprocess.run(["rm", "-r", top], check=True)  # Python's own way has the same limit


def test_windows_wrote_it(tmp_path: Path) -> None:
    """A byte order mark, and lines that end as there."""
    text = "\ufeff" + topic("orders").replace("\n", "\r\n")
    (tmp_path / "topics.txt").write_text(text, encoding="utf-8", newline="")
    assert "1 topic" in read(tmp_path)


def test_the_command_line_says_it_in_a_line_or_two(tmp_path: Path, run: Run) -> None:
    (tmp_path / "app.txt").write_text("\x1b[31mhello\n", encoding="utf-8")
    shown = run("audit", "app.txt")
    assert shown.exit_code == 2 and shown.stdout == ""
    assert shown.stderr.startswith("epochal: app.txt has no form that is understood\n  Known: kafka-topics")
    for words in (("audit",), ("audit", "nowhere"), ("audit", "app.txt", "--producer", "orders")):
        assert run(*words).exit_code == 2
    assert issubclass(EvidenceError, EpochalError)
