"""What is said of a cluster reaches Spark: the commands of docs/spark.md, with a spark-submit that notes what it gets.

No YARN and no Kubernetes runs here. What these tests show is that Spark is asked for what the page says.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from epochal.checker.search.spark import session
from tests.documents.harness import ROOT, blocks

SUBMIT = """#!/bin/sh
printf '%s\\n' "$PYSPARK_PYTHON" "$@" > "$NOTED"
exit 1
"""
"""Spark's own would start Java here."""

HADOOP = """#!/bin/sh
echo /hadoop/common.jar:/hadoop/hdfs.jar
"""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
def test_the_settings_of_a_recipe_reach_spark(master: str, told: Path, tmp_path: Path) -> None:
    page = blocks(ROOT / "docs" / "spark.md")
    (recipe,) = (block.text for block in page if f"--engine spark --master {master} " in block.text)
    small = "--replicas 2 --log-size 1 --records 1 --max-epoch 1 --conf spark.epochal.threshold=0"
    typed = re.sub(r"--storage \S+", f"--storage {shlex.quote(str(tmp_path / 'run'))} {small}", recipe)
    done = subprocess.run(["bash", "-c", typed], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 153, done.stderr
    assert f"Spark cannot be started at {master}: " in done.stderr, done.stderr
    assert "Check --master and --conf" in done.stderr
    python, *given = told.read_text().splitlines()
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
