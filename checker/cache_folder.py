"""Where this tool keeps what it can make again: compiled code, and results by content."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder of everything kept: `EPOCHAL_CACHE_DIR`, else `epochal` in the user's cache folder."""
    chosen = os.environ.get("EPOCHAL_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "epochal"
