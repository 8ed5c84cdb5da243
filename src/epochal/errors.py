"""The errors of Epochal: one tree. Each says what is wrong, what to do about it, and the exit code of a command.

What a Python caller catches and what the command line prints are the same objects: `except epochal.EpochalError`.
"""

from __future__ import annotations

from epochal.exit_codes import ExitCode
from epochal.sentences import Sentence, Writer, written


class EpochalError(Exception):
    """Something that Epochal refuses or cannot do. The message is for people; `advice` says what to do about it.

    Both may name bounds, settings and options (`Given`), which each reader writes in their own way.

    `exit_code` is the code that a command ends with: that of the class, unless one is given.
    """

    exit_code: ExitCode = ExitCode.INTERNAL_ERROR

    def __init__(self, message: Sentence, advice: Sentence = "", *, exit_code: ExitCode | None = None) -> None:
        self.message = written(message)
        super().__init__(self.message)  # `args` are text, so that it can be pickled
        self.advice = written(advice)
        self.sentences = (message, advice)
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return self.told(str)

    def told(self, writer: Writer) -> str:
        """The error as text in which bounds, settings and options are written so: by `str`, as in Python."""
        message, advice = (written(sentence, writer) for sentence in self.sentences)
        return f"{message}\n  {advice}" if advice else message


class UsageError(EpochalError):
    """What is asked for does not exist, or its parts do not go together."""

    exit_code = ExitCode.USAGE


class ConfigurationError(EpochalError):
    """A configuration file, or an environment variable, has an unknown key or a value that is not allowed."""

    exit_code = ExitCode.BAD_CONFIGURATION


class EngineError(EpochalError):
    """The machine lets an engine down: something is not installed, memory ran out, a folder cannot be written."""

    exit_code = ExitCode.ENGINE_FAILURE


def not_installed(
    what: str, package: str, extra: str, otherwise: Sentence = "", *, instead: str = "which is not"
) -> EngineError:
    """The error where something needs a package that an extra of Epochal brings; `otherwise` is what does without.

    `instead` is for another version that is there: `and 3.5 is`.
    """
    rest = (otherwise,) if isinstance(otherwise, str) else otherwise
    return EngineError(f"{what} needs {package}, {instead} installed", (f"Install it: {installing(extra)}", *rest, "."))


def installing(extra: str) -> str:
    """The command that installs an extra of Epochal."""
    return f"pip install 'epochal[{extra}]'"


class ExpectationMissed(EpochalError):
    """Something that is known to be there was not found."""

    exit_code = ExitCode.EXPECTATION_MISSED


class Inconclusive(EpochalError):
    """A search that must be exhaustive was cut."""

    exit_code = ExitCode.INCONCLUSIVE
