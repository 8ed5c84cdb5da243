"""A group whose commands are imported only when they are called, so that `epochal --help` stays fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode

from .boundary import ReaderLeft, guarded
from .command import EpochalCommand, EpochalGroup


@dataclass(frozen=True)
class LazyCommand:
    """A command by name: the module that defines it as `command`, and its line in the help of the group.

    One that is `hidden` works and is not listed: a former name, or what only those need who maintain Epochal.
    """

    name: str
    module: str
    help: str
    hidden: bool = False


class LazyGroup(EpochalGroup):
    """The top-level group. It is also where the error boundary stands."""

    def __init__(self, *args: Any, lazy: Sequence[LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = {command.name: command for command in lazy}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [command.name for command in self.lazy.values() if not command.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        found: click.Command = importlib.import_module(self.lazy[cmd_name].module).command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(command.name, command.help) for command in self.lazy.values() if not command.hidden])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. What click would turn into an exit code of its own is told apart here."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderLeft from error
        except SystemExit as error:  # no command leaves like this, so it was a rule of the specification
            raise EpochalError(
                "a rule of the specification ended the program (sys.exit).\n  A rule that forbids a step uses require.",
                exit_code=ExitCode.EVALUATION_FAILED,
            ) from error
        return result

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line, and exit with the documented code unless `standalone_mode` is false."""
        run: Callable[..., Any] = super().main
        if not kwargs.pop("standalone_mode", True):
            return run(*args, standalone_mode=False, **kwargs)
        kwargs.setdefault("prog_name", "epochal")
        sys.exit(guarded(lambda: run(*args, standalone_mode=False, **kwargs)))


class CommandWithOthers(EpochalCommand):
    """A command that others stand below, such as `epochal gate` and `epochal gate approve`.

    `others` are their names, each with its line in the help; the module `others_from` has them as `COMMANDS`. An
    argument of this command that is called like one of them stands after `--`.
    """

    def __init__(self, *args: Any, others: Sequence[tuple[str, str]], others_from: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others = tuple(others)
        self.others_from = others_from

    @property
    def commands(self) -> dict[str, click.Command]:
        """The commands below this one, imported when somebody asks."""
        found: dict[str, click.Command] = importlib.import_module(self.others_from).COMMANDS
        return found

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args and args[0] in dict(self.others):
            return self.commands[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([(f"{self.name} {name}", text) for name, text in self.others])
