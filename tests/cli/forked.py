"""`epochal`, or pytest with it, in a process of its own that need not import it: one has, and is forked for each."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from pathlib import Path

import pytest

from epochal.cli.main import main

COMMANDS = [f"epochal.cli.commands.{name}" for name in ("check", "bmc", "simulate", "prove", "protocols")]
APART = [f"epochal.{name}" for name in ("api", "api.replay", "language", "checker.search.native", "pytest_plugin")]
FORKING = get_context("forkserver")
FORKING.set_forkserver_preload([__name__, *APART, *COMMANDS])


def run_epochal(arguments: list[str]) -> None:
    """`epochal`, as its command."""
    main(arguments)


def run_pytest(arguments: list[str]) -> None:
    """pytest, as its command. That what it finds is imported already is no news."""
    sys.exit(pytest.main(["-W", "ignore::pytest.PytestAssertRewriteWarning", *arguments]))


class Forked:
    """A command that runs, as `subprocess.Popen` has it; it heeds Ctrl-C."""

    def __init__(
        self, folder: Path, arguments: tuple[str, ...], program: Callable[[list[str]], object] = run_epochal
    ) -> None:
        self.returncode: int | None = None
        self._said = tuple(folder / f".{name}" for name in ("stdout", "stderr"))
        self._process = FORKING.Process(target=_run, args=(program, arguments, folder, dict(os.environ), self._said))
        self._process.start()

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait until it ends: what it said on stdout and on stderr."""
        self._process.join(timeout)
        self.returncode = self.poll()
        if self.returncode is None:
            self._process.kill()
            raise TimeoutError(f"it runs for more than {timeout} s")
        out, err = (file.read_text(encoding="utf-8") for file in self._said)
        return out, err


def _run(
    program: Callable[[list[str]], object],
    arguments: tuple[str, ...],
    folder: Path,
    environment: Mapping[str, str],
    said: tuple[Path, Path],
) -> None:
    """What the process does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(said, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    program(list(arguments))
