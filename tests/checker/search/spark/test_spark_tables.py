"""`epochal.spark`: a session of somebody's own is used and stays as it was, and a search is there as DataFrames."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import epochal
import epochal.spark
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark.master import ClusterError
from epochal.checker.search.spark.owner import HEAD, ClaimedTable, TableCache, TableSize, _checksum, _system
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


# Owner tables on a worker's disk: what is not exactly what the last attempt left is not found.

SIZE = TableSize(5, 3, 4096, 4096, 8192)


@pytest.fixture
def tables(tmp_path: Path) -> TableCache:
    """The caches of a run, with the table that the attempt "first" has left of partition 3."""
    found = TableCache(tmp_path / "base" / "run")
    found.make(3, "first").close(SIZE, 3, "first")
    return found


def head(tables: TableCache) -> Path:
    """The file that says what the table of the attempt "first" is."""
    return tables.folder / "3-first" / HEAD


def claimed(tables: TableCache) -> ClaimedTable | None:
    return tables.claim(3, "first", "second")


def test_a_table_is_claimed_once(tables: TableCache) -> None:
    found = claimed(tables)
    assert found is not None and found.size == SIZE
    assert claimed(tables) is None
    assert tables.folder.parent.stat().st_mode & 0o777 == 0o700


def test_every_flipped_bit_of_its_head_is_a_miss(tables: TableCache) -> None:
    whole = head(tables).read_bytes()
    assert json.loads(whole[16:])["count"] == 5
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        head(tables).write_bytes(changed)
        assert claimed(tables) is None
        assert list(tables.folder.iterdir()) == [], "it is not tried again"
        tables.make(3, "first").close(SIZE, 3, "first")
    assert claimed(tables) is not None


def test_a_table_of_another_boot_is_a_miss(tables: TableCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.checker.search.spark.owner._system", lambda: "another")
    assert claimed(tables) is None


def test_a_table_of_another_version_is_a_miss(tables: TableCache) -> None:
    """Its head says less than this one asks."""
    text = json.dumps({"count": 5, "capacity": 4096, "slots": 8192, "system": _system()}).encode()
    head(tables).write_bytes(_checksum(text) + text)
    assert claimed(tables) is None


def test_a_folder_that_others_can_write_to_is_refused(tables: TableCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name can be guessed, so somebody else may have made it first."""
    base = tables.folder.parent
    base.chmod(0o777)
    uses: list[Callable[[], object]] = [lambda: claimed(tables), lambda: tables.make(3, "third")]
    for use in uses:
        with pytest.raises(ClusterError) as refused:
            use()
        assert str(refused.value) == (
            f"the folder for tables, {base}, can be written by others (mode 777): remove it there, or name another on "
            "every worker with --conf spark.epochal.cacheDir=DIR"
        )
    base.chmod(0o700)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(ClusterError, match=rf"belongs to another user \({owner}\)"):
        tables.make(3, "third")
