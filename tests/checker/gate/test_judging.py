"""The judgement on a model, case by case: what is said, how severe it is, and what the exit code is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.difference.difference import Difference, Example, Refused
from epochal.checker.gate.record import Failed, PropertyRecord, Record, Run, trace_of
from epochal.checker.gate.verdict import KINDS, Baseline, relation_of
from epochal.checker.trace.explain import Refusal
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.spec.language import SourceLine
from tests.checker.gate.lamp import (
    BOTH,
    FIRST,
    GAINED,
    LAMP,
    LOST,
    OTHER_RULES,
    PRESSED,
    RECORD,
    cut,
    judged,
    line,
    own,
    says,
    told,
)

CUT = "the budget of 9 states is spent"
RELATIONS = {
    "no baseline": (RECORD, None, None, "new"),
    "the same": (RECORD, RECORD, None, "unchanged"),
    "other text": (replace(RECORD, text="other"), RECORD, None, "refactored"),
    "the same rules do something else": (replace(RECORD, state_digest="other"), RECORD, None, "unchanged"),
    "the same rules, cut": (replace(RECORD, state_digest="other", cut=CUT), RECORD, None, "unchanged"),
    "the same rules, baseline cut": (
        replace(RECORD, state_digest="other"),
        replace(RECORD, cut=CUT),
        None,
        "unchanged",
    ),
    "the same steps": (replace(RECORD, specification="other"), RECORD, None, "refactored"),
    "the same digests, but cut": (replace(RECORD, specification="other", cut=CUT), RECORD, None, "inconclusive"),
    "other steps": (OTHER_RULES, RECORD, None, "changed"),
    "other steps, baseline cut": (OTHER_RULES, replace(RECORD, cut=CUT), None, "inconclusive"),
    "more": (OTHER_RULES, RECORD, GAINED, "widened"),
    "more initial states": (OTHER_RULES, RECORD, Difference(initial_only=(0, 1)), "widened"),
    "more and less": (OTHER_RULES, RECORD, BOTH, "changed"),
    "fewer initial states": (OTHER_RULES, RECORD, Difference(initial_only=(1, 0)), "narrowed"),
    "less": (OTHER_RULES, RECORD, LOST, "narrowed"),
    "another constraint": (OTHER_RULES, RECORD, replace(LOST, constraint="differs"), "changed"),
    "neither": (replace(OTHER_RULES, cut=CUT), RECORD, Difference(), "refactored"),
    "less, cut": (OTHER_RULES, RECORD, cut(LOST, "time"), "inconclusive"),
    "more, cut": (OTHER_RULES, RECORD, cut(GAINED, "time"), "widened"),
    "not to be compared": (replace(OTHER_RULES, cut=CUT), RECORD, Difference(incomparable="other state"), "changed"),
}


@pytest.mark.parametrize("case", RELATIONS)
def test_relation(case: str) -> None:
    record, base, difference, relation = RELATIONS[case]
    baseline = None if base is None else Baseline("main", base)
    assert relation_of(record, baseline, difference) == relation


def test_nothing_to_say() -> None:
    judgement = judged(RECORD)
    assert (judgement.relation, judgement.verdict, judgement.code, judgement.findings) == ("unchanged",) * 2 + (0, ())
    assert (judgement.turned, judgement.notes, judgement.approved) == ((), (), None)


APPROVED = (OTHER_RULES, "it is meant")
SAME_BEHAVIOUR = replace(OTHER_RULES, specification="yet other rules")
NO_DIFFERENCE = "the behaviour is another than the approved one; --base REF shows which steps came and went"
PRESERVED, NO_BASELINE = "behaviour preserved, 4 states compared", "there is no baseline for this model"
NOT_SEEN = "not every state was seen: the budget of 9 states is spent"
GAINS, NEVER = "Press has 1,234 steps that the baseline does not allow", "Rest can never happen within these bounds"
OTHER_TEXT, SPENT = replace(RECORD, text="other"), replace(RECORD, cut=CUT)
ONE_GONE = replace(RECORD, properties={"lit": RECORD.properties["lit"]})
NO_REST = replace(RECORD, actions={"press": (3, 3), "rest": (0, 0)})
Case = tuple[dict[str, Any], str, list[tuple[int, str]]]


def case(verdict: str, *findings: tuple[int, str], record: Record = OTHER_RULES, **arguments: Any) -> Case:
    """What a judgement is given, and what comes of it."""
    return {"record": record, **arguments}, verdict, list(findings)


DRIFTS = {
    "changed": case("changed", (20, NO_DIFFERENCE)),
    "changed, approved": case("changed", (0, NO_DIFFERENCE), approval=APPROVED),
    "changed, its behaviour approved": case("changed", (0, NO_DIFFERENCE), approval=(SAME_BEHAVIOUR, "x")),
    "changed, something else approved": case("changed", (20, NO_DIFFERENCE), approval=(RECORD, "x")),
    "changed, other properties approved": case(
        "changed", (20, NO_DIFFERENCE), approval=(replace(OTHER_RULES, properties={}), "x")
    ),
    "a refinement that gains": case("widened", (23, GAINS), difference=GAINED, refinement=True),
    "a refinement that gains, approved": case(
        "widened", (0, GAINS), difference=GAINED, refinement=True, approval=APPROVED
    ),
    "gained and lost": case(
        "changed", (20, "Press has 1 steps that the baseline does not allow (1,002 are gone)"), difference=BOTH
    ),
    "an initial state": case(
        "changed", (20, "2 initial states are new"), difference=replace(LOST, initial_only=(0, 2))
    ),
    "another constraint": case(
        "changed",
        (20, "the state constraint is another: other states are looked at than in the baseline"),
        difference=Difference(constraint="differs"),
    ),
    "another state": case(
        "changed", (20, "the state changed"), difference=Difference(incomparable="the state changed")
    ),
    "narrowed": case(
        "narrowed",
        (0, "steps are gone, none are new: Press loses 2, Rest loses 1; 1 of 4 states are no longer reached"),
        record=replace(OTHER_RULES, distinct_states=RECORD.distinct_states - 1),
        difference=LOST,
    ),
    "narrowed, to fail": case(
        "inconclusive",
        (20, "steps are gone, none are new: Press loses 2, Rest loses 1"),
        (30, NOT_SEEN),
        record=replace(OTHER_RULES, cut=CUT),
        difference=LOST,
        fail_on=("narrowed",),
    ),
    "narrowed, to fail, approved": case(
        "narrowed",
        (0, "steps are gone, none are new: 1 initial states are gone; 0 of 4 states are no longer reached"),
        difference=Difference(initial_only=(1, 0)),
        fail_on=("narrowed",),
        approval=APPROVED,
    ),
    "refactored": case("refactored", (0, PRESERVED), record=OTHER_TEXT),
    "refactored, to fail": case("refactored", (20, PRESERVED), record=OTHER_TEXT, fail_on=("refactored",)),
    "refactored, others to fail": case("refactored", (0, PRESERVED), record=OTHER_TEXT, fail_on=("narrowed", "new")),
    "new": case("new", (0, NO_BASELINE), record=RECORD, base=None),
    "new, to fail": case("new", (20, NO_BASELINE), record=RECORD, base=None, fail_on=("new",)),
    "new, to fail, approved": case(
        "new", (0, NO_BASELINE), record=RECORD, base=None, fail_on=("new",), approval=(RECORD, "x")
    ),
    "not known": case(
        "inconclusive",
        (30, "the difference to the baseline is not known: the budget of 5 s is spent"),
        difference=cut(Difference(), "the budget of 5 s is spent"),
    ),
    "not known, and never was": case(
        "inconclusive", (0, "the difference to the baseline is not known: the baseline is not exhaustive"), base=SPENT
    ),
    "cut": case("inconclusive", (30, NOT_SEEN), record=replace(OTHER_RULES, cut=CUT)),
    "cut, without a baseline": case("inconclusive", (0, NO_BASELINE), (30, NOT_SEEN), record=SPENT, base=None),
    "cut, as before": case("unchanged", (0, NOT_SEEN), record=SPENT, base=SPENT),
    "cut, as before, to fail": case(
        "inconclusive", (30, NOT_SEEN), record=SPENT, base=SPENT, fail_on=("inconclusive",)
    ),
    "violated": case("violated", (12, "dark is violated: It is dark at first."), record=says("violated")),
    "violated, as expected": case("unchanged", record=says("violated"), violated=("dark",)),
    "no longer violated": case(
        "canary dead",
        (21, "dark is expected to be violated, and holds now: a known bug is no longer found"),
        record=RECORD,
        base=says("violated"),
        violated=("dark",),
    ),
    "never seen to be violated": case(
        "canary dead",
        (21, "dark is expected to be violated, and holds: a known bug is not found"),
        record=RECORD,
        violated=("dark",),
    ),
    "no longer seen to be violated": case("unchanged", record=says("unknown"), violated=("dark",)),
    "no longer seen to be violated, cut": case(
        "unchanged", (0, NOT_SEEN), record=SPENT, base=SPENT, violated=("dark",)
    ),
    "no witness": case(
        "canary dead", (21, "lit cannot be reached any more: It shines."), record=says("violated", "lit", length=None)
    ),
    "never a witness": case(
        "canary dead",
        (21, "lit cannot be reached: It shines."),
        record=says("violated", "lit", length=None),
        base=says("violated", "lit", length=None),
    ),
    "a witness out of place": case(
        "canary dead",
        (21, "lit does not apply under these bounds and settings (only_if), but happens: It shines."),
        record=says("violated", "lit", length=2),
    ),
    "an action that should never happen": case(
        "canary dead", (21, "Press is expected never to happen, and does: 3 steps"), record=RECORD, never=("press",)
    ),
    "an action that never happens": case("vacuous", (22, NEVER), record=NO_REST, dead=("rest",)),
    "an action that never happens, as expected": case("unchanged", record=NO_REST, dead=("rest",), never=("rest",)),
    "an action that no typed state enables": case("vacuous", (22, NEVER), record=RECORD, dead=("rest",)),
    "vacuous otherwise": case(
        "vacuous", (22, "dark says nothing"), record=replace(RECORD, vacuous=("dark says nothing",))
    ),
    "a property that is gone": case("changed", (20, "the property dark is gone"), record=ONE_GONE),
    "a property that is gone, approved": case(
        "unchanged", (0, "the property dark is gone"), record=ONE_GONE, approval=(ONE_GONE, "x")
    ),
    "a property that no longer applies": case(
        "changed",
        (20, "the property dark no longer applies under these bounds and settings"),
        record=says("not applicable"),
    ),
    "a property that never applied": case("unchanged", record=says("not applicable"), base=says("not applicable")),
    "a property that applies now": case("unchanged", record=RECORD, base=says("not applicable")),
    "a property that says something else": case(
        "unchanged",
        (0, "the property dark says something else than in the baseline"),
        record=says("holds", digest="other"),
    ),
    "a rule that failed": case(
        "rule failed",
        (75, "none is used"),
        record=replace(RECORD, failed=Failed("none is used", "lamp.py", 7, PRESSED), cut="a rule failed"),
    ),
}


@pytest.mark.parametrize("case", DRIFTS)
def test_what_is_said(case: str) -> None:
    arguments, verdict, findings = DRIFTS[case]
    judgement = judged(**arguments)
    assert told(judgement) == findings
    assert judgement.verdict == verdict
    assert judgement.code == ExitCode.most_severe(code for code, _ in findings)


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (
            {"record": RECORD, "violated": ("dark",)},
            "If the bug is corrected, take dark out of expect-violated; if not, these bounds are too small to show it, "
            "or a guard forbids it",
        ),
        (
            {"record": says("violated", "lit", length=None)},
            "Enlarge the bounds, or find the guard that forbids it; what cannot be reached here says so: only_if",
        ),
        (
            {"record": says("violated", "lit", length=2)},
            "Find what lets it happen; if it may, correct the condition of lit: only_if",
        ),
        (
            {"record": RECORD, "never": ("press",)},
            "If it may happen, take press out of expect-never; if not, a guard is missing",
        ),
    ],
)
def test_what_is_missing_is_advised_on_as_what_it_is(arguments: dict[str, Any], advice: str) -> None:
    assert [finding.advice for finding in judged(**arguments).findings if finding.code] == [advice]


# What a judgement shows besides its words: lines, traces, what turned, who approved, and which finding counts.


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
