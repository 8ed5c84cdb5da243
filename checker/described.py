"""Any exception as a message for people and a documented exit code: those of Epochal, and what else may happen."""

from __future__ import annotations

import os

from epochal.errors import EpochalError, Inconclusive
from epochal.exit_codes import ExitCode
from epochal.sentences import Writer


def described(error: BaseException, writer: Writer = str) -> tuple[ExitCode, str]:
    """The exit code of an exception, and its message for people, with bounds and settings as `writer` has them."""
    if isinstance(error, EpochalError):
        return error.exit_code, error.told(writer)
    if isinstance(error, ImportError):
        from .base.installed import solver_problem  # which some searches need, and most do not

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


def budget_exceeded(spent: KeyboardInterrupt) -> Inconclusive:
    """A budget that was spent before there was anything to report, and what to do about it."""
    from epochal.spec.loading import users_line

    where = users_line(spent)
    advice = f"{where} was being run: does it end?" if where else "Use smaller bounds, or raise the limit."
    return Inconclusive(f"{spent}; nothing was explored.", advice)


def _users_code(error: BaseException) -> tuple[ExitCode, str] | None:
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


def _system(error: OSError) -> str:
    """What the operating system refused, on which path, and what to do."""
    path = f"{os.fspath(error.filename)!s}: " if isinstance(error.filename, str | bytes | os.PathLike) else ""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{path}{reason}.\n  Check that the folder exists, that you may write there and that the disk has room."
