"""The Spark session: what is set, what is checked beforehand, and how the package reaches the executors."""

from __future__ import annotations

import atexit
import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import epochal
from epochal.errors import not_installed

from ...base.cache import cache_folder, intruders
from ...base.processes import python_running
from . import daemon
from .master import ClusterError, on_this_machine, with_retries

# -- java archive -----------------------------------------------------------------------------------------------------
# Java's classes as Java has read and checked them once, kept in the cache: half of what a start of Spark takes. Java
# calls it a dynamic archive (class data sharing, JEP 350). It belongs to one Java and one PySpark; Java itself looks
# whether it fits its classes, and does without it if not. It is made only when somebody asks for it (`epochal cache
# java`): Java takes some seconds for it, and a hundred MB. It is used for masters on this machine, where Java is ours.

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
    return f" {java_option(f'-XX:SharedArchiveFile={archive}')} {QUIET}"


def java_option(option: str) -> str:
    """An option with a path as Spark takes it apart again: blanks separate options, but not inside of quotes."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def java_path() -> str | None:
    """The Java that Spark would start, None if there is none."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java")


JAVA_NEEDED = 17
SPARK_NEEDED = (4, 1)
BESIDE_SPARK = ("pyarrow", "numpy")
"""What PySpark does not bring: the log is made of Arrow's files, and its columns are compared as arrays."""
PACKAGES = ("checker", "spec", "kafka", "api", "report", "sweeps")
SHIPPED = (".py", ".json", ".ll")
"""What of these packages executors get: sources, answers that are decided already, and the text of the kernels."""
SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.python.worker.reuse": "true",
}

IMPORTED_FROM = "spark.executorEnv.PYTHONPATH"
"""Where the workers of this machine import from, beside what their interpreter has: where the driver did."""

OTHER_PYTHON = "[PYTHON_VERSION_MISMATCH]"
"""How PySpark marks what it says of workers with another minor version, before any of our code runs there."""

DAEMON_MODULE = "spark.python.daemon.module"
DAEMON = daemon.__name__
NO_DAEMON = f"No module named {daemon.SENT}"
"""What a Python says that does not look into the folder that it is started in."""

JAVA_OPTIONS = "spark.driver.extraJavaOptions"

LOGGING = Path(__file__).with_name("log4j2.properties")
"""How Java logs on this machine: errors only. `spark.log.level` comes too late for what is said at the start."""

LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    JAVA_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
}
"""On this machine nothing listens for others, and there is no page of Spark's to look at unless it is asked for.

No data passes through Java, which only hands out tasks: it is not worth that Java optimises itself for long.
"""


def java_version() -> tuple[int, str]:
    """The major version of the Java that Spark would start, and its path; (0, "") if there is none."""
    path = java_path()
    if path is None or not Path(path).is_file():
        return 0, path or ""
    try:
        status = Path(path).stat()
        return _major_version(path, status.st_mtime_ns, status.st_ino), path
    except (OSError, subprocess.TimeoutExpired):
        return 0, path


@lru_cache(maxsize=1)
def _major_version(path: str, *_file: int) -> int:
    """What a Java says of itself, 0 if nothing: it is started once for each file. Raises OSError and TimeoutExpired."""
    done = subprocess.run([path, "-version"], capture_output=True, text=True, check=False, timeout=60)
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else 0


def java_problem() -> str:
    """What is wrong with Java here, and what to install; "" if nothing is."""
    major, path = java_version()
    if major >= JAVA_NEEDED:
        return ""
    advice = f"Install Java {JAVA_NEEDED} or newer (a JRE is enough: openjdk-{JAVA_NEEDED}-jre-headless on Debian"
    advice += f" and Ubuntu, java-{JAVA_NEEDED}-openjdk-headless on Fedora) and set JAVA_HOME if it is not on the PATH."
    if not major:
        said = f"{path} is no Java that runs" if path else "there is no Java on the PATH, and JAVA_HOME is not set"
        return f"Spark needs Java, and {said}.\n  {advice}"
    return f"Spark needs Java {JAVA_NEEDED}, and {path} is Java {major}.\n  {advice}"


def spark_installed() -> bool:
    """Whether there is a PySpark at all: it is an extra of Epochal, epochal[spark]."""
    return importlib.util.find_spec("pyspark") is not None


def spark_problem() -> str:
    """What is wrong with the installed PySpark, and what to install; "" if nothing is."""
    try:
        version = metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        version = ""
    if version and tuple(map(int, version.split(".")[:2])) >= SPARK_NEEDED:
        missing = next((name for name in BESIDE_SPARK if importlib.util.find_spec(name) is None), "")
        return str(not_installed("Spark", missing, "spark")) if missing else ""
    if not version:
        return str(not_installed("Spark", "pyspark", "spark"))
    needed = ".".join(map(str, SPARK_NEEDED))
    return str(not_installed("Spark", f"pyspark {needed}", "spark", instead=f"and {version} is"))


def check_installation() -> None:
    """Raise ClusterError if Spark cannot be started here."""
    problem = spark_problem() or java_problem()
    if problem:
        raise ClusterError(problem)


