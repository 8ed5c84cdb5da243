"""What a search has found: for each property the least state or step that shows it, and what is made of that.

All findings of a level count, and the least is reported, so it does not matter in which order a level was explored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from epochal.spec.language import ActionInstance, EvaluationError, LanguageError, Member, Protocol
from epochal.spec.language.errors import source_line

from ..compile.compiler import compile_protocol
from ..crosscheck.cross_check import disagree_on_property, disagree_on_step, misfit
from ..ir.model import Model
from ..semantics.properties import all_properties, chosen, is_step_property
from ..semantics.semantics import Codes, PythonSemantics, evaluate_properties
from ..symmetry.canonical import Reduction
from ..trace.run import PlainRun, Step
from ..trace.trace import Trace
from .result import EvaluationFinding, Options, PropertyResult

Key = tuple[int, int, int, int]
SHOWN = 0
FAILED_STEP, FAILED_ON_STEP, FAILED_ON_STATE = 0, 1, 2
"""Kinds of findings, the first part of their keys: for a property, and for a rule that could not be evaluated."""


@dataclass(frozen=True)
class Finding:
    """A state with the run to it, or with an instance a step from it, or the state outside the constraint it leads to.

    The key decides between the findings of a level. Of what a state shows it is the kind, the state's hash and, if the
    state lies outside the constraint, the instance plus one and the hash of the state before; of what a step shows,
    the kind, the instance and the hash of the state before.
    """

    key: Key
    run: PlainRun
    instance: ActionInstance | None = None

    @property
    def codes(self) -> Codes:
        """The codes of the state."""
        return self.run[1][-1].codes if self.run[1] else self.run[0]


@dataclass
class Findings:
    """The least finding for each property, and the least rule that could not be evaluated."""

    shown: dict[str, Finding] = field(default_factory=dict)
    failure: Finding | None = None

    def violation_among(self, members: Iterable[Member]) -> bool:
        """Whether a property that must hold is known to be violated."""
        return any(m.name in self.shown for m in members if m.mark.kind != "reachable")


def concrete(findings: Findings, reduction: Reduction | None) -> Findings:
    """Findings about representatives as findings of the protocol itself: each with a run through the same orbits."""
    if reduction is None:
        return findings

    def told(finding: Finding) -> Finding:
        run, instance = reduction.concrete(finding.run, finding.instance)
        return Finding(finding.key, run, instance)

    failure = findings.failure
    shown = {name: told(finding) for name, finding in findings.shown.items()}
    return Findings(shown, told(failure) if failure is not None else None)


def _trace(protocol: Protocol, finding: Finding, property_id: str, verdict: str, engine: str) -> Trace:
    initial, steps = finding.run
    if finding.instance is not None:
        try:
            step = _step_from(protocol, finding.codes, finding.instance, engine)
        except EvaluationError as error:
            answers = [(engine, "enabled"), (PythonSemantics.name, f"cannot be evaluated: {error}")]
            raise disagree_on_step(protocol, finding.codes, finding.instance, answers) from error
        steps = (*steps, step)
    return Trace(protocol, initial, steps, property_id, verdict)


def _step_from(protocol: Protocol, codes: Codes, instance: ActionInstance, engine: str) -> Step:
    """The step of an instance from a state, taken in the Python semantics. Raises EvaluationError if a rule fails.

    Raises SemanticsDisagree if it is not enabled there.
    """
    problem = misfit(protocol, codes)
    after = None if problem else protocol.step(protocol.at(codes), instance)
    if after is None:
        says = f"no state: {problem}" if problem else "not enabled"
        raise disagree_on_step(protocol, codes, instance, [(engine, "enabled"), (PythonSemantics.name, says)])
    return Step(instance, after)


def property_results(
    protocol: Protocol, members: Sequence[Member], findings: Findings, exhaustive: bool, engine: str
) -> tuple[PropertyResult, ...]:
    """What is known of each property after a search. Raises SemanticsDisagree if Python does not take a step of it."""
    results = []
    for member in members:
        witness = member.mark.kind == "reachable"
        applies = protocol.applies(member)
        finding = findings.shown.get(member.name)
        if finding is not None:
            trace = _trace(protocol, finding, member.name, "reached" if witness else "violated", engine)
            results.append(PropertyResult(member, "holds" if witness and applies else "violated", trace))
        elif not applies:
            results.append(PropertyResult(member, "not applicable"))
        elif not exhaustive:
            results.append(PropertyResult(member, "unknown"))
        else:
            results.append(PropertyResult(member, "violated" if witness else "holds"))
    return tuple(results)


def evaluation_finding(
    protocol: Protocol, pending: Sequence[Member], finding: Finding, engine: str
) -> EvaluationFinding:
    """The rule that could not be evaluated, worded by the Python semantics; `pending` are those looked for.

    Raises SemanticsDisagree if Python can evaluate it.
    """
    kind, (initial, steps) = finding.key[0], finding.run
    trace = Trace(protocol, initial, steps, "", "error")
    try:
        if finding.instance is not None:
            step = _step_from(protocol, finding.codes, finding.instance, engine)
            trace = Trace(protocol, initial, (*steps, step), "", "error")
        if kind == FAILED_ON_STEP:
            evaluate_properties(protocol, pending, *trace.states[-2:])
            PythonSemantics(protocol).within_constraint(trace.states[-1])
        elif kind == FAILED_ON_STATE:
            evaluate_properties(protocol, pending, trace.states[-1])
    except EvaluationError as error:
        rule = error.where.function if error.where else ""
        return EvaluationFinding(error.message, error.where, rule, trace)
    answers = [(engine, "cannot be evaluated"), (PythonSemantics.name, "can be evaluated")]
    if kind == FAILED_STEP and finding.instance is not None:
        raise disagree_on_step(protocol, finding.codes, finding.instance, answers)
    of_steps = kind == FAILED_ON_STEP
    evaluated_on = [m for m in pending if is_step_property(m) == of_steps] + protocol.members("constraint")
    asked = trace.steps[-1] if of_steps else None
    raise disagree_on_property(protocol, trace.states[-2 if of_steps else -1], evaluated_on[0], answers, asked)


# -- initial ----------------------------------------------------------------------------------------------------------
# Where a search begins.

FIRST_STATES = "making the initial states"


def initial_states(protocol: Protocol, tell: Callable[[str], None] = lambda _: None) -> list[Codes]:
    """The initial states. Raises LanguageError if there is none, or one that the state constraint excludes.

    `tell` hears now and then what is being done.
    """
    found = protocol.initial_states(lambda count: tell(f"{FIRST_STATES}, {count:,} so far"))
    if not found:
        raise LanguageError(
            f"{protocol.name or type(protocol).__name__} has no initial state",
            source_line(type(protocol).initial),
            "Let some choice of initial's parameters pass all of its requires.",
        )
    reading = PythonSemantics(protocol)
    for codes in found:
        if not reading.within_constraint(codes):
            raise LanguageError(
                "an initial state lies outside the state constraint",
                protocol.members("constraint")[0].where,
                "Widen the constraint, or begin inside it.",
            )
    return found


# -- properties -------------------------------------------------------------------------------------------------------
# Which properties a search is asked to check.


def chosen_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that the options ask for. Raises UsageError for an id that the protocol does not have."""
    if options.properties is None:
        return all_properties(protocol, options.lemmas)
    return chosen(protocol, options.properties, options.lemmas, options.liveness)


def compiled_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that a search compiles: all of them, or with lemmas only those that the options ask for.

    There may be more lemmas than can be checked together.
    """
    if options.lemmas and options.properties is not None:
        return chosen_properties(protocol, options)
    return all_properties(protocol, options.lemmas)


def compiled_for(protocol: Protocol, options: Options, report: Callable[[str], None]) -> Model:
    """The protocol with the properties and liveness properties that a search needs."""
    wanted = {member.name for member in compiled_properties(protocol, options)}
    return compile_protocol(protocol, options.lemmas, report, only=wanted, promises=True)
