"""A policy that was generated, in a running controller: what it refuses is not made, and clients are told why."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import epochal
from tests.brokers.configuration import Shape
from tests.brokers.conftest import Started, needed
from tests.brokers.process import wait_until
from tests.brokers.releases import Release, release

pytestmark = pytest.mark.brokers

CLASS = "EpochalTopicPolicy"
DEFAULTS = {"min.insync.replicas": "1", "default.replication.factor": "3"}
ASKED: tuple[tuple[int, str | None, str], ...] = (
    (3, "2", ""),
    (2, "2", "2/2/false: no write with acks=all succeeds while 1 broker is down"),
    (3, "1", "3/1/false: a crash that loses data: an acknowledged record is lost"),
    (3, None, "3/1/false: a crash that loses data: an acknowledged record is lost"),
    (-1, "2", ""),
    (1, "2", "1/more/false: a crash that loses data: an acknowledged record is lost"),
)
"""Replication factor and min.insync.replicas as a client sends them, and what it hears; "" if the topic is made."""


def compiled(folder: Path, wanted: Release) -> Path:
    """The folder with the class of the policy: one power loss loses nothing, and writes go on with a broker down."""
    defaults = [f"{name}={value}" for name, value in DEFAULTS.items()]
    policy = epochal.policy(target="java", kafka="4.3", elr=True, keep="lossy", writes_with_down=1, defaults=defaults)
    source = policy.save(folder / f"{CLASS}.java")
    javac = shutil.which("javac")
    assert javac is not None, "javac (a JDK 17 or newer) is not here"
    classes = folder / "classes"
    command = [javac, "--release", "11", "-cp", wanted.class_path(), "-d", str(classes), str(source)]
    subprocess.run(command, check=True, timeout=120)
    return classes


def test_a_controller_refuses_what_loses_records(
    kafka: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient, NewTopic

    jars = needed(release("4.3")).class_path()
    classes = compiled(tmp_path, release("4.3"))
    monkeypatch.setattr(Release, "class_path", lambda _: os.pathsep.join((str(classes), jars)))
    shape = Shape(brokers=3, settings={**DEFAULTS, "create.topic.policy.class.name": CLASS})
    with kafka("4.3", shape) as cluster:
        client = AdminClient({"bootstrap.servers": cluster.bootstrap})
        told = []
        for number, (copies, wanted, _) in enumerate(ASKED):
            config = {} if wanted is None else {"min.insync.replicas": wanted}
            topic = NewTopic(f"topic-{number}", 1, copies, config=config)
            (future,) = client.create_topics([topic], request_timeout=30).values()
            try:
                future.result(30)
                told.append("")
            except KafkaException as refused:
                assert refused.args[0].code() == KafkaError.POLICY_VIOLATION
                told.append(refused.args[0].str())
        for said, (_, _, wanted) in zip(told, ASKED, strict=True):
            assert said == "" if wanted == "" else wanted in said
        made = {f"topic-{number}" for number, (_, _, wanted) in enumerate(ASKED) if not wanted}

        def topics() -> set[str]:
            return {name for name in client.list_topics(timeout=30).topics if name.startswith("topic-")}

        wait_until("every broker knows the topics", lambda: topics() >= made, 30)
        assert topics() == made
