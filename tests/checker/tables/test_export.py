"""A search that was kept, exported: the same tables from either engine, complete, sorted, byte for byte."""

from __future__ import annotations

import enum
import json
import pickle
import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import epochal
from epochal.checker.ir.layout import fold as fold_one
from epochal.checker.ir.layout import lay_out, state_hash
from epochal.checker.native.tuning import TUNING
from epochal.checker.search import native as breadth_first
from epochal.checker.search.findings import initial_states
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import owning
from epochal.checker.search.spark.driver import Cluster
from epochal.checker.search.spark.driver import check as check_on_spark
from epochal.checker.semantics.semantics import Codes
from epochal.checker.tables import tables
from epochal.checker.tables import tables as ordered
from epochal.checker.tables.kept_run import RunRefused, leaf_codes, opened
from epochal.checker.tables.tables import StateColumns
from epochal.errors import UsageError
from epochal.language import Log, Map, Protocol, Set, Struct
from tests.checker.search.spark.faults import in_process
from tests.zoo.searched import Everything, Large

SMALL = {"replicas": 2, "log_size": 2, "records": 2, "max_epoch": 1}
EVERYTHING = Options(all_violations=True)


def _native(protocol: Protocol, folder: Path, **options: Any) -> CheckResult:
    return breadth_first.check(protocol, replace(EVERYTHING, checkpoint=folder, **options))


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _table(folder: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / name).to_pylist()
    return rows


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """A search with four partitions whose tasks run in this process."""
    storage, cache = str(tmp_path / "storage"), str(tmp_path / "cache")
    return Cluster("local[2,4]", storage, shards=4, threshold=0, cache=cache, start=in_process)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A native search of every state."""
    _native(epochal.load("kip-101", **SMALL), tmp_path / "run")
    return tmp_path / "run"


def _key(protocol: Protocol, codes: tuple[int, ...]) -> int:
    """The signed hash of a state."""
    found = state_hash(lay_out(protocol.leaves).pack(codes))
    return found - (1 << 64) if found >> 63 else found


def _reached(protocol: Protocol) -> dict[int, tuple[int, ...]]:
    """Every reachable state, by its signed hash: found here by taking all steps in Python."""
    key = partial(_key, protocol)
    frontier = list(initial_states(protocol))
    seen = {key(codes): codes for codes in frontier}
    while frontier:
        nexts = []
        for codes in frontier:
            for instance in protocol.instances:
                after = protocol.step(protocol.at(codes), instance)
                if after is not None and key(after) not in seen:
                    seen[key(after)] = after
                    nexts.append(after)
        frontier = nexts
    return seen


def test_every_state_is_there_as_python_reads_it(kept: Path, tmp_path: Path) -> None:
    """With its fields, and the step from its parent is one that Python takes."""
    protocol = epochal.load("kip-101", **SMALL)
    result = epochal.export(kept, out=tmp_path / "tables")
    rows, reached = _table(tmp_path / "tables", "states"), _reached(protocol)
    assert result.exit_code == 0 and "all within the bounds" in result.headline
    assert [row["state"] for row in rows] == [
        row["state"] for row in sorted(rows, key=lambda r: (r["level"], r["state"]))
    ]
    assert {row["state"] for row in rows} == reached.keys() and len(rows) == len(reached)
    levels = {row["state"]: row["level"] for row in rows}
    by_label = {instance.label: instance for instance in protocol.instances}
    for row in rows:
        state: Any = protocol.at(reached[row["state"]])
        assert row["next_record"] == state.next_record
        assert row["quorum"] == {"leader": _name(state.quorum.leader), "isr": [str(b) for b in state.quorum.isr]}
        assert row["replicas"]["b2"]["hw"] == state.replicas[_by_name(protocol, "b2")].hw
        assert [one["id"] for one in row["replicas"]["b1"]["log"]] == [
            one.id for one in state.replicas[_by_name(protocol, "b1")].log
        ]
        if row["parent"] is None:
            assert (row["level"], row["action"], row["step"]) == (0, None, None)
        else:
            assert levels[row["parent"]] == row["level"] - 1
            taken = by_label[row["step"]]
            assert taken.action.name == row["action"]
            assert protocol.step(protocol.at(reached[row["parent"]]), taken) == reached[row["state"]]


def _name(value: object) -> str | None:
    return None if value is None else str(value)


def _by_name(protocol: Protocol, name: str) -> Any:
    return next(one for one in protocol.replicas if str(one) == name)  # type: ignore[attr-defined]


def test_both_engines_and_any_number_of_workers_give_the_same_bytes(tmp_path: Path, cluster: Cluster) -> None:
    """A search is its states: who found them, and how they were stored, is in no table."""
    protocol = epochal.load("kip-101", **SMALL)
    for workers in (1, 3):
        _native(protocol, tmp_path / f"{workers}", workers=workers)
    check_on_spark(protocol, EVERYTHING, cluster)
    runs = [tmp_path / "1", tmp_path / "3", Path(cluster.storage)]
    for number, run in enumerate(runs):
        epochal.export(run, out=tmp_path / f"tables-{number}")
    first = _contents(tmp_path / "tables-0")
    assert first.keys() == {
        "_SUCCESS",
        *(f"{name}/part-00000.parquet" for name in ("runs", "levels", "findings", "trace_steps", "states")),
    }
    assert all(_contents(tmp_path / f"tables-{number}") == first for number in (1, 2))


def test_a_level_in_parts_is_the_same_table(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little memory sorting is given, and however short files are."""
    epochal.export(kept, out=tmp_path / "whole")
    monkeypatch.setattr(ordered, "AT_ONCE", 10)
    monkeypatch.setattr(tables, "ROWS_IN_FILE", 50)
    result = epochal.export(kept, out=tmp_path / "parts")
    assert _table(tmp_path / "parts", "states") == _table(tmp_path / "whole", "states")
    (states,) = (one for one in result.export.tables if one.name == "states")
    assert len(states.files) > 3


