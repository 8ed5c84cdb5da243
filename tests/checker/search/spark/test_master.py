"""Where Spark runs: as it was said, by whom it was said; nothing goes on here that was meant for a cluster."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.checker.search.spark.choice import ClusterChoice, check_on_spark
from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.master import chosen_master, on_this_machine, with_retries
from epochal.checker.search.spark.session import refuse_connect
from epochal.errors import UsageError


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
from epochal.checker.search.spark.choice import ClusterChoice, check_on_spark
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
