"""Making the archive of Java's classes: one small job on Spark, in a Java that keeps what it has read at its end.

A process of its own does that: this one may have another Spark, or start one later.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...base.cache import cache_folder, intruders
from ...base.processes import python_running
from .errors import ClusterError
from .session import (
    JAVA_OPTIONS,
    LOCAL_SETTINGS,
    archive_path,
    check_installation,
    java_option,
    java_path,
    open_session,
)

MOST = 2
"""How many archives are kept: of two Javas, or of two releases of Spark."""

ENDS_WITHIN = 180.0
"""Seconds that Java has to write the archive, at its end."""


def keep_classes(report: Callable[[str], None]) -> Path:
    """Keep the classes that Java needs when Spark starts; where they are. What takes long is reported before.

    Raises ClusterError if Spark or Java cannot, OSError if the cache cannot be written.
    """
    check_installation()
    archive = archive_path(java_path() or "")
    archive.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in (cache_folder(), archive.parent):
        if problem := intruders(folder):
            raise ClusterError(f"{folder} {problem}, so nothing in it could be believed.\n  chmod 700 {folder}")
    report("Spark is started once, and Java keeps what it has read: that takes half a minute")
    with tempfile.TemporaryDirectory(dir=archive.parent) as beside:
        made = Path(beside) / archive.name
        done = subprocess.run(python_running(__name__, str(made)), capture_output=True, text=True, check=False)
        if done.returncode:
            said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise ClusterError(f"Spark was started for Java to keep its classes, and failed: {said[0]}")
        if not made.is_file():
            raise ClusterError(
                "Java has kept nothing.\n  It does not where a folder that is not empty is on its class path: unset "
                "HADOOP_CONF_DIR, YARN_CONF_DIR and SPARK_DIST_CLASSPATH, and try again."
            )
        made.replace(archive)
    for other in sorted(archive.parent.glob("*.jsa"), key=lambda path: path.stat().st_mtime)[:-MOST]:
        other.unlink(missing_ok=True)
    return archive


def _start_once(made: Path) -> None:
    """Start Spark, do a small job with workers of Python on it, and end Java, which then writes what it has read."""
    from pyspark import SparkContext

    options = f"{LOCAL_SETTINGS[JAVA_OPTIONS]} {java_option('ArchiveClassesAtExit', made)} -Xlog:disable"
    session = open_session("local[2]", {JAVA_OPTIONS: options})
    try:
        session.sparkContext.parallelize(range(4), 2).map(lambda one: one).collect()
    finally:
        session.stop()
        gateway: Any = SparkContext._gateway  # pyspark's Java ends when Python does, and nobody waits for it
        gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None
        _end(gateway.proc)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a Java whose input ends. Raises ClusterError if it does not end."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(ENDS_WITHIN)
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise ClusterError(
            f"Java did not end within {ENDS_WITHIN:.0f} s, so it has kept nothing.\n  Try again."
        ) from error


if __name__ == "__main__":
    _start_once(Path(sys.argv[1]))
