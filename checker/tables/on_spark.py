"""The tables of a search as DataFrames: states are read by executors, each its own files, when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from . import tables
from .kept_run import KeptRun, Piece

IN_PARTITION = 1 << 20
"""About how many states a partition of the DataFrame has."""


def states_frame(spark: Any, run: KeptRun) -> Any:
    """The table `states` as a DataFrame, whose rows are in no order. Its tasks need this package, and no protocol."""
    from pyspark.sql.pandas.types import from_arrow_schema

    table = tables.StateTable(run)
    pieces = [(level, piece) for level in range(len(run.levels)) for piece in run.pieces(level)]
    pieces.sort(key=lambda one: -one[1].count)
    wanted = max(2 * spark.sparkContext.defaultParallelism, sum(run.levels) // IN_PARTITION)
    partitions = min(wanted, len(pieces))
    dealt = [one for first in range(partitions) for one in pieces[first::partitions]]  # large ones to each in turn
    numbers = spark.range(0, len(dealt), 1, partitions)
    return numbers.mapInArrow(partial(_decoded, table, dealt), from_arrow_schema(table.schema))


def _decoded(table: tables.StateTable, pieces: list[tuple[int, Piece]], batches: Iterable[Any]) -> Iterator[Any]:
    """In an executor: the states of the pieces whose numbers it is given."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            level, piece = pieces[number]
            for rows in piece.rows():
                yield from table.batch(level, rows).to_batches()
