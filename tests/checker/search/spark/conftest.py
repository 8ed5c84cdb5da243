"""Spark for the tests: one session for all of them, which an environment without Java cannot start. And a storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from epochal.checker.search.spark.driver import Cluster
from epochal.checker.search.spark.session import open_session
from tests.checker.search.spark.faults import in_process

RETRIES = 4
NUMBERS = count()


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


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """What a URI says of the S3 server of moto, in a thread of this process, beside bucket and folder."""
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "{}:{}".format(*server.get_host_and_port())
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            environment.setenv(name, value)
        there = fs.S3FileSystem(
            endpoint_override=endpoint, scheme="http", region="eu-west-1", allow_bucket_creation=True
        )
        there.create_dir("epochal")
        yield f"scheme=http&region=eu-west-1&endpoint_override={endpoint}"
    server.stop()


@pytest.fixture
def remote(cluster: Cluster, server: str) -> Cluster:
    """Tasks in this process, and an empty folder of the bucket."""
    return replace(cluster, storage=f"s3://epochal/run-{next(NUMBERS)}?{server}", start=in_process, shards=2)
