"""Comparing two protocols: what KIP-320 changed, and small changes whose effect is known."""

from __future__ import annotations

import pytest

from epochal.checker.difference.compare import Comparison, compare
from epochal.checker.difference.difference import SCOPES, ActionDifference, Example, Scope
from epochal.checker.native.backend import NativeBackend
from epochal.checker.search.budget import Budget
from epochal.checker.search.native import NativeSearch
from epochal.checker.search.result import INTERRUPTED, StopReason
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.explain import differences, refusal
from epochal.checker.trace.replay import replay
from epochal.spec.classic.kip_279 import Kip279
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import LanguageError
from epochal.spec.language.protocol import evaluated
from tests.zoo.tank import (
    HalfFull,
    History,
    Narrow,
    OneMore,
    OnlyUnreachable,
    Opening,
    OtherDomain,
    Refactored,
    Renamed,
    Tank,
)

BOUNDS = ClassicBounds(3, 1, 1, 1)


def differing(differences: tuple[ActionDifference, ...], scope: Scope) -> set[str]:
    """The actions with steps of their own in a scope."""
    return {one.action for one in differences if one.answers[scope].answer == "differs"}


def shown(own: tuple[ActionDifference, ...], action: str) -> Example:
    """The example in a reachable state of an action's own steps."""
    example = next(one for one in own if one.action == action).reachable.example
    assert example is not None
    return example


@pytest.fixture(scope="module")
def fencing() -> Comparison:
    """KIP-279 to KIP-320, with the history and lemmas of both."""
    return compare(Kip279Proof(BOUNDS), Kip320Proof(BOUNDS))


def test_what_kip_320_changed(fencing: Comparison) -> None:
    """Expansion, advance, becoming follower and fetch lose steps, the shrinking gains some; nothing else differs."""
    lost = {"leader_expands_isr", "advance_high_watermark", "become_follower", "fetch"}
    assert differing(fencing.lost, "typed") == lost
    assert differing(fencing.lost, "lemmas") == lost
    assert differing(fencing.lost, "reachable") == lost
    assert differing(fencing.gained, "typed") == {"leader_shrinks_isr", "advance_high_watermark"}
    assert differing(fencing.gained, "lemmas") == {"leader_shrinks_isr"}
    assert differing(fencing.gained, "reachable") == {"leader_shrinks_isr"}
    assert fencing.verdict == "differs"
    assert len(fencing.lemmas) == 19
    assert all(one.cut == "" and one.states > 0 for one in fencing.explored)


def test_every_example_is_a_step_that_only_one_takes(fencing: Comparison) -> None:
    """Each replays in both readings of the one; the Python reading of the other refuses it by the same guard."""
    seen = 0
    sides = fencing.first, fencing.second
    directions = ((fencing.lost, sides[0], sides[1]), (fencing.gained, sides[1], sides[0]))
    for own, left, right in directions:
        for one, scope in ((one, scope) for one in own for scope in SCOPES):
            example = one.answers[scope].example
            if example is None:
                continue
            seen += 1
            trace = example.trace
            assert replay(trace, [PythonSemantics(left), NativeBackend(left)]).ok
            assert (trace.start == "") == (scope == "reachable")
            before, step = trace.states[-2], trace.steps[-1]
            assert (step.instance.label, step.codes) not in [(i.label, after) for i, after in right.successors(before)]
            same = next(i for i in right.instances if i.label == step.instance.label)
            guard, python = example.refused.guard, refusal(right, before, same)
            assert guard is not None and python is not None and guard.text.startswith("require(")
            assert (guard.where, guard.text) == (python.where, python.text)
            if scope == "lemmas":
                for protocol in (left, right):
                    state = protocol.at(before)
                    assert all(evaluated(m.function, state) for m in protocol.members("lemma"))
    assert seen == 5 + 5 + 6


def test_the_guard_that_differs_is_told_with_its_line(fencing: Comparison) -> None:
    """KIP-320 refuses a fetch from another epoch, where its text says so."""
    guard = shown(fencing.lost, "fetch").refused.guard
    assert guard is not None
    assert guard.text == "require(self.follows_epoch(follower, leader))"
    assert guard.where.file == "spec/classic/kip_320.py"


def test_the_examples_are_shortest(fencing: Comparison) -> None:
    """The least number of steps to a fetch that KIP-320 refuses, by exploring levels in the Python reading."""
    fetch = shown(fencing.lost, "fetch").trace
    old, new = Kip279Proof(BOUNDS), Kip320Proof(BOUNDS)
    level, seen = old.initial_states(), set(old.initial_states())
    for depth in range(1, 10):
        following = []
        for codes in level:
            steps = list(old.successors(codes))
            own = [s for s in steps if s[0].action.name == "fetch"]
            if own:
                theirs = {(i.label, after) for i, after in new.successors(codes)}
                if any((i.label, after) not in theirs for i, after in own):
                    assert len(fetch.steps) == depth
                    return
            for _, after in steps:
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        level = following
    raise AssertionError("no fetch differs")


