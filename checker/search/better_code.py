"""Better code while a search runs: what takes LLVM longer is swapped in when it is there; no result depends on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..native.background import BackgroundCode, CodeApart
from ..native.engine import NativeModel
from ..native.llvm.jit import MachineCode
from ..native.runtime.worker_pool import WorkerPool
from ..native.tuning import Tuning


@dataclass
class _ForEight:
    """Code for eight states at once: how it is begun with, used, and compared with looking at each alone.

    `kept` is the code, if it is in the cache and can be found without its text. If `slow`, the text takes as long to
    write as a small search takes, so that is done only later.
    """

    begin: Callable[[], BackgroundCode | CodeApart | None]
    kept: Callable[[], BackgroundCode | None]
    use: Callable[[WorkerPool, MachineCode | None], None]
    faster: Callable[[WorkerPool, int], bool]
    slow: bool = False
    background: BackgroundCode | CodeApart | None = None
    code: MachineCode | None = None
    sought: bool = False
    untried: bool = False


class BetterCode:
    """The code of a search that looks for the properties with the bits `asked`.

    It gets optimised code of the program, in a long search that of LLVM's passes, and code that evaluates the
    properties or takes the steps of eight states at once, where that is faster here: which of the two it is depends on
    the processor and on what there is to compute, so both are timed on states of the search.
    """

    def __init__(self, native: NativeModel, asked: int, tuning: Tuning) -> None:
        self._native, self._tuning = native, tuning
        self._kinds = [
            _ForEight(
                lambda: native.eight(asked),
                lambda: native.kept_eight(asked),
                WorkerPool.use_eight,
                WorkerPool.eight_is_faster,
            ),
            _ForEight(
                lambda: native.eight_steps(asked),
                lambda: native.kept_eight_steps(asked),
                WorkerPool.use_eight_steps,
                WorkerPool.eight_steps_are_faster,
                slow=True,
            ),
        ]

    def swap_in(self, pool: WorkerPool, seconds: float, spare: int) -> None:
        """Let workers use what is there after so many seconds of searching, and begin to compile what is worth it.

        `spare` is the memory in bytes that may be used for it.
        """
        kinds = [] if self._tuning.eight is False else self._kinds if pool.grouped else self._kinds[:1]
        if pool.count >= self._tuning.eight_from or self._tuning.eight:
            for kind in kinds:
                self._seek(kind, seconds, spare)
        if self._worthwhile(seconds, self._native.text):
            self._native.optimise()
            if self._deserves_passes(seconds, spare):
                self._native.optimise_thoroughly()
            if (better := self._native.renewed()) is not None:
                pool.use(better)
                self.hand_on()
        for kind in kinds:
            if kind.untried and kind.code is not None:
                kind.use(pool, kind.code)
                if self._tuning.eight is None and not kind.faster(pool, self._tuning.tried_on):
                    kind.use(pool, None)
                kind.untried = False

    def hand_on(self) -> None:
        """There is a new pool, which looks at one state at a time until it is told otherwise, or there is new code."""
        for kind in self._kinds:
            kind.untried = True

    def let_go(self) -> None:
        """The command is over: code for the steps of eight states that is being made will be there for the next one.

        It takes LLVM a second or two. The code of its passes takes ten, and is not waited for by anybody.
        """
        for kind in self._kinds:
            if isinstance(kind.background, CodeApart):
                kind.background.let_go()

    def close(self) -> None:
        """Make nothing more."""
        self._native.close()
        for kind in self._kinds:
            if isinstance(kind.background, CodeApart):
                kind.background.close()

    def _worthwhile(self, seconds: float, text: str) -> bool:
        return seconds > max(self._tuning.optimise_after, self._tuning.optimise_after_each * len(text))

    def _worth_writing(self, seconds: float, spare: int) -> bool:
        """Whether to write a text for eight states: that of a large program takes the search a quarter of a second."""
        if self._tuning.eight is True:
            return True
        if not self._native.large:
            return seconds > self._tuning.optimise_after
        after = self._tuning.write_eight_after_each * len(self._native.text)
        return seconds > max(self._tuning.optimise_after, after) and spare > self._native.thorough_bytes

    def _deserves_passes(self, seconds: float, spare: int) -> bool:
        after = self._tuning.optimise_thoroughly_after_each * len(self._native.text)
        return seconds > after and spare > self._native.thorough_bytes

    def _seek(self, kind: _ForEight, seconds: float, spare: int) -> None:
        if not kind.sought:
            known = kind.kept()
            if known is None and kind.slow and not self._worth_writing(seconds, spare):
                return
            kind.sought = True
            kind.background = kind.begin() if known is None else known
        if kind.background is None:
            return
        if self._tuning.eight or self._worthwhile(seconds, kind.background.text):
            kind.background.begin(wait=self._tuning.eight is True)
        if (made := kind.background.taken()) is not None:
            kind.code, kind.untried, kind.background = made, True, None
