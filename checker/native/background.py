"""Machine code that is made while something else goes on, by a thread or by a process beside this one."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from contextlib import ExitStack
from typing import IO

from ..base.background import Background
from ..base.processes import deaf_to_interrupts, python_running
from .llvm.jit import Compiler, MachineCode

APART = "epochal.checker.native.llvm.apart"
"""The module that a process beside this one runs."""


class BackgroundCode:
    """The code of a module, optimised by LLVM as asked. If it is in the cache, or given, it is there at once."""

    def __init__(self, compiler: Compiler, text: str, level: int, passes: bool, made: bytes | None = None) -> None:
        self.text = text
        self._compiler, self._level, self._passes = compiler, level, passes
        self._made = compiler.kept(text, level, passes) if made is None else made
        self._begun = self._made is not None
        self._work: Background[bytes] | None = None

    def begin(self, wait: bool = False) -> None:
        """Begin to compile it, once; with `wait`, until it is there."""
        if not self._begun:
            self._begun = True
            self._work = Background("optimise", self._compile, daemon=False)
        if wait and self._work is not None:
            self._work.join()

    def _compile(self) -> bytes:
        return self._compiler.compile_and_keep(self.text, self._level, self._passes)

    def taken(self) -> MachineCode | None:
        """The code, once, when it is there."""
        if self._work is not None and self._work.over:
            self._made, self._work = self._work.result(), None
        if self._made is None:
            return None
        made, self._made = self._made, None
        return self._compiler.load(made)


class CodeApart:
    """Likewise, made by a process beside this one: LLVM can be asked for other things, and no end waits for it.

    It is a luxury: where the system does not allow the process, or ends it for want of memory, there is no such code.
    """

    def __init__(self, compiler: Compiler, text: str, level: int, passes: bool) -> None:
        self.text = text
        self._compiler, self._level, self._passes = compiler, level, passes
        self._made = compiler.kept(text, level, passes)
        self._begun = self._made is not None
        self._process: subprocess.Popen[bytes] | None = None
        self._files = ExitStack()

    def begin(self, wait: bool = False) -> None:
        """Begin to compile it, once; with `wait`, until it is there."""
        if not self._begun:
            self._begun = True
            try:
                self._start()
            except OSError:
                self.close()
        if wait and self._process is not None:
            self._process.wait()

    def _start(self) -> None:
        given, self._code, self._said = self._file(), self._file(), self._file()
        given.write(self.text.encode())
        given.seek(0)
        with deaf_to_interrupts():
            self._process = subprocess.Popen(
                python_running(APART, str(self._level), str(int(self._passes))),
                stdin=given,
                stdout=self._code,
                stderr=self._said,
            )

    def _file(self) -> IO[bytes]:
        """A file without a name, until this is closed."""
        return self._files.enter_context(tempfile.TemporaryFile())

    def taken(self) -> MachineCode | None:
        """The code, once, when it is there. Raises RuntimeError if it cannot be compiled."""
        if self._process is not None and self._process.poll() is not None:
            code, said = _content(self._code), _content(self._said)
            status = self._process.returncode
            self.close()
            if status > 0:
                raise RuntimeError(f"LLVM's passes failed: {said.decode(errors='replace').strip()}")
            self._made = code if status == 0 else None
        if self._made is None:
            return None
        made, self._made = self._made, None
        return self._compiler.load(made)

    def let_go(self) -> None:
        """Have no use for the code now. A process that is at work goes on, keeps it for the next time, and ends."""
        if self._process is not None:
            threading.Thread(target=self._process.wait, name="reap", daemon=True).start()
            self._process = None
        self._files.close()

    def close(self) -> None:
        """End the process, if it is at work."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._files.close()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
