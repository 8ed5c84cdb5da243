"""Proof by induction: the obligations of a plan as questions to the solver, and what their answers say of a protocol.

The updates of an action are substituted into the lemma, so there are no copies of variables for the state after the
step. A question is about one action instance: whether it can be evaluated, and whether it preserves each lemma.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Literal

from epochal.exit_codes import ExitCode
from epochal.spec.language import ActionInstance, EvaluationError, LanguageError, Member, Protocol
from epochal.spec.language.functions import codes_of
from epochal.spec.language.members import title
from epochal.spec.language.protocol import evaluated

from ..base.machine import children_cpu_seconds, without_collection
from ..base.numbers import counted
from ..compile.compiler import compile_protocol, rule_of
from ..compile.source.admitted import names_reached
from ..compile.static import Diagnostic, diagnose, means_less
from ..crosscheck.cross_check import NOTHING, Amount, CrossCheck
from ..ir.expression import Expression, evaluate, leaves_read
from ..ir.layout import canonical, leaf_expressions
from ..ir.model import CompiledInstance, CompiledProperty, Model
from ..search.shortest import Reach, reach
from ..smt.terms import leaf_shapes
from ..trace.explain import Change, differences
from ..trace.run import NOT_INDUCTIVE, Codes, Step
from ..trace.trace import Trace
from .answer import Assumptions, Query, SolverResult, Writer
from .cross_check import as_rows, confirm_step, cross_checked
from .dispatch import QueryRunner, Reply, in_this_process

# -- obligations ------------------------------------------------------------------------------------------------------
# What has to be proved so that a property holds after any number of steps.
#
# Initiation: every lemma holds in every initial state. Evaluation: where all lemmas hold, no action fails for an index
# or a value outside its domain, and whatever it writes is a typed state again. Preservation: where all lemmas hold,
# each action instance leads to a state where each of them holds. Implication: where all lemmas hold, so does each
# property.


Kind = Literal["initiation", "evaluation", "preservation", "implication"]
EVALUATION, TYPES = "evaluation", "types"
"""The columns that are of no lemma: what can be evaluated, and that numbers lie in their domains."""

INITIALLY, LEMMAS, IMPLICATION = "initially", "lemmas", "implication"
"""The rows that are of no action."""


@dataclass(frozen=True)
class Obligation:
    """One thing to prove: of an action instance (none for initiation and implication), and of a lemma or property.

    `member` is None for evaluation, which is about the action alone.
    """

    kind: Kind
    instance: ActionInstance | None
    member: Member | None

    @property
    def column(self) -> str:
        """The lemma or property that it is about, or "evaluation"."""
        return self.member.name if self.member is not None else EVALUATION

    @property
    def label(self) -> str:
        """As reports name it: `Fetch(b2, b1) preserves log_matching`."""
        if self.kind == "initiation":
            return f"{self.column} holds initially"
        if self.kind == "implication":
            return f"the lemmas imply {self.column}"
        label = self.instance.label if self.instance is not None else ""
        return f"{label} can be evaluated" if self.kind == "evaluation" else f"{label} preserves {self.column}"


@dataclass(frozen=True)
class Claim:
    """A condition on single states: a lemma or an invariant holds, and can be evaluated. `reads` are its leaves."""

    member: Member
    holds: Expression
    reads: frozenset[int]


@dataclass(frozen=True)
class Plan:
    """The claims of a proof: `typed` describes canonical states, `constraint` those that are explored further.

    `odd` is what can be said of the specification without asking anybody.
    """

    model: Model
    lemmas: tuple[Claim, ...]
    properties: tuple[Claim, ...]
    typed: tuple[Expression, ...]
    constraint: Expression
    odd: tuple[Diagnostic, ...] = ()

    @property
    def trivial(self) -> tuple[str, ...]:
        """The lemmas that are true whatever the state at these bounds."""
        return tuple(claim.member.name for claim in self.lemmas if claim.holds.is_const and claim.holds.value)

    def affected(self, compiled: CompiledInstance) -> tuple[Claim, ...]:
        """The lemmas that read something that the instance writes; it preserves the others by not touching them."""
        return tuple(claim for claim in self.lemmas if claim.reads & compiled.updates.keys())

    def stays_typed(self, compiled: CompiledInstance) -> tuple[Expression, ...]:
        """That the values which an instance writes lie in their domains, as far as their ranges do not say so."""
        graph, leaves = self.model.graph, self.model.protocol.leaves
        found = []
        for leaf, value in compiled.updates.items():
            if value.sort == "int":
                last = graph.integer(leaves[leaf].domain.size - 1)
                found.append(graph.and_(graph.le(graph.integer(0), value), graph.le(value, last)))
        return tuple(part for part in found if part is not graph.true)


def nothing_to_prove(kind: type[Protocol], judged: Sequence[Member]) -> list[str]:
    """What is said where no invariant is asked for."""
    if judged:
        return []
    return [f"{kind.__name__} has no invariant, so nothing was to be proved: only invariants are"]


def never_taken(action: Member) -> str:
    """What is said of an action that is not excluded by its guards alone, but by these and the lemmas."""
    return f"{action.where}: {title(action.name)} never happens: no state where the lemmas hold enables it"


def refuse_unfit_lemmas(protocol: Protocol) -> None:
    """Raise LanguageError, with its line, for a lemma that is not about single states, or about no state at all.

    So are names refused that would make two cells of a table one: the answer of one would be taken for the other's.
    """
    rows = [one for one in protocol.members("action") if one.name in (INITIALLY, LEMMAS, IMPLICATION)]
    columns = [one for one in protocol.members("lemma") if one.name in (TYPES, EVALUATION)]
    for one in (*rows, *columns):
        raise LanguageError(f"a proof has a row or column called {one.name} already", one.where, "Rename the method.")
    parameters = {p.name: a for a in protocol.members("action") for p in protocol.parameters(a.function)}
    for member in protocol.members("lemma"):
        function = rule_of(member.function)
        if len(inspect.signature(function).parameters) != 1:
            raise LanguageError(
                f"the lemma {member.name} takes parameters",
                member.where,
                "A lemma is about one state: quantify with all(... for ... in ...) instead.",
            )
        free = sorted(set(_free_names(function)) & set(parameters))
        if free:
            action = parameters[free[0]]
            raise LanguageError(
                f"the lemma {member.name} refers to {free[0]}, which is a parameter of the action {action.name}",
                member.where,
                "A lemma is about one state, whatever step comes next: quantify with all(... for ... in ...) instead.",
            )
        if not names_reached(type(protocol), function) & set(protocol.variables):
            raise LanguageError(
                f"the lemma {member.name} reads no state variable, so it says nothing about any state",
                member.where,
                f"Say something about {', '.join(protocol.variables)}, or remove it.",
            )


def _free_names(function: FunctionType) -> Iterator[str]:
    """The names that a function takes from its module and that are not there, nor built in."""
    for code in codes_of(function):
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                name = str(instruction.argval)
                if name not in function.__globals__ and not hasattr(builtins, name):
                    yield name


def plan(model: Model, properties: Sequence[str]) -> Plan:
    """The claims of a proof of these invariants. The model must be compiled with its lemmas.

    Raises LanguageError for a name that is no invariant, and whatever the static checks refuse.
    """
    protocol, graph = model.protocol, model.graph
    odd = diagnose(model)
    compiled = {one.member.name: one for one in model.properties}
    known = [member.name for member in protocol.members("invariant")]
    for name in properties:
        if name not in known:
            raise LanguageError(
                f"{name!r} is no invariant of {protocol.name}", advice=f"Invariants: {', '.join(known)}."
            )
    return Plan(
        model=model,
        lemmas=tuple(_claim(model, compiled[member.name]) for member in protocol.members("lemma")),
        properties=tuple(_claim(model, compiled[name]) for name in properties),
        typed=tuple(canonical(graph, protocol, leaf_expressions(graph, protocol))),
        constraint=model.within,
        odd=odd,
    )


def _claim(model: Model, compiled: CompiledProperty) -> Claim:
    """A property that is false where it cannot be evaluated."""
    failing = [model.graph.not_(failure.condition) for failure in compiled.failures]
    holds = model.graph.all_of([compiled.holds, *failing])
    return Claim(compiled.member, holds, leaves_read([holds]))


# -- encoding ---------------------------------------------------------------------------------------------------------
# From the plan of a proof to its questions: the conditions of the plan as rows of plain data.


class Questions:
    """Makes the premises and questions of a plan. `least` may be unset where nobody looks at counterexamples."""

    def __init__(self, plan: Plan, rlimit: int) -> None:
        self.plan, self.rlimit = plan, rlimit
        self.least = True
        self._digests: dict[int, bytes] = {}
        self._lemmas = {claim.member.name: number for number, claim in enumerate(plan.lemmas)}
        write = Writer(self._digests)
        typed = write.all(plan.typed)
        constraint = write(plan.constraint)
        lemmas = write.all(claim.holds for claim in plan.lemmas)
        self.premises = Assumptions(leaf_shapes(plan.model.protocol), tuple(write.rows), typed, constraint, lemmas)

    def of_instance(self, compiled: CompiledInstance, claims: Sequence[Claim], goals: Sequence[Claim]) -> Query:
        """That an action instance can be evaluated and preserves the `goals`, where the `claims` hold."""
        write = Writer(self._digests)
        return Query(
            enabled=write(compiled.enabled),
            updates=tuple((leaf, write(value)) for leaf, value in sorted(compiled.updates.items())),
            failures=write.all(failure.condition for failure in compiled.failures),
            stays_typed=write.all(self.plan.stays_typed(compiled)),
            preserved=self._numbers(goals),
            rows=tuple(write.rows),
            assumed=self._numbers(claims),
            rlimit=self.rlimit,
            least=self.least,
        )

    def of_property(self, holds: Expression, claims: Sequence[Claim], least: bool | None = None) -> Query:
        """That a property holds where the `claims` do."""
        write = Writer(self._digests)
        properties = (write(holds),)
        assumed = self._numbers(claims)
        wanted = self.least if least is None else least
        return Query(tuple(write.rows), assumed, self.rlimit, properties=properties, least=wanted)

    def _numbers(self, claims: Sequence[Claim]) -> tuple[int, ...]:
        return tuple(self._lemmas[claim.member.name] for claim in claims)


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
    protocol: Protocol, properties: tuple[str, ...] | None = None, rlimit: int = RLIMIT, ask: QueryRunner | None = None
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
        raise LanguageError(
            f"{name} has no lemmas",
            advice="Mark with @lemma what is true in every reachable state and helps a proof (docs/proofs.md).",
        )
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


# -- cti reachability -------------------------------------------------------------------------------------------------
# Whether first states of counterexamples to induction can be reached, and what is like them: said in their traces.


NEAREST = "nearest_reached_state"
"""The fact that says where the nearest state that was reached differs from a first state that was not."""

MOST_DIFFERENCES = 4
"""So many differences are told; all stand in the facts."""


def with_reach(result: ProofResult, max_states: int, progress: Callable[[int], None] | None = None) -> ProofResult:
    """The same result, whose counterexamples to induction say whether a search of so many states reaches them."""
    wanted = {a.trace.initial for a in result.failed if a.trace is not None and a.trace.verdict == NOT_INDUCTIVE}
    if not wanted or not max_states:
        return result
    shown = [cell.shown.trace for cell in matrix(result) if cell.shown is not None]
    compared = {trace.initial for trace in shown if trace is not None} & wanted
    found = reach(result.model, sorted(wanted), max_states, progress, compared)
    return replace(result, answers=tuple(_told(answer, found) for answer in result.answers))


def _told(answer: ObligationResult, found: Reach) -> ObligationResult:
    if answer.trace is None or answer.trace.verdict != NOT_INDUCTIVE:
        return answer
    said = in_words(answer.trace.initial, found)
    note, facts = f"{answer.trace.note}\nState 0 is {said}.", {**answer.trace.facts, FACT: said}
    nearest = found.nearest.get(answer.trace.initial)
    if nearest is not None:
        apart = differences(answer.trace.protocol, answer.trace.initial, nearest)
        note += f"\n{_nearest_in_words(apart)}"
        facts[NEAREST] = "; ".join(map(_there, apart))
    return replace(answer, trace=replace(answer.trace, note=note, facts=facts))


def _nearest_in_words(apart: tuple[Change, ...]) -> str:
    """`Of the states that were reached the nearest differs in 2 values: b1.hw is 0 there, not 1; ...`."""
    told = "; ".join(map(_there, apart[:MOST_DIFFERENCES]))
    more = f"; and {len(apart) - MOST_DIFFERENCES} more" if len(apart) > MOST_DIFFERENCES else ""
    return f"Of the states that were reached the nearest differs in {counted(len(apart), 'value')}: {told}{more}."


def _there(change: Change) -> str:
    return f"{change.path} is {change.after} there, not {change.before}"


def in_words(codes: Codes, found: Reach) -> str:
    """What the search says of a state: `reached in a run of 8 states: a real bug, of the protocol or of the lemma`."""
    steps = found.steps.get(codes)
    if steps is not None:
        return f"{REACHED} in a run of {counted(steps + 1, 'state')}: a real bug, of the protocol or of the lemma"
    if found.exhaustive:
        return f"not reachable within these bounds (exhaustive: all {found.states:,} states)"
    return f"not found within {found.states:,} states"


# -- houdini ----------------------------------------------------------------------------------------------------------
# Houdini: of many candidate lemmas, the largest set that is inductive.
#
# All candidates are assumed, and those that some step breaks are dropped, until none is broken. Whatever the order, the
# same set is left: a candidate that belongs to any inductive set of candidates is never dropped (Flanagan and Leino,
# FME 2001). What has been proved from lemmas that are all still there is not asked again.


Place = tuple[int, str]
"""An obligation: the number of the instance, and the lemma ("" for evaluation)."""


@dataclass(frozen=True)
class Fallen:
    """A candidate that was dropped: in which round, and the first obligation about it that is not met."""

    member: Member
    round: int
    answer: ObligationResult

    @property
    def action(self) -> str:
        """The action instance that breaks it, "initially", or ""."""
        instance = self.answer.obligation.instance
        return "initially" if instance is None else instance.label


class Houdini:
    """The largest inductive set of the lemmas of a plan, or of some of them. What it has proved it remembers."""

    def __init__(self, induction: Induction) -> None:
        self.induction = induction
        self._proved: dict[Place, list[ObligationResult]] = {}
        self._open: dict[Place, ObligationResult] = {}

    def reduce(self, names: frozenset[str], enough: Callable[[], bool] = lambda: True) -> list[Fallen]:
        """Keep the largest inductive set among the lemmas with these names; those that fell, in the order of falling.

        After each round `enough` is asked whether it is worth going on; if not, the set need not be inductive.
        """
        self.induction.keep(names)
        fallen = [_fallen(0, answer) for answer in self.induction.initiations() if answer.verdict != "proved"]
        self._drop(fallen)
        round = 0
        while enough():
            round += 1
            last = self._round(round)
            if not last:
                break
            fallen += last
            self._drop(last)
        return fallen

    def answers(self) -> list[ObligationResult]:
        """The answers to all obligations of the set that was kept, in the order of a proof."""
        induction = self.induction
        found = list(induction.initiations())
        for compiled in induction.model.instances:
            affected = {claim.member.name for claim in induction.plan.affected(compiled)}
            for claim in (None, *induction.claims):
                if claim is not None and claim.member.name not in affected:
                    obligation = Obligation("preservation", compiled.instance, claim.member)
                    found.append(ObligationResult(obligation, "proved", asked=False))
                    continue
                place = (compiled.instance.number, "" if claim is None else claim.member.name)
                found.append(self._known(place) or self._open[place])
        return [*found, *induction.implications()]

    # -- rounds ---------------------------------------------------------------------------------------------------

    def _round(self, number: int) -> list[Fallen]:
        """Ask what is not known; the lemmas that fell, each at its first instance."""
        induction = self.induction
        wanted: dict[int, list[Claim]] = {}
        for compiled in induction.model.instances:
            at = compiled.instance.number
            affected = {claim.member.name for claim in induction.plan.affected(compiled)}
            open = [
                claim
                for claim in induction.claims
                if claim.member.name in affected and self._known((at, claim.member.name)) is None
            ]
            if open or self._known((at, "")) is None:
                wanted[at] = open
        self._open.clear()
        fallen: dict[str, Fallen] = {}
        for answer in induction.steps(wanted):
            instance, member = answer.obligation.instance, answer.obligation.member
            assert instance is not None
            place = (instance.number, "" if member is None else member.name)
            if answer.verdict == "proved":
                self._proved.setdefault(place, []).append(answer)
            elif member is None:
                self._open[place] = answer
            else:
                fallen.setdefault(member.name, _fallen(number, answer))
        return list(fallen.values())

    def _known(self, place: Place) -> ObligationResult | None:
        """The proof of an obligation from lemmas that are all still there."""
        names = self.induction.names
        return next((answer for answer in self._proved.get(place, ()) if names.issuperset(answer.core)), None)

    def _drop(self, fallen: Iterable[Fallen]) -> None:
        self.induction.keep(self.induction.names - {one.member.name for one in fallen})


def _fallen(round: int, answer: ObligationResult) -> Fallen:
    member = answer.obligation.member
    assert member is not None
    return Fallen(member, round, answer)


@dataclass(frozen=True)
class Reduced:
    """A proof from the lemmas that are left, and those that fell (`--houdini`) or are not needed (`--minimize`)."""

    proof: ProofResult
    fallen: tuple[Fallen, ...] = ()
    needless: tuple[Member, ...] = ()


def houdini(induction: Induction, watch: Stopwatch) -> Reduced:
    """Drop the lemmas of a plan that no proof can use, and prove from the rest."""
    search = Houdini(induction)
    fallen = search.reduce(induction.names)
    return Reduced(result_of(induction, search.answers(), watch), tuple(fallen))


# -- minimize ---------------------------------------------------------------------------------------------------------
# Which lemmas a proof does not need.
#
# First those are set aside that no proof of an obligation used, directly or through others. Then each lemma that is
# left is taken away in turn, with whatever cannot be proved without it: if the properties still follow, it stays away.
# Of what remains, none can be missed; another smallest set may exist.


def minimize(induction: Induction, watch: Stopwatch) -> Reduced:
    """Prove from as few lemmas as possible. If the whole proof fails, nothing is taken away."""
    search = Houdini(induction)
    everything = induction.names
    fallen = search.reduce(everything)
    answers = search.answers()
    if fallen or not proved(answers):
        induction.keep(everything)
        return Reduced(result_of(induction, list(induction.answers()), watch))
    kept = used(answers)
    order = [claim.member.name for claim in induction.plan.lemmas]
    for name in reversed(order):
        if name in kept:
            search.reduce(kept - {name}, enough=lambda: proved(induction.implications()))
            if proved(induction.implications()) and proved(search.answers()):
                kept = induction.names
    search.reduce(kept)
    needless = tuple(claim.member for claim in induction.plan.lemmas if claim.member.name not in kept)
    return Reduced(result_of(induction, search.answers(), watch), needless=needless)


def proved(answers: Iterable[ObligationResult]) -> bool:
    """Whether all obligations are met."""
    return all(answer.verdict == "proved" for answer in answers)


def used(answers: Sequence[ObligationResult]) -> frozenset[str]:
    """The lemmas that the proofs of the properties used, directly or through other lemmas."""
    needs: dict[str, set[str]] = {}
    wanted: set[str] = set()
    for answer in answers:
        if answer.obligation.kind == "preservation":
            needs.setdefault(answer.obligation.column, set()).update(answer.core)
        else:
            wanted.update(answer.core)
    todo = list(wanted)
    while todo:
        for name in needs.get(todo.pop(), ()):
            if name not in wanted:
                wanted.add(name)
                todo.append(name)
    return frozenset(wanted)
