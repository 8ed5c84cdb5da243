"""The tables of a search: what stands in their columns, and in which order.

`states` has a row for each state, by level and hash; `levels` a row for each level; `findings` one for each property
that was asked about; `trace_steps` the runs that show findings, state by state; `runs` one row about the whole.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from epochal.errors import EngineError, UsageError
from epochal.spec.language import Protocol
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    EnumDomain,
    IdentifierDomain,
    IntegerDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    SetDomain,
    StructDomain,
    UnionDomain,
)

from ..base.installed import tool_version
from ..ir.layout import state_hash
from ..semantics.semantics import Codes
from ..trace.explain import sentence
from ..trace.itf import NameCodec
from .kept_run import KeptRun, Piece, Rows, Words, leaf_codes

# -- columns ----------------------------------------------------------------------------------------------------------
# From the codes of leaves to Arrow columns: one for each field of a state, by the name that the specification has. A
# record is a struct, and so is a map, whose fields are its keys: `replicas[b1].hw` of the specification is the column
# `replicas.b1.hw`. Sets and logs are lists, in the order of their domain and of their offsets. None is null. Names are
# written as in traces (`trace.itf`). A column keeps nothing of the specification, so that it can be sent elsewhere.

LeafCodes = NDArray[np.uint64]
"""The codes of one leaf, a row each."""

LARGEST = (1 << 63) - 1
"""The largest integer of a column: SQL has no unsigned ones of 64 bits."""


class Column(ABC):
    """A field of a state: its Arrow type, and its values from the codes of its leaves."""

    type: Any

    @abstractmethod
    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        """The Arrow array of the values whose codes these are, one array of codes for each leaf."""


class IntegerColumn(Column):
    """64-bit integers, whatever the bounds are: tables of different bounds have the same types."""

    type = pa.int64()

    def __init__(self, domain: IntegerDomain) -> None:
        if not -LARGEST <= domain.low <= domain.high <= LARGEST:
            raise UsageError(f"{domain} has integers that no column of 64 bits can hold", "Use a smaller domain.")
        self._low = domain.low

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        return pa.array(leaves[0].astype(np.int64) + self._low, self.type)


class BooleanColumn(Column):
    """False and true."""

    type = pa.bool_()

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        return pa.array(leaves[0] != 0, self.type)


class NameColumn(Column):
    """Identifiers and members of enumerations, as text."""

    type = pa.string()

    def __init__(self, domain: IdentifierDomain | EnumDomain) -> None:
        self._names = pa.array(NameCodec(domain).names, self.type)

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        return self._names.take(pa.array(leaves[0].astype(np.int64)))


class OptionalColumn(Column):
    """A scalar or none: null for code 0."""

    def __init__(self, domain: OptionalScalar) -> None:
        self._element = column_of(domain.element)
        self.type = self._element.type

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        there = leaves[0] != 0
        places = np.where(there, np.cumsum(there) - 1, 0)
        values = self._element.decoded([leaves[0][there] - np.uint64(1)])
        return values.take(pa.array(places, mask=~there))


class SetColumn(Column):
    """A set: the list of its members. A code has a bit for each value that may be in it."""

    def __init__(self, domain: SetDomain) -> None:
        element = column_of(domain.element)
        self.type = pa.list_(element.type)
        codes = [domain.element.codes_of(value) for value in domain.universe]
        self._members = element.decoded(list(np.array(codes, np.uint64).T))

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        bits = np.arange(len(self._members), dtype=np.uint64)
        there = (leaves[0][:, None] >> bits & np.uint64(1)) != 0
        ends = np.concatenate([np.zeros(1, np.int32), np.cumsum(there.sum(axis=1), dtype=np.int32)])
        return pa.ListArray.from_arrays(pa.array(ends), self._members.take(pa.array(np.nonzero(there)[1])))


class StructColumn(Column):
    """A record, or a map: columns by name. `present` says that the first leaf tells whether there is a record."""

    def __init__(self, parts: Sequence[tuple[str, Domain]], present: bool = False) -> None:
        self._parts = [(column_of(domain), domain.leaf_count) for _, domain in parts]
        self._present = present
        named = zip(parts, self._parts, strict=True)
        self.type = pa.struct([pa.field(name, column.type) for (name, _), (column, _) in named])

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        at, arrays = int(self._present), []
        for column, count in self._parts:
            arrays.append(column.decoded(leaves[at : at + count]))
            at += count
        absent = pa.array(leaves[0] == 0) if self._present else None
        return pa.StructArray.from_arrays(arrays, fields=list(self.type), mask=absent)


class UnionColumn(Column):
    """A record of one of several classes: a column for each class, which is null for the others."""

    def __init__(self, domain: UnionDomain) -> None:
        self._kinds = [(StructColumn(list(one.field_domains.items()), True), one.leaf_count) for one in domain.kinds]
        named = zip(domain.kinds, self._kinds, strict=True)
        self.type = pa.struct([pa.field(str(kind), column.type) for kind, (column, _) in named])

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        at, arrays = 1, []
        for number, (column, count) in enumerate(self._kinds):
            arrays.append(column.decoded([(leaves[0] == number).astype(np.uint64), *leaves[at : at + count]]))
            at += count
        return pa.StructArray.from_arrays(arrays, fields=list(self.type))


class LogColumn(Column):
    """A log: a list of as many entries as it has."""

    def __init__(self, domain: LogDomain) -> None:
        self._entry, self._each, self._capacity = column_of(domain.entry), domain.entry.leaf_count, domain.capacity
        self.type = pa.list_(self._entry.type)

    def decoded(self, leaves: Sequence[LeafCodes]) -> Any:
        lengths = leaves[0].astype(np.int32)
        ends = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
        used = np.arange(self._capacity, dtype=np.int32) < lengths[:, None]
        slots = [np.stack(leaves[1 + leaf :: self._each], axis=1)[used] for leaf in range(self._each)]
        return pa.ListArray.from_arrays(pa.array(ends), self._entry.decoded(slots))


def column_of(domain: Domain) -> Column:
    """The column of a domain."""
    match domain:
        case IntegerDomain():
            return IntegerColumn(domain)
        case BooleanDomain():
            return BooleanColumn()
        case IdentifierDomain() | EnumDomain():
            return NameColumn(domain)
        case OptionalScalar():
            return OptionalColumn(domain)
        case SetDomain():
            return SetColumn(domain)
        case OptionalStruct():
            return StructColumn(list(domain.element.field_domains.items()), present=True)
        case StructDomain():
            return StructColumn(list(domain.field_domains.items()))
        case UnionDomain():
            return UnionColumn(domain)
        case MapDomain():
            return StructColumn([(domain.key.show(key), domain.value) for key in domain.keys])
        case LogDomain():
            return LogColumn(domain)
    raise TypeError(f"{domain} has no column")  # pragma: no cover  # there is no other domain


class StateColumns:
    """All fields of a state, variable by variable. `taken` are names that other columns have already."""

    def __init__(self, protocol: Protocol, taken: Iterable[str] = ()) -> None:
        used = {name.lower() for name in taken}
        self._columns: list[tuple[Column, int, int]] = []
        self.names: dict[str, str] = {}
        fields = []
        for name, variable in protocol.variables.items():
            shown = name
            while shown.lower() in used:  # SQL does not tell capitals from small letters
                shown += "_"
            used.add(shown.lower())
            self.names[name] = shown
            column = column_of(variable.domain)
            self._columns.append((column, variable.first_leaf, variable.domain.leaf_count))
            fields.append(pa.field(shown, column.type))
        self.schema = pa.schema(fields)

    def decoded(self, leaves: Sequence[LeafCodes]) -> list[Any]:
        """The columns of states whose codes these are, one array of codes for each leaf of a state."""
        return [column.decoded(leaves[first : first + count]) for column, first, count in self._columns]


# -- ordered ----------------------------------------------------------------------------------------------------------
# The states of a level in the order of their hashes, however they come, in bounded memory. A level of many states is
# parted by the upper bits of the hash into files of a scratch folder, each of which is sorted alone. So the order, and
# with it every byte of a table, is that of the states and of nothing else.

AT_ONCE = 1 << 18
"""About how many states are sorted in memory together."""

MOST_PARTS = 512
"""How many scratch files are open at a time, at most."""

SIGN = np.uint64(1 << 63)


def signed(hashes: Words) -> NDArray[np.int64]:
    """Hashes as the signed integers that tables have: SQL knows no others of 64 bits."""
    return hashes.view(np.int64)


def ordered(run: KeptRun, level: int, scratch: Path) -> Iterator[Rows]:
    """The states of a level by their signed hash, some at a time. Raises OSError if the scratch folder is full."""
    count = run.levels[level]
    bits = (min(MOST_PARTS, -(-count // AT_ONCE)) - 1).bit_length()
    if not bits:
        yield _sorted(_joined(list(run.rows(level))))
        return
    with tempfile.TemporaryDirectory(prefix="level-", dir=scratch) as folder:
        files = [Path(folder) / str(number) for number in range(1 << bits)]
        with contextlib.ExitStack() as opened:
            handles = [opened.enter_context(file.open("wb")) for file in files]
            for rows in run.rows(level):
                parts = (rows.hashes ^ SIGN) >> np.uint64(64 - bits)
                order = np.argsort(parts, kind="stable")
                packed = _packed(rows.taken(order))
                ends = np.searchsorted(parts[order], np.arange(1, len(files) + 1, dtype=np.uint64))
                first = 0
                for handle, end in zip(handles, ends.tolist(), strict=True):
                    packed[first:end].tofile(handle)
                    first = end
        for file in files:
            part = _unpacked(np.fromfile(file, np.uint64), run.model.layout.words)
            file.unlink()
            yield _sorted(part)


def _sorted(rows: Rows) -> Rows:
    """Rows by their signed hash; of states with the same one, by their words."""
    keys = signed(rows.hashes)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    if len(ranked) > 1 and (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort((*reversed(list(rows.words.T)), keys))
    return rows.taken(order)


def _joined(parts: list[Rows]) -> Rows:
    return Rows(
        np.concatenate([one.words for one in parts]),
        np.concatenate([one.parents for one in parts]),
        np.concatenate([one.instances for one in parts]),
    )


def _packed(rows: Rows) -> Words:
    return np.column_stack([rows.words, rows.parents, rows.instances.view(np.uint64)])


def _unpacked(flat: Words, words: int) -> Rows:
    table = flat.reshape(-1, words + 2)
    return Rows(table[:, :words], table[:, words], table[:, words + 1].astype(np.int64))


STATES, LEVELS, FINDINGS, STEPS, RUNS = "states", "levels", "findings", "trace_steps", "runs"

INT, LONG, TEXT, TRUTH = pa.int32(), pa.int64(), pa.string(), pa.bool_()

OF_STATE: Final = (("level", INT), ("state", LONG), ("parent", LONG), ("action", TEXT), ("step", TEXT))
"""What `states` says of a state besides its fields: how many steps lead to it, its hash, that of the state before it on
a shortest run, the action that led from there, and the action with its arguments. Initial states have none of these."""

OF_STEP: Final = (
    *(("property", TEXT), ("index", INT), ("state", LONG), ("concrete", LONG)),
    *(("action", TEXT), ("step", TEXT), ("sentence", TEXT)),
)
"""What `trace_steps` says beside the fields. `state` is the hash by which `states` has a state: in a search with
symmetry that of its representative. `concrete` is that of the state itself, whose fields follow: else the same."""

LEVEL_SCHEMA: Final = pa.schema([("level", INT), ("states", LONG), ("states_so_far", LONG)])
FINDING_SCHEMA: Final = pa.schema(
    [
        *(("property", TEXT), ("kind", TEXT), ("verdict", TEXT), ("steps", INT), ("state", LONG), ("concrete", LONG)),
        ("sentence", TEXT),
    ]
)
RUN_SCHEMA: Final = pa.schema(
    [
        *(("protocol", TEXT), ("bounds", TEXT), ("states", LONG), ("steps", LONG), ("levels", INT)),
        *(("exhaustive", TRUTH), ("state_digest", TEXT), ("step_digest", TEXT)),
        *(("interchangeable", pa.list_(TEXT)), ("epochal", TEXT)),
    ]
)


class StateTable:
    """The columns of `states` for the states of one protocol."""

    def __init__(self, run: KeptRun) -> None:
        self._layout = run.model.layout
        self.columns = StateColumns(run.protocol, [name for name, _ in OF_STATE])
        self.schema = pa.schema([pa.field(name, kind) for name, kind in OF_STATE] + list(self.columns.schema))
        self._actions = pa.array([one.action.name for one in run.instances] + [None], pa.string())
        self._steps = pa.array([one.label for one in run.instances] + [None], pa.string())
        self._initial = len(run.instances)

    def batch(self, level: int, rows: Rows) -> Any:
        """Some states of a level as an Arrow table, in their order."""
        count, places = len(rows), pa.array(rows.instances)
        parents = pa.array(signed(rows.parents), pa.int64(), mask=rows.instances == self._initial)
        of_state = [
            pa.array(np.full(count, level, np.int32)),
            pa.array(signed(rows.hashes)),
            parents,
            self._actions.take(places),
            self._steps.take(places),
        ]
        decoded = self.columns.decoded(leaf_codes(rows.words, self._layout))
        return pa.Table.from_arrays([*of_state, *decoded], schema=self.schema)


def states(run: KeptRun, scratch: Path) -> Iterator[Any]:
    """The table `states`, some rows at a time."""
    table = StateTable(run)
    for level in range(len(run.levels)):
        for rows in ordered(run, level, scratch):
            if len(rows):
                yield table.batch(level, rows)


def levels(run: KeptRun) -> Any:
    """The table `levels`."""
    counts = list(run.levels)
    columns = [range(len(counts)), counts, np.cumsum(counts, dtype=np.int64) if counts else []]
    return _of_columns(columns, LEVEL_SCHEMA)


def findings(run: KeptRun) -> Any:
    """The table `findings`: verdicts as in JSON; where a run shows it, the steps of that and the state it ends in."""
    found = []
    for one in run.properties():
        trace = one.trace
        shown = (None, None, None) if trace is None else (trace.length - 1, *_hashes(run, trace.states[-1]))
        found.append((one.member.name, one.member.mark.kind, one.verdict, *shown, one.member.sentence))
    return _table(found, FINDING_SCHEMA)


def trace_steps(run: KeptRun) -> Any:
    """The table `trace_steps`: of each finding with a run, every state of it and the step that led there."""
    columns = StateColumns(run.protocol, [name for name, _ in OF_STEP])
    schema = pa.schema([pa.field(name, kind) for name, kind in OF_STEP] + list(columns.schema))
    told, packed = [], []
    for one in run.properties():
        if one.trace is None:
            continue
        steps = [None, *(step.instance for step in one.trace.steps)]
        for index, (codes, taken) in enumerate(zip(one.trace.states, steps, strict=True)):
            said = (None, None, None) if taken is None else (taken.action.name, taken.label, sentence(taken))
            told.append((one.member.name, index, *_hashes(run, codes), *said))
            packed.append(run.model.layout.pack(codes))
    words = np.array(packed, np.uint64).reshape(len(packed), run.model.layout.words)
    of_step = _table(told, pa.schema([pa.field(name, kind) for name, kind in OF_STEP]))
    return pa.Table.from_arrays(
        [*of_step.columns, *columns.decoded(leaf_codes(words, run.model.layout))], schema=schema
    )


def runs(run: KeptRun) -> Any:
    """The table `runs`: one row."""
    state_digest, step_digest = run.digests
    row = (
        run.asked.protocol,
        json.dumps(run.asked.bounds),
        sum(run.levels),
        run.steps,
        len(run.levels),
        run.exhaustive,
        str(state_digest),
        str(step_digest),
        list(run.interchangeable),
        tool_version(),
    )
    return _table([row], RUN_SCHEMA)


def _table(rows: list[Any], schema: Any) -> Any:
    return _of_columns(list(map(list, zip(*rows, strict=True))) or [[]] * len(schema), schema)


def _of_columns(columns: Sequence[Any], schema: Any) -> Any:
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _hashes(run: KeptRun, codes: Codes) -> tuple[int, int]:
    """The hash by which `states` has a state, and its own, as tables have them: signed."""

    def hash_of(codes: Codes) -> int:
        unsigned = state_hash(run.model.layout.pack(codes))
        return unsigned - (1 << 64) if unsigned >> 63 else unsigned

    return hash_of(run.representative(codes)), hash_of(codes)


# -- parquet ----------------------------------------------------------------------------------------------------------
# Tables as Parquet files: a folder for each table, files of some million rows, the same bytes for the same search. A
# folder of this machine appears as a whole, when everything is written. In an object store `_SUCCESS` comes last, as
# Spark does it.

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
            RUNS: runs(run),
            LEVELS: levels(run),
            FINDINGS: findings(run),
            STEPS: trace_steps(run),
        }
        found = [_written(system, folder, name, iter([table]), table.schema) for name, table in small.items()]
        every = told(states(run, Path(scratch)))
        found.append(_written(system, folder, STATES, every, StateTable(run).schema))
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


# -- on spark ---------------------------------------------------------------------------------------------------------
# The tables of a search as DataFrames: states are read by executors, each its own files, when somebody asks.

IN_PARTITION = 1 << 20
"""About how many states a partition of the DataFrame has."""


def states_frame(spark: Any, run: KeptRun) -> Any:
    """The table `states` as a DataFrame, whose rows are in no order. Its tasks need this package, and no protocol."""
    from pyspark.sql.pandas.types import from_arrow_schema

    table = StateTable(run)
    pieces = [(level, piece) for level in range(len(run.levels)) for piece in run.pieces(level)]
    pieces.sort(key=lambda one: -one[1].count)
    wanted = max(2 * spark.sparkContext.defaultParallelism, sum(run.levels) // IN_PARTITION)
    partitions = min(wanted, len(pieces))
    dealt = [one for first in range(partitions) for one in pieces[first::partitions]]  # large ones to each in turn
    numbers = spark.range(0, len(dealt), 1, partitions)
    return numbers.mapInArrow(partial(_decoded, table, dealt), from_arrow_schema(table.schema))


def _decoded(table: StateTable, pieces: list[tuple[int, Piece]], batches: Iterable[Any]) -> Iterator[Any]:
    """In an executor: the states of the pieces whose numbers it is given."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            level, piece = pieces[number]
            for rows in piece.rows():
                yield from table.batch(level, rows).to_batches()
