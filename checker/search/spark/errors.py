"""What can go wrong with a distributed search, other than with the specification."""

from __future__ import annotations


class ClusterError(Exception):
    """Spark, Java or the storage let the search down. The message says what to do; the manifest is intact."""


class LogDamaged(ClusterError):
    """A file of the log is not what the manifest says it is."""


class ResumeRefused(Exception):
    """The storage cannot be used as asked: it holds no run, another run, or one that was not to be continued."""
