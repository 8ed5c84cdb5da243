"""What the reader says of files that are damaged, foreign or hostile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.trace.itf import TraceError, dumps, encode, said
from epochal.checker.trace.itf_reader import decode, read_trace
from epochal.checker.trace.trace import Trace
from epochal.spec.language import LoadError, Protocol
from epochal.spec.registry import registered
from tests.checker.trace.runs import walk
from tests.zoo.traced import Idle, Zoo, ZooBounds

Load = Callable[[str], type[Protocol]]
Damage = Callable[[Any], Any]


def at(*path: str | int, becomes: Any) -> Damage:
    """Puts a value in a place of the file."""

    def damage(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = becomes

    return damage


def without(*path: str | int) -> Damage:
    """Takes a part of the file away."""

    def damage(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return damage


B1 = ("states", 6, "replicas", "#map", 0, 1)

DAMAGES: list[tuple[Damage, str]] = [
    (without("vars"), "the file is not in the Informal Trace Format: an object with '#meta'.. without vars and states"),
    (without("states"), "the file is not in the Informal Trace Format"),
    (without("#meta"), "#meta: there is none, so the trace was not written by epochal"),
    (at("#meta", becomes=3), "the file.#meta: 3 instead of an object"),
    (at("#meta", "format", becomes="XTF"), "#meta.format: 'XTF' instead of ITF"),
    (at("#meta", "tool", becomes="tlc"), "#meta.tool: the trace was not written by epochal but by 'tlc'"),
    (at("loop", becomes=0), "loop: only a run that violates a liveness property has one"),
    (at("loop", becomes=99), "loop: 99 instead of the number of a state"),
    (without("#meta", "protocol"), "#meta: there is no protocol"),
    (at("#meta", "protocol", becomes=["x"]), "#meta.protocol: a list of 1 instead of a text"),
    (at("#meta", "protocol", becomes="\x1b[2J"), r"#meta.protocol: '\x1b[2J' has control characters"),
    (without("#meta", "bounds"), "#meta: there is no bounds"),
    (at("#meta", "bounds", becomes=[]), "#meta.bounds: a list of 0 instead of an object"),
    (without("#meta", "bounds", "records"), "#meta.bounds: there is no records"),
    (at("#meta", "bounds", "brokers", becomes=3), "#meta.bounds: 'brokers' is no bound; there are replicas, log_size"),
    (at("#meta", "bounds", "replicas", becomes=99), "#meta.bounds: replicas=99: the number of replicas must be"),
    (at("#meta", "bounds", "replicas", becomes="2"), "#meta.bounds: replicas must be a whole number, not '2'"),
    (at("#meta", "bounds", "replicas", becomes=True), "#meta.bounds: replicas must be a whole number, not True"),
    (without("#meta", "property"), "#meta: there is no property"),
    (at("#meta", "property", becomes="safety"), "#meta.property: the specification has no property 'safety'"),
    (
        at("#meta", "property", becomes="record_committed"),
        "#meta.verdict: violated says nothing about record_committed",
    ),
    (at("#meta", "property", becomes=""), "#meta.verdict: violated says nothing about no property"),
    (at("#meta", "verdict", becomes="wrong"), "#meta.verdict: 'wrong' is none of violated, reached, error, run"),
    (at("#meta", "verdict", becomes="reached"), "#meta.verdict: reached says nothing about weak_isr"),
    (at("#meta", "verdict", becomes=None), "#meta.verdict: None instead of a text"),
    (without("#meta", "note"), "#meta: there is no note"),
    (at("#meta", "seed", becomes=[1]), "#meta: the value of 'seed' is a list of 1, not a plain text"),
    (at("#meta", "facts", becomes={"host": "\x07"}), r"#meta: the value of 'host' is '\x07', not a plain text"),
    (at("#meta", "facts", becomes=[]), "#meta.facts: a list of 0 instead of an object"),
    (without("#meta", "varTypes"), "#meta: there is no varTypes"),
    (at("#meta", "varTypes", "quorum", becomes="Int"), "#meta.varTypes: the type of 'quorum' is not the one of"),
    (at("#meta", "varTypes", "zk", becomes="Int"), "#meta.varTypes: the type of 'zk' is not the one of"),
    (at("vars", becomes=["next_record"]), "vars: they are not the state variables of truncate-to-hw, which are next_"),
    (at("vars", becomes=None), "vars: they are not the state variables of truncate-to-hw"),
    (at("states", becomes=[]), "states: a list of 0 instead of a list of states"),
    (at("states", becomes={}), "states: an object with no names instead of a list of states"),
    (at("states", 2, becomes="state"), "states[2]: 'state' instead of a state"),
    (without("states", 2), "states[2].#meta.index: 3 instead of 2: states are missing or out of order"),
    (without("states", 2, "#meta"), "states[2]: there is no #meta"),
    (without("states", 2, "#meta", "index"), "states[2].#meta: there is no index"),
    (at("states", 1, "#meta", "index", becomes=True), "states[1].#meta.index: True instead of a whole number"),
    (without("states", 2, "quorum"), "states[2]: there is no value for quorum"),
    (at("states", 2, "zk", becomes=1), "states[2]: 'zk' is not a state variable"),
    (without("states", 2, "#meta", "action"), "states[2].#meta: there is no action"),
    (
        at("states", 2, "#meta", "action", becomes="crash"),
        "states[2].#meta.action: the specification has no action 'cra",
    ),
    (
        at("states", 2, "#meta", "label", becomes="Fetch(b2, b1)"),
        "states[2].#meta.label: 'Fetch(b2, b1)' is no step of",
    ),
    (at("states", 2, "#meta", "arguments", becomes=[]), "states[2].#meta.arguments: they are not those of Controller"),
    (at("states", 2, "#meta", "arguments", becomes="b2"), "states[2].#meta.arguments: 'b2' instead of a list"),
    (at("states", 6, "next_record", becomes=1), 'states[6].next_record: 1 instead of {"#bigint": "..."}'),
    (
        at("states", 6, "next_record", becomes={"#bigint": 1}),
        "states[6].next_record: an object with '#bigint'.. instead",
    ),
    (at("states", 6, "next_record", becomes={"#bigint": "2"}), "states[6].next_record: 2 is outside 0..1"),
    (at("states", 6, "next_record", becomes={"#bigint": "01"}), "states[6].next_record: '01' is not an integer"),
    (at("states", 6, "next_record", becomes={"#bigint": "9" * 5000}), "states[6].next_record: '99999"),
    (at(*B1, "leader", becomes="b3"), "states[6].replicas[b1].leader: 'b3' is none of -, b1, b2"),
    (at(*B1, "leader", becomes=None), "states[6].replicas[b1].leader: None is none of -, b1, b2"),
    (at(*B1, "leader", becomes={"deep": [[]]}), "states[6].replicas[b1].leader: an object with 'deep'.. is none of"),
    (at(*B1, "isr", becomes=["b1"]), 'states[6].replicas[b1].isr: a list of 1 instead of {"#set": [...]}'),
    (at(*B1, "isr", "#set", 1, becomes="b1"), "states[6].replicas[b1].isr{1}: the set has this element already"),
    (at(*B1, "isr", "#set", 1, becomes="b7"), "states[6].replicas[b1].isr{1}: 'b7' is none of b1, b2"),
    (at(*B1, "log", becomes={}), "states[6].replicas[b1].log: an object with no names is not a list"),
    (at(*B1, "log", becomes=[0, 0]), "states[6].replicas[b1].log: 2 entries in a log with room for 1"),
    (
        at(*B1, "log", 0, becomes={"id": 1}),
        "states[6].replicas[b1].log[0]: an object with 'id'.. is not a record of id",
    ),
    (
        without(*B1, "hw"),
        "states[6].replicas[b1]: an object with 'log'.. is not a record of log, hw, epoch, leader, isr",
    ),
    (at("states", 6, "replicas", becomes={}), 'states[6].replicas: an object with no names instead of {"#map": [...]}'),
    (without("states", 6, "replicas", "#map", 1), "states[6].replicas: the map has no value for b2"),
    (at("states", 6, "replicas", "#map", 1, 0, becomes="b1"), "states[6].replicas[b1]: the map has this key already"),
    (at("states", 6, "replicas", "#map", 1, 0, becomes="b9"), "states[6].replicas: key 1 of the map: 'b9' is none of"),
    (at("states", 6, "replicas", "#map", 1, becomes=["b2"]), "states[6].replicas: entry 1 of the map is a list of 1,"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=[message[:60] for _, message in DAMAGES])
def test_damage_is_named(damage: Damage, message: str, counterexample: Trace, load: Load) -> None:
    data = encode(counterexample)
    damage(data)
    with pytest.raises(TraceError) as caught:
        decode(json.dumps(data), load)
    assert message in caught.value.message


ZOO_DAMAGES: list[tuple[str, Any, str]] = [
    ("flag", "true", "states[0].flag: 'true' is neither true nor false"),
    ("flag", {"#bigint": "1"}, "states[0].flag: an object with '#bigint'.. is neither true nor false"),
    ("maybe_flag", True, "states[0].maybe_flag: True instead of [] for none, or [value]"),
    ("maybe_flag", [True, True], "states[0].maybe_flag: a list of 2 instead of [] for none, or [value]"),
    ("maybe_flag", [1], "states[0].maybe_flag: 1 is neither true nor false"),
    ("entry", "-", "states[0].entry: '-' instead of [] for none, or [value]"),
    ("entry", [{}], "states[0].entry: an object with no names is not a record of number, color"),
    ("color", "-", "states[0].color: '-' is none of dark-red, green"),
    ("maybe_number", [{"#bigint": "3"}], "states[0].maybe_number: 3 is outside -1..2"),
    ("number", {"#bigint": "-0"}, "states[0].number: '-0' is not an integer"),
]


@pytest.mark.parametrize(("name", "value", "message"), ZOO_DAMAGES, ids=[message for _, _, message in ZOO_DAMAGES])
def test_damage_of_other_domains_is_named(name: str, value: Any, message: str, zoo: Zoo, load: Load) -> None:
    data = encode(walk(zoo, 1))
    data["states"][0][name] = value
    with pytest.raises(TraceError) as caught:
        decode(data, load)
    assert caught.value.message == message


TEXTS: list[tuple[str, str]] = [
    ("", "the file is empty"),
    (" \n", "the file is empty"),
    ("hello", "the file is not JSON: line 1, column 1: Expecting value"),
    ("[1, 2]", "the file is not in the Informal Trace Format: a list of 2 without vars and states"),
    ("3", "the file is not in the Informal Trace Format: 3 without vars and states"),
    ('{"a": 1,', "the file is not JSON: line 1, column 9: it ends too early, so it was not written or copied whole"),
    ('{"a": "b', "it ends too early"),
    ('{"a": NaN}', "the file is not JSON: NaN is no value of JSON"),
    ('{"a": 1, "a": 2}', "the file is not a trace: the name 'a' occurs twice in one object"),
    ("[" * 200_000, "the file is not a trace: its values are nested too deeply"),
    ('{"a":' * 200_000, "the file is not a trace: its values are nested too deeply"),
    ("9" * 10_000, "the file is not a trace: it has a number with thousands of digits"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=[f"{i}" for i in range(len(TEXTS))])
def test_what_is_no_trace_at_all(text: str, message: str, load: Load) -> None:
    with pytest.raises(TraceError) as caught:
        decode(text, load)
    assert message in caught.value.message


def test_long_pieces_of_a_file_are_cut_short() -> None:
    assert said("a" * 38) == "'" + "a" * 38 + "'"
    assert said("a" * 39) == "'" + "a" * 39 + ".."
    assert said("é") == r"'\xe9'"


def test_traces_of_other_tools_are_named(load: Load) -> None:
    quint = {
        "#meta": {"format": "ITF", "source": "bank.qnt", "description": "Created by Quint on Thu Dec 07 2023"},
        "vars": ["value"],
        "states": [{"#meta": {"index": 0}, "value": {"tag": "None", "value": {}}}],
    }
    with pytest.raises(TraceError) as caught:
        decode(quint, load)
    assert caught.value.message.endswith("not written by epochal but by 'Created by Quint on Thu Dec 07 2023'")
    assert "Only traces of epochal name the protocol" in str(caught.value)
    with pytest.raises(TraceError, match="but by 'another tool'"):
        decode({**quint, "#meta": {}}, load)


def test_a_file_of_another_encoding_is_named(tmp_path: Path, load: Load) -> None:
    path = tmp_path / "t.itf.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(TraceError) as caught:
        read_trace(path, load)
    assert caught.value.message == f"{path}: the file is not JSON: byte 7 is not UTF-8 text"


def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path, load: Load, counterexample: Trace) -> None:
    path = tmp_path / "t.itf.json"
    path.write_text(dumps(counterexample))
    size = path.stat().st_size
    read_trace(path, load, size_limit=size)
    with pytest.raises(TraceError, match="the file is larger than 0 MiB, so it is not a trace of epochal"):
        read_trace(path, load, size_limit=size - 1)


def test_the_file_is_named_and_the_advice_kept(tmp_path: Path, load: Load) -> None:
    path = tmp_path / "t.itf.json"
    path.write_text("{}")
    with pytest.raises(TraceError) as caught:
        read_trace(path, load)
    assert caught.value.message.startswith(f"{path}: the file is not in the Informal Trace Format")
    assert str(caught.value).endswith("\n  epochal writes and reads traces as *.itf.json.")


def test_a_missing_file_is_an_os_error(tmp_path: Path, load: Load) -> None:
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "none.itf.json", load)


def test_what_load_raises_passes_through(counterexample: Trace) -> None:
    data = encode(counterexample)
    data["#meta"]["protocol"] = "kip-0"
    with pytest.raises(LoadError, match="no protocol is named 'kip-0'"):
        decode(data, registered)


def test_a_trace_of_another_specification_is_named(counterexample: Trace, load: Load) -> None:
    data = encode(counterexample)
    data["#meta"]["protocol"] = "async-isr"
    with pytest.raises(
        TraceError, match=r"#meta\.bounds: 'log_size' is no bound; there are replicas, max_offset, max_version"
    ):
        decode(data, load)


def test_a_protocol_without_actions_has_no_traces(counterexample: Trace) -> None:
    data = encode(counterexample)
    data["#meta"]["bounds"] = {}
    with pytest.raises(TraceError, match=r"#meta\.protocol: 'truncate-to-hw' has no actions"):
        decode(data, lambda name: Idle)


def test_other_facts_do_not_replace_the_protocol(counterexample: Trace, load: Load) -> None:
    data = encode(counterexample)
    data["#meta"]["facts"] = {"protocol": "evil.py:Evil"}
    assert decode(data, load).facts["protocol"] == "truncate-to-hw"


def test_a_step_property_needs_a_step(zoo: Zoo, load: Load) -> None:
    trace = walk(zoo, 0)
    data = encode(Trace(trace.protocol, trace.initial, (), "flag_stays_down", "violated"))
    with pytest.raises(TraceError, match="states: flag_stays_down is about a step, and the trace has none"):
        decode(data, load)


FILE = dumps(walk(Zoo(ZooBounds(nodes=1, high=0)), 1))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_truncated_file_is_never_read(data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(FILE) - 2))
    with pytest.raises(TraceError, match=r"the file is (empty|not JSON)"):
        decode(FILE[:cut], lambda name: Zoo)


SHORT = st.text("ab0-#é{}\n\"'\\\0\u2028\U0001f600", max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | SHORT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SHORT, inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_value_put_anywhere_is_refused_or_read_never_a_crash(data: st.DataObject) -> None:
    file = json.loads(FILE)
    place: Any = file
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        place = inner
    place[key] = data.draw(JSON)
    try:
        read = decode(json.dumps(file), lambda name: Zoo)
    except TraceError as error:
        assert error.message
    else:
        assert len(read.steps) == 1
        dumps(read)
