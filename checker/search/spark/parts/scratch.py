"""What tasks hand each other while promises are judged: pieces of files in the storage of the search.

A file is written once, under a name that no other attempt uses, and has a piece for each task that is to read it. What
the driver knows of a piece (where it is, a digest of it) is checked whenever it is read. Each driver has a folder of
its own, which it removes when all is judged.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import LogDamaged
from ..storage import Storage

FOLDER = "promises"


@dataclass(frozen=True)
class Piece:
    """A piece of a file: what it is for, where it lies, and the digest of what was written."""

    key: tuple[int, ...]
    name: str
    offset: int
    size: int
    digest: str

    def document(self) -> list[Any]:
        """The piece as JSON values."""
        return [list(self.key), self.name, self.offset, self.size, self.digest]


def piece_of(document: list[Any]) -> Piece:
    """What `Piece.document` stands for."""
    key, name, offset, size, digest = document
    return Piece(tuple(key), name, offset, size, digest)


def write_pieces(storage: Storage, folder: str, contents: Mapping[tuple[int, ...], bytes]) -> list[Piece]:
    """Write what is not empty into one file of a folder. Raises OSError."""
    name, offset, pieces = f"{folder}/{uuid.uuid4().hex}", 0, []
    for key, content in contents.items():
        if content:
            pieces.append(Piece(key, name, offset, len(content), _digest(content)))
            offset += len(content)
    if pieces:
        storage.write(name, b"".join(contents.values()))
    return pieces


def read_pieces(storage: Storage, pieces: Iterable[Piece]) -> bytes:
    """What some pieces hold, one after the other. Raises LogDamaged if it is not what was written."""
    found = []
    for piece in pieces:
        try:
            content = storage.read_part(piece.name, piece.offset, piece.size)
        except OSError as error:
            raise LogDamaged(_damaged(storage, piece, f"cannot be read: {error}")) from error
        if _digest(content) != piece.digest:
            raise LogDamaged(_damaged(storage, piece, "has another content than the one that was written"))
        found.append(content)
    return b"".join(found)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _damaged(storage: Storage, piece: Piece, what: str) -> str:
    return f"{storage.path(piece.name)} {what}.\n  The states are safe: go on with --resume last."
