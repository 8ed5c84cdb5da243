"""Workers are forked from a process that has everything imported, and no second thread."""

from __future__ import annotations

import dataclasses
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import llvmlite
import pyspark
import pytest

import epochal
from epochal.checker.base.processes import supervised
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark import daemon, driver
from epochal.checker.search.spark import program as compared
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.master import ClusterError
from epochal.checker.search.spark.program import Program, Versions, loaded, require_same, versions
from epochal.checker.search.spark.session import (
    DAEMON,
    IMPORTED_FROM,
    JAVA_OPTIONS,
    LOCAL_SETTINGS,
    LOGGING,
    archive_options,
    archive_path,
    java_option,
    local_settings,
    plain,
    quiet_option,
    ship_packages,
)
from epochal.checker.search.spark.tasks import Supersteps
from tests.checker.search.models import classic
from tests.checker.search.spark.faults import InProcess, in_process

ROOT = str(Path(epochal.__file__).parent.parent)

LOADS = """
import os, sys
from epochal.checker.search.spark.daemon import NO_THREADS, load
os.environ.update(NO_THREADS)
load()
print(len(os.listdir("/proc/self/task")), "epochal.checker.search.spark.tasks" in sys.modules, "pandas" in sys.modules)
"""


def test_what_is_imported_starts_no_thread() -> None:
    """A fork copies one thread, and the locks that the others held."""
    environment = {**os.environ, "PYTHONPATH": ROOT}
    done = subprocess.run([sys.executable, "-c", LOADS], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "True", "False"]


def test_pyspark_is_imported_from_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """And from Spark's own archives where it is not."""
    archives = ["/spark/python/lib/pyspark.zip", "/spark/python/lib/py4j-0.10.9.9-src.zip"]
    monkeypatch.setattr(sys, "path", [*archives, "/other.zip", *sys.path])
    monkeypatch.setitem(sys.path_importer_cache, archives[0], None)
    before = list(sys.path)
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda name, path: None)
    daemon.leave_archives_out()
    assert sys.path == before
    monkeypatch.undo()
    monkeypatch.setattr(sys, "path", list(before))
    monkeypatch.setitem(sys.path_importer_cache, archives[0], None)
    daemon.leave_archives_out()
    assert sys.path == before[2:] and archives[0] not in sys.path_importer_cache


def test_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers import what the driver has; what was said of Spark is heeded, and a path of the user's is kept."""
    assert local_settings({})[IMPORTED_FROM] == ROOT and local_settings({})["spark.python.daemon.module"] == DAEMON
    said = {"spark.ui.enabled": "true", IMPORTED_FROM: "/mine", "spark.python.daemon.module": "theirs"}
    settings = local_settings(said)
    assert settings[IMPORTED_FROM] == f"{ROOT}{os.pathsep}/mine"
    assert settings["spark.ui.enabled"] == "true" and settings["spark.python.daemon.module"] == "theirs"
    monkeypatch.setattr("sysconfig.get_path", lambda _: ROOT)
    assert IMPORTED_FROM not in local_settings({}), "it is installed where the interpreter looks anyway"


def test_another_pyspark_than_spark_has_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On a cluster Spark may have been installed apart from the Python."""
    ours = Path(pyspark.__file__).with_name("version.py").read_bytes()
    for name, content in (("same", ours), ("other", b'__version__ = "0.0.1"')):
        archive = tmp_path / name / "pyspark.zip"
        archive.parent.mkdir()
        with zipfile.ZipFile(archive, "w") as zipped:
            zipped.writestr("pyspark/version.py", content)
        monkeypatch.setattr(sys, "path", [str(archive), *sys.path])
        daemon.leave_archives_out()
        assert (str(archive) in sys.path) == (name == "other")


STANDS_ALONE = """
import sys
import epochal_daemon as daemon

def manager():
    print("epochal.checker.search.spark.tasks" in sys.modules, sys.modules["epochal"].__file__)

