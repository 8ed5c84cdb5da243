"""Columns say of a state what the Python reading says, for every kind of domain."""

from __future__ import annotations

import enum
import pickle
import random
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa
import pytest

import epochal
from epochal.checker.ir.digest import fold as fold_one
from epochal.checker.ir.digest import state_hash
from epochal.checker.ir.layout import lay_out
from epochal.checker.semantics.semantics import Codes
from epochal.checker.tables import kept_run as packed
from epochal.checker.tables.tables import StateColumns
from epochal.errors import UsageError
from epochal.language import Bounds, Capacity, Identifier, Identifiers, Integers, Log, Map, Protocol, Set, Struct, bound


@dataclass(frozen=True)
class _Size(Bounds):
    brokers: int = bound(3, least=1, most=5, help="brokers", why="each is a state more")


_Broker = Annotated[Identifier, Identifiers("b", _Size.brokers)]
_Lag = Annotated[int, Integers(-2, 3)]


class _Mode(enum.Enum):
    IN_SYNC = 0
    OUT = 1


class _Entry(Struct):
    lag: _Lag
    owner: _Broker | None
    group: Set[_Broker]


class _Everything(Protocol):
    """A variable of each kind."""

    bounds: _Size

    level: Annotated[int, Integers(-5, 5)]
    on: bool
    mode: _Mode
    maybe_mode: _Mode | None
    maybe_lag: _Lag | None
    lags: Set[_Lag]
    entry: _Entry
    maybe_entry: _Entry | None
    by_broker: Map[_Broker, _Entry]
    modes: Map[_Broker, _Mode]
    log: Annotated[Log[_Entry], Capacity(3)]
    lag_log: Annotated[Log[_Lag], Capacity(2)]


class _Large(Protocol):
    """An integer that no signed column can hold."""

    large: Annotated[int, Integers(1 << 63, (1 << 63) + 1)]


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
    arrays = columns.decoded(packed.leaf_codes(words, layout))
    rows: list[dict[str, object]] = pa.Table.from_arrays(arrays, schema=columns.schema).to_pylist()
    return rows


@pytest.mark.parametrize(
    "protocol",
    [
        _Everything(),
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
    """With the same columns, and no row."""
    assert _decoded(_Everything(), []) == []


def test_names_that_are_taken() -> None:
    """A variable that is called like a column of the table has another name there."""
    columns = StateColumns(_Everything(), ["Level", "level_"])
    assert columns.names["level"] == "level__" and columns.names["mode"] == "mode"


def test_integers_beyond_sql() -> None:
    """Are refused in words."""
    with pytest.raises(UsageError, match="no column of 64 bits"):
        StateColumns(_Large())


def test_hashes_are_those_of_the_search() -> None:
    """Of states of one to five words; products of all sizes."""
    chance = random.Random(3)
    for size in range(1, 6):
        words = [[chance.getrandbits(chance.choice((1, 20, 63, 64))) for _ in range(size)] for _ in range(50)]
        assert packed.hashes(np.array(words, np.uint64)).tolist() == [state_hash(one) for one in words]
    ends = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 64) - 1]
    pairs = [(a, b) for a in ends for b in ends]
    left, right = (np.array(side, np.uint64) for side in zip(*pairs, strict=True))
    assert packed.fold(left, right).tolist() == [fold_one(a, b) for a, b in pairs]
