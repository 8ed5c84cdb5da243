"""The JVM with Kafka's classes: how it is found, made, asked and ended, and what is said where that fails."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from epochal.checker.base.cache import cache_folder
from epochal.errors import EngineError
from epochal.kafka.lockstep import harness
from epochal.kafka.lockstep.class_path import KafkaClasses
from epochal.kafka.lockstep.harness import (
    CLUSTER,
    CONTROLLER,
    MOVED,
    SOURCES,
    JavaProgram,
    running,
    sources_for,
)
from epochal.kafka.lockstep.jdk import found_jdk
from tests.each import for_each
from tests.lockstep.conftest import Released
from tests.lockstep.test_class_path import jar

IDLE = "3|0|2|0|0,1,2|0|5|9|0,1,2||-1|0|||0,1,2||nothing"
SAME = "NONE|0|0|5|9|0,1,2|||0|0,1,2|||0,1,2|"


# -- without Java -----------------------------------------------------------------------------------------------------


def test_variants_are_tried_in_their_order() -> None:
    program = JavaProgram("Main", ("common", ("new", "old"), "more", ("a", "b")))
    assert list(program.variants()) == [
        ("common", "new", "more", "a"),
        ("common", "new", "more", "b"),
        ("common", "old", "more", "a"),
        ("common", "old", "more", "b"),
    ]


def test_a_class_that_moved_is_imported_from_where_it_is(tmp_path: Path) -> None:
    now = "org.apache.kafka.common.utils.internals.LogContext"  # which the controller imports
    before = MOVED[now]
    place = before[0].replace(".", "/") + ".class"
    old = KafkaClasses((jar(tmp_path / "old.jar", **{place: ""}),), ())
    new = KafkaClasses((jar(tmp_path / "new.jar", **{now.replace(".", "/") + ".class": ""}),), ())
    here, there = ("\n".join(sources_for(("controller",), kafka).values()) for kafka in (new, old))
    assert f"import {now};" in here and f"import {before[0]};" not in here
    assert f"import {before[0]};" in there and f"import {now};" not in there


@for_each("name", sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.java")))
def test_sources_say_what_they_are_for(name: str) -> None:
    text = (SOURCES / name).read_text(encoding="utf-8")
    kinds = r"^/\*\*.*?\*/\n(@\w+.*\n)*((public|abstract|final) )*(class|interface|record) \w+"
    assert re.search(kinds, text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({}, "lockstep needs a JDK, and JAVA_HOME is .*, which has none"),
        ({"java": "exit 0"}, "java has no javac beside it: it is a JRE"),
        ({"java": "exit 0", "javac": "echo javac 11.0.2"}, r"lockstep needs JDK 17, and .*javac is javac 11\.0\.2"),
        ({"java": "exit 0", "javac": "echo broken"}, "does not say its version"),
    ],
)
def test_a_missing_jdk_is_told(
    programs: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name, does in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match=said) as told:
        found_jdk()
    assert told.value.exit_code == 153 and "Install a JDK 17" in told.value.advice


def test_complaints_of_the_compiler_are_told_by_class() -> None:
    said = "\n".join(
        f"{name}.java:{number}: error: cannot find symbol\n    code\n    ^\n  symbol:   class {name}Control"
        for number, name in enumerate(("A", "B", "C", "D"), 1)
    )
    assert harness._shown_complaints(said) == (
        "A.java:1: cannot find symbol: class AControl; B.java:2: cannot find symbol: class BControl; "
        "C.java:3: cannot find symbol: class CControl; and 1 more"
    )


# -- with Kafka -------------------------------------------------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folders of harnesses are: nobody else has any there."""
    place = tmp_path / "memory"
    place.mkdir()
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(harness, "IN_MEMORY", place)
    return place


