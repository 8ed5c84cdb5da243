"""`epochal audit --bootstrap` of running brokers says what an audit of their files says."""

from __future__ import annotations

import functools
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.conftest import Started
from tests.brokers.describe import TOPICS, is_led, shape
from tests.brokers.process import wait_until
from tests.brokers.releases import release
from tests.brokers.tools import Tools

pytestmark = pytest.mark.brokers

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SECRET = "s3cr3t-of-alice"
USERS = f'{PLAIN} username="admin" password="x" user_alice="{SECRET}" user_bob="bob-s";'


def make_topics(cluster: Cluster) -> None:
    """Make the topics of good and bad settings, and wait until each is led."""
    for name, (replicas, settings) in TOPICS.items():
        cluster.admin.create_topic(name, replicas, **settings)
    for name in TOPICS:
        wait_until(f"{name} is led", functools.partial(is_led, cluster.admin, name, 0), 60, 0.25)


def written(cluster: Cluster, to: Path) -> Path:
    """What Kafka's tools print, in a folder. Files of nodes are left out: no broker tells what controllers have."""
    tools = Tools(cluster.release, cluster.bootstrap)
    to.mkdir()
    for name, text in (
        ("topics.txt", tools.describe_topics()),
        ("topic-configs.txt", tools.describe_configs("topics")),
        ("broker-configs.txt", tools.describe_configs("brokers")),
        ("cluster-configs.txt", tools.describe_default_configs()),
        ("features.txt", tools.describe_features()),
        ("replication.txt", tools.describe_replication()),
    ):
        (to / name).write_text(text, encoding="utf-8")
    return to


def compared(document: dict[str, Any]) -> dict[str, Any]:
    """What an audit says, without where it is said."""
    return {
        "classes": [
            {
                name: said
                for name, said in one.items()
                if name not in ("min_insync_replicas", "unclean_leader_election_enable")
            }
            for one in document["classes"]
        ],
        "findings": sorted(
            (one["rule"], one["severity"], subject) for one in document["findings"] for subject in one["subjects"]
        ),
        "releases": document["releases"],
        "elr": (document["eligible_leader_replicas"], document["eligible_leader_replicas_known"]),
        "brokers": document["brokers"],
    }


@pytest.mark.parametrize("version", ["3.9", "4.1", "4.3", "4.4"])
def test_what_brokers_say_is_what_their_files_say(kafka: Started, tmp_path: Path, version: str) -> None:
    with kafka(version, shape(release(version))) as cluster:
        make_topics(cluster)
        files = written(cluster, tmp_path / "files")
        lock = tmp_path / "no.json"
        asked = epochal.audit(
            bootstrap=cluster.bootstrap, dump=tmp_path / "dump", searches=False, lock=lock, timeout=120
        )
        read = epochal.audit(files, searches=False, lock=lock)
        assert compared(dict(asked.to_dict())) == compared(dict(read.to_dict()))
        assert asked.not_told == () and "topics" in asked.asked_for


def certificate(folder: Path) -> Path:
    """A key and a certificate of 127.0.0.1, in one file of PEM."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here")
    key, shown, both = folder / "key.pem", folder / "cert.pem", folder / "both.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(shown)]
    subprocess.run(words, check=True, capture_output=True)
    both.write_text(key.read_text() + shown.read_text())
    return both


def secured(protocol: str, folder: Path) -> Shape:
    """One broker with a listener for users by name, who may do what they are allowed."""
    settings = {
        "listener.name.secured.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secured.plain.sasl.jaas.config": USERS,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:alice",
    }
    if protocol == "SASL_SSL":
        settings["listener.name.secured.ssl.keystore.type"] = "PEM"
        settings["listener.name.secured.ssl.keystore.location"] = str(certificate(folder))
    return Shape(brokers=1, combined=True, settings=settings, secured=protocol)


def client(folder: Path, protocol: str, user: str = "alice", password: str = SECRET) -> Path:
    """A file of properties as Kafka's tools take it."""
    file = folder / f"{user}.properties"
    lines = [
        f"security.protocol={protocol}",
        "sasl.mechanism=PLAIN",
        f'sasl.jaas.config={PLAIN} username="{user}" password="{password}";',
    ]
    if protocol == "SASL_SSL":
        lines += ["ssl.truststore.type=PEM", f"ssl.truststore.location={folder / 'cert.pem'}"]
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("protocol", ["SASL_PLAINTEXT", "SASL_SSL"])
def test_a_secured_broker(kafka: Started, tmp_path: Path, protocol: str) -> None:
    with kafka("4.3", secured(protocol, tmp_path)) as cluster:
        cluster.admin.create_topic("orders", [[1]], **{"min.insync.replicas": "1"})
        port = cluster.nodes[1].role.secured_port
        address = f"127.0.0.1:{port}"
        files = written(cluster, tmp_path / "files")
        common: dict[str, Any] = {"searches": False, "lock": tmp_path / "no.json"}
        asked = epochal.audit(bootstrap=address, command_config=client(tmp_path, protocol), timeout=60, **common)
        read = epochal.audit(files, **common)
        assert compared(dict(asked.to_dict())) == compared(dict(read.to_dict()))
        assert SECRET not in str(asked) + str(asked.to_dict())

        def refused(config: Path | None, seconds: float = 20) -> str:
            begun = time.monotonic()
            with pytest.raises(EpochalError) as caught:
                epochal.audit(bootstrap=address, command_config=config, timeout=seconds, **common)
            assert caught.value.exit_code == ExitCode.ENGINE_FAILURE
            assert time.monotonic() - begun < seconds + 15
            assert SECRET not in str(caught.value) and "wrong-" not in str(caught.value)
            return str(caught.value)

        wrong = refused(client(tmp_path, protocol, "alice", "wrong-one"))
        assert "the credentials are refused" in wrong
        assert "nobody answers" in (said := refused(None, 5)) or "no answer" in said
        # who may describe nothing is told so
        bob = client(tmp_path, protocol, "bob", "bob-s")
        with pytest.raises(EpochalError) as caught:
            epochal.audit(bootstrap=address, command_config=bob, timeout=60, **common)
        assert "bob-s" not in str(caught.value) and caught.value.exit_code != ExitCode.INTERNAL_ERROR
