"""The story of a trace as plain text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

import pytest

from epochal.checker.search.reference_engine import check
from epochal.checker.search.result import Options
from epochal.checker.trace.explain import explain, property_of
from epochal.checker.trace.markdown import markdown
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.language import Integers, Protocol, action, invariant, require
from tests.checker.trace.trace_zoo import Zoo, walk

STORY = """\
truncate-to-hw: weak_isr is violated (9 states; replicas 2, log_size 1, records 1, max_epoch 1)

0. Initial state
     controller: no leader, ISR {b1, b2}
     b1: knows no leader; empty log
     b2: knows no leader; empty log
1. ElectLeader(b1)  SENTENCE  [controller.py]
     controller: leader b1 e0, ISR {b1, b2}
2. ControllerShrinksIsr(b2)  SENTENCE  [controller.py]
     controller: leader b1 e1, ISR {b1}
     on its way: LeaderAndIsr of e0 b1 {b1, b2}
3. BecomeLeader(b1, 0)  SENTENCE  [leader.py]
     b1: leads e0, ISR {b1, b2}; empty log
4. LeaderWrite(b1)  SENTENCE  [leader.py]
     b1: leads e0, ISR {b1, b2}; log r0@e0, hw 0
5. BecomeFollower(b2, b1, 0)  SENTENCE  [follower.py]
     b2: follows b1 e0; empty log
     on its way: nothing
6. Fetch(b2, b1)  SENTENCE  [follower.py]
     b2: follows b1 e0; log r0@e0, hw 0
7. AdvanceHighWatermark(b1)  SENTENCE  [leader.py]
     b1: leads e0, ISR {b1, b2}; log r0@e0, hw 1
8. BecomeFollower(b2, b1, 1)  SENTENCE  [follower.py]
     b2: follows b1 e1; empty log

weak_isr is violated  [properties.py]
  SENTENCE
  because leader is b1 (of replicas), member is b2, o is 0: end(b2) is 0
In state 8, the last:
  controller: leader b1 e1, ISR {b1}
  b1: leads e0, ISR {b1, b2}; log r0@e0, hw 1
  b2: follows b1 e1; empty log"""

BY_FIELDS = """\
truncate-to-hw: weak_isr is violated (9 states; replicas 2, log_size 1, records 1, max_epoch 1)

0. Initial state
     next_record: 0
     b1: log [], hw 0, epoch -1, leader -, isr {}
     b2: log [], hw 0, epoch -1, leader -, isr {}
     quorum: leader -, isr {b1, b2}
     requests: []
1. ElectLeader(b1)  SENTENCE  [controller.py]
     quorum.leader: - -> b1
     requests[0]: - -> b1 {b1, b2}
2. ControllerShrinksIsr(b2)  SENTENCE  [controller.py]
     quorum.isr: {b1, b2} -> {b1}
     requests[1]: - -> b1 {b1}
3. BecomeLeader(b1, 0)  SENTENCE  [leader.py]
     b1.epoch: -1 -> 0
     b1.leader: - -> b1
     b1.isr: {} -> {b1, b2}
4. LeaderWrite(b1)  SENTENCE  [leader.py]
     next_record: 0 -> 1
     b1.log[0]: - -> r0@e0
5. BecomeFollower(b2, b1, 0)  SENTENCE  [follower.py]
     b2.epoch: -1 -> 0
     b2.leader: - -> b1
     b2.isr: {} -> {b1, b2}
6. Fetch(b2, b1)  SENTENCE  [follower.py]
     b2.log[0]: - -> r0@e0
7. AdvanceHighWatermark(b1)  SENTENCE  [leader.py]
     b1.hw: 0 -> 1
8. BecomeFollower(b2, b1, 1)  SENTENCE  [follower.py]
     b2.log[0]: r0@e0 -> -
     b2.epoch: 0 -> 1
     b2.isr: {b1, b2} -> {b1}

weak_isr is violated  [properties.py]
  SENTENCE
  because leader is b1 (of replicas), member is b2, o is 0: end(b2) is 0
