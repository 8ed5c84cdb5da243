"""`compare` and the gate are asked the same question: they count, show and explain the same steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.difference.compare import compare
from epochal.checker.difference.difference import (
    ActionDifference,
    Difference,
    decode_rules,
    encode_rules,
    rules_of,
    why_refused,
)
from epochal.checker.difference.reached import difference
from epochal.checker.gate.record import Digests, Record, record_of
from epochal.checker.gate.verdict import BASELINE, CHANGE, Baseline, reason, relation_of
from epochal.checker.identity.specification import property_digests, specification_digest, text_digest
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.classic.kip_279 import Kip279
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import LanguageError, Protocol
from tests.zoo.tank import (
    Cautious,
    Closed,
    FailsFirst,
    FromOne,
    Narrow,
    Opening,
    OtherAmounts,
    Overflowing,
    Poured,
    Smaller,
    Tank,
)


def record(protocol: Protocol) -> Record:
    """What the gate keeps of a search."""
    model = compile_protocol(protocol)
    digests = Digests(specification_digest(model), text_digest(protocol), property_digests(model))
    return record_of(breadth_first.check(protocol, Options(all_violations=True)), digests)


def asked_by_the_gate(old: Protocol, new: Protocol) -> Difference:
    """The difference as the gate asks for it: the old rules come from another process."""
    data = json.loads(json.dumps(encode_rules(rules_of(compile_protocol(old)))))
    options = Options(max_states=2_000_000, workers=1, cross_check="off")
    return difference(decode_rules(data, new), rules_of(compile_protocol(new)), options)


def relation(old: Protocol, new: Protocol) -> str:
    """The gate's word for a change."""
    return relation_of(record(new), Baseline("main", record(old)), asked_by_the_gate(old, new))


def in_short(own: Sequence[ActionDifference]) -> dict[str, tuple[Any, ...]]:
    """Of each action with steps of its own how many they are, and the shortest run to one with why it is one."""
    found: dict[str, tuple[Any, ...]] = {}
    for one in own:
        example = one.reachable.example
        if example is not None:
            why, trace = example.refused, example.trace
            run = [(step.instance.label, step.codes) for step in trace.steps]
            told = None if why.guard is None else (why.guard.where, why.guard.text)
            found[one.action] = (
                one.counterpart,
                one.reachable.steps,
                trace.initial,
                run,
                why.choices,
                why.label,
                told,
                why.after,
            )
    return found


SMALL = ClassicBounds(3, 1, 1, 1)
CHANGES: dict[str, tuple[Protocol, Protocol, set[str], set[str], str]] = {
    "a guard": (Tank(), Smaller(), {"fill"}, set(), "narrowed"),
    "an effect": (Tank(), Opening(), {"fill"}, {"fill"}, "changed"),
    "never again": (Tank(), Closed(), {"fill"}, set(), "narrowed"),
    "other arguments": (Tank(), OtherAmounts(), {"drain"}, {"drain"}, "changed"),
    "another name": (Tank(), Poured(), {"fill"}, {"pour"}, "changed"),
    "nothing": (Narrow(), Cautious(), set(), set(), "refactored"),
    "KIP-320": (
        Kip279(SMALL),
        Kip320(SMALL),
        {"leader_expands_isr", "advance_high_watermark", "become_follower", "fetch"},
        {"leader_shrinks_isr"},
        "changed",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_both_commands_find_the_same(change: str) -> None:
    """The same counts and runs, the same guard or other state; "differs" here is not "preserved" there."""
    old, new, lost, gained, word = CHANGES[change]
    compared, gate = compare(old, new), asked_by_the_gate(old, new)
    for mine, theirs, expected in ((compared.lost, gate.lost, lost), (compared.gained, gate.gained, gained)):
        assert in_short(mine).keys() == expected
        assert in_short(mine) == in_short(theirs)
    assert compared.verdict == ("differs" if lost or gained else "same")
    assert (relation(old, new), gate.constraint, compared.constraint) == (word, "same", "same")


def test_what_can_never_happen_is_refused_by_its_guard() -> None:
    """Both name the line, although no typed state passes it."""
    example = asked_by_the_gate(Tank(), Closed()).lost[0].reachable.example
    assert example is not None and example.refused.guard is not None
    assert (
        reason(example, CHANGE)
        == f"the change refuses it: require(self.valve != self.valve) ({example.refused.guard.where})"
    )


def test_of_other_arguments_each_is_tried() -> None:
    """Draining one is the same step, although it is the first choice there and the second here."""
    own = in_short(compare(Tank(), OtherAmounts()).lost)["drain"]
    assert [label for label, _ in own[3]][-1] == "Drain(2)"
    example = asked_by_the_gate(Tank(), OtherAmounts()).lost[1].reachable.example
    assert example is not None
    assert reason(example, CHANGE) == "the change takes it to another state: nothing changes, nor any other choice of 2"


def test_another_constraint_is_not_passed_over() -> None:
    """No step differs, yet fewer states are looked at: it is open what the others do, and drift for the gate."""
    for old, new in ((Tank(), Narrow()), (Narrow(), Tank())):
        compared, gate = compare(old, new), asked_by_the_gate(old, new)
        assert in_short(compared.lost) == in_short(gate.lost) == in_short(gate.gained) == {}
        assert (compared.constraint, compared.verdict) == ("differs", "unknown")
        assert (gate.constraint, relation(old, new)) == ("differs", "changed")


def test_where_a_rule_fails_nothing_is_claimed_beyond() -> None:
    """Both end there and say so. What was found before is found."""
    compared, gate = compare(Overflowing(), Tank()), asked_by_the_gate(Overflowing(), Tank())
    assert in_short(compared.lost) == in_short(gate.lost)
    assert in_short(gate.lost).keys() == {"fill"}
    assert compared.explored[0].cut == gate.explored[0].cut == gate.cut
    assert gate.cut == "a rule could not be evaluated"
    back = compare(Tank(), Overflowing()).gained[0].reachable.example
    assert back is not None and reason(back, BASELINE).startswith("the baseline refuses it: require(self.level < 5)")


def test_what_fails_is_not_refused_by_a_later_guard() -> None:
    """The failure comes first in the text, and is what is told; where nothing fails, the guard is."""
    rules = rules_of(compile_protocol(FailsFirst()))
    fails, refuses = (why_refused(rules, rules.actions["fill"], (level, 0)) for level in (5, 0))
    assert fails.guard is None and fails.failure is not None
    assert fails.sentence("it").endswith("the value is outside 0..7")
    assert refuses.failure is None and refuses.guard is not None
    assert refuses.guard.text == "require(self.valve)"


def test_the_values_of_a_variable_are_compared_not_their_codes() -> None:
    """A level that begins at one is another state for both, though it has as many values."""
    with pytest.raises(LanguageError, match=r"level is of 0\.\.7 in the first and of 1\.\.8 in the second"):
        compare(Tank(), FromOne())
    gate = asked_by_the_gate(Tank(), FromOne())
    assert gate.incomparable == (
        "the state itself changed (level is of 0..7 in the first and of 1..8 in the second), "
        "so single steps cannot be compared"
    )
