"""A verdict about nothing is told, and is exit code 22: no actions, no properties, no invariant, no possible step."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SPECIFICATION = """
    from typing import Annotated

    from epochal.language import Capacity, Integers, Log, Protocol, action, action_property, invariant, lemma, reachable
    from epochal.language import require


    class Base(Protocol):
        x: Annotated[int, Integers(0, 5)]
        log: Annotated[Log[bool], Capacity(2)]


    class Idle(Base):
        @invariant
        def low(self): return self.x == len(self.log)

        @lemma
        def zero(self): return self.x == 0 and len(self.log) == 0


    class Unasked(Base):
        @action
        def grow(self):
            require(self.x < 3 and len(self.log) == 0)
            self.x += 1


    class Steps(Unasked):
        @lemma
        def all_of_them(self): return self.x < 6 and len(self.log) == 0

        @action_property
        def shrinks(self, new): return new.x < self.x


    class Reached(Unasked):
        @lemma
        def all_of_them(self): return self.x < 6 and len(self.log) == 0

        @reachable
        def end(self): return self.x == 5


    class Impossible(Idle):
        @action
        def never(self):
            require(self.x > 5)
            self.x = 1


    class Excluded(Idle):
        @action
        def never(self):
            require(self.x > 0)
            self.x -= 1


    class Failing(Unasked):
        @lemma
        def first(self): return not self.log[0]

        @invariant
        def low(self): return self.x < 4
"""


@pytest.fixture(autouse=True)
def specification(folder: Path) -> None:
    (folder / "mine.py").write_text(textwrap.dedent(SPECIFICATION), encoding="utf-8")


NO_ACTIONS = "Idle has no actions, so nothing ever happens: only its initial states are checked."
NO_PROPERTIES = "Unasked has no properties, so there is nothing to violate."


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("name", "message"), [("Idle", f"mine.py:13: {NO_ACTIONS}"), ("Unasked", f"mine.py:21: {NO_PROPERTIES}")]
)
def test_check(name: str, message: str, engine: str, run: Run) -> None:
    result = run("check", f"mine.py:{name}", "--engine", engine)
    assert result.exit_code == 22
    assert result.stdout.startswith(f"mine.py:{name}: nothing is violated within these bounds, but the verdict means")
    assert f"Warning: {message}\n" in result.stdout


@pytest.mark.parametrize("command", [("bmc", "--length", "2"), ("simulate", "--runs", "3")])
@pytest.mark.parametrize(("name", "line", "message"), [("Idle", 13, NO_ACTIONS), ("Unasked", 21, NO_PROPERTIES)])
def test_bounded_search_and_simulation_say_so(
    command: tuple[str, ...], name: str, line: int, message: str, run: Run
) -> None:
    result = run(command[0], f"mine.py:{name}", *command[1:])
    assert result.exit_code == 22
    assert "but the verdict means less than it seems (see the warnings)" in result.stdout.splitlines()[0]
    message = f"mine.py:{line}: {message}" if command[0] == "bmc" else message
    assert f"Warning: {message}\n" in result.stdout
    document = json.loads(run(command[0], f"mine.py:{name}", *command[1:], "--format", "json").stdout)
    assert message.rstrip(".") in document["warnings"]


@pytest.mark.parametrize(("name", "message"), [("Idle", NO_ACTIONS), ("Unasked", NO_PROPERTIES)])
def test_the_gate_refuses_to_record_it(name: str, message: str, run: Run) -> None:
    result = run("gate", "add", f"mine.py:{name}")
    assert result.exit_code == 22
    assert message.rstrip(".") in result.stderr


@pytest.mark.parametrize("name", ["Steps", "Reached"])
def test_nothing_to_prove(name: str, run: Run) -> None:
    result = run("prove", f"mine.py:{name}", "--workers", "1")
    assert result.exit_code == 22
    assert result.stdout.startswith(f"mine.py:{name}: nothing is proved, and the lemmas mean less than it seems")
    assert f"Warning: {name} has no invariant, so nothing was to be proved: only invariants are.\n" in result.stdout
    assert "\nProperties\n  none\n" in result.stdout


def test_a_proof_without_steps(run: Run) -> None:
    result = run("prove", "mine.py:Idle", "--workers", "1")
    assert result.exit_code == 22
    assert result.stdout.startswith("mine.py:Idle: low proved, but that means less than it seems (see the warnings)")
    assert f"Warning: mine.py:13: {NO_ACTIONS}\n" in result.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Impossible", "mine.py:46: Never cannot happen at these bounds: no state enables it."),
        ("Excluded", "mine.py:53: Never never happens: no state where the lemmas hold enables it."),
    ],
)
def test_a_proof_with_an_action_that_never_happens(name: str, message: str, run: Run) -> None:
    result = run("prove", f"mine.py:{name}", "--workers", "1")
    assert result.exit_code == 22
    assert f"Warning: {message}\n" in result.stdout
    document = json.loads(run("prove", f"mine.py:{name}", "--workers", "1", "--format", "json").stdout)
    assert document["exit_code"] == 22 and document["vacuous"] == [message.rstrip(".")]
    assert [one["verdict"] for one in document["properties"]] == ["proved"]


def test_a_lemma_that_cannot_be_evaluated_at_first(run: Run) -> None:
    result = run("prove", "mine.py:Failing", "--workers", "1")
    assert result.exit_code == 75
    assert result.stdout.startswith("mine.py:Failing: a lemma cannot be evaluated in an initial state\n")
    assert "The lemma cannot be evaluated in an initial state: offset 0 is outside the log, which ends at 0." in (
        " ".join(result.stdout.split())
    )


def test_the_code_is_explained(run: Run) -> None:
    explained = " ".join(run("explain", "22").stdout.split())
    assert "there was nothing to check: the protocol has no actions or no properties, or for a proof no invariant" in (
        explained
    )
