"""What tests of running brokers need, or else why they are skipped: jars, Java, setpriv, and confluent-kafka."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.brokers.client import installed
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.history import Journal
from tests.brokers.releases import PREPARE, Release, release

REQUIRED = "EPOCHAL_BROKERS_REQUIRED"

Started = Callable[..., AbstractContextManager[Cluster]]


def missing(wanted: Release) -> str | None:
    """What is not here of what running this release needs, and what to do; None if all is."""
    if not wanted.present():
        return f"the jars of Kafka {wanted.version} are not here: {PREPARE}"
    if shutil.which("java") is None:
        return "java is not here: install Java 17 or newer"
    if shutil.which("setpriv") is None:
        return "setpriv is not here: brokers are started on Linux alone, where util-linux has it"
    if not installed():
        return "confluent-kafka is not here: pip install 'epochal[brokers]'"
    return None


def needed(wanted: Release) -> Release:
    """A release that can run here; else the test is skipped, or fails where REQUIRED is set: `make test-brokers`."""
    if why := missing(wanted):
        (pytest.fail if os.environ.get(REQUIRED) else pytest.skip)(why)
    return wanted


@pytest.fixture
def kafka() -> Started:
    """A cluster of a release by its name, to enter; the test is skipped where brokers cannot run."""

    def cluster(name: str, shape: Shape | None = None) -> AbstractContextManager[Cluster]:
        return Cluster(needed(release(name)), shape)

    return cluster


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A history of clients."""
    yield Journal(tmp_path / "history.jsonl")
