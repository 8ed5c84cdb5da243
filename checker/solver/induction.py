"""Proof by induction: the obligations of a plan as questions to the solver, and what their answers say of a protocol.

The updates of an action are substituted into the lemma, so there are no copies of variables for the state after the
step. A question is about one action instance: whether it can be evaluated, and whether it preserves each lemma.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from epochal.exit_codes import ExitCode
from epochal.spec.language import ActionInstance, EvaluationError, LanguageError, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..base.machine import children_cpu_seconds, without_collection
from ..compile.compiler import compile_protocol
from ..compile.static import means_less
from ..crosscheck.cross_check import NOTHING, Amount, CrossCheck
from ..ir.expression import Expression, evaluate
from ..ir.model import CompiledInstance, Model
from ..trace.run import NOT_INDUCTIVE, Codes, Step
from ..trace.trace import Trace
from .cross_check import as_rows, confirm_step, cross_checked
from .dispatch import QueryRunner, Reply, in_this_process
from .obligations import (
    IMPLICATION,
    INITIALLY,
    Claim,
    Obligation,
    Plan,
    Questions,
    never_taken,
    nothing_to_prove,
    plan,
    refuse_unfit_lemmas,
)
from .queries import SolverResult

Verdict = Literal["proved", "counterexample", "unknown"]

RLIMIT = 100_000_000
"""Z3's resource units for one obligation: the same effort on every machine, unlike seconds."""


@dataclass(frozen=True)
class ObligationResult:
    """What is known of an obligation. `asked` is false if the lemma reads nothing that the action writes.

    `trace` is the counterexample: the run that shows it (initiation: of no step), or a step from a state that need not
    be reachable. `reason` is what Z3 says about an answer that it does not know, `core` names the lemmas that the proof
    used. `seconds` is processor time inside Z3, 0 for an answer from the cache (`cached`).
    """

    obligation: Obligation
    verdict: Verdict
    seconds: float = 0.0
    asked: bool = True
    trace: Trace | None = None
    reason: str = ""
    core: tuple[str, ...] = ()
    cached: bool = False


@dataclass(frozen=True)
class ProofResult:
    """All answers of a proof. `solver_seconds` is processor time inside Z3.

    `cross_check` says what was repeated in the Python semantics. `vacuous` says why a proof that has succeeded means
    less than it seems: there was nothing to prove, or no step. `warnings` are what else is odd about the specification.
    """

    protocol: Protocol
    lemmas: tuple[Member, ...]
    properties: tuple[Member, ...]
    answers: tuple[ObligationResult, ...]
    trivial: tuple[str, ...]
    rlimit: int
    wall_seconds: float
    cpu_seconds: float
    model: Model
    cross_check: CrossCheck = NOTHING
    vacuous: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def solver_seconds(self) -> float:
        """Processor time of all queries."""
        return sum(answer.seconds for answer in self.answers)

    @property
    def failed(self) -> tuple[ObligationResult, ...]:
        """The answers with a counterexample."""
        return tuple(answer for answer in self.answers if answer.verdict == "counterexample")

    @property
    def unknown(self) -> tuple[ObligationResult, ...]:
        """The obligations on which Z3 gave up."""
        return tuple(answer for answer in self.answers if answer.verdict == "unknown")

    @property
    def from_cache(self) -> int:
        """How many obligations were not solved again."""
        return sum(answer.cached for answer in self.answers)

    @property
    def exit_code(self) -> ExitCode:
        """The documented exit code: 12 and 75 only for a lemma that is false, or cannot be evaluated, in an initial
        state, which is reachable."""
        initially = {a.trace.verdict for a in self.failed if a.obligation.kind == "initiation" and a.trace is not None}
        if initially:
            return ExitCode.VIOLATED if "violated" in initially else ExitCode.EVALUATION_FAILED
        if self.failed:
            return ExitCode.NOT_PROVED
        if self.unknown:
            return ExitCode.SOLVER_UNKNOWN
        return ExitCode.VACUOUS if self.vacuous else ExitCode.HOLDS


def prove(
    protocol: Protocol,
    properties: tuple[str, ...] | None = None,
    rlimit: int = RLIMIT,
    ask: QueryRunner | None = None,
) -> ProofResult:
    """Prove invariants (None: all) from the lemmas of a protocol, by induction.

    `ask` answers the questions: None asks them one after the other, and does not look into the cache. Raises
    LanguageError if there is no lemma, one that is no condition on states, or a name that is no invariant.
    """
    watch = Stopwatch()
    induction = Induction(prepared(protocol, properties), rlimit, ask)
    return result_of(induction, list(induction.answers()), watch)