def test_levels_findings_and_runs(kept: Path, tmp_path: Path) -> None:
    protocol = epochal.load("kip-101", **SMALL)
    result = breadth_first.check(protocol, EVERYTHING)
    epochal.export(kept, out=tmp_path / "tables")
    levels = _table(tmp_path / "tables", "levels")
    assert (len(levels), levels[-1]["states_so_far"]) == (result.depth, result.distinct_states)
    found = {one["property"]: one for one in _table(tmp_path / "tables", "findings")}
    assert {name: one["verdict"] for name, one in found.items()} == {
        one.member.name: one.verdict for one in result.properties
    }
    steps = _table(tmp_path / "tables", "trace_steps")
    for one in result.properties:
        run = [step for step in steps if step["property"] == one.member.name]
        assert len(run) == (0 if one.trace is None else one.trace.length)
        if one.trace is not None:
            assert [step["step"] for step in run[1:]] == [step.instance.label for step in one.trace.steps]
            assert run[-1]["state"] == found[one.member.name]["state"]
            assert found[one.member.name]["steps"] == one.trace.length - 1
    (run_row,) = _table(tmp_path / "tables", "runs")
    assert (run_row["state_digest"], run_row["step_digest"]) == (result.state_digest, result.step_digest)
    assert (run_row["states"], run_row["steps"], run_row["exhaustive"]) == (
        result.distinct_states,
        result.transitions,
        True,
    )


def test_a_search_that_was_cut_says_so(tmp_path: Path) -> None:
    """What there is of it is written: whole levels, and no verdict that it does not have."""
    _native(epochal.load("kip-320", **{**SMALL, "replicas": 3}), tmp_path / "run", max_states=5_000, workers=1)
    result = epochal.export(tmp_path / "run", out=tmp_path / "tables")
    assert "has not seen all" in result.headline
    assert {one["verdict"] for one in _table(tmp_path / "tables", "findings")} <= {"unknown", "holds", "not applicable"}
    assert not _table(tmp_path / "tables", "runs")[0]["exhaustive"]


@pytest.mark.parametrize("symmetry", [False, True])
def test_what_was_found_in_the_level_that_was_cut_is_told(symmetry: bool, tmp_path: Path) -> None:
    """The verdicts are those that the search gave, wherever a budget ended it; and who goes on finds them again."""
    protocol = epochal.load("kip-101", **{**SMALL, "replicas": 3, "log_size": 1})
    slow, cut_in_its_level = replace(TUNING, quantum=16), 0
    whole = _native(protocol, tmp_path / "whole", symmetry=symmetry)
    epochal.export(tmp_path / "whole", out=tmp_path / "whole-tables")
    (length,) = (one.length for one in whole.properties if one.verdict == "violated")
    assert length is not None
    level = _table(tmp_path / "whole-tables", "levels")[length - 1]
    for tenths in (1, 6, 8, 9, 14):
        most = level["states_so_far"] - level["states"] + level["states"] * tenths // 10
        run, out = tmp_path / f"{most}", tmp_path / f"{most}-tables"
        asked = replace(EVERYTHING, symmetry=symmetry, workers=1)
        found = breadth_first.check(protocol, replace(asked, checkpoint=run, max_states=most), tuning=slow)
        assert found.cut
        epochal.export(run, out=out)
        told = {one["property"]: (one["verdict"], one["steps"]) for one in _table(out, "findings")}
        lengths = {one.member.name: one.trace.length - 1 if one.trace else None for one in found.properties}
        assert told == {one.member.name: (one.verdict, lengths[one.member.name]) for one in found.properties}
        document = json.loads((run / "manifest.json").read_text())
        cut_in_its_level += len(document["shown_later"])
        if document["shown_later"]:
            again = breadth_first.check(protocol, replace(asked, resume=run))
            assert again.properties == whole.properties and again.step_digest == whole.step_digest
    assert cut_in_its_level