def test_a_protocol_compared_with_itself() -> None:
    """No step differs in any typed state, and there is nothing to search for."""
    result = compare(Kip320(BOUNDS), Kip320(BOUNDS))
    assert result.verdict == "same"
    assert result.answers("typed") == {"same"}
    assert result.lemmas == ()
    assert result.answers("lemmas") == {"not asked"}
    assert [one.cut for one in result.explored] == [None, None]


def test_a_spent_budget_leaves_open_what_it_did_not_see() -> None:
    """With a handful of states, what was not found is not known; what was found is."""
    result = compare(Kip279(BOUNDS), Kip320(BOUNDS), max_states=20)
    answers = {one.action: one.reachable.answer for one in result.lost}
    assert answers["become_follower"] == "differs"
    assert answers["fetch"] == "unknown"
    assert answers["elect_leader"] == "same"
    assert result.verdict == "differs"
    assert "20 states" in (result.explored[0].cut or "")
    back = compare(Kip320(BOUNDS), Kip320(BOUNDS), rlimit=1)
    assert back.verdict == "same"


def test_an_interrupted_comparison_does_not_begin_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is open stays open, and says why."""
    searches = []
    real = NativeSearch.explore

    def interrupted(self: NativeSearch, budget: Budget) -> StopReason:
        searches.append(self)
        real(self, budget)
        return INTERRUPTED

    monkeypatch.setattr(NativeSearch, "explore", interrupted)
    result = compare(Kip279(BOUNDS), Kip320(BOUNDS))
    assert len(searches) == 1
    assert [one.cut for one in result.explored] == ["interrupted", "interrupted"]
    assert result.explored[1].states == 0
    gained = [one.reachable for one in result.gained if one.answers["typed"].answer != "same"]
    assert gained and {(one.answer, one.reason) for one in gained} == {("unknown", "interrupted")}


# -- small changes ----------------------------------------------------------------------------------------------------


def test_a_refactoring_changes_nothing() -> None:
    """Other text, the same steps: proved in every typed state."""
    result = compare(Tank(), Refactored())
    assert (result.verdict, result.answers("typed")) == ("same", {"same"})


def test_a_difference_where_no_run_comes() -> None:
    """Z3 finds it in a typed state; the search says that none reaches it."""
    result = compare(Tank(), OnlyUnreachable())
    assert differing(result.gained, "typed") == {"fill"}
    assert result.answers("reachable") == {"same"}
    assert result.verdict == "same"
    assert result.explored[1].cut == ""
    cut = compare(Tank(), OnlyUnreachable(), max_states=2)
    assert cut.verdict == "unknown" and not cut.solver_gave_up


def test_another_effect_is_told_with_both_states() -> None:
    """No guard differs: the step leads elsewhere."""
    result = compare(Tank(), Opening())
    assert differing(result.lost, "reachable") == differing(result.gained, "reachable") == {"fill"}
    example = shown(result.lost, "fill")
    assert len(example.trace.steps) == 5
    why = example.refused
    assert why.guard is None and why.after is not None
    changes = differences(result.second, example.trace.states[-1], why.after)
    assert [str(change) for change in changes] == ["valve: false -> true"]
    assert why.sentence("it") == "it leads to another state by Fill()"


def test_renames_and_other_parameters() -> None:
    """Without the rename both actions stand alone; with it they match. Draining by two has no counterpart."""
    alone = compare(Tank(), Renamed())
    assert {one.action: one.counterpart for one in alone.lost} == {"fill": None, "drain": "drain"}
    assert differing(alone.lost, "reachable") == {"fill", "drain"}
    assert shown(alone.lost, "fill").refused.sentence("renamed") == "renamed has no such action"
    result = compare(Tank(), Renamed(), {"fill": "pour"})
    assert {one.action: one.counterpart for one in result.gained} == {"pour": "fill", "drain": "drain"}
    assert differing(result.lost, "reachable") == {"drain"}
    assert differing(result.gained, "typed") == set()
    drain = shown(result.lost, "drain")
    assert drain.trace.steps[-1].instance.label == "Drain(2)"
    assert drain.refused.sentence("renamed") == "renamed leads to another state by Drain()"


def test_other_beginnings_and_constraints_are_differences() -> None:
    """The steps are the same; where they begin, and what is looked at, is not."""
    result = compare(Tank(), HalfFull())
    assert result.answers("typed") == {"same"}
    assert result.initial_only == (1, 1)
    assert result.verdict == "differs"
    narrow = compare(Tank(), Narrow())
    assert narrow.constraint == "differs"
    assert narrow.verdict == "unknown"


def test_other_states_are_refused_with_the_first_difference() -> None:
    """Another domain, another variable, history."""
    for other, said in (
        (OtherDomain(), r"level is of 0\.\.7 in the first and of 0\.\.9 in the second"),
        (OneMore(), "the first has no more where the second has alarm"),
        (History(), "valve is history in one of them only"),
    ):
        with pytest.raises(LanguageError, match=said):
            compare(Tank(), other)
