"""A mutant is the same protocol with one text taken away: in both readings, at the same lines, judged as before."""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType
from typing import Any

import pytest
from click.testing import CliRunner

import epochal
from epochal.checker.compile.compiler import rules_used
from epochal.checker.compile.source.admitted import Sources
from epochal.checker.mutation.mutants import Edit, LogNames, Mutant, changed_protocol, edited, edits, mutants_of
from epochal.checker.mutation.result import Judge, MutantAnswering, Original, Premises
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.cli.main import main
from epochal.errors import EpochalError
from epochal.spec.classic import follower as follower_module
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import Record
from epochal.spec.language.errors import EvaluationError, LanguageError, source_line
from epochal.spec.language.marks import require
from epochal.spec.language.marks import require as only_if
from epochal.spec.language.protocol import Protocol
from epochal.spec.registry import registered
from tests.zoo.searched import Door, Switched

SMALL = {"replicas": 2, "log_size": 1, "records": 1, "max_epoch": 1}
TINY = {"replicas": 2, "max_offset": 1, "max_version": 1}


def made(name: str, bounds: dict[str, int]) -> Protocol:
    """A registered protocol within bounds."""
    protocol = registered(name)
    return protocol(protocol.bounds_type()(**bounds))


def mutant(protocol: Protocol, id: str) -> Mutant:
    """The mutant whose id ends like this."""
    found = [one for one in mutants_of(protocol) if one.id.endswith(id)]
    assert len(found) == 1, [one.id for one in found]
    return found[0]


def facts(result: CheckResult) -> tuple[object, ...]:
    """What two searches of the same behaviour have in common."""
    verdicts = [(one.member.name, one.verdict, one.length) for one in result.properties]
    error = result.error and (result.error.message, result.error.where, result.error.trace.length)
    return result.distinct_states, result.depth, result.state_digest, result.step_digest, verdicts, error


@pytest.mark.parametrize(
    "name", ["kip-320-m3", "kip-101", "kip-320-first-try", "kip-320-proof", "truncate-to-hw", "async-isr"]
)
def test_changing_nothing_changes_nothing(name: str) -> None:
    """Every used function compiled again from its own text: same behaviour, with super() and assigned methods too."""
    protocol = made(name, TINY if name == "async-isr" else SMALL)
    used, sources = tuple(rules_used(protocol)), Sources()
    same = {function: sources.tree(function) for function in used}
    copy = changed_protocol(type(protocol), used, same, {})
    assert copy is not type(protocol)
    options = Options(all_violations=True, lemmas=True)
    original = breadth_first.check(protocol, options)
    assert facts(breadth_first.check(copy(protocol.bounds), options)) == facts(original)
    assert facts(reference_engine.check(copy(protocol.bounds), options)) == facts(original)


def agree(protocol: Protocol, one: Mutant) -> None:
    """Both readings make the same of a mutant, or refuse it with the same words."""
    specification = one.build()
    results = []
    for search in (breadth_first.check, reference_engine.check):
        try:
            results.append(facts(search(specification(protocol.bounds), Options())))
        except LanguageError as error:
            results.append((str(error),))
    assert results[0] == results[1], one.id


def test_the_readings_agree_on_every_mutant_of_async_isr() -> None:
    protocol = made("async-isr", TINY)
    found = mutants_of(protocol)
    assert len(found) == 18
    for one in found:
        agree(protocol, one)


def test_a_protocol_that_a_call_has_made_is_changed_too() -> None:
    """As settings make one: the class is nowhere written, and says whose module made it."""
    kind: type[Protocol] = type("Made", (Kip320,), {"__doc__": Kip320.__doc__})
    assert kind.__module__ == __name__
    protocol = kind(kind.bounds_type()(**SMALL))
    one = mutant(protocol, "Kip320.become_follower: drop all requires")
    changed = one.build()
    assert kind not in changed.__mro__ and Kip320 not in changed.__mro__
    before, after = (breadth_first.check(of(protocol.bounds), Options()) for of in (kind, changed))
    assert before.step_digest != after.step_digest


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 8))])
def test_the_readings_agree_on_mutants_of_kip_320(part: int) -> None:
    """As above, for a model with inherited rules, helpers and a function that two modules import."""
    protocol = made("kip-320", SMALL)
    found = mutants_of(protocol)
    assert len(found) == 66
    for one in found[part::8]:
        agree(protocol, one)


