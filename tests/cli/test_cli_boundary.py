"""The error boundary: every exception has a code and one clear message."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from epochal.checker.trace.itf import TraceError
from epochal.cli.app.command import described, guarded
from epochal.errors import ExpectationMissed
from epochal.spec.language import BoundsError, EvaluationError, Given, LanguageError, LoadError, SourceLine
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
LINE = SourceLine("spec/x.py", 7)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (LoadError("no such", LINE, "Write it."), 150, "spec/x.py:7: no such\n  Write it."),
        (LanguageError("a while", LINE), 120, "spec/x.py:7: a while"),
        (EvaluationError("outside", LINE), 75, "spec/x.py:7: outside"),
        (BoundsError((Given("log_size", 0), ": too few")), 2, "--log-size 0: too few"),
        (BoundsError((Given("elr", False), " with ", Given("kafka"))), 2, "--no-elr with --kafka"),
        (TraceError("cut", "Copy it whole."), 2, "cut\n  Copy it whole."),
        (ExpectationMissed("gone"), 21, "gone"),
        (MemoryError(), 153, "memory ran out.\n  Use smaller bounds"),
        (OSError(28, "No space left on device", "out/x"), 153, "out/x: No space left on device.\n  Check that"),
        (OSError("odd"), 153, "odd.\n"),
        (
            RuntimeError("can't start new thread"),
            153,
            "the system starts no new thread: a limit",
        ),
        (BaseException("base"), 1, "internal error: BaseException: base"),
        (ValueError("what"), 1, "internal error: ValueError: what\n  This is a bug in Epochal."),
        (RecursionError("deep"), 1, "internal error: RecursionError: deep"),
        (click.UsageError("Bad thing"), 2, "bad thing"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_exceptions_become_messages(
    error: BaseException, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert described(error)[0] == code
    assert described(error)[1].startswith(message)

    def fail() -> None:
        raise error

    assert guarded(fail) == code
    shown = capsys.readouterr()
    assert shown.err.startswith(f"epochal: {message}")
    assert "Traceback" not in shown.err


def test_the_traceback_is_shown_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ValueError("what")

    monkeypatch.setenv("EPOCHAL_DEBUG", "1")
    assert guarded(fail) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_ctrl_c_outside_a_search_exits_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise KeyboardInterrupt

    assert guarded(fail) == 130
    assert capsys.readouterr().err == "epochal: interrupted\n"


def test_every_code_that_is_used_is_explained(run: Run) -> None:
    from epochal.exit_codes import ExitCode

    explained = {int(code) for code in ExitCode}
    assert explained >= {0, 1, 2, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 75, 120, 150, 151, 153}
    for code in explained:
        result = run("explain", str(code))
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{code}: ")
    listed = run("explain").stdout
    assert all(f"{code}  " in listed for code in explained)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "epochal.cli.main", *arguments]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    for arguments in (("show", "kip-320"), ("check", "--help"), ("explain",)):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(command(*arguments), stdout=writing, stderr=subprocess.PIPE, env=ENVIRONMENT)
        os.close(writing)
        assert done.stderr == b""
        assert done.returncode == 141


def test_shells_can_complete_protocols_and_options(tmp_path: Path) -> None:
    def completed(words: str) -> list[str]:
        asked = {"_EPOCHAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = subprocess.run(command(), env=ENVIRONMENT | asked, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert "plain,kip-320-m2" in completed("epochal check kip-3")
    assert "plain,--all-violations" in completed("epochal check kip-320 --all")
    assert "plain,--max-epoch" in completed("epochal check kip-320 --max-")
    assert "plain,--acks" in completed("epochal check kraft --ac")
    assert "plain,--metadata-lag" in completed("epochal guarantees --meta")
    mine = tmp_path / "mine.py"
    mine.write_text("open('ran', 'w').close()\n")
    assert not any(completed(f"epochal check {mine}:Mine --max-epo"))
    assert not (tmp_path / "ran").exists(), "a key of the shell runs no file"
    assert "plain,catalogue" in completed("epochal c")
    assert "plain,counterexamples" not in completed("epochal c")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command("list"), stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True)
    assert done.stderr.startswith("epochal: No space left on device.\n")
    assert done.returncode == 153


def test_the_module_and_the_package_are_the_same_command() -> None:
    shown = [
        subprocess.run([sys.executable, "-m", name, "list"], env=ENVIRONMENT, capture_output=True, check=True).stdout
        for name in ("epochal", "epochal.cli.main")
    ]
    assert shown[0] == shown[1]
    assert b"kip-320-m3" in shown[0]


def test_without_llvmlite_the_reference_engine_still_works() -> None:
    def checked(engine: str) -> subprocess.CompletedProcess[str]:
        arguments = ["check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--engine", engine]
        code = f"import sys; sys.modules['llvmlite'] = None; from epochal.cli.main import main; main({arguments})"
        return subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)

    native = checked("native")
    assert native.returncode == 153
    assert native.stderr.startswith("epochal: the native engine cannot be loaded: ")
    assert native.stderr.endswith("or use the slow reference engine: --engine python.\n")
    python = checked("python")
    assert python.returncode == 12
    assert "1 trace replayed step by step in: python (not native: the native engine cannot be" in python.stdout


def test_doctor_finds_this_machine_fit(run: Run) -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for subject in ("Python", "llvmlite", "processors", "memory", "temporary folder", "working folder", "cache folder"):
        assert f"  ok  {subject} " in result.stdout


def test_doctor_names_what_is_missing_and_what_to_do(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    result = run("doctor")
    assert result.exit_code == 153
    assert "PROBLEM  llvmlite" in result.stdout
    assert "llvmlite: pip install llvmlite; meanwhile use --engine python." in result.stdout


def test_doctor_says_whether_there_is_a_cache(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert (
        f"  ok  cache folder      {folder} can be made" in run("doctor", env={"EPOCHAL_CACHE_DIR": str(folder)}).stdout
    )
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    result = run("doctor", env={"EPOCHAL_CACHE_DIR": str(folder)})
    assert result.exit_code == 153
    assert f"PROBLEM  cache folder      {folder} can be written by others (mode 777)" in result.stdout
    assert "cache folder: Make it yours alone (chmod 700), or set EPOCHAL_CACHE_DIR" in result.stdout
    (tmp_path / "file").touch()
    result = run("doctor", env={"EPOCHAL_CACHE_DIR": str(tmp_path / "file")})
    assert result.exit_code == 0
    assert f"  ok  cache folder      none, as {tmp_path / 'file'} cannot be written: Not a directory" in result.stdout


def test_list_names_every_registered_protocol(run: Run) -> None:
    from epochal.spec.registry import REGISTRY

    lines = run("list").stdout.partition("\n\n")[2].splitlines()
    named = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(named) == sorted(REGISTRY)
    assert all(len(line.split()) > 3 for line in lines if line.startswith("  "))


EARLY = """
import importlib.abc, runpy, sys

class Pressed(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
sys.argv = ["epochal", "list"]
runpy.run_module("epochal", run_name="__main__")
"""


def test_ctrl_c_is_heeded_while_modules_are_imported() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (130, "epochal: interrupted\n", "")
