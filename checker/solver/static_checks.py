"""What can be said of a specification without exploring it, where intervals are too coarse: asked of Z3.

Every question is about any typed state: each leaf in its domain, unused slots of logs and absent records zero. Such a
state need not be reachable, so "impossible" here is impossible in every run, and "possible" says little. Three kinds:
can an index or a value leave its domain; can an action be enabled at all; is a property true, or false, of every state.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import z3

from epochal.errors import EngineError
from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.members import title

from ..base.installed import require_solver
from ..compile.static import Diagnostic
from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.layout import canonical, leaf_expressions
from ..ir.model import CompiledProperty, Failure, Model
from ..smt.terms import Term, Terms
from .answer import check, leave_interrupts_alone

if TYPE_CHECKING:
    from ..search.result import CheckResult


RLIMIT = 20_000_000
"""Z3's resource units for one question, some seconds: these are asked beside a search."""

Kind = Literal["failure", "action", "property"]
Verdict = Literal["impossible", "possible", "always", "never", "open", "unknown"]


@dataclass(frozen=True)
class StaticAnswer:
    """The answer to one question.

    Of a failure (an index or a value outside its domain) and of an action: impossible or possible in a typed state. Of
    a property: always or never true in typed states (pairs of them, for a property of steps), or open: it depends.
    """

    kind: Kind
    subject: str
    where: SourceLine | None
    verdict: Verdict
    seconds: float


@dataclass(frozen=True)
class StaticReport:
    """All answers. `asked` says what was asked, in words."""

    asked: str
    answers: tuple[StaticAnswer, ...]

    def of(self, kind: Kind, *verdicts: Verdict) -> tuple[StaticAnswer, ...]:
        """The answers of one kind with one of these verdicts."""
        return tuple(one for one in self.answers if one.kind == kind and one.verdict in verdicts)

    @property
    def seconds(self) -> float:
        """Processor time of all questions."""
        return sum(one.seconds for one in self.answers)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What makes a verdict worth less than it seems, as the checks without Z3 tell it."""
        found = [
            Diagnostic(
                f"{title(one.subject)} cannot happen at these bounds: no typed state enables it (checked by Z3)",
                one.where,
                vacuous=True,
                dead_action=one.subject,
            )
            for one in self.of("action", "impossible")
        ]
        for one in self.of("property", "always", "never"):
            said = "true" if one.verdict == "always" else "false"
            message = f"{one.subject} is {said} of every typed state at these bounds (checked by Z3)"
            found.append(Diagnostic(message, one.where, vacuous=True))
        return tuple(found)


class Questions:
    """The static questions about a compiled protocol."""

    def __init__(self, model: Model, rlimit: int = RLIMIT) -> None:
        self.model, self.rlimit = model, rlimit
        self._within = model.within
        self._single = TypedStates(model.graph, model.protocol, 1, rlimit)
        self._pair: TypedStates | None = None

    def all(self) -> StaticReport:
        """Ask everything that is not known already."""
        answers = [*self.failures(), *self.actions(), *self.properties()]
        return StaticReport("indices and domains, actions and properties, in any typed state", tuple(answers))

    def failures(self) -> Iterator[StaticAnswer]:
        """Of each line whose index or value may leave its domain, whether it can in a typed state."""
        by_line: dict[tuple[str, SourceLine | None], list[Expression]] = {}
        for failure, condition in self._everywhere():
            by_line.setdefault((failure.message, failure.where), []).append(condition)
        for (message, where), conditions in by_line.items():
            found, seconds = self._single.possible(conditions)
            yield StaticAnswer("failure", message, where, _SAID[found], seconds)

    def _everywhere(self) -> Iterator[tuple[Failure, Expression]]:
        """Every failure that intervals leave possible, and when it comes up: a step's within the constraint only."""

        def of_steps(failures: Sequence[Failure]) -> Iterator[tuple[Failure, Expression]]:
            return ((one, self.model.graph.and_(self._within, one.condition)) for one in failures)

        for compiled in self.model.instances:
            yield from of_steps(compiled.failures)
        yield from ((failure, failure.condition) for failure in self.model.constraint_failures)
        for one in self.model.properties:
            yield from ((failure, failure.condition) for failure in one.failures)
            for failures in one.step_failures.values():
                yield from of_steps(failures)

    def impossible_failures(self) -> frozenset[int]:
        """The ids of the conditions of failures that no typed state makes true."""
        possible = self._single.possible
        return frozenset(one.condition.id for one, when in self._everywhere() if possible([when])[0] == "unsat")

    def actions(self, names: Iterable[str] | None = None) -> Iterator[StaticAnswer]:
        """Of each action (None: all), whether some typed state within the constraint enables it."""
        chosen = None if names is None else set(names)
        for action in self.model.protocol.members("action"):
            if chosen is not None and action.name not in chosen:
                continue
            instances = [c for c in self.model.instances if c.instance.action.name == action.name]
            if instances:
                enabled = [self.model.graph.and_(self._within, c.enabled) for c in instances]
                found, seconds = self._single.possible(enabled)
                yield StaticAnswer("action", action.name, action.where, _SAID[found], seconds)

    def properties(self) -> Iterator[StaticAnswer]:
        """Of each property whose condition is not constant, whether it is true, or false, of all typed states."""
        for one in self.model.properties:
            if not one.holds.is_const and self.model.protocol.applies(one.member):
                yield self._property(one)

    def _property(self, one: CompiledProperty) -> StaticAnswer:
        if one.of_steps and self._pair is None:
            self._pair = TypedStates(self.model.graph, self.model.protocol, 2, self.rlimit)
        typed = self._pair if one.of_steps and self._pair is not None else self._single
        failing = [failure.condition for failure in one.failures]
        graph = self.model.graph
        false, seconds = typed.possible([graph.any_of([graph.not_(one.holds), *failing])])
        true, more = typed.possible([graph.any_of([one.holds, *failing])])
        decided: Verdict = "unknown" if "unknown" in (false, true) else "open"
        verdict = "always" if false == "unsat" else "never" if true == "unsat" else decided
        return StaticAnswer("property", one.member.name, one.member.where, verdict, seconds + more)


