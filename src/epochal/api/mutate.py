"""`epochal.mutate`: take away each guard of a protocol in turn, and see whether anybody notices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from epochal.checker.base.numbers import counted, timed
from epochal.checker.documents import document
from epochal.checker.mutation.mutants import chosen_mutants, mutants_of
from epochal.checker.mutation.result import (
    Judge,
    Original,
    Outcome,
    chosen,
    read_survivors,
    survivor_heading,
    survivor_tables,
)
from epochal.checker.mutation.result import MutationResult as Mutation
from epochal.checker.search.engines import search_of
from epochal.checker.search.liveness import with_reason
from epochal.checker.search.result import CheckResult as SearchResult
from epochal.checker.search.result import Options, PropertyResult
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import Page, Row, Style
from epochal.report.progress import Counted, Telling
from epochal.spec.language import Protocol

from .check import error_line, scope_lines
from .options import can_be_loaded, reference_of, required
from .result import Result, question


@dataclass(frozen=True)
class MutantsTried:
    """How far a mutation run is: the mutants tried of those asked for, how many survived, and the last one."""

    done: int
    asked: int
    survived: int
    mutant: str
    verdict: str
    seconds: float


@dataclass(frozen=True, repr=False)
class MutationResult(Result):
    """What became of the mutants. `mutation` has each outcome, `every` counts the mutants that the protocol has."""

    mutation: Mutation
    reference: str
    every: int

    @property
    def survivors(self) -> list[Outcome]:
        """The mutants that nobody notices, accepted ones too."""
        return self.mutation.with_verdict("survived")

    @property
    def killed(self) -> list[Outcome]:
        """The mutants that somebody would notice."""
        return self.mutation.killed

    @property
    def exit_code(self) -> ExitCode:
        """21 for a survivor that is not accepted, 20 for an accepted one that is none, 30 if a budget is spent."""
        return self.mutation.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the run, so that some mutants were not tried."""
        return self.mutation.untried > 0

    @property
    def findings(self) -> list[str]:
        """The survivors that nobody has accepted, and accepted ones that are out of date."""
        return [*(one.mutant.id for one in self.mutation.unexpected), *(one.mutant for one, _ in self.mutation.stale)]

    @property
    def headline(self) -> str:
        return f"{self.mutation.original.protocol.name}: {headline(self.mutation)}"

    def to_dict(self) -> documents.Mutate:
        """The result as plain data. `accepted` of a survivor is the reason that the list gives, or null."""
        result = self.mutation
        return document(
            documents.Mutate,
            result,
            result.original,
            self,
            mutants=[document(documents.Mutant, one, accepted=result.reason(one) or None) for one in result.outcomes],
            stale=[{"id": one.mutant, "removed": one.removed, "why": why} for one, why in result.stale],
        )

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        result = self.mutation
        original = result.original
        tones: dict[int, Style] = {ExitCode.HOLDS: "good", ExitCode.INCONCLUSIVE: "warn"}
        page.line(self.headline, tones.get(result.exit_code, "bad"))
        page.lines(scope_lines(original.protocol), indent=2)
        _group(page, "Killed", [_killed(one) for one in result.killed], ("BY", "LENGTH", "LINE", "MUTANT AND TEXT"))
        changed = [(f"{one.states:+,}", *_named(one)) for one in result.with_verdict("changed")]
        _group(
            page, "No property breaks, but states or steps are others", changed, ("STATES", "LINE", "MUTANT AND TEXT")
        )
        survivors = [_survivor(one, result) for one in result.with_verdict("survived")]
        _group(page, "Nothing changes", survivors, ("", "LINE", "MUTANT AND TEXT"))
        alive = result.with_verdict("survived", "changed")
        remarks = dict.fromkeys(said for one in alive for said in one.mutant.remarks)
        if remarks:
            page.title("What the search of these does not tell")
            page.lines((f"{said}." for said in remarks), indent=2)
        _group(
            page,
            "Open",
            [(one.message, *_named(one)) for one in result.with_verdict("open")],
            ("WHY", "LINE", "MUTANT"),
        )
        if result.stale:
            page.title("Listed, and no longer a survivor")
            page.lines((f"{one.mutant}: {why}" for one, why in result.stale), indent=2)
        _effort(page, result, self.every)
        if result.unexpected:
            page.title("To accept survivors, with a reason each (--survivors FILE)")
            if result.accepted is None:
                page.lines(survivor_heading(original.protocol), indent=2)
            page.lines(survivor_tables(result.unexpected), indent=2)


