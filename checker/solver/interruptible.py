"""A question to Z3 that Ctrl-C can end."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread

import z3

from ..tasks.answering import PATIENCE

EVERY = 2.0
"""Seconds after which people want to hear that something is still going on."""

SPENT = "the resource limit is spent"
"""Why there is no answer where more effort, a larger `rlimit`, might have one."""


def leave_interrupts_alone(solver: z3.Solver) -> None:
    """Keep Z3 from taking Ctrl-C for itself: it would give up on one question only, and say it does not know."""
    solver.set("ctrl_c", False)


def why_unknown(solver: z3.Solver) -> str:
    """Why a solver that leaves interrupts alone has no answer. It says canceled when it is at the end of its rlimit."""
    reason = str(solver.reason_unknown())
    return SPENT if reason == "canceled" or "resource limit" in reason else reason or "it gave no reason"


def check(solver: z3.Solver, waiting: Callable[[], None] | None = None) -> z3.CheckSatResult:
    """The answer of a solver, which must leave interrupts alone. Whatever is raised while it thinks interrupts it.

    `waiting` is called every two seconds. The answer is waited for a moment at a time: where Z3 has handled signals
    before, Ctrl-C no longer ends a wait by itself.
    """
    future = Future[z3.CheckSatResult]()
    thread = Thread(target=_answer, args=(solver, future), daemon=True)
    thread.start()
    try:
        told = time.monotonic()
        while not wait([future], timeout=min(PATIENCE, EVERY)).done:
            if waiting is not None and time.monotonic() - told >= EVERY:
                waiting()
                told = time.monotonic()
        return future.result()
    except BaseException:
        while thread.is_alive():
            solver.ctx.interrupt()
            thread.join(PATIENCE)
        raise


def _answer(solver: z3.Solver, future: Future[z3.CheckSatResult]) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for the thread that waits
    try:
        future.set_result(solver.check())
    except BaseException as error:  # raised where the answer is waited for
        future.set_exception(error)
