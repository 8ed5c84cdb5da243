"""Classes of Kafka with some methods changed as bytecode, in a folder that stands before the others.

Javassist makes them of whatever classes are run. It is no part of Kafka: its jar is beside those of the releases, held
against a checksum. Nothing is downloaded here.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from epochal.errors import EngineError, EpochalError

from .class_path import PINNED_IN, KafkaClasses, jars_folder, kafka_classes
from .fixes import Patch
from .jdk import Jdk, found_jdk

SOURCE: Final = Path(__file__).resolve().parent / "java" / "changed" / "ChangedClass.java"
DOES_NOT_FIT: Final = 3
"""The exit code of the program where a class, a method or the code is not that of the Kafka at hand."""

TAKES: Final = 120.0
"""Seconds, at most."""


def javassist() -> Path:
    """The jar of Javassist. Raises EngineError if it is not there, or is another, with the command that fetches it."""
    (kept,) = PINNED_IN.glob("javassist-*.sha256")
    folder = jars_folder("javassist")
    jar = folder / f"{kept.stem}.jar"
    version = kept.stem.removeprefix("javassist-")
    command = ["mvn", "-q", "--strict-checksums", "dependency:copy", f"-Dartifact=org.javassist:javassist:{version}"]
    fetch = f"Fetch it: {shlex.join([*command, f'-DoutputDirectory={folder}'])}"
    if not jar.is_file():
        raise EngineError(f"fixes are made with Javassist, and {jar} is not there", fetch)
    if f"{hashlib.sha256(jar.read_bytes()).hexdigest()}  {jar.name}\n" != kept.read_text(encoding="ascii"):
        raise EngineError(f"{jar} is not Javassist {version} as released", f"Remove it. {fetch}")
    return jar


def changed_classes(kafka: KafkaClasses, patches: Sequence[Patch], told: str, jdk: Jdk, folder: Path) -> Path:
    """A folder with these methods changed, below another. `told` is what a message calls the change.

    Raises EngineError without Javassist, and where Kafka has no such class or method, or the code does not fit it.
    """
    out = folder / "changed"
    words = [
        (one.class_for(kafka.version), one.method, one.where, one.code_for(kafka.version), one.field) for one in patches
    ]
    path = os.pathsep.join(map(str, kafka.entries))
    command: list[str | Path] = [jdk.java, "-XX:TieredStopAtLevel=1", "-cp", javassist(), SOURCE, path, out]
    try:
        done = subprocess.run(
            [*command, *(word for five in words for word in five)],
            capture_output=True,
            text=True,
            check=False,
            timeout=TAKES,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise EngineError(
            f"{told} was not made in {TAKES:.0f} s", "Try again when the machine has less to do."
        ) from None
    said = done.stderr.strip()
    if done.returncode == DOES_NOT_FIT:
        raise EngineError(
            f"{told} does not fit {kafka}: {said}",
            "Name another release, or change the class yourself: --classes DIR.",
        )
    if done.returncode:
        raise EngineError(f"{told} could not be made: {said[-400:]}")
    return out


def main(version: str, folder: str, *holes: str) -> None:
    """Write the classes of a pinned release with the smallest fixes of some holes, and print where they are."""
    classes = kafka_classes(version, None, fixes=holes)
    patches = [patch for fix in classes.fixes for patch in fix.patches]
    print(changed_classes(classes, patches, f"the fix of {' and '.join(holes)}", found_jdk(), Path(folder)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except EpochalError as error:
        sys.exit(str(error))
