"""Control groups: how much memory the system gives a container or a service, which may be less than the machine has.

The groups of a process stand in /proc/self/cgroup, one a line: `0::/path` in version 2, `4:memory:/path` in version 1.
A group has its own limit and those of all groups above it. In a container the path may be the one outside of it, where
nothing is to be seen; the limit then stands at the top.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

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