def test_a_search_on_spark_that_was_cut_says_what_it_had_found(tmp_path: Path, cluster: Cluster) -> None:
    protocol = epochal.load("kip-101", **SMALL)
    for number, most in enumerate((100, 300, 500)):
        there = replace(cluster, storage=f"{cluster.storage}-{number}")
        found = check_on_spark(protocol, replace(EVERYTHING, max_states=most), there)
        epochal.export(there.storage, out=tmp_path / f"{number}")
        assert {one["property"]: one["verdict"] for one in _table(tmp_path / f"{number}", "findings")} == {
            one.member.name: one.verdict for one in found.properties
        }


KEYS = "property", "index", "state", "concrete"


def test_findings_and_runs_join_with_states(tmp_path: Path) -> None:
    """By `state`, also where states are representatives; a finding's own fields are those of the state itself."""
    protocol = epochal.load("kip-101", **{**SMALL, "replicas": 3})
    for symmetry in (False, True):
        run, out = tmp_path / f"{symmetry}", tmp_path / f"{symmetry}-tables"
        searched = _native(protocol, run, symmetry=symmetry)
        runs = {one.member.name: one.trace.states for one in searched.properties if one.trace is not None}
        epochal.export(run, out=out)
        states, steps = pq.read_table(out / "states"), pq.read_table(out / "trace_steps", columns=list(KEYS))
        joined = steps.join(states.select(["state", "level", "parent"]), "state", join_type="inner").to_pylist()
        assert len(joined) == len(steps) > 10
        by_place = {(row["property"], row["index"]): row for row in joined}
        for (name, index), row in by_place.items():
            assert row["level"] == index
            assert row["concrete"] == _key(protocol, runs[name][index])
            assert symmetry or row["concrete"] == row["state"]
            if index and not symmetry:
                assert row["parent"] == by_place[name, index - 1]["state"]
        ends = pq.read_table(out / "findings").filter(pc.field("verdict") == "violated")
        assert len(ends.join(states.select(["state", "level"]), "state", join_type="inner")) == len(ends) > 0
        assert any(row["concrete"] != row["state"] for row in joined) == symmetry


def test_symmetry_and_compaction(tmp_path: Path) -> None:
    """Representatives are exported as what they are; of compacted states all are there."""
    protocol = epochal.load("kip-320", **{**SMALL, "replicas": 3, "log_size": 1})
    modes: dict[str, dict[str, Any]] = {"symmetry": {"symmetry": True}, "compact": {"compact": True, "spill": tmp_path}}
    for name, options in modes.items():
        searched = _native(protocol, tmp_path / name, **options)
        result = epochal.export(tmp_path / name, out=tmp_path / f"{name}-tables")
        assert result.export.states == searched.distinct_states
        (run_row,) = _table(tmp_path / f"{name}-tables", "runs")
        assert run_row["interchangeable"] == list(searched.interchangeable)
        assert run_row["state_digest"] == searched.state_digest


def test_refusals(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").write_text("mine")
    (tmp_path / "no-run").mkdir()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text("[]")
    with pytest.raises(RunRefused, match="of other rules"):
        epochal.export(kept, out=tmp_path / "out", protocol="kip-320")
    with pytest.raises(epochal.EpochalError, match="something in it"):
        epochal.export(kept, out=tmp_path / "full")
    for name, said in {"no-run": "has no manifest", "none": "does not exist", "odd": "no manifest of a search"}.items():
        with pytest.raises(RunRefused, match=said):
            epochal.export(tmp_path / name, out=tmp_path / "out")
    file = next(one for one in kept.glob("records-*.bin") if one.stat().st_size)
    file.write_bytes(bytes(file.stat().st_size))
    with pytest.raises(RunRefused, match="its content has changed"):
        epochal.export(kept, out=tmp_path / "out")
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob(".*"))