def test_the_original_is_untouched() -> None:
    protocol = made("kip-320", SMALL)
    names = dict(vars(follower_module))
    members = {cls: dict(vars(cls)) for cls in Kip320.__mro__ if cls.__module__.startswith("epochal.spec.classic")}
    before = facts(breadth_first.check(protocol, Options()))
    for one in (mutant(protocol, "same_record: drop conjunct #3"), mutant(protocol, "truncate: drop truncation #1")):
        breadth_first.check(one.build()(protocol.bounds), Options())
    assert dict(vars(follower_module)) == names
    assert {cls: dict(vars(cls)) for cls in members} == members
    assert facts(breadth_first.check(protocol, Options())) == before


def test_properties_keep_their_meaning() -> None:
    """`same_record` is a word of strong_isr too: the mutant truncates wrongly, and is judged by the true word."""
    protocol = made("kip-320", {"replicas": 3, "log_size": 1, "records": 1, "max_epoch": 1})
    one = mutant(protocol, "same_record: drop conjunct #2")
    changed = one.build()(protocol.bounds)
    state: Any = changed.at(changed.initial_states()[0])  # of a class that is made here
    b1, b2 = list(state.replicas)[:2]
    state.replicas[b1].log.append(Record(id=0, epoch=0))
    with pytest.raises(EvaluationError):
        state.same_record(b1, b2, 0)
    assert state.strong_isr()
    state.replicas[b1].leader = b1
    state.replicas[b1].hw = 1
    assert not state.strong_isr()
    with pytest.raises(EvaluationError):
        Kip320.strong_isr(state)
    assert [m.name for m in changed.members("invariant")] == [m.name for m in protocol.members("invariant")]
    assert [m.where for m in changed.members("invariant")] == [m.where for m in protocol.members("invariant")]


def test_lines_are_those_of_the_file() -> None:
    """A rule of a mutant stands where it stood, and its failures are told with the lines of the file."""
    protocol = made("kip-320", SMALL)
    one = mutant(protocol, "leader_write: drop require #2")
    changed = one.build()
    (written,) = [m for m in changed.members("action") if m.name == "leader_write"]
    assert written.where == source_line(Kip320.leader_write)
    for search in (breadth_first.check, reference_engine.check):
        error = search(changed(protocol.bounds), Options()).error
        assert error is not None
        assert str(error.where) == "spec/classic/state.py:148"
        assert error.message == "id: 1 is outside 0..0"


def test_what_is_never_run_has_no_mutants() -> None:
    """Neither a guard behind a switch that is off, nor a property."""
    found = mutants_of(Switched())
    assert [(one.id, one.removed) for one in found] == [
        ("searched.py.Neighbours Switched.grow: drop require #1", "self.x < 3")
    ]


def test_outcomes() -> None:
    protocol = made("kip-320", {"replicas": 3, "log_size": 1, "records": 1, "max_epoch": 1})
    options = Options()
    original = breadth_first.check(protocol, Options(all_violations=True))
    judge = Judge(Original.of(original), breadth_first.check, options)
    wanted = {
        "elect_leader: drop require #1": ("violated", "leader_in_isr", 3),
        "elect_leader: drop require #2": ("changed", "", None),
        "copy_next: drop require #1": ("failed", "", 3),
        "follow: drop require #1": ("survived", "", None),
        "advance_high_watermark: drop require #2 conjunct #2": ("violated", "weak_isr", 7),
    }
    for id, (verdict, property, length) in wanted.items():
        outcome = judge.outcome(mutant(protocol, id))
        assert (outcome.verdict, outcome.property, outcome.length) == (verdict, property, length), id
    changed = judge.outcome(mutant(protocol, "elect_leader: drop require #2"))
    assert changed.states > 0
    cut = Judge(Original.of(original), breadth_first.check, Options(max_states=50)).outcome(
        mutant(protocol, "elect_leader: drop require #2")
    )
    assert (cut.verdict, cut.message) == ("open", "the budget of 50 states is spent")


def test_a_helper_that_does_not_matter_is_not_tried_call_by_call() -> None:
    """`presumes_leadership` in follows_epoch follows from the rest, so its calls are left out."""
    protocol = made("kip-320", SMALL)
    original = breadth_first.check(protocol, Options(all_violations=True))
    wanted = [one for one in mutants_of(protocol) if "follows_epoch: drop conjunct #1" in one.id]
    assert len(wanted) == 5
    outcomes = list(Judge(Original.of(original), breadth_first.check, Options()).outcomes(wanted))
    assert [(one.mutant.id, one.verdict) for one in outcomes] == [
        ("kip_320.py Kip320.follows_epoch: drop conjunct #1", "survived")
    ]


