"""The process that Spark forks its Python workers from, with everything loaded that a task needs.

Otherwise every worker imports pyarrow, llvmlite and this package for itself, which takes two processor seconds, and
after each task collects garbage among all of it. What is imported here must start no thread, as forking is safe only
then.

On a cluster a copy of this file is sent to executors, beside the archive with this package: both lie in the folder that
an executor runs in before it starts any Python. So it needs no package but Python's own, and nothing has to be
installed. Where something cannot be loaded it becomes Spark's own process, whose first task says what is wrong.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path

NO_THREADS = {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OPENBLAS_NUM_THREADS": "1"}
"""The allocator of Arrow would start a thread, and so would the library that numpy computes with."""

SENT = "epochal_daemon"
"""What this file is called where it is sent to, as a module."""

ARCHIVE = "epochal-packages.zip"
"""What the archive beside it is called."""

VERSION = "pyspark/version.py"


def leave_archives_out() -> None:
    """Import pyspark from where it is installed, if it is, and not from the zip files that Spark puts on the path.

    Their directories are read again at every task. One that is installed in another version is not Spark's.
    """

    def archived(entry: str) -> bool:
        name = Path(entry).name
        return name.endswith(".zip") and name.startswith(("pyspark", "py4j"))

    kept = [entry for entry in sys.path if not archived(entry)]
    found = [PathFinder.find_spec(name, kept) for name in ("pyspark", "py4j")]
    if all(found) and all(map(_installed, filter(archived, sys.path))):
        sys.path[:] = kept
        for entry in filter(archived, list(sys.path_importer_cache)):
            del sys.path_importer_cache[entry]


def _installed(archive: str) -> bool:
    """Whether an archive has no other pyspark than the one that is installed."""
    if not Path(archive).name.startswith("pyspark") or not Path(archive).is_file():
        return True
    places = [Path(entry) / VERSION for entry in sys.path]
    there = next((place for place in places if place.is_file()), None)
    with zipfile.ZipFile(archive) as zipped:
        return there is not None and zipped.read(VERSION) == there.read_bytes()


def main() -> None:
    """Load, and do what pyspark's own daemon does."""
    beside = Path(__file__).absolute().with_name(ARCHIVE)
    if beside.is_file():
        sys.path.insert(1, str(beside))
    before = dict(os.environ)
    try:
        leave_archives_out()
        os.environ.update(NO_THREADS)
        load()
        alone()
    except Exception:  # whatever this machine lacks: it is the task that must say so, in Spark's way
        traceback.print_exc()
        print(f"{SENT}: Spark's own process is started instead; workers will load for themselves", file=sys.stderr)
        sys.stderr.flush()
        os.execve(sys.executable, [sys.executable, "-m", "pyspark.daemon", *sys.argv[1:]], before)
    from pyspark.daemon import manager

    manager()


def load() -> None:
    """Import what a task needs, and keep the collector of garbage away from it."""
    import llvmlite.binding  # noqa: F401
    import pyarrow.fs  # noqa: F401
    import pyspark.worker  # noqa: F401

    import epochal.checker.search.spark.tasks  # noqa: F401
    from epochal.checker.search.spark.program import versions

    versions()  # before a source is edited
    gc.collect()
    gc.freeze()


def alone() -> None:
    """Raise RuntimeError if there is another thread, as a library of another build may have started one."""
    threads = Path("/proc/self/task")
    if threads.is_dir() and (count := len(list(threads.iterdir()))) > 1:
        raise RuntimeError(f"what was loaded has started {count - 1} threads")


if __name__ == "__main__":
    main()
