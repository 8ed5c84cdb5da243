"""Which Kafka is run: a release whose jars are pinned, or any class path, with folders of changed classes before it.

Nothing is downloaded here. `jars/` has the checksums of every jar of each release, and the Maven project that fetches
them; the tests of running brokers read the same files.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shlex
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from epochal.checker.base.files import file_digest
from epochal.errors import EngineError, UsageError
from epochal.spec.kraft.generations import numbered
from epochal.spec.language.errors import advice

from .fixes import SmallestFix, fixes_named

# -- pinned -----------------------------------------------------------------------------------------------------------
# Releases by their version: where their jars are, and whether these are the released ones.

PINNED_IN = Path(__file__).resolve().parent / "jars"
JARS_VARIABLE = "EPOCHAL_KAFKA_JARS"
LOG4J_2_SINCE = (4, 0)
"""The first version that logs by Log4j 2, which Maven brings by a profile of its own."""


def pinned() -> tuple[str, ...]:
    """The releases whose checksums are kept, oldest first."""
    found = (path.stem.removeprefix("kafka-") for path in PINNED_IN.glob("kafka-*.sha256"))
    return tuple(sorted(found, key=numbered))


def jars_folder(version: str) -> Path:
    """Where the jars of a release are: below EPOCHAL_KAFKA_JARS, else where `make kafka-jars` puts them."""
    return Path(os.environ.get(JARS_VARIABLE) or Path("build", "kafka")).absolute() / version


def fetching(version: str) -> str:
    """The command that fetches the jars of a release."""
    command = ["mvn", "-q", "--strict-checksums", "-f", str(PINNED_IN / "pom.xml")]
    command += ["-Plog4j2"] if numbered(version) >= LOG4J_2_SINCE else []
    command += [f"-Dkafka.version={version}", "dependency:copy-dependencies", "-DincludeScope=runtime"]
    return shlex.join([*command, f"-DoutputDirectory={jars_folder(version)}"])


def _released(version: str) -> list[Path]:
    """The jars of a release, each held against its checksum. Raises UsageError and EngineError."""
    if version not in pinned():
        raise UsageError(
            f"the jars of Kafka {version} are not pinned",
            f"{advice(version, pinned(), 'releases')} Or name the jars themselves: --classpath 'DIR/*'.",
        )
    folder = jars_folder(version)
    if not folder.is_dir():
        raise EngineError(
            f"the jars of Kafka {version} are not in {folder}",
            f"Fetch them: {fetching(version)}\n  Or say where they are: {JARS_VARIABLE}.",
        )
    files = sorted(folder.iterdir())
    kept = (PINNED_IN / f"kafka-{version}.sha256").read_text(encoding="ascii")
    found = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    if kept != found:
        differing = sorted({line.split()[1] for line in {*kept.splitlines()} ^ {*found.splitlines()}})
        shown = ", ".join(differing[:3]) + (f" and {len(differing) - 3} more" if len(differing) > 3 else "")
        raise EngineError(
            f"{folder} is not Kafka {version} as released: {shown} differ from the checksums",
            f"Remove the folder and fetch it again: {fetching(version)}",
        )
    return [path for path in files if path.suffix == ".jar"]


# -- class path -------------------------------------------------------------------------------------------------------
# The jars and folders in their order, and what they say of themselves.

VERSION_FILE = "kafka/kafka-version.properties"
"""In kafka-clients, and in the resources of a build: the version, and the commit."""

CORE = "kafka/server/KafkaRaftServer.class"
"""A class of Kafka's core, whose jar says its version in its manifest."""

