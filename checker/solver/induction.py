"""Proof by induction: each obligation of a plan is given to Z3, and answered with its cost or a counterexample.

The updates of an action are substituted into the lemma, so there are no copies of variables for the state after the
step. One solver serves an action instance: the lemmas are asserted once, and the negation of each lemma after the step
is pushed and popped. Instances share nothing, so their answers do not depend on which were asked before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import z3

from checker.compile.evaluate import evaluate
from checker.compile.model import CompiledInstance, Model, compile_protocol
from checker.trace.trace import NOT_INDUCTIVE, Codes, Step, Trace
from spec.language import ActionInstance, EvaluationError, LanguageError, Member, Protocol

from .obligations import Claim, Obligation, Plan, plan, refuse_parameters
from .terms import Term, Terms

Verdict = Literal["proved", "counterexample", "unknown"]

RLIMIT = 100_000_000
"""Z3's resource units for one obligation: the same effort on every machine, unlike seconds."""

PROVED, VIOLATED, SOLVER_UNKNOWN, NOT_PROVED = 0, 12, 31, 32


@dataclass(frozen=True)
class Answer:
    """What is known of an obligation. `asked` is false if the lemma reads nothing that the action writes.

    `trace` is the counterexample: the run that shows it (initiation: of no step), or a step from a state that need not
    be reachable. `reason` is what Z3 says about an answer that it does not know.
    """

    obligation: Obligation
    verdict: Verdict
    seconds: float = 0.0
    asked: bool = True
    trace: Trace | None = None
    reason: str = ""


@dataclass(frozen=True)
class ProofResult:
    """All answers of a proof. `solver_seconds` is processor time inside Z3."""

    protocol: Protocol
    lemmas: tuple[Member, ...]
    properties: tuple[Member, ...]
    answers: tuple[Answer, ...]
    trivial: tuple[str, ...]
    rlimit: int
    wall_seconds: float
    cpu_seconds: float
    model: Model

    @property
    def solver_seconds(self) -> float:
        """Processor time of all queries."""
        return sum(answer.seconds for answer in self.answers)

    @property
    def failed(self) -> tuple[Answer, ...]:
        """The answers with a counterexample."""
        return tuple(answer for answer in self.answers if answer.verdict == "counterexample")

    @property
    def unknown(self) -> tuple[Answer, ...]:
        """The obligations on which Z3 gave up."""
        return tuple(answer for answer in self.answers if answer.verdict == "unknown")

    @property
    def exit_code(self) -> int:
        """The documented exit code: 12 only for a lemma that is false in an initial state, which is reachable."""
        if any(answer.obligation.kind == "initiation" for answer in self.failed):
            return VIOLATED
        if self.failed:
            return NOT_PROVED
        return SOLVER_UNKNOWN if self.unknown else PROVED


def prove(
    protocol: Protocol,
    properties: tuple[str, ...] | None = None,
    rlimit: int = RLIMIT,
    progress: Callable[[Answer], None] | None = None,
) -> ProofResult:
    """Prove invariants (None: all) from the lemmas of a protocol, by induction. `progress` gets each answer.

    Raises LanguageError if there is no lemma, one that is no condition on states, or a name that is no invariant.
    """
    wall, cpu = time.monotonic(), time.process_time()
    if not protocol.members("lemma"):
        name = protocol.name or type(protocol).__name__
        raise LanguageError(f"{name} has no lemmas", advice="Mark what a proof leans on with @lemma.")
    refuse_parameters(protocol)
    if properties is None:
        properties = tuple(member.name for member in protocol.members("invariant"))
    model = compile_protocol(protocol, lemmas=True)
    induction = Induction(plan(model, properties), rlimit)
    answers = []
    for answer in induction.answers():
        answers.append(answer)
        if progress is not None:
            progress(answer)
    return ProofResult(
        protocol=protocol,
        lemmas=tuple(claim.member for claim in induction.plan.lemmas),
        properties=tuple(claim.member for claim in induction.plan.properties),
        answers=tuple(answers),
        trivial=induction.plan.trivial,
        rlimit=rlimit,
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
        model=model,
    )


