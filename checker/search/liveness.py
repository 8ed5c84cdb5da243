"""Liveness properties after a search: which are asked about, whether they can be checked, and what becomes of the
answer.

They can be checked where every state was explored, each as it is: not up to symmetry, not by fingerprints, and not
where states that others dominate were left out. A state that was never expanded would look like an end, and of two
servers that nothing tells apart a representative forgets which of them still waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from epochal.spec.language import EvaluationError, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..base.numbers import sized
from ..crosscheck.cross_check import INTERRUPTED, disagree_on_property
from ..ir.model import CompiledLiveness, Model
from ..liveness.result import Liveness, LivenessFails, NotJudged
from ..semantics.properties import Assumptions, assumptions, judged_if_asked, liveness, no_properties, promised
from ..semantics.semantics import PythonSemantics
from ..trace.run import PlainRun
from ..trace.trace import Trace
from .budget import Budget
from .result import CheckResult, EvaluationFinding, Options

if TYPE_CHECKING:  # machine code needs llvmlite, and the Python semantics does not
    from ..native.backend import LivenessCode
    from ..native.engine import NativeModel
    from ..native.llvm.jit import Compiler
    from ..native.runtime.worker_pool import WorkerPool


def asked_for(protocol: Protocol, options: Options) -> list[Member]:
    """Return the liveness properties to check: all, with the optional ones on request, or those that are named."""
    if options.properties is None:
        return promised(protocol, options.optional)
    return [member for member in liveness(protocol) if member.name in options.properties]


def assumed_in(protocol: Protocol, options: Options) -> Assumptions:
    """What is assumed besides what liveness properties name. Raises UsageError for what is no action, or contradicts
    itself."""
    return assumptions(protocol, options.fair, options.unfair)


def why_not(result: CheckResult, options: Options) -> str:
    """Why liveness properties are not checked after this search; "" if they can be."""
    if not options.liveness:
        return "left out"
    if result.error is not None:
        return "a rule could not be evaluated"
    if result.cut:
        return "not every state was explored"
    return _why_not_so(options, result.dominance is not None and bool(result.dominance.budgets))


def _why_not_so(options: Options, dominance: bool) -> str:
    """Why they are not checked after a search of this kind."""
    if dominance:
        return "dominance: states that others dominate were not explored"
    if options.symmetry:
        return "symmetry: a canonical representative does not show who waits"
    return "the search keeps fingerprints of most states, not the states" if options.compact else ""


def with_reason(result: CheckResult, options: Options) -> CheckResult:
    """The result, which says of liveness properties that were asked about and not checked why not, and if nothing was
    checked."""
    members = asked_for(result.protocol, options)
    if not (result.liveness.judged or result.liveness.reason) and (members or options.deadlock):
        found = Liveness.not_judged(members, why_not(result, options))
        result = replace(result, liveness=replace(found, assumed=assumed_in(result.protocol, options)))
    judged = bool(result.properties) or result.liveness.judged or result.error is not None
    if judged or not judged_if_asked(result.protocol):
        return result
    return replace(result, vacuous=(*result.vacuous, no_properties(result.protocol)))


def with_liveness(
    result: CheckResult,
    options: Options,
    judge: Callable[[Sequence[CompiledLiveness], Assumptions], Liveness],
) -> CheckResult:
    """The result with what `judge` says of the liveness properties that are asked about, if they can be checked.

    `judge` may raise LivenessFails, and NotJudged.
    """
    assert result.model is not None
    promises = compiled_for(result.model, options)
    if not (promises or options.deadlock) or why_not(result, options):
        return result
    assumed = assumed_in(result.protocol, options)
    try:
        found = judge(promises, assumed)
    except LivenessFails as fails:
        return replace(result, error=failure_of(result.protocol, fails.run, fails.promises, result.engine))
    except NotJudged as why:
        found = Liveness.not_judged(asked_for(result.protocol, options), str(why), why.by_machine)
    except KeyboardInterrupt:
        found = Liveness.not_judged(asked_for(result.protocol, options), INTERRUPTED)
    return with_answer(result, found, assumed)


def judged_natively(
    native: NativeModel,
    pool: WorkerPool,
    run_to: Callable[[int], PlainRun],
    options: Options,
    promises: Sequence[CompiledLiveness],
    assumed: Assumptions,
    budget: Budget,
    depth: int,
) -> Liveness:
    """What machine code says of liveness properties on all states, which workers have. Raises LivenessFails."""
    from ..liveness.native import judge

    def refuses(more: int) -> str:
        wanted = budget.in_use() + more
        stopped = budget.refuses(wanted)
        enough = f"{wanted + wanted // 50 >> 20:,} MiB would do, or files (spill)"  # little else takes memory meanwhile
        return f"memory: it would take another {sized(more)}; {stopped}; {enough}" if stopped else ""

    def check() -> None:
        if stopped := budget.spent(budget.snapshot(pool.count, pool.transitions, depth, pool.queue)):
            raise NotJudged(str(stopped), by_machine=stopped.limit == "memory")

    return judge(
        native,
        pool,
        run_to,
        promises=promises,
        assumed=assumed,
        needs=options.needs,
        deadlock=options.deadlock,
        folder=options.spill,
        refuses=refuses,
        check=check,
    )


def with_answer(result: CheckResult, found: Liveness, assumed: Assumptions) -> CheckResult:
    """The result with the answer, which says what was assumed, as its runs do.

    Where the ends were found, they are the dead ends: a state whose steps all change nothing is one, too.
    """
    said = replace(found, assumed=assumed).telling(lambda trace: replace(trace, assumed=assumed))
    return replace(
        result, liveness=said, terminal_states=result.terminal_states if said.ends is None else said.ends.total
    )


def compiled_for(model: Model, options: Options) -> list[CompiledLiveness]:
    """The liveness properties that are asked about, compiled, for each choice of their parameters."""
    names = {member.name for member in asked_for(model.protocol, options)}
    return [promise for promise in model.promises if promise.member.name in names]


def code_to_repeat(model: Model, options: Options, compiler: Compiler, dominance: bool) -> LivenessCode:
    """The liveness properties that will be checked if a search has seen every state, with the code that will say where
    they wait: it is cross-checked with the rest. It is compiled here, which may take a while."""
    promises = compiled_for(model, options)
    if not options.liveness or _why_not_so(options, dominance) or not (promises or options.deadlock):
        return []
    from ..liveness.native import Question

    assumed = assumed_in(model.protocol, options)
    return Question(model, promises, assumed, options.needs, options.deadlock).codes(compiler)


def failure_of(
    protocol: Protocol, run: PlainRun, promises: Sequence[CompiledLiveness], engine: str
) -> EvaluationFinding:
    """The liveness property, or what says where a run may end, that cannot be evaluated at the end of a run, worded by
    the Python
    reading."""
    initial, steps = run
    trace = Trace(protocol, initial, steps, "", "error")
    asked = [(promise.member.function, promise.arguments) for promise in promises]
    asked += [(member.function, ()) for member in protocol.members("ends")]
    for function, arguments in asked:
        try:
            evaluated(function, protocol.at(trace.states[-1]), *arguments)
        except EvaluationError as error:
            return EvaluationFinding(error.message, error.where, error.where.function if error.where else "", trace)
    answers = [(engine, "cannot be evaluated"), (PythonSemantics.name, "can be evaluated")]
    first = promises[0]
    raise disagree_on_property(protocol, trace.states[-1], first.member, answers, arguments=first.arguments)
