"""A signal may come between any two steps of Python: what begins and ends whole does so, and no signal is lost."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from epochal.checker.base import processes as undisturbed
from epochal.checker.base.processes import Undisturbed, deaf_to_interrupts, stopping
from epochal.checker.search.budget import TICK, BudgetExceeded, Deadline

HEARD = (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TRACED = {str(Path(sys.modules[name].__file__ or "")) for name in ("threading", Deadline.__module__)} | {
    str(Path(one.__file__ or "")) for one in map(sys.modules.get, [undisturbed.__name__, stopping.__module__]) if one
}


class Sender:
    """Sends a signal at the n-th step of the contexts that are looked at, and of what they call; counts the steps.

    Not at the steps of the `with` itself: Python looks for signals at none of them.
    """

    def __init__(self, at: int, number: signal.Signals) -> None:
        self.at, self.number, self.count = at, number, 0
        self.where = ""

    def __call__(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename not in TRACED or frame.f_code.co_name in ("_spent", "_interrupted"):
            return None
        frame.f_trace_opcodes = True
        if event in ("opcode", "line", "call", "return"):
            if self.count == self.at:
                self.where = f"{event} in {frame.f_code.co_qualname}, line {frame.f_lineno}"
                self.count += 1
                signal.raise_signal(self.number)
            self.count += 1
        return self


class Again:
    """The threads by which signals are sent again, counted."""

    def __init__(self) -> None:
        self.asked = self.sent = 0

    def start_new_thread(self, send: Callable[[int], None], arguments: tuple[int]) -> None:
        def run() -> None:
            send(*arguments)
            self.sent += 1

        self.asked += 1
        _thread.start_new_thread(run, ())


def sent_at_each_step(
    number: signal.Signals, body: Callable[[], None], again: Again
) -> Iterator[tuple[str, BaseException | None]]:
    """What becomes of `body` if a signal comes at its n-th step, for every n: where, and what was raised."""
    steps = 0
    while True:
        sender = Sender(steps, number)
        raised: BaseException | None = None
        before = sys.gettrace()
        try:
            sys.settrace(sender)
            try:
                body()
            finally:
                sys.settrace(before)
            while again.sent < again.asked:
                time.sleep(0.0005)
            time.sleep(0.0005)
        except KeyboardInterrupt as error:
            raised = error
        finally:
            sys.settrace(before)
        if not sender.where:
            assert steps > 30, "nothing was looked at"
            return
        yield sender.where, raised
        steps += 1


@pytest.fixture(autouse=True)
def again(monkeypatch: pytest.MonkeyPatch) -> Iterator[Again]:
    """Ctrl-C is heeded, a signal is sent again at once, and whatever the test does, the handlers are put back."""
    monkeypatch.setattr(undisturbed, "SOON", 0.001)
    before = {number: signal.getsignal(number) for number in HEARD}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    counted = Again()
    monkeypatch.setattr(undisturbed, "_thread", counted)
    yield counted
    for number, handler in before.items():
        signal.signal(number, handler)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "patience"]


def handlers() -> list[object]:
    return [signal.getsignal(number) for number in HEARD]


@pytest.mark.parametrize("spent", [True, False])
def test_an_alarm_at_each_step_of_a_watch_leaves_nothing_behind(
    spent: bool, monkeypatch: pytest.MonkeyPatch, again: Again
) -> None:
    monkeypatch.setattr("epochal.checker.search.budget.TICK", 3600)  # all alarms are the test's
    alarms: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _: alarms.append(number))  # where the process would have died
    before = handlers()
    patience = Deadline(budget=0.0 if spent else 3600.0)

    def body() -> None:
        with patience.watching("nothing"):
            patience.repeating(0)

    raised = 0
    for where, error in sent_at_each_step(signal.SIGALRM, body, again):
        assert handlers() == before and threads() == [], where
        assert error is None or (spent and isinstance(error, BudgetExceeded)), where
        raised += error is not None
    assert bool(raised) == spent
    assert alarms or spent, "an alarm of somebody else's is handed on"


def test_ctrl_c_at_each_step_of_a_watch_is_heard_once(again: Again) -> None:
    before = handlers()

    def body() -> None:
        with Deadline().watching("nothing"):
            pass

    for where, error in sent_at_each_step(signal.SIGINT, body, again):
        assert handlers() == before and threads() == [], where
        assert isinstance(error, KeyboardInterrupt), where


def test_sigterm_at_each_step_puts_the_handlers_back(again: Again) -> None:
    left: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: left.append(number))
    before = handlers()
    told: list[str] = []

    def body() -> None:
        with stopping(told.append), Deadline().watching("nothing"):
            pass

    for where, error in sent_at_each_step(signal.SIGTERM, body, again):
        assert handlers() == before and threads() == [], where
        assert (error is not None) == (told == ["SIGTERM"]) and len(left) + len(told) == 1, where
        told.clear()
        left.clear()


def test_what_is_deaf_to_interrupts_hears_them_afterwards(again: Again) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def body() -> None:
        for _ in range(9):
            with deaf_to_interrupts():
                pass

    for where, error in sent_at_each_step(signal.SIGINT, body, again):
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before, where
        assert isinstance(error, KeyboardInterrupt), where


def test_a_thread_that_starts_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def late(self: threading.Thread) -> None:
        start(self)
        if self.name == "patience":
            time.sleep(3 * TICK)

    monkeypatch.setattr(threading.Thread, "start", late)
    alarms: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _: alarms.append(number))
    with pytest.raises(BudgetExceeded), Deadline(budget=0.01).watching("nothing"):
        time.sleep(3600)
    assert threads() == []
    time.sleep(2 * TICK)
    assert alarms == [], "a tick came when nothing was watched any more"


def test_a_beginning_that_fails_half_way_is_ended() -> None:
    done: list[str] = []

    class Half(Undisturbed):
        def begin(self) -> None:
            done.append("begun")
            raise OSError("no more threads")

        def end(self) -> None:
            done.append("ended")

    with suppress(OSError), Half():
        done.append("body")
    assert done == ["begun", "ended"]