def prepared(protocol: Protocol, properties: tuple[str, ...] | None) -> Plan:
    """The plan of a proof of invariants (None: all). Raises LanguageError for what cannot be proved."""
    if not protocol.members("lemma"):
        name = protocol.name or type(protocol).__name__
        raise LanguageError(f"{name} has no lemmas", advice="Mark what a proof leans on with @lemma.")
    refuse_unfit_lemmas(protocol)
    if properties is None:
        properties = tuple(member.name for member in protocol.members("invariant"))
    asked = {*properties, *(member.name for member in protocol.members("lemma"))}
    with without_collection():
        return plan(compile_protocol(protocol, lemmas=True, only=asked), properties)


class Stopwatch:
    """Wall time, and processor time of this process and of those that it started, since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.monotonic(), self._used()

    @staticmethod
    def _used() -> float:
        return time.process_time() + children_cpu_seconds()

    @property
    def wall_seconds(self) -> float:
        """Seconds on the clock."""
        return time.monotonic() - self._wall

    @property
    def cpu_seconds(self) -> float:
        """Seconds of processors."""
        return self._used() - self._cpu


def result_of(induction: Induction, answers: Sequence[ObligationResult], watch: Stopwatch) -> ProofResult:
    """The result of a proof with these answers, cross-checked. Raises SemanticsDisagree."""
    members = [claim.member for claim in (*induction.claims, *induction.plan.properties)]
    traces = [answer.trace for answer in answers if answer.trace is not None]
    repeated = cross_checked(induction.model, members, traces, induction.cross_check, watch.wall_seconds, copy=as_rows)
    vacuous = induction.vacuous() if all(answer.verdict == "proved" for answer in answers) else ()
    return ProofResult(
        protocol=induction.protocol,
        lemmas=tuple(claim.member for claim in induction.claims),
        properties=tuple(claim.member for claim in induction.plan.properties),
        answers=tuple(answers),
        trivial=tuple(name for name in induction.plan.trivial if name in induction.names),
        rlimit=induction.rlimit,
        wall_seconds=watch.wall_seconds,
        cpu_seconds=watch.cpu_seconds,
        model=induction.model,
        cross_check=repeated,
        vacuous=vacuous,
        warnings=tuple(str(odd) for odd in induction.plan.odd if not odd.vacuous),
    )


class Induction:
    """The obligations of a plan, for all of its lemmas or for some of them (`claims`).

    With `least` a counterexample is the least one, which takes longer and is the same with any version of Z3.
    `cross_check` says how many states are repeated in the Python semantics once there are answers.
    """

    def __init__(self, plan: Plan, rlimit: int, ask: QueryRunner | None = None, least: bool = True) -> None:
        self.plan = plan
        self.model = plan.model
        self.protocol = plan.model.protocol
        self.rlimit = rlimit
        self.claims: tuple[Claim, ...] = plan.lemmas
        self._ask = ask or QueryRunner(in_this_process, cached=False)
        self._questions = Questions(plan, rlimit)
        self._questions.least = least
        self.cross_check: Amount = "some"

    @property
    def names(self) -> frozenset[str]:
        """The lemmas that are assumed and proved."""
        return frozenset(claim.member.name for claim in self.claims)

    def keep(self, names: frozenset[str]) -> None:
        """From now on, assume and prove only these lemmas."""
        self.claims = tuple(claim for claim in self.plan.lemmas if claim.member.name in names)

    def answers(self) -> Iterator[ObligationResult]:
        """The answers to all obligations, in the order of initiation, actions, implication."""
        yield from self.initiations()
        instances, properties = self.model.instances, self.plan.properties
        questions = [self._questions.of_instance(c, self.claims, self._goals(c)) for c in instances]
        questions += [self._questions.of_property(claim.holds, self.claims) for claim in properties]
        replies = self._ask(self._questions.premises, questions)
        for compiled, reply in zip(instances, replies[: len(instances)], strict=True):
            yield from self._steps(compiled, reply)
        yield from self._implied(replies[len(instances) :])

    def initiations(self) -> Iterator[ObligationResult]:
        """Whether each lemma holds in every initial state; those are listed, so no solver is needed."""
        initial = self.protocol.initial_states()
        for claim in self.claims:
            obligation = Obligation("initiation", None, claim.member)
            false = next((codes for codes in initial if evaluate([claim.holds], codes) != [1]), None)
            if false is None:
                yield ObligationResult(obligation, "proved")
                continue
            note, verdict = "The lemma is false in an initial state.", "violated"
            try:
                evaluated(claim.member.function, self.protocol.at(false))
            except EvaluationError as error:
                note, verdict = f"The lemma cannot be evaluated in an initial state: {error.message}.", "error"
            trace = Trace(self.protocol, false, (), claim.member.name, verdict, note)
            yield ObligationResult(obligation, "counterexample", trace=trace)

    def steps(self, wanted: Mapping[int, Sequence[Claim]]) -> Iterator[ObligationResult]:
        """Whether instances can be evaluated and preserve lemmas: by the instance's number, those to be asked about."""
        instances = [c for c in self.model.instances if c.instance.number in wanted]
        questions = [self._questions.of_instance(c, self.claims, wanted[c.instance.number]) for c in instances]
        for compiled, reply in zip(instances, self._ask(self._questions.premises, questions), strict=True):
            claims = (None, *wanted[compiled.instance.number])
            for claim, found in zip(claims, reply.found, strict=True):
                yield self._answer(self._obligation(compiled.instance, claim), found, reply)

    def implications(self) -> Iterator[ObligationResult]:
        """Whether the lemmas imply each property."""
        questions = [self._questions.of_property(claim.holds, self.claims) for claim in self.plan.properties]
        yield from self._implied(self._ask(self._questions.premises, questions))

    def vacuous(self) -> tuple[str, ...]:
        """Why it would mean little that all obligations are met: nothing to prove, or no step that could break it."""
        judged = [claim.member for claim in self.plan.properties]
        odd = [str(one) for one in means_less(self.plan.odd, judged)]
        return (*nothing_to_prove(type(self.protocol), judged), *odd, *self._never_taken())

    def _never_taken(self) -> Iterator[str]:
        """The actions that some typed state enables, but none where all lemmas hold."""
        graph, enabled = self.model.graph, defaultdict[str, list[Expression]](list)
        for compiled in self.model.instances:
            enabled[compiled.instance.action.name].append(compiled.enabled)
        questions = [
            self._questions.of_property(
                graph.not_(graph.and_(self.plan.constraint, graph.any_of(conditions))), self.claims, least=False
            )
            for conditions in enabled.values()
        ]
        actions = {action.name: action for action in self.protocol.members("action")}
        for name, reply in zip(enabled, self._ask(self._questions.premises, questions), strict=True):
            if reply.found[0].verdict == "proved":
                yield never_taken(actions[name])

    # -- from questions to answers --------------------------------------------------------------------------------

    def _goals(self, compiled: CompiledInstance) -> tuple[Claim, ...]:
        """The claims that an instance may break."""
        names = self.names
        return tuple(claim for claim in self.plan.affected(compiled) if claim.member.name in names)

    def _steps(self, compiled: CompiledInstance, reply: Reply) -> Iterator[ObligationResult]:
        """The answers about an instance: evaluation, and each lemma, also those that it does not touch."""
        evaluation, *preserved = reply.found
        yield self._answer(self._obligation(compiled.instance, None), evaluation, reply)
        affected = {c.member.name: f for c, f in zip(self._goals(compiled), preserved, strict=True)}
        for claim in self.claims:
            obligation = self._obligation(compiled.instance, claim)
            if claim.member.name in affected:
                yield self._answer(obligation, affected[claim.member.name], reply)
            else:
                yield ObligationResult(obligation, "proved", asked=False)

    def _implied(self, replies: Sequence[Reply]) -> Iterator[ObligationResult]:
        for claim, reply in zip(self.plan.properties, replies, strict=True):
            yield self._answer(Obligation("implication", None, claim.member), reply.found[0], reply)

    @staticmethod
    def _obligation(instance: ActionInstance, claim: Claim | None) -> Obligation:
        if claim is None:
            return Obligation("evaluation", instance, None)
        return Obligation("preservation", instance, claim.member)

    def _answer(self, obligation: Obligation, found: SolverResult, reply: Reply) -> ObligationResult:
        return ObligationResult(
            obligation,
            found.verdict,
            seconds=0.0 if reply.cached else found.seconds,
            trace=None if found.codes is None else self._trace(found.codes, obligation),
            reason=found.reason,
            core=tuple(self.plan.lemmas[number].member.name for number in found.core),
            cached=reply.cached,
        )

    def _trace(self, codes: Codes, obligation: Obligation) -> Trace:
        """The counterexample as a trace: the state, and the step if there is one, taken in the Python semantics."""
        note = f"Not proved: {obligation.label}. All lemmas hold in state 0, which need not be reachable."
        steps: tuple[Step, ...] = ()
        if obligation.kind == "preservation" and obligation.instance is not None:
            steps = (Step(obligation.instance, confirm_step(self.protocol, codes, obligation.instance)),)
        subject = obligation.member.name if obligation.member is not None else ""
        return Trace(self.protocol, codes, steps, subject, NOT_INDUCTIVE, note)