class Induction:
    """The obligations of a plan as queries."""

    def __init__(self, plan: Plan, rlimit: int) -> None:
        self.plan = plan
        self.model = plan.model
        self.protocol = plan.model.protocol
        self.rlimit = rlimit
        self.terms = Terms(self.protocol)
        self._typed = [self.terms(part) for part in plan.typed]
        self._lemmas = {claim.member.name: self.terms(claim.holds) for claim in plan.lemmas}

    def answers(self) -> Iterator[Answer]:
        """The answers to all obligations, in the order of initiation, actions, implication."""
        for claim in self.plan.lemmas:
            yield self.initiation(claim)
        for compiled in self.model.instances:
            yield from self.instance(compiled)
        yield from self.implications()

    def initiation(self, claim: Claim) -> Answer:
        """Whether a lemma holds in every initial state; those are listed, so no solver is needed."""
        obligation = Obligation("initiation", None, claim.member)
        for codes in self.protocol.initial_states():
            if evaluate([claim.holds], codes) != [1]:
                note = "The lemma is false in an initial state."
                trace = Trace(self.protocol, codes, (), claim.member.name, "violated", note)
                return Answer(obligation, "counterexample", trace=trace)
        return Answer(obligation, "proved")

    def instance(self, compiled: CompiledInstance) -> Iterator[Answer]:
        """Whether an action instance can be evaluated, and preserves each lemma, where all lemmas hold."""
        instance, terms = compiled.instance, self.terms
        solver = self._solver()
        solver.add(terms(self.plan.constraint))
        pairs = [(terms.leaves[leaf], terms.stored(leaf, value)) for leaf, value in compiled.updates.items()]
        failing = [terms(failure.condition) for failure in compiled.failures]
        typed = [*map(terms, self.plan.stays_typed(compiled)), *(z3.substitute(part, *pairs) for part in self._typed)]
        untyped = z3.And(terms(compiled.enabled), z3.Not(self._all(typed)))
        yield self._ask(solver, z3.Or(*failing, untyped), Obligation("evaluation", instance, None))
        solver.add(terms(compiled.enabled))
        affected = self.plan.affected(compiled)
        for claim in self.plan.lemmas:
            obligation = Obligation("preservation", instance, claim.member)
            if claim not in affected:
                yield Answer(obligation, "proved", asked=False)
                continue
            after = z3.substitute(self._lemmas[claim.member.name], *pairs)
            yield self._ask(solver, z3.Not(after), obligation)

    def implications(self) -> Iterator[Answer]:
        """Whether the lemmas imply each property."""
        solver = self._solver()
        for claim in self.plan.properties:
            yield self._ask(solver, z3.Not(self.terms(claim.holds)), Obligation("implication", None, claim.member))

    # -- queries --------------------------------------------------------------------------------------------------

    def _all(self, parts: list[Term]) -> Term:
        return z3.And(*parts) if parts else z3.BoolVal(True, self.terms.context)

    def _solver(self) -> z3.Solver:
        """A solver in which the state is typed and every lemma holds."""
        solver = z3.Solver(ctx=self.terms.context)
        solver.set("rlimit", self.rlimit)
        solver.add(*self.terms.in_domain(), *self._typed, *self._lemmas.values())
        return solver

    def _ask(self, solver: z3.Solver, bad: Term, obligation: Obligation) -> Answer:
        started = time.process_time()
        solver.push()
        solver.add(bad)
        found = solver.check()
        codes = self.terms.codes(solver.model()) if found == z3.sat else None
        reason = solver.reason_unknown() if found == z3.unknown else ""
        solver.pop()
        seconds = time.process_time() - started
        if codes is not None:
            return Answer(obligation, "counterexample", seconds, trace=self._trace(codes, obligation))
        return Answer(obligation, "unknown" if reason else "proved", seconds, reason=reason)

    def _trace(self, codes: Codes, obligation: Obligation) -> Trace:
        """The counterexample as a trace: the state, and the step if there is one, taken in the Python reading."""
        note = f"Not proved: {obligation.label}. All lemmas hold in state 0, which need not be reachable."
        steps: tuple[Step, ...] = ()
        if obligation.kind == "preservation" and obligation.instance is not None:
            steps = (Step(obligation.instance, _after(self.protocol, codes, obligation.instance)),)
        subject = obligation.member.name if obligation.member is not None else ""
        return Trace(self.protocol, codes, steps, subject, NOT_INDUCTIVE, note)


def _after(protocol: Protocol, codes: Codes, instance: ActionInstance) -> Codes:
    """The state after a step that Z3 says is enabled. Raises AssertionError if the readings disagree."""
    try:
        after = protocol.step(protocol.at(codes), instance)
    except EvaluationError as error:
        raise AssertionError(f"Z3 takes {instance.label}, which Python cannot evaluate: {error}") from error
    assert after is not None, f"Z3 takes {instance.label}, which Python does not enable"
    return after