def execute(path, arguments, environment):
    print(path == sys.executable, arguments[1:], "OPENBLAS_NUM_THREADS" in environment)
    raise SystemExit

import os, pyspark.daemon
assert "epochal" not in sys.modules
pyspark.daemon.manager, os.execve = manager, execute
sys.argv[1:] = ["pyspark.worker"]
BEFORE
daemon.main()
"""
"""What is sent to executors, in the folder where they find it; `BEFORE` is what goes wrong."""

WRONG = {
    "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()": "has started 1 threads",
    "sys.modules['llvmlite.binding'] = None": "import of llvmlite.binding halted",
    "daemon.load = lambda: exec('what an older Python cannot read')": "SyntaxError",
}


def sent(folder: Path, before: str) -> subprocess.CompletedProcess[str]:
    """The process that workers are forked from, with what a session sends."""

    class Context:
        """It takes what it is given to the folder of an executor."""

        sparkContext: Context  # noqa: N815

        def addPyFile(self, path: str) -> None:  # noqa: N802
            shutil.copy(path, folder)

        addFile = addPyFile  # noqa: N815

    context = Context()
    context.sparkContext = context
    ship_packages(context)
    assert {file.name for file in folder.iterdir()} == {"epochal-packages.zip", "epochal_daemon.py"}
    hidden = ("PYTHONPATH", *daemon.NO_THREADS)
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-c", STANDS_ALONE.replace("BEFORE", before)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)


def test_what_is_sent_needs_nothing_installed(tmp_path: Path) -> None:
    archive = tmp_path / "epochal-packages.zip"
    assert sent(tmp_path, "").stdout.split() == ["True", f"{archive}/epochal/__init__.py"]


@pytest.mark.parametrize("before", list(WRONG))
def test_where_something_is_missing_it_is_sparks_own(before: str, tmp_path: Path) -> None:
    """With the environment as it was; and its log says why."""
    done = sent(tmp_path, before)
    assert done.stdout.splitlines() == ["True ['-m', 'pyspark.daemon', 'pyspark.worker'] False"]
    assert WRONG[before] in done.stderr
    assert done.stderr.endswith("Spark's own process is started instead; workers will load for themselves\n")


def test_a_python_that_does_not_find_it_is_told_in_words() -> None:
    said = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task 0.3
Error from python worker:
  /usr/bin/python3: No module named epochal_daemon
PYTHONPATH was:
"""  # noqa: E501
    assert plain(Exception(said)) == (
        "No module named epochal_daemon on an executor. Say --conf spark.python.daemon.module=pyspark.daemon: workers "
        "load for themselves then."
    )


# Spark is started beside the search, which the driver goes on with meanwhile.

EVERYTHING = Options(all_violations=True)
SMALL = classic("kip-320", 2, 1, 1, 1)


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """An event that only comes when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def test_the_driver_does_not_wait_for_spark(cluster: Cluster, never: threading.Event) -> None:
    """A search that ends before Spark is there has every state, and says that there was no task."""

    def start(cluster: Cluster, program: Program, group: str) -> Supersteps:
        never.wait(60)
        return in_process(cluster, program, group)

    native = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=in_process, storage=f"{cluster.storage}-2"))
    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=1 << 40))
    assert result.cluster is not None and result.cluster.by_driver == result.cluster.levels
    assert (result.distinct_states, result.state_digest) == (native.distinct_states, native.state_digest)
    assert result.step_digest == native.step_digest


def test_beyond_what_the_driver_may_have_it_waits(cluster: Cluster) -> None:
    """Once there are `ahead` states, the next level is made by Spark, however long it takes to start."""
    threads = []

    def start(_: Cluster, program: Program, __: str) -> Supersteps:
        threads.append(threading.current_thread())
        threading.Event().wait(0.2)
        return InProcess(program)

    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=20))
    assert result.cluster is not None and 1 < result.cluster.by_driver < result.cluster.levels
    assert len(threads) == 1 and threads[0] is not threading.main_thread()


@pytest.mark.parametrize("part", [1 << 30, 1])
def test_with_a_quarter_of_its_memory_taken_it_waits(
    part: int, cluster: Cluster, never: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the search needs room too. What the process had before does not count."""

    def start(cluster: Cluster, program: Program, group: str) -> Supersteps:
        never.wait(0.3 if part > 1 else 60)
        return in_process(cluster, program, group)

    monkeypatch.setattr(driver, "OWN_SHARE", part)  # some bytes of the memory, or all of it
    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=1 << 40))
    assert result.cluster is not None and not result.cut
    assert (result.cluster.by_driver < result.cluster.levels) == (part > 1)