# -- matrix -----------------------------------------------------------------------------------------------------------
# A proof as a matrix: for each action and each lemma one verdict, over all choices of the action's parameters.

FACT = "first_state"
"""The fact of a trace that says whether its first state can be reached."""

REACHED = "reached"
"""How it begins if it can."""

CellVerdict = Literal["proved", "counterexample", "unknown", "untouched"]


@dataclass(frozen=True)
class Cell:
    """The obligations of one action and one lemma. `untouched` if the action writes nothing that the lemma reads.

    `row` is the action's name, "initially" or "implication"; `column` the lemma or property, or "evaluation".
    """

    row: str
    column: str
    answers: tuple[ObligationResult, ...]

    @property
    def verdict(self) -> CellVerdict:
        """The worst verdict of the instances."""
        if not any(answer.asked for answer in self.answers):
            return "untouched"
        found: set[Verdict] = {answer.verdict for answer in self.answers}
        return "counterexample" if "counterexample" in found else "unknown" if "unknown" in found else "proved"

    @property
    def seconds(self) -> float:
        """Processor time inside Z3."""
        return sum(answer.seconds for answer in self.answers)

    @property
    def shown(self) -> ObligationResult | None:
        """An answer with a counterexample: the first whose first state is reached, else the first."""
        found = [answer for answer in self.answers if answer.trace is not None]
        return min(found, key=lambda answer: not first_state(answer).startswith(REACHED), default=None)

    @property
    def failed(self) -> tuple[ObligationResult, ...]:
        """The answers with a counterexample, one an instance: where identifiers are alike, so are these."""
        return tuple(answer for answer in self.answers if answer.verdict == "counterexample")


