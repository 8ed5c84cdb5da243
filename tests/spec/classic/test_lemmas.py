"""The history and the lemmas of KIP-320's proof, by explicit search: a lemma that is false is found here first."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.replay import replay
from epochal.cli.main import main
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.registry import registered

EVERYTHING = Options(all_violations=True, lemmas=True)
SMALL, MIDDLING = ClassicBounds(2, 1, 1, 1), ClassicBounds(3, 2, 2, 1)
BROKEN = {
    "epoch_is_entered_by_its_leader_first": 3,
    "record_epochs": 7,
    "quorum_isr_holds_what_is_committed": 8,
    "own_isr_holds_what_is_committed": 8,
    "hw_learns_nothing_of_later_epochs": 9,
    "strong_isr": 12,
}
"""What KIP-279 breaks at 3/2/2/1, with the length of the shortest run: the lemmas fall long before the property."""


def violated(result: CheckResult) -> dict[str, int | None]:
    """The violated properties and the lengths of their traces."""
    return {p.member.name: p.length for p in result.properties if p.verdict == "violated"}


def test_every_lemma_holds_in_every_reachable_state() -> None:
    """3 replicas, 2 offsets, 2 records, 2 epochs: 19 lemmas on each of the states of KIP-320 with history."""
    result = breadth_first.check(Kip320Proof(MIDDLING), EVERYTHING)
    lemmas = [p for p in result.properties if p.member.mark.kind == "lemma"]
    assert len(lemmas) == 19
    assert result.exhaustive and result.exit_code == 0
    assert result.distinct_states == 45_004
    assert all(p.verdict == "holds" for p in result.properties)


def test_kip_279_breaks_lemmas() -> None:
    """The lemmas are no tautologies: without the fences some are false in reachable states."""
    protocol = Kip279Proof(MIDDLING)
    result = breadth_first.check(protocol, EVERYTHING)
    assert violated(result) == BROKEN
    assert result.exit_code == 12
    for one in result.properties:
        if one.verdict == "violated" and one.trace is not None:
            again = decode(dumps(one.trace), registered)
            assert replay(again, [PythonSemantics(protocol)]).ok


def test_both_engines_agree_on_lemmas() -> None:
    """The Python reading finds the same."""
    for kind in (Kip320Proof, Kip279Proof):
        native, python = breadth_first.check(kind(SMALL), EVERYTHING), reference_engine.check(kind(SMALL), EVERYTHING)
        assert native.state_digest == python.state_digest
        assert [(p.member.name, p.verdict, p.length) for p in native.properties] == [
            (p.member.name, p.verdict, p.length) for p in python.properties
        ]


def test_a_trace_of_a_lemma_that_holds_after_all_does_not_replay() -> None:
    """A trace that claims too much about a lemma is refuted."""
    result = breadth_first.check(Kip279Proof(MIDDLING), EVERYTHING)
    trace = next(p.trace for p in result.properties if p.member.name == "record_epochs")
    assert trace is not None
    shorter = type(trace)(trace.protocol, trace.initial, trace.steps[:-1], trace.property_id, trace.verdict)
    outcome = replay(shorter, [PythonSemantics(trace.protocol)]).outcomes[0]
    assert outcome.reason == "record_epochs holds at the end, although the trace says that it does not"


def test_history_changes_no_step_of_the_protocol() -> None:
    """Forgetting the history gives exactly the states of KIP-320; and nothing of the protocol reads it."""
    with_history, plain = Kip320Proof(SMALL), Kip320(SMALL)
    diagnose(compile_protocol(with_history, lemmas=True))
    leaves = len(plain.leaves)
    assert [leaf.path for leaf in with_history.leaves[:leaves]] == [leaf.path for leaf in plain.leaves]
    todo, seen = with_history.initial_states(), set()
    while todo:
        codes = todo.pop()
        if codes in seen:
            continue
        seen.add(codes)
        after = [(i.label, new) for i, new in with_history.successors(codes)]
        assert [(label, new[:leaves]) for label, new in after] == [
            (i.label, new) for i, new in plain.successors(codes[:leaves])
        ]
        todo += [new for _, new in after]
    assert len({codes[:leaves] for codes in seen}) == 277


@pytest.mark.parametrize("options", [Options(all_violations=True), Options(properties=("strong_isr",))])
def test_lemmas_are_judged_only_when_asked_for(options: Options) -> None:
    """A search knows nothing of lemmas by default, and does not complain about history that only lemmas read."""
    result = breadth_first.check(Kip320Proof(SMALL), options)
    assert all(p.member.mark.kind != "lemma" for p in result.properties)
    assert result.warnings == ()


def test_check_lemmas() -> None:
    """`check --lemmas` judges them, alone or by name; without it their names are unknown."""
    small = ["--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1"]
    done = CliRunner().invoke(main, ["check", "kip-320-proof", *small, "--lemmas", "--format", "json"])
    assert done.exit_code == 0
    found = {p["id"]: p for p in json.loads(done.stdout)["properties"]}
    assert found["below_hw_is_committed"]["kind"] == "lemma"
    assert found["below_hw_is_committed"]["verdict"] == "holds"
    one = CliRunner().invoke(main, ["check", "kip-320-proof", *small, "--property", "log_matching", "--lemmas"])
    assert one.exit_code == 0 and "holds  log_matching  lemma" in one.stdout
    unknown = CliRunner().invoke(main, ["check", "kip-320-proof", *small, "--property", "log_matching"])
    assert unknown.exit_code == 2
