"""Where Spark runs: as it was said, by whom it was said; nothing goes on here that was meant for a cluster."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from epochal.checker.search.engines import ClusterChoice, check_on_spark
from epochal.checker.search.spark import session
from epochal.checker.search.spark.master import ClusterError, chosen_master, on_this_machine, with_retries
from epochal.checker.search.spark.session import refuse_connect
from epochal.errors import UsageError
from tests.documents.harness import ROOT, blocks


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Spark's configuration, in which nothing is said so far."""
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    return tmp_path / "spark-defaults.conf"


@pytest.mark.parametrize(
    ("text", "master"),
    [
        ("", "local[*]"),
        ("# spark.master yarn\nspark.masters x\n", "local[*]"),
        ("spark.app.name x\n  spark.master   yarn\n", "yarn"),
        ("spark.master=k8s://https://host:6443", "k8s://https://host:6443"),
    ],
)
def test_sparks_own_configuration_is_heeded(told: Path, text: str, master: str) -> None:
    told.write_text(text)
    assert chosen_master(None) == master
    assert chosen_master("local[2]") == "local[2]"


def test_without_configuration_it_is_this_machine(told: Path) -> None:
    assert chosen_master(None) == "local[*]"


def test_a_configured_cluster_needs_a_storage(told: Path) -> None:
    told.write_text("spark.master spark://host:7077\n")
    with pytest.raises(UsageError, match="a search on spark://host:7077 needs --storage"):
        check_on_spark(ClusterChoice("spark"))


@pytest.mark.parametrize(
    ("said", "started", "here"),
    [
        ("local", "local[1,4]", True),
        ("local[3]", "local[3,4]", True),
        ("local[*]", "local[*,4]", True),
        ("local[2,1]", "local[2,1]", True),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]", False),
        ("spark://host:7077", "spark://host:7077", False),
        ("yarn", "yarn", False),
    ],
)
def test_tasks_are_tried_again_on_this_machine_too(said: str, started: str, here: bool) -> None:
    assert with_retries(said) == started
    assert on_this_machine(said) == here


def test_a_session_without_a_context_is_refused() -> None:
    class Connected:
        @property
        def sparkContext(self) -> object:  # noqa: N802  # Spark's name
            raise AttributeError("[JVM_ATTRIBUTE_NOT_SUPPORTED]")

    with pytest.raises(ClusterError, match="Spark Connect"):
        refuse_connect(Connected())


SUBMITTED = """
import epochal
from epochal.checker.search.engines import ClusterChoice, check_on_spark
from epochal.checker.search.spark.master import chosen_master
print("master", chosen_master(None))
from epochal.checker.search.result import Options
protocol = epochal.load("kip-101", replicas=2, log_size=1, records=1, max_epoch=1)
choice = ClusterChoice("spark", conf=("spark.epochal.threshold=0", "spark.epochal.partitions=2"))
result = check_on_spark(choice)(protocol, Options())
from pyspark.sql import SparkSession
print("ran at", SparkSession.active().sparkContext.master)  # made by another thread
print(result.cluster)
"""


