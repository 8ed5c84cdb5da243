"""A standalone cluster on this machine, whose executors have a Python of their own: workers are forked ready there too.

Minutes: `make test-long`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyspark
import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from tests.checker.search.models import classic

ROOT = Path(__file__).resolve().parents[4]
BOUNDS = (3, 2, 2, 1)
NEEDED = ("llvmlite", "pyarrow", "numpy")

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("spark")]

SEARCH = """
import json, sys
from pyspark.sql import SparkSession
from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from tests.checker.search.models import classic

master, storage, cache, *said = sys.argv[1:]
conf = {"spark.driver.host": "127.0.0.1", "spark.executor.memory": "768m", "spark.ui.enabled": "false"}
conf |= dict(one.split("=", 1) for one in said)
cluster = Cluster(master, storage, conf, threshold=100, shards=4, cache=cache)
result = check(classic("kip-320", BOUNDS), Options(all_violations=True), cluster)

def where(_):
    import epochal, os
    of_parent = f"/proc/{os.getppid()}/"
    command, mapped = (open(of_parent + name).read() for name in ("cmdline", "maps"))
    return [command.split("\\0")[:3], "libarrow" in mapped and "llvmlite" in mapped, epochal.__file__]

context = SparkSession._instantiatedSession.sparkContext
workers = context.parallelize(range(2), 2).map(where).collect()
print(json.dumps([result.distinct_states, result.depth, result.state_digest, result.step_digest]))
print(json.dumps(workers))
""".replace("BOUNDS", ", ".join(map(str, BOUNDS)))


def started(name: str, *arguments: str, log: Path) -> subprocess.Popen[bytes]:
    """A process of Spark's, which knows nothing of where this one imports from."""
    home = str(Path(pyspark.__file__).parent)
    hidden = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_GATEWAY_PORT")
    environment = {key: value for key, value in os.environ.items() if key not in hidden} | {"SPARK_HOME": home}
    command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{name}", *arguments]
    with log.open("w") as written:
        return subprocess.Popen(command, cwd=log.parent, env=environment, stdout=written, stderr=written)


def said(log: Path, pattern: str) -> str:
    """What a process has said."""
    until = time.monotonic() + 120
    while not (found := re.search(pattern, log.read_text())):
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.1)
    return found[1]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where executors run."""
    return tmp_path_factory.mktemp("standalone")


@pytest.fixture(scope="module")
def master(work: Path) -> Iterator[str]:
    """A master and a worker with two cores."""
    place = "--host", "127.0.0.1", "--webui-port", "0"
    processes = [started("master.Master", *place, "--port", "0", log=work / "master.log")]
    try:
        url = said(work / "master.log", r"Starting Spark master at (spark://\S+)")
        limits = "--cores", "2", "--memory", "1g", "--work-dir", str(work / "executors")
        processes.append(started("worker.Worker", *place, *limits, url, log=work / "worker.log"))
        said(work / "worker.log", r"(Successfully registered with master)")
        yield url
    finally:
        for process in processes:
            process.terminate()
            process.wait(60)


def python_with(folder: Path, *packages: str) -> str:
    """A Python that has no Epochal, and of the packages here these."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (there,) = folder.glob("lib/python*/site-packages")
    for name in packages:
        found = find_spec(name)
        assert found is not None and found.origin is not None
        here = Path(found.origin).parent
        for one in (here, here.with_name(f"{name}.libs")):
            if one.is_dir():
                (there / one.name).symlink_to(one)
    return str(folder / "bin" / "python")


def searched(master: str, tmp_path: Path, python: str, *conf: str) -> subprocess.CompletedProcess[str]:
    """A search whose executors have this Python."""
    command = [sys.executable, "-c", SEARCH, master, str(tmp_path / "storage"), str(tmp_path / "cache"), *conf]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": python}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def same_as_native(done: subprocess.CompletedProcess[str]) -> list[Any]:
    """What is said of the workers of a search that has found what the native engine finds."""
    assert done.returncode == 0, done.stderr[-3000:]
    found, workers = map(json.loads, done.stdout.splitlines()[-2:])
    native = breadth_first.check(classic("kip-320", *BOUNDS), Options(all_violations=True))
    facts = [native.distinct_states, native.depth, native.state_digest, native.step_digest]
    assert found == json.loads(json.dumps(facts))
    assert len(workers) == 2
    return list(workers)


@pytest.mark.parametrize("installed", [True, False])
def test_workers_are_forked_ready(installed: bool, master: str, tmp_path: Path) -> None:
    """From a process that has all loaded, with the driver's code, whether their Python has Epochal or not."""
    python = sys.executable if installed else python_with(tmp_path / "python", *NEEDED)
    for command, loaded, code in same_as_native(searched(master, tmp_path, python)):
        assert command == [python, "-m", "epochal_daemon"] and loaded
        assert code.endswith("/epochal-packages.zip/epochal/__init__.py")


def test_what_is_said_of_it_is_heeded(master: str, tmp_path: Path) -> None:
    done = searched(master, tmp_path, sys.executable, "spark.python.daemon.module=pyspark.daemon")
    for command, loaded, _ in same_as_native(done):
        assert command == [sys.executable, "-m", "pyspark.daemon"] and not loaded


def test_a_python_that_lacks_something(master: str, work: Path, tmp_path: Path) -> None:
    """The task says what; the process that workers are forked from is Spark's."""
    done = searched(master, tmp_path, python_with(tmp_path / "python", "pyarrow", "numpy"))
    assert done.returncode  # Spark may log something after what the search says
    assert "the search on Spark failed: ModuleNotFoundError: No module named 'llvmlite'" in done.stderr
    assert "go on with --resume last" in done.stderr
    logs = [log.read_text() for log in (work / "executors").glob("*/*/stderr")]
    assert any("epochal_daemon: Spark's own process is started instead" in log for log in logs)


def test_a_python_that_does_not_look_where_it_is_started(master: str, tmp_path: Path) -> None:
    done = searched(master, tmp_path, sys.executable, "spark.executorEnv.PYTHONSAFEPATH=1")
    assert done.returncode and "No module named epochal_daemon on an executor. Say --conf " in done.stderr
