"""Executors with other versions than the driver's: a search is refused, in words that say which and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import llvmlite
import pytest

from epochal.checker.search.result import Options
from epochal.checker.search.spark import daemon
from epochal.checker.search.spark import program as compared
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.program import Program, Versions, loaded, require_same, versions
from epochal.checker.search.spark.session import plain, ship_packages
from tests.checker.search.models import classic
from tests.checker.search.spark.in_process import InProcess

ROOT = Path(__file__).parents[4]
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
    """And once."""
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
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}

    def done(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *options], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
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