In state 8, the last:
  next_record: 1
  b1: log [r0@e0], hw 1, epoch 0, leader b1, isr {b1, b2}
  b2: log [], hw 0, epoch 1, leader b1, isr {b1}
  quorum: leader b1, isr {b1}
  requests: [b1 {b1, b2}, b1 {b1}]"""


@pytest.mark.parametrize(("all_fields", "expected"), [(False, STORY), (True, BY_FIELDS)])
def test_the_whole_story(counterexample: Trace, all_fields: bool, expected: str) -> None:
    text = "\n".join(story(counterexample, all_fields))
    member = property_of(counterexample)
    assert member is not None
    for sentence in (member.sentence, *(step.sentence for step in explain(counterexample))):
        assert f"  {sentence}" in text
        text = text.replace(f"  {sentence}", "  SENTENCE")
    assert re.sub(r"\[spec/classic/(\w+\.py):[1-9]\d*\]", r"[\1]", text) == expected


def test_a_broken_step_property_shows_the_step(zoo: Zoo) -> None:
    result = check(zoo, Options(properties=("flag_stays_down",)))
    trace = result.properties[0].trace
    assert trace is not None
    lines = story(trace)
    at = lines.index("In the last step, SetFlag(n1):")
    assert lines[at - 2 : at] == ["  The flag is never raised.", "  because flag is false, new.flag is true"]
    assert lines[at + 1 : at + 4] == ["  flag: false -> true", "  node: - -> n1", "In state 1, the last:"]


def test_a_run_claims_nothing(zoo: Zoo) -> None:
    trace = walk(zoo, 2)
    lines = story(trace)
    assert lines[0] == "zoo: a run (3 states; nodes 2, high 2)"
    assert "In state 2, the last:" in lines
    assert not [line for line in lines if "violated" in line]


def test_a_step_that_changes_nothing_says_so(zoo: Zoo) -> None:
    initial = zoo.initial_states()[0]
    nothing = next(i for i in zoo.instances if i.label == "Nothing()")
    lines = story(Trace(zoo, initial, (Step(nothing, initial),)))
    assert lines[0] == "zoo: a run (2 states; nodes 2, high 2)"
    at = next(i for i, line in enumerate(lines) if line.startswith("1. Nothing()  Change nothing at all"))
    assert lines[at + 1] == "     (nothing changes)"


def test_the_note_and_a_failed_rule(counterexample: Trace) -> None:
    lines = story(replace(counterexample, verdict="error", property_id="", note="offset 3\nis outside the log"))
    at = lines.index("a rule cannot be evaluated")
    assert lines[at + 1 : at + 3] == ["  offset 3", "  is outside the log"]


def test_numbers_are_aligned(zoo: Zoo) -> None:
    initial = zoo.initial_states()[0]
    nothing = next(i for i in zoo.instances if i.label == "Nothing()")
    lines = story(Trace(zoo, initial, (Step(nothing, initial),) * 10))
    heads = [line for line in lines if re.match(r" *\d+\. ", line)]
    assert heads[0] == " 0. Initial state"
    assert heads[-1].startswith("10. Nothing()")
    assert heads[9].startswith(" 9. Nothing()")


class Spoken(Protocol):
    """Steps without `says`: one is told by its docstring, and one has none."""

    value: Annotated[int, Integers(0, 2)]

    @action
    def grow(self) -> None:
        """The value grows. Nobody knows why."""
        require(self.value < 2)
        self.value += 1

    @action
    def fall(self) -> None:
        require(self.value == 2)
        self.value = 0

    @invariant
    def stays(self) -> bool:
        """It never falls again."""
        return self.value < 2


def test_a_step_that_says_nothing_is_told_by_its_docstring_or_once() -> None:
    (found,) = check(Spoken(), Options(properties=("stays",))).properties
    assert found.trace is not None
    assert [one.sentence for one in explain(found.trace)] == ["The value grows"] * 2
    lines = story(found.trace)
    assert [line.split("  [")[0] for line in lines if re.match(r"\d\. G", line)] == [
        "1. Grow()  The value grows",
        "2. Grow()  The value grows",
    ]
    fell = Trace(Spoken(), (2,), (Step(Spoken().instances[1], (0,)),))
    assert [line.split("  [")[0] for line in story(fell) if line.startswith("1. ")] == ["1. Fall()"]
    assert [line.split(" (")[0] for line in markdown(fell, "x").splitlines() if line.startswith("1. ")] == [
        "1. **`Fall()`**"
    ]
