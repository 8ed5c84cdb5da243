"""Workers of this machine are forked from a process that has everything imported, and no second thread."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import epochal
from epochal.checker.search.spark import daemon
from epochal.checker.search.spark.session import DAEMON, IMPORTED_FROM, local_settings

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
