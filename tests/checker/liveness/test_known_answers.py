"""Promises of small protocols: kept or broken as thinking says, by the shortest run that breaks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.api.check import check
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.native import NativeGraph
from epochal.checker.liveness.result import Liveness, LivenessResult
from epochal.checker.search.confirm import every_semantics
from epochal.checker.trace import itf, itf_reader
from epochal.checker.trace.diagrams import dot, mermaid, sequencediagram
from epochal.checker.trace.itf import TraceError
from epochal.checker.trace.replay import replay
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Trace
from epochal.spec.balancing.policies import KraftBalancing, ZooKeeperBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Member, Protocol
from epochal.spec.quorum.quorum import Quorum
from epochal.spec.quorum.state import QuorumBounds
from epochal.spec.quorum.switches import OneOffset, QuorumSameCadence
from tests.checker.liveness.judged import by_machine, by_python
from tests.zoo.liveness import KNOWN, Called, Counter, Lift, Passed, Ping, RealEnd


def shape(trace: Trace) -> tuple[int, int]:
    """How many states lead to the round, its first one among them, and how many steps the round has."""
    assert trace.loop is not None
    return trace.loop + 1, trace.length - 1 - trace.loop + (trace.closing is not None)


def told(found: Liveness) -> list[object]:
    """All that judges must agree on, in words."""
    return [
        (one.member.name, case.arguments, case.waiting, case.stopped, case.doomed, case.trace and run(case.trace))
        for one in found.promises
        for case in one.cases
    ]


def run(trace: Trace) -> object:
    """A run as labels and codes."""
    steps = [(step.instance.label, step.codes) for step in trace.steps]
    return trace.initial, steps, trace.loop, trace.closing and trace.closing.label


def without(left_out: str) -> Callable[[Member], set[str]]:
    """The fairness that a promise names, but for that of an action."""
    return lambda member: set(member.mark.needs) - {left_out}


KINDS = pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in KNOWN), ids=lambda kind: kind.__name__)


@KINDS
def test_the_judges_agree(kind: type[Protocol]) -> None:
    assert told(by_machine(kind())) == told(by_python(compile_protocol(kind())))


@KINDS
def test_several_workers_say_what_one_says(kind: type[Protocol]) -> None:
    """With memory to find components beside the rest, and without."""
    alone = told(by_machine(kind()))
    for workers in (2, 3):
        assert told(by_machine(kind(), workers=workers)) == alone


def test_components_are_found_after_the_rest_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = KraftBalancing(brokers=2, failures=1)
    assert told(by_machine(protocol, lambda _: (), workers=2)) == told(by_machine(protocol, lambda _: ()))
    monkeypatch.setattr(NativeGraph, "needed_at_once", 1 << 60)
    refused = []

    def refuses(more: int) -> str:
        refused.append(more >= 1 << 60)
        return "too much" if more >= 1 << 60 else ""

    again = by_machine(protocol, lambda _: (), workers=2, refuses=refuses)
    assert any(refused)
    assert told(again) == told(by_machine(protocol, lambda _: ()))


def test_representatives_would_hide_that_a_promise_is_broken() -> None:
    """Who of the two waits is not seen in a representative, so promises are not judged on them."""
    whole, reduced = check(Passed()), check(Passed(), symmetry=True)
    assert whole.exit_code == 13
    assert (whole.states, reduced.states) == (3, 2)
    assert reduced.search.liveness.reason == "symmetry: a canonical representative does not show who waits"
    assert {one.verdict for one in reduced.search.liveness.promises} == {"not judged"}


def test_the_number_of_workers_decides_nothing() -> None:
    """Also where runs are found in cycles of several states, and a broken promise is told."""
    protocol = KraftBalancing(brokers=2, failures=1)
    for left_out in ("begin_round", "elect_online", "rejoin"):
        assumed = without(left_out)
        alone, together = (by_machine(protocol, assumed, workers) for workers in (1, 2))
        assert alone.broken
        assert told(alone) == told(together)


@pytest.mark.parametrize("workers", [1, 2])
@KINDS
def test_files_say_what_memory_says(kind: type[Protocol], workers: int, tmp_path: Path) -> None:
    """Where memory is too little, and there is a folder for files."""
    found = by_machine(kind(), workers=workers, refuses=lambda _: "too much", folder=tmp_path, deadlock=True)
    assert found.file_bytes > 0 == found.memory_bytes
    plain = by_machine(kind(), workers=workers, folder=tmp_path, deadlock=True)
    assert plain.file_bytes == 0
    assert told(found) == told(plain)
    assert found.ends is not None and plain.ends is not None
    assert all(getattr(found.ends, name) == getattr(plain.ends, name) for name in ("kept", "bounded", "others"))
    assert not list(tmp_path.iterdir())


def test_memory_is_estimated_before() -> None:
    """Where it would not be enough, nothing is judged, and the reason is said."""
    protocol = Lift()
    found = by_machine(protocol, refuses=lambda more: "" if more < 100 else "too much")
    assert {one.verdict for one in found.promises} == {"not judged"}
    assert found.reason == "too much"


@pytest.mark.parametrize(("kind", "name"), KNOWN, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_known_answers(kind: type[Protocol], name: str) -> None:
    found = by_python(compile_protocol(kind()))
    one: LivenessResult = next(one for one in found.promises if one.member.name == name)
    answer = KNOWN[kind, name]
    assert one.verdict == ("holds" if answer is None else "violated")
    assert (None if one.trace is None else shape(one.trace)) == answer


# Promises of Kafka's models, kept and broken: the figures are those of an independent prototype.

NEEDED = {
    "begin_round": (7, 0),
    "elect_preferred": (8, 0),
    "elect_online": (3, 4),
    "come_back": (3, 2),
    "rejoin": (4, 2),
}
"""Without the fairness of an action of balancing: the states before the round, and its steps. Both policies alike."""


@pytest.mark.parametrize("kind", [KraftBalancing, ZooKeeperBalancing])
def test_balancing_needs_all_its_fairness(kind: type[KraftBalancing | ZooKeeperBalancing]) -> None:
    protocol = kind()
    assert not by_machine(protocol).broken
    for left_out, answer in NEEDED.items():
        assumed = without(left_out)
        (one,) = by_machine(protocol, assumed).promises
        assert one.trace is not None
        assert shape(one.trace) == answer, left_out


def of_election(protocol: Quorum) -> LivenessResult:
    """What is judged of the promise that a leader is elected."""
    return next(one for one in by_machine(protocol).promises if one.member.name == "leader_is_elected")


def test_a_quorum_elects_a_leader_if_votes_are_strongly_fair() -> None:
    """Weak fairness does not do: all time out and restart, for ever, and nobody's vote is always possible."""
    least = QuorumBounds(log_size=1, max_epoch=1)
    weak = of_election(QuorumSameCadence(OneOffset()))
    assert weak.trace is not None
    assert shape(weak.trace) == (1, 6)
    for bounds in (least, QuorumBounds(log_size=1, max_epoch=2)):
        strong = of_election(Quorum(bounds))
        assert strong.verdict == "holds"
        assert strong.stopped > 0, "the epochs of the model are used up, and the promise is not broken by that"


