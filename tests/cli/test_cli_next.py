"""What a report says to type next asks the same question: whatever decided the answer is in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from epochal.cli.main import main

WISH = """
from typing import Annotated

from epochal.language import Capacity, Integers, Log, Protocol, action, invariant, leads_to, require

Small = Annotated[int, Integers(0, 3)]


class Wish(Protocol):
    a: Small
    log: Annotated[Log[Small], Capacity(3)]

    @action(fair="weak")
    def inc(self) -> None:
        require(self.a < 3)
        self.a += 1

    @leads_to(fair=("inc",), optional=True)
    def x(self) -> tuple[bool, bool]:
        return self.log[self.a] > 0, self.a == 3

    @invariant
    def small(self) -> bool:
        return self.a < 4
"""


def typed(report: str) -> list[str]:
    """The commands below Next, in words."""
    lines = report.partition("\nNext\n")[2].splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith("  epochal ")]


def test_a_wish_that_fails_fails_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wish.py").write_text(WISH)
    first = CliRunner().invoke(main, ["check", "wish.py:Wish", "--wishes"])
    (command,) = typed(first.stdout)
    again = CliRunner().invoke(main, command.split()[1:])
    assert (first.exit_code, again.exit_code) == (75, 75)


def test_after_a_simulation_the_question_of_ones_own_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wish.py").write_text(WISH)
    Path("q.py").write_text("def low(self):\n    return self.a < 2\n")
    first = CliRunner().invoke(main, ["simulate", "wish.py:Wish", "--property", "q.py:low", "--runs", "20"])
    (command,) = typed(first.stdout)
    again = CliRunner().invoke(main, command.split()[1:])
    assert (first.exit_code, again.exit_code) == (12, 12)
