"""Options that belong together, as one record: what many commands ask, each in the same words."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .options import (
    brief_option,
    budget_option,
    format_option,
    max_memory_option,
    max_states_option,
    progress_option,
)

if TYPE_CHECKING:
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.door.result import Result
    from epochal.render.progress import Report, Telling

Command = TypeVar("Command", bound=Callable[..., Any])


def packed(kind: type[Any], name: str, *options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that adds options, whose values the command gets as one record `name` of a data class."""
    fields = [field.name for field in dataclasses.fields(kind)]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(**given: Any) -> Any:
            record = kind(**{field: given.pop(field) for field in fields})
            return command(**{name: record}, **given)

        for option in reversed(options):
            called = option(called)
        return called  # type: ignore[return-value]  # a command of other parameters

    return decorate


def grouped(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that adds options, in this order in the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a search may take: seconds of wall time, distinct states, bytes of the process."""

    budget: float | None
    max_states: int | None
    max_memory: int | None


limits = packed(Limits, "limits", budget_option, max_states_option, max_memory_option)


@dataclasses.dataclass(frozen=True)
class Output:
    """Where an answer goes: text or JSON on stdout, files in a folder, progress on stderr."""

    output_format: str
    out: Path | None
    progress: str
    brief: bool

    @property
    def in_full(self) -> bool:
        """Whether witnesses are wanted too: in JSON and in files."""
        return self.output_format == "json" or self.out is not None

    def folder(self) -> OutputFolder | None:
        """The folder of --out, found writable; None without it. Raises EngineError."""
        from epochal.checker.trace.output_folder import OutputFolder

        return OutputFolder(self.out) if self.out is not None else None

    @contextmanager
    def reporting(self, telling: Telling | None = None) -> Iterator[Report | None]:
        """Show the progress of what is done meanwhile."""
        from epochal.render.progress import SEARCH, shown_progress

        with shown_progress(self.progress, sys.stderr, telling or SEARCH) as report:
            yield report

    def show(self, result: Result, files: Sequence[str] = ()) -> int:
        """Print an answer, as the report or as JSON; its exit code."""
        if self.output_format == "json":
            click.echo(json.dumps(result.to_dict(), indent=1))
        else:
            from epochal.render.page import open_page

            page = open_page(sys.stdout)
            if self.brief:
                result.render_briefly(page, files)
            else:
                result.render(page, files)
                page.again(result.headline)
        return result.exit_code


def output(files: str) -> Callable[[Command], Command]:
    """--format, --brief, --out and --progress; `files` says what --out writes."""
    out = click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help=files)
    return packed(Output, "output", format_option, brief_option, out, progress_option)


def _no_folder(command: Command) -> Command:
    """A command whose answer is printed and nothing else."""

    @functools.wraps(command)
    def called(**given: Any) -> Any:
        return command(**given, out=None)

    return called  # type: ignore[return-value]  # a command of other parameters


printed = packed(Output, "output", format_option, brief_option, _no_folder, progress_option)
"""--format, --brief and --progress, for commands that write no files."""
