"""What running Kafka's classes needs, or else why a test is skipped: a JDK, and the jars of a release."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from epochal.errors import EngineError
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.harness import found_jdk

REQUIRED = "EPOCHAL_LOCKSTEP_REQUIRED"

Released = Callable[[str], KafkaClasses]


def released_classes(version: str) -> KafkaClasses:
    """The classes of a release that can run here; else the test is skipped, or fails where REQUIRED is set."""
    try:
        found_jdk()
        return kafka_classes(version, None)
    except EngineError as missing:
        (pytest.fail if os.environ.get(REQUIRED) else pytest.skip)(str(missing))


@pytest.fixture
def released() -> Released:
    """Classes by the version of their release."""
    return released_classes