@question
def mutate(
    protocol: Protocol,
    *,
    only: str | None = None,
    survivors: str | Path | None = None,
    engine: str = "auto",
    properties: str | Iterable[str] | None = None,
    workers: int | None = None,
    symmetry: bool = False,
    liveness: bool = True,
    budget: float | None = None,
    max_states: int | None = None,
    max_memory: int | None = None,
    progress: Callable[[MutantsTried], None] | None = None,
    reference: str | None = None,
    begun: float | None = None,
) -> MutationResult:
    """Take away each guard of a protocol in turn, and tell which property breaks without it.

    `only` is a part of the ids of the mutants that are wanted, in which * stands for anything. `survivors` is a TOML
    file of those that are accepted, each with a reason. With several `workers` (None: one for each processor) mutants
    are checked side by side in processes, if the protocol can be loaded there by its name: one of a script that runs is
    checked in this process, since to load it is to run the script again. With `liveness` liveness properties
    (`leads_to`) that the protocol keeps must be kept by its mutants, too; they are not checked with `symmetry`.
    `budget` is in seconds, for the whole run, since `begun` (None: now); `max_states` and `max_memory` are for each
    search.

    Raises UsageError for a protocol without guards, or no such mutant; EpochalError if the protocol itself cannot be
    searched completely, since everything is compared with it.
    """
    from epochal.checker.mutation.result import FEWEST, checked_in_workers
    from epochal.checker.workers.pool import usable_processes

    protocol = required(protocol, "mutate")
    wall, cpu = time.monotonic(), time.process_time()
    search, name = search_of(engine), reference or reference_of(protocol)
    accepted = read_survivors(Path(survivors), protocol) if survivors is not None else None
    every = mutants_of(protocol)
    wanted = chosen_mutants(every, only, protocol)
    options = Options(
        properties=None if properties is None else tuple(properties),
        all_violations=True,
        budget=budget,
        max_states=max_states,
        max_memory=max_memory,
        workers=workers,
        symmetry=symmetry,
        liveness=liveness,
        begun=wall if begun is None else begun,
    )
    original = _searched(with_reason(search(protocol, options), options), name)
    judge = Judge(Original.of(original), search, replace(options, all_violations=False))
    apart = (
        engine in ("auto", "native")
        and len(wanted) >= FEWEST
        and usable_processes(workers) > 1
        and can_be_loaded(protocol)
    )
    judged = (
        checked_in_workers(judge, wanted, reference_of(protocol), workers)
        if apart
        else enumerate(judge.outcomes(wanted))
    )
    tried: dict[int, Outcome] = {}
    begin = time.monotonic()
    try:
        for place, one in judged:
            tried[place] = one
            if progress is not None:
                survived = sum(each.verdict == "survived" for each in tried.values())
                seconds = time.monotonic() - begin
                progress(MutantsTried(len(tried), len(wanted), survived, one.mutant.id, one.verdict, seconds))
    except KeyboardInterrupt:  # what was checked until then is told
        if not apart:
            raise
    outcomes = [tried[place] for place in sorted(tried)]
    found = Mutation(
        original,
        wanted,
        tuple(outcomes),
        None if accepted is None else chosen(accepted, (m.id for m in wanted), (m.id for m in every)),
        time.monotonic() - wall,
        time.process_time() - cpu,
    )
    return MutationResult(found, name, len(every))


def _searched(result: SearchResult, reference: str) -> SearchResult:
    """The search of the original, which must be complete: everything is compared with it."""
    if result.error is not None:
        raise EpochalError(
            f"a rule of {result.protocol.name} cannot be evaluated even without a mutation: "
            f"{error_line(result.error)}.",
            f"'epochal check {reference}' shows the run.",
            exit_code=ExitCode.EVALUATION_FAILED,
        )
    if result.interrupted:
        raise KeyboardInterrupt
    if not result.exhaustive:
        raise EpochalError(
            f"{result.protocol.name} itself cannot be searched completely, so its mutants have nothing to be compared "
            f"with: {result.cut}.",
            "Use smaller bounds, or a larger budget.",
            exit_code=ExitCode.ENGINE_FAILURE if result.engine_failed else ExitCode.INCONCLUSIVE,
        )
    return result


