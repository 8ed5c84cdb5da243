"""The version of this tool, as it stands in every artifact."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

TOOL = "epochal"


def tool_version() -> str:
    """The version of the installed distribution; `0+unknown` when run from a source tree that is not installed."""
    try:
        return version(TOOL)
    except PackageNotFoundError:
        return "0+unknown"
