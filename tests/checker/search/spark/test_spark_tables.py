"""`epochal.spark`: a session of somebody's own is used and stays as it was, and a search is there as DataFrames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import epochal
import epochal.spark
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark.errors import ClusterError
from epochal.errors import UsageError
from tests.documents.harness import ROOT, run

SMALL: dict[str, Any] = {"replicas": 2, "log_size": 2, "records": 2, "max_epoch": 1}


def _session() -> Any:
    """A session with settings of its own, as somebody else makes one, in the Spark of the tests."""
    from pyspark.sql import SparkSession

    made = SparkSession.active().newSession()
    made.conf.set("spark.sql.adaptive.enabled", "true")
    made.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "10000")
    made.conf.set("spark.sql.shuffle.partitions", "3")
    return made


def _settings(session: Any) -> dict[str, object]:
    properties = {
        name: session.sparkContext.getLocalProperty(name) for name in ("spark.jobGroup.id", "spark.job.description")
    }
    return {**session.conf.getAll, **properties}


@pytest.mark.xdist_group("spark")
def test_a_session_is_used_and_not_changed(spark: str, tmp_path: Path) -> None:
    """And its search is the native one; the frames are the tables that are exported."""
    session = _session()
    session.sparkContext.setJobGroup("mine", "my own work")
    before = _settings(session)
    storage = tmp_path / "run"
    result = epochal.spark.check(
        session,
        "kip-101",
        storage=storage,
        all_violations=True,
        conf={
            "spark.epochal.threshold": 10,
            "spark.epochal.partitions": 3,
            "spark.epochal.cacheDir": tmp_path / "cache",
        },
        **SMALL,
    )
    assert _settings(session) == before
    native = breadth_first.check(epochal.load("kip-101", **SMALL), Options(all_violations=True))
    found = result.search
    assert (found.state_digest, found.step_digest) == (native.state_digest, native.step_digest)
    assert found.cluster is not None and found.cluster.by_driver < found.cluster.levels

    epochal.export(storage, out=tmp_path / "tables")
    for name in ("states", "levels", "findings", "trace_steps", "runs"):
        frame = getattr(epochal.spark, name)(session, storage)
        wanted = pq.read_table(tmp_path / "tables" / name)
        rows = [row.asDict(recursive=True) for row in frame.collect()]
        if name == "states":
            rows.sort(key=lambda row: (row["level"], row["state"]))
        assert rows == wanted.to_pylist()
        read = session.read.parquet(str(tmp_path / "tables" / name))
        assert read.count() == len(rows) and read.schema.simpleString() == frame.schema.simpleString()
    assert _settings(session) == before


@pytest.mark.xdist_group("spark")
def test_a_native_search_as_a_frame(spark: str, tmp_path: Path) -> None:
    """Its records are read by tasks, and say the same."""
    protocol = epochal.load("kip-101", **SMALL)
    breadth_first.check(protocol, Options(all_violations=True, checkpoint=tmp_path / "run", workers=2))
    epochal.export(tmp_path / "run", out=tmp_path / "tables")
    rows = epochal.spark.states(_session(), tmp_path / "run").collect()
    wanted = pq.read_table(tmp_path / "tables" / "states").to_pylist()
    assert sorted((row.asDict(recursive=True) for row in rows), key=lambda row: (row["level"], row["state"])) == wanted


@pytest.mark.xdist_group("spark")
def test_the_example_of_the_documentation(spark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Spark SQL, as the page shows it."""
    monkeypatch.chdir(tmp_path)
    assert list(map(str, run(ROOT / "docs" / "tables.md", long=True))) == []


class _Connected:
    """A session of Spark Connect, which has no Spark context."""

    def createDataFrame(self) -> None:  # noqa: N802
        """As every session has it."""

    @property
    def sparkContext(self) -> Any:  # noqa: N802
        """What such a session raises."""
        raise NotImplementedError("[JVM_ATTRIBUTE_NOT_SUPPORTED] sparkContext is not supported in Spark Connect")


@pytest.mark.parametrize("ask", [epochal.spark.check, epochal.spark.states])
def test_spark_connect_is_refused(ask: Any) -> None:
    """In words that say what to use on Databricks."""
    with pytest.raises(ClusterError, match="dedicated access mode"):
        ask(_Connected(), "kip-320")


def test_what_means_nothing_is_refused() -> None:
    """A session's own settings are not ours to set, and only a session is one."""

    class Local:
        """A session of this machine."""

        sparkContext = type("Context", (), {"master": "local[2]"})()  # noqa: N815

        def createDataFrame(self) -> None:  # noqa: N802
            """As every session has it."""

    session: Any = Local()
    with pytest.raises(UsageError, match="setting of the session, which is yours"):
        epochal.spark.check(session, "kip-320", conf={"spark.executor.memory": "1g"})
    with pytest.raises(UsageError, match="give replicas to"):
        epochal.spark.check(session, epochal.load("kip-320"), replicas=2)
    with pytest.raises(UsageError, match="spark is a SparkSession"):
        epochal.spark.states("local[2]", "run")  # type: ignore[arg-type]