def test_kraft_keeps_its_promises_at_its_defaults() -> None:
    """The bound of epochs ends runs in which a broker waits to be unfenced, or the partition for a leader."""
    found = by_machine(Kraft())
    assert not found.broken
    assert (len(found.promises), found.cases) == (9, 31)
    assert {one.member.name: one.stopped for one in found.stopped} == {
        "running_broker_is_unfenced": 2_172,
        "leader_is_elected": 1_440,
    }
    assert {one.member.name: one.waiting for one in found.promises} == {
        "fenced_broker_starts": 757_128,
        "running_broker_is_unfenced": 2_568_156,
        "metadata_converges": 6_507_240,
        "leader_is_elected": 53_070,
        "proposal_is_resolved": 3_024_891,
        "follower_joins_isr": 4_975_188,
        "high_watermark_catches_up": 699_996,
        "acknowledged_is_fully_replicated": 367_962,
        "logs_converge": 1_068_942,
    }


WITHOUT = {
    "restart": {"fenced_broker_starts": 3},
    "unfence": {"running_broker_is_unfenced": 3, "leader_is_elected": 7, "follower_joins_isr": 4},
    "handle_alter_partition": {"proposal_is_resolved": 2, "follower_joins_isr": 5},
    "fetch": {
        "follower_joins_isr": 4,
        "high_watermark_catches_up": 2,
        "acknowledged_is_fully_replicated": 9,
        "logs_converge": 2,
    },
    "replay_metadata": {
        "metadata_converges": 2,
        "proposal_is_resolved": 3,
        "follower_joins_isr": 4,
        "high_watermark_catches_up": 4,
        "logs_converge": 4,
    },
}
"""What two brokers no longer promise without the fairness of an action: the states of the shortest run, after which
nothing changes any more."""


@pytest.mark.parametrize("left_out", WITHOUT)
def test_every_promise_of_kraft_takes_its_fairness(left_out: str) -> None:
    found = by_machine(epochal.load("kraft", replication_factor=2, max_epoch=1, records=1), without(left_out))
    shapes = {one.member.name: shape(one.trace) for one in found.promises if one.trace is not None}
    assert shapes == {name: (length, 0) for name, length in WITHOUT[left_out].items()}


def counted(found: Liveness) -> list[object]:
    """What judges say of each case, but for the way to the doomed state: only engines keep the same one."""
    return [
        (one.member.name, case.arguments, case.waiting, case.stopped, case.doomed, case.trace and shape(case.trace))
        for one in found.promises
        for case in one.cases
    ]


@pytest.mark.long
def test_both_judges_say_what_kraft_takes() -> None:
    """The Python reading has 18,758 states to go through, and judges each assumption by itself."""
    protocol = epochal.load("kraft", replication_factor=2, max_epoch=1, records=1)
    model = compile_protocol(protocol)
    for left_out in WITHOUT:
        assumed = without(left_out)
        assert counted(by_machine(protocol, assumed)) == counted(by_python(model, assumed)), left_out


