"""The tables of a search: what stands in their columns, and in which order.

`states` has a row for each state, by level and hash; `levels` a row for each level; `findings` one for each property
that was asked about; `trace_steps` the runs that show findings, state by state; `runs` one row about the whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ..ir.digest import state_hash
from ..reading import Codes
from ..trace.explain import sentence
from ..version import tool_version
from .columns import StateColumns
from .ordered import ordered, signed
from .packed import leaf_codes
from .run import KeptRun, Rows

STATES, LEVELS, FINDINGS, STEPS, RUNS = "states", "levels", "findings", "trace_steps", "runs"

OF_STATE: Final = (
    ("level", pa.int32()),
    ("state", pa.int64()),
    ("parent", pa.int64()),
    ("action", pa.string()),
    ("step", pa.string()),
)
"""What `states` says of a state besides its fields: how many steps lead to it, its hash, that of the state before it on
a shortest run, the action that led from there, and the action with its arguments. Initial states have none of these."""

OF_STEP: Final = (
    ("property", pa.string()),
    ("index", pa.int32()),
    ("state", pa.int64()),
    ("concrete", pa.int64()),
    ("action", pa.string()),
    ("step", pa.string()),
    ("sentence", pa.string()),
)
"""What `trace_steps` says beside the fields. `state` is the hash by which `states` has a state: in a search with
symmetry that of its representative. `concrete` is that of the state itself, whose fields follow: else the same."""

LEVEL_SCHEMA: Final = pa.schema([("level", pa.int32()), ("states", pa.int64()), ("states_so_far", pa.int64())])
FINDING_SCHEMA: Final = pa.schema(
    [
        ("property", pa.string()),
        ("kind", pa.string()),
        ("verdict", pa.string()),
        ("steps", pa.int32()),
        ("state", pa.int64()),
        ("concrete", pa.int64()),
        ("sentence", pa.string()),
    ]
)
RUN_SCHEMA: Final = pa.schema(
    [
        ("protocol", pa.string()),
        ("bounds", pa.string()),
        ("states", pa.int64()),
        ("steps", pa.int64()),
        ("levels", pa.int32()),
        ("exhaustive", pa.bool_()),
        ("state_digest", pa.string()),
        ("step_digest", pa.string()),
        ("interchangeable", pa.list_(pa.string())),
        ("epochal", pa.string()),
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
    return pa.Table.from_arrays(
        [pa.array(one, field.type) for one, field in zip(columns, LEVEL_SCHEMA, strict=True)], schema=LEVEL_SCHEMA
    )


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
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.Table.from_arrays(
        [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


def _hashes(run: KeptRun, codes: Codes) -> tuple[int, int]:
    """The hash by which `states` has a state, and its own, as tables have them: signed."""

    def hash_of(codes: Codes) -> int:
        unsigned = state_hash(run.model.layout.pack(codes))
        return unsigned - (1 << 64) if unsigned >> 63 else unsigned

    return hash_of(run.representative(codes)), hash_of(codes)
