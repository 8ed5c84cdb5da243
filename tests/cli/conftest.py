"""The command line, called inside this process, in an empty working folder."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from epochal.cli.main import main

Run = Callable[..., Result]

COUNTER = """
    from dataclasses import dataclass
    from typing import Annotated, ClassVar

    from epochal.language import Bounds, Integers, Protocol, action, bound, invariant, reachable, require


    @dataclass(frozen=True)
    class CounterBounds(Bounds):
        most: int = bound(3, least=1, most=9, help="the greatest value", why="it is a small example")


    class Counter(Protocol):
        \"\"\"A counter that grows.\"\"\"

        name: ClassVar[str] = "counter"
        bounds: CounterBounds
        value: Annotated[int, Integers(0, CounterBounds.most)]

        @action(by="clock", says="The counter grows")
        def grow(self) -> None:
            \"\"\"One more.\"\"\"
            require(self.value < self.bounds.most)
            self.value += 1

        @action
        def never(self) -> None:
            \"\"\"Never possible.\"\"\"
            require(self.value < 0)

        @invariant
        def small(self) -> bool:
            \"\"\"The counter stays below two.\"\"\"
            return self.value < 2

        @reachable
        def full(self) -> bool:
            \"\"\"The counter reaches its end.\"\"\"
            return self.value == self.bounds.most


    class Fine(Counter):
        \"\"\"A counter without a limit to break.\"\"\"

        name: ClassVar[str] = "fine"

        def small(self) -> bool:
            return self.value >= 0


    class Overflow(Fine):
        \"\"\"A counter that leaves its domain.\"\"\"

        name: ClassVar[str] = "overflow"

        def grow(self) -> None:
            self.value += 1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and no EPOCHAL_ variables but the cache folder of the test run.

    What a command says on stderr is no progress, unless a test asks for it: whether there is any depends on how fast
    the machine is.
    """
    monkeypatch.delitem(sys.modules, "counter", raising=False)  # of another test that had a file of this name
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("EPOCHAL_") and name != "EPOCHAL_CACHE_DIR"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EPOCHAL_PROGRESS", "none")
    return tmp_path


@pytest.fixture
def counter(folder: Path) -> Path:
    """A user's file, counter.py, with the protocols Counter, Fine and Overflow."""
    file = folder / "counter.py"
    file.write_text(textwrap.dedent(COUNTER), encoding="utf-8")
    return file


@pytest.fixture
def run() -> Run:
    """Run `epochal` with these arguments."""

    def call(*arguments: str, env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(main, list(arguments), env=env)

    return call
