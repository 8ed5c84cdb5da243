"""Deadlines: what is watched is interrupted once a budget is spent, and everything is as before afterwards."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from epochal.checker.search.budget import TICK, BudgetExceeded, Deadline, why_stopped
from epochal.checker.search.result import Progress
from epochal.checker.search.stop import INTERRUPTED, StopReason


def test_a_sleep_is_interrupted() -> None:
    patience = Deadline(budget=0.2)
    spent = r"the time budget of 0\.2 s is spent while sleeping"
    with pytest.raises(BudgetExceeded, match=spent) as caught, patience.watching("sleeping"):
        time.sleep(3600)
    assert why_stopped(caught.value) == StopReason(str(caught.value), "time")
    assert why_stopped(KeyboardInterrupt()) == INTERRUPTED


def test_handlers_of_exception_do_not_stop_it() -> None:
    def stubborn() -> None:
        while True:
            try:
                time.sleep(3600)
            except Exception:
                continue

    with pytest.raises(BudgetExceeded), Deadline(budget=0.1).watching("trying"):
        stubborn()


def test_what_cleans_up_is_not_interrupted_again() -> None:
    cleaned: list[str] = []
    with pytest.raises(BudgetExceeded), Deadline(budget=0.1).watching("working"):
        try:
            time.sleep(3600)
        finally:
            time.sleep(5 * TICK)
            cleaned.append("up")
    assert cleaned == ["up"]


def test_what_ends_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)
    with Deadline(budget=3600).watching("nothing"):
        time.sleep(3 * TICK)
        assert any(thread.name == "patience" for thread in threading.enumerate())
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)) == before
    assert not any(thread.name == "patience" for thread in threading.enumerate())


def test_handlers_are_put_back_after_an_interruption() -> None:
    def mine(*_: object) -> None:
        raise AssertionError("nobody sends this signal")

    before = signal.signal(signal.SIGALRM, mine)
    try:
        for _ in range(5):
            with pytest.raises(BudgetExceeded), Deadline(budget=0.0).watching("nothing"):
                time.sleep(3600)
            assert signal.getsignal(signal.SIGALRM) is mine
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_call_says_what_is_done_and_notices_a_spent_budget() -> None:
    patience = Deadline(budget=0.0)
    with pytest.raises(BudgetExceeded, match="the time budget of 0 s is spent while compiling Fetch"):
        patience("compiling Fetch")
    with pytest.raises(BudgetExceeded, match=r"the memory budget of 1 MiB is spent while compiling Fetch") as caught:
        Deadline(max_memory=1 << 20)("compiling Fetch")
    assert caught.value.reason.limit == "memory"
    Deadline()("anything")


def test_a_budget_counts_from_the_moment_it_is_given() -> None:
    with pytest.raises(BudgetExceeded):
        Deadline(budget=60, begun=time.monotonic() - 61)("anything")


def test_outside_the_main_thread_only_calls_end_it() -> None:
    found: list[str] = []

    def work() -> None:
        patience = Deadline(budget=0.0)
        with patience.watching("waiting"):
            time.sleep(3 * TICK)
            found.append("went on")
            try:
                patience("looking")
            except BudgetExceeded as spent:
                found.append(str(spent))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["went on", "the time budget of 0 s is spent while looking"]


def test_progress_is_told_after_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Progress] = []
    begun = time.monotonic() - 2.5
    with Deadline(progress=heard.append, begun=begun).watching("compiling"):
        time.sleep(3 * TICK)
    assert heard and all(one.doing == "compiling" and one.seconds >= 2.5 for one in heard)
    heard.clear()
    with Deadline(progress=heard.append).watching("compiling"):
        time.sleep(3 * TICK)
    assert heard == []
