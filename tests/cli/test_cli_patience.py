"""Code of the user that never ends: --budget and Ctrl-C end it, wherever it is, and the progress says what is run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
HEAD = "from typing import Annotated\nfrom epochal.language import *\nimport time\n"
SPEC = "class Mine(Protocol):\n    x: Annotated[int, Integers(0, 9)]\n"
RULES = (
    "    @action\n    def grow(self):\n        require(self.x < 9)\n        self.x += 1\n"
    "    @invariant\n    def small(self): return self.x < 20 - self.x\n"
)
SLOWLY = "        for _ in range(99_000):\n            self.x = (self.x + 1) % 10 if self.x > _ % 7 else self.x\n"
"""A rule's body that ends, but takes minutes to read: one that does not end is refused."""

FOR_EVER = {
    "import": HEAD + "while True: pass\n" + SPEC + RULES,
    "sleep": HEAD + "time.sleep(10 ** 6)\n" + SPEC + RULES,
    "init": HEAD + SPEC + "    def __init__(self, bounds):\n        while True: pass\n" + RULES,
    "initial": HEAD
    + SPEC
    + "    def initial(self, n: Annotated[int, Integers(0, 250)]):\n        self.x = n % 10\n"
    + SLOWLY
    + RULES,
    "choices": HEAD + SPEC + "    def initial(self, n: Annotated[int, Integers(1, 10**7)]): pass\n" + RULES,
    "condition": HEAD
    + "def wait(self):\n    while True: pass\n"
    + SPEC
    + RULES
    + "    @reachable(only_if=wait)\n    def end(self): return self.x == 9\n",
    "loop": HEAD + SPEC + "    @action\n    def spin(self):\n" + SLOWLY + RULES,
}
LINES = {"import": 4, "sleep": 4, "init": 7}
COMMANDS: dict[str, tuple[str, ...]] = {
    "native": ("check",),
    "python": ("check", "--engine", "python"),
    "bmc": ("bmc", "--length", "1"),
    "simulate": ("simulate",),
    "prove": ("prove",),
    "show": ("show",),
}

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(folder: Path) -> Start:
    """Start `epochal` in a process of its own, which heeds Ctrl-C."""

    def started(*arguments: str) -> subprocess.Popen[str]:
        code = (
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
            f"from epochal.cli.main import main; main({list(arguments)!r})"
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=folder,
        )

    return started


def written(folder: Path, text: str) -> None:
    """The specification, which makes a file when it is loaded."""
    mark = f"open({str(folder / 'loaded')!r}, 'w').close()\n"
    (folder / "mine.py").write_text(text.replace(HEAD, HEAD.rstrip() + "; " + mark), encoding="utf-8")


@pytest.mark.parametrize(
    ("case", "engine"),
    [(case, engine) for case in FOR_EVER for engine in ("native", "python") if engine == "native" or case not in LINES],
)
def test_the_budget_ends_it(case: str, engine: str, folder: Path, start: Start) -> None:
    written(folder, FOR_EVER[case])
    out, err = start("check", "mine.py:Mine", *COMMANDS[engine][1:], "--budget", "1s").communicate(timeout=120)
    assert "the time budget of 1 s is spent while " in out + err
    assert "Traceback" not in err
    if case in LINES:
        assert err.lstrip().startswith("epochal: the time budget of 1 s is spent while ")
        assert f"; nothing was explored.\n  mine.py:{LINES[case]} was being run: does it end?\n" in err
    else:
        assert "; nothing was explored\n" in out.splitlines(keepends=True)[0]
        assert "never possible" not in out


@pytest.mark.parametrize(
    ("case", "command"),
    [
        (case, command)
        for case in ("import", "init", "initial", "condition")
        for command in COMMANDS
        if (case, command) not in {("initial", "show"), ("condition", "prove")}  # which do not ask that
    ],
)
def test_ctrl_c_ends_it(case: str, command: str, folder: Path, start: Start) -> None:
    text = FOR_EVER[case] + "    @lemma\n    def fine(self): return self.x < 10\n"
    written(
        folder,
        text.replace(
            "while True: pass",
            f"open({str(folder / 'begun')!r}, 'w').close()\n"
            + {"import": "", "init": " " * 8, "initial": "", "condition": " " * 4}[case]
            + "while True: pass",
        ),
    )
    process = start(COMMANDS[command][0], "mine.py:Mine", *COMMANDS[command][1:])
    while not (folder / ("loaded" if case == "initial" else "begun")).exists() and process.poll() is None:
        time.sleep(0.01)
    if case == "initial":  # is a rule, and a rule leaves no file: it is read soon after the file is loaded
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert (
        err.splitlines()[-1] == "epochal: interrupted" and "Traceback" not in err and (out == "" or command == "show")
    )


