"""The owner of a part of all states: the exact set of those it has seen, and which of a level are new."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import mmap
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from ...base.cache import intruders
from ...native.kernel.kernel import BATCH, SUPERSTEP_CONTEXT
from ...native.runtime.memory import Context, Region, address_of, bytes_at
from .log import WORD, New, Owning, Report, Tally
from .master import ClusterError
from .program import Loaded

FIRST_STATES = 1 << 12
FIRST_SLOTS = 1 << 13
LOAD = 0.72
INDEX_LIMIT = (1 << 32) - 2
OF_CANDIDATES = {"parents": 8, "actions": 2, "senders": 2}
"""The blocks with something about each candidate, how it was reached, and how many bytes that takes."""
ADMITTED = 1 << 14
"""For how many logged states there is room made at a time, while those that a partition owns are entered."""


@dataclass(frozen=True)
class TableSize:
    """How much of a table's blocks is used, and how large they are: what is needed to open them again.

    Of `count` states the first `settled` are in levels that are made; the others are candidates of the next one.
    """

    count: int
    settled: int
    capacity: int
    candidates: int
    slots: int


class Owner:
    """The visited states of one partition, and the new ones of a level with their attribution.

    States stand in the order of their arrival; the table over them has 8-byte slots (half a hash, index plus one) and
    is at most 72 % full. All is made by `make`, in memory or in files, so that a later task finds it. `kept` is how
    much an earlier task has left, and what opens it.
    """

    def __init__(
        self,
        code: Loaded,
        shard: int,
        shards: int,
        owning: Owning,
        make: MakeBlock,
        kept: tuple[TableSize, MakeBlock] | None = None,
    ) -> None:
        """Raises OSError or ValueError if what is kept is not all there."""
        self._code, self._make = code, make
        program = code.program
        self.words = program.words
        size, first = kept or (TableSize(0, 0, FIRST_STATES, FIRST_STATES, FIRST_SLOTS), make)
        self._capacity, self._new_capacity, self._slots = size.capacity, size.candidates, size.slots
        with contextlib.ExitStack() as opened:

            def block(name: str, size: int) -> Block:
                found = first(name, size)
                opened.callback(found.close)
                return found

            self._blocks: dict[str, Block] = {
                "states": block("states", 8 * self.words * size.capacity),
                "table": block(f"table-{size.slots}", 8 * size.slots),
                **{name: block(name, each * size.candidates) for name, each in OF_CANDIDATES.items()},
            }
            opened.pop_all()
        self._hashes = (WORD * BATCH)()
        self._owning = (WORD * len(owning))(*owning)
        self._context = context = Context(SUPERSTEP_CONTEXT)
        context.update({"shard": shard, "shards": shards, "count": size.count, "level_start": size.settled})
        context["hashes"], context["owning"] = ctypes.addressof(self._hashes), ctypes.addressof(self._owning)
        context["judge"] = code.model.address("judge")
        self._begin_tally()
        self._publish()

    def _begin_tally(self) -> None:
        self._tally = Tally(self.words, self._code.program.instances)
        self._context.update(self._tally.addresses())
        for name in ("digest_low", "digest_high"):
            self._context[name] = 0

    def _publish(self) -> None:
        self._context.update({name: block.address for name, block in self._blocks.items()})
        self._context["slots"] = self._slots

    @property
    def count(self) -> int:
        """How many states the owner has."""
        return self._context["count"]

    @property
    def settled(self) -> int:
        """How many of them were there before the level that is being made."""
        return self._context["level_start"]

    @property
    def size(self) -> TableSize:
        """What is needed to open the blocks again."""
        return TableSize(self.count, self.settled, self._capacity, self._new_capacity, self._slots)

    def _reserve(self, more: int) -> None:
        """Have room for so many more states. Raises OSError or MemoryError if the system has none."""
        needed = self.count + more
        if needed > INDEX_LIMIT:
            raise MemoryError(f"more than {INDEX_LIMIT:,} states in one partition; use more partitions")
        if needed > self._capacity:
            self._capacity = max(2 * self._capacity, needed)
            self._blocks["states"].grow(8 * self.words * self._capacity)
        new = needed - self.settled
        if new > self._new_capacity:
            self._new_capacity = max(2 * self._new_capacity, new)
            for name, each in OF_CANDIDATES.items():
                self._blocks[name].grow(each * self._new_capacity)
        if needed > int(self._slots * LOAD):
            old, old_slots = self._blocks["table"], self._slots
            while needed > int(self._slots * LOAD):
                self._slots *= 2
            self._blocks["table"] = self._make(f"table-{self._slots}", 8 * self._slots)
            self._publish()
            self._code.rehash(self._context.address, old.address, old_slots)
            old.close()
        self._publish()

    def admit(self, states: int, count: int) -> None:
        """Enter those of `count` logged states at an address that this partition owns, as known.

        It may own few of them, so room is made for some at a time.
        """
        for first in range(0, count, ADMITTED):
            some = min(ADMITTED, count - first)
            self._reserve(some)
            self._code.admit(self._context.address, states + 8 * self.words * first, some)

    def begin_level(self) -> None:
        """What is known now is old; what comes is new."""
        self._context["level_start"] = self.count
        self._begin_tally()

    def insert(self, address: int, size: int, sender: int) -> None:
        """Insert the entries in so many bytes at an address, which a partition has found."""
        entries = size // (8 * (self.words + 2))
        self._reserve(entries)
        self._context["sender"] = sender
        self._code.insert(self._context.address, address, entries)

    def evaluate(self, pending: int) -> Report:
        """Count the new states, and evaluate the properties with these bits on them."""
        self._context["pending"] = pending
        self._code.evaluate_new(self._context.address)
        return self._tally.report(self._context)

    def address(self, number: int) -> int:
        """Where the state with this number lies, until the table grows."""
        return self._context["states"] + 8 * self.words * number

    def new(self) -> New:
        """The states that are new, where they lie."""
        count = self.count - self.settled
        return New(
            count,
            bytes_at(self.address(self.settled), 8 * self.words * count),
            *(bytes_at(self._context[name], each * count) for name, each in OF_CANDIDATES.items()),
        )

    def close(self) -> None:
        """Let go of the blocks; those in files stay."""
        for block in self._blocks.values():
            block.close()


# -- cache ------------------------------------------------------------------------------------------------------------
# Owner tables on a worker's disk: only a cache, but one that spares reading the whole log at every level.
#
# A cache is a folder named after its partition and the token of the attempt that last wrote to it. An attempt claims it
# by renaming it, which only one can do, and gives it the name of its own token when it is done. So a table is used only
# if the attempt that left it is the one that the manifest names; one that a dead attempt left open, one of an attempt
# that did not count and one of another level are never found, and a second copy of a task builds its own from the log.

HEAD = "head"
CHECKSUM_BYTES = 16


@dataclass(frozen=True)
class TableCache:
    """The caches of one run on this machine, below a folder."""

    folder: Path

    def claim(self, shard: int, token: str, attempt: str) -> ClaimedTable | None:
        """The table that the attempt with this token left, for nobody else; None if it is not here."""
        claimed = self._open_name(shard, attempt)
        try:
            self._refuse_intruders()
            (self.folder / f"{shard}-{token}").rename(claimed)
            size = _size((claimed / HEAD).read_bytes())
        except (OSError, ValueError):  # not here, or wiped in this moment: the log has everything
            shutil.rmtree(claimed, ignore_errors=True)
            return None
        return ClaimedTable(claimed, size)

    def make(self, shard: int, attempt: str) -> ClaimedTable:
        """A new, empty table. Raises OSError, and ClusterError where others could write to it."""
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._refuse_intruders()
        claimed = self._open_name(shard, attempt)
        claimed.mkdir(parents=True)
        return ClaimedTable(claimed, None)

    def _refuse_intruders(self) -> None:
        """A table is believed as it is, so the folder of all runs, whose name can be guessed, must be one's own."""
        base = self.folder.parent
        if problem := intruders(base):
            raise ClusterError(
                f"the folder for tables, {base}, {problem}: remove it there, or name another on every worker with "
                "--conf spark.epochal.cacheDir=DIR"
            )

    def _open_name(self, shard: int, attempt: str) -> Path:
        return self.folder / f"{shard}-{attempt}.{os.getpid()}.open"

    def forget_stale(self, shard: int) -> None:
        """Remove what is left of a partition by attempts that are over: none of it will be claimed."""
        for path in self.folder.glob(f"{shard}-*"):
            if path.suffix != ".open" or not _alive(int(path.suffixes[-2][1:])):
                shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True)
