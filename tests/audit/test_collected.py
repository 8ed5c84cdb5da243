"""Credentials as Kafka's tools take them, a cluster that is not there or hangs, and the script for Kafka's tools."""

from __future__ import annotations

import logging
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka.errors import KafkaConnectionError, SaslAuthenticationFailedError

import epochal
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.kafka.audit import collected
from epochal.kafka.audit.collected import client_settings
from tests.audit.golden import CLUSTERS, KEPT

SCRIPT = Path(__file__).parents[2] / "docs" / "collect.sh"
SECRET = "s3cr3t"
JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required"


def settings(folder: Path, *lines: str) -> dict[str, object]:
    file = folder / "client.properties"
    file.write_text("\n".join(lines) + "\n")
    return client_settings(file)


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """A question that has ended asks no more: what a client is refused later would be told of the next question."""
    yield
    left = [one.name for one in threading.enumerate() if one.name.startswith(("epochal-collect", "kafka-io"))]
    assert left == []


def test_a_user_with_a_password(tmp_path: Path) -> None:
    """Quotation marks, escapes and blanks as JAAS has them; what decides nothing is passed over."""
    found = settings(
        tmp_path,
        "security.protocol=SASL_PLAINTEXT",
        "sasl.mechanism=SCRAM-SHA-512",
        f'sasl.jaas.config={JAAS} username = "al\\\\"ice" password=\'s3 = cr;3t\';',
        "client.id=ops",
    )
    assert found == {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": 'al"ice',
        "sasl_plain_password": "s3 = cr;3t",
    }
    assert settings(tmp_path, "") == {"security_protocol": "PLAINTEXT"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["security.protocol=SASL_SS"], "security.protocol is none of"),
        (["security.protocol=SASL_SSL", "sasl.mechanism=GSSAPI"], "sasl.mechanism is none of"),
        (["security.protocol=SASL_SSL"], "sasl.mechanism is none of"),
        (["security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN"], "sasl.jaas.config is not set"),
        (["security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN", f"sasl.jaas.config={JAAS};"], "no username"),
        (["security.protocol=SSL", "ssl.truststore.location=/a.jks"], "ssl.truststore is not of type PEM"),
        (["security.protocol=SSL", "ssl.truststore.type=PEM", "ssl.truststore.location=/no"], "cannot be read"),
        (["security.protocol=SSL", "ssl.cipher.suites=X"], "ssl.cipher.suites is not heeded"),
        (["security.protocol=${env:PROTOCOL}"], "security.protocol is filled in by a provider"),
        (["a=\\u00zz"], "is no file of properties"),
    ],
)
def test_what_the_client_would_not_heed_is_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    """Nothing is weaker than the file says, and no secret of it is in the message."""
    with pytest.raises(EpochalError) as caught:
        settings(tmp_path, *lines, f"ssl.key.password={SECRET}")
    assert said in str(caught.value) and SECRET not in str(caught.value)
    assert caught.value.exit_code == ExitCode.USAGE


def refused(address: str, **more: object) -> EpochalError:
    with pytest.raises(EpochalError) as caught:
        epochal.audit(bootstrap=address, searches=False, **more)  # type: ignore[arg-type]
    return caught.value


def test_a_cluster_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wrong = refused(f"127.0.0.1:{port}", timeout=3)
    assert wrong.exit_code == ExitCode.ENGINE_FAILURE and f"127.0.0.1:{port}" in str(wrong)


def test_one_that_takes_a_connection_and_says_nothing() -> None:
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        wrong = refused(f"127.0.0.1:{hanging.getsockname()[1]}", timeout=2)
    assert wrong.exit_code == ExitCode.ENGINE_FAILURE and time.monotonic() - begun < 60


@pytest.mark.parametrize("address", ["broker", "broker:", ":9092", "broker:70000", "a:1,b", "a:\x1b[2J"])
def test_no_address(address: str) -> None:
    wrong = refused(address)
    assert wrong.exit_code == ExitCode.USAGE and "HOST:PORT" in str(wrong) and "\x1b" not in str(wrong)


def test_one_that_answers_and_then_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told what was asked last, and not that nobody is there."""
    stopped = threading.Event()

    def asked(found: collected.ClusterAnswers, *more: object) -> None:
        found.asked.append("topics")
        stopped.wait(20)
        raise KafkaConnectionError("Event loop stopped")

    monkeypatch.setattr(collected, "_asked", asked)
    monkeypatch.setattr(collected._Client, "stop", lambda client: stopped.set())
    assert "no answer to topics within 1 s" in str(refused("127.0.0.1:9", timeout=1))


def test_credentials_without_an_address() -> None:
    with pytest.raises(EpochalError, match="is for --bootstrap"):
        epochal.audit(KEPT / "good", command_config="client.properties")


TOOL = """#!/bin/sh
case "$*" in *--entity-default*) file=cluster-configs.txt;; *topics*) file=topic-configs.txt;;
*brokers*) file=broker-configs.txt;;
*replication*) file=replication.txt;; *) file={other};; esac
echo "$0 $*" >> {log}
cat {folder}/$file
"""


def test_the_script_collects_what_an_audit_reads(tmp_path: Path) -> None:
    """With tools that print what brokers of 4.3.1 said: the audit of the folder is the audit of these files."""
    healthy = CLUSTERS / "kafka-4.3.1" / "healthy"
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, other in (
        ("kafka-topics", "topics.txt"),
        ("kafka-configs.sh", "-"),
        ("kafka-features", "features.txt"),
        ("kafka-metadata-quorum", "replication.txt"),
    ):
        (tools / name).write_text(TOOL.format(other=other, log=tmp_path / "log", folder=healthy))
        (tools / name).chmod(0o755)
    words = ["sh", str(SCRIPT), "broker:9092", str(tmp_path / "dump"), "client.properties"]
    environment = {"PATH": "/usr/bin:/bin", "KAFKA_BIN": str(tools)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    log = (tmp_path / "log").read_text()
    assert log.count("--bootstrap-server broker:9092 --command-config client.properties") == 6
    assert not [word for word in ("--alter", "--create", "--delete", "--add-config") if word in log]
    lock = tmp_path / "no"
    asked = epochal.audit(tmp_path / "dump", searches=False, lock=lock)
    files = [path for path in healthy.iterdir() if path.suffix == ".txt"]
    read = epochal.audit(*files, searches=False, lock=lock)
    assert {key for one in asked.findings_left for key in one.keys} == {
        key for one in read.findings_left for key in one.keys
    }
    again = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert again.returncode == 2 and "is there already" in again.stderr


def test_a_refusal_that_the_client_only_logs_is_told_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    """The client tries again after a refusal, up to the end of the time: it is heard, and nothing of it is printed."""
    begun = time.monotonic()
    log = logging.getLogger("kafka.net.manager")
    refusal = threading.Timer(0.5, log.error, ("Connection failed: %s", SaslAuthenticationFailedError("x: no")))
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        refusal.start()
        wrong = refused(f"127.0.0.1:{hanging.getsockname()[1]}", timeout=120)
    assert "the credentials are refused" in str(wrong) and time.monotonic() - begun < 100
    assert "Connection failed" not in "".join(capfd.readouterr())
    assert logging.getLogger("kafka").propagate
