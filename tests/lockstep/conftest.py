"""What running Kafka's classes needs, or else why a test is skipped: a JDK, and the jars of a release."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest

from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Step, Trace
from epochal.errors import EngineError
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.jdk import found_jdk
from epochal.spec.kraft.kraft import Kraft

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


def run_of(protocol: Kraft, labels: Sequence[str]) -> Trace:
    """The run with these steps."""
    semantics, initial = PythonSemantics(protocol), protocol.initial_states()[0]
    codes, steps = initial, list[Step]()
    for label in labels:
        (step,) = (Step(one, after) for one, after in semantics.successors(codes) if one.label == label)
        codes = step.codes
        steps.append(step)
    return Trace(protocol, initial, tuple(steps))