def test_a_reachable_that_is_lost() -> None:
    """Without truncation no follower truncates; where no property of safety is judged, that is what is told."""
    protocol = made("kip-320", {"replicas": 3, "log_size": 1, "records": 1, "max_epoch": 1})
    options = Options(properties=("follower_truncates",))
    original = breadth_first.check(protocol, Options(properties=("follower_truncates",), all_violations=True))
    outcome = Judge(Original.of(original), breadth_first.check, options).outcome(
        mutant(protocol, "truncate: drop truncation #1")
    )
    assert (outcome.verdict, outcome.property) == ("unreached", "follower_truncates")


def test_a_protocol_that_is_made_of_settings_is_changed_too() -> None:
    """Its class has no text of its own, and belongs to the specification all the same."""
    protocol = registered("kraft-s12-fixed")()
    mutant = next(one for one in mutants_of(protocol) if one.id.endswith("Follower.fetch: drop require #1"))
    changed = mutant.build()
    assert changed is not type(protocol)
    assert changed.fetch is not type(protocol).fetch  # type: ignore[attr-defined]  # an action of the modern protocol


def test_a_mutant_has_the_steps_that_its_settings_need() -> None:
    """Its steps are copies; a setting of a version before the newest finds them all the same (spec/kraft/kraft.py)."""
    protocol = registered("kraft-kafka-14402-fixed")()
    changed = mutant(protocol, "Transactions.acknowledge_marker: drop require #1").build()(protocol.bounds)
    assert not changed.settings.epoch_per_transaction  # type: ignore[attr-defined]
    assert breadth_first.check(changed, Options(max_states=2)).distinct_states > 0


