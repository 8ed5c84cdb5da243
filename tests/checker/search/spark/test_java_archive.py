"""What Java has read once is kept only when somebody asks for it, and used only where it can be believed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.checker.search.spark.session import (
    JAVA_OPTIONS,
    LOCAL_SETTINGS,
    LOGGING,
    archive_options,
    archive_path,
    java_option,
    local_settings,
    quiet_option,
)

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
    """Nothing is added to what somebody says."""
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
    assert shlex.split(java_option("SharedArchiveFile", path)) == [f"-XX:SharedArchiveFile={path}"]


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
