"""Promises of small protocols: kept or broken as thinking says, by the shortest run that breaks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.api.check import check
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.native import NativeGraph
from epochal.checker.liveness.result import Liveness, LivenessResult
from epochal.checker.trace.trace import Trace
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.language import Map, Member, Protocol, action, leads_to, require
from tests.checker.liveness.judged import by_machine, by_python
from tests.checker.liveness.zoo import KNOWN, Lift, Server


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


@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in KNOWN), ids=lambda kind: kind.__name__)
def test_the_judges_agree(kind: type[Protocol]) -> None:
    """Machine code says what the Python judge says: of every promise, with the same run."""
    assert told(by_machine(kind())) == told(by_python(compile_protocol(kind())))


@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in KNOWN), ids=lambda kind: kind.__name__)
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


class Passed(Protocol):
    """A ball that somebody throws to one of two servers, and that they pass on, for ever."""

    held: Map[Server, bool]

    @action(fair="weak")
    def throw(self, server: Server) -> None:
        """Nobody has it yet."""
        require(all(not self.held[s] for s in self.each(Server)))
        self.held[server] = True

    @action
    def hand_on(self, server: Server, other: Server) -> None:
        """Perhaps it is handed on."""
        require(self.held[server] and server != other)
        self.held[server] = False
        self.held[other] = True

    @leads_to(fair=("throw",))
    def comes(self, server: Server) -> tuple[bool, bool]:
        """Whoever lacks it gets it."""
        return not self.held[server], self.held[server]


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

        def assumed(member: Member, left_out: str = left_out) -> set[str]:
            return set(member.mark.needs) - {left_out}

        alone, together = (by_machine(protocol, assumed, workers) for workers in (1, 2))
        assert alone.broken
        assert told(alone) == told(together)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in KNOWN), ids=lambda kind: kind.__name__)
def test_files_say_what_memory_says(kind: type[Protocol], workers: int, tmp_path: Path) -> None:
    """Where memory is too little, and there is a folder for files."""
    found = by_machine(kind(), workers=workers, refuses=lambda _: "too much", folder=tmp_path, deadlock=True)
    assert found.file_bytes > 0 == found.memory_bytes
    plain = by_machine(kind(), workers=workers, folder=tmp_path, deadlock=True)
    assert plain.file_bytes == 0
    assert told(found) == told(plain)
    assert found.ends is not None and plain.ends is not None
    assert (found.ends.kept, found.ends.bounded, found.ends.others) == (
        plain.ends.kept,
        plain.ends.bounded,
        plain.ends.others,
    )
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
