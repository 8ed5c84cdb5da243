"""Brokers with a fix: changed classes that stand before the jars of the release, as the lockstep makes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from epochal.errors import EngineError
from epochal.kafka.lockstep.changed import changed_classes
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.jdk import found_jdk
from tests.brokers.process import NotReady
from tests.brokers.releases import Release


def fixed_classes(release: Release, holes: Sequence[str], folder: Path) -> Path:
    """A folder of classes with the smallest fixes of some holes; NotReady without a JDK or Javassist."""
    classes = kafka_classes(release.version, None, fixes=holes)
    patches = [patch for fix in classes.fixes for patch in fix.patches]
    try:
        return changed_classes(classes, patches, f"the fix of {' and '.join(holes)}", found_jdk(), folder)
    except EngineError as error:
        raise NotReady(str(error)) from error