def test_a_start_that_fails_ends_the_search(cluster: Cluster) -> None:
    def start(_: Cluster, __: Program, ___: str) -> Supersteps:
        raise ClusterError("Spark cannot be started here")

    with pytest.raises(ClusterError, match="cannot be started here"):
        check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=20))


def test_a_budget_is_spent_while_spark_starts(cluster: Cluster, never: threading.Event) -> None:
    """The search ends, says so, and can be resumed: nobody waits longer than he said."""

    def start(cluster: Cluster, program: Program, group: str) -> Supersteps:
        never.wait(60)
        return in_process(cluster, program, group)

    told: list[str] = []
    options = dataclasses.replace(EVERYTHING, progress=lambda now: told.append(now.doing), budget=0.5)
    begun = time.monotonic()
    cut = check(SMALL, options, dataclasses.replace(cluster, start=start))
    assert time.monotonic() - begun < 10
    assert cut.cut == "the time budget of 0.5 s is spent while starting Spark at local[2,4]" and cut.limit == "time"
    assert cut.exit_code == 30 and "starting Spark at local[2,4]" in told
    native = breadth_first.check(SMALL, EVERYTHING)
    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=in_process, resume=True))
    assert (result.distinct_states, result.step_digest) == (native.distinct_states, native.step_digest)


@pytest.mark.usefixtures("heeding_interrupts")
def test_ctrl_c_while_spark_starts(cluster: Cluster, never: threading.Event) -> None:
    def start(_: Cluster, __: Program, ___: str) -> Supersteps:
        signal.raise_signal(signal.SIGINT)
        never.wait(60)
        raise AssertionError

    assert check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start)).cut == "interrupted"


def test_what_check_raises_breaks_the_work_off() -> None:
    """It is cancelled and waited for; what fails by itself is not cancelled."""
    going, cancelled = threading.Event(), list[str]()

    def cancel() -> None:
        cancelled.append("now")
        going.set()

    def refuse() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        supervised(lambda: going.wait(60), cancel, refuse)
    assert cancelled == ["now"]
    with pytest.raises(ZeroDivisionError):
        supervised(lambda: 1 // 0, cancel, lambda: None)
    assert supervised(lambda: 7, cancel, lambda: None) == 7 and cancelled == ["now"]


# Executors with other versions than the driver's: a search is refused, in words that say which and what to do.

HOME = Path(__file__).parents[4]
PROTOCOL = classic("kip-320", 2, 1, 1, 1)
ADVICE = (
    r"\. Install the driver's versions on every worker, or send an environment along \(docs/spark\.md, On a cluster\)"
)


@pytest.mark.parametrize("name", ["Python", "epochal", "llvmlite"])
def test_each_difference_is_named(name: str) -> None:
    ours = versions()
    require_same(ours)
    (one,) = (one for one in ours if one.name == name)
    other = one._replace(said="0.0.1", compared="0.0.1")
    said = one.said.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ClusterError, match=f"^an executor on .* has {name} {said} where the driver has 0.0.1{ADVICE}$"):
        require_same(tuple(other if one.name == name else one for one in ours))