def test_a_protocol_of_a_file_must_be_named(tmp_path: Path) -> None:
    """No file runs because a search names it."""
    file = tmp_path / "mine.py"
    file.write_text("from epochal.spec.classic.kip_320 import Kip320\n\nclass Mine(Kip320):\n    pass\n")
    _native(epochal.load(f"{file}:Mine", **SMALL), tmp_path / "run")
    with pytest.raises(RunRefused, match="no file runs because a search names it"):
        epochal.export(tmp_path / "run", out=tmp_path / "out")
    result = epochal.export(tmp_path / "run", out=tmp_path / "out", protocol=f"{file}:Mine")
    assert result.export.exhaustive


def test_a_run_in_use_is_left_alone(kept: Path) -> None:
    """Whoever exports holds the folder, and nobody writes to it meanwhile."""
    from epochal.checker.base.files import held

    with opened(str(kept)), held(kept) as alone:
        assert not alone
    with held(kept) as alone:
        assert alone


# Columns say of a state what the Python reading says, for every kind of domain.


def _said(value: object) -> object:
    """A value of the Python reading, as a table has it: told here once more, from the values alone."""
    match value:
        case None | bool() | int() | str():
            return value
        case enum.Enum():
            return value.name.lower().replace("_", "-")
        case Set():
            return [_said(one) for one in value]
        case Log():
            return [_said(one) for one in value]
        case Map():
            return {str(_said(key)): _said(value[key]) for key in value}
        case Struct():
            return {name: _said(getattr(value, name)) for name in type(value).fields}
    return str(value)


def _random_codes(protocol: Protocol, chance: random.Random) -> Codes:
    """A typed state, in canonical form: what its own values are flattened to."""
    codes = tuple(chance.randrange(leaf.domain.size) for leaf in protocol.leaves)
    flat: list[int] = []
    for name, variable in protocol.variables.items():
        variable.domain.flatten(getattr(protocol.at(codes), name), flat)
    return tuple(flat)


def _decoded(protocol: Protocol, states: list[Codes]) -> list[dict[str, object]]:
    layout = lay_out(protocol.leaves)
    words = np.array([layout.pack(codes) for codes in states], np.uint64).reshape(len(states), layout.words)
    columns = pickle.loads(pickle.dumps(StateColumns(protocol)))
    arrays = columns.decoded(leaf_codes(words, layout))
    rows: list[dict[str, object]] = pa.Table.from_arrays(arrays, schema=columns.schema).to_pylist()
    return rows


@pytest.mark.parametrize(
    "protocol",
    [
        Everything(),
        *(epochal.load(name) for name in ("kip-320", "kraft", "async-isr", "leader-epoch-cache", "zookeeper")),
    ],
    ids=lambda protocol: protocol.name or "everything",
)
def test_columns_say_what_python_says(protocol: Protocol) -> None:
    """Of random typed states."""
    chance = random.Random(7)
    states = [_random_codes(protocol, chance) for _ in range(60)]
    wanted = [{name: _said(getattr(protocol.at(codes), name)) for name in protocol.variables} for codes in states]
    assert _decoded(protocol, states) == wanted


def test_no_states_are_a_table_too() -> None:
    assert _decoded(Everything(), []) == []


def test_names_that_are_taken() -> None:
    columns = StateColumns(Everything(), ["Level", "level_"])
    assert columns.names["level"] == "level__" and columns.names["mode"] == "mode"


def test_integers_beyond_sql() -> None:
    with pytest.raises(UsageError, match="no column of 64 bits"):
        StateColumns(Large())


def test_hashes_are_those_of_the_search() -> None:
    """Of states of one to five words; products of all sizes."""
    chance = random.Random(3)
    for size in range(1, 6):
        words = [[chance.getrandbits(chance.choice((1, 20, 63, 64))) for _ in range(size)] for _ in range(50)]
        assert owning.hashes_of(np.array(words, np.uint64)).tolist() == [state_hash(one) for one in words]
    ends = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 64) - 1]
    pairs = [(a, b) for a in ends for b in ends]
    left, right = (np.array(side, np.uint64) for side in zip(*pairs, strict=True))
    assert owning.folded(left, right).tolist() == [fold_one(a, b) for a, b in pairs]
