"""The error boundary: every exception becomes one clear message and a documented exit code, never a traceback.

With EPOCHAL_DEBUG=1 the traceback is shown as well.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

import click
from click.core import ParameterSource

from epochal.exit_codes import ExitCode
from epochal.render.shown import tell

from .setting_options import as_option


class ReaderLeft(Exception):
    """Nobody reads stdout any more: `epochal list | head -1`. Unlike BrokenPipeError, click leaves it alone."""


def guarded(run: Callable[[], object]) -> int:
    """Run a command; its exit code. Whatever goes wrong is told on stderr."""
    try:
        result = run()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderLeft):
        _discard_output()
        return ExitCode.BROKEN_PIPE
    except (click.Abort, KeyboardInterrupt) as stopped:
        return _interrupted(stopped)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except SystemExit:
        raise
    except BaseException as error:  # the boundary: nothing may pass it
        if os.environ.get("EPOCHAL_DEBUG"):
            traceback.print_exc()
        code, message = described(error)
        _tell(message)
        if isinstance(error, OSError):
            _discard_output()
        return code
    return result if isinstance(result, int) else ExitCode.HOLDS


def _interrupted(stopped: BaseException) -> int:
    """Tell that Ctrl-C was pressed, or that a budget was spent before there was anything to report."""
    from epochal.checker.search.patience import OutOfPatience

    spent = next((one for one in (stopped, stopped.__cause__) if isinstance(one, OutOfPatience)), None)
    if spent is None:
        _tell("interrupted")
        return ExitCode.INTERRUPTED
    from epochal.checker.described import out_of_patience

    _tell(out_of_patience(spent).told(as_option))
    return ExitCode.INCONCLUSIVE


def described(error: BaseException) -> tuple[ExitCode, str]:
    """The exit code of an exception, and its message for people: also of a mistake on the command line."""
    if isinstance(error, click.FileError):
        return ExitCode.ENGINE_FAILURE, error.format_message()
    if isinstance(error, click.ClickException):
        return _usage(error)
    from epochal.checker.described import described as described_of_the_library

    return described_of_the_library(error, as_option)


def _usage(error: click.ClickException) -> tuple[ExitCode, str]:
    """A mistake on the command line; or in a variable or file, if that is where the value came from."""
    context = getattr(error, "ctx", None)
    hint = f"\n  Try '{context.command_path} --help'." if context is not None else ""
    parameter = getattr(error, "param", None)
    if isinstance(error, click.BadParameter) and context is not None and parameter is not None:
        source = context.get_parameter_source(parameter.name)
        if source is ParameterSource.ENVIRONMENT:
            return ExitCode.BAD_CONFIGURATION, f"environment variable {parameter.envvar}: {error.message}"
        if source is ParameterSource.DEFAULT_MAP:
            key = parameter.opts[0].lstrip("-")
            return ExitCode.BAD_CONFIGURATION, f"{context.meta.get('epochal.configuration')}: {key}: {error.message}"
    if isinstance(error, click.NoSuchOption):
        near = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return ExitCode.USAGE, f"no such option {error.option_name}.{near}{hint}"
    message = error.format_message()
    return ExitCode.USAGE, f"{message[:1].lower()}{message[1:]}{hint}"


def _tell(message: str) -> None:
    try:
        tell(f"epochal: {message}")
    except OSError:  # nobody listens on stderr either: the exit code is all that is left to say
        _redirect(sys.stderr.fileno())


def _discard_output() -> None:
    """Let the interpreter's last flush of a stdout that cannot be written go nowhere."""
    try:
        _redirect(sys.stdout.fileno())
    except (OSError, ValueError):  # a captured stdout has no descriptor and needs no redirection
        return


def _redirect(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
