"""Spark for the tests: one session for all of them, which an environment without Java cannot start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from epochal.checker.search.spark.driver import Cluster
from epochal.checker.search.spark.session import open_session

RETRIES = 4


@pytest.fixture(scope="session")
def spark() -> Iterator[str]:
    """The master of a session that lasts as long as the tests: two tasks at a time, each tried four times."""
    master = f"local[2,{RETRIES}]"
    session = open_session(master, {"spark.driver.memory": "1g"})
    yield master
    session.stop()


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """A search with four partitions and its storage and caches in the test's own folder."""
    return Cluster("local[2,4]", str(tmp_path / "storage"), shards=4, threshold=0, cache=str(tmp_path / "cache"))
