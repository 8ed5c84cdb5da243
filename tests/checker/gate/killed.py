"""A command of epochal that is killed at every moment at which it touches a file of the working folder.

    python -m tests.checker.gate.killed STRIDE FILE ARGUMENTS...

Every STRIDE-th moment is tried. Before each run FILE, if it was there, is made what it was. Prints as JSON how many
runs were killed, every content that FILE had after one, how many files with JSON were looked at, and the exit codes of
runs after the first one and after those that left something behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from unittest import mock

from epochal.cli.main import main

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir")


def child(arguments: list[str], moment: int) -> int:
    """Run the command in a process of its own, which dies at this moment (0: never); its exit code, or -9."""
    process = os.fork()
    if not process:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        die_at(moment)
        try:
            main(arguments)
        except SystemExit as done:
            os._exit(done.code if isinstance(done.code, int) else 1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def die_at(moment: int) -> None:
    """Kill this process before it touches a file for the so manieth time, or while it has written half of one."""
    here, seen, fsync = str(Path.cwd()), 0, os.fsync

    def touched() -> None:
        nonlocal seen
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event in EVENTS and isinstance(arguments[0], str | os.PathLike):
            path = str(Path.cwd() / arguments[0])
            if path.startswith(here) and not path.endswith((".py", ".pyc")):
                touched()

    def half(file: int) -> None:
        size = os.fstat(file).st_size
        if seen + 1 == moment:
            os.ftruncate(file, size // 2)
        touched()
        fsync(file)

    sys.addaudithook(heard)
    mock.patch.object(os, "fsync", half).start()


def documents() -> int:
    """How many files with JSON there are; each must be whole."""
    files = [path for path in Path().rglob("*.json") if not path.name.startswith(".")]
    for path in files:
        json.loads(path.read_text(encoding="utf-8"))
    return len(files)


def every_moment(stride: int, file: Path, arguments: list[str]) -> dict[str, object]:
    """Kill the command at one moment after the other, until it ends before the next."""
    before = file.read_text(encoding="utf-8") if file.is_file() else None
    contents: list[str | None] = []
    moment, kills, looked_at, ends = 1 - stride, 0, 0, set[int]()
    while True:
        moment += stride
        if before is not None:
            file.write_text(before, encoding="utf-8")
        if child(arguments, moment) != -signal.SIGKILL:
            return {"kills": kills, "contents": contents, "documents": looked_at, "ends": sorted(ends)}
        text = file.read_text(encoding="utf-8") if file.is_file() else None
        contents += [] if text in contents else [text]
        looked_at, kills = looked_at + documents(), kills + 1
        if not ends or any(Path().rglob(".*.tmp")):
            ends.add(child(arguments, 0))


if __name__ == "__main__":
    print(json.dumps(every_moment(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])))
