"""The two tasks of a superstep: expand the part of a level that a partition owns; decide which of the found are new.

Both depend on nothing but their job and the log, so an attempt can be repeated, run twice at a time or thrown away.
"""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .cache import ClaimedTable, TableCache
from .errors import LogDamaged
from .expander import Expander
from .findings import Report, report_of
from .log import Level, LogFile, read_log, write_log
from .owner import Owner
from .program import Program, loaded
from .storage import Storage

Hook = Callable[[str, int], None]
"""Called with the name of a moment and the partition; lets tests fail a task where it hurts."""

NOTHING = Report()


@dataclass(frozen=True)
class Job:
    """One superstep: everything its tasks need.

    `levels` are those of the log so far; the last is expanded. `program` gives the machine code. `cache` is the folder
    below which the owner tables are on each worker ("": its temporary folder). `pending` are the bits of the
    properties still looked for.
    """

    run: str
    storage: Storage
    program: Callable[[], Program]
    levels: tuple[Level, ...]
    shards: int
    pending: int
    cache: str = ""
    hook: Hook | None = None

    @property
    def number(self) -> int:
        """The number of the level that is being made; the initial states are level 0."""
        return len(self.levels)

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
    """What an owner hands back: its file of the log, the report on its new states, and the reports it was sent."""

    file: LogFile
    report: Report

    def text(self) -> str:
        """As JSON."""
        return json.dumps({"file": self.file.document(), "report": self.report.document()})


def inserted_of(text: str) -> Inserted:
    """What `Inserted.text` stands for."""
    document = json.loads(text)
    return Inserted(LogFile(**document["file"]), report_of(document["report"]))


Packet = tuple[int, bytes, str]
"""Owner, entries, and, in the last packet that a task sends, to its own partition, its report."""


def expand(job: Job, shard: int) -> Iterator[Packet]:
    """Expand the states of the last level that a partition owns."""
    job.at("expand", shard)
    files = job.levels[-1].of(shard, job.shards)
    code = loaded(job.program())
    expander = Expander(code, shard, job.shards, job.pending, sum(file.count for file in files))
    try:
        for file in files:
            states = read_log(job.storage, file)
            for owner, entries in expander.expand(states.address, states.count):
                yield owner, entries, ""
        for owner, entries in expander.flush():
            yield owner, entries, ""
        report = expander.report()
    finally:
        expander.close()
    yield shard, b"", json.dumps(report.document())


def insert(job: Job, shard: int, packets: Iterable[tuple[bytes, str]]) -> Inserted:
    """Decide which of the entries sent to an owner are new, log them, and evaluate properties on them."""
    token = uuid.uuid4().hex[:12]
    table, owner = _opened(job, shard, token)
    try:
        inserted = insert_into(owner, job, shard, token, packets)
        size = owner.size
    except BaseException:
        owner.close()
        table.discard()
        raise
    owner.close()
    table.close(size, shard, token)
    job.at("table closed", shard)
    return inserted


def insert_into(owner: Owner, job: Job, shard: int, token: str, packets: Iterable[tuple[bytes, str]]) -> Inserted:
    """Insert the entries into a table that is as of the last level, log what is new, and evaluate properties on it."""
    owner.begin_level()
    total = NOTHING
    for entries, report in packets:
        if entries:
            owner.insert(entries)
        if report:
            total += report_of(json.loads(report))
    total += owner.evaluate(job.pending)
    job.at("table updated", shard)
    file = write_log(job.storage, job.number, shard, token, owner.words, owner.new())
    job.at("log written", shard)
    return Inserted(file, total)


def _opened(job: Job, shard: int, attempt: str) -> tuple[ClaimedTable, Owner]:
    """The owner's table as of the last level: the cached one if it is that, else rebuilt from the log."""
    cache, code = TableCache(job.cache_folder), loaded(job.program())
    last = job.levels[-1]
    token = last.files[shard].token if last.shards == job.shards else ""
    known = sum(file.count for level in job.levels for file in level.of(shard, job.shards))
    exact = all(level.shards == job.shards for level in job.levels)
    if token and (table := cache.claim(shard, token, attempt)) is not None and table.size is not None:
        try:
            owner = Owner(code, shard, job.shards, table.block, table.size)
        except (OSError, ValueError):
            table.discard()
        else:
            cache.forget_stale(shard)
            return table, owner
    table = cache.make(shard, attempt)
    try:
        owner = Owner(code, shard, job.shards, table.block)
        admit_log(owner, job, shard)
    except BaseException:
        table.discard()
        raise
    if exact and owner.count != known:
        raise LogDamaged(f"partition {shard} has {owner.count:,} distinct states in the log instead of {known:,}")
    return table, owner


def admit_log(owner: Owner, job: Job, shard: int) -> None:
    """Enter every state that the log has of a partition. Raises LogDamaged."""
    for level in job.levels:
        for file in level.of(shard, job.shards):
            states = read_log(job.storage, file)
            owner.admit(states.address, states.count)
