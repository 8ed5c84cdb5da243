"""Data of the tests that is kept compressed: long dumps that nobody reads as examples.

    python -m tests.packed FOLDER...   pack the files of these folders, all but topics.txt

`epochal audit FOLDER` reads the files of a packed folder as those beside them.
"""

from __future__ import annotations

import lzma
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.brokers.evidence import pack, unpack

ARCHIVE = "recorded.tar.xz"
PLAIN = "topics.txt"
"""The file of a packed folder that shows what the cluster is."""

_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
"""Those made by this process; they are removed when the process ends."""


@cache
def plain(folder: Path) -> Path:
    """Copy a folder to a temporary one, in which each archive is replaced by its files."""
    temporary = tempfile.TemporaryDirectory(prefix="epochal-tests-")
    _FOLDERS.append(temporary)
    copy = Path(temporary.name) / folder.name
    shutil.copytree(folder, copy)
    for archive in sorted(copy.rglob(ARCHIVE)):
        unpack(archive, archive.parent)
        archive.unlink()
    return copy


def text_of(file: Path) -> str:
    """Return the text of an .xz file."""
    return lzma.decompress(file.read_bytes()).decode("utf-8")


def pack_text(text: str, file: Path) -> None:
    """Write an .xz file: of the same text always the same bytes."""
    file.write_bytes(lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))


def pack_folder(folder: Path) -> None:
    """Replace the files of a folder, all but `topics.txt`, by one archive."""
    packed = [file for file in sorted(folder.iterdir()) if file.name != PLAIN]
    with tempfile.TemporaryDirectory() as temporary:
        for file in packed:
            shutil.move(file, temporary)
        pack(Path(temporary), folder / ARCHIVE)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        pack_folder(Path(given))
