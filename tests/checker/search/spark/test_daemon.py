"""Workers are forked from a process that has everything imported, and no second thread."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

import epochal
from epochal.checker.search.spark import daemon
from epochal.checker.search.spark.session import DAEMON, IMPORTED_FROM, local_settings, plain, ship_packages

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
    """It finds the package in the archive beside it."""
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
