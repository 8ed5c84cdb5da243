"""`epochal.simulate`: random runs, where every state is too many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.checker.search.confirm import Replayed, replay_all, simulated_traces, with_seed
from epochal.checker.search.engines import semantics_of
from epochal.exit_codes import ExitCode

from .options import reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from pathlib import Path

    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.search.result import Progress
    from epochal.checker.search.simulate import SimulationResult as Simulation
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import search as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol

DEPTH = 60
"""How many steps a run has at most, unless it is said."""


@dataclass(frozen=True, repr=False)
class SimulationResult(Result):
    """What random runs have shown. A violation is real; finding none proves nothing. `simulation` has every figure."""

    simulation: Simulation
    reference: str
    replayed: Replayed

    @property
    def violated(self) -> AbstractSet[str]:
        """The ids of the properties that a run violates."""
        return frozenset(one.member.name for one in self.simulation.properties if one.verdict == "violated")

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the runs, or the cross-check after them."""
        return self.simulation.interrupted

    @property
    def findings(self) -> list[str]:
        """What is violated."""
        return sorted(self.violated)

    @property
    def exit_code(self) -> ExitCode:
        """The documented code of the most severe finding."""
        return self.simulation.exit_code

    @property
    def headline(self) -> str:
        """The answer in one line."""
        from epochal.report.simulation import headline

        return f"{self.simulation.protocol.name}: {headline(self.simulation)}"

    @property
    def counterexample(self) -> Trace | None:
        """The run to the first violation: no step can be left out, but it need not be a shortest; None without any."""
        from epochal.report.simulation import first_violation

        return first_violation(self.simulation)

    def to_dict(self) -> documents.Simulate:
        """The result as plain data, with its traces as ITF."""
        from epochal.checker.documents import document
        from epochal.report.documents import search
        from epochal.report.simulation import warnings_of

        return document(search.Simulate, self.simulation, self, warnings=warnings_of(self.simulation))

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the traces of what was found, the runs that were kept, and the result; the paths.

        Raises EngineError if they cannot be written there.
        """
        from epochal.checker.trace.output_folder import opened

        folder = opened(folder)
        name = self.simulation.protocol.name
        written = list(folder.write_traces(name, simulated_traces(self.simulation)).values())
        for number, trace in enumerate(self.simulation.traces, start=1):
            written.append(str(folder.write_trace(name, f"run-{number}", trace, report=False)))
        return [*written, str(folder.write_document("result.json", self.to_dict()))]

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.simulation import render_simulation

        run = self.counterexample
        story = [] if run is None else str(run).splitlines()
        render_simulation(page, self.simulation, story, self.reference, self.replayed.sentence)
        page.written(files)


@question
def simulate(
    protocol: Protocol,
    *,
    runs: int | None = None,
    depth: int = DEPTH,
    seed: int = 0,
    properties: str | Iterable[str] | None = None,
    engine: str = "native",
    cross_check: Amount = "some",
    traces: int = 0,
    budget: float | None = None,
    begun: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    reference: str | None = None,
) -> SimulationResult:
    """Take random runs of a protocol, each of which goes on from where one before it has been.

    They enter no state twice. In each state one of the actions that lead to a new state is chosen,
    then its parameters. The same `seed` gives the same runs. Without `runs` they end after
    a million states, fifty thousand states after the last violation, or when all properties were
    shown. Liveness properties are not checked: no run of finite length violates one. But a premise or goal that
    cannot be evaluated in a state is told, unless `properties` says what to check. `depth` is how
    many steps a run has at most. `write` puts the first `traces` runs into a folder, for tests of
    something else. `budget` is in seconds from `begun` on (None: from now), for all of it.

    What shows a property is made shorter, until no step can be left out.

    Raises UsageError for what is no protocol, EngineError if the engine cannot be used, SemanticsDisagree.
    """
    from epochal.checker.search.budget import COMPILING, Deadline
    from epochal.checker.search.simulate import simulate as simulated

    protocol = required(protocol, "simulate")
    name = reference or reference_of(protocol)
    with Deadline(budget, progress=progress, begun=begun).watching(COMPILING):
        reading = semantics_of(engine, protocol)
    found = simulated(
        protocol,
        reading,
        runs=runs,
        depth=depth,
        seed=seed,
        properties=None if properties is None else tuple(properties),
        progress=progress,
        cross_check=cross_check,
        traces=traces,
        budget=budget,
        begun=begun,
    )
    found = with_seed(found, name)
    return SimulationResult(found, name, replay_all(protocol, simulated_traces(found)))
