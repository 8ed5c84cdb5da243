"""Deciding what `epochal guarantees` asks: one search for each fault, or the answer that this machine has kept."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from epochal.checker.base.machine import without_collection
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.specification import specification_digest
from epochal.checker.ir.model import Model
from epochal.checker.search.budget import COMPILING, BudgetExceeded, Deadline
from epochal.checker.search.confirm import found_traces, replay_all, with_facts
from epochal.checker.search.engines import search_of
from epochal.checker.search.result import CheckResult, Options, Progress
from epochal.checker.trace.trace import Trace
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft.configuration import ConfigurableKraft, with_settings
from epochal.spec.kraft.guarantees import EVER_ACKNOWLEDGED, QUESTIONS, WRITES, Fault, guarded, with_witnesses
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.settings import Acks
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.language import Protocol, SettingValue
from epochal.spec.loading import instantiate

from .cases import (
    ASKED,
    Answer,
    Asked,
    Case,
    behind,
    closed,
    find_usual,
    found_by_meaning,
    found_by_text,
    holes_key,
    keep_by_meaning,
    keep_by_text,
    kept_answer,
    not_searched,
    rules_key,
    source_of,
)
from .recovery import Recovery, recoveries, search_for

Verdict = Literal["holds", "violated", "open", "nothing"]
"""Of a question: it holds within the bounds, is violated, was not decided, or asks about nothing: with acks=0, or where
no record is ever acknowledged."""


@dataclass(frozen=True)
class Guarantee:
    """The answer to one question under one fault; `length` is the number of states of the shortest violation.

    `behind` are the ids of the known bugs each of which, closed alone, stops that run.
    """

    verdict: Verdict
    length: int | None = None
    behind: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decided:
    """A fault, what was searched for it, and the answers by question.

    `writes` says whether writes succeed while one broker is down, and while two are; None where the fault takes down
    fewer, or the search was cut before it could tell. `interrupted` says that the user wants nothing further,
    `by_machine` that memory or the machine otherwise has cut the search.

    `closed` are the ids of the bugs that the protocol was without. `causes`, if it was asked for, has the same fault
    again without what was behind it, then without what was behind that, until nothing known is. `back`, if it was asked
    for, says what comes back by itself.
    """

    fault: Fault
    reference: str
    bounds: Mapping[str, int]
    answers: Mapping[str, Guarantee]
    writes: tuple[bool | None, ...]
    states: int
    depth: int
    cut: str
    traces: tuple[Trace, ...] = field(default=(), repr=False)
    interrupted: bool = False
    by_machine: bool = False
    closed: tuple[str, ...] = ()
    causes: tuple[Decided, ...] = ()
    back: Mapping[str, Recovery] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether some question is not decided."""
        verdicts = [*(one.verdict for one in self.answers.values()), *(one.verdict for one in self.back.values())]
        return "open" in verdicts

    @property
    def behind(self) -> frozenset[str]:
        """The ids of the known bugs behind any of its answers."""
        return frozenset(id for answer in self.answers.values() for id in answer.behind)


@dataclass(frozen=True)
class GuaranteeOptions:
    """How the faults are to be searched: seconds for all since a moment, processors, and whether runs are wanted.

    `causes` asks what breaks a guarantee once what is behind the shortest run is closed; `back`, what comes back by
    itself after the fault. Without `searches` only what is decided already is answered, and the rest is open.
    """

    budget: float | None = None
    workers: int | None = None
    traces: bool = False
    cached: bool = True
    begun: float | None = None
    causes: bool = False
    back: bool = False
    searches: bool = True
    max_memory: int | None = None


Ahead = Callable[
    [Sequence["Case"], GuaranteeOptions, Callable[[Progress], None] | None], tuple[dict[int, Answer], bool]
]
"""Decides some cases before the others: the answers by their places, and whether Ctrl-C has ended it."""


def decided_faults(
    asked: Asked,
    faults: Sequence[Fault],
    settings: Mapping[str, SettingValue],
    bounds: Mapping[str, int],
    options: GuaranteeOptions,
    told: Callable[[str], None],
    progress: Callable[[Progress], None] | None,
    ahead: Ahead | None = None,
    stopped: bool = False,
) -> Iterator[Decided]:
    """The faults, decided one after the other.

    After Ctrl-C, or from the beginning if it is `stopped`, nothing is searched any more: those come of which something
    is known already, each marked as interrupted, and the others are left out.

    A counterexample is replayed in both semantics before anybody hears of it. `ahead` decides some beforehand.
    """
    cases = [
        Case(asked, guarded({**settings, **fault.settings}, asked.kind), fault, fault.bounds(bounds))
        for fault in faults
    ]
    answers, stopped = ({}, stopped) if stopped or ahead is None else ahead(cases, options, progress)
    for number, case in enumerate(cases):
        found: Decided | None = None
        if not stopped:
            told(f"{case.fault.title} ({number + 1} of {len(faults)})")
            try:
                found = _with_more(case, _decide(case, options, progress, answers.get(number)), options, told, progress)
            except KeyboardInterrupt:  # before this fault was decided
                stopped = True
        if found is None and (known := answers.get(number) or _known(case, options)) is not None:
            found = replace(_decided(case, known, ()), interrupted=True)
        if found is not None:
            stopped = stopped or found.interrupted
            yield found


