"""Traces as ITF files: exact round trips, and what an independent reader makes of them."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import itf_py
import pytest
from hypothesis import given, settings

from epochal.checker.base import installed
from epochal.checker.trace.itf import dumps, encode, write_trace
from epochal.checker.trace.itf_reader import decode, read_trace
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.language import Identifier, Log, Map, Protocol, Struct
from epochal.spec.registry import REGISTRY, registered
from tests.checker.trace.runs import traces_of, walk
from tests.each import for_each
from tests.zoo.traced import Zoo, ZooBounds

ZOO = Zoo(ZooBounds(nodes=2, high=1))
Load = Callable[[str], type[Protocol]]

TYPES_APALACHE_READS = re.compile(r"(Int|Bool|Str|Seq|Set|->|[(){},: ]|[a-z_]+(?=: ))+")


def same_trace(a: Trace, b: Trace) -> bool:
    """Whether two traces are the same in everything that a file holds."""
    return (
        a.initial == b.initial
        and [(s.instance.number, s.codes) for s in a.steps] == [(s.instance.number, s.codes) for s in b.steps]
        and (a.property_id, a.verdict, a.note) == (b.property_id, b.verdict, b.note)
        and a.protocol.bounds == b.protocol.bounds
        and type(a.protocol) is type(b.protocol)
    )


# -- round trips --------------------------------------------------------------------------------------------------


@for_each("name", REGISTRY)
def test_a_run_of_every_registered_protocol_round_trips(name: str) -> None:
    trace = walk(registered(name)(), 10)
    assert trace.steps
    text = dumps(trace)
    again = decode(text, registered)
    assert same_trace(trace, again)
    assert dumps(again) == text


def test_counterexamples_and_witnesses_round_trip(found: dict[str, Trace], load: Load) -> None:
    assert {trace.verdict for trace in found.values()} == {"violated", "reached"}
    for trace in found.values():
        again = decode(dumps(trace), load)
        assert same_trace(trace, again)
        assert dumps(again) == dumps(trace)


@settings(max_examples=60, deadline=None)
@given(traces_of(ZOO))
def test_any_trace_of_every_kind_of_domain_round_trips(trace: Trace) -> None:
    text = dumps(trace)
    again = decode(text, lambda name: Zoo)
    assert same_trace(trace, again)
    assert again.facts == {"protocol": "zoo", **trace.facts}
    assert dumps(again) == text


def test_the_json_object_and_the_text_are_the_same(counterexample: Trace, load: Load) -> None:
    assert json.loads(dumps(counterexample)) == encode(counterexample)
    assert same_trace(decode(encode(counterexample), load), counterexample)


def test_files_are_written_and_read(counterexample: Trace, tmp_path: Path, load: Load) -> None:
    path = tmp_path / "weak_isr.itf.json"
    write_trace(path, counterexample)
    assert path.read_text() == dumps(counterexample)
    assert same_trace(read_trace(path, load), counterexample)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert same_trace(read_trace(path, load), counterexample)


def test_sets_and_maps_are_read_in_any_order(counterexample: Trace, load: Load) -> None:
    data = encode(counterexample)
    data["states"][0]["quorum"]["isr"]["#set"].reverse()
    data["states"][0]["replicas"]["#map"].reverse()
    assert data != encode(counterexample)
    assert same_trace(decode(data, load), counterexample)


def test_steps_with_the_same_label_are_told_apart(zoo: Zoo, load: Load) -> None:
    labels: dict[str, list[int]] = {}
    for instance in zoo.instances:
        labels.setdefault(instance.label, []).append(instance.number)
    twins = next(numbers for numbers in labels.values() if len(numbers) > 1)
    initial = zoo.initial_states()[0]
    trace = Trace(zoo, initial, tuple(Step(zoo.instances[number], initial) for number in twins))
    assert [step.instance.number for step in decode(dumps(trace), load).steps] == twins
    once = encode(walk(zoo, 1))["states"][1]["#meta"]["arguments"]
    assert once == [{"name": "node", "value": "n1"}]


# -- the format ---------------------------------------------------------------------------------------------------


def test_metadata(counterexample: Trace) -> None:
    facts: dict[str, str | int | bool] = {
        "seed": 7, "shortest": True, "engine": "native", "digest": "00ff", "host": "x", "protocol": "k.py:K"
    }  # fmt: skip
    meta = encode(replace(counterexample, facts=facts, note="n"))["#meta"]
    description = meta.pop("description")
    assert description.startswith("k.py:K, replicas 2, log_size 1, records 1, max_epoch 1: weak_isr is violated. Below")
    assert list(meta.items()) == [
        ("format", "ITF"),
        ("format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"),
        (
            "varTypes",
            {
                "next_record": "Int",
                "replicas": "Str -> {log: Seq({id: Int, epoch: Int}), hw: Int, epoch: Int, leader: Str, isr: Set(Str)}",
                "quorum": "{leader: Str, isr: Set(Str)}",
                "requests": "Seq({leader: Str, isr: Set(Str)})",
            },
        ),
        ("tool", "epochal"),
        ("version", installed.tool_version()),
        ("protocol", "k.py:K"),
        ("property", "weak_isr"),
        ("verdict", "violated"),
        ("bounds", {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}),
        ("engine", "native"),
        ("shortest", True),
        ("seed", 7),
        ("digest", "00ff"),
        ("facts", {"host": "x"}),
        ("note", "n"),
    ]


def test_states_hold_the_variables_and_the_step(counterexample: Trace) -> None:
    data = encode(counterexample)
    assert list(data) == ["#meta", "vars", "states"]
    assert data["vars"] == ["next_record", "replicas", "quorum", "requests"]
    assert all(list(state) == ["#meta", *data["vars"]] for state in data["states"])
    assert data["states"][0]["#meta"] == {"index": 0}
    meta = data["states"][6]["#meta"]
    assert meta.pop("source")["file"] == "spec/classic/follower.py"
    assert meta == {
        "index": 6,
        "action": "fetch",
        "label": "Fetch(b2, b1)",
        "arguments": [{"name": "follower", "value": "b2"}, {"name": "leader", "value": "b1"}],
        "sentence": "b2 fetches the next record from b1",
        "messages": [
            {"name": "Fetch", "from": "b2", "to": "b1", "arrives": True},
            {"name": "Fetch response", "from": "b1", "to": "b2", "arrives": True},
        ],
    }
    (sent,) = data["states"][1]["#meta"]["messages"]
    assert sent == {"name": "LeaderAndIsr", "from": "controller", "to": "b1", "arrives": False}
    assert "messages" not in data["states"][4]["#meta"]
    assert data["states"][6]["requests"] == [
        {"leader": "b1", "isr": {"#set": ["b1", "b2"]}},
        {"leader": "b1", "isr": {"#set": ["b1"]}},
    ]


def test_types_in_apalaches_notation(zoo: Zoo) -> None:
    types = encode(walk(zoo, 1))["#meta"]["varTypes"]
    assert list(types) == list(zoo.variables)
    assert types["maybe_flag"] == "Seq(Bool)"
    assert types["maybe_number"] == "Seq(Int)"
    assert types["maybe_color"] == types["node"] == "Str"
    assert types["pairs"] == "Set({color: Str, flag: Bool})"
    assert types["entry"] == "Seq({number: Int, color: Str})"
    assert types["counts"] == "Str -> (Str -> Int)"
    assert types["by_flag"] == "Bool -> Seq(Int)"
    assert all(TYPES_APALACHE_READS.fullmatch(one) for one in types.values())


def test_names_that_read_alike_are_spelt_as_in_the_specification(zoo: Zoo) -> None:
    state = zoo.at(zoo.initial_states()[0])
    twin, dash = (zoo.variables[name].domain for name in ("twin", "dash"))
    state.twin, state.dash = list(twin.values())[1], list(dash.values())[1]
    written = encode(Trace(zoo, state.codes(), ()))["states"][0]
    assert written["twin"] == "READ_ONLY"
    assert written["dash"] == "_"
    assert written["color"] == "dark-red"
    assert written["maybe_color"] == "-"


def test_what_a_terminal_could_act_on_is_not_written(counterexample: Trace, load: Load) -> None:
    trace = replace(counterexample, note="a\x1b[2Jb\ud800\nc", facts={"engine": "\x07"})
    again = decode(dumps(trace), load)
    assert again.note == "a?[2Jb?\nc"
    assert again.facts["engine"] == "?"


def test_the_version_is_read_from_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: f"{name} 9")
    assert installed.tool_version() == "epochal 9"

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert installed.tool_version() == "0+unknown"


# -- an independent reader ----------------------------------------------------------------------------------------


def expected(value: Any, optional: bool = False) -> Any:
    """What a reader of ITF should see for a value of the Python reading."""
    if optional and not (value is None or isinstance(value, Identifier | enum.Enum)):
        return [expected(value)]
    if isinstance(value, Identifier):
        return repr(value)
    if isinstance(value, enum.Enum):
        return value.name if type(value).__name__ in ("Twin", "Dash") else value.name.lower().replace("_", "-")
    if isinstance(value, frozenset):
        return frozenset(expected(member) for member in frozenset.__iter__(value))
    if isinstance(value, Log):
        return [expected(entry) for entry in value]
    if isinstance(value, Map):
        return {expected(key): expected(one) for key, one in value.items()}
    if isinstance(value, Struct):
        fields = zip(type(value).fields, value.field_values(), strict=True)
        return tuple((name, expected(one)) for name, one in fields)
    return value


def plain(value: Any) -> Any:
    """What itf-py read, with its record types turned into tuples of names and values."""
    if isinstance(value, frozenset):
        return frozenset(plain(member) for member in value)
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    if hasattr(value, "_asdict"):
        return tuple((name, plain(one)) for name, one in value._asdict().items())
    if hasattr(value, "items"):
        return {plain(key): plain(one) for key, one in value.items()}
    return value


def test_itf_py_reads_the_values_of_a_counterexample(counterexample: Trace) -> None:
    read = itf_py.trace_from_json(json.loads(dumps(counterexample)))
    assert read.vars == list(counterexample.protocol.variables)
    assert len(read.states) == counterexample.length
    for codes, state in zip(counterexample.states, read.states, strict=True):
        values = counterexample.protocol.at(codes)
        for name in read.vars:
            want = expected(getattr(values, name))
            if name == "replicas":
                want = {b: dash_none(fields) for b, fields in want.items()}
            assert plain(state.values[name]) == (dash_none(want) if name != "next_record" else want)


def dash_none(value: Any) -> Any:
    """None as the file has it for optional identifiers."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return tuple((name, dash_none(one)) for name, one in value)
    return [dash_none(one) for one in value] if isinstance(value, list) else value


