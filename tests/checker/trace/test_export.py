"""Traces in the formats that people look at."""

from __future__ import annotations

import html
import io
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache

import networkx
import pytest
from markdown_it import MarkdownIt

import epochal
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.diagrams import LONGEST, choices, dot, folded, lanes_of, mermaid, quoted, sequencediagram
from epochal.checker.trace.explain import explain, sentence
from epochal.checker.trace.formats import FORMATS, exported
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.text import markdown, story
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.classic.async_isr import AsyncIsr
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language.domains import IdentifierDomain
from epochal.spec.registry import REGISTRY, registered
from tests.checker.snapshots import same_as_snapshot
from tests.checker.trace.runs import walk
from tests.each import for_each
from tests.house.test_architecture import ROOT
from tests.report.hostile import SCRIPT, Hostile
from tests.zoo.traced import Zoo, ZooBounds


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_trace_gives_the_same_text(name: str, counterexample: Trace) -> None:
    assert exported(counterexample, name) == exported(counterexample, name)
    assert exported(counterexample, name).endswith("\n")
    assert not exported(counterexample, name).endswith("\n\n")


@pytest.mark.parametrize("name", ["mermaid", "sequencediagram", "plantuml", "jira"])
def test_the_whole_text(name: str, counterexample: Trace) -> None:
    same_as_snapshot(__file__, name, exported(counterexample, name))


@pytest.mark.parametrize("name", ["mermaid", "sequencediagram", "markdown"])
def test_signs_that_a_format_would_read_are_escaped(name: str, zoo: Zoo) -> None:
    """In the names of lanes; and there is a step by nobody, and one of a lane on itself."""
    same_as_snapshot(__file__, f"odd-{name}", exported(odd(zoo), name))


def test_no_text_depends_on_hash_order() -> None:
    program = """
from tests.house.test_architecture import ROOT
from tests.zoo.traced import Zoo
from tests.checker.trace.runs import walk
from epochal.checker.trace.formats import FORMATS, exported
from epochal.checker.trace.itf import dumps
import functools, hashlib
trace = walk(Zoo(), 4)
for write in (*(functools.partial(exported, name=name) for name in FORMATS), dumps):
    print(hashlib.sha256(write(trace).encode()).hexdigest())
"""
    paths = os.pathsep.join([str(p) for p in sys.path if p])
    results = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONPATH": paths, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(results) == 1


@cache
def walked(protocol: str, length: int) -> Trace:
    """A run of a registered protocol."""
    return walk(registered(protocol)(), length)


@for_each("protocol", REGISTRY)
@for_each("name", FORMATS)
def test_every_registered_protocol_can_be_exported(name: str, protocol: str) -> None:
    trace = walked(protocol, 1 if name == "html" else 4)  # a page tries every action in every state
    text = exported(trace, name)
    for step in trace.steps:
        told = sentence(step.instance) if name == "jira" else step.instance.label
        assert told in text.replace("\\", "")


# -- lanes --------------------------------------------------------------------------------------------------------
def test_lanes_go_from_the_controller_to_the_brokers(counterexample: Trace, zoo: Zoo) -> None:
    assert lanes_of(counterexample.protocol, explain(counterexample)) == ["controller", "b1", "b2"]
    later = Trace(counterexample.protocol, counterexample.states[5], counterexample.steps[5:7])
    assert lanes_of(later.protocol, explain(later)) == ["b1", "b2"]
    hide = next(i for i in zoo.instances if i.action.name == "hide")
    mixed = Trace(zoo, walk(zoo, 1).initial, (*walk(zoo, 1).steps, Step(hide, walk(zoo, 1).states[-1])))
    assert lanes_of(zoo, explain(mixed)) == ["controller", "n1", "n2", "producer"]


def test_other_lanes_come_after_the_controller() -> None:
    protocol = AsyncIsr()
    initial = protocol.initial_states()[0]
    labels = ("FollowerReplicates(b2)", "ControllerShrinksIsr(b3)")
    steps = [next(i for i in protocol.instances if i.label == label) for label in labels]
    trace = Trace(protocol, initial, tuple(Step(i, initial) for i in steps))
    assert lanes_of(protocol, explain(trace)) == ["controller", "leader", "b1", "b2", "b3"]


