"""Whole texts that are compared at once: they stand in files of the folder `snapshots` beside the test.

EPOCHAL_SNAPSHOTS=write pytest FILE    writes them anew; git shows what has changed
"""

from __future__ import annotations

import os
import re
from pathlib import Path

LINE = re.compile(r"(\.py[.\w]*):[1-9]\d*")
"""Where something stands in a source: the file counts, and not the line."""


def same_as_snapshot(test: str, name: str, text: str) -> None:
    """Compare a text with the snapshot of this name beside a test, which is given by its `__file__`."""
    file = Path(test).parent / "snapshots" / f"{name}.txt"
    found = LINE.sub(r"\1:N", text).rstrip("\n") + "\n"
    if os.environ.get("EPOCHAL_SNAPSHOTS") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8"), f"{file} has another text"
