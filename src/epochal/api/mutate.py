"""`epochal.mutate`: take away each guard of a protocol in turn, and see whether anybody notices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.search.engines import search_of
from epochal.checker.search.liveness import with_reason
from epochal.checker.search.result import Options
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode

from .options import can_be_loaded, reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.mutation.result import MutationResult as Mutation
    from epochal.checker.mutation.result import Outcome
    from epochal.checker.search.result import CheckResult as SearchResult
    from epochal.report.documents import search as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol

Reporting = Callable[[int], AbstractContextManager[Callable[["Outcome"], None]]]
"""Opens a report of so many mutants, which hears each outcome."""


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
        return [
            *(one.mutant.id for one in self.mutation.unexpected),
            *(one.mutant for one, _ in self.mutation.stale),
        ]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        from epochal.report.mutation import headline

        return f"{self.mutation.original.protocol.name}: {headline(self.mutation)}"

    def to_dict(self) -> documents.Mutate:
        """The result as plain data."""
        from epochal.report.mutation import mutation_document

        return mutation_document(self.mutation, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.mutation import render_mutation

        render_mutation(page, self.mutation, self.every)


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
    reporting: Reporting | None = None,
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
    from epochal.checker.mutation.mutants import chosen_mutants, mutants_of
    from epochal.checker.mutation.result import FEWEST, Judge, Original, checked_in_workers, chosen, read_survivors
    from epochal.checker.mutation.result import MutationResult as Mutation
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
    with reporting(len(wanted)) if reporting is not None else nullcontext(_nobody) as report:
        try:
            for place, outcome in judged:
                tried[place] = outcome
                report(outcome)
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


def _nobody(_: Outcome) -> None:
    """Who hears the outcomes if nobody wants to."""


def _searched(result: SearchResult, reference: str) -> SearchResult:
    """The search of the original, which must be complete: everything is compared with it."""
    if result.error is not None:
        from epochal.report.check import error_line

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