SAYS_VERSION = re.compile(r"^\s*[vV]ersion\s*[=:]\s*(\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class KafkaClasses:
    """The classes that are run: jars and folders, of which an earlier one hides what a later one has.

    `told` is what the command line said, for messages and for the command that asks again. `fixes` are made when the
    classes run, and are no file on the path.
    """

    entries: tuple[Path, ...]
    told: tuple[str, ...]
    fixes: tuple[SmallestFix, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The digest of every file on the path, in its order. Raises OSError."""
        content = hashlib.sha256()
        for entry in self.entries:
            for path in _files(entry):
                name = path.relative_to(entry) if entry.is_dir() else Path("jar")
                content.update(f"\n{name.as_posix()}\n".encode("utf-8", "surrogateescape") + file_digest(path))
            content.update(b"\0")
        return content.hexdigest()

    @cached_property
    def version(self) -> str:
        """The version that the classes say they are of: `4.3.1`, `4.5.0-SNAPSHOT`. Raises UsageError."""
        said = {version: entry for entry in reversed(self.entries) for version in _versions_in(entry)}
        if not said:
            raise UsageError(
                f"there is no Kafka in {shlex.join(self.told)}: no {VERSION_FILE}, which kafka-clients has",
                "Name the jars of a Kafka: --classpath 'DIR/*'.",
            )
        if len(said) > 1:
            places = " and ".join(f"{version} ({entry})" for version, entry in sorted(said.items()))
            raise UsageError(
                f"there are two versions of Kafka on one class path: {places}", "Leave one of them out of the path."
            )
        return next(iter(said))

    @cached_property
    def _names(self) -> frozenset[str]:
        names = set[str]()
        for entry in self.entries:
            if entry.is_dir():
                names.update(path.relative_to(entry).as_posix() for path in _files(entry))
            else:
                with _opened(entry) as jar:
                    names.update(jar.namelist())
        return frozenset(names)

    def has(self, name: str) -> bool:
        """Whether there is a class of this name, such as `kafka.server.LeaderEndPoint`."""
        return f"{name.replace('.', '/')}.class" in self._names

    def __str__(self) -> str:
        """`Kafka 4.3.1`, as messages call it."""
        return f"Kafka {self.version}"


def kafka_classes(
    kafka: str | None, classpath: str | None, classes: Sequence[Path] = (), fixes: Sequence[str] = ()
) -> KafkaClasses:
    """The classes of a pinned release, or of a class path as Java has it, with folders of changed classes before them.

    `fixes` are the holes whose smallest fix is to be in them. Raises UsageError if neither or both Kafkas are said,
    where a place does not exist, and for a hole without a fix; EngineError for missing jars.
    """
    if (kafka is None) == (classpath is None):
        raise UsageError(
            "say which Kafka is to be run: either a release or a class path",
            "Give --kafka 4.3.1, or --classpath 'DIR/*'.",
        )
    before = [_folder(path) for path in classes]
    fixed = fixes_named(fixes)
    told = [word for path in classes for word in ("--classes", str(path))]
    told += [word for one in fixed for word in ("--fix", one.id)]
    if kafka is not None:
        return KafkaClasses((*before, *_released(kafka)), (*told, "--kafka", kafka), fixed)
    assert classpath is not None  # one of both is said
    entries = [path for part in classpath.split(os.pathsep) if part for path in _expanded(part)]
    return KafkaClasses((*before, *entries), (*told, "--classpath", classpath), fixed)


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError(f"--classes {path} is no folder", "Name the folder above the packages, such as build/classes.")
    return path.absolute()


def _expanded(part: str) -> list[Path]:
    """An entry of a class path. `DIR/*` are the jars in DIR, whose name may have wildcards, as in Kafka's scripts."""
    folder, star = os.path.split(part)
    if star == "*":
        found = sorted(glob.glob(os.path.join(folder or ".", "*.[jJ][aA][rR]")))  # noqa: PTH118, PTH207  # a pattern
        if not found:
            raise UsageError(f"--classpath: there is no jar in {folder or '.'}", "Name a folder with jars: 'DIR/*'.")
        return [Path(path).absolute() for path in found]
    path = Path(part)
    if not path.exists():
        raise UsageError(f"--classpath: {part} does not exist", "Name jars, folders with classes, or 'DIR/*'.")
    return [path.absolute()]


def _files(entry: Path) -> Iterator[Path]:
    """The files of an entry: a jar, or all in a folder."""
    yield from sorted(path for path in entry.rglob("*") if path.is_file()) if entry.is_dir() else (entry,)


def _versions_in(entry: Path) -> set[str]:
    """The versions of Kafka that an entry says it has."""
    if entry.is_dir():
        said = entry / VERSION_FILE
        return set(SAYS_VERSION.findall(said.read_text(encoding="utf-8"))) if said.is_file() else set()
    with _opened(entry) as jar:
        names = set(jar.namelist())
        told = [VERSION_FILE] if VERSION_FILE in names else []
        told += ["META-INF/MANIFEST.MF"] if CORE in names and "META-INF/MANIFEST.MF" in names else []
        return {version for name in told for version in SAYS_VERSION.findall(jar.read(name).decode("utf-8"))}


def _opened(jar: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(jar)
    except (zipfile.BadZipFile, OSError) as error:
        raise EngineError(f"{jar} cannot be read as a jar: {error}", "Copy it again, or leave it out.") from error
