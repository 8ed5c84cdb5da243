"""Brokers with a fix: changed classes that stand before the jars of the release, as the lockstep makes them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.brokers.process import NotReady
from tests.brokers.releases import Release

MADE_BY = "epochal.kafka.lockstep.changed"
"""The program that makes them. It is of this project, and run as one: the brokers are started without it."""


def fixed_classes(release: Release, holes: Sequence[str], folder: Path) -> Path:
    """A folder of classes with the smallest fixes of some holes; NotReady without a JDK or Javassist."""
    command = [sys.executable, "-m", MADE_BY, release.version, str(folder), *holes]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    if done.returncode:
        raise NotReady(f"the fix of {' and '.join(holes)} was not made for Kafka {release.version}: {done.stderr}")
    return Path(done.stdout.strip())
