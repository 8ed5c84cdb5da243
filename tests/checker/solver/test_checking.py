"""Ctrl-C while Z3 thinks: it ends the question, and what is known is told."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import z3

import epochal.checker.solver
from epochal.checker.solver import answer as interruptible
from epochal.checker.solver import bounded
from epochal.checker.solver.bounded import BoundedOptions, LengthResult, bounded_search
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds

SMALL = ClassicBounds(2, 1, 1, 1)
CHECKER = Path(epochal.checker.solver.__file__).parents[1]


@pytest.mark.usefixtures("heeding_interrupts")
@pytest.mark.parametrize("restarting", [False, True])
def test_a_long_question_is_interrupted(restarting: bool) -> None:
    """To multiply two unknown numbers backwards takes Z3 hours; the thread that asked is free at once.

    Also where waiting goes on after a signal, as it does once Z3 has put back a handler that was there before it.
    """
    signal.siginterrupt(signal.SIGINT, not restarting)
    context = z3.Context()
    solver = z3.SolverFor("QF_FD", ctx=context)
    interruptible.leave_interrupts_alone(solver)
    a, b = z3.BitVecs("a b", 80, context)
    solver.add(a * b == (2**31 - 1) * (2**37 - 25), z3.ULT(a, 2**40), z3.ULT(b, 2**40), a != 1, b != 1)
    threads = threading.active_count()
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible.check(solver)
    assert threading.active_count() == threads


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("canceled", interruptible.SPENT),
        ("max. resource limit exceeded", interruptible.SPENT),
        ("(incomplete quantifiers)", "(incomplete quantifiers)"),
        ("", "it gave no reason"),
    ],
)
def test_why_there_is_no_answer(reason: str, told: str) -> None:
    class Silent:
        """A solver without an answer."""

        def reason_unknown(self) -> str:
            return reason

    assert interruptible.why_unknown(Silent()) == told


def test_what_z3_raises_is_raised_where_it_was_asked() -> None:
    class Broken:
        """A solver that fails."""

        def check(self) -> None:
            raise z3.Z3Exception("out of memory")

    with pytest.raises(z3.Z3Exception, match="out of memory"):
        interruptible.check(Broken())


def test_an_interrupted_bounded_search_tells_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No length is lost that was done, and nothing is said of the one that was not."""
    asked = 0

    def check(solver: z3.Solver, waiting: object) -> z3.CheckSatResult:
        nonlocal asked
        asked += 1
        if asked == 4:
            raise KeyboardInterrupt
        return interruptible.check(solver)

    monkeypatch.setattr(bounded, "check", check)
    result = bounded_search(Kip320(SMALL), BoundedOptions(9))
    assert (result.exit_code, result.complete_to, result.interrupted) == (30, 2, True)
    assert [one.verdict for one in result.lengths] == ["none", "none", "none", "unknown"]
    assert {(one.verdict, one.steps) for one in result.properties} == {("unknown", 2)}


def test_a_length_that_takes_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruptible, "EVERY", 0.001)
    told: list[LengthResult] = []
    bounded_search(Kip320(SMALL), BoundedOptions(6, progress=told.append))
    assert [one.steps for one in told if one.verdict == "none"] == list(range(7))
    running = [place for place, one in enumerate(told) if one.verdict == "running"]
    assert running and all(told[place + 1].steps == told[place].steps for place in running)


GIVEN_UP = """
import sys, threading
import z3
from epochal.checker.smt.context import new_context

context = new_context()
unknown = [z3.Int(f"x{i}", context) for i in range(12)]
terms = [unknown[i % 12] * i + unknown[i * 7 % 12] > i for i in range(4000)]
solver = z3.Solver(ctx=context)
solver.add(*(unknown[i] * unknown[i + 1] - unknown[(i + 5) % 12] * unknown[i] == 7 * i + 3 for i in range(11)))
solver.set("rlimit", 100_000)
solving = threading.Thread(target=solver.check)
solving.start()
while terms and solving.is_alive():
    terms.pop()
solving.join()
"""


def test_terms_are_given_up_while_another_thread_solves() -> None:
    """Garbage is collected in whichever thread makes some. Without a word to Z3 this hangs."""
    subprocess.run([sys.executable, "-c", GIVEN_UP], check=True, timeout=100)


def test_every_context_is_one_for_several_threads() -> None:
    """But for the one that asks whether Z3 is there, which ends before anything else begins."""
    made = {
        str(file.relative_to(CHECKER))
        for file in CHECKER.rglob("*.py")
        if re.search(r"\bContext\(\)|main_ctx\(\)", file.read_text(encoding="utf-8"))
    }
    assert made == {"smt/context.py", "base/installed.py"}