@pytest.mark.long
def test_spark_submit_says_where(tmp_path: Path) -> None:
    """`spark-submit --master local[1]` runs there, with the retries that are ours."""
    submit = Path(sys.executable).parent / "spark-submit"
    program = tmp_path / "app.py"
    program.write_text(SUBMITTED)
    done = subprocess.run(
        [shutil.which(str(submit)) or "spark-submit", "--master", "local[1]", str(program)],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "master local[1]\n" in done.stdout, done.stderr[-3000:]
    assert "ran at local[1" in done.stdout
    assert "OnCluster(master='local[1]', levels=" in done.stdout


# What is said of a cluster reaches Spark: the commands of docs/spark.md, with a spark-submit that notes what it gets.

SUBMIT = """#!/bin/sh
printf '%s\\n' "$PYSPARK_PYTHON" "$@" > "$NOTED"
exit 1
"""
"""Spark's own would start Java here."""

HADOOP = """#!/bin/sh
echo /hadoop/common.jar:/hadoop/hdfs.jar
"""


@pytest.fixture
def told_of_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the false spark-submit notes the Python of the workers and its arguments, one a line."""
    for path, text in {"spark/bin/spark-submit": SUBMIT, "bin/hadoop": HADOOP}.items():
        program = tmp_path / path
        program.parent.mkdir(parents=True)
        program.write_text(text)
        program.chmod(0o755)
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_TESTING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("NOTED", str(tmp_path / "noted"))
    monkeypatch.setenv("HOSTNAME", "a-pod")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    return tmp_path / "noted"


@pytest.mark.parametrize(
    "master", ["yarn", pytest.param("k8s://https://kubernetes.default.svc:443", marks=pytest.mark.long)]
)
def test_the_settings_of_a_recipe_reach_spark(master: str, told_of_settings: Path, tmp_path: Path) -> None:
    page = blocks(ROOT / "docs" / "spark.md")
    (recipe,) = (block.text for block in page if f"--engine spark --master {master} " in block.text)
    small = "--replicas 2 --log-size 1 --records 1 --max-epoch 1 --conf spark.epochal.threshold=0"
    typed = re.sub(r"--storage \S+", f"--storage {shlex.quote(str(tmp_path / 'run'))} {small}", recipe)
    done = subprocess.run(["bash", "-c", typed], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 153, done.stderr
    assert f"Spark cannot be started at {master}: " in done.stderr, done.stderr
    assert "Check --master and --conf" in done.stderr
    python, *given = told_of_settings.read_text().splitlines()
    assert python == "./workers/bin/python"
    settings = dict(value.split("=", 1) for flag, value in pairwise(given) if flag == "--conf")
    places = {"$HOSTNAME": "a-pod", "$CLASSPATH": "/hadoop/common.jar:/hadoop/hdfs.jar"}
    asked = dict(word.split("=", 1) for word in shlex.split(recipe) if word.startswith("spark."))
    for name, value in asked.items():
        for variable, content in places.items():
            value = value.replace(variable, content)
        assert (name in settings) != name.startswith("spark.epochal.")
        assert settings.get(name, value) == value
    assert settings["spark.master"] == master and settings["spark.app.name"] == "epochal kip-320 2/1/1/1"
    assert "spark.driver.bindAddress" not in settings and settings["spark.python.daemon.module"] == "epochal_daemon"


def test_what_is_needed_beside_spark_is_named_and_installed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["spark"]
    assert {re.split("[<>=]", one)[0] for one in extra} >= {*session.BESIDE_SPARK, "pyspark"}
    assert session.spark_problem() == ""
    find = importlib.util.find_spec
    for missing in session.BESIDE_SPARK:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, one=missing: None if name == one else find(name))
        expected = f"Spark needs {missing}, which is not installed\n  Install it: pip install 'epochal[spark]'."
        assert session.spark_problem() == expected


def test_what_java_says_is_told_with_its_cause() -> None:
    """As a Kubernetes that does not answer is, and a task that has failed in Python."""
    refused = """An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: io.fabric8.kubernetes.client.KubernetesClientException: An error has occurred.
\tat io.fabric8.kubernetes.client.KubernetesClientException.launderThrowable(KubernetesClientException.java:109)
Caused by: java.io.IOException: Connection refused: /127.0.0.1:6443
\t... 32 more
Caused by: java.net.ConnectException: Connection refused
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
"""
    assert session.plain(Exception(refused)) == (
        "An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext. "
        ": io.fabric8.kubernetes.client.KubernetesClientException: An error has occurred. "
        "Caused by: java.net.ConnectException: Connection refused"
    )
    task = "Job aborted: most recent failure: Lost task 0.3\nOSError: a fault of the test\nCaused by: java.lang.Error"
    assert session.plain(Exception(task)) == "OSError: a fault of the test"
    assert session.plain(ValueError()) == "ValueError"
