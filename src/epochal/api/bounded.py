"""`epochal.bounded`: ask Z3 for a shortest violation within a number of steps, from any state that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.checker.base.installed import require_solver
from epochal.checker.base.numbers import counted
from epochal.checker.search.confirm import Replayed, replay_all
from epochal.exit_codes import ExitCode

from .options import reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.search.result import Progress
    from epochal.checker.solver.bounded import BoundedResult as Bounded
    from epochal.checker.solver.bounded import LengthResult
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import solver as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol


@dataclass(frozen=True, repr=False)
class BoundedResult(Result):
    """What runs of a bounded number of steps can show. `bounded` has every figure."""

    bounded: Bounded
    reference: str
    replayed: Replayed

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each property, by its id."""
        return {one.member.name: one.verdict for one in self.bounded.properties}

    @property
    def violated(self) -> AbstractSet[str]:
        """The ids of the properties that some run of this length violates."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict == "violated")

    @property
    def findings(self) -> list[str]:
        """What is violated, with the length of its run."""
        return [
            f"{p.member.name} ({counted(p.steps + 1, 'state')})"
            for p in self.bounded.properties
            if p.verdict == "violated"
        ]

    @property
    def traces(self) -> list[Trace]:
        """The run for each property that has one, and to a rule that failed."""
        found = [one.trace for one in self.bounded.properties if one.trace is not None]
        return found if self.bounded.error is None else [*found, self.bounded.error.trace]

    @property
    def exit_code(self) -> ExitCode:
        """The documented code of the most severe finding."""
        return self.bounded.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the search."""
        return self.bounded.interrupted

    @property
    def headline(self) -> str:
        """The answer in one line."""
        from epochal.report.bounded import headline

        return f"{self.bounded.protocol.name}: {headline(self.bounded)}"

    @property
    def counterexample(self) -> Trace | None:
        """The shortest run to the first finding; None without any."""
        from epochal.report.bounded import first_finding

        return first_finding(self.bounded)

    def to_dict(self) -> documents.Bounded:
        """The result as plain data, with its traces as ITF."""
        from epochal.checker.documents import document
        from epochal.report.documents import solver

        return document(solver.Bounded, self.bounded, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.bounded import render_bounded

        run = self.counterexample
        story = [] if run is None else str(run).splitlines()
        render_bounded(page, self.bounded, story, self.replayed.sentence, list(files))


@question
def bounded(
    protocol: Protocol,
    *,
    length: int = 10,
    properties: str | Iterable[str] | None = None,
    after: str | None = None,
    start: str | Iterable[str] = (),
    all_violations: bool = False,
    actions: bool = False,
    rlimit: int | None = None,
    budget: float | None = None,
    begun: float | None = None,
    cross_check: Amount = "some",
    progress: Callable[[LengthResult], None] | None = None,
    preparing: Callable[[Progress], None] | None = None,
    reference: str | None = None,
) -> BoundedResult:
    """Ask Z3 whether a run of at most `length` steps violates a property, shortest runs first.

    It begins in the initial states; or `after` a state of a trace, "file.itf.json:INDEX"; or in any state where every
    condition of `start` holds, the ids of properties or "file.py:function". With `actions` each action is asked
    whether some run takes it. `properties` are ids (None: all but what must be reachable). `budget` is in
    seconds from `begun` on (None: from now), for all of it.

    Raises UsageError for a start that does not exist, EngineError without Z3.
    """
    protocol = required(protocol, "bounded")
    require_solver()
    from epochal.checker.solver.bounded import RLIMIT, BoundedOptions, bounded_search, chosen_start
    from epochal.spec.loading import Subject

    name = reference or reference_of(protocol)
    options = BoundedOptions(
        length,
        None if properties is None else tuple(properties),
        all_violations,
        actions,
        RLIMIT if rlimit is None else rlimit,
        progress,
        cross_check,
        preparing,
        budget,
        begun,
    )
    found = bounded_search(protocol, options, chosen_start(Subject(name, protocol), after, tuple(start)))
    result = BoundedResult(
        found.with_facts({"protocol": name, "engine": "z3", "shortest": True}), name, Replayed((), "")
    )
    return BoundedResult(result.bounded, name, replay_all(protocol, result.traces))