# -- mermaid ------------------------------------------------------------------------------------------------------
class Quoting(IdentifierDomain):
    """Its values are shown as backquotes."""

    def show(self, value: object) -> str:
        return "`"


def odd(zoo: Zoo) -> Trace:
    """Steps of a lane with signs, by nobody, and by a lane on itself."""
    initial = walk(zoo, 1).states[-1]
    names = ("overflow", "nothing", "hide")
    steps = [next(i for i in zoo.instances if i.action.name == name) for name in names]
    return Trace(zoo, initial, tuple(Step(i, initial) for i in steps))


def test_mermaid_names_no_lane_like_a_word_of_its_own(zoo: Zoo) -> None:
    trace = odd(zoo)
    step = trace.steps[0]
    mark = replace(step.instance.action.mark, by="end")
    instance = replace(step.instance, action=replace(step.instance.action, mark=mark))
    lines = mermaid(replace(trace, steps=(Step(instance, step.codes),))).splitlines()
    assert lines[2] == "    participant lane1 as end"


def test_a_protocol_without_lanes_has_one(zoo: Zoo) -> None:
    alone = type("Alone", (Zoo,), dict.fromkeys(("set_flag", "hide", "overflow")))(nodes=1)
    trace = walk(alone, 1)
    assert mermaid(trace).splitlines()[2:] == ["    participant protocol", "    Note over protocol: 1. Nothing()"]
    assert sequencediagram(trace).splitlines()[2:] == ["participant protocol", "", "note over protocol:1. Nothing()"]


# -- sequencediagram.org ------------------------------------------------------------------------------------------
def test_sequencediagram_escapes_what_it_would_read(counterexample: Trace) -> None:
    titled = sequencediagram(replace(counterexample, facts={"protocol": "a//b--c\\d<e>"}))
    assert titled.startswith("title a\\//b\\--c\\\\d\\<e>, replicas")


# -- markdown -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("all_fields", [False, True], ids=["told", "fields"])
def test_markdown(all_fields: bool, counterexample: Trace, request: pytest.FixtureRequest) -> None:
    facts: dict[str, str | int | bool] = {"engine": "python", "shortest": True, "seed": 3}
    text = markdown(
        replace(counterexample, facts=facts, note="seen <once>"), "weak isr.itf.json", all_fields=all_fields
    )
    same_as_snapshot(__file__, f"markdown-{request.node.callspec.id}", text)


def test_markdown_keeps_backquotes_in_values(zoo: Zoo) -> None:
    trace = odd(zoo)
    parameters = tuple(replace(p, domain=Quoting("q", 1)) for p in trace.steps[2].instance.parameters)
    instance = replace(trace.steps[2].instance, parameters=parameters)
    text = markdown(replace(trace, steps=(replace(trace.steps[2], instance=instance),)))
    assert "1. **`` Hide(`, `) ``** Two instances of this action can have the same label. (" in text


def test_each_controller_of_zookeepers_time_has_a_lane() -> None:
    """They have no identifiers; `controller` is whichever of them a broker asks."""
    file = ROOT / "counterexamples" / "zookeeper-stale-confirmation-leader-counts-the-isr.itf.json"
    trace = TraceReader((), ()).read(file)
    steps = explain(trace)
    assert lanes_of(trace.protocol, steps) == ["controller", "controller 1", "controller 2", "b1", "b2", "b3"]
    acting = {step.label: (step.by, step.to) for step in steps}
    assert acting["ElectController(2)"] == ("controller 2", "")
    assert acting["LeaderProposesShrink(b1, b2)"] == ("b1", "controller")
    assert acting["ConfirmIsr(1, b1)"] == ("controller 1", "b1")


# -- dot ----------------------------------------------------------------------------------------------------------
NODE = re.compile(r'  (s|o)(\d+) \[label="((?:[^"\\]|\\.)*)"(, [^\]]*)\];')
EDGE = re.compile(r'  s(\d+) -> s(\d+) \[label=" ((?:[^"\\]|\\.)*)\\l"(, color="#a40000"[^\]]*)?\];')
LOOSE = re.compile(r"  s(\d+) -> o\1 \[style=dotted, arrowhead=none\];|  \{ rank=same; s(\d+); o\2; \}")


