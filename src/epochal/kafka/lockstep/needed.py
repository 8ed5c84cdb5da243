"""What `epochal lockstep` needs of this machine, for `epochal doctor`: a JDK, and the jars of a Kafka."""

from __future__ import annotations

from epochal.checker.doctor import Examination
from epochal.errors import EngineError

from .changed import javassist
from .class_path import fetching, jars_folder, pinned
from .jdk import found_jdk


def examined() -> list[Examination]:
    """The JDK and the jars. Nothing else needs them, so that only what is there and does not do is a problem."""
    return [_jdk(), _jars()]


def _jdk() -> Examination:
    try:
        jdk = found_jdk()
    except EngineError as missing:
        return Examination("JDK", True, f"{missing.message}; only lockstep needs one")
    return Examination("JDK", True, f"{jdk.version} at {jdk.javac}; what lockstep compiles and runs")


def _jars() -> Examination:
    """Which releases are there. Their checksums are looked at when they run."""
    there = [version for version in pinned() if jars_folder(version).is_dir()]
    place = jars_folder(pinned()[-1]).parent
    if not there:
        return Examination("Kafka's jars", True, f"none in {place}; lockstep needs some: {fetching(pinned()[-1])}")
    try:
        javassist()
    except EngineError as missing:
        return Examination("Kafka's jars", True, f"{', '.join(there)} in {place}; no --fix: {missing.message}")
    return Examination("Kafka's jars", True, f"{', '.join(there)} in {place}, and Javassist")
