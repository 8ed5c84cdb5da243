"""The tasks of a level. A task settles what its partition was sent: it decides which of the states are new, logs them
and evaluates the properties on them. Then it expands them at once. What the partition owns of the successors goes into
its table, as candidates of the next level; the others are sent to their owners. Where that was not done, or is lost,
another task expands what the log has of the partition, and sends all of it.

Both depend on nothing but their job and what the storage holds, so an attempt can be repeated, run twice at a time or
thrown away. A table counts with its candidates or not at all; with one that is made again from the log they are found
again, by expanding what the log has of the partition in the last level.
"""

from __future__ import annotations

import ctypes
import functools
import os
import tempfile
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Self, TypeVar
from typing import Protocol as Shape

from ...base.numbers import counted
from ...native.kernel.kernel import FAILURE, HASH_BYTES, SUPERSTEP_CONTEXT, column_bytes
from ...native.program.program import EXTRA_WORDS
from ...native.runtime.memory import Context, Region, address_of, bytes_at
from .log import (
    DIGESTS,
    KEPT,
    SUMS,
    WORD,
    Head,
    Level,
    LogFile,
    Owning,
    Report,
    Tally,
    heads_in,
    read_log,
    read_recorded,
    write_log,
)
from .master import ClusterError, LogDamaged, on_this_machine
from .owner import ALL, MAPPINGS, OF_ONE_TABLE, ClaimedTable, Owner, TableCache, in_memory
from .program import Loaded, Program, loaded
from .storage import Hold, Storage, Stream

# -- exchange ---------------------------------------------------------------------------------------------------------
# The exchange of a level: what a task sends to the owners of the next one, in one file on the shared storage.
#
# A file holds entries sorted by owner, stretch after stretch: as they lie in memory, or packed where the storage is
# remote. Owners read their stretches. Like the owner tables it is only a cache. It is not forced to the
# disk; the driver holds where each stretch is and a checksum of it, and where one is missing or damaged the level is
# expanded again from the log. A file is named after the driver, the level that it is for and the attempt that wrote it.
# So one that a superseded attempt leaves is never read, and a driver that has lost the storage to another has nothing
# in common with it.

# -- packing ----------------------------------------------------------------------------------------------------------
# How entries lie in a file of the exchange where the storage is remote: packed, as its bytes cost more than packing. Of
# a stretch there are first the hashes of the states before, as they are: they are random. Then the other columns,
# compressed by zstd at its first level. So a stretch has half the bytes (docs/decisions/004-spark-keeps-a-log.md). What
# is unpacked has as many entries as the driver says, or is refused: no size in a file is believed.

CODEC, LEVEL = "zstd", 1


class Unpackable(ValueError):
    """Bytes that are not so many packed entries."""


class Packing:
    """Packs and unpacks the entries of a program, in memory that is used again."""

    def __init__(self, code: Loaded) -> None:
        self._code = code
        self.entry = 8 * (code.program.words + 2)
        self._columns = column_bytes(code.program.words)
        self._hashes, self._room = Region(8), Region(8)

    @cached_property
    def _codec(self) -> Any:
        import pyarrow as pa

        return pa.Codec(CODEC, LEVEL)

    def pack(self, entries: memoryview) -> tuple[memoryview, memoryview]:
        """The two parts of a stretch. They are there until the next one is packed."""
        count = len(entries) // self.entry
        hashes, columns = self._hashes, self._room
        hashes.grow(count * HASH_BYTES)
        columns.grow(count * self._columns)
        self._code.to_columns(address_of(entries), hashes.address, columns.address, count)
        packed = self._codec.compress(bytes_at(columns.address, count * self._columns), asbytes=True)
        return bytes_at(hashes.address, count * HASH_BYTES), memoryview(packed)

    def unpack(self, packed: memoryview, count: int) -> int:
        """Where so many entries lie that were packed, until others are unpacked. Raises Unpackable."""
        parts = packed[: count * HASH_BYTES], packed[count * HASH_BYTES :]
        try:
            columns = self._codec.decompress(parts[1], count * self._columns)  # it raises if there are fewer, or more
        except (OSError, ValueError) as error:  # whichever of them Arrow has for it
            raise Unpackable(f"is not {count:,} entries: {error}") from error
        self._room.grow(count * self.entry)
        self._code.to_records(self._room.address, address_of(packed), columns.address, count)
        return self._room.address