OPTIONAL = {"maybe_flag", "maybe_number", "entry", "maybe_secret"}
SIMPLE = {"flag", "number", "color", "nodes", "pairs", "secret", "counts", "numbers", "history"}
NAMES = {"maybe_color", "twin", "dash", "node"}


@settings(max_examples=40, deadline=None)
@given(traces_of(ZOO))
def test_itf_py_reads_the_values_of_the_zoo(trace: Trace) -> None:
    read = itf_py.trace_from_json(json.loads(dumps(trace)))
    for codes, state in zip(trace.states, read.states, strict=True):
        values = ZOO.at(codes)
        for name in sorted(OPTIONAL | SIMPLE | NAMES):
            value = getattr(values, name)
            if value is None:
                assert plain(state.values[name]) == ([] if name in OPTIONAL else "-")
            elif name == "entry":
                want = expected(value)
                assert plain(state.values[name]) == [dash_none(want)]
            else:
                assert plain(state.values[name]) == expected(value, optional=name in OPTIONAL)
        assert plain(state.values["by_flag"]) == {
            key: [] if one is None else [one] for key, one in values.by_flag.items()
        }


def test_the_viewer_of_quint_can_show_it(zoo: Zoo) -> None:
    """It shows the variables of `vars` as columns in alphabetical order, and the entries of each state beside them,
    so that every state must have them all; and it looks into whatever is an object, so that null would stop it."""
    initial = zoo.initial_states()[0]
    data = json.loads(dumps(Trace(zoo, initial, (Step(zoo.instances[0], initial),))))
    assert data["#meta"]["format"] == "ITF" and isinstance(data["#meta"]["description"], str)
    for index, state in enumerate(data["states"]):
        assert state["#meta"]["index"] == index
        assert sorted(state.keys() - {"#meta"}) == sorted(data["vars"])
        todo = [state[name] for name in data["vars"]]
        while todo:
            value = todo.pop()
            assert isinstance(value, str | bool | int | list | dict)
            todo += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