class ClaimedTable:
    """A table that belongs to one attempt until it is closed. `size` is None for a new one."""

    folder: Path
    size: TableSize | None

    def block(self, name: str, size: int) -> FileBlock:
        """A new block of the table."""
        return FileBlock(self.folder / name, size, new=True)

    def kept_block(self, name: str, size: int) -> FileBlock:
        """A block that the table has. Raises OSError if it has none, ValueError for one that is shorter."""
        return FileBlock(self.folder / name, size, new=False)

    def close(self, size: TableSize, shard: int, token: str) -> None:
        """Leave the table, complete, to the next level. Raises OSError."""
        (self.folder / HEAD).write_bytes(_head(size))
        for file in self.folder.glob("table-*"):
            if file.name != f"table-{size.slots}":
                file.unlink()
        self.folder.rename(self.folder.parent / f"{shard}-{token}")

    def discard(self) -> None:
        """Remove the table."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _head(size: TableSize) -> bytes:
    """What a table's folder says of it, after a checksum."""
    text = json.dumps({**asdict(size), "system": _system()}).encode()
    return _checksum(text) + text


def _size(head: bytes) -> TableSize:
    """The inverse of `_head`. Raises ValueError if it is damaged, or of another boot, machine or version."""
    checksum, text = head[:CHECKSUM_BYTES], head[CHECKSUM_BYTES:]
    if checksum != _checksum(text):
        raise ValueError("not as it was written")
    facts = json.loads(text)
    if facts.pop("system") != _system():
        raise ValueError("of another system")
    try:
        return TableSize(**facts)
    except TypeError as error:
        raise ValueError("of another version") from error


