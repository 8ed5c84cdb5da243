"""Assumptions that somebody makes or takes back, and which of them a promise takes."""

from __future__ import annotations

import ctypes
import itertools
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import epochal
from epochal.api.check import check, liveness
from epochal.api.replay import replay
from epochal.checker.base.machine import Stopwatch
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.specification import property_digests
from epochal.checker.liveness.native import NativeGraph
from epochal.checker.liveness.result import ANY, Liveness
from epochal.checker.native.engine import NativeModel, load_kernel
from epochal.checker.native.kernel.kernel import Shape
from epochal.checker.native.llvm.jit import Compiler
from epochal.checker.native.tuning import Tuning
from epochal.checker.search.budget import Budget, Deadline
from epochal.checker.search.native import NativeSearch
from epochal.checker.search.result import Options
from epochal.checker.semantics.properties import Assumptions, assumptions, needed
from epochal.checker.trace import itf, itf_reader
from epochal.checker.trace.itf import TraceError
from epochal.checker.trace.why import waiting_from
from epochal.cli.main import main
from epochal.errors import UsageError
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import Protocol
from epochal.spec.quorum.switches import QuorumSameCadence
from tests.checker.liveness.judged import by_machine, by_python
from tests.checker.liveness.test_known_answers import NEEDED
from tests.zoo.liveness import KNOWN, Known, Ladder, LeftOut, Lift, MayEnd, OnlyWished, Posted, Slower, Still
from tests.zoo.rows import source

SMALL = KraftBalancing(brokers=2, failures=1)
KINDS = list(dict.fromkeys(kind for kind, _ in KNOWN))


def told(found: Liveness) -> list[tuple[str, str, int]]:
    """What each promise takes."""
    return [(need.member.name, need.without, need.doomed) for need in found.needs]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_both_judges_say_what_promises_take(kind: type[Protocol]) -> None:
    """What a promise takes is what it is broken without, judged by itself."""
    model = compile_protocol(kind())
    found = told(by_python(model, needs=True))
    assert found == told(by_machine(kind(), needs=True))
    assert {name for name, without, _ in found if without == ANY} == {one.member.name for one in model.promises}
    for name, without, doomed in found:
        alone = by_python(model, lambda m, w=without: set() if w == ANY else set(needed(m)) - {w})  # type: ignore[misc]  # a default
        one = next(one for one in alone.promises if one.member.name == name)
        assert sum(case.doomed for case in one.cases) == doomed


def test_balancing_takes_all_it_assumes() -> None:
    found = liveness(KraftBalancing(), needs=True)
    assert found.exit_code == 0
    assert {need.without for need in found.search.liveness.needs if need.doomed} == {*NEEDED, ANY}
    text = str(found)
    assert "Fairness that each property needs" in text
    assert "policy_is_satisfied  elect_preferred, elect_online, come_back, rejoin, begin_round  -" in text


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_is_taken_back_is_said(engine: str, tmp_path: Path) -> None:
    """In the report, in JSON, in the file of the run, and in the replay, which is fair under it alone."""
    found = check(SMALL, unfair=["rejoin"], engine=engine)
    assert found.exit_code == 13
    assert "Assumed besides what they name: rejoin not fair." in str(found)
    assert "--property policy_is_satisfied --unfair rejoin" in str(found)
    document: Any = found.to_dict()
    assert document["assumed"] == {"fair": [], "unfair": ["rejoin"]}
    assert "rejoin" not in document["liveness"][0]["fair"]
    trace = found.counterexample
    assert trace is not None
    data = itf.encode(trace)
    assert data["#meta"]["assumed"] == {"fair": [], "unfair": ["rejoin"]}
    trace.save(tmp_path / "run.itf.json")
    assert replay(tmp_path / "run.itf.json").exit_code == 0
    del data["#meta"]["assumed"]
    (tmp_path / "run.itf.json").write_text(json.dumps(data))
    again = replay(tmp_path / "run.itf.json")
    assert again.exit_code == 20
    assert "it is not fair: Rejoin(" in str(again)