def _with_more(
    case: Case,
    found: Decided,
    options: GuaranteeOptions,
    told: Callable[[str], None],
    progress: Callable[[Progress], None] | None,
) -> Decided:
    """The same with what else is wanted of a fault: what is beneath it, and what comes back. It stays after Ctrl-C."""
    causes: list[Decided] = []
    back: Mapping[str, Recovery] = {}
    stopped = found.interrupted
    try:
        if options.causes and not stopped:
            causes.extend(_causes(case.asked, found, case.kind, options, told, progress))
            stopped = any(one.interrupted for one in causes)
        if options.back and not stopped:
            told(f"{case.fault.title}: what comes back by itself")
            protocol = instantiate(case.kind, case.bounds)
            search = search_for(protocol, options.workers, options.budget, options.begun, progress)
            back = recoveries(cast("Kraft", protocol), search, options.cached and case.asked.is_registered)
    except KeyboardInterrupt:
        stopped = True
    return replace(found, causes=tuple(causes), back=back, interrupted=stopped)


def exit_code(decided: Iterable[Decided], missing: int) -> int:
    """0 when every question was decided, whatever the answer; else 30. `missing` faults were not reached."""
    undecided = missing > 0 or any(one.open for one in decided)
    return ExitCode.INCONCLUSIVE if undecided else ExitCode.HOLDS


def _causes(
    asked: Asked,
    first: Decided,
    kind: type[ConfigurableKraft],
    options: GuaranteeOptions,
    told: Callable[[str], None],
    progress: Callable[[Progress], None] | None,
) -> Iterator[Decided]:
    """The same fault without what is behind it, and so on, until it holds or nothing known is behind it."""
    found, settings = first, kind.settings
    while found.behind and not found.interrupted:
        closing = [bug for bug in open_holes(settings) if bug.id in found.behind]
        settings = functools.reduce(lambda so_far, bug: closed(bug, so_far), closing, settings)
        ids = (*found.closed, *(bug.id for bug in closing))
        told(f"{first.fault.title}, without {', '.join(ids)}")
        without = with_witnesses(with_settings(asked.kind, settings))
        case = Case(asked, without, first.fault, dict(first.bounds), ids)
        found = replace(_decide(case, replace(options, traces=False), progress), reference=first.reference)
        yield found


def _decide(
    case: Case, options: GuaranteeOptions, progress: Callable[[Progress], None] | None, ahead: Answer | None = None
) -> Decided:
    """What one search decides; `ahead` is what another process has searched already."""
    if ahead is not None:
        return _decided(case, ahead, ())
    usable = options.cached and case.asked.is_registered
    holes = holes_key(case.kind, case.bounds, ASKED)
    if usable:
        case.kind.check_bounds(cast("KraftBounds", case.kind.bounds_type()(**case.bounds)))
        usual = find_usual(rules_key(case.kind, case.bounds, ASKED), holes)
        if usual is not None and not (options.traces and is_broken(usual)):
            return _decided(case, usual, ())
    protocol = instantiate(case.kind, case.bounds)
    source = source_of(case) if usable else None
    digest = _digest(protocol, case.properties, options, progress) if options.cached and source is None else None
    kept = found_by_text(source, holes) if digest is None else found_by_meaning(digest, protocol, holes)
    if kept is not None and not (options.traces and is_broken(kept)):
        return _decided(case, kept, ())
    if not options.searches:
        return _decided(case, not_searched(case.properties), ())
    result, answer, traces = searched(protocol, case.reference, options, progress, case.properties)
    if options.cached and result.model is not None and result.exhaustive and not result.interrupted:
        keep_by_text(source, answer)
        keep_by_meaning(protocol, answer)
    found = _decided(case, answer, traces)
    return replace(found, interrupted=result.interrupted, by_machine=result.cut_by_machine)


def _known(case: Case, options: GuaranteeOptions) -> Answer | None:
    """The answer that stands without a search, as far as that can be told without compiling; None if it is of no use:
    what is kept is not wanted, or does not have the run that is.
    """
    answer = kept_answer(case) if options.cached and case.asked.is_registered else None
    return None if answer is None or (options.traces and is_broken(answer)) else answer