def test_it_is_compared_in_the_first_task_of_a_process(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()

    class Elsewhere(InProcess):
        def __init__(self, program: Program) -> None:
            other = tuple(one._replace(said="9", compared="9") for one in program.versions)
            super().__init__(replace(program, versions=other))

    require_same.cache_clear()
    loaded.cache_clear()  # of tests before

    def answers() -> Versions:
        asked.append(1)
        return versions()

    monkeypatch.setattr(compared, "versions", answers)
    start = replace(cluster, start=lambda _, program, __: InProcess(program))
    check(PROTOCOL, Options(), start)
    assert len(asked) == 2  # the driver names its versions, and the first task compares them
    elsewhere = replace(cluster, storage=f"{cluster.storage}-2", start=lambda _, program, __: Elsewhere(program))
    with pytest.raises(ClusterError, match=r"Python .* has 9, epochal .* has 9, llvmlite .* has 9\. Install"):
        check(PROTOCOL, Options(), elsewhere)


def test_what_is_sent_to_executors_is_the_same_code(tmp_path: Path) -> None:
    """In an archive, where the package has no version."""

    class Session:
        """It keeps what it is sent."""

        sparkContext: Session  # noqa: N815

        def addPyFile(self, path: str) -> None:  # noqa: N802
            self.sent = Path(path)

        def addFile(self, path: str) -> None:  # noqa: N802
            assert Path(path).read_bytes() == Path(daemon.__file__).read_bytes()

    session = Session()
    session.sparkContext = session
    ship_packages(session)
    asks = "import epochal, epochal.checker.search.spark.program as v; print(epochal.__file__, v.versions())"

    def told(path: Path) -> str:
        environment = {**os.environ, "PYTHONPATH": str(path)}
        command = [sys.executable, "-c", asks]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout

    (ours,) = (one.compared for one in versions() if one.name == "epochal")
    found = told(session.sent)
    assert found.startswith(str(session.sent)) and ours in found
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(session.sent) as whole, zipfile.ZipFile(other, "w") as changed:
        for name in whole.namelist():
            more = b"# changed" if name.endswith("search/spark/tasks.py") else b""
            changed.writestr(name, whole.read(name) + more)
    found = told(other)
    assert found.startswith(str(other)) and ours not in found


FALSE = """
__path__ = [{there!r}]
exec(open({there!r} + "/__init__.py").read())
__version__ = "0.0.1"
"""


@pytest.mark.long
@pytest.mark.xdist_group("spark")
def test_an_executor_of_spark_with_another_llvmlite(tmp_path: Path) -> None:
    """Its worker finds one before the driver's; the search says so, and can be gone on with."""
    false = tmp_path / "false" / "llvmlite"
    false.mkdir(parents=True)
    (false / "__init__.py").write_text(FALSE.format(there=str(Path(llvmlite.__file__).parent)))
    command = [sys.executable, "-m", "tests.checker.search.spark.alone", "local[2]"]
    command += [str(tmp_path / "storage"), str(tmp_path / "cache"), "2/1/1/1", "--threshold", "10"]
    environment = {**os.environ, "PYTHONPATH": str(HOME), "PYSPARK_PYTHON": sys.executable}

    def done(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *options], cwd=HOME, env=environment, capture_output=True, text=True, check=False
        )

    refused = done("--conf", f"spark.executorEnv.PYTHONPATH={false.parent}")
    said = f"has llvmlite 0.0.1 where the driver has {llvmlite.__version__}. Install the driver's versions on every "
    assert refused.returncode and said in refused.stderr
    assert "mend the cause and go on with --resume last." in refused.stderr
    assert done("--resume").returncode == 0


def test_another_python_is_told_as_pyspark_says_it() -> None:
    """It compares minor versions before it runs anything."""
    said = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed 4 times, most recent failure: Lost
pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.11 than that in driver: 3.12, PySpark cannot run with different minor versions.
Please check environment variables PYSPARK_PYTHON and PYSPARK_DRIVER_PYTHON are correctly set.
"""  # noqa: E501
    assert plain(Exception(said)) == (
        "Python in worker has different version: 3.11 than that in driver: 3.12, PySpark cannot run with different "
        "minor versions. Have PYSPARK_PYTHON name the driver's version on every worker."
    )


# What Java has read once is kept only when somebody asks for it, and used only where it can be believed.

MAPPED = """
import subprocess, sys
from pathlib import Path
from epochal.checker.search.spark.session import open_session
session = open_session("local[1]", {})
shell = session.sparkContext._gateway.proc.pid
children = subprocess.run(["pgrep", "-P", str(shell)], capture_output=True, text=True).stdout.split()
print([one for one in (str(shell), *children) if ".jsa" in Path(f"/proc/{one}/maps").read_text()])
print(session.sparkContext.parallelize(range(8), 2).map(lambda one: one * one).sum())
"""


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for Java, and a cache folder with a blank in its name."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "the cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    program = tmp_path / "jdk" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("")
    return program


def _put(java: Path) -> Path:
    archive = archive_path(str(java))
    archive.parent.mkdir(mode=0o700, parents=True)
    archive.write_bytes(b"")
    return archive


def test_what_is_there_is_used(java: Path) -> None:
    """Java is told where it lies, in one word; the other options stay."""
    assert archive_options() == ""
    archive = _put(java)
    options = shlex.split(local_settings({})[JAVA_OPTIONS])
    assert options[:-3] == LOCAL_SETTINGS[JAVA_OPTIONS].split()
    assert options[-3] == f"-Dlog4j2.configurationFile={LOGGING}" and LOGGING.is_file()
    assert options[-2] == f"-XX:SharedArchiveFile={archive}"


def test_who_sets_options_of_java_gets_those(java: Path) -> None:
    _put(java)
    assert local_settings({JAVA_OPTIONS: "-Xmx2g"})[JAVA_OPTIONS] == "-Xmx2g"


def test_what_others_may_have_written_is_not_used(java: Path) -> None:
    """An archive is code."""
    archive = _put(java)
    archive.parent.chmod(0o770)
    assert archive_options() == ""
    archive.parent.chmod(0o700)
    assert archive_options()
    archive.parent.parent.chmod(0o777)
    assert archive_options() == ""


def test_another_java_has_another(java: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By its file; and where there is none, nothing is said about an archive."""
    _put(java)
    os.utime(java, (1, 1))
    assert archive_options() == ""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert archive_options() == ""


def test_a_path_is_one_word() -> None:
    """Also one with quotes, which Spark reads like a shell."""
    path = Path('/a "b" \\c')
    assert shlex.split(java_option(f"-XX:SharedArchiveFile={path}")) == [f"-XX:SharedArchiveFile={path}"]


@pytest.mark.long
def test_java_uses_what_it_has_kept(tmp_path: Path) -> None:
    """`epochal cache java` makes it, and the Java of the next Spark has it in its memory."""
    environment = {**os.environ, "EPOCHAL_CACHE_DIR": str(tmp_path / "the cache")}
    command = [sys.executable, "-m", "epochal.cli.main", "cache", "java"]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert made.returncode == 0, made.stderr
    assert len(list((tmp_path / "the cache" / "java").iterdir())) == 1
    command = [sys.executable, "-c", MAPPED]
    used = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert used.returncode == 0, used.stderr
    javas, total = used.stdout.splitlines()
    assert javas != "[]" and total == "140", used.stderr


@pytest.mark.parametrize("variable", ["SPARK_CONF_DIR", "SPARK_HOME"])
def test_who_has_set_up_logging_is_heeded(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    assert shlex.split(quiet_option()) == [f"-Dlog4j2.configurationFile={LOGGING}"]
    folder = tmp_path / "conf" if variable == "SPARK_HOME" else tmp_path
    folder.mkdir(exist_ok=True)
    (folder / "log4j2.properties").touch()
    assert quiet_option() == ""
