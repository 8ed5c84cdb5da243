"""What nodes are told and what is read of their files, without a broker."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import pytest

from tests.brokers import releases
from tests.brokers.addresses import free_ports, hosts_file, link_address
from tests.brokers.checkpoints import epochs_in, offsets_in
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Role, Shape, server_properties
from tests.brokers.conftest import needed
from tests.brokers.history import Journal, became
from tests.brokers.logging_files import FILES, logging_file
from tests.brokers.node import Node
from tests.brokers.process import NotReady
from tests.brokers.releases import HERE, PINNED, Release, ReleaseMissing, release
from tests.brokers.tools import CONFIGS, DUMP, FEATURES, QUORUM, REASSIGN, TOPICS


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("4.1", "4.1.2"),
        ("4.1.x", "4.1.2"),
        ("4.0", "4.0.2"),
        ("4.0.0", "4.0.0"),
        ("oldest", "3.9.2"),
        ("4.2", "4.2.2"),
        ("newest", "4.4.0"),
    ],
)
def test_a_release_by_what_begins_its_name(name: str, version: str) -> None:
    assert release(name) == Release(version)


def test_a_release_that_nobody_pinned_is_refused() -> None:
    with pytest.raises(ReleaseMissing, match=r"no checksums are kept for Kafka 2\.8: 3\.9\.2, "):
        release("2.8")


@pytest.mark.parametrize("version", PINNED)
def test_every_pinned_release_has_checksums_of_its_jars(version: str) -> None:
    lines = [line.split("  ") for line in Release(version).checksums.read_text().splitlines()]
    assert {f"kafka_2.13-{version}.jar", f"kafka-tools-{version}.jar"} < {name for _, name in lines}
    assert all(len(digest) == 64 and name.endswith(".jar") for digest, name in lines)
    assert lines == sorted(lines, key=lambda line: line[1])


def test_a_jar_that_was_changed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_KAFKA_JARS", str(tmp_path / "jars"))
    monkeypatch.setattr(releases, "JARS", tmp_path / "checksums")
    one = Release("9.9.9")
    with pytest.raises(ReleaseMissing, match=r"9\.9\.9 is not in .*: run `make test-brokers`"):
        one.class_path()
    one.folder.mkdir(parents=True)
    jar = one.folder / "kafka_2.13-9.9.9.jar"
    jar.write_bytes(b"as released")
    one.checksums.parent.mkdir(exist_ok=True)
    one.checksums.write_text(releases.checksums_of(one.folder))
    assert one.class_path() == str(jar)
    jar.write_bytes(b"as changed")
    with pytest.raises(ReleaseMissing, match=r"differs from kafka-9\.9\.9\.sha256 in kafka_2\.13-9\.9\.9\.jar"):
        one.class_path()


@pytest.mark.parametrize("package", ["kafka/admin", "org/apache/kafka/tools"])
@pytest.mark.parametrize("jar", ["kafka-tools", "kafka_2.13"])
def test_a_tool_is_where_the_jars_have_it(
    package: str, jar: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPOCHAL_KAFKA_JARS", str(tmp_path))
    one = Release("9.9.9")
    one.folder.mkdir()
    for name in ("kafka-tools", "kafka_2.13"):
        with zipfile.ZipFile(one.folder / f"{name}-9.9.9.jar", "w") as opened:
            opened.writestr(f"{package}/ConfigCommand.class" if name == jar else "kafka/Kafka.class", b"")
    assert one.tool("ConfigCommand") == f"{package.replace('/', '.')}.ConfigCommand"
    with pytest.raises(ReleaseMissing, match=r"Kafka 9\.9\.9 has no TopicCommand in org\.apache\.kafka\.tools, "):
        one.tool("TopicCommand")


@pytest.mark.brokers
@pytest.mark.parametrize("version", PINNED)
def test_every_release_has_every_tool(version: str) -> None:
    one = needed(release(version))
    for name in (TOPICS, REASSIGN, CONFIGS, QUORUM, FEATURES, DUMP, "StorageTool"):
        assert one.tool(name).endswith(f".{name}")


def test_who_is_asked_hears_what_the_controller_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a story waits for what a broker whose metadata are held back never says."""
    serving = {1, 2, 3}
    monkeypatch.setattr(Release, "class_path", lambda self: "")
    monkeypatch.setattr(Node, "serving", property(lambda self: self.number in serving))
    monkeypatch.setattr(Cluster, "admin", "any broker")
    monkeypatch.setattr(Cluster, "admin_at", lambda self, number: number)
    cluster = Cluster(Release("9.9.9"), Shape(proxied=((1, 101), (2, 101), (3, 1))))
    try:
        cluster.lay_out()
        asked = [cluster.admin_that_hears]
        for source, target in ((3, 1), (1, 101), (2, 101)):
            cluster.proxies.between(source, target)[0].hold()
            asked.append(cluster.admin_that_hears)
        assert asked == ["any broker", "any broker", 2, 3] and cluster.deaf == {1, 2}
        serving.discard(3)
        with pytest.raises(NotReady, match=r"no broker that runs hears the controller: .* of \[1, 2\]"):
            _ = cluster.admin_that_hears
    finally:
        cluster.close()


