"""The steps that one protocol takes and another with the same states does not, action by action.

A step differs if the other protocol does not enable the action there, or if it leads to another state. That is one
condition on the state before it, built in the graph of the protocol that has the step. Z3 is asked for a typed state
that makes it true, and the native search for a reachable one, by the same condition.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import z3

from epochal.checker.ir.leaves import leaf_expressions
from epochal.checker.properties import KINDS
from epochal.checker.search import breadth_first
from epochal.checker.search.result import Options
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.language import ActionInstance, Protocol, reachable

from ..compile.compiler import compile_protocol
from ..ir.canonical import canonical
from ..ir.evaluate import evaluate
from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.model import CompiledInstance, Model
from ..ir.rebase import Rebase
from ..properties import STEP_CONDITIONS
from .cross_check import confirm_step
from .interruptible import check, leave_interrupts_alone, why_unknown
from .terms import Term, Terms
from .unrolling import unfailing

Scope = Literal["typed", "lemmas", "reachable"]
SCOPES: tuple[Scope, ...] = ("typed", "lemmas", "reachable")
Answer = Literal["same", "differs", "unknown", "not asked"]

INTERRUPTED = "interrupted"
"""Why a search was cut that somebody ended with Ctrl-C."""


@dataclass(frozen=True)
class Finding:
    """Whether an action has steps of its own in the states of one scope. `trace` is an example, of one step or a run.

    The example ends with the step that the other protocol does not take.
    """

    answer: Answer
    trace: Trace | None = None
    reason: str = ""


@dataclass(frozen=True)
class ActionDifference:
    """The steps of an action of `has` that `lacks` does not take. `counterpart` is its action there; None: none."""

    has: Protocol
    lacks: Protocol
    action: str
    counterpart: str | None
    findings: Mapping[Scope, Finding]

    @property
    def example(self) -> tuple[Scope, Trace] | None:
        """The example that says most: in a reachable state, else where the lemmas hold, else in a typed state."""
        for scope in reversed(SCOPES):
            trace = self.findings[scope].trace
            if trace is not None:
                return scope, trace
        return None


@dataclass(frozen=True)
class Explored:
    """What was searched of one protocol: distinct states, and why not all ("" if all; None: nothing to search for)."""

    states: int
    cut: str | None


def counterparts(has: ActionInstance, lacks: Protocol, action: str | None) -> tuple[ActionInstance, ...]:
    """The instances of the other protocol's action that a step is compared with.

    The one with the same arguments, if both actions choose from the same domains; else all of them.
    """
    instances = tuple(i for i in lacks.instances if i.action.name == action)
    if not instances:
        return ()
    domains = [[(str(p.domain), p.domain.cardinality) for p in i.parameters] for i in (has, instances[0])]
    if domains[0] != domains[1]:
        return instances
    places = [p.domain.index(a) for p, a in zip(has.parameters, has.arguments, strict=True)]
    for instance in instances:
        if [p.domain.index(a) for p, a in zip(instance.parameters, instance.arguments, strict=True)] == places:
            return (instance,)
    raise AssertionError("actions with the same domains have different instances")


def with_questions(protocol: Protocol, conditions: Mapping[str, Any], lemmas: Sequence[str]) -> Protocol:
    """The protocol with a `reachable` for each question instead of its own properties; only these lemmas stay."""
    members: dict[str, Any] = {m.name: None for kind in KINDS for m in protocol.members(kind)}
    members |= {m.name: None for m in protocol.members("lemma") if m.name not in lemmas}
    for action, condition in conditions.items():
        members[f"own_{action}"] = _question(condition)
    own = type(protocol)
    asked: type[Protocol] = type(own.__name__, (own,), {**members, "__module__": own.__module__})
    return asked(protocol.bounds)


def _question(condition: Callable[[Graph, CompiledInstance], Expression]) -> Any:
    """A property of steps that is true where a step is of one protocol only. It is compiled from `condition`."""

    def own(self: Protocol, new: Protocol) -> bool:
        """The other protocol does not take this step."""
        raise AssertionError("this property has no Python reading")

    setattr(own, STEP_CONDITIONS, condition)
    return reachable(own)


class Side:
    """One direction: the protocol that has the steps, and in its graph what the other one, `lacks`, does instead."""

    def __init__(
        self, has: Protocol, lacks: Model, names: Mapping[str, str], lemmas: Sequence[str], rlimit: int
    ) -> None:
        self.has, self.lacks, self.lemmas, self.rlimit = has, lacks, lemmas, rlimit
        theirs = {a.name for a in lacks.protocol.members("action")}
        taken = set(names.values())
        self.names: dict[str, str | None] = {}
        for action in has.members("action"):
            name = names.get(action.name, action.name)
            renamed = action.name in names
            self.names[action.name] = name if name in theirs and (renamed or name not in taken) else None
        self._by_number = {c.instance.number: c for c in lacks.instances}
        self._rebased: dict[Graph, Rebase] = {}
        self.model = compile_protocol(with_questions(has, self._conditions(list(self.names)), lemmas), bool(lemmas))
        self.terms = Terms(self.model.protocol)
        self.solver_seconds = 0.0
        self.explored = Explored(0, None)

    def _conditions(self, actions: Sequence[str]) -> dict[str, Any]:
        def asked(action: str) -> Callable[[Graph, CompiledInstance], Expression]:
            return lambda graph, one: self._differs(graph, one) if one.instance.action.name == action else graph.false

        return {action: asked(action) for action in actions}

    def _differs(self, graph: Graph, compiled: CompiledInstance) -> Expression:
        """That the other protocol does not take the step of this instance."""
        copy = self._rebased.setdefault(graph, Rebase(graph))
        before = leaf_expressions(graph, self.has)
        parts = []
        for instance in counterparts(compiled.instance, self.lacks.protocol, self.names[compiled.instance.action.name]):
            theirs = self._by_number.get(instance.number)
            if theirs is None:
                continue
            written = sorted(compiled.updates.keys() | theirs.updates.keys())
            pairs = [
                (
                    compiled.updates.get(leaf, before[leaf]),
                    copy(theirs.updates[leaf]) if leaf in theirs.updates else before[leaf],
                )
                for leaf in written
            ]
            same = graph.all_of([copy(theirs.enabled), *(graph.eq(ours, other) for ours, other in pairs)])
            parts.append(graph.not_(same))
        return graph.and_(compiled.enabled, graph.all_of(parts))

    # -- asking -----------------------------------------------------------------------------------------------------

    def differences(self, options: Options, stopped: bool = False) -> tuple[ActionDifference, ...]:
        """What is found of each action, in all scopes. Nothing is searched if somebody has `stopped` the comparison."""
        conditions = {
            action: {c.instance.number: self._own(action, c) for c in self.model.instances} for action in self.names
        }
        solver = self._typed()
        typed = {action: self._ask(solver, found, "Any typed state") for action, found in conditions.items()}
        lemmas = {action: Finding("not asked") for action in conditions}
        if self.lemmas:
            solver.add(*self._lemma_terms())
            text = "Any typed state in which the common lemmas hold"
            for action, found in conditions.items():
                same = typed[action].answer == "same"
                lemmas[action] = typed[action] if same else self._ask(solver, found, text)
        differing = [a for a in conditions if typed[a].answer != "same"]
        if stopped:
            self.explored = Explored(0, INTERRUPTED)
            reached = {action: Finding("unknown", reason=INTERRUPTED) for action in differing}
        else:
            reached = self._search(differing, options)
        return tuple(
            ActionDifference(
                self.has,
                self.lacks.protocol,
                action,
                counterpart,
                {"typed": typed[action], "lemmas": lemmas[action], "reachable": reached.get(action, Finding("same"))},
            )
            for action, counterpart in self.names.items()
        )

    def _own(self, action: str, compiled: CompiledInstance) -> Expression:
        one = next(p for p in self.model.properties if p.member.name == f"own_{action}")
        return one.on_step[compiled.instance.number]

    def _typed(self) -> z3.Solver:
        """A solver that knows a typed state within the state constraint."""
        graph, terms = self.model.graph, self.terms
        solver = z3.Solver(ctx=terms.context)
        solver.set("rlimit", self.rlimit)
        leave_interrupts_alone(solver)
        solver.add(*terms.in_domain())
        solver.add(*map(terms, canonical(graph, self.has, leaf_expressions(graph, self.has))))
        solver.add(terms(_within(self.model)))
        return solver

    def _lemma_terms(self) -> list[Term]:
        """That the lemmas of both protocols hold."""
        copy = self._rebased.setdefault(self.model.graph, Rebase(self.model.graph))
        found = []
        for model, translated in ((self.model, lambda e: e), (self.lacks, copy)):
            for one in model.properties:
                if one.member.mark.kind == "lemma":
                    found.append(self.terms(translated(one.holds)))
                    found += [z3.Not(self.terms(translated(failure.condition))) for failure in one.failures]
        return found

    def _ask(self, solver: z3.Solver, conditions: Mapping[int, Expression], start: str) -> Finding:
        """Whether some state makes the condition of an instance true, and which.

        An example is one in which every rule can be evaluated, so that it replays in every reading; there may be none.
        """
        possible = {number: c for number, c in conditions.items() if c is not self.model.graph.false}
        if not possible:
            return Finding("same")
        started = time.process_time()
        solver.push()
        solver.add(z3.Or(*map(self.terms, possible.values())))
        answer = check(solver)
        reason = why_unknown(solver) if answer == z3.unknown else ""
        codes = None
        if answer == z3.sat:
            solver.add(self.terms(unfailing(self.model)))
            codes = self.terms.codes(solver.model()) if check(solver) == z3.sat else None
        solver.pop()
        self.solver_seconds += time.process_time() - started
        if answer != z3.sat:
            return Finding("unknown", reason=reason) if answer == z3.unknown else Finding("same")
        if codes is None:
            return Finding("differs", reason="only where another rule cannot be evaluated")
        number = next(n for n, condition in possible.items() if evaluate([condition], codes) == [1])
        instance = self.has.instances[number]
        after = confirm_step(self.has, codes, instance)
        return Finding("differs", Trace(self.has, codes, (Step(instance, after),), start=start))

    def _search(self, actions: Sequence[str], options: Options) -> dict[str, Finding]:
        """Whether each action has steps of its own in the states that are reached. The traces are shortest runs."""
        if not actions:
            return {}
        protocol = with_questions(self.has, self._conditions(actions), ())
        result = breadth_first.check(protocol, options)
        cut = result.cut or (f"a rule cannot be evaluated: {result.error.message}" if result.error else "")
        self.explored = Explored(result.distinct_states, cut)
        found = {}
        for action, one in zip(actions, result.properties, strict=True):
            if one.trace is not None:
                found[action] = Finding("differs", replace(one.trace, protocol=self.has, property_id="", verdict="run"))
            else:
                found[action] = Finding("unknown", reason=cut) if cut else Finding("same")
        return found

    def constraint(self) -> Answer:
        """Whether both protocols have the same state constraint, in typed states."""
        copy = self._rebased.setdefault(self.model.graph, Rebase(self.model.graph))
        graph, ours, theirs = self.model.graph, _within(self.model), copy(_within(self.lacks))
        if ours is theirs:
            return "same"
        solver = z3.Solver(ctx=self.terms.context)
        solver.set("rlimit", self.rlimit)
        leave_interrupts_alone(solver)
        solver.add(*self.terms.in_domain())
        solver.add(*map(self.terms, canonical(graph, self.has, leaf_expressions(graph, self.has))))
        solver.add(self.terms(graph.not_(graph.eq(ours, theirs))))
        answers: dict[str, Answer] = {"sat": "differs", "unsat": "same"}
        return answers.get(str(check(solver)), "unknown")


def _within(model: Model) -> Expression:
    """That a state is within the constraint, and that can be evaluated."""
    failing = [model.graph.not_(failure.condition) for failure in model.constraint_failures]
    return model.graph.all_of([model.constraint, *failing])
