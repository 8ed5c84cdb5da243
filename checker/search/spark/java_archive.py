"""Java's classes as Java has read and checked them once, kept in the cache: half of what a start of Spark takes.

Java calls it a dynamic archive (class data sharing, JEP 350). It belongs to one Java and one PySpark; Java itself looks
whether it fits its classes, and does without it if not. It is made only when somebody asks for it (`epochal cache
java`): Java takes some seconds for it, and a hundred MB. It is used for masters on this machine, where Java is ours.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from importlib import metadata
from pathlib import Path

from ...host.cache import cache_folder, intruders

QUIET = "-Xlog:cds*=off"
"""Java says nothing of an archive that does not fit: it reads the classes as it did before."""


def archive_path(java: str) -> Path:
    """Where the archive is for this Java and the installed PySpark, or would be.

    Raises OSError if this is no Java that is there, PackageNotFoundError if there is no PySpark.
    """
    program = Path(java).resolve()
    status = program.stat()
    spark = metadata.version("pyspark")
    jars = Path(str(metadata.distribution("pyspark").locate_file("pyspark/jars")))
    told = f"{program} {status.st_mtime_ns} {status.st_size} {spark} {jars} {jars.stat().st_mtime_ns}"
    return cache_folder() / "java" / f"{hashlib.blake2b(told.encode(), digest_size=20).hexdigest()}.jsa"


def archive_options() -> str:
    """What Java is told to use the archive; "" if there is none that can be believed."""
    java = java_path()
    try:
        if java is None:
            return ""
        archive = archive_path(java)
        if not archive.is_file() or intruders(cache_folder()) or intruders(archive.parent):
            return ""
    except (OSError, metadata.PackageNotFoundError):
        return ""
    return f" {java_option('SharedArchiveFile', archive)} {QUIET}"


def java_option(name: str, path: Path) -> str:
    """An option with a path: `-XX:SharedArchiveFile=...`."""
    return _quoted(f"-XX:{name}={path}")


def java_property(name: str, path: Path) -> str:
    """A property of Java with a path: `-Dlog4j2.configurationFile=...`."""
    return _quoted(f"-D{name}={path}")


def _quoted(option: str) -> str:
    """An option as Spark takes it apart again: blanks separate options, but not inside of quotes."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def java_path() -> str | None:
    """The Java that Spark would start, None if there is none."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java")
