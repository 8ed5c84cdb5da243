"""Two searches of the same rules that do not agree are a bug of an engine, and told as one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.gate.record import Record
from epochal.checker.gate.verdict import Baseline, Expectations, differing_figures, judge
from epochal.exit_codes import ExitCode
from tests.checker.gate.lamp import LAMP, OTHER_RULES, RECORD, says

CUT = "the budget of 9 states is spent"
STEPS = {name: (steps + 1, new) for name, (steps, new) in RECORD.actions.items()}
NEW = {name: (steps, new + 1) for name, (steps, new) in RECORD.actions.items()}
DIFFERENT = {
    "distinct states": replace(RECORD, distinct_states=RECORD.distinct_states + 1),
    "transitions": replace(RECORD, transitions=RECORD.transitions + 1_000),
    "depth": replace(RECORD, depth=RECORD.depth + 1),
    "the digest of the states": replace(RECORD, state_digest="other"),
    "the digest of the steps": replace(RECORD, step_digest="other"),
    "steps of press": replace(RECORD, actions=STEPS),
    "the verdict on dark": says("violated", length=2),  # and now it holds
    "the shortest run of lit": says("holds", "lit", length=9),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_every_figure_counts(what: str) -> None:
    judgement = judge(RECORD, LAMP, (), Baseline("main", DIFFERENT[what]), None, Expectations(), None)
    assert judgement.verdict == "semantics disagree" and judgement.code == ExitCode.READINGS_DISAGREE
    found = next(one for one in judgement.findings if one.kind == "semantics disagree")
    assert what in found.message and "report it" in found.message


SAME: dict[str, tuple[Record, Record]] = {
    "the same": (RECORD, RECORD),
    "a violation that is replayed, and fails by itself": (says("violated", length=2), RECORD),
    "other rules": (OTHER_RULES, RECORD),
    "one was cut": (replace(RECORD, cut=CUT, distinct_states=1), RECORD),
    "the other was cut": (RECORD, replace(RECORD, cut=CUT, distinct_states=1)),
    "new states of each action, which the order of actions decides": (replace(RECORD, actions=NEW), RECORD),
    "another engine, text and version": (replace(RECORD, engine="python", text="other", tool="epochal 0"), RECORD),
}


@pytest.mark.parametrize("what", SAME)
def test_what_is_no_disagreement(what: str) -> None:
    assert differing_figures(*SAME[what]) == []
