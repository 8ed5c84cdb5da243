"""The process that Spark forks its Python workers from on this machine, with everything loaded that a task needs.

Otherwise every worker imports pyarrow, llvmlite and this package for itself, which takes a processor second, and after
each task collects garbage among all of it. What is imported here must start no thread, as forking is safe only then.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

NO_THREADS = {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OPENBLAS_NUM_THREADS": "1"}
"""The allocator of Arrow would start a thread, and so would the library that numpy computes with."""


def leave_archives_out() -> None:
    """Import pyspark from where it is installed, if it is, and not from the zip files that Spark puts on the path.

    Their directories are read again at every task.
    """

    def archived(entry: str) -> bool:
        name = Path(entry).name
        return name.endswith(".zip") and name.startswith(("pyspark", "py4j"))

    kept = [entry for entry in sys.path if not archived(entry)]
    if all(PathFinder.find_spec(name, kept) for name in ("pyspark", "py4j")):
        sys.path[:] = kept
        for entry in filter(archived, list(sys.path_importer_cache)):
            del sys.path_importer_cache[entry]


def main() -> None:
    """Load, and do what pyspark's own daemon does."""
    leave_archives_out()
    os.environ.update(NO_THREADS)
    load()
    from pyspark.daemon import manager

    manager()


def load() -> None:
    """Import what a task needs, and keep the collector of garbage away from it."""
    import llvmlite.binding  # noqa: F401
    import pyarrow.fs  # noqa: F401
    import pyspark.worker  # noqa: F401

    import epochal.checker.search.spark.supersteps  # noqa: F401
    from epochal.checker.search.spark.versions import versions

    versions()  # before a source is edited
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main()
