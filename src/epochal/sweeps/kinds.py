"""What each kind of task asks of the front door, and the rows that it makes of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from epochal.errors import EngineError
from epochal.spec.language.reference import split_reference

from .rows import Row, row
from .subject import Subject
from .task import Task

if TYPE_CHECKING:
    from epochal.checker.search.result import CheckResult, EvaluationFinding
    from epochal.spec.kraft.configuration import ConfigurableKraft

Limits = Mapping[str, Any]
"""What a task may take on this machine, such as `max_memory`: no part of the question."""


def check(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A search: a row for each property and promise."""
    from epochal.door.check import check

    options = {"all_violations": True, "workers": 1, **limits, **task.options}
    result = check(subject.protocol, reference=task.protocol, **options)
    yield from _searched(task, result.search)


def _searched(task: Task, search: CheckResult) -> Iterator[Row]:
    _refuse_cut(search.cut_by_machine, search.cut or search.liveness.reason)
    facts = _facts(search)
    for one in search.properties:
        yield row(task, one.member.name, one.verdict, one.length, one.trace, search.cut, **facts)
    for promise in search.liveness.promises:
        note = search.cut or search.liveness.reason
        yield row(task, promise.member.name, promise.verdict, promise.length, promise.trace, note, **facts)
    if search.error is not None:
        yield _failed(task, search.error, facts)
    elif not (search.properties or search.liveness.promises):
        yield row(task, "", "vacuous", note="; ".join(search.vacuous), **facts)


def _failed(task: Task, error: EvaluationFinding, facts: Mapping[str, Any]) -> Row:
    """The row of a rule that cannot be evaluated."""
    return row(task, "", "failed", error.trace.length, error.trace, f"{error.where}: {error.message}", **facts)


def _refuse_cut(by_machine: bool, why: str) -> None:
    """Raise EngineError for what more memory, or another machine, may answer otherwise: such an answer is not kept."""
    if by_machine:
        advice = "Fewer --workers, or on Spark larger executors, give each task more memory."
        raise EngineError(f"not answered: {why}", advice)


def _facts(search: CheckResult) -> dict[str, Any]:
    return {
        "exhaustive": search.exhaustive,
        "states": search.distinct_states,
        "steps": search.generated_states,
        "depth": search.depth,
        "state_digest": search.state_digest,
        "step_digest": search.step_digest,
    }


def prove(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A proof by induction: a row for each property, proved or not."""
    from epochal.door.prove import ProofResult, prove
    from epochal.render.proof_text import property_verdicts

    found = prove(subject.protocol, reference=task.protocol, workers=1, **task.options)
    assert isinstance(found, ProofResult)
    for answer in found.proof.unknown:
        _refuse_cut("mem" in answer.reason, f"{answer.obligation.label}: {answer.reason}")  # "out of memory", "memout"
    verdicts = property_verdicts(found.proof)
    note = ", ".join(answer.obligation.label for answer in found.proof.failed)
    for member in found.proof.properties:
        yield row(task, member.name, verdicts[member.name], note=note, trace=found.counterexample)


def simulate(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """Random walks: a row for each property, with the shortest of them that shows it."""
    from epochal.checker.properties import nothing_declared
    from epochal.door.simulate import simulate

    seed = int(task.about.removeprefix("seed "))
    found = simulate(subject.protocol, reference=task.protocol, seed=seed, **task.options).simulation
    facts: dict[str, Any] = {
        "exhaustive": False,
        "states": found.distinct_states,
        "steps": found.steps,
        "depth": found.longest,
    }
    for one in found.properties:
        yield row(task, one.member.name, one.verdict, one.length, one.trace, f"{found.runs} runs", **facts)
    if found.error is not None:
        yield _failed(task, found.error, facts)
    elif not found.properties:
        yield row(task, "", "vacuous", note="; ".join(nothing_declared(found.protocol)), **facts)


def catalogue(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """An entry of the catalogue: a row without its rule, and one with it."""
    from epochal.checker.engines import search_of
    from epochal.checker.search.result import Options
    from epochal.kafka.catalogue import judged, run
    from epochal.spec.bugs.catalogue import CATALOGUE

    entry = next(one for one in CATALOGUE if one.name == task.about)
    (result,) = run([entry], search_of("native"), Options(workers=1, **limits), None)
    for search in (result.faulty, result.sound):
        _refuse_cut(search.cut_by_machine, search.cut or search.liveness.reason)
    for side, search in (("without the rule", result.faulty), ("with the rule", result.sound)):
        found = judged(search)
        trace = result.trace if search is result.faulty else found.trace
        yield row(task, found.member.name, found.verdict, found.length, trace, side, **_facts(search))


def guarantees(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A fault: a row for each promise that it may break."""
    from epochal.kafka.cases import Asked
    from epochal.kafka.guarantees import GuaranteeOptions, decided_faults
    from epochal.spec.kraft.guarantees import FAULTS, QUESTIONS, own_fault
    from epochal.spec.language.configurable import configuration_of, without_settings

    kind = subject.kind
    asked = Asked(cast("type[ConfigurableKraft]", without_settings(kind)), split_reference(task.protocol)[0])
    fault = next((one for one in FAULTS if one.id == task.about), None) or own_fault(task.about)
    wish = GuaranteeOptions(workers=1, traces=True, max_memory=limits.get("max_memory"))
    found = list(decided_faults(asked, [fault], configuration_of(kind), task.bounds, wish, lambda _: None, None))
    if not found or found[0].interrupted:
        raise KeyboardInterrupt
    (decided,) = found
    _refuse_cut(decided.by_machine, decided.cut)
    traces = {trace.property_id: trace for trace in decided.traces}
    facts = {"exhaustive": not decided.cut, "states": decided.states, "depth": decided.depth}
    for question, promise in decided.answers.items():
        trace = traces.get(QUESTIONS[question]) if promise.verdict == "violated" else None
        note = f"behind it: {', '.join(promise.behind)}" if promise.behind else decided.cut
        yield row(task, question, promise.verdict, promise.length, trace, note, **facts)


def mutate(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A mutant: one row, with the property that breaks, if one does."""
    from epochal.checker.mutation.apart import judge_of

    options = tuple(task.options.items())
    outcome = judge_of(subject.protocol, task.protocol, options, limits.get("max_memory")).outcome_of(task.about)
    _refuse_cut(outcome.by_machine, outcome.message)
    note = "; ".join(part for part in (outcome.mutant.removed, outcome.message) if part)
    yield row(task, outcome.property, outcome.verdict, outcome.length, note=note)


KINDS: Final[Mapping[str, Callable[[Task, Subject, Limits], Iterator[Row]]]] = {
    "check": check,
    "prove": prove,
    "simulate": simulate,
    "catalogue": catalogue,
    "guarantees": guarantees,
    "mutate": mutate,
}