def test_dot_has_the_trace_in_a_column_and_every_other_step_beside_it(counterexample: Trace) -> None:
    lines = dot(counterexample).splitlines()
    nodes = {m[1] + m[2]: m[3] for line in lines if (m := NODE.fullmatch(line))}
    edges = [m for line in lines if (m := EDGE.fullmatch(line))]
    assert [(int(m[1]), int(m[2]), m[3]) for m in edges if m[4]] == [
        (i, i + 1, step.instance.label) for i, step in enumerate(counterexample.steps)
    ]
    reading = PythonSemantics(counterexample.protocol)
    for at in range(len(counterexample.states)):
        found = choices(counterexample, at, reading)
        beside = nodes.get(f"o{at}", "").removeprefix(r"also possible:\l").replace(r"\l  ", " ").removesuffix(r"\l")
        assert beside == ", ".join(found.beside)
        assert [(m[3], int(m[2])) for m in edges if int(m[1]) == at and not m[4]] == list(found.within)
    assert nodes["s7"] == r"state 7\lb1: leads e0, ISR {b1, b2}; log r0@e0, hw 1\l"
    assert r"state 7\lb1.hw: 0 -> 1\l" in dot(counterexample, all_fields=True)
    assert lines[0] == "digraph run {" and lines[-1] == "}"
    assert len(lines) == len(nodes) + len(edges) + sum(bool(LOOSE.fullmatch(line)) for line in lines) + 6


def test_choices_are_what_the_reading_takes(counterexample: Trace) -> None:
    reading = PythonSemantics(counterexample.protocol)
    places = set(counterexample.states)
    for at, before in enumerate(counterexample.states):
        found = choices(counterexample, at, reading)
        taken = [step.instance.label for step in counterexample.steps[at : at + 1]]
        steps = reading.successors(before)
        assert sorted([*found.beside, *(label for label, _ in found.within), *taken]) == sorted(
            instance.label for instance, _ in steps
        )
        assert list(found.beside) == [instance.label for instance, after in steps if after not in places]


def test_dot_of_a_step_that_is_not_possible(counterexample: Trace) -> None:
    kip_320 = Kip320(counterexample.protocol.bounds)
    steps = [
        Step(next(i for i in kip_320.instances if i.label == s.instance.label), s.codes) for s in counterexample.steps
    ]
    text = dot(Trace(kip_320, counterexample.initial, tuple(steps)))
    assert text.startswith("// step 8, BecomeFollower(b2, b1, 1), is not possible in the python semantics\ndigraph")
    assert 's7 -> s8 [label=" BecomeFollower(b2, b1, 1)\\l", color="#a40000"' in text


def test_dot_of_a_state_whose_steps_fail() -> None:
    zoo = Zoo(ZooBounds(nodes=1, high=0))
    initial = zoo.initial_states()[0]
    state = zoo.at(initial)
    state.flag = True
    state.number = 0
    text = dot(Trace(zoo, state.codes(), ()))
    assert text.startswith("// the steps from state 0 cannot be evaluated: number: 1 is outside -1..0\n")


def test_dot_shows_every_change_of_a_step(zoo: Zoo) -> None:
    initial = zoo.initial_states()[0]
    state = zoo.at(initial)
    state.flag, state.maybe_flag, state.number, state.maybe_number = True, True, 1, 1
    state.numbers.append(0)
    trace = Trace(zoo, initial, (Step(zoo.instances[0], state.codes()),))
    shown = r"flag: false -> true\lmaybe_flag: - -> true\lnumber: -1 -> 1\lmaybe_number: - -> 1\lnumbers[0]: - -> 0\l"
    assert f'label="state 1\\l{shown}"' in dot(trace)


def test_dot_quotes_and_folds(counterexample: Trace) -> None:
    text = dot(replace(counterexample, facts={"protocol": 'a "b" \\c'}))
    assert r'label="a \"b\" \\c, replicas 2' in text
    assert folded(["one two three"], 8) == ["one two", "  three"]
    assert folded(["a" * 3000])[0] == "a" * 44  # which is not one line of 3,000 characters
    assert folded(["a" * 60, ""]) == ["a" * 60, ""]
    assert quoted(["x\n\x1b[31my", '"'], left=False) == r'"x ?[31my\n\""'


