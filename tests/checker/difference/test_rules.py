"""The comparison of rules: what it counts is what comparing every reachable state in Python counts."""

from __future__ import annotations

import json

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.difference import reached as between
from epochal.checker.difference.difference import Difference, decode_rules, encode_rules, rules_of
from epochal.checker.ir.expression import Op, evaluate
from epochal.checker.ir.model import COPY
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.spec.language import Protocol
from epochal.spec.registry import registered

Codes = tuple[int, ...]
Step = tuple[str, tuple[int, ...], Codes]


def protocol(name: str, *bounds: int) -> Protocol:
    kind = registered(name)
    return kind(kind.bounds_type()(*bounds))


def difference(new: Protocol, old: Protocol, max_states: int | None = None) -> Difference:
    """The difference, with the old rules sent through JSON as from another process."""
    data = json.loads(json.dumps(encode_rules(rules_of(compile_protocol(old)))))
    options = Options(max_states=max_states, workers=1, cross_check="off")
    return between.difference(decode_rules(data, new), rules_of(compile_protocol(new)), options)


def steps_from(reading: PythonSemantics, codes: Codes) -> set[Step]:
    return {(i.action.name, i.positions, after) for i, after in reading.successors(codes)}


def counted(new: Protocol, old: Protocol) -> dict[str, int]:
    """By action, the steps of the new rules from their reachable states that the old ones do not have there."""
    readings = PythonSemantics(new), PythonSemantics(old)
    known = dict.fromkeys(new.initial_states())
    queue = list(known)
    found: dict[str, int] = {}
    while queue:
        codes = queue.pop()
        mine = steps_from(readings[0], codes)
        for action, _, _ in mine - steps_from(readings[1], codes):
            found[action] = found.get(action, 0) + 1
        for _, _, after in mine:
            if after not in known:
                known[after] = None
                queue.append(after)
    return found


PAIRS = [
    ("kip-320", "kip-279"),
    ("kip-320", "kip-320-m1"),
    ("kip-101", "truncate-to-hw"),
    ("kip-320-first-try", "kip-320"),
    ("kip-320", "kip-320"),
]


@pytest.mark.parametrize(("new", "old"), PAIRS)
def test_counts_are_those_of_the_reference(new: str, old: str) -> None:
    bounds = (2, 2, 2, 1)
    found = difference(protocol(new, *bounds), protocol(old, *bounds))
    assert not found.cut and not found.incomparable
    gained = {one.action: one.reachable.steps for one in found.gained if one.reachable.steps}
    lost = {one.action: one.reachable.steps for one in found.lost if one.reachable.steps}
    assert gained == counted(protocol(new, *bounds), protocol(old, *bounds))
    assert lost == counted(protocol(old, *bounds), protocol(new, *bounds))
    assert (new == old) == (not gained and not lost)


def test_examples_are_runs_whose_last_step_only_one_has() -> None:
    new, old = protocol("kip-320", 3, 1, 1, 1), protocol("kip-279", 3, 1, 1, 1)
    found = difference(new, old)
    shown = 0
    for own, mine, other in ((found.gained, new, old), (found.lost, old, new)):
        for one in own:
            example = one.reachable.example
            if example is None:
                continue
            shown += 1
            trace = example.trace
            before, step = trace.states[-2], trace.steps[-1]
            same = next(i for i in mine.instances if i.label == step.instance.label)
            taken = (same.action.name, same.positions, step.codes)
            assert taken in steps_from(PythonSemantics(mine), before)
            assert taken not in steps_from(PythonSemantics(other), before)
            assert step.instance.action.name == one.action
            if mine is new:
                assert replay(trace, [PythonSemantics(new)]).ok
    assert shown == 5


def test_an_example_is_the_shallowest() -> None:
    new, old = protocol("kip-320-m1", 3, 1, 1, 1), protocol("kip-320", 3, 1, 1, 1)
    example = next(one for one in difference(new, old).gained if one.reachable.steps).reachable.example
    assert example is not None
    readings = PythonSemantics(new), PythonSemantics(old)
    level, depth, known = set(new.initial_states()), 0, set(new.initial_states())
    while not any(steps_from(readings[0], c) - steps_from(readings[1], c) for c in level):
        level = {after for c in level for _, _, after in steps_from(readings[0], c)} - known
        known |= level
        depth += 1
    assert example.trace.length - 2 == depth


def test_a_budget_cuts_the_comparison_and_it_says_so() -> None:
    found = difference(protocol("kip-320", 3, 2, 2, 1), protocol("kip-279", 3, 2, 2, 1), 500)
    assert found.cut == "the budget of 500 states is spent"


def test_another_state_cannot_be_compared() -> None:
    found = difference(protocol("kip-320", 2, 1, 1, 1), protocol("async-isr", 2, 1, 1))
    assert found.incomparable.startswith("the state itself changed (new ")
    assert "; gone " in found.incomparable


def test_what_came_is_named_where_nothing_went() -> None:
    found = difference(protocol("kip-320", 3, 1, 1, 1), protocol("kip-320", 2, 1, 1, 1))
    assert found.incomparable.startswith("the state itself changed (new ") and "gone" not in found.incomparable


def test_every_operator_can_be_read_again() -> None:
    assert set(COPY) == set(Op)


def test_rules_mean_the_same_after_a_round_trip() -> None:
    """On reachable states of a protocol with sets, logs and optional values."""
    model = compile_protocol(protocol("kip-101", 2, 2, 2, 1))
    rules = rules_of(model)
    again = decode_rules(json.loads(json.dumps(encode_rules(rules))), model.protocol)
    level = list(model.protocol.initial_states())
    reading = PythonSemantics(model.protocol)
    for _ in range(5):
        for codes in level[:40]:
            for mine, other in zip(rules.steps, again.steps, strict=True):
                assert (mine.action, mine.positions) == (other.action, other.positions)
                roots = [mine.rule.enabled, *mine.rule.updates.values()]
                assert evaluate(roots, codes) == evaluate([other.rule.enabled, *other.rule.updates.values()], codes)
        level = [after for codes in level[:40] for _, after in reading.successors(codes)]