def searched(
    protocol: Protocol,
    reference: str,
    options: GuaranteeOptions,
    progress: Callable[[Progress], None] | None = None,
    asked: tuple[str, ...] = ASKED,
) -> tuple[CheckResult, Answer, tuple[Trace, ...]]:
    """One search, what it decides, and the run that breaks each guarantee, replayed in both semantics.

    Raises EpochalError if a rule cannot be evaluated.
    """
    search = Options(
        asked,
        all_violations=True,
        budget=options.budget,
        begun=options.begun,
        progress=progress,
        workers=options.workers,
        max_memory=options.max_memory,
        symmetry=True,
    )
    result, traces = _found(protocol, reference, search)
    answer: Answer = {
        "verdicts": {p.member.name: (p.verdict, p.length) for p in result.properties},
        "behind": {trace.property_id: list(behind(trace)) for trace in traces},
        "holes": holes_key(cast("type[Kraft]", type(protocol)), protocol.bounds.as_dict(), ASKED),
        "states": result.distinct_states,
        "depth": result.depth,
        "cut": result.cut,
        "specification": "" if result.model is None else program_digest(result.model, asked),
    }
    return result, answer, traces


def _found(protocol: Protocol, reference: str, search: Options) -> tuple[CheckResult, tuple[Trace, ...]]:
    """One search, and its runs, replayed in both semantics. Raises EpochalError if a rule cannot be evaluated."""
    result = with_facts(search_of("native")(protocol, search), reference)
    if result.error is not None:
        raise EpochalError(
            f"{reference}: {result.error.where}: {result.error.message}", exit_code=ExitCode.EVALUATION_FAILED
        )
    traces = tuple(found_traces(result, witnesses=False))
    replay_all(protocol, traces, result.model)
    return result, traces


def program_digest(model: Model, asked: tuple[str, ...] = ASKED) -> str:
    """The digest of a program as far as answers go: its steps, and the properties that are asked about.

    Other results may come and go: they decide nothing here.
    """
    properties = tuple(property for property in model.properties if property.member.name in asked)
    return specification_digest(replace(model, properties=properties))


def is_broken(answer: Answer) -> bool:
    """Whether a guarantee is broken, so that there is a run to tell."""
    return any(answer["verdicts"][asked][0] == "violated" for asked in QUESTIONS.values())


def _digest(
    protocol: Protocol, asked: tuple[str, ...], options: GuaranteeOptions, progress: Callable[[Progress], None] | None
) -> str | None:
    """The digest of a protocol as it is compiled within its bounds. Kept answers are known by it.

    None if compiling takes longer than the budget.
    """
    patience = Deadline(options.budget, progress=progress, begun=options.begun)
    try:
        with patience.watching(COMPILING), without_collection():
            return program_digest(compile_protocol(protocol, report=patience, only=asked), asked)
    except BudgetExceeded:  # the search says so
        return None


def _decided(case: Case, answer: Answer, traces: tuple[Trace, ...]) -> Decided:
    verdicts = answer["verdicts"]
    answers: dict[str, Guarantee] = {}
    for asked, property_id in QUESTIONS.items():
        verdict, length = verdicts[property_id]
        broken = verdict == "violated"
        said = cast("Verdict", "open" if verdict == "unknown" else verdict)
        answers[asked] = Guarantee(said, length if broken else None, tuple(answer["behind"].get(property_id, ())))
    if case.kind.settings.acks == Acks.NONE:
        answers["acknowledged"] = Guarantee("nothing")
    ever = verdicts.get(EVER_ACKNOWLEDGED, ("holds", None))[0]
    if answers["acknowledged"].verdict == "holds" and ever in ("violated", "unknown"):
        answers["acknowledged"] = Guarantee("nothing" if ever == "violated" else "open")
    reached: dict[str, bool] = {"holds": True, "violated": False}
    writes = tuple(
        reached.get(verdicts[witness][0])
        if down <= min(case.fault.stops, case.bounds["replication_factor"] - 1)
        else None
        for down, witness in enumerate(WRITES, start=1)
    )
    return Decided(
        case.fault,
        case.reference,
        case.bounds,
        answers,
        writes,
        answer["states"],
        answer["depth"],
        answer["cut"],
        traces,
        closed=case.closed,
    )


# -- broken run -------------------------------------------------------------------------------------------------------
# A shortest run that breaks one guarantee: a search that ends at the first one, where it is known that there is one.


def run_that_breaks(
    case: Case, property_id: str, options: GuaranteeOptions, progress: Callable[[Progress], None] | None
) -> Trace | None:
    """A shortest run of a case that breaks a property, replayed in both semantics.

    The same run that a search of every state finds: both go through the states in the order of their depth, and both
    tell the least of the shortest. None if there is none within the bounds, or the search was ended before it.

    Raises EpochalError if a rule cannot be evaluated.
    """
    search = Options(
        (property_id,),
        budget=options.budget,
        begun=options.begun,
        progress=progress,
        workers=options.workers,
        symmetry=True,
    )
    _, traces = _found(instantiate(case.kind, case.bounds), case.reference, search)
    return next(iter(traces), None)