def open_session(master: str, conf: Mapping[str, str], name: str = "epochal") -> Any:
    """A session at a master: the active one if there is one, else a new one of this name. Raises ClusterError."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession() or _default_session()
    if active is not None:
        refuse_connect(active)
        return active
    local = on_this_machine(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable if local else "python3")
    builder = SparkSession.builder.appName(name).master(with_retries(master))
    for key, value in {**SETTINGS, **(local_settings(conf) if local else {DAEMON_MODULE: daemon.SENT, **conf})}.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # whatever Py4J and Spark raise when a master does not answer or a setting is wrong
        raise ClusterError(
            f"Spark cannot be started at {master}: {plain(error)}\n"
            "  Check --master and --conf; `epochal doctor` checks Java and Spark."
        ) from error
    if not local:
        ship_packages(session)
    return session


def local_settings(conf: Mapping[str, str]) -> dict[str, str]:
    """What is set for a master on this machine: workers have this package imported before they are forked."""
    root = str(Path(epochal.__file__).parent.parent)
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()}
    paths = [*([] if root in installed else [root]), *filter(None, [conf.get(IMPORTED_FROM)])]
    found = {IMPORTED_FROM: os.pathsep.join(paths)} if paths else {}
    options = {JAVA_OPTIONS: LOCAL_SETTINGS[JAVA_OPTIONS] + quiet_option() + archive_options()}
    return {**LOCAL_SETTINGS, **options, DAEMON_MODULE: DAEMON, **conf, **found}


def quiet_option() -> str:
    """What lets Java say errors only, from its first line on; "" where somebody has set up logging."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (str(Path(home) / "conf") if home else "")
    if folder and any(Path(folder).glob("log4j2.*")):
        return ""
    return f" {java_option(f'-Dlog4j2.configurationFile={LOGGING}')}"


def _default_session() -> Any:
    """The session that another thread of this process has made, None if there is none."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


def refuse_connect(session: Any) -> None:
    """Raise ClusterError for a session that has no Spark context: one of Spark Connect."""
    try:
        session.sparkContext  # noqa: B018  # it raises where there is none
    except Exception as error:  # of whichever kind the client of Connect has
        raise ClusterError(
            "this Spark session is one of Spark Connect, which gives no access to its executors.\n"
            "  Use a cluster that has a Spark context: on Databricks one in dedicated access mode (formerly single "
            "user), not standard or serverless."
        ) from error


def ship_packages(session: Any) -> None:
    """Send this package to the executors, as one zip file; it is there until this process ends. And beside it the
    process that workers are forked from, which is there before any of them.
    """
    folder = tempfile.mkdtemp(prefix="epochal-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = Path(folder) / daemon.ARCHIVE
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for file in sorted(Path(epochal.__file__).parent.glob("*.py*")):  # and the public names
            zipped.write(file, f"epochal/{file.name}")
        for package in PACKAGES:
            root = Path(importlib.import_module(f"epochal.{package}").__file__ or "").parent
            for file in sorted(one for one in root.rglob("*") if one.suffix in SHIPPED):
                zipped.write(file, f"epochal/{package}/{file.relative_to(root).as_posix()}")
    session.sparkContext.addPyFile(str(archive))
    alone = Path(folder) / f"{daemon.SENT}.py"
    shutil.copyfile(daemon.__file__, alone)
    session.sparkContext.addFile(str(alone))


def plain(error: BaseException) -> str:
    """What Spark says, in a line: the error that a task raised, if that is the cause, else what Java traces it to."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if other := next((line for line in lines if OTHER_PYTHON in line), ""):
        advice = "Have PYSPARK_PYTHON name the driver's version on every worker."
        return f"{other.partition(OTHER_PYTHON)[2].strip()} {advice}"
    if any(NO_DAEMON in line for line in lines):
        advice = f"Say --conf {DAEMON_MODULE}=pyspark.daemon: workers load for themselves then."
        return f"{NO_DAEMON} on an executor. {advice}"
    raised = [line for line in lines if re.match(r"[A-Za-z_][\w.]*(Error|Exception|Damaged)\b", line)]
    of_python = [line for line in raised if not line.startswith(("org.", "java.", "py4j.", "pyspark."))]
    if of_python:
        return re.sub(r"^epochal\.[\w.]+: ", "", of_python[-1])[:500]
    told = next((line for line in lines if "most recent failure: " in line), "").rpartition("most recent failure: ")[2]
    cause = [line for line in lines[2:] if line.startswith("Caused by: ")][-1:]
    return (told or " ".join([*lines[:2], *cause]) or type(error).__name__)[:500]


# -- keep classes -----------------------------------------------------------------------------------------------------
# Making the archive of Java's classes: one small job on Spark, in a Java that keeps what it has read at its end. A
# process of its own does that: this one may have another Spark, or start one later.

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

    options = f"{LOCAL_SETTINGS[JAVA_OPTIONS]} {java_option(f'-XX:ArchiveClassesAtExit={made}')} -Xlog:disable"
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