@pytest.mark.lockstep
def test_it_answers_and_leaves_nothing(
    released: Released, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, memory: Path
) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    with running(CONTROLLER, released("4.3.1")) as kafka:
        assert kafka.ask([IDLE]) == [SAME]
        assert kafka.ask([IDLE] * 3000) == [SAME] * 3000  # more than a pipe holds, both ways
        thrown, after = kafka.ask([IDLE.replace("nothing", "no_such_step"), IDLE])
        assert thrown.startswith("thrown|java.lang.IllegalArgumentException: no step no_such_step at ")
        assert after == SAME
        pid = kafka.pid
        assert [path.name.startswith("epochal-lockstep-") for path in memory.iterdir()] == [True]
    assert list(memory.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert len(list((cache_folder() / "lockstep").glob("*.jar"))) == 1
    monkeypatch.setattr(harness, "_compiled", lambda *_: pytest.fail("compiled although it is in the cache"))
    with running(CONTROLLER, released("4.3.1")) as kafka:
        assert kafka.ask([IDLE]) == [SAME]


@pytest.mark.lockstep
def test_a_cluster_that_is_over_leaves_nothing_in_the_heap(released: Released) -> None:
    """LogManager leaves gauges in the registry of the JVM: after 4,000 clusters its gigabyte was full."""
    crashes = ["begin|2|1|2|0|0,1|0|0|0|0,1||-1|0|||0,1|", "crash:1:0", "crash:0:0"]
    jcmd = found_jdk().javac.with_name("jcmd")
    with running(CLUSTER, released("4.4.0")) as kafka:
        for _ in range(8):
            answers = kafka.ask(crashes)
            assert not any(one.startswith("thrown") for one in answers), answers
        said = subprocess.run([jcmd, str(kafka.pid), "GC.class_histogram"], capture_output=True, text=True, check=True)
    kept = re.search(r"(\d+) +\d+ +org\.apache\.kafka\.storage\.internals\.log\.LogManager\b", said.stdout)
    assert kept is not None and int(kept[1]) <= 4, said.stdout[:2_000]


@pytest.mark.lockstep
def test_a_jvm_that_ends_or_is_stuck_is_told(released: Released, memory: Path) -> None:
    with running(CONTROLLER, released("4.3.1")) as kafka:
        kafka.ask([IDLE])
        os.kill(kafka.pid, signal.SIGKILL)
        with pytest.raises(EngineError, match=r"the JVM with Kafka 4\.3\.1 was ended by signal 9") as told:
            kafka.ask([IDLE])
    assert told.value.exit_code == 153
    with running(CONTROLLER, released("4.3.1"), patience=2.0) as kafka:
        os.kill(kafka.pid, signal.SIGSTOP)
        with pytest.raises(EngineError, match="has not answered for 2 s"):
            kafka.ask([IDLE])
    assert list(memory.iterdir()) == []


@pytest.mark.lockstep
def test_a_kafka_that_is_laid_out_otherwise_is_told_by_the_missing_class(released: Released, tmp_path: Path) -> None:
    kept = [path for path in released("4.3.1").entries if "kafka-metadata" not in path.name]
    with (
        pytest.raises(
            EngineError, match=r"the harness does not compile with Kafka 4\.3\.1.*\.java:\d+: .*; and"
        ) as told,
        running(CONTROLLER, KafkaClasses(tuple(kept), ())),
    ):
        pass
    assert told.value.exit_code == 153


@pytest.mark.lockstep
def test_classes_that_do_not_fit_end_the_jvm_by_name(released: Released, tmp_path: Path) -> None:
    """Compiled against one Kafka and run with a part of it: a class is missing at run time."""
    whole = released("4.3.1")
    kept = [path for path in whole.entries if "kafka-server-common" not in path.name]
    part = KafkaClasses(tuple(kept), ())
    with pytest.MonkeyPatch.context() as patched:
        compiled = harness.harness_jar(CONTROLLER, whole, found_jdk(), tmp_path)
        patched.setattr(harness, "harness_jar", lambda *_: compiled)
        said = r"ended with exit code 70\n  Its stderr says: .*NoClassDefFound"
        with running(CONTROLLER, part) as kafka, pytest.raises(EngineError, match=said):
            kafka.ask([IDLE])
