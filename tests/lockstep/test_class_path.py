"""Which Kafka is run, and what is said where there is none, or two."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from epochal.errors import EngineError, EpochalError, UsageError
from epochal.kafka.lockstep import class_path
from epochal.kafka.lockstep.class_path import VERSION_FILE, kafka_classes, pinned
from tests.brokers.releases import PINNED

CORE = "kafka/server/KafkaRaftServer.class"


def jar(path: Path, **files: str) -> Path:
    """A jar with these files, in whose names `__` stands for `/`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def clients(path: Path, version: str) -> Path:
    return jar(path, **{VERSION_FILE: f"commitId=0123\nversion={version}\n", "org/apache/kafka/Some.class": version})


def test_the_tests_of_brokers_pin_the_same_releases() -> None:
    assert pinned() == PINNED and "4.3.1" in pinned()


def test_a_release_is_found_by_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_KAFKA_JARS", str(tmp_path))
    monkeypatch.setattr(class_path, "PINNED_IN", tmp_path / "pinned")
    made = clients(tmp_path / "9.9.9" / "kafka-clients-9.9.9.jar", "9.9.9")
    digest = hashlib.sha256(made.read_bytes()).hexdigest()
    (tmp_path / "pinned").mkdir()
    (tmp_path / "pinned" / "kafka-9.9.9.sha256").write_text(f"{digest}  {made.name}\n")
    found = kafka_classes("9.9.9", None)
    assert (found.version, found.entries, found.told) == ("9.9.9", (made,), ("--kafka", "9.9.9"))
    clients(made, "9.9.8")
    with pytest.raises(EngineError, match=r"is not Kafka 9\.9\.9 as released: kafka-clients-9\.9\.9\.jar differ"):
        kafka_classes("9.9.9", None)


def test_jars_that_are_missing_are_fetched_by_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_KAFKA_JARS", str(tmp_path))
    with pytest.raises(EngineError) as told:
        kafka_classes("4.3.1", None)
    assert told.value.exit_code == 153 and f"not in {tmp_path}/4.3.1" in told.value.message
    assert "mvn -q" in told.value.advice and f"-DoutputDirectory={tmp_path}/4.3.1" in told.value.advice
    assert "-Plog4j2" in told.value.advice
    pom = told.value.advice.split(" -f ")[1].split()[0]
    assert "kafka_2.13" in Path(pom).read_text()


@pytest.mark.parametrize(
    ("kafka", "classpath", "said"),
    [
        (None, None, "say which Kafka is to be run"),
        ("4.3.1", "jars/*", "say which Kafka is to be run"),
        ("4.3.9", None, r"the jars of Kafka 4\.3\.9 are not pinned\n  Did you mean 4\.3\.1\?"),
        (None, "nowhere", "nowhere does not exist"),
        (None, "nowhere/*", "there is no jar in nowhere"),
    ],
)
def test_what_does_not_exist_is_said(kafka: str | None, classpath: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        kafka_classes(kafka, classpath)


def test_a_class_path_is_read_as_java_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`DIR/*` are its jars; DIR may have wildcards, as in Kafka's scripts; folders of classes stand where they are."""
    monkeypatch.chdir(tmp_path)
    first = clients(tmp_path / "libs-2.13" / "a.jar", "4.3.1")
    second = jar(tmp_path / "libs-2.13" / "b.JAR", **{CORE: "", "META-INF/MANIFEST.MF": "Version: 4.3.1\n"})
    (tmp_path / "libs-2.13" / "c.txt").touch()
    folder = tmp_path / "classes"
    (folder / "kafka").mkdir(parents=True)
    (folder / "kafka" / "Own.class").write_text("own")
    changed = tmp_path / "changed"
    changed.mkdir()
    found = kafka_classes(None, f"libs-2*/*{os.pathsep}classes", [Path("changed")])
    assert found.entries == (changed, first, second, folder) and found.version == "4.3.1"
    assert found.has("kafka.Own") and found.has("kafka.server.KafkaRaftServer") and not found.has("kafka.Other")
    before = found.digest
    assert kafka_classes(None, f"libs-2*/*{os.pathsep}classes", [Path("changed")]).digest == before
    (changed / "New.class").write_text("new")
    assert kafka_classes(None, f"libs-2*/*{os.pathsep}classes", [Path("changed")]).digest != before


def test_no_kafka_and_two_of_them(tmp_path: Path) -> None:
    other = jar(tmp_path / "other.jar", **{"some/Thing.class": ""})
    with pytest.raises(UsageError, match="there is no Kafka in --classpath"):
        _ = kafka_classes(None, str(other)).version
    old, new = clients(tmp_path / "old.jar", "4.2.1"), clients(tmp_path / "new.jar", "4.3.1")
    with pytest.raises(UsageError, match=r"two versions of Kafka on one class path: 4\.2\.1 .*old\.jar\) and 4\.3\.1"):
        _ = kafka_classes(None, f"{old}{os.pathsep}{new}").version
    core = jar(tmp_path / "core.jar", **{CORE: "", "META-INF/MANIFEST.MF": "Manifest-Version: 1.0\nVersion: 4.2.1\n"})
    with pytest.raises(UsageError, match="two versions"):
        _ = kafka_classes(None, f"{new}{os.pathsep}{core}").version


def test_what_is_no_jar_is_named(tmp_path: Path) -> None:
    (tmp_path / "half.jar").write_bytes(b"PK half")
    with pytest.raises(EpochalError, match=r"half\.jar cannot be read as a jar"):
        _ = kafka_classes(None, str(tmp_path / "half.jar")).version
    with pytest.raises(UsageError, match="is no folder"):
        kafka_classes(None, str(tmp_path / "half.jar"), [tmp_path / "half.jar"])
