"""Machine code that a thread makes while something else goes on."""

from __future__ import annotations

import threading

from .llvm.jit import Compiler, MachineCode


class BackgroundCode:
    """The code of a module, optimised by LLVM as asked. If it is in the cache, it is there at once."""

    def __init__(self, compiler: Compiler, text: str, level: int, passes: bool) -> None:
        self.text = text
        self._compiler, self._level, self._passes = compiler, level, passes
        self._made = compiler.kept(text, level, passes)
        self._begun = self._made is not None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    def begin(self, wait: bool = False) -> None:
        """Begin to compile it, once; with `wait`, until it is there."""
        if not self._begun:
            self._begun = True
            self._thread = threading.Thread(target=self._compile, name="optimise")
            self._thread.start()
        if wait and self._thread is not None:
            self._thread.join()

    def _compile(self) -> None:
        try:
            self._made = self._compiler.compile_and_keep(self.text, self._level, self._passes)
        except BaseException as error:  # handed over to whoever takes the code
            self._failure = error

    def taken(self) -> MachineCode | None:
        """The code, once, when it is there."""
        if self._failure is not None:
            raise self._failure
        if self._made is None:
            return None
        made, self._made = self._made, None
        return self._compiler.load(made)