_SAID: dict[str, Verdict] = {"sat": "possible", "unsat": "impossible", "unknown": "unknown"}


class TypedStates:
    """A solver that knows one typed state, or two."""

    def __init__(self, graph: Graph, protocol: Protocol, states: int, rlimit: int) -> None:
        self.terms = _Terms(protocol, states)
        self.solver = z3.Solver(ctx=self.terms.context)
        leave_interrupts_alone(self.solver)
        self.solver.set("rlimit", rlimit)
        self.solver.add(*self.terms.in_domain())
        for state in range(states):
            leaves = leaf_expressions(graph, protocol, first=state * len(protocol.leaves))
            self.solver.add(*map(self.terms, canonical(graph, protocol, leaves)))

    def possible(self, alternatives: Sequence[Expression]) -> tuple[str, float]:
        """Whether one of the conditions can be true ("sat", "unsat" or "unknown"), and the processor seconds taken."""
        started = time.process_time()
        self.solver.push()
        terms: list[Term] = [self.terms(condition) for condition in alternatives]
        self.solver.add(z3.Or(*terms))
        answer = str(check(self.solver))
        self.solver.pop()
        return answer, time.process_time() - started


class _Terms(Terms):
    """The terms over several states: the leaves of the second are numbered after those of the first, and so on."""

    def __init__(self, protocol: Protocol, states: int) -> None:
        super().__init__(protocol)
        first, sizes = self.leaves, self.sizes
        for number in range(1, states):
            self.leaves += tuple(z3.Const(f"{leaf} {number}", leaf.sort()) for leaf in first)
            self.sizes += sizes


# -- static answers ---------------------------------------------------------------------------------------------------
# What a check asks Z3 beside its search: everything static if that is wanted, else only why an action is never taken.
#
# Loading Z3 takes a tenth of a second and all questions about KIP-320 as long again, of a check that takes 0.7. So Z3
# is asked only where the search leaves a question open: is an action that no reachable state enables possible at all?


def with_static_answers(result: CheckResult, everything: bool) -> tuple[CheckResult, StaticReport | None]:
    """The result with what Z3 says about the specification, and what was asked; None if there was nothing to ask.

    Raises EngineError if everything is to be asked and Z3 is missing.
    """
    unexplained = result.exhaustive and result.never_taken
    if result.model is None or not (everything or unexplained):
        return result, None
    try:
        require_solver()
    except EngineError as error:
        if everything:
            raise
        reason = f"whether {', '.join(result.never_taken)} could happen at all is not known: {error.message}"
        return replace(result, warnings=(*result.warnings, " ".join(reason.split()).rstrip("."))), None
    questions = Questions(result.model)
    if everything:
        report = questions.all()
    else:
        asked = f"whether any typed state enables {', '.join(result.never_taken)}, which the search never took"
        report = StaticReport(asked, tuple(questions.actions(result.never_taken)))
    found = report.diagnostics
    told = replace(
        result,
        vacuous=(*result.vacuous, *(str(one) for one in found)),
        dead_actions=(*result.dead_actions, *(one.dead_action for one in found if one.dead_action)),
    )
    return told, report


def static_lines(report: StaticReport) -> Iterator[str]:
    """What was asked, and each answer that says something, for people."""
    yield f"asked: {report.asked} ({report.seconds:.2f} s)"
    failures = report.of("failure", "impossible", "possible", "unknown")
    if failures:
        impossible = len(report.of("failure", "impossible"))
        yield f"indices and domains left open by intervals: {len(failures)}, of which {impossible} proved impossible"
    for one in report.of("failure", "possible", "unknown"):
        yield f"checked at run time: {one.subject} [{one.where}]"
    actions = report.of("action", "possible", "impossible", "unknown")
    if actions:
        yield f"actions that some typed state enables: {len(report.of('action', 'possible'))} of {len(actions)}"
    for one in report.of("action", "impossible"):
        yield f"{one.subject}: no typed state enables it"
    properties = report.of("property", "open", "always", "never", "unknown")
    if properties:
        open_ones = len(report.of("property", "open"))
        yield f"properties that can be true and can be false: {open_ones} of {len(properties)}"
    for one in report.of("property", "always", "never"):
        yield f"{one.subject}: {one.verdict} true in typed states"
    for one in (*report.of("action", "unknown"), *report.of("property", "unknown")):
        yield f"{one.subject}: the solver gave up"