def headline(result: Mutation) -> str:
    """The verdict in one sentence."""
    tried = counted(len(result.outcomes), "mutant")
    if result.unexpected:
        many = len(result.unexpected)
        return f"{many} of {tried} {'survives' if many == 1 else 'survive'}, and nobody has said why"
    if result.stale:
        return f"{counted(len(result.stale), 'listed survivor')} out of date"
    if result.exit_code == ExitCode.INCONCLUSIVE:
        return "inconclusive: not every mutant could be searched"
    if not result.could_notice:
        return "no property holds that a mutant could violate"
    survivors = len(result.with_verdict("survived"))
    listed = f"; {counted(survivors, 'survivor')}, all of them listed with a reason" if survivors else "; none survives"
    changed = len(result.with_verdict("changed"))
    if changed:
        is_killed = "1 is killed" if len(result.killed) == 1 else f"{len(result.killed)} are killed"
        only = "1 only changes" if changed == 1 else f"{changed} only change"
        return f"of {tried} {is_killed}, {only} states or steps{listed}"
    return f"every guard matters, as far as {tried} can tell{listed}"


def _group(page: Page, title: str, rows: Sequence[Row], header: tuple[str, ...]) -> None:
    if rows:
        page.title(f"{title}: {len(rows)}")
        page.table(rows, header=header)


def _named(one: Outcome) -> tuple[str, str]:
    return str(one.mutant.where), f"{one.mutant.id}: {one.mutant.removed}"


def _killed(one: Outcome) -> Row:
    if one.verdict == "failed":
        by, length = f"cannot be evaluated: {one.message}", str(one.length)
    elif one.verdict == "refused":
        by, length = f"static checks: {one.message}", "-"
    elif one.verdict == "unreached":
        by, length = f"{one.property} unreachable", "-"
    else:
        by, length = one.property, f"{one.length}" if one.round is None else f"{one.length}, {one.round} for ever"
    return (by, length, *_named(one))


def _survivor(one: Outcome, result: Mutation) -> Row:
    accepted = result.reason(one)
    sign: tuple[str, Style] = ("listed", "good") if accepted else ("NEW", "bad")
    where, text = _named(one)
    return (sign, where, text + (f" ({accepted})" if accepted else ""))


def _why_not_judged(one: PropertyResult) -> str:
    """Why a property tells nothing of mutants: the protocol itself does not have it."""
    if one.verdict == "not applicable":
        return "it does not apply within these bounds and settings"
    if one.verdict == "unknown":
        return "open in the protocol itself"
    if one.member.mark.kind != "reachable":
        return "violated by the protocol itself"
    return "it happens in the protocol itself, although it does not apply" if one.out_of_place else UNREACHED


UNREACHED = "not reached by the protocol itself within these bounds"


def _effort(page: Page, result: Mutation, every: int) -> None:
    original = result.original
    unjudged: dict[str, list[str]] = {}
    for one in original.properties:
        if one.verdict != "holds":
            unjudged.setdefault(_why_not_judged(one), []).append(one.member.name)
    for promise in original.liveness.promises:
        if promise.verdict != "holds":
            why = original.liveness.reason or "violated by the protocol itself"
            unjudged.setdefault(why, []).append(promise.member.name)
    judged = ", ".join(result.judged)
    covered = f"{len(result.covered)} not tried: what they weaken in one call changes nothing in all of them"
    same = sum(one.same_program for one in result.outcomes)
    page.facts(
        "Search",
        ("original", f"{original.distinct_states:,} distinct states, depth {original.depth}"),
        ("mutants", f"{len(result.mutants)} of {every} asked for, {len(result.outcomes)} tried"),
        ("calls", covered if result.covered else ""),
        ("same code", f"{same} of the survivors compile to the code of the original" if same else ""),
        ("checked", judged or "nothing: no property of the protocol itself holds"),
        *(("not checked", f"{', '.join(names)}: {why}") for why, names in unjudged.items()),
        ("interrupted", f"{counted(result.untried, 'mutant')} not tried" if result.untried else ""),
        ("time", f"{timed(result.wall_seconds)}, of processors {timed(result.cpu_seconds)}"),
    )


def _in_words(now: MutantsTried) -> str:
    return f"{now.done} of {now.asked} mutants tried, {now.survived} survived, {timed(now.seconds)}"


TELLING = Telling[MutantsTried](
    _in_words,
    lambda now: {"done": now.done, "of": now.asked, "mutant": now.mutant, "verdict": now.verdict},
    lambda now: Counted(now.done, now.asked),
)
"""The progress of a mutation run: how many mutants were tried, and what became of them."""