SWALLOWING = (
    "while True:\n    try:\n        open({begun!r}, 'w').close()\n        while True: pass\n"
    "    except BaseException: pass\n"
)


def test_ctrl_c_twice_ends_what_handles_everything(folder: Path, start: Start) -> None:
    begun = folder / "begun"
    (folder / "mine.py").write_text(SWALLOWING.format(begun=str(begun)), encoding="utf-8")
    process = start("check", "mine.py:Mine")
    for _ in range(2):
        while not begun.exists() and process.poll() is None:
            time.sleep(0.01)
        begun.unlink(missing_ok=True)
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err == "epochal: interrupted\n"


def test_the_budget_ends_what_handles_everything(folder: Path, start: Start) -> None:
    (folder / "mine.py").write_text(SWALLOWING.format(begun=str(folder / "begun")), encoding="utf-8")
    process = start("check", "mine.py:Mine", "--budget", "1s")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 30
    assert err == (
        "epochal: the time budget of 1 s is spent while loading mine.py:Mine, and what is being run takes no notice\n"
    )


@pytest.mark.parametrize("kind", ["plain", "json", "none"])
def test_the_progress_says_what_is_being_done(kind: str, folder: Path, start: Start) -> None:
    written(folder, FOR_EVER["loop"])
    _, err = start("check", "mine.py:Mine", "--budget", "4s", "--progress", kind).communicate(timeout=60)
    lines = err.splitlines()
    if kind == "none":
        assert lines == []
    elif kind == "plain":
        assert lines and all(line.startswith("compiling Spin(), 1 of 2 instances of actions, ") for line in lines)
    else:
        found = [json.loads(line) for line in lines]
        assert found and {one["doing"] for one in found} == {"compiling Spin(), 1 of 2 instances of actions"}
        assert all(one.keys() == {"doing", "seconds", "memory_bytes"} and one["seconds"] >= 2 for one in found)


def test_the_budget_of_the_environment_and_of_the_file_count_from_the_start(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(FOR_EVER["sleep"], encoding="utf-8")
    assert run("check", "mine.py:Mine", env={"EPOCHAL_BUDGET": "1s"}).exit_code == 30
    (folder / "epochal.toml").write_text('budget = "1s"\n', encoding="utf-8")
    result = run("check", "mine.py:Mine")
    assert result.exit_code == 30 and "the time budget of 1 s is spent while loading mine.py:Mine" in result.stderr


def test_memory_is_watched_while_a_file_is_loaded(folder: Path, start: Start) -> None:
    (folder / "mine.py").write_text("kept = []\nwhile True: kept.append(bytearray(1 << 20))\n", encoding="utf-8")
    process = start("check", "mine.py:Mine", "--max-memory", "300M")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 30
    assert err.lstrip().startswith(
        "epochal: the memory budget of 300 MiB is spent while loading mine.py:Mine; nothing was expl"
    )


def test_two_protocols_of_one_file_share_its_types(folder: Path, run: Run) -> None:
    (folder / "two.py").write_text(
        "from dataclasses import dataclass\n" + HEAD + "@dataclass(frozen=True)\nclass B(Bounds):\n"
        "    most: int = bound(3, help='most')\n\n"
        + SPEC.replace(":\n", ":\n    bounds: B\n", 1)
        + RULES
        + "class Other(Mine):\n    def grow(self):\n        require(self.x < 5)\n        self.x += 1\n",
        encoding="utf-8",
    )
    result = run("compare", "two.py:Mine", "two.py:Other")
    assert result.exit_code == 0, result.output
    assert "grow" in result.stdout
