"""Searches that lose a machine, a driver, or a race against their own copies. Minutes each: `make test-long`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark.log import read_manifest
from epochal.checker.search.spark.storage import Storage
from tests.checker.search.models import classic

ROOT = Path(__file__).resolve().parents[4]
CLUSTER = "local-cluster[2,1,1024]"
BOUNDS = (3, 2, 2, 1)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("spark")]


def started(tmp_path: Path, master: str, *options: str, bounds: tuple[int, ...] = BOUNDS) -> subprocess.Popen[str]:
    """A search in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "tests.checker.search.spark.alone",
        master,
        str(tmp_path / "storage"),
        str(tmp_path / "cache"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    with (tmp_path / "stderr").open("a") as errors:
        return subprocess.Popen(
            [*command, "/".join(map(str, bounds)), *options],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )


def finished(process: subprocess.Popen[str], tmp_path: Path) -> list[Any]:
    """What it found."""
    output, _ = process.communicate()
    assert process.returncode == 0, (tmp_path / "stderr").read_text()[-3000:]
    found: list[Any] = json.loads(output.splitlines()[-1])
    return found


def expected(bounds: tuple[int, ...] = BOUNDS) -> list[Any]:
    """What the native engine finds."""
    first, second, third, fourth = bounds
    result = breadth_first.check(classic("kip-320", first, second, third, fourth), Options(all_violations=True))
    return [result.distinct_states, result.depth, result.state_digest, result.step_digest]


def test_an_executor_is_lost(tmp_path: Path) -> None:
    """The JVM that runs a task is killed between the update of the table and the log."""
    process = started(tmp_path, CLUSTER, "--fault", "LosesExecutor:table updated:1:3")
    assert finished(process, tmp_path) == expected()
    assert (tmp_path / "mark.3").exists()


def test_a_copy_of_a_task_runs_beside_it(tmp_path: Path) -> None:
    """Speculation: a task that waits with its table updated is overtaken by a copy."""
    speculate = {
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.multiplier": "1.2",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.minTaskRuntime": "200ms",
    }
    conf = [word for key, value in speculate.items() for word in ("--conf", f"{key}={value}")]
    process = started(tmp_path, CLUSTER, "--fault", "Waits:table updated:1:3", *conf)
    assert finished(process, tmp_path) == expected()
    assert (tmp_path / "mark.4").exists(), "the copy came to the same moment"


@pytest.mark.parametrize("level", [6, 14])
def test_the_driver_is_killed_at_a_boundary(level: int, tmp_path: Path) -> None:
    """With a level done and not yet recorded: while it searches alone, and while Spark does."""
    process = started(tmp_path, "local[2]", "--fault", f"Dies:before manifest:{level}:0")
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert finished(started(tmp_path, "local[2]", "--resume"), tmp_path) == expected()


def test_the_driver_is_killed_in_the_middle(tmp_path: Path) -> None:
    process, storage = started(tmp_path, "local[2]"), Storage(str(tmp_path / "storage"))
    while _levels(storage) < 14:
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.2)
    process.kill()
    process.communicate()
    assert finished(started(tmp_path, "local[2]", "--resume"), tmp_path) == expected()


def _levels(storage: Storage) -> int:
    manifest = read_manifest(storage)
    return 0 if manifest is None else len(manifest.levels)


def test_four_million_states(tmp_path: Path) -> None:
    """3/3/3/2, with the counts and digests of the native engine."""
    bounds = (3, 3, 3, 2)
    process = started(tmp_path, "local[2]", "--threshold", "10000", bounds=bounds)
    found = finished(process, tmp_path)
    assert found == expected(bounds) and found[0] == 4_093_531
