"""Tables as Parquet files: a folder for each table, files of some million rows, the same bytes for the same search.

A folder of this machine appears as a whole, when everything is written. In an object store `_SUCCESS` comes last, as
Spark does it.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epochal.errors import EngineError, UsageError

from . import tables
from .kept_run import KeptRun

ROWS_IN_FILE = 4 << 20
ROWS_IN_GROUP = 1 << 17
MARK = "_SUCCESS"


@dataclass(frozen=True)
class Written:
    """How far the writing is: rows of `states` out of all, and seconds."""

    rows: int
    of: int
    seconds: float


@dataclass(frozen=True)
class TableFiles:
    """A table that was written: its name, its rows, the paths of its files, relative to the folder, and their bytes."""

    name: str
    rows: int
    files: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Export:
    """The tables of one search in a folder. Without all states that search was cut, or is not over."""

    protocol: str
    bounds: dict[str, int]
    run: str
    folder: str
    states: int
    levels: int
    exhaustive: bool
    tables: tuple[TableFiles, ...]


def write(run: KeptRun, out: str, progress: Callable[[Written], None] | None = None) -> Export:
    """Write every table of a search below a folder or URI, which must hold nothing yet.

    Raises UsageError if it does, EngineError if nothing can be written there.
    """
    begun, of, done = time.monotonic(), sum(run.levels), 0

    def told(batches: Iterable[Any]) -> Iterator[Any]:
        nonlocal done
        for batch in batches:
            if progress is not None:
                progress(Written(done, of, time.monotonic() - begun))
            yield batch
            done += batch.num_rows

    with _destination(out) as (system, folder), tempfile.TemporaryDirectory(prefix="epochal-export-") as scratch:
        small = {
            tables.RUNS: tables.runs(run),
            tables.LEVELS: tables.levels(run),
            tables.FINDINGS: tables.findings(run),
            tables.STEPS: tables.trace_steps(run),
        }
        found = [_written(system, folder, name, iter([table]), table.schema) for name, table in small.items()]
        states = told(tables.states(run, Path(scratch)))
        found.append(_written(system, folder, tables.STATES, states, tables.StateTable(run).schema))
        with system.open_output_stream(f"{folder}/{MARK}"):
            pass
    asked = run.asked
    return Export(asked.protocol, asked.bounds, run.where, out, of, len(run.levels), run.exhaustive, tuple(found))


def _written(system: Any, folder: str, name: str, batches: Iterator[Any], schema: Any) -> TableFiles:
    """Write one table. A new file begins with the batch that would make the last one too long."""
    import pyarrow.parquet as pq

    files: list[str] = []
    rows = size = 0
    system.create_dir(f"{folder}/{name}", recursive=True)
    with contextlib.ExitStack() as opened:
        writer: Any = None
        in_file = 0
        for batch in batches:
            if writer is None or in_file + batch.num_rows > ROWS_IN_FILE:
                opened.close()
                files.append(f"{name}/part-{len(files):05d}.parquet")
                sink = opened.enter_context(system.open_output_stream(f"{folder}/{files[-1]}"))
                writer = opened.enter_context(pq.ParquetWriter(sink, schema, compression="zstd"))
                in_file = 0
            writer.write_table(batch, row_group_size=ROWS_IN_GROUP)
            rows, in_file = rows + batch.num_rows, in_file + batch.num_rows
    size = sum(system.get_file_info(f"{folder}/{file}").size for file in files)
    return TableFiles(name, rows, tuple(files), size)


@contextlib.contextmanager
def _destination(out: str) -> Iterator[tuple[Any, str]]:
    """The file system and the folder to write to. What is written to one of this machine gets its name at the end."""
    from pyarrow import fs

    try:
        local = "://" not in out
        system, folder = (fs.LocalFileSystem(), str(Path(out).absolute())) if local else fs.FileSystem.from_uri(out)
        if system.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
            raise UsageError(f"{out} is there already, with something in it", "Name an empty folder, or a new one.")
        if system.type_name != "local":
            yield system, folder
            return
        target = Path(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent))
        try:
            yield system, str(beside)
            beside.chmod(0o755)
            if target.exists():
                target.rmdir()
            beside.rename(target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except (OSError, ValueError, NotImplementedError) as error:
        raise EngineError(
            f"{out}: nothing can be written there: {error}", "Give --out a place where you may write, with room."
        ) from error
