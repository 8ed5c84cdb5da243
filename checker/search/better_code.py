"""Better code while a search runs: what takes LLVM longer is swapped in when it is there; no result depends on it."""

from __future__ import annotations

from epochal.checker.native.background import BackgroundCode
from epochal.checker.native.engine import NativeModel
from epochal.checker.native.llvm.jit import MachineCode

from ..native.runtime.worker_pool import WorkerPool
from ..native.tuning import Tuning


class BetterCode:
    """The code of a search that looks for the properties with the bits `asked`.

    It gets optimised code of the program, in a long search that of LLVM's passes, and code that evaluates the
    properties of eight states at once, where that is faster here: which of the two it is depends on the processor and
    on what there is to compute, so both are timed on states of the search.
    """

    def __init__(self, native: NativeModel, asked: int, tuning: Tuning) -> None:
        self._native, self._asked, self._tuning = native, asked, tuning
        self._background: BackgroundCode | None = None
        self._eight: MachineCode | None = None
        self._sought = tuning.eight is False
        self._untried = False

    def swap_in(self, pool: WorkerPool, seconds: float, spare: int) -> None:
        """Let workers use what is there after so many seconds of searching, and begin to compile what is worth it.

        `spare` is the memory in bytes that may be used for it.
        """
        if pool.count >= self._tuning.tried_on or self._tuning.eight:
            self._seek_eight(seconds)
        if self._worthwhile(seconds, self._native.text):
            self._native.optimise()
            if self._deserves_passes(seconds, spare):
                self._native.optimise_thoroughly()
            if (better := self._native.renewed()) is not None:
                pool.use(better)
                self._untried = True
        if self._untried and self._eight is not None:
            pool.use_eight(self._eight)
            if self._tuning.eight is None and not pool.eight_is_faster(self._tuning.tried_on):
                pool.use_eight(None)
            self._untried = False

    def hand_on(self) -> None:
        """A new pool takes over, which evaluates one state at a time until it is told otherwise."""
        self._untried = True

    def close(self) -> None:
        """The search has ended."""
        self._native.close()

    def _worthwhile(self, seconds: float, text: str) -> bool:
        return seconds > max(self._tuning.optimise_after, self._tuning.optimise_after_each * len(text))

    def _deserves_passes(self, seconds: float, spare: int) -> bool:
        after = self._tuning.optimise_thoroughly_after_each * len(self._native.text)
        return seconds > after and spare > self._native.thorough_bytes

    def _seek_eight(self, seconds: float) -> None:
        if not self._sought:
            self._sought = True
            self._background = self._native.eight(self._asked)
        if self._background is None:
            return
        if self._tuning.eight or self._worthwhile(seconds, self._background.text):
            self._background.begin(wait=self._tuning.eight is True)
        if (made := self._background.taken()) is not None:
            self._eight, self._untried, self._background = made, True, None
