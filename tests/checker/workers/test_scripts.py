"""A script without `if __name__ == "__main__"` that asks about its own class: every process it leads to ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import epochal
from epochal.api.options import can_be_loaded
from epochal.checker.workers import on_spark
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import usable_processes, usable_processors
from epochal.checker.workers.worker import ANSWERS
from epochal.errors import UsageError
from epochal.spec.language import LoadError
from tests.checker.solver.test_workers import CHECKOUT

MINE = """\
from typing import Annotated

import epochal
from epochal.language import Integers, Protocol, action, invariant, require

with open("began", "a") as began:
    began.write("once\\n")


class Mine(Protocol):
    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        require(self.value < 3)
        require(self.value >= 0)
        require(self.value != 7)
        require(self.value != 8)
        self.value += 1

    @action
    def shrink(self) -> None:
        require(self.value > 0)
        require(self.value <= 3)
        require(self.value != 7)
        require(self.value != 8)
        self.value -= 1

    @invariant
    def small(self) -> bool:
        return self.value <= 3


"""

MUTATE = "print(len(epochal.mutate(Mine(), workers=2).mutation.outcomes))\n"
SWEEP = "print(epochal.sweep('sweep.toml', out='swept', workers=2).exit_code)\n"
TASKS = "[[task]]\ncheck = 'mine.py:Mine'\n"

SECONDS = 60
"""After which a script that has not ended is killed, with all that it has started."""


def ran(folder: Path, script: str) -> tuple[int, str, str, int]:
    """How a script ended, what it said, and how often it began; it and all that it starts have ended afterwards."""
    (folder / "mine.py").write_text(MINE + script)
    (folder / "sweep.toml").write_text(TASKS)
    process = subprocess.Popen(
        [sys.executable, "mine.py"],
        cwd=folder,
        env={**CHECKOUT, "EPOCHAL_CACHE_DIR": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said, told = process.communicate(timeout=SECONDS)
    finally:
        with suppress(ProcessLookupError):  # nothing is left of it
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode, said, told, len((folder / "began").read_text().splitlines())


def test_the_mutants_of_a_script_are_judged_in_its_process(tmp_path: Path) -> None:
    code, said, told, began = ran(tmp_path, MUTATE)
    assert (code, said, began) == (0, "10\n", 1), told


def test_a_script_that_sweeps_its_own_class_is_told_of_it(tmp_path: Path) -> None:
    """Its tasks load it, and it would sweep again."""
    code, said, told, began = ran(tmp_path, SWEEP)
    assert code == 1 and said == "" and began <= 3
    assert "if __name__ == '__main__':" in told, told


def test_a_file_that_loads_itself_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("import epochal\nepochal.load('mine.py:Mine')\n")
    with pytest.raises(LoadError, match="loads itself"):
        epochal.load("mine.py:Mine")
    Path("mine.py").write_text(MINE)
    assert epochal.load("mine.py:Mine").name.endswith("Mine"), "the next time it is another text"


def test_what_stands_in_the_main_module_is_no_business_of_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    protocol = epochal.load("mine.py:Mine")
    assert can_be_loaded(protocol)
    monkeypatch.setattr(type(protocol), "__module__", "__main__")
    assert not can_be_loaded(protocol)


class Doubling:
    """Doubles numbers, and says where."""

    def __init__(self, premises: str) -> None: ...

    def answer(self, question: int, /) -> tuple[int, int]:
        """The double, and the process."""
        return 2 * question, os.getpid()

    def interrupt(self) -> None:
        """Nothing."""


def test_whoever_answers_for_another_process_starts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ANSWERS, "1")
    assert (usable_processors(), usable_processes(None), usable_processes(4)) == (1, 1, 1)
    with apart(Where("local", 4), Doubling, 2) as engine:
        assert list(engine("", [(0, 1), (1, 2)])) == [(0, (2, os.getpid())), (1, (4, os.getpid()))]
    with pytest.raises(UsageError, match="sweep"):
        epochal.sweep("nothing.toml", out="nowhere")


def test_processes_are_told_that_they_answer_for_another() -> None:
    with apart(Where("local", 1), Asking, 1) as engine:
        ((_, found),) = engine("", [(0, 4)])
    assert found == 1


class Asking:
    """Says how many processes it may use."""

    def __init__(self, premises: str) -> None: ...

    def answer(self, wanted: int, /) -> int:
        """How many of those that are wanted."""
        return usable_processes(wanted)

    def interrupt(self) -> None:
        """Nothing."""


# Answers that come while others are being looked at: none is lost. Spark is played by threads of this process.

QUESTIONS = [(number, number) for number in range(5)]


class Squares:
    """Answers with the square of a number."""

    def __init__(self, premises: None) -> None:
        pass

    def answer(self, question: int, /) -> int:
        """The square."""
        return question * question

    def interrupt(self) -> None:
        """Nothing takes long."""


class Context:
    """As much of a Spark context as is needed. After the first task the others wait until somebody has its answer."""

    def __init__(self) -> None:
        self.seen, self.done = threading.Event(), threading.Event()

    @property
    def sparkContext(self) -> Context:  # noqa: N802
        return self

    def setJobGroup(self, group: str, words: str, *, interruptOnCancel: bool) -> None:  # noqa: N802, N803
        pass

    def broadcast(self, value: bytes) -> Any:
        return SimpleNamespace(value=value, destroy=lambda: None)

    def accumulator(self, value: list[Any], how: Any) -> Any:
        held = SimpleNamespace(value=value)
        held.add = lambda more: setattr(held, "value", how.addInPlace(held.value, more))
        return held

    def parallelize(self, items: Sequence[Any], parts: int) -> Any:
        def foreach(task: Callable[[Any], None]) -> None:
            for item in items:
                task(item)
                self.seen.wait()
            self.done.set()

        return SimpleNamespace(foreach=foreach)


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    found = Context()
    monkeypatch.setenv(ANSWERS, "")
    monkeypatch.delenv(ANSWERS)  # what a task sets in an executor is not to stay here
    monkeypatch.setattr(on_spark, "check_installation", lambda: None)
    monkeypatch.setattr(on_spark, "open_session", lambda *_: found)
    yield found
    found.seen.set()


def test_answers_that_come_while_others_are_looked_at(context: Context) -> None:
    told = []
    for number, answer in on_spark.on_spark("local", Squares)(None, QUESTIONS):
        told.append((number, answer))
        context.seen.set()
        context.done.wait()
    assert told == [(number, number * number) for number, _ in QUESTIONS]
