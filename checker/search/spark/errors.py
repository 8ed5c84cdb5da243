"""What can go wrong with a distributed search, other than with the specification."""

from __future__ import annotations

from epochal.errors import EngineError, UsageError


class ClusterError(EngineError):
    """Spark, Java or the storage let the search down. The message says what to do; the manifest is intact."""


class LogDamaged(ClusterError):
    """A file of the log is not what the manifest says it is."""


class ResumeRefused(UsageError):
    """The storage cannot be used as asked: it holds no run, another run, or one that was not to be continued."""
