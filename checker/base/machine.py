"""What a running search costs: time, processor time and memory of this process."""

from __future__ import annotations

import gc
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

# -- control groups ---------------------------------------------------------------------------------------------------
# Control groups: how much memory the system gives a container or a service, which may be less than the machine has. The
# groups of a process stand in /proc/self/cgroup, one a line: `0::/path` in version 2, `4:memory:/path` in version 1. A
# group has its own limit and those of all groups above it. In a container the path may be the one outside of it, where
# nothing is to be seen; the limit then stands at the top.

MEMBERSHIP = Path("/proc/self/cgroup")
MOUNT = Path("/sys/fs/cgroup")


def memory_of_control_groups() -> int | None:
    """The least limit on memory of the groups that this process is in, in bytes; None if there is no limit."""
    try:
        lines = MEMBERSHIP.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # a system without control groups, or one that hides them
        lines = []
    folders = {MOUNT: "memory.max", MOUNT / "memory": "memory.limit_in_bytes"}
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            top, file = MOUNT, "memory.max"
        elif "memory" in controllers.split(","):
            top, file = MOUNT / "memory", "memory.limit_in_bytes"
        else:
            continue
        within = PurePosixPath(path.lstrip("/"))
        if ".." not in within.parts:
            folders |= {top / part: file for part in (within, *within.parents)}
    limits = [_limit(folder / file) for folder, file in folders.items()]
    return min((limit for limit in limits if limit is not None), default=None)


def _limit(file: Path) -> int | None:
    """The number in a file; None if it says "max", or is not there: the group at the top has none."""
    try:
        text = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return int(text) if text.isdecimal() else None


_UNIT = 1 if sys.platform == "darwin" else 1024


def peak_memory() -> int:
    """The largest resident memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def _pages_of_this_process() -> list[int]:
    """The numbers of `/proc/self/statm`. Searches ask so often that it is read without Python's layers of files."""
    file = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return [int(field) for field in os.read(file, 256).split()]
    finally:
        os.close(file)


def resident_memory() -> int:
    """The resident memory of this process now, in bytes; the peak where the system does not tell."""
    try:
        return _pages_of_this_process()[1] * resource.getpagesize()
    except OSError:
        return peak_memory()


def private_memory() -> int:
    """The resident memory that is not backed by files, which the system could write back, in bytes."""
    try:
        _, resident, of_files, *_ = _pages_of_this_process()
        return (resident - of_files) * resource.getpagesize()
    except OSError:
        return peak_memory()


def processors() -> int:
    """How many processors this process may use, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def children_cpu_seconds() -> float:
    """Processor seconds of the processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory_limit() -> int:
    """How much memory this process may use before the system stops it, in bytes: nine tenths of what there is.

    What there is: the machine's memory, or the limit of its control groups if that is smaller.
    """
    there_is = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = memory_of_control_groups()
    return (there_is if limit is None else min(there_is, limit)) // 10 * 9


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the cyclic garbage collector from running: while a graph is built nearly everything stays alive.

    Going through it again and again took seven hundredths of a whole `check` at the default bounds.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


MUCH = 1_000_000
"""How many blocks of memory are looked through for garbage if they are new: some graphs of ordinary size."""

_LEFT = [0]
"""How many blocks there were when they were last looked through."""


@contextmanager
def outside_collection() -> Iterator[None]:
    """Keep the cyclic garbage collector from going through what there is now while this lasts.

    A graph has hundreds of thousands of objects, and each time the collector goes through them takes a tenth of a
    second. What somebody else has taken out of its sight stays so.

    What is garbage by then the collector would never see in a process that makes one graph after another: it runs
    only meanwhile. So it goes through everything first where there is much more than the last time.
    """
    first = gc.get_freeze_count() == 0
    if first and sys.getallocatedblocks() > 2 * _LEFT[0] + MUCH:  # to count objects would take as long as to collect
        gc.collect()
        _LEFT[0] = sys.getallocatedblocks()
    gc.freeze()
    try:
        yield
    finally:
        if first:
            gc.unfreeze()


@dataclass
class Stopwatch:
    """Wall seconds since it was made, and processor seconds of this thread."""

    wall: float = field(default_factory=time.monotonic)
    cpu: float = field(default_factory=time.thread_time)

    def wall_seconds(self) -> float:
        """Seconds on the clock."""
        return time.monotonic() - self.wall

    def cpu_seconds(self) -> float:
        """Seconds on a processor, this thread only."""
        return time.thread_time() - self.cpu
