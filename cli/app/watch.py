"""`--watch`: run a command again whenever a file that matters to it is saved.

Every run is a process of its own, because Python cannot forget a module that has changed. It reports the source files
that it has loaded; a later edit to another file does not start a run. Results by content are in the cache, so a run of
the gate searches only what the edit touched.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

import epochal
from epochal.errors import not_installed

ALWAYS = ("epochal.toml", "pyproject.toml", "epochal.lock.json")
"""Files that matter to every run."""

POLL = 500
"""Milliseconds after which files are looked at although the system told of none: one may fall between two waits."""

CLOCK_STEP = 10_000_000
"""By how many nanoseconds the clock of a file system may lag."""

Command = TypeVar("Command", bound=Callable[..., Any])

REPORT = "EPOCHAL_WATCHED_FILES"


def watched(text: str) -> Callable[[Command], Command]:
    """A decorator that adds --watch, which `text` explains, and runs the command again and again if it is given."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(watch: bool, **given: Any) -> Any:
            return watch_command(sys.argv[1:]) if watch else command(**given)

        return click.option("--watch", is_flag=True, help=text)(called)  # type: ignore[return-value]  # a command of other parameters

    return decorate


def watch_command(arguments: list[str]) -> int:
    """Run `epochal` with these arguments, without --watch, now and after every save, until Ctrl-C."""
    try:
        from watchfiles import PythonFilter, watch
    except ImportError as error:
        raise not_installed("--watch", "watchfiles", "watch") from error
    words = [word for word in arguments if word != "--watch"]
    folders = [str(folder) for folder in _watched_folders()]
    begun, (status, loaded) = time.time_ns(), _run(words)
    click.echo("watching for saved files; Ctrl-C ends", err=True)
    chosen = PythonFilter(extra_extensions=(".toml", ".json"))
    woken = watch(*folders, watch_filter=chosen, debounce=100, step=20, rust_timeout=POLL, yield_on_timeout=True)
    try:
        for changes in woken:
            saved = sorted(path.name for path in _saved_since(begun, loaded, {Path(path) for _, path in changes}))
            if saved:
                click.echo(f"\n== {', '.join(saved)} saved ==", err=True)
                begun, (status, loaded) = time.time_ns(), _run(words)
    except KeyboardInterrupt:
        return status
    return status


def _saved_since(moment: int, loaded: frozenset[Path], touched: set[Path]) -> set[Path]:
    """The files that matter and were written since a run began, in nanoseconds; also while it lasted.

    After a run that could not load its specification every file that is touched matters. If the clock was put back
    since, a file that is touched counts as written.
    """
    put_back = time.time_ns() < moment
    matter = {*loaded, *(Path.cwd() / name for name in ALWAYS)} if loaded else touched
    return {
        path
        for path in matter
        if path.is_file() and (path.stat().st_mtime_ns > moment - CLOCK_STEP or (put_back and path in touched))
    }


def _watched_folders() -> list[Path]:
    """The working folder, and that of the registered specifications if it is elsewhere."""
    here, tool = Path.cwd().resolve(), Path(__file__).resolve().parents[2]
    return [here] if tool.is_relative_to(here) else [here, tool / "spec"]


def _run(words: list[str]) -> tuple[int, frozenset[Path]]:
    """Run the command; its exit code, and the files of the specifications that it loaded."""
    with tempfile.TemporaryDirectory(prefix="epochal-watch-") as folder:
        report = Path(folder) / "files"
        program = (
            "import sys; from epochal.cli.app.watch import reporting; from epochal.cli.main import main; "
            "reporting(); main(sys.argv[1:])"
        )
        environment = {**os.environ, REPORT: str(report)}
        environment["PYTHONPATH"] = str(Path(epochal.__file__).resolve().parents[1])
        done = subprocess.run([sys.executable, "-P", "-c", program, *words], env=environment, check=False)
        listed = report.read_text(encoding="utf-8").splitlines() if report.is_file() else []
    return done.returncode, frozenset(Path(line) for line in listed)


def reporting() -> None:
    """At the end of this process, write which source files of specifications it has loaded, one a line."""
    import atexit

    target = os.environ.pop(REPORT)

    def report() -> None:
        from epochal.spec.language import Protocol

        def kinds(kind: type[Protocol]) -> Iterable[type[Protocol]]:
            yield kind
            for below in kind.__subclasses__():
                yield from kinds(below)

        names = {kind.__module__ for kind in kinds(Protocol)}
        found = {getattr(sys.modules.get(name), "__file__", None) for name in names} - {None}
        folders = {Path(str(file)).resolve().parent for file in found}
        language = Path(sys.modules[Protocol.__module__].__file__ or "").resolve().parent
        files = {
            Path(file).resolve()
            for module in list(sys.modules.values())
            if (file := getattr(module, "__file__", None)) and Path(file).resolve().parent in folders - {language}
        }
        Path(target).write_text("\n".join(sorted(map(str, files))), encoding="utf-8")

    atexit.register(report)