@pytest.mark.long
def test_processes_judge_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every outcome in its place, and what changes nothing in all calls of a helper is not tried call by call."""
    monkeypatch.setattr("epochal.checker.mutation.result.FEWEST", 2)

    def told(workers: int) -> list[object]:
        found = epochal.mutate(made("kip-320", SMALL), only="follows_epoch: drop conjunct", workers=workers).mutation
        outcomes = ({**vars(one), "mutant": one.mutant.id} for one in found.outcomes)
        return [found.untried, found.exit_code, *outcomes]

    alone = told(1)
    assert told(2) == alone and len(alone) > 4


def test_a_protocol_that_has_changed_is_not_judged() -> None:
    """Another process may find another text under the same name."""
    protocol = made("kip-320", SMALL)
    original = Original.of(breadth_first.check(protocol, Options()))
    known = {name: value for name, value in vars(original).items() if name != "protocol"}
    with pytest.raises(EpochalError, match="has changed while"):
        MutantAnswering(Premises("kip-279", protocol.bounds.as_dict(), known, Options()))


# What each operator takes away from a rule, and that it takes away nothing else.

LOGS = LogNames(frozenset({"log"}), frozenset({"logs"}))


def taken(function: Any, logs: LogNames = LOGS) -> dict[str, str]:
    """The body of a function without its docstring after each of its edits, by label."""
    assert isinstance(function, FunctionType)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    before = ast.dump(tree)
    found = {}
    for edit in edits(function, tree, logs):
        made = edited(tree, edit)
        found[edit.label] = "; ".join(ast.unparse(statement) for statement in made.body)
    assert ast.dump(tree) == before
    return found


def guarded(self: Any, r: Any) -> None:
    require(r != self.leader)
    only_if(self.a(r) and all(self.b(f) and self.c(f) for f in self.isr))
    self.x = r


def test_requires_and_their_conjuncts() -> None:
    """Each require, all of them, and each operand of an `and` at any depth; `require` by another name too."""
    second = "only_if(self.a(r) and all((self.b(f) and self.c(f) for f in self.isr)))"
    assert taken(guarded) == {
        "drop require #1": f"{second}; self.x = r",
        "drop require #2": "require(r != self.leader); only_if(True); self.x = r",
        "drop all requires": "only_if(True); self.x = r",
        "drop require #2 conjunct #1": "require(r != self.leader); "
        "only_if(all((self.b(f) and self.c(f) for f in self.isr))); self.x = r",
        "drop require #2 conjunct #2": "require(r != self.leader); only_if(self.a(r)); self.x = r",
        "drop require #2 conjunct #3": "require(r != self.leader); "
        "only_if(self.a(r) and all((self.c(f) for f in self.isr))); self.x = r",
        "drop require #2 conjunct #4": "require(r != self.leader); "
        "only_if(self.a(r) and all((self.b(f) for f in self.isr))); self.x = r",
    }


def helper(self: Any, f: Any, o: int) -> bool:
    return self.follows(f) and (o == 0 or (self.has(f, o) and self.brokers[f].leader_epoch + 1 > self.epoch_of(f)))


def test_conjuncts_of_a_helper_and_epochs() -> None:
    """What a helper returns; a comparison of epochs that is an operand of `and` is not listed twice."""
    assert list(taken(helper)) == ["drop conjunct #1", "drop conjunct #2", "drop conjunct #3", "drop conjunct #4"]
    assert taken(helper)["drop conjunct #4"] == "return self.follows(f) and (o == 0 or self.has(f, o))"


def compared(self: Any, r: Any) -> None:
    if self.epochs[r] == self.view(r).epoch or self.leader == r:
        self.x = r


def test_a_comparison_of_epochs_that_is_no_conjunct() -> None:
    """It becomes true; what is not named after an epoch stays."""
    assert taken(compared) == {"epoch comparison #1 is true": "if True or self.leader == r:\n    self.x = r"}


def truncating(self: Any, r: Any) -> None:
    if self.x == r:
        self.brokers[r].log.truncate(0)
    self.brokers[r].log = self.empty
    self.logs[r] = self.empty
    self.brokers[r].log[0] = r
    self.others[r] = r


def test_truncations() -> None:
    """Statements that truncate, or write a whole log; writing an entry is none."""
    rest = "self.brokers[r].log[0] = r; self.others[r] = r"
    cut = "if self.x == r:\n    self.brokers[r].log.truncate(0)"
    log, logs = "self.brokers[r].log = self.empty", "self.logs[r] = self.empty"
    assert taken(truncating) == {
        "drop truncation #1": f"if self.x == r:\n    pass; {log}; {logs}; {rest}",
        "drop truncation #2": f"{cut}; {logs}; {rest}",
        "drop truncation #3": f"{cut}; {log}; {rest}",
    }
    assert list(taken(truncating, LogNames(frozenset(), frozenset()))) == ["drop truncation #1"]


def alone(self: Any) -> None:
    require(self.x)


def test_nothing_is_left() -> None:
    """A rule whose only statement goes away does nothing; one guard is not `all requires` as well."""
    assert taken(alone) == {"drop require #1": "pass"}


def test_lines_stay() -> None:
    tree = ast.parse("def f(self):\n    require(a)\n    require(b and\n            c)\n    x = 1").body[0]
    assert isinstance(tree, ast.FunctionDef)
    place = [i for i, node in enumerate(ast.walk(tree)) if isinstance(node, ast.Name) and node.id == "b"]
    made = edited(tree, Edit("", 3, "b", made_true=(place[0],)))
    assert [statement.lineno for statement in made.body] == [2, 3, 5]
    assert ast.unparse(made.body[1]) == "require(c)"


# A guard whose loss only blocks is missed by nobody but a promise.


def test_a_mutant_that_only_blocks_is_killed_by_a_promise() -> None:
    found = epochal.mutate(Door())
    outcomes = {one.mutant.id.partition(" ")[2]: one for one in found.mutation.outcomes}
    blocked = outcomes["Door.turn_key: drop require #1"]
    assert (blocked.verdict, blocked.property, blocked.length, blocked.round) == ("violated", "opens", 2, 0)
    assert outcomes["Door.slam: drop require #1 conjunct #2"].property == "opens"
    assert outcomes["Door.slam: drop require #1 conjunct #1"].verdict == "changed", "shutting what is shut"
    assert "opens" in found.mutation.judged
    one = next(one for one in found.to_dict()["mutants"] if one["id"] == blocked.mutant.id)
    assert (one["property"], one["length"], one["round"]) == ("opens", 2, 0)
    assert "2, 0 for ever" in str(found)


def test_without_liveness_it_only_changes() -> None:
    found = epochal.mutate(Door(), liveness=False)
    assert "opens" in found.mutation.not_judged
    assert not any(one.property == "opens" for one in found.mutation.outcomes)
    assert "Door.turn_key: drop require #1" in " ".join(one.mutant.id for one in found.mutation.with_verdict("changed"))


@pytest.mark.parametrize(("options", "why"), [(["--symmetry"], "symmetry"), (["--no-liveness"], "left out")])
def test_the_report_says_why_promises_are_not_judged(options: list[str], why: str) -> None:
    only = ["--only", "fetch: drop require #1"]
    done = CliRunner().invoke(main, ["mutate", "kip-320", "--max-epoch", "1", "--replicas", "2", *only, *options])
    (line,) = [line for line in done.output.splitlines() if line.strip().startswith("not checked  leader_takes")]
    assert why in line


def test_a_guard_of_kraft_that_only_promises_miss() -> None:
    """A leader that proposes to add who is in its ISR waits for ever: the controller answers that it knows."""
    protocol = epochal.load("kraft", replication_factor=2, max_epoch=1, records=1)
    (one,) = epochal.mutate(protocol, only="may_join: drop conjunct #1").mutation.outcomes
    assert (one.verdict, one.property, one.length, one.round) == ("violated", "proposal_is_resolved", 3, 0)
