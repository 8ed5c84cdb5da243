"""The files of a collection of evidence: folders, archives and compressed files, each recognised by its content."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from .kinds import Kind, kind_of
from .place import EvidenceError, escaped
from .sifting import sifted
from .unpacking import LOOK, Tick, unpacked

LONGEST = 1 << 24
"""Of a longer line the rest is left out: what has no line ends at all is no log."""


UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
AS_UTF_8 = "Write it as UTF-8: COMMAND | Out-File -Encoding utf8 FILE."


def refuse_utf_16(name: str, head: bytes, path: str | None = None) -> None:
    """Raise EvidenceError for a text that begins so, if it is of a kind that is read; of any without a path."""
    encoding = UTF_16.get(head[:2])
    if encoding is None:
        return
    text = head[2 : 2 + len(head[2:]) // 2 * 2].decode(encoding, "replace").replace("\r\n", "\n")
    if path is None or kind_of(text.encode("utf-8", "replace"), path) is not None:
        raise EvidenceError(f"{escaped(name)} is UTF-16, as PowerShell writes it", AS_UTF_8)


@dataclass(frozen=True)
class EvidenceFile:
    """A file: `name` is its path from what was given, `path` the whole of it, through archives as through folders.

    It is read once, and before the next one is asked for.
    """

    name: str
    path: str
    kind: Kind | None
    stream: BufferedReader

    def lines(self) -> Iterator[str]:
        """Its lines of text, counted as editors do. Each ends in a line feed but a last one without, and one too long.

        Windows writes a carriage return before it, which is left out; elsewhere such a character ends no line.
        """
        read = self.stream.readline
        while line := read(LONGEST):
            yield _text(line)
            while len(line) == LONGEST and not line.endswith(b"\n"):
                line = read(LONGEST)

    def lines_with(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The lines that have one of these words, as `lines` has them, with their numbers."""
        for number, line in sifted(self.stream, [word.encode() for word in words], LONGEST):
            yield number, _text(line)

    def head(self) -> bytes:
        """How it begins; it is still read from there."""
        return self.stream.peek(LOOK)[:LOOK]


def _text(line: bytes) -> str:
    """A crash may leave zeros or garbage in a log."""
    return (line[:-2] + b"\n" if line.endswith(b"\r\n") else line).decode("utf-8", "replace")


def evidence_files(paths: Iterable[Path], tick: Tick | None = None) -> Iterator[EvidenceFile]:
    """Every file below these paths, and in archives. `tick` is told how many bytes were read of each.

    Raises EvidenceError for a path where nothing is, for what may not be read, and for an archive that is damaged.
    """
    for one in unpacked(paths, tick):
        yield EvidenceFile(one.name, one.path, kind_of(one.head(), one.path), one.stream)