def _checksum(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=CHECKSUM_BYTES).digest()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _system() -> str:
    """This boot of this machine: pages that were never written to the disk do not survive it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return str(os.uname().nodename)


# -- memory -----------------------------------------------------------------------------------------------------------
# Memory for tables: growing blocks in this process or in files, and the kernel's context.

# -- mappings ---------------------------------------------------------------------------------------------------------
# Mapped files that a process keeps from task to task, so that a page which was touched once is not faulted in again. A
# mapping is known by the device and inode of its file. The descriptor that is kept with it keeps the inode from being
# given to another file meanwhile.

ALL = 1 << 30
OF_ONE_TABLE = 4
"""How many mappings are kept: all of them where tasks run on the machine of the driver. Elsewhere those of the last
table, as some cluster managers count every page once for each process that has it mapped."""


class Mappings:
    """The mappings that are not in use."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[int, mmap.mmap]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, file: int) -> mmap.mmap:
        """The mapping of the whole of an open file: one that is kept, or a new one. Raises OSError."""
        status = os.fstat(file)
        kept = self._kept.pop((status.st_dev, status.st_ino), None)
        if kept is None:
            return mmap.mmap(file, 0)
        _, mapped = kept
        if len(mapped) == status.st_size:
            os.close(kept[0])
            return mapped
        _close(kept)  # another process has made the file larger
        return mmap.mmap(file, 0)

    def keep(self, file: int, mapped: mmap.mmap) -> None:
        """Keep a mapping, with a descriptor of its file, until it is asked for again."""
        status = os.fstat(file)
        self._kept[status.st_dev, status.st_ino] = (file, mapped)

    def tidy(self, most: int) -> None:
        """Let go of the mappings of files that are gone, and of those least lately used beyond so many."""
        for key, kept in list(self._kept.items()):
            if not os.fstat(kept[0]).st_nlink or len(self._kept) > most:
                del self._kept[key]
                _close(kept)


def _close(kept: tuple[int, mmap.mmap]) -> None:
    file, mapped = kept
    mapped.close()
    os.close(file)


MAPPINGS = Mappings()
"""Those of this process."""


def in_memory(_: str, size: int) -> Region:
    """A block of this process's own memory."""
    return Region(size)


class FileBlock:
    """A block that is a file: other processes find it later, and the system can write it out when memory is short."""

    def __init__(self, path: Path, size: int, new: bool) -> None:
        """A new block, zeroed; or one that is there, with so many bytes at least. Raises OSError, ValueError."""
        self._file = os.open(path, os.O_RDWR | (os.O_CREAT | os.O_EXCL if new else 0), 0o600)
        try:
            if new:
                self._reserve(size)
            elif (there := os.fstat(self._file).st_size) < size:
                raise ValueError(f"{path} has {there:,} bytes instead of {size:,}")  # the rest would be zeros
            self._map = MAPPINGS.take(self._file)
        except BaseException:
            os.close(self._file)
            raise

    def _reserve(self, size: int) -> None:
        """Have the disk space now: a full disk is an error here, and a crash when mapped memory is written."""
        if size > os.fstat(self._file).st_size:
            os.posix_fallocate(self._file, 0, size)

    @property
    def address(self) -> int:
        """Where the block begins; changes when it grows."""
        return address_of(self._map)

    def grow(self, size: int) -> None:
        """Make the file at least this large; the rest is zero."""
        if size > len(self._map):
            self._reserve(size)
            self._map.resize(size)

    def close(self) -> None:
        """Leave the mapping to the next task of this process; the file stays."""
        MAPPINGS.keep(self._file, self._map)


Block = Region | FileBlock
"""Zeroed memory that can grow."""

MakeBlock = Callable[[str, int], Block]
