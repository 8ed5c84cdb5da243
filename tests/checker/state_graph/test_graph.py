"""State spaces as graphs: all of one, as a search counts it, and readable by who reads DOT and GraphML."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess

import networkx
import pytest

import epochal
from epochal.api.graph import GraphResult
from epochal.api.options import OWN, whole
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.state_graph import explored as module
from epochal.checker.state_graph.explored import TooManyStates, explored
from epochal.errors import UsageError
from tests.report.hostile import SCRIPT, Hostile
from tests.zoo.searched import BurningLamp

TINY = {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 0}
QUOTED = r'"(?:[^"\\]|\\.)*"'
LINE = re.compile(
    rf"digraph states \{{|\}}|  (?:graph|node|edge) \[[^\n]*\];|  label={QUOTED};"
    rf"|  s\d+(?: -> s\d+)? \[label={QUOTED}(?:, \w+=(?:\w+|{QUOTED}))*\];"
)


@pytest.fixture(scope="module")
def small() -> GraphResult:
    """Of KIP-320, all there is with two replicas, one record and one epoch."""
    return epochal.graph(epochal.load("kip-320", **TINY))


def test_it_is_what_a_search_sees(small: GraphResult) -> None:
    searched = epochal.check(epochal.load("kip-320", **TINY), engine="python").to_dict()
    found = small.graph
    assert (len(found.states), len(found.steps)) == (searched["distinct_states"], searched["generated_states"])
    assert len(found.terminal_states) == searched["dead_ends"]
    assert small.headline == "kip-320: 37 states, 54 transitions, 6 terminal states" and small.exit_code == 0
    reading = PythonSemantics(found.protocol)
    for state in found.states:
        if state.parent is not None:
            assert state.codes in [after for _, after in reading.successors(found.states[state.parent].codes)]
            assert state.parent < state.number


def test_a_box_says_what_differs_from_its_parent(small: GraphResult) -> None:
    first, second = small.graph.states[:2]
    assert first.told == ("controller: no leader, ISR {b1, b2}", *(f"b{n}: knows no leader; empty log" for n in (1, 2)))
    assert second.told == ("controller: leader b1 e0, ISR {b1, b2}",)
    every = epochal.graph(epochal.load("kip-320", **TINY), all_fields=True).graph.states[1]
    assert "quorum.leader: - -> b1" in every.told


def test_dot(small: GraphResult) -> None:
    text = small.to_dot()
    assert text == epochal.graph(epochal.load("kip-320", **TINY)).to_dot()
    assert all(LINE.fullmatch(line) for line in text.splitlines())
    assert text.count("peripheries=2") == 1 and "#a40000" not in text
    assert '  s0 -> s1 [label=" ElectLeader(b1)\\l"];' in text
    assert max(len(part) for label in re.findall(QUOTED, text) for part in label.split(r"\l")) <= 101


def test_graphml_is_read_by_networkx(small: GraphResult) -> None:
    read = networkx.read_graphml(io.BytesIO(small.to_graphml().encode()))
    assert (len(read.nodes), len(read.edges)) == (37, 54)
    assert read.nodes["s0"]["initial"] is True and read.nodes["s1"]["told"].startswith("controller: leader b1 e0")
    assert {data["label"] for _, _, data in read.out_edges("s0", data=True)} >= {"ElectLeader(b1)", "ElectLeader(b2)"}


def test_what_is_broken_is_marked() -> None:
    result = epochal.graph(BurningLamp())
    assert result.exit_code == 12 and result.violated == {"dim", "never_brighter"}
    assert len(result.graph.states) == 4  # the constraint ends it
    assert result.graph.violated == {"dim": 2, "never_brighter": 1}
    text = result.to_dot()
    assert 's2 [label="2, violates dim\\llevel: 1 -> 2\\l", color="#a40000"' in text
    assert 's1 -> s2 [label=" Turn()\\l violates never_brighter\\l", color="#a40000"' in text
    assert 's1 -> s1 [label=" Stay()\\l"];' in text
    assert "VIOLATED  dim" in str(result) and "state 2" in str(result)
    assert result.to_dict()["steps"][0] == {"from": 0, "to": 1, "action": "Turn()", "violated": []}


def test_what_is_too_large_is_refused_with_what_to_do() -> None:
    with pytest.raises(TooManyStates) as error:
        epochal.graph(epochal.load("kip-320"))
    assert "more than 200 states within replicas 3, log_size 2" in str(error.value)
    assert "Take smaller bounds" in str(error.value) and "--limit" in str(error.value)
    assert len(explored(epochal.load("kip-320", **TINY), limit=37).states) == 37
    with pytest.raises(TooManyStates):
        explored(epochal.load("kip-320", **TINY), limit=36)
    with pytest.raises(UsageError, match="limit is at most 2000"):
        epochal.graph(epochal.load("kip-320", **TINY), limit=2001)
    limit = OWN["graph"]["limit"]
    assert isinstance(limit.check, whole)
    assert (limit.default, limit.check.most) == (module.LIMIT, module.MOST)


def test_hostile_texts_are_text() -> None:
    result = epochal.graph(Hostile())
    text = result.to_dot()
    assert all(LINE.fullmatch(line) for line in text.splitlines())
    assert SCRIPT.split()[0].replace('"', '\\"') in text.replace("\\l  ", " ")
    read = networkx.read_graphml(io.BytesIO(result.to_graphml().encode()))
    assert f"s1: 0 {SCRIPT}" in read.nodes["s0"]["told"]
    assert SCRIPT in json.dumps(result.to_dict()).replace('\\"', '"')


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it(small: GraphResult) -> None:
    for result in (small, epochal.graph(Hostile())):
        done = subprocess.run(
            ["dot", "-Tplain"], input=result.to_dot(), capture_output=True, text=True, timeout=60, check=True
        )
        nodes = [line for line in done.stdout.splitlines() if line.startswith("node ")]
        assert done.stderr == "" and len(nodes) == len(result.graph.states)
