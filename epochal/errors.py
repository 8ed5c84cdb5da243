"""The errors of Epochal: one tree. Each says what is wrong, what to do about it, and the exit code of a command.

What a Python caller catches and what the command line prints are the same objects: `except epochal.EpochalError`.
"""

from __future__ import annotations

from epochal.exit_codes import ExitCode


class EpochalError(Exception):
    """Something that Epochal refuses or cannot do. The message is for people; `advice` says what to do about it.

    `exit_code` is the code that a command ends with: that of the class, unless one is given.
    """

    exit_code: ExitCode = ExitCode.INTERNAL_ERROR

    def __init__(self, message: str, advice: str = "", *, exit_code: ExitCode | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n  {self.advice}" if self.advice else self.message


class UsageError(EpochalError):
    """What is asked for does not exist, or its parts do not go together."""

    exit_code = ExitCode.USAGE


class ConfigurationError(EpochalError):
    """A configuration file, or an environment variable, has an unknown key or a value that is not allowed."""

    exit_code = ExitCode.BAD_CONFIGURATION


class EngineError(EpochalError):
    """The machine lets an engine down: something is not installed, memory ran out, a folder cannot be written."""

    exit_code = ExitCode.ENGINE_FAILURE


class ExpectationMissed(EpochalError):
    """Something that is known to be there was not found."""

    exit_code = ExitCode.EXPECTATION_MISSED


class Inconclusive(EpochalError):
    """A search that must be exhaustive was cut."""

    exit_code = ExitCode.INCONCLUSIVE
