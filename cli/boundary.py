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

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode

from .shown import tell


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
    from epochal.spec.loading import users_line

    where = users_line(spent)
    _tell(
        f"{spent}; nothing was explored.\n"
        f"  {f'{where} was being run: does it end?' if where else 'Use smaller bounds, or raise the limit.'}"
    )
    return ExitCode.INCONCLUSIVE


def described(error: BaseException) -> tuple[int, str]:
    """The exit code of an exception, and its message for people."""
    if isinstance(error, EpochalError):
        return error.exit_code, str(error)
    if isinstance(error, click.FileError):
        return ExitCode.ENGINE_FAILURE, error.format_message()
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, ImportError):
        from .solver import solver_problem  # which some searches with --symmetry need, and most do not

        problem = solver_problem()
        if problem:
            return ExitCode.ENGINE_FAILURE, problem
    if isinstance(error, MemoryError):
        return ExitCode.ENGINE_FAILURE, (
            "memory ran out.\n  Use smaller bounds, or give the search a limit that it reports: --max-memory 2G."
        )
    if isinstance(error, RuntimeError) and error.args == ("can't start new thread",):
        return ExitCode.ENGINE_FAILURE, (
            "the system starts no new thread: a limit on memory or on processes is in the way.\n"
            "  Raise it (ulimit -v, ulimit -u, or the limits of the container)."
        )
    known = _users_code(error)
    if known is not None:
        return known
    if isinstance(error, OSError):
        return ExitCode.ENGINE_FAILURE, _system(error)
    from epochal.spec.language.errors import said

    return (
        ExitCode.INTERNAL_ERROR,
        f"internal error: {said(error)}\n"
        "  This is a bug in Epochal. Repeat the command with EPOCHAL_DEBUG=1 and report the traceback.",
    )


def _users_code(error: BaseException) -> tuple[int, str] | None:
    """Code and message for an exception of the user's own code; None for anything else."""
    from epochal.spec.language.errors import said
    from epochal.spec.loading import users_line

    where = users_line(error)
    if where is None:
        return None
    return ExitCode.NOT_LOADED, (
        f"{where}: the specification's own code fails: {said(error)}\n"
        "  It runs whenever the specification is looked at. Hooks of Python such as __getattribute__, metaclasses "
        "and descriptors\n  have no place in a specification."
    )


def _usage(error: click.ClickException) -> tuple[int, str]:
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


def _system(error: OSError) -> str:
    """What the operating system refused, on which path, and what to do."""
    path = f"{os.fspath(error.filename)!s}: " if isinstance(error.filename, str | bytes | os.PathLike) else ""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{path}{reason}.\n  Check that the folder exists, that you may write there and that the disk has room."


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