# -- PlantUML and JIRA --------------------------------------------------------------------------------------------
def test_what_plantuml_would_read_is_written_by_code() -> None:
    from epochal.checker.trace.diagrams import _plantuml_text as _text

    assert _text("a<b> **c** ~d \\n") == "a<U+003C>b> <U+002A>*c<U+002A>* <U+007E>d <U+005C>n"


# Texts that try to be more than text, in a specification and in facts of a trace: every export shows them as text.

NASTY = 'x\x1b[2J\n</title><script>alert(1)</script>\n|h1. {noformat}\n@enduml\n%%{init}%%; end\n```\n"];\\'
"""A name that a file may claim for its protocol."""


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A run of a specification all of whose texts are hostile."""
    found = epochal.check(Hostile(), engine="python").counterexample
    assert found is not None
    return found


@pytest.fixture(scope="module")
def claimed(trace: Trace) -> Trace:
    """The same of a protocol with a hostile name."""
    return replace(trace, facts={"protocol": NASTY}, note=NASTY)


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_obeyed_by_a_terminal(name: str, claimed: Trace) -> None:
    text = exported(claimed, name)
    assert [c for c in text if not c.isprintable() and c != "\n"] == []


def test_html_has_no_element_of_theirs(claimed: Trace) -> None:
    """Their texts may stand in the page, and none of them opens a tag."""
    text = exported(claimed, "html")
    assert len(re.findall(r"<script\b", text)) == 1  # its own
    assert not re.search(r"<img|onerror=(?!&)\"", text)
    assert html.escape(SCRIPT.split(">")[0]) in text


def test_markdown_has_no_element_of_theirs(claimed: Trace) -> None:
    drawn = MarkdownIt("commonmark", {"html": True}).enable("table").render(exported(claimed, "markdown"))
    assert not re.search(r"<(script|img|title)\b", drawn)


@pytest.mark.parametrize("name", ["mermaid", "sequencediagram"])
def test_a_line_of_a_diagram_stays_a_line(name: str, trace: Trace, claimed: Trace) -> None:
    """As many lines as with an honest name, and each of a kind that was there before."""
    honest, hostile = exported(trace, name).splitlines(), exported(claimed, name).splitlines()
    kinds = {line.split()[0] for line in honest if line.split()}
    assert len(hostile) == len(honest)
    assert {line.split()[0] for line in hostile if line.split()} <= kinds


def test_mermaid_reads_no_tag(claimed: Trace) -> None:
    assert not re.search(r"<(script|img|/title)", exported(claimed, "mermaid"))


def test_plantuml_ends_once_and_reads_no_tag(claimed: Trace) -> None:
    lines = exported(claimed, "plantuml").splitlines()
    assert [at for at, line in enumerate(lines) if line.startswith("@")] == [0, len(lines) - 1]
    assert not any(re.search(r"<(?!U\+)", line) for line in lines)


def test_jira_closes_its_box_once(claimed: Trace) -> None:
    text = exported(claimed, "jira")
    assert text.count("{noformat}") == 1 and text.endswith("{noformat}\n")
    before = text[: text.index("{noformat:title")]
    assert not re.search(r"(?<!\\)[{}]", before)
    assert [line for line in before.splitlines() if re.match(r"h\d\.", line)] == [before.splitlines()[0]]


def test_dot_and_graphml_are_read_whole(claimed: Trace) -> None:
    quoted = re.sub(r'"(?:[^"\\]|\\.)*"', '""', exported(claimed, "dot"))
    assert "script" not in quoted and quoted.count("{") == quoted.count("}")
    read = networkx.read_graphml(io.BytesIO(epochal.graph(Hostile()).to_graphml().encode()))
    assert any(SCRIPT in told for _, told in read.nodes(data="told"))


def test_a_story_is_printable(claimed: Trace) -> None:
    assert all(line.isprintable() for line in story(claimed))


@pytest.mark.parametrize("name", FORMATS)
def test_ten_megabytes_are_no_obstacle(name: str, trace: Trace) -> None:
    """Of a name that nobody can want; a picture shows the beginning of it."""
    began = time.process_time()
    text = exported(replace(trace, facts={"protocol": ("a b" * 300 + "<") * 11_000}), name)
    assert time.process_time() - began < 10
    assert "a b" in text
    assert name != "dot" or len(text) < 100 * LONGEST
