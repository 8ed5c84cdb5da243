"""`--engine spark` on the command line: mistakes are told, and nothing is started for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from epochal.cli.main import main

SMALL = ("kip-320", "--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1", "--progress", "none")


def check(*arguments: str) -> Result:
    """`epochal check` at small bounds."""
    return CliRunner().invoke(main, ["check", *SMALL, *arguments], prog_name="epochal")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--engine", "native", "--master", "local[2]"), "are for --engine spark, not native"),
        (("--engine", "spark", "--master", "spark://nowhere:7077"), "needs --storage"),
        (("--engine", "spark", "--conf", "fast"), "--conf 'fast' is no setting"),
        (("--engine", "spark", "--conf", "spark.epochal.speed=1"), "there is no setting spark.epochal.speed"),
        (("--engine", "spark", "--conf", "spark.epochal.partitions=0"), "must be a whole number from 1"),
        (("--engine", "spark", "--conf", "spark.epochal.threshold=many"), "must be a whole number"),
        (("--engine", "spark", "--resume", "last"), "--resume last needs --storage"),
        (("--engine", "spark", "--resume", "a", "--storage", "b"), "names another storage"),
        (("--engine", "spark", "--workers", "2"), "The master says how many processors"),
        (("--engine", "python", "--workers", "2"), "--workers needs the native engine"),
        (("--engine", "spark", "--compact"), "--compact needs the native engine"),
        (("--engine", "spark", "--symmetry"), "--symmetry needs the native engine"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], said: str) -> None:
    """Each is one message and exit code 2."""
    done = check(*arguments)
    assert done.exit_code == 2 and said in done.stderr


def test_small_models_need_no_cluster(tmp_path: Path) -> None:
    """Levels below the threshold are searched by the driver; the run is resumed, and refused without --resume."""
    storage = str(tmp_path / "run")
    first = check("--engine", "spark", "--storage", storage)
    assert first.exit_code == 0 and "spark (compiled, distributed)" in first.stdout
    (took,) = [line for line in first.stdout.splitlines() if line.startswith("  time ")]
    assert "on the clock" in took and "of processor time" not in took
    assert "liveness properties hold" in first.stdout
    assert "levels by the driver itself, no task of Spark: they were small, or done" in first.stdout
    assert "277 distinct" in first.stdout and "261cd329a11792804669a385da652f08" in first.stdout
    again = check("--engine", "spark", "--storage", storage)
    assert again.exit_code == 2 and "holds a run of kip-320 (277 states)" in again.stderr
    assert check("--engine", "spark", "--resume", storage).exit_code == 0
    assert check("--engine", "spark", "--storage", storage, "--resume", "last").exit_code == 0
    other = check("--engine", "spark", "--storage", storage, "--resume", "last", "--all-violations")
    assert other.exit_code == 2
    assert "all_violations: False there, True asked for" in other.stderr
    larger = check("--engine", "spark", "--storage", storage, "--resume", "last", "--max-epoch", "2")
    assert larger.exit_code == 2 and "max_epoch 1 there, replicas 2" in larger.stderr


def test_a_storage_that_cannot_be_used(tmp_path: Path) -> None:
    """One message and exit code 153."""
    (tmp_path / "file").touch()
    done = check("--engine", "spark", "--storage", str(tmp_path / "file" / "run"))
    assert done.exit_code == 153 and "cannot be used" in done.stderr and "shared path" in done.stderr


JAVA = "#!/bin/sh\necho 'openjdk version \"{}\"' >&2\n"


@pytest.mark.parametrize(("version", "said"), [(None, "there is no Java"), ("11.0.2", "is Java 11"), ("1.8.0_2", "8")])
def test_java(version: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing or too old: `check` says what to install, and `doctor` says it beforehand."""
    if version is not None:
        (tmp_path / "java").write_text(JAVA.format(version), encoding="ascii")
        (tmp_path / "java").chmod(0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere" if version is None else f"{tmp_path}:{os.environ['PATH']}")
    done = check("--engine", "spark")
    assert done.exit_code == 153 and said in done.stderr and "Install Java 17 or newer" in done.stderr
    report = CliRunner().invoke(main, ["doctor"], prog_name="epochal")
    assert report.exit_code == 153 and "Install Java 17 or newer" in report.stdout


def test_auto_offers_spark() -> None:
    """Where memory ends the native search, the report says how to go on."""
    done = check("--max-memory", "1M")
    assert done.exit_code == 30 and "Spark keeps states on disk" in done.stdout


def test_auto_takes_spark(tmp_path: Path) -> None:
    """If the command line says where, and tells why."""
    done = check("--max-memory", "1M", "--storage", str(tmp_path / "run"))
    assert done.exit_code == 0 and "277 distinct" in done.stdout
    assert "the native engine stopped: the memory budget of 1 MiB is spent" in done.stderr
