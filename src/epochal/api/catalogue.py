"""The catalogue of known bugs, searched: each without its rule, and with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.checker.search.engines import search_of
from epochal.checker.search.result import Options
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue.catalogue import (
    CatalogueProgress,
    ScenarioResult,
    chosen,
    exit_code_of,
    run,
    searched_in_workers,
)

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import kafka as documents
    from epochal.report.page import Page
    from epochal.spec.bugs.known_bug import KnownBug
    from epochal.spec.bugs.not_modelled import NotModelled


@dataclass(frozen=True, repr=False)
class CatalogueResult(Result):
    """Entries of the catalogue, and what their searches found. Without searches the entries are listed.

    `others` are known bugs that no protocol here can show. Fewer `results` than entries means that a budget was spent.
    """

    entries: tuple[KnownBug, ...]
    others: tuple[NotModelled, ...]
    results: tuple[ScenarioResult, ...] | None = None

    @property
    def left(self) -> int:
        """How many entries were to be searched and were not."""
        return 0 if self.results is None else len(self.entries) - len(self.results)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the run before every entry was searched."""
        return self.left > 0

    @property
    def exit_code(self) -> ExitCode:
        """12 for a rule that does not help, 21 for a bug that is not found, 30 if a budget is spent."""
        return ExitCode.of(exit_code_of(self.results or (), self.left))

    @property
    def headline(self) -> str:
        """The answer in one line."""
        from epochal.report.catalogue import headline

        return f"{len(self.entries)} entries" if self.results is None else headline(self.results)

    @property
    def counterexample(self) -> Trace | None:
        """The shortest run of the first bug that was found."""
        return next((one.trace for one in self.results or () if one.trace is not None), None)

    def to_dict(self) -> documents.Catalogue:
        """The entries and results as plain data."""
        from epochal.report.catalogue import catalogue_document

        return catalogue_document(self.entries, self.results or (), self.others, self.left)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the list; or the table of results; or, of a single entry, its story."""
        from epochal.report.catalogue import render_catalogue, render_entries, render_scenario

        if self.results is None:
            render_entries(page, self.entries, self.others)
        elif len(self.entries) == len(self.results) == 1:
            render_scenario(page, self.results[0], files[-1] if files else None)
        else:
            render_catalogue(page, self.results, self.others, self.left)


@question
def catalogue(
    *keys: str,
    listed: bool = False,
    engine: str = "auto",
    workers: int | None = None,
    budget: float | None = None,
    max_memory: int | None = None,
    progress: Callable[[CatalogueProgress], None] | None = None,
) -> CatalogueResult:
    """Search known bugs of Kafka's replication, each within the same bounds without its rule and with it.

    `keys` are numbers of the catalogue, tickets, KIPs or Kafka versions (none: all). `listed` searches nothing.
    `budget` is in seconds, for all of it. Raises UsageError for a key that no entry has.
    """
    from epochal.spec.bugs.catalogue import CATALOGUE
    from epochal.spec.bugs.not_modelled import NOT_MODELLED

    begun = time.monotonic()
    entries, others = tuple(chosen(keys, CATALOGUE)), () if keys else NOT_MODELLED
    if listed:
        return CatalogueResult(entries, others)
    options = Options(budget=budget, max_memory=max_memory, workers=workers, begun=begun)
    search, found = search_of(engine), dict[int, ScenarioResult]()
    try:
        if engine in ("auto", "native"):
            for place, one in searched_in_workers(entries, options, progress):
                found[place] = one
    except KeyboardInterrupt:
        return CatalogueResult(entries, others, tuple(found[place] for place in sorted(found)))
    left = [place for place in range(len(entries)) if place not in found]
    for one, place in zip(run([entries[place] for place in left], search, options, progress), left, strict=False):
        found[place] = one
    return CatalogueResult(entries, others, tuple(found[place] for place in sorted(found)))
