"""What can be wrong with a trace that is read from a file."""

from __future__ import annotations

from epochal.errors import UsageError


class TraceError(UsageError):
    """A file is not a trace that this tool can read. The message names the wrong part, `advice` says what to do."""