@lru_cache(maxsize=1)
def _of(code: Loaded) -> Packing:
    return Packing(code)


def packing_for(storage: Storage, code: Loaded) -> Packing | None:
    """How entries are packed for a storage; None where they are not, on a file system of this machine."""
    return _of(code) if storage.local is None else None


FOLDER = "exchange"


class ExchangeLost(Exception):
    """A stretch of the exchange is not what was written. The level is expanded again."""


@dataclass(frozen=True)
class Stretch:
    """Entries for one owner in a file of the exchange: `size` bytes from `offset` on, with their CRC-32.

    `sender` is the partition that has the states before. `packed` is how many entries they are if they are packed.
    """

    sender: int
    name: str
    offset: int
    size: int
    checksum: int
    packed: int = 0


Inbox = tuple[Stretch, ...]
"""What a partition is sent."""


def folder_of(driver: str, level: int) -> str:
    """Where what is sent to a level lies."""
    return f"{FOLDER}/{driver}/level-{level:05d}"


class Outbox:
    """Writes the file of one task, if there is anything to write: what it sends to the owners of a level."""

    def __init__(self, storage: Storage, folder: str, shard: int, token: str, packing: Packing | None = None) -> None:
        self._storage, self._shard, self._name = storage, shard, f"{folder}/part-{shard:05d}-{token}.entries"
        self._packing = packing
        self._file: Stream | None = None
        self._end = 0
        self._sent: list[tuple[int, Stretch]] = []

    def put(self, entries: memoryview, sizes: Sequence[int], first: int = 0) -> None:
        """Write entries sorted by owner, so many bytes for each from the owner `first` on. Raises OSError."""
        if not entries:
            return
        if self._file is None:
            self._file = self._storage.create(self._name)
        if self._packing is None:
            self._file.write(entries)
        start = 0
        for owner, size in enumerate(sizes, first):
            if size:
                part = entries[start : start + size]
                if self._packing is None:
                    self._note(owner, size, zlib.crc32(part))
                else:
                    self._write_packed(owner, part, self._file, self._packing)
                start += size

    def _write_packed(self, owner: int, entries: memoryview, file: Stream, packing: Packing) -> None:
        hashes, columns = packing.pack(entries)
        file.write(hashes)
        file.write(columns)
        checksum = zlib.crc32(columns, zlib.crc32(hashes))
        self._note(owner, len(hashes) + len(columns), checksum, len(entries) // packing.entry)

    def _note(self, owner: int, size: int, checksum: int, packed: int = 0) -> None:
        self._sent.append((owner, Stretch(self._shard, self._name, self._end, size, checksum, packed)))
        self._end += size

    @property
    def sent(self) -> tuple[tuple[int, Stretch], ...]:
        """What each owner was sent."""
        return tuple(self._sent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """The file is complete. Of a task that has failed there is none."""
        if self._file is not None:
            if kind is None:
                self._file.close()
            else:
                self._file.abandon()


class Reader:
    """Reads stretches into memory that is used again for the next one."""

    def __init__(self) -> None:
        self._region = Region(8)

    def read(
        self, storage: Storage, inbox: Iterable[Stretch], packing: Packing | None = None
    ) -> Iterator[tuple[int, int, int]]:
        """The address, size and sender of the entries of one stretch after the other, each checked.

        Raises ExchangeLost.
        """
        for stretch in inbox:
            self._region.grow(stretch.size)
            address = self._region.address
            content = bytes_at(address, stretch.size)
            try:
                got = storage.read_into(stretch.name, stretch.offset, content)
            except OSError as error:
                raise ExchangeLost(f"{storage.path(stretch.name)} cannot be read: {error}") from error
            if got != stretch.size:
                raise ExchangeLost(f"{storage.path(stretch.name)} ends too early")
            if zlib.crc32(content) != stretch.checksum:
                raise ExchangeLost(f"{storage.path(stretch.name)} has another content than the one that was written")
            if packing is None:
                yield address, stretch.size, stretch.sender
                continue
            try:
                entries = packing.unpack(content, stretch.packed)
            except Unpackable as error:
                raise ExchangeLost(f"a part of {storage.path(stretch.name)} {error}") from error
            yield entries, stretch.packed * packing.entry, stretch.sender


def inboxes(sent: Iterable[tuple[int, Stretch]]) -> dict[int, Inbox]:
    """What each partition is sent, of those that are sent anything."""
    found: dict[int, list[Stretch]] = {}
    for owner, stretch in sent:
        found.setdefault(owner, []).append(stretch)
    return {owner: tuple(found[owner]) for owner in sorted(found)}


# -- expander ---------------------------------------------------------------------------------------------------------
# Expanding the part of a level that a partition owns, into entries for the owners of the successors.

SENT_ENTRIES = 1 << 20
SCRATCH_BATCH = 96


Sink = Callable[[memoryview, Sequence[int]], None]
"""Takes entries that are sorted by owner, and how many bytes of them each owner gets; they are gone afterwards."""

Where = Callable[[], int]
"""The address of what is expanded. A sink may move it."""


def fixed(address: int) -> Where:
    """An address that no sink changes."""
    return lambda: address


class Expander:
    """Expands states for one partition after the other, in memory that is kept between them.

    Duplicates among up to SENT_ENTRIES successors are removed before they are sent.
    """

    def __init__(self, code: Loaded, shards: int, owning: Owning) -> None:
        program = code.program
        self.code, self.shards, self.owning = code, shards, owning
        self._owning = (WORD * len(owning))(*owning)
        self._bytes = 8 * (program.words + 2)
        self._scratch_entries = program.out_degree + SCRATCH_BATCH
        self._scratch = (WORD * (self._scratch_entries * (program.words + EXTRA_WORDS)))()
        self._sent, self._wire, self._table = Region(self._bytes), Region(self._bytes), Region(8)
        self._slots = 0
        self._offsets = (WORD * shards)()
        self._constants = (WORD * (program.instances + 1))(*program.constants, 0)
        self._context = context = Context(SUPERSTEP_CONTEXT)
        context.update(
            {
                "shards": shards,
                "scratch": ctypes.addressof(self._scratch),
                "scratch_entries": self._scratch_entries,
                "out_degree": program.out_degree,
                "offsets": ctypes.addressof(self._offsets),
                "owning": ctypes.addressof(self._owning),
                "constants": ctypes.addressof(self._constants),
                **{name: code.model.address(name) for name in ("step", "judge", "within")},
            }
        )
        self.begin(0, 0, 0)

    def begin(self, shard: int, pending: int, states: int) -> None:
        """Begin with a partition that has about so many states, and the properties with these bits."""
        context, program = self._context, self.code.program
        self._tally = Tally(program.words, program.instances)
        context.update(self._tally.addresses())
        for name in (*SUMS, *DIGESTS):
            context[name] = 0
        room = min(SENT_ENTRIES, states * program.out_degree) + self._scratch_entries
        for region in (self._sent, self._wire):
            region.grow(room * self._bytes)
        self._slots = 2 * room
        self._table.grow(8 * self._slots)
        context.update(
            {
                "shard": shard,
                "pending": pending,
                "sent": self._sent.address,
                "sent_room": room,
                "sent_table": self._table.address,
                "sent_slots": self._slots,
                "wire": self._wire.address,
            }
        )
        self._empty()

    def _empty(self) -> None:
        """There is nothing to be sent."""
        self._context["sent_count"] = 0
        ctypes.memset(self._table.address, 0, 8 * self._slots)

    def expand(self, states: Where, count: int, sink: Sink) -> None:
        """Expand those of `count` states that the partition owns; the sink gets entries when there are many."""
        context = self._context
        context["cursor"], context["end"] = 0, count
        while context["cursor"] < count:
            context["frontier"] = states()
            self.code.expand(context.address)
            if context["cursor"] < count:
                self._send(sink)

    def finish(self, sink: Sink) -> Report:
        """Send what is left; what has been counted and found since the beginning."""
        self._send(sink)
        return self._tally.report(self._context)

    def _send(self, sink: Sink) -> None:
        context = self._context
        if not context["sent_count"]:
            return
        ctypes.memset(self._offsets, 0, ctypes.sizeof(self._offsets))
        self.code.count_owners(context.address)
        counts = list(self._offsets)
        self._offsets[:] = list(accumulate(counts, initial=0))[:-1]
        self.code.scatter(context.address)
        size = context["sent_count"] * self._bytes
        entries = bytes_at(context["wire"], size)
        sink(entries, [count * self._bytes for count in counts])
        self._empty()

    def close(self) -> None:
        """Free the memory."""
        for region in (self._sent, self._wire, self._table):
            region.close()


Hook = Callable[[str, int], None]
"""Called with the name of a moment and the partition; lets tests fail a task where it hurts."""

NOTHING = Report()

SEEN_AFTER = 60.0
"""A file system that many machines have mounted may show them a new file only after so many seconds."""


@dataclass(frozen=True)
class Job:
    """One level: everything its tasks need, but for what their partitions were sent.

    `levels` are those of the log so far, or the last of them, after `before` others. `program` gives the machine code.
    `cache` is the folder below which the owner tables are on each worker ("": its temporary folder). `pending` are the
    bits of the properties still looked for, `owning` those of a state that say who owns it. `mappings` is how many
    files of tables a worker keeps mapped. `head` is the one by which the driver has recorded these levels, `driver` the
    name of the driver, below which tasks send each other what they find.
    """

    run: str
    storage: Storage
    program: Callable[[], Program]
    levels: tuple[Level, ...]
    shards: int
    owning: Owning
    pending: int
    cache: str = ""
    hook: Hook | None = None
    before: int = 0
    mappings: int = ALL
    head: Head | None = None
    driver: str = ""

    @property
    def number(self) -> int:
        """The number of the level that is being made; the initial states are level 0."""
        return self.before + len(self.levels)

    def slim(self) -> Job:
        """The same with the last level only: what it takes to send it does not grow with the number of levels."""
        return replace(self, levels=self.levels[-1:], before=self.number - 1)

    def all_levels(self) -> tuple[Level, ...]:
        """Every level of the log so far: of a slim job, as the manifest has them. Raises LogDamaged, ClusterError."""
        if not self.before:
            return self.levels
        until = time.monotonic() + SEEN_AFTER
        while self.head is not None:
            if (manifest := read_recorded(self.storage, self.head)) is not None:
                return manifest.levels
            if any(other.number >= self.head.number + KEPT for other in heads_in(self.storage)):
                raise ClusterError(f"another driver has gone on with the search in {self.storage.uri}")
            if time.monotonic() > until:
                break
            time.sleep(0.2)
        raise LogDamaged(
            f"{self.storage.uri} lacks the manifest of {self.number:,} levels, which the driver has written.\n"
            "  Give --storage a folder that the driver and every executor see alike."
        )

    def at(self, moment: str, shard: int) -> None:
        """Tell whoever wants to know."""
        if self.hook is not None:
            self.hook(moment, shard)

    @property
    def cache_folder(self) -> Path:
        """Where this worker keeps the owner tables of the run."""
        return Path(self.cache or tempfile.gettempdir()) / f"epochal-spark-{os.getuid()}" / self.run


@dataclass(frozen=True)
class Inserted:
    """What is new in a partition: its file of the log, and the report on its new states."""

    file: LogFile
    report: Report


@dataclass(frozen=True)
class Outcome:
    """What a task hands back: what was new, if it settled anything; the report on what it expanded, and what it sent.

    `kept` says that its table has candidates of the next level, which were not sent. `lost` says what of its inbox
    could not be read: then there is nothing else.
    """

    shard: int
    inserted: Inserted | None = None
    expanded: Report = NOTHING
    sent: tuple[tuple[int, Stretch], ...] = ()
    kept: bool = False
    lost: str = ""


@dataclass(frozen=True)
class Order:
    """What a task does: expand what the log has of a partition; or, with an inbox, settle what the partition was sent.

    `kept` says that its own successors are not in the inbox: they were kept in its table.
    """

    shard: int
    inbox: Inbox | None = None
    kept: bool = False


def run_task(job: Job, order: Order) -> Outcome:
    """Do what is ordered."""
    return expand_logged(job, order.shard) if order.inbox is None else advance(job, order)


def expand_logged(job: Job, shard: int) -> Outcome:
    """Expand what the log has of a partition in the last level."""
    job.at("expand", shard)
    files = job.levels[-1].of(shard, job.shards)
    expander = _expander(job)
    expander.begin(shard, job.pending, sum(file.count for file in files))
    packing = packing_for(job.storage, loaded(job.program()))
    with Outbox(job.storage, folder_of(job.driver, job.number), shard, _token(), packing) as outbox:
        for file in files:
            states = read_log(job.storage, file)
            expander.expand(fixed(states.address), states.count, outbox.put)
        report = expander.finish(outbox.put)
    job.at("exchange written", shard)
    return Outcome(shard, None, report, outbox.sent)


def advance(job: Job, order: Order) -> Outcome:
    """Decide which of the entries sent to a partition, or kept by it, are new, log and check those, and expand them.

    They are expanded with the properties that are pending before this level is checked: what the level itself closes is
    known only when all partitions are done.
    """
    shard, token = order.shard, _token()
    packing = packing_for(job.storage, loaded(job.program()))
    table, owner = _opened(job, order, token)
    try:
        for stretch in _reader.read(job.storage, order.inbox or (), packing):
            owner.insert(*stretch)
        inserted = settle(owner, job, shard, token)
        job.at("expand", shard)
        with Outbox(job.storage, folder_of(job.driver, job.number + 1), shard, token, packing) as outbox:
            report = _expand_new(owner, job, shard, outbox)
        job.at("exchange written", shard)
        size = owner.size
    except BaseException as error:
        owner.close()
        table.discard()
        if isinstance(error, ExchangeLost):
            return Outcome(shard, lost=str(error))
        raise
    owner.close()
    table.close(size, shard, token)
    MAPPINGS.tidy(job.mappings)
    job.at("table closed", shard)
    return Outcome(shard, inserted, report, outbox.sent, size.count > size.settled)


def _expand_new(owner: Owner, job: Job, shard: int, outbox: Outbox | None) -> Report:
    """Expand what is new in a partition: what it owns itself is entered as new in the level after, the rest is sent."""
    first, count = owner.settled, owner.count - owner.settled
    owner.begin_level()
    expander = _expander(job)
    expander.begin(shard, job.pending, count)

    def put(entries: memoryview, sizes: Sequence[int]) -> None:
        start, size = sum(sizes[:shard]), sizes[shard]
        owner.insert(address_of(entries) + start, size, shard)
        if outbox is not None:
            outbox.put(entries[:start], sizes[:shard])
            outbox.put(entries[start + size :], sizes[shard + 1 :], shard + 1)

    expander.expand(lambda: owner.address(first), count, put)
    return expander.finish(put)


def settle(owner: Owner, job: Job, shard: int, token: str) -> Inserted:
    """Evaluate properties on the states that are new in this level, and log them."""
    report = owner.evaluate(job.pending)
    job.at("table updated", shard)
    file = write_log(job.storage, job.number, shard, token, owner.words, owner.new())
    job.at("log written", shard)
    return Inserted(file, report)


_reader = Reader()
_expanders: list[Expander] = []
"""At most one: this process uses its memory again for every task."""


def _expander(job: Job) -> Expander:
    code = loaded(job.program())
    if _expanders:
        kept = _expanders[0]
        if (kept.code, kept.shards, kept.owning) != (code, job.shards, job.owning):
            _expanders.pop().close()
    if not _expanders:
        _expanders.append(Expander(code, job.shards, job.owning))
    return _expanders[0]


def _token() -> str:
    return uuid.uuid4().hex[:12]


def _opened(job: Job, order: Order, attempt: str) -> tuple[ClaimedTable, Owner]:
    """The owner's table as of the last level: the cached one if it is that, else rebuilt from the log.

    It has the candidates that were kept, if any were.
    """
    shard, cache, code = order.shard, TableCache(job.cache_folder), loaded(job.program())
    last = job.levels[-1]
    token = last.files[shard].token if last.shards == job.shards else ""
    if token and (table := cache.claim(shard, token, attempt)) is not None and table.size is not None:
        try:
            owner = Owner(code, shard, job.shards, job.owning, table.block, (table.size, table.kept_block))
        except (OSError, ValueError):  # a file of it is gone or too short: the log has everything
            table.discard()
        else:
            cache.forget_stale(shard)
            return table, owner
    levels = job.all_levels()
    table = cache.make(shard, attempt)
    try:
        owner = Owner(code, shard, job.shards, job.owning, table.block)
        _rebuild(owner, job, levels, shard)
        if order.kept:
            _expand_new(owner, job, shard, None)  # counted before
        else:
            owner.begin_level()
    except BaseException:
        table.discard()
        raise
    return table, owner


def _rebuild(owner: Owner, job: Job, levels: Sequence[Level], shard: int) -> None:
    """Enter the states of all levels, the last one as one that is made. Raises LogDamaged.

    Of a level that is logged by these partitions every state of the partition must be new, and belong to it.
    """
    for number, level in enumerate(levels, 1):
        if number == len(levels):
            owner.begin_level()
        before = owner.count
        admit(owner, job.storage, [level], shard, job.shards)
        found, known = owner.count - before, sum(file.count for file in level.of(shard, job.shards))
        if level.shards == job.shards and found != known:
            raise LogDamaged(
                f"level {number - 1} of {job.storage.uri} has {found:,} new states of partition {shard} in the log"
                f" instead of {known:,}.\n  Start again with another --storage."
            )


def admit(owner: Owner, storage: Storage, levels: Sequence[Level], shard: int, shards: int) -> None:
    """Enter every state that levels of the log have of a partition. Raises LogDamaged."""
    for level in levels:
        for file in level.of(shard, shards):
            states = read_log(storage, file)
            owner.admit(states.address, states.count)


# -- supersteps -------------------------------------------------------------------------------------------------------
# Who makes a level: the driver itself while levels are small, tasks on Spark from then on.

T = TypeVar("T")


class OnDriver:
    """Levels with a single partition, in this process: one of some thousand states is not worth a Spark job."""

    def __init__(self, job: Job) -> None:
        """The state of a search as of the levels of a job, which are read from its log."""
        code = loaded(job.program())
        self._owner, self._expander = Owner(code, 0, 1, job.owning, in_memory), Expander(code, 1, job.owning)
        admit(self._owner, job.storage, job.levels, 0, 1)

    def __call__(self, job: Job) -> tuple[Report, list[Inserted]]:
        """Make one level: what was counted when the last was expanded, and what is new."""
        self._owner.begin_level()
        self._expander.begin(0, job.pending, job.levels[-1].count)
        for file in job.levels[-1].written:
            states = read_log(job.storage, file)
            self._expander.expand(fixed(states.address), states.count, self._insert)
        expanded = self._expander.finish(self._insert)
        return expanded, [settle(self._owner, job, 0, uuid.uuid4().hex[:12])]

    def initial(self, job: Job, entries: memoryview) -> tuple[Report, list[Inserted]]:
        """Make the first level, of the initial states."""
        self._owner.begin_level()
        self._insert(entries, [len(entries)])
        return Report(), [settle(self._owner, job, 0, uuid.uuid4().hex[:12])]

    def _insert(self, entries: memoryview, sizes: Sequence[int]) -> None:
        self._owner.insert(address_of(entries), sum(sizes), 0)

    def close(self) -> None:
        """Free the memory."""
        self._owner.close()
        self._expander.close()


class Supersteps(Shape):
    """What runs the tasks of many partitions."""

    parallelism: int
    """How many tasks run at a time."""

    @property
    def program(self) -> Callable[[], Program]:
        """How a task gets at the machine code."""

    def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
        """Run a task for each order; what they hand back, in their order."""

    def share(self, value: T) -> Callable[[], T]:
        """How a task gets at a value that all of them need."""

    def each(self, name: str, task: Callable[[T], Any], orders: Sequence[T]) -> list[Any]:
        """What a task answers to each order, in their order."""

    def cancel(self) -> None:
        """Stop the tasks that are running."""

    def standing(self) -> str:
        """How far the tasks that are running are, in words; "" if there is nothing to say."""


class OnSpark:
    """Tasks of a level as a Spark job of one stage. Each carries its own order, and nothing of the others."""

    def __init__(self, session: Any, program: Program, group: str) -> None:
        self._context = context = session.sparkContext
        self.parallelism = int(context.defaultParallelism)
        self._shared = context.broadcast(program)
        self._group = group
        self._mappings = ALL if on_this_machine(context.master) else OF_ONE_TABLE
        self._doing = ""
        page = context.uiWebUrl
        self._page = f" ({page})" if page else ""

    @property
    def program(self) -> Callable[[], Program]:
        """How a task gets at the program: sent to each executor once."""
        return functools.partial(_value, self._shared)

    def share(self, value: T) -> Callable[[], T]:
        """How a task gets at a value: sent to each executor once."""
        return functools.partial(_value, self._context.broadcast(value))

    def each(self, name: str, task: Callable[[T], Any], orders: Sequence[T]) -> list[Any]:
        """Run a task for each order."""
        context = self._context
        context.setJobGroup(self._group, name, interruptOnCancel=False)
        return list(context.parallelize(orders, len(orders)).map(task).collect())

    def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
        """Run a task for each order. Raises ClusterError if what one hands back is missing."""
        context = self._context
        self._doing = f"level {job.number}"
        context.setJobGroup(self._group, self._doing, interruptOnCancel=False)
        sent = replace(job.slim(), mappings=self._mappings)
        tasks = context.parallelize(orders, len(orders)).map(functools.partial(run_task, sent))
        outcomes: list[Outcome] = tasks.collect()
        if [one.shard for one in outcomes] != [order.shard for order in orders]:
            raise ClusterError(f"level {job.number} lacks the result of a partition")
        return outcomes

    def standing(self) -> str:
        """The level, its tasks, and where Spark shows more."""
        context = self._context
        tracker = context.statusTracker()
        stages = [found for number in tracker.getActiveStageIds() if (found := tracker.getStageInfo(number))]
        done, tasks = sum(one.numCompletedTasks for one in stages), sum(one.numTasks for one in stages)
        return f"{self._doing}: {done} of {counted(tasks, 'task')}{self._page}" if stages else ""

    def cancel(self) -> None:
        """Stop the tasks that are running."""
        self._context.cancelJobGroup(self._group)


def _value(shared: Any) -> Any:
    return shared.value


# -- stages -----------------------------------------------------------------------------------------------------------
# Level after level by tasks of one stage: a task settles a level in its partition and expands it for the next one. So
# what is expanded is a level ahead of what is recorded. It counts when the next level is recorded, and not at all if
# the level that was expanded ends the search.

TRIES = 3
"""How often the exchange of one level may be lost."""

Run = Callable[[Job, Sequence[Order]], list[Outcome]]
"""Runs a task for each order, and gives what they hand back."""


@dataclass(frozen=True)
class Sent:
    """What the expansion of a level has counted and found, and what there is for each partition: what it was sent, and
    whether it has kept what it sent itself.
    """

    report: Report
    orders: tuple[Order, ...]

    def after(self, pending: int, still: int) -> Sent | None:
        """What counts of it, if `still` of the pending properties are looked for when the level itself is checked.

        None if the level must be expanded again: a rule has failed, and perhaps one that is not checked any more.
        """
        closed = pending & ~still
        if closed and any(found.slot == FAILURE for found in self.report.findings):
            return None
        findings = tuple(found for found in self.report.findings if found.slot == FAILURE or still >> found.slot & 1)
        return replace(self, report=replace(self.report, findings=findings))


class Stages:
    """The levels that tasks make, as their driver sees them. `told` is what the user should know of it."""

    def __init__(self, storage: Storage, hold: Hold) -> None:
        self._storage, self._hold = storage, hold
        self._sent: Sent | None = None
        self._next: Sent | None = None
        self.told: list[str] = []
        hold.remove_folder(storage, FOLDER)  # of drivers before

    def make(self, job: Job, run: Run) -> tuple[Report, list[Inserted]]:
        """Make a level: what was counted when the last was expanded, and what is new in each partition.

        Raises ClusterError if what is sent to it is lost again and again.
        """
        lost = ""
        for _ in range(TRIES):
            self._sent = self._sent or _sent(run(job, [Order(shard) for shard in range(job.shards)]))
            settled = run(job, self._sent.orders) if self._sent.orders else []
            lost = next((one.lost for one in settled if one.lost), "")
            if not lost:
                self._next = _sent(settled)
                return self._sent.report, _with_others(job, settled)
            self._sent = None
            self.told.append(f"level {job.number - 1} was expanded again from the log: {lost}")
        raise ClusterError(
            f"what tasks sent to level {job.number} was lost {TRIES} times: {lost}.\n"
            "  Give --storage a folder that every executor sees alike, and go on with --resume last."
        )

    def recorded(self, level: int, pending: int, still: int) -> None:
        """A level counts, and of the properties that were pending `still` are: what was sent to it is not needed."""
        self._hold.remove_folder(self._storage, folder_of(self._hold.driver, level))
        self._sent = None if self._next is None else self._next.after(pending, still)

    def close(self) -> None:
        """Remove what was sent: nobody will read it."""
        self._sent = self._next = None
        self._hold.remove_own(self._storage, FOLDER)


def _sent(outcomes: Sequence[Outcome]) -> Sent:
    report = NOTHING
    for outcome in outcomes:
        report += outcome.expanded
    found = inboxes(one for outcome in outcomes for one in outcome.sent)
    kept = {outcome.shard for outcome in outcomes if outcome.kept}
    return Sent(report, tuple(Order(shard, found.get(shard, ()), shard in kept) for shard in sorted({*found, *kept})))


def _with_others(job: Job, settled: Sequence[Outcome]) -> list[Inserted]:
    """What is new in every partition. One that was sent nothing had no task: its table still has its old name."""
    last = job.levels[-1]
    tokens = [file.token for file in last.files] if last.shards == job.shards else [""] * job.shards
    found = [Inserted(LogFile(shard, token, "", 0, 0, 0), NOTHING) for shard, token in enumerate(tokens)]
    for one in settled:
        if one.inserted is not None:
            found[one.shard] = one.inserted
    return found
