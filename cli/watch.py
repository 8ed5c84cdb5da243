"""`--watch`: run a command again whenever a file that matters to it is saved.

Every run is a process of its own, because Python cannot forget a module that has changed. It reports the source files
that it has loaded; a later edit to another file does not start a run. Results by content are in the cache, so a run of
the gate searches only what the edit touched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from . import codes
from .boundary import Failure

ALWAYS = ("epochal.toml", "pyproject.toml", "epochal.lock.json")
"""Files that matter to every run."""

REPORT = "EPOCHAL_WATCHED_FILES"


def watch_command(arguments: list[str]) -> int:
    """Run `epochal` with these arguments, without --watch, now and after every save, until Ctrl-C."""
    try:
        from watchfiles import PythonFilter, watch
    except ImportError as error:
        raise Failure(
            codes.ENGINE_FAILURE, "--watch needs the package watchfiles.\n  Install it: pip install watchfiles"
        ) from error
    words = [word for word in arguments if word != "--watch"]
    folders = [str(folder) for folder in _watched_folders()]
    status, loaded = _run(words)
    chosen = PythonFilter(extra_extensions=(".toml", ".json"))
    try:
        for changes in watch(*folders, watch_filter=chosen, debounce=100, step=20, raise_interrupt=True):
            touched = {Path(path).resolve() for _, path in changes}
            if _matters(touched, loaded):
                shown = ", ".join(sorted(path.name for path in touched))
                click.echo(f"\n== {shown} saved ==", err=True)
                status, loaded = _run(words)
    except KeyboardInterrupt:
        return status
    return status


def _matters(touched: Iterable[Path], loaded: frozenset[Path]) -> bool:
    """Whether an edit can change the answer. A run that could not load its specification is repeated in any case."""
    return not loaded or any(path in loaded or path.name in ALWAYS for path in touched)


def _watched_folders() -> list[Path]:
    """The working folder, and that of the registered specifications if it is elsewhere."""
    here, tool = Path.cwd().resolve(), Path(__file__).resolve().parents[1]
    return [here] if tool.is_relative_to(here) else [here, tool / "spec"]


def _run(words: list[str]) -> tuple[int, frozenset[Path]]:
    """Run the command; its exit code, and the files of the specifications that it loaded."""
    with tempfile.TemporaryDirectory(prefix="epochal-watch-") as folder:
        report = Path(folder) / "files"
        program = (
            "import sys; from cli.watch import reporting; from cli.main import main; reporting(); main(sys.argv[1:])"
        )
        environment = {**os.environ, REPORT: str(report)}
        environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[1])
        done = subprocess.run([sys.executable, "-P", "-c", program, *words], env=environment, check=False)
        listed = report.read_text(encoding="utf-8").splitlines() if report.is_file() else []
    return done.returncode, frozenset(Path(line) for line in listed)


def reporting() -> None:
    """At the end of this process, write which source files of specifications it has loaded, one a line."""
    import atexit

    target = os.environ.pop(REPORT)

    def report() -> None:
        from spec.language import Protocol

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
