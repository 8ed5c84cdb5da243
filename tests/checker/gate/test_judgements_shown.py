"""What a judgement shows besides its words: lines, traces, what turned, who approved, and which finding counts."""

from __future__ import annotations

from dataclasses import replace

from epochal.checker.difference.difference import Difference, Example, Refused
from epochal.checker.gate.record import Failed, PropertyRecord, Run, trace_of
from epochal.checker.gate.verdict import KINDS
from epochal.checker.trace.explain import Refusal
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.spec.language import SourceLine
from tests.checker.gate.lamp import FIRST, GAINED, LAMP, OTHER_RULES, PRESSED, RECORD, judged, line, own, says
from tests.checker.gate.test_judging import APPROVED, CUT, SAME_BEHAVIOUR


def test_findings_stand_at_their_lines() -> None:
    violated = replace(says("violated"), runs={"dark": PRESSED})
    (finding,) = judged(violated).findings
    assert (finding.kind, finding.about, finding.where) == ("violated", "dark", line("press"))
    assert finding.trace is not None and finding.trace.states == (FIRST, (1, 1))
    for runs in ({}, {"dark": Run(FIRST, ())}):
        assert judged(replace(violated, runs=runs)).findings[0].where == line("dark")
    failed = replace(RECORD, failed=Failed("none is used", "lamp.py", 7, PRESSED), cut="a rule failed")
    (finding,) = judged(failed).findings
    assert finding.where == SourceLine("lamp.py", 7)
    assert finding.trace is not None and (finding.trace.verdict, finding.trace.note) == ("error", "none is used")
    assert failed.failed is not None
    nowhere = replace(failed, failed=replace(failed.failed, file=""))
    assert judged(nowhere).findings[0].where is None
    for name, record, more in (
        ("rest", RECORD, {"dead": ("rest",)}),
        ("dark", RECORD, {"violated": ("dark",)}),
        ("press", RECORD, {"never": ("press",)}),
        ("lit", says("violated", "lit", length=None), {}),
        ("dark", says("not applicable"), {}),
        ("dark", says("holds", digest="other"), {}),
        ("press", OTHER_RULES, {"difference": GAINED}),
    ):
        (finding,) = judged(record, **more).findings
        assert (finding.about, finding.where) == (name, line(name))
    out_of_place = replace(says("violated", "lit", length=2), runs={"lit": PRESSED})
    (finding,) = judged(out_of_place).findings
    assert (finding.about, finding.where) == ("lit", line("lit"))
    assert finding.trace is not None and finding.trace.verdict == "reached"


def test_the_shallowest_new_step_is_shown() -> None:
    run = trace_of(replace(RECORD, runs={"dark": PRESSED}), LAMP, "dark")
    assert run is not None
    trace = Trace(LAMP, FIRST, run.steps)
    guard = Refusal(SourceLine("lamp.py", 9), "")
    example = Example(trace, Refused(choices=1, label="Press()", guard=guard))
    gained = Difference(gained=(own("press", 2, example),), lost=(own("rest", 1),))
    (finding,) = judged(OTHER_RULES, difference=gained).findings
    assert finding.message == (
        "Press has 2 steps that the baseline does not allow; the shallowest ends a run of 2 states, and the "
        "baseline refuses it: a guard is false (lamp.py:9)"
    )
    assert finding.trace is trace


def test_verdicts_that_turned_and_what_came_and_went() -> None:
    base = replace(
        says("violated"),
        properties={**says("violated").properties, "old": PropertyRecord("invariant", "holds")},
        actions={**RECORD.actions, "gone": (1, 1)},
    )
    now = replace(RECORD, properties={**RECORD.properties, "extra": PropertyRecord("invariant", "holds")})
    judgement = judged(replace(now, actions={**RECORD.actions, "more": (1, 0)}), base)
    assert judgement.turned == (("dark", "violated", "holds"),)
    assert judgement.notes == ("the property extra is new", "the action more is new", "the action gone is gone")
    alone = judged(RECORD, None)
    assert (alone.turned, alone.notes) == ((), ())


def test_the_reason_of_an_approval() -> None:
    assert judged(OTHER_RULES, approval=APPROVED).approved == "it is meant"
    assert judged(OTHER_RULES, approval=(RECORD, "x")).approved is None
    assert judged(replace(OTHER_RULES, cut=CUT), approval=(SAME_BEHAVIOUR, "x")).approved is None


def test_the_most_severe_counts() -> None:
    order = (1, 40, 12, 13, 11, 75, 153, 150, 151, 120, 2, 10, 20, 23, 32, 31, 21, 22, 130, 30, 141, 0)
    assert sorted(order) == sorted(ExitCode)
    assert ExitCode.most_severe([]) == 0 == ExitCode.most_severe([0, 0])
    for index, code in enumerate(order):
        assert ExitCode.most_severe(order[index:]) == code
    assert ExitCode.most_severe([30, 20, 0, 12]) == 12
    both = judged(replace(says("violated"), vacuous=("x",)), base=None, fail_on=("new",))
    assert [finding.code for finding in both.findings] == [12, 20, 22]
    assert (both.verdict, both.code) == ("violated", 12)
    assert KINDS[:2] == ("semantics disagree", "violated") and KINDS[-1] == "unchanged"


def test_a_trace_is_that_of_the_record() -> None:
    record = replace(RECORD, runs={"dark": PRESSED, "lit": PRESSED})
    for name, verdict in (("dark", "violated"), ("lit", "reached")):
        trace = trace_of(record, LAMP, name)
        assert trace is not None
        assert (trace.initial, trace.states, trace.verdict, trace.note) == (FIRST, (FIRST, (1, 1)), verdict, "")
        assert trace.steps[0].instance.action.name == "press"
        assert trace.facts == {
            "protocol": "lamp",
            "engine": "native",
            "shortest": True,
            "digest": record.specification,
        }
    assert trace_of(record, LAMP, "") is None
    assert trace_of(RECORD, LAMP, "dark") is None
