"""The heads of a manifest: every record of a run is a file of its own, and the newest one that is whole counts.

No head is ever written over. Not every file system can replace a file at once: on HDFS a driver that is killed
meanwhile leaves none, or half of one. So a head gets a number, and its name has its size and its digest as well. One
that is shorter than its name says was being written when its driver was killed. It does not count, and the one before
it does, which is removed only when a newer one is whole. One of the right size with another content is damaged.

A driver that has lost the storage to another, and does not know it yet, may still write a head. It has another
content, and so another name; and it is as true as any, for what it names is there.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass

from .errors import LogDamaged
from .storage import Storage

FOLDER = "heads"

KEPT = 2
"""How many heads there are, but for what drivers leave that are killed: one is left while another is written."""

LOOKS = 100
"""How often a reader looks again, where the head that it was about to read is gone because there are newer ones."""

_NAME = re.compile(rf"{FOLDER}/head-(\d+)-(\d+)-([0-9a-f]{{32}})\.json")


@dataclass(frozen=True, order=True)
class Head:
    """What the name of a head says: its number, how many bytes it has, and their digest."""

    number: int
    size: int
    digest: str

    @property
    def name(self) -> str:
        """Where it lies."""
        return f"{FOLDER}/head-{self.number:05d}-{self.size}-{self.digest}.json"


def digest_of(content: bytes) -> str:
    """The digest by which heads, and the files of levels, are called."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def heads_in(storage: Storage) -> dict[Head, int]:
    """The heads of a storage, in their order, and how many bytes of each are there. Raises OSError."""
    found = {}
    for name, size in storage.sizes(FOLDER).items():
        if said := _NAME.fullmatch(name):
            found[Head(int(said[1]), int(said[2]), said[3])] = size
    return dict(sorted(found.items()))


def write_head(storage: Storage, before: tuple[Head, ...], content: bytes) -> tuple[Head, ...]:
    """Write the head that follows the last of those before, which are removed but for that one; what there is then.

    Raises OSError; then the last one before still counts.
    """
    head = Head(before[-1].number + 1 if before else 0, len(content), digest_of(content))
    storage.write(head.name, content)
    kept = (*before[-1:], head)[-KEPT:]
    for old in before:
        if old not in kept:
            with contextlib.suppress(OSError):  # it is left: a newer one is whole
                storage.remove(old.name)
    return kept


def read_head(storage: Storage, head: Head) -> bytes | None:
    """The content of a head; None if it is not there, or not as a whole. Raises LogDamaged, OSError."""
    try:
        content = bytes(storage.read(head.name))
    except FileNotFoundError:
        return None
    if len(content) < head.size:
        return None
    if digest_of(content) != head.digest:
        raise LogDamaged(
            f"{storage.path(head.name)} is damaged: it has another content than the one that was written.\n"
            "  Restore it, or search again with an empty --storage."
        )
    return content


def newest_head(storage: Storage) -> tuple[tuple[Head, ...], bytes] | None:
    """The heads of a storage, the newest that is whole as the last, and its content; None if none was ever whole.

    Raises LogDamaged, OSError.
    """
    for _ in range(LOOKS):
        found = heads_in(storage)
        whole = [head for head, size in found.items() if size >= head.size]
        if not whole:
            if any(head.number for head in found):
                raise LogDamaged(
                    f"{storage.path(FOLDER)} has no head that is whole, and once had one.\n"
                    "  Restore it, or search again with an empty --storage."
                )
            return None
        content = read_head(storage, whole[-1])
        if content is not None:
            return (*(head for head in found if head != whole[-1]), whole[-1]), content
    raise OSError(f"the heads in {storage.path(FOLDER)} are listed, and cannot be read")