def test_stories_ask_by_the_stage_alone() -> None:
    """It knows whom to ask, and what it saw is written down."""
    for path in (*HERE.glob("reproductions/*.py"), *HERE.glob("scenarios/*.py")):
        assert not re.search(r"\badmin|\btools\b", path.read_text()), path.name


def test_only_the_source_of_a_link_is_told_of_its_proxy() -> None:
    links = [(1, 101), (2, 1)]
    told = {
        node: dict(line.split()[1::-1] for line in hosts_file(node, [1, 2, 101], links).splitlines()) for node in (1, 2)
    }
    assert told[1]["node-101"] == link_address(1, 101) == "127.1.0.101"
    assert told[2]["node-101"] == told[1]["node-1"] == told[1]["node-2"] == "127.0.0.1"
    assert told[2]["node-1"] == "127.2.0.1"


def test_a_link_of_a_node_without_an_address_is_refused() -> None:
    with pytest.raises(ValueError, match="node numbers from 1 to 254"):
        link_address(1, 3000)


def test_ports_are_different() -> None:
    assert len(set(free_ports(20))) == 20


def test_brokers_and_controllers_have_numbers_of_their_own() -> None:
    assert Shape(brokers=3, controllers=3).nodes() == ([1, 2, 3], [101, 102, 103])
    assert Shape(brokers=3, controllers=1, combined=True).nodes() == ([1, 2, 3], [1])


def test_everything_listens_on_loopback(tmp_path: Path) -> None:
    roles = [Role(1, 5001, 5002, 5003), Role(2, None, 5004, 5005)]
    shape = Shape(settings={"min.insync.replicas": "2"})
    properties = [server_properties(role, roles, tmp_path, shape) for role in roles]
    assert [one["process.roles"] for one in properties] == ["broker,controller", "broker"]
    assert properties[0]["listeners"] == "BROKER://127.0.0.1:5002,CLIENT://127.0.0.1:5003,CONTROLLER://127.0.0.1:5001"
    assert properties[1]["advertised.listeners"] == "BROKER://node-2:5004,CLIENT://127.0.0.1:5005"
    assert {one["controller.quorum.voters"] for one in properties} == {"1@node-1:5001"}
    assert {one["min.insync.replicas"] for one in properties} == {"2"}


@pytest.mark.parametrize("log4j2", [False, True])
def test_loggers_write_where_the_release_archive_has_them(log4j2: bool, tmp_path: Path) -> None:
    name, text = logging_file(log4j2, tmp_path, {"kafka.request.logger": "DEBUG", "kafka.cluster.Partition": "DEBUG"})
    if log4j2:
        loggers = {one.get("name"): one for one in ElementTree.fromstring(text).iter("Logger")}
        levels = {logger: one.get("level") for logger, one in loggers.items()}
        assert [one.get("ref") for one in loggers["state.change.logger"]] == ["state-change.log"]
        assert list(loggers["kafka.cluster.Partition"]) == []
    else:
        lines = dict(line.split("=", 1) for line in text.splitlines())
        levels = {logger[13:]: value.split(",")[0] for logger, value in lines.items() if logger[:13] == "log4j.logger."}
        assert lines["log4j.logger.state.change.logger"] == "INFO, state-change-log"
        assert lines["log4j.additivity.state.change.logger"] == "false"
    assert name == ("log4j2.xml" if log4j2 else "log4j.properties")
    assert levels["kafka.request.logger"] == levels["kafka.cluster.Partition"] == "DEBUG"
    assert levels["org.apache.kafka.controller"] == "INFO"
    assert all(str(tmp_path / file) in text for file in FILES)


def test_only_what_no_leader_appended_is_refused() -> None:
    assert became("NOT_ENOUGH_REPLICAS") == "refused"
    for error in (
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NOT_LEADER_FOR_PARTITION",
        "REQUEST_TIMED_OUT",
        "_MSG_TIMED_OUT",
    ):
        assert became(error) == "unknown"


def test_a_journal_keeps_its_lines_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "history.jsonl")
    assert journal.read() == []
    for value in ("first", "größer"):
        journal.write("sent", value=value)
    lines = journal.read()
    assert [(line["what"], line["value"]) for line in lines] == [("sent", "first"), ("sent", "größer")]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}", lines[0]["at"])
    assert lines[0]["at"] <= lines[1]["at"]


def test_checkpoints(tmp_path: Path) -> None:
    offsets, epochs, empty, wrong = (tmp_path / name for name in ("offsets", "epochs", "empty", "wrong"))
    offsets.write_text("0\n2\nt 0 7\na-b 11 0\n")
    epochs.write_text("0\n2\n0 0\n3 5\n")
    empty.write_text("")
    wrong.write_text("0\n2\nt 0 7\n")
    assert offsets_in(offsets) == {("t", 0): 7, ("a-b", 11): 0}
    assert epochs_in(epochs) == {0: 0, 3: 5}
    assert offsets_in(empty) == {}
    with pytest.raises(ValueError, match="no checkpoint file of version 0"):
        offsets_in(wrong)
