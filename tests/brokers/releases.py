"""Which releases of Apache Kafka are run, and where their files are.

Maven fetches the files of a release, once and only when asked: `python -m tests.brokers.releases`. Every file is held
against a checksum before anything runs it. The checksums are files of the package, which runs Kafka's classes as well.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
JARS = HERE.parents[1] / "src" / "epochal" / "kafka" / "lockstep" / "jars"
POM = JARS / "pom.xml"


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


PINNED = tuple(sorted((path.stem.removeprefix("kafka-") for path in JARS.glob("kafka-*.sha256")), key=_number))
"""Releases whose checksums are kept, oldest first: the last of each version, 4.0.0, which still had KAFKA-18991,
and 4.2.1, which evidence was recorded on when it was the last."""

OLDEST, NEWEST = PINNED[0], PINNED[-1]

PACKAGES = (
    *("org.apache.kafka.tools", "org.apache.kafka.tools.reassign", "org.apache.kafka.tools.consumer.group"),
    *("kafka.tools", "kafka.admin"),
)
"""Where Kafka's command-line tools are: in the core, until they move one by one to a module of their own."""

PREPARE = "run `make test-brokers`, or `python -m tests.brokers.releases` with Maven at hand"


class ReleaseMissing(Exception):
    """The files of a release are not here, or are not those whose checksums are kept."""


@dataclass(frozen=True)
class Release:
    """One release of Apache Kafka, by its full version."""

    version: str

    @property
    def number(self) -> tuple[int, ...]:
        """The version, to compare."""
        return _number(self.version)

    @property
    def log4j2(self) -> bool:
        """Whether it logs by Log4j 2: since 4.0 (KAFKA-9366)."""
        return self.number >= (4, 0)

    @property
    def folder(self) -> Path:
        """Where its files lie: `build/kafka`, or where EPOCHAL_KAFKA_JARS says."""
        root = os.environ.get("EPOCHAL_KAFKA_JARS") or HERE.parents[1] / "build" / "kafka"
        return Path(root) / self.version

    @property
    def checksums(self) -> Path:
        """The list of its files with their checksums, as `sha256sum` writes and reads it."""
        return JARS / f"kafka-{self.version}.sha256"

    def present(self) -> bool:
        """Whether its files have been fetched; `class_path` looks at every one."""
        return (self.folder / f"kafka_2.13-{self.version}.jar").exists()

    def class_path(self) -> str:
        """What `java -cp` is given, after every file has been held against its checksum."""
        if not self.present():
            raise ReleaseMissing(f"Kafka {self.version} is not in {self.folder}: {PREPARE}")
        kept, found = self.checksums.read_text(encoding="ascii"), checksums_of(self.folder)
        if kept != found:
            changed = sorted({line.split()[1] for line in set(kept.splitlines()) ^ set(found.splitlines())})
            told = f"{self.folder} differs from {self.checksums.name} in {', '.join(changed)}"
            raise ReleaseMissing(f"{told}: remove the folder and {PREPARE}")
        return os.pathsep.join(str(path) for path in sorted(self.folder.glob("*.jar")))

    def tool(self, name: str) -> str:
        """The main class of one of Kafka's tools, in whichever package this release has it: `ConfigCommand`."""
        has = set[str]()
        for jar in (f"kafka-tools-{self.version}.jar", f"kafka_2.13-{self.version}.jar"):
            with zipfile.ZipFile(self.folder / jar) as opened:
                has.update(opened.namelist())
        for package in PACKAGES:
            if f"{package}.{name}".replace(".", "/") + ".class" in has:
                return f"{package}.{name}"
        raise ReleaseMissing(
            f"Kafka {self.version} has no {name} in {', '.join(PACKAGES)}: add where it is to PACKAGES"
        )

    def fetch(self) -> None:
        """Have Maven bring the files, into a folder beside the last one that takes its name when it is whole."""
        maven = shutil.which("mvn")
        if maven is None:
            raise ReleaseMissing("Maven is not here: install it (Debian: apt-get install maven)")
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as scratch:
            command = [maven, "--batch-mode", "--quiet", "--strict-checksums", f"--file={POM}"]
            command += [f"-Dkafka.version={self.version}", *(["-Plog4j2"] if self.log4j2 else [])]
            command += ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={scratch}/jars"]
            subprocess.run(command, check=True, timeout=1200, stdin=subprocess.DEVNULL)
            shutil.rmtree(self.folder, ignore_errors=True)
            (Path(scratch) / "jars").rename(self.folder)


JAVASSIST = next(JARS.glob("javassist-*.sha256"))
"""The checksum of Javassist, by which `epochal lockstep --fix` changes Kafka's classes. Its name has the version."""


def fetch_javassist() -> None:
    """Have Maven bring Javassist beside the releases, if it is not there, and look at it."""
    jar = Release("javassist").folder / f"{JAVASSIST.stem}.jar"
    if not jar.exists():
        maven = shutil.which("mvn")
        if maven is None:
            raise ReleaseMissing("Maven is not here: install it (Debian: apt-get install maven)")
        artifact = f"org.javassist:javassist:{JAVASSIST.stem.removeprefix('javassist-')}"
        command = [maven, "--batch-mode", "--quiet", "--strict-checksums", "dependency:copy", f"-Dartifact={artifact}"]
        subprocess.run([*command, f"-DoutputDirectory={jar.parent}"], check=True, timeout=600, stdin=subprocess.DEVNULL)
    if checksums_of(jar.parent) != JAVASSIST.read_text(encoding="ascii"):
        raise ReleaseMissing(f"{jar} differs from {JAVASSIST.name}: remove it and {PREPARE}")


def checksums_of(folder: Path) -> str:
    """The SHA-256 of every file of a folder, in the format of `sha256sum`."""
    files = sorted(folder.iterdir())
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def release(name: str) -> Release:
    """A release by its version, `4.1.2`; by what begins it, `4.1` or `4.1.x`; `newest` or `oldest`."""
    asked = {"newest": NEWEST, "oldest": OLDEST}.get(name, name.removesuffix(".x"))
    fitting = [version for version in PINNED if version == asked or version.startswith(asked + ".")]
    if not fitting:
        raise ReleaseMissing(f"no checksums are kept for Kafka {name}: {', '.join(PINNED)} are known")
    return Release(fitting[-1])


def prepare(versions: Iterable[str], pin: bool) -> None:
    """Fetch what is missing, then look at every file; with `pin`, write down what was fetched instead."""
    for version in versions:
        one = Release(version) if pin else release(version)
        if not one.present():
            print(f"fetching Apache Kafka {one.version} from Maven Central into {one.folder}", flush=True)
            one.fetch()
        if pin:
            one.checksums.write_text(checksums_of(one.folder), encoding="ascii")
        one.class_path()


def main() -> None:
    """Fetch releases: all that are pinned, or those named."""
    parser = argparse.ArgumentParser(prog="python -m tests.brokers.releases", description=main.__doc__)
    parser.add_argument(
        "versions", nargs="*", default=list(PINNED), help=f"of {', '.join(PINNED)}; all if none is said"
    )
    parser.add_argument("--pin", action="store_true", help="keep the checksums of what Maven brings, for a new release")
    arguments = parser.parse_args()
    try:
        prepare(arguments.versions, arguments.pin)
        fetch_javassist()
    except (ReleaseMissing, subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