def test_two_workers_say_the_same_of_kraft() -> None:
    alone, together = (by_machine(Kraft(), workers=workers) for workers in (1, 2))
    assert told(together) == told(alone)


def test_with_room_for_four_epochs_no_bound_decides() -> None:
    found = by_machine(Kraft(max_epoch=4))
    assert not found.broken
    assert not found.stopped


# Runs that break promises: as files, replayed in both readings, and refused if they show nothing.

BROKEN = [(kind, name) for (kind, name), answer in KNOWN.items() if answer is not None]


def broken(kind: type[Protocol], name: str) -> Trace:
    """The run that breaks a promise."""
    found = by_python(compile_protocol(kind()))
    trace = next(one.trace for one in found.promises if one.member.name == name)
    assert trace is not None
    return trace


def why_refused(trace: Trace) -> list[str]:
    """What each reading has against a run."""
    readings, _ = every_semantics(trace.protocol)
    return [outcome.reason for outcome in replay(trace, readings).outcomes if not outcome.ok]


@pytest.mark.parametrize(("kind", "name"), BROKEN, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_a_run_is_read_again_and_replays(kind: type[Protocol], name: str) -> None:
    trace = broken(kind, name)
    again = itf_reader.decode(itf.dumps(trace), lambda _: kind)
    assert run(again) == run(trace)
    assert again.arguments == trace.arguments
    assert itf.encode(trace)["loop"] == trace.loop
    assert why_refused(again) == []


def test_what_shows_nothing_is_refused() -> None:
    """By both readings: a round that does not close, a goal that comes, a step that was always possible."""
    round_trip = broken(Called, "arrives")
    assert round_trip.closing is not None
    assert why_refused(replace(round_trip, closing=None, loop=0)) != []
    other = next(one for one in round_trip.protocol.instances if one.action.name == "door")
    open_end = why_refused(replace(round_trip, closing=other))
    assert open_end == [f"{other.label} does not lead back from the last state to state 0"] * 2
    at_first = replace(broken(Lift, "arrives_unfairly"), property_id="arrives")
    assert why_refused(at_first) == ["it is not fair: Rise() could be taken, and never is"] * 2
    ended = replace(broken(RealEnd, "rings"), property_id="rings_unfairly")
    assert why_refused(ended) == []
    bounded = broken(RealEnd, "rings")
    in_bounds = Counter()
    moved = replace(bounded, protocol=in_bounds)
    assert why_refused(moved) == ["it is not fair: CountOn() could be taken, and never is"] * 2


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("loop", 7, "loop: 7 instead of the number of a state, 0 to 1"),
        ("loop", True, "loop: True instead of the number of a state"),
        ("loop", None, "loop: a run has one exactly if it violates a liveness property"),
        ("closing", {"action": "fly", "label": "Fly()", "arguments": []}, "the specification has no action 'fly'"),
        ("closing", {"action": "rise"}, "there is no label"),
        ("arguments", [{}], "#meta.arguments: they are not those of arrives"),
    ],
)
def test_damage_is_named(part: str, value: object, message: str) -> None:
    data = itf.encode(broken(Called, "arrives"))
    holder = data if part == "loop" else data["#meta"]
    if value is None:
        del holder[part]
    else:
        holder[part] = value
    with pytest.raises(TraceError) as error:
        itf_reader.decode(data, lambda _: Called)
    assert message.replace("'", '"') in error.value.message.replace("'", '"')


def test_graphs_and_diagrams_show_what_happens_for_ever() -> None:
    """A step back to where the round begins, or one that says that nothing changes."""
    round_trip = broken(Called, "arrives")
    assert round_trip.closing is not None
    drawn = dot(round_trip).splitlines()
    arrow = f's{round_trip.length - 1} -> s{round_trip.loop} [label=" {round_trip.closing.label}\\l"'
    (back,) = [line for line in drawn if arrow in line]
    assert "#a40000" in back
    lines = sequencediagram(round_trip).splitlines()
    assert lines.index("loop for ever") < lines.index("end")
    standing = broken(Lift, "arrives_unfairly")
    assert standing.loop == standing.length - 1
    ever = f's{standing.loop} -> s{standing.loop} [label=" for ever: nothing changes any more\\l", color="#a40000"'
    assert sum(ever in line for line in dot(standing).splitlines()) == 1
    assert sum("for ever: nothing changes any more" in line for line in sequencediagram(standing).splitlines()) == 1


def test_a_story_says_what_happens_for_ever() -> None:
    told = story(broken(Called, "arrives"))
    assert "arrives is violated (2 states; no bounds)" in told[0]
    wanted = ["-- from here on the goal does not hold", "-- for ever:", "     and all is as in state 0"]
    assert [line for line in told if line in wanted] == wanted
    assert "    Rise(): taken in step 1" in told
    assert "arrives(s2) is violated" in story(broken(Ping, "arrives"))[0]
    drawn = mermaid(broken(Called, "arrives")).splitlines()
    assert drawn.index("    loop for ever") < drawn.index("    end")
    assert sum("Note over" in line for line in drawn) == 3
