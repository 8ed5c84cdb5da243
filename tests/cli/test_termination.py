"""SIGTERM ends the work wherever it comes, also where Python swallows exceptions."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from epochal.checker.base.processes import stopping


class Deleted:
    """An object whose deletion takes a moment, in which a signal comes."""

    def __init__(self, during: Callable[[], None]) -> None:
        self.during = during

    def __del__(self) -> None:
        self.during()


def send() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.05)  # for the handler, which runs between two steps of Python


@pytest.mark.parametrize("deleting", [False, True])
def test_it_ends_the_work_wherever_it_comes(deleting: bool) -> None:
    told: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), stopping(told.append):
        if deleting:
            Deleted(send)
            assert told == []
        else:
            send()
        time.sleep(10)
    assert told == ["SIGTERM"]
    assert signal.getsignal(signal.SIGTERM) is before