def matrix(result: ProofResult) -> tuple[Cell, ...]:
    """The cells, in the order of the rows and columns of the proof."""
    found: dict[tuple[str, str], list[ObligationResult]] = {}
    for answer in result.answers:
        found.setdefault((row_of(answer), answer.obligation.column), []).append(answer)
    return tuple(Cell(row, column, tuple(answers)) for (row, column), answers in found.items())


def told(cells: Iterable[Cell]) -> Cell | None:
    """The cell whose counterexample a report tells."""
    return next(iter(ranked(cells)), None)


def ranked(cells: Iterable[Cell]) -> list[Cell]:
    """The cells that have a counterexample, in the order in which they are worth reading.

    In an initial state, then those whose first state is reached, which is a bug, then of steps, then of implications;
    and of several first the one in which most is blank, so that least is left to be read.
    """

    def rank(cell: Cell) -> tuple[bool, bool, bool, int]:
        assert cell.shown is not None
        trace = cell.shown.trace
        said = sum(map(bool, trace.initial)) if trace is not None else 0
        reached = first_state(cell.shown).startswith(REACHED)
        return cell.row != INITIALLY, not reached, cell.row == IMPLICATION, said

    return sorted((cell for cell in cells if cell.shown is not None), key=rank)


def first_state(answer: ObligationResult) -> str:
    """Whether the first state of a counterexample can be reached, in words; "" if nobody has looked."""
    return "" if answer.trace is None else str(answer.trace.facts.get(FACT, ""))


def row_of(answer: ObligationResult) -> str:
    """The row that an answer stands in: its action, "initially" or "implication"."""
    if answer.obligation.instance is not None:
        return answer.obligation.instance.action.name
    return INITIALLY if answer.obligation.kind == "initiation" else IMPLICATION