def test_strength_is_a_matter_of_assumption() -> None:
    """A quorum without chance elects a leader once votes are assumed to be strongly fair, though not marked so."""
    quorum = QuorumSameCadence()
    strong = check(quorum, fair=["vote=strong", "pre_vote=strong"], properties="leader_is_elected")
    assert strong.verdicts["leader_is_elected"] == "holds"
    weak = check(quorum, fair="vote=weak", properties="leader_is_elected")
    assert weak.verdicts["leader_is_elected"] == "violated"


def test_an_action_without_a_mark_can_be_assumed_to_be_fair() -> None:
    """A door that is closed again and again breaks no promise that waits for it strongly."""
    found = check(Lift(), fair=["rise"], properties="arrives_unfairly")
    assert found.verdicts["arrives_unfairly"] == "holds"
    assert check(Lift(), fair=["door"], properties="arrives_unfairly").exit_code == 13


@pytest.mark.parametrize(
    ("fair", "unfair", "message"),
    [
        (["rejoinn"], [], "has no action 'rejoinn'\n  Did you mean rejoin?"),
        ([], ["fetch"], "has no action 'fetch'"),
        ([], ["fail"], "no liveness property of balancing-kraft assumes that fail is fair"),
        (["rejoin=often"], [], "an action is fair or rejoin=strong or rejoin=weak, not 'rejoin=often'"),
        (["rejoin"], ["rejoin"], "rejoin is assumed to be fair, and not to be fair"),
        (["rejoin", "rejoin=strong"], [], "rejoin is assumed to be fair twice"),
    ],
)
def test_what_cannot_be_assumed_is_refused(fair: list[str], unfair: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        assumptions(SMALL, fair, unfair)
    assert message in str(error.value)
    words = [*(f"--fair={one}" for one in fair), *(f"--unfair={one}" for one in unfair)]
    shown = CliRunner().invoke(main, ["check", "balancing-kraft", *words])
    assert isinstance(shown.exception, UsageError) or shown.exit_code == 2


def test_assumptions_need_promises_that_are_judged() -> None:
    with pytest.raises(UsageError, match="which are left out"):
        check(SMALL, unfair=["rejoin"], liveness=False)
    for command in (["liveness", "async-isr"], ["check", "async-isr", "--fair", "follower_replicates"]):
        shown = CliRunner().invoke(main, command)
        assert "has no liveness property" in f"{shown.exception}{shown.output}"
    with pytest.raises(UsageError, match="has no liveness property 'leader_in_isr'"):
        liveness(SMALL, properties="leader_in_isr")


def test_what_a_file_says_was_assumed_is_checked() -> None:
    trace = check(SMALL, unfair=["rejoin"]).counterexample
    assert trace is not None
    data = itf.encode(trace)
    assert itf_reader.decode(data, lambda _: KraftBalancing).assumed == Assumptions(unfair=("rejoin",))
    wrongs: list[dict[str, Any]] = [{"fair": ["fly"], "unfair": []}, {"fair": [1], "unfair": []}, {"fair": []}]
    for wrong in wrongs:
        data["#meta"]["assumed"] = wrong
        with pytest.raises(TraceError, match=r"#meta\.assumed"):
            itf_reader.decode(data, lambda _: KraftBalancing)


# Every step made again: with code for eight states, the edges are those that each state alone has.


def edges(protocol: Protocol, tuning: Tuning, workers: int, folder: Path | None) -> set[tuple[tuple[int, ...], ...]]:
    """Of every state, the words: then the label of each step and the words that it leads to, in their order."""
    compiler, options = Compiler(), Options(workers=workers, all_violations=True)
    model = compile_protocol(protocol)
    shape = Shape(model.layout.words, bool(protocol.members("constraint")))
    search = NativeSearch(NativeModel(model, compiler), load_kernel(compiler, shape), options, None, tuning)
    try:
        assert search.explore(Budget(options, Stopwatch(), Deadline(None, None, None, None))) is None
        assert all(bool(worker.context["eight_steps"]) == bool(tuning.eight) for worker in search.pool.workers)
        graph = NativeGraph(search.native, search.pool, search.run_to, lambda _: "")
        graph.arrays.folder = folder
        try:
            graph.make_edges(lambda: None)
            assert not graph.arrays["missing"]
            return set(map(tuple, _edges(graph)))
        finally:
            graph.close()
    finally:
        search.close()


def _edges(graph: NativeGraph) -> list[list[tuple[int, ...]]]:
    def all_of(array: str, kind: type[ctypes._SimpleCData[int]], count: int) -> list[int]:
        return list((kind * count).from_address(graph.arrays[array]))

    offsets = all_of("offsets", ctypes.c_uint64, graph.states + 1)
    labels, targets = all_of("labels", ctypes.c_uint16, offsets[-1]), all_of("targets", ctypes.c_uint32, offsets[-1])
    words = {state: tuple(graph.words(state)) for state in range(graph.states) if state not in graph.gaps}
    return [
        [words[state], *((labels[i], *words[targets[i]]) for i in range(offsets[state], offsets[state + 1]))]
        for state in words
    ]


@cache
def edges_alone(protocol: Protocol) -> set[tuple[tuple[int, ...], ...]]:
    """The edges that each state has alone, which both cases of a protocol are held against."""
    return edges(protocol, Tuning(eight=False), 1, None)


@pytest.mark.parametrize(("workers", "in_files"), [(1, False), (2, True)])
@pytest.mark.parametrize("protocol", [Kip320(replicas=2), KraftBalancing(brokers=2)], ids=["kip-320", "balancing"])
def test_the_same_edges(protocol: Protocol, workers: int, in_files: bool, tmp_path: Path) -> None:
    folder = tmp_path if in_files else None
    alone = edges_alone(protocol)
    assert len(alone) > 100 and any(len(one) > 2 for one in alone)
    assert edges(protocol, Tuning(eight=True, share_from=50), workers, folder) == alone


# A fair action that a variant adds, and that a promise from before it does not assume, is told where that breaks.


ADVICE = (
    'bring is marked fair, and is_read does not assume it; to assume it: --fair bring (in Python: fair=["bring"]), '
    'or override the property with @leads_to(fair=(..., "bring"))'
)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_was_added_is_told_with_what_to_write(engine: Any) -> None:
    found = epochal.check(Posted(), engine=engine)
    assert found.exit_code == 13
    assert str(found).count(ADVICE) == 2  # a warning, and in the story
    document: Any = found.to_dict()
    assert document["liveness"][0]["not_assumed"] == ["bring"]
    assert epochal.check(Posted(), engine=engine, fair=["bring"]).holds
    assert epochal.check(Known(), engine=engine).holds


def test_what_is_left_out_on_purpose_is_not_told() -> None:
    """And what could not be taken where the run stays, as here where nobody writes."""
    asked: list[tuple[Protocol, tuple[str, ...]]] = [
        (LeftOut(), ()),
        (Posted(), ("write", "read_it")),
        (Known(), ("bring",)),
    ]
    for protocol, unfair in asked:
        found = epochal.check(protocol, unfair=unfair)
        assert found.exit_code == 13
        document: Any = found.to_dict()
        assert document["liveness"][0]["not_assumed"] == [], (protocol, unfair)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_state_that_only_comes_to_itself_is_one_dead_end(engine: Any) -> None:
    for protocol, code in ((Still(), 11), (MayEnd(), 0)):
        found = epochal.check(protocol, engine=engine, deadlock=True)
        document: Any = found.to_dict()
        assert (document["dead_ends"], document["ends"]["total"]) == (1, 1)
        assert found.exit_code == code


# Promises that are made once, of the state a run begins with: judged by every judge as by thinking through all runs.

STATES = 5
Edge = tuple[int, int]

SOURCE = source(
    """
    Place = Annotated[int, Integers(0, {last})]
    Edge = Annotated[int, Integers(0, {edges})]
    EDGES = {table}
    Walk: Goes along edges.
        place: Place
        def initial(self, start: Place) -> None:
            # It begins in one of two places.
            self.place = start if start < 2 else 0
        action(fair="{strength}", {unit}) go(edge: Edge): One step.
            require(self.place == EDGES[edge][0])
            self.place = EDGES[edge][1]
        leads_to(fair=("go",), once=True) once: From the start.
            return self.place in {premise}, self.place in {goal}
        leads_to(fair=("go",)) always: Wherever the premise holds.
            return self.place in {premise}, self.place in {goal}
    """
)


def chosen(seed: int) -> dict[str, Any]:
    """A system by chance."""
    chance = random.Random(seed)
    edges = sorted({(chance.randrange(STATES), chance.randrange(STATES)) for _ in range(chance.randrange(3, 10))})
    premise = tuple(sorted(chance.sample(range(STATES), chance.randrange(1, STATES))))
    goal = tuple(sorted(chance.sample(range(STATES), chance.randrange(1, 3))))
    return {
        "table": tuple(edges),
        "last": STATES - 1,
        "edges": len(edges) - 1,
        "strength": chance.choice(("weak", "strong")),
        "unit": chance.choice(("each=()", 'each=("edge",)')),
        "premise": premise,
        "goal": goal,
    }


def reached(edges: set[Edge], begin: set[int]) -> set[int]:
    """Where edges lead, from some states on."""
    found = set(begin)
    while more := {to for at, to in edges if at in found} - found:
        found |= more
    return found


def is_broken(system: dict[str, Any], once: bool) -> bool:
    """Whether some fair run breaks the promise."""
    edges: set[Edge] = {(at, to) for at, to in system["table"] if at != to}
    begin, goal = reached(edges, {0, 1}) if not once else {0, 1}, set(system["goal"])
    begin = begin & set(system["premise"]) - goal
    without = {(at, to) for at, to in edges if at not in goal and to not in goal}
    waiting = reached(without, begin)
    units = [edges] if system["unit"] == "each=()" else [{edge} for edge in edges]
    return any(
        stays(set(some), without, units, system["strength"] == "strong")
        for size in range(1, len(waiting) + 1)
        for some in itertools.combinations(sorted(waiting), size)
    )


def stays(some: set[int], without: set[Edge], units: list[set[Edge]], strong: bool) -> bool:
    """Whether a fair run can be in just these states again and again."""
    inside = {(at, to) for at, to in without if at in some and to in some}
    if any(reached(inside, {one}) != some for one in some):
        return False
    for unit in units:
        possible = [any(at == one for at, _ in unit) for one in some]
        if not unit & inside and (any(possible) if strong else all(possible)):
            return False
    return True


def made(system: dict[str, Any], folder: Path, name: str) -> Protocol:
    """The same as a protocol."""
    file = folder / f"{name}.py"
    file.write_text(SOURCE.format(**system))
    return epochal.load(f"{file}:Walk")


def test_every_judge_agrees_with_thinking_through_all_runs(tmp_path: Path) -> None:
    seen: set[tuple[bool, bool]] = set()
    for seed in range(60):
        system = chosen(seed)
        protocol = made(system, tmp_path, f"walk_{seed}")
        wanted = {"once": is_broken(system, True), "always": is_broken(system, False)}
        seen.add((wanted["once"], wanted["always"]))
        for found in (by_python(compile_protocol(protocol)), by_machine(protocol), by_machine(protocol, workers=2)):
            assert {one.member.name: one.verdict == "violated" for one in found.promises} == wanted, seed
    assert seen == {(False, False), (False, True), (True, True)}


def test_runs_that_break_one_begin_at_the_start_and_replay(tmp_path: Path) -> None:
    told = 0
    for seed in range(20):
        protocol = made(chosen(seed), tmp_path, f"walk_{seed}")
        for found in epochal.check(protocol).search.liveness.broken:
            assert found.trace is not None
            if found.member.name == "once":
                told += 1
                assert waiting_from(found.trace) == 0
    assert told


def test_it_is_part_of_what_a_promise_says(tmp_path: Path) -> None:
    protocol = made(chosen(1), tmp_path, "walk")
    other = tmp_path / "other.py"
    other.write_text((tmp_path / "walk.py").read_text().replace(", once=True", ""))
    found, without = (property_digests(compile_protocol(one)) for one in (protocol, epochal.load(f"{other}:Walk")))
    assert found["once"] != without["once"] and found["always"] == without["always"]
    document = epochal.check(protocol).to_dict()
    assert {one["id"]: one["once"] for one in document["liveness"]} == {"once": True, "always": False}
    assert all(not one["once"] for one in epochal.check(Lift()).to_dict()["liveness"])


# Wishes: judged when they are asked for, and under the fairness of whatever a protocol consists of.


WISHES = ("gets_up_as_anybody_would", "comes_down")


def judged(**options: Any) -> dict[str, str]:
    """The verdict on each promise and wish of a ladder."""
    return {one.member.name: one.verdict for one in check(Ladder(), **options).search.liveness.promises}


@pytest.mark.parametrize("engine", ["native", "python"])
def test_wishes_are_judged_when_they_are_asked_for(engine: str) -> None:
    assert judged(engine=engine) == {"gets_up": "holds"}
    every = {"gets_up": "holds", "gets_up_as_anybody_would": "holds", "comes_down": "violated"}
    assert judged(engine=engine, optional=True) == every
    assert judged(engine=engine, properties="comes_down") == {"comes_down": "violated"}
    assert check(Ladder(), engine=engine).exit_code == 0  # what is promised is a property
    assert check(Ladder(), engine=engine, optional=True).exit_code == 13


def test_what_was_not_asked_for_is_said() -> None:
    result = check(Ladder())
    assert "optional liveness properties: add --optional (gets_up_as_anybody_would, comes_down)" in str(result)
    documents: Any = {one["id"]: one for one in result.to_dict()["liveness"]}
    assert {name for name, one in documents.items() if one["wish"]} == set(WISHES)
    assert {name for name, one in documents.items() if one["verdict"] == "not judged"} == set(WISHES)
    assert documents["comes_down"]["fair"] == ["climb"]
    assert "1 of 1 liveness property and 2 optional ones violated (3 cases)" in str(check(Ladder(), optional=True))
    assert "add --optional" not in str(check(Ladder(), optional=True))
    assert "optional liveness properties: add --optional (gets_up_as_anybody_would, " in str(
        check(Ladder(), liveness=False)
    )


def test_all_that_is_fair_is_what_the_protocol_at_hand_has() -> None:
    """The promise names one action and is broken where that takes two; the wish names whatever there is."""
    (promise, optional, _) = Slower().members("leads_to")
    assert (needed(promise), needed(optional)) == (("climb",), ("climb", "begin"))
    verdicts = liveness(Slower(), properties=["gets_up", "gets_up_as_anybody_would"]).verdicts
    assert verdicts == {"gets_up": "violated", "gets_up_as_anybody_would": "holds"}


def test_a_run_that_breaks_a_wish_is_replayed(tmp_path: Any) -> None:
    from epochal.api.replay import replay

    trace = check(Ladder(), properties="comes_down").counterexample
    assert trace is not None
    trace.save(tmp_path / "run.itf.json")
    assert replay(tmp_path / "run.itf.json", protocols=[Ladder]).exit_code == 0


def test_wishes_are_no_reason_why_a_run_should_go_on() -> None:
    """Up for good is where a run may end, although one wishes otherwise."""
    ends = check(Ladder(), deadlock=True, optional=True).search.liveness.ends
    assert ends is not None
    assert (ends.kept, ends.others) == (1, 0)


def test_nothing_but_wishes() -> None:
    """`liveness` judges them, because nothing else could be meant; `check` does not, and nothing is fair here."""
    assert liveness(OnlyWished()).verdicts == {"is_up": "violated"}
    assert check(OnlyWished()).search.liveness.promises == ()
    assert check(OnlyWished(), optional=True).exit_code == 13


def test_kraft_has_four() -> None:
    words = ["--replication-factor", "2", "--lossy-crashes", "0", "--fencings", "0", "--optional"]
    shown = CliRunner().invoke(main, ["liveness", "kraft", *words])
    assert shown.exit_code in (0, 22)
    assert "9 liveness properties and 4 optional ones hold (23 cases)" in shown.output
    shown = CliRunner().invoke(main, ["show", "kraft"])
    assert "optional; fair: " in shown.output


def test_a_promise_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="has no liveness property 'comes_up'"):
        liveness(Ladder(), properties="comes_up")
