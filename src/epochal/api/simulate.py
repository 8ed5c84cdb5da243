"""`epochal.simulate`: random runs, where every state is too many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import bounds_as_options, other_bounds
from epochal.checker.crosscheck.cross_check import Amount
from epochal.checker.documents import document
from epochal.checker.search.budget import COMPILING, Deadline
from epochal.checker.search.confirm import Replayed, replay_all, simulated_traces, with_seed
from epochal.checker.search.engines import semantics_of
from epochal.checker.search.result import Progress
from epochal.checker.semantics.properties import nothing_declared
from epochal.checker.trace.output_folder import OutputFolder, opened
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import Page
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import quoted

from .check import LESS, property_row, repeated_in_words
from .options import reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.search.simulate import SimulationResult as Simulation


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
        return sorted(self.violated)

    @property
    def exit_code(self) -> ExitCode:
        return self.simulation.exit_code

    @property
    def headline(self) -> str:
        return f"{self.simulation.protocol.name}: {headline(self.simulation)}"

    @property
    def counterexample(self) -> Trace | None:
        """The run to the first violation: no step can be left out, but it need not be a shortest; None without any."""
        found = [p.trace for p in self.simulation.properties if p.verdict == "violated" and p.trace is not None]
        if found:
            return found[0]
        return self.simulation.error.trace if self.simulation.error is not None else None

    @property
    def _shortened(self) -> str:
        """What was done to the run that the report tells, and what that does not mean."""
        trace = self.counterexample
        if trace is None or trace.facts["shortest"]:
            return ""
        found = trace.facts.get("shortened_from", trace.length)
        left_out = (
            f"It was found with {found} states; what it does not need was left out. " if found != trace.length else ""
        )
        return f"{left_out}No step of it can be left out; a run of other steps may be shorter."

    def to_dict(self) -> documents.Simulate:
        """The result as plain data, with its traces as ITF."""
        return document(documents.Simulate, self.simulation, self, warnings=warnings_of(self.simulation))

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the traces of what was found, the runs that were kept, and the result; the paths.

        Raises EngineError if they cannot be written there.
        """
        folder = opened(folder)
        name = self.simulation.protocol.name
        written = list(folder.write_traces(name, simulated_traces(self.simulation)).values())
        for number, trace in enumerate(self.simulation.traces, start=1):
            written.append(str(folder.write_trace(name, f"run-{number}", trace, report=False)))
        return [*written, str(folder.write_document("result.json", self.to_dict()))]

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        result, run = self.simulation, self.counterexample
        bounds = bounds_as_options(result.protocol.bounds.as_dict())
        page.line(self.headline, "good" if result.exit_code == 0 else "bad")
        page.line(f"bounds: {bounds or 'none'}", indent=2)
        page.title("Properties")
        page.table([property_row(one) for one in result.properties])
        if result.error is not None:
            where = f" ({result.error.where})" if result.error.where else ""
            page.title("A rule could not be evaluated")
            page.line(f"{result.error.message}{where}", "bad", indent=2)
        taken = f"{counted(result.runs, 'run')} of at most {counted(result.depth + 1, 'state')}; {result.steps:,} steps"
        page.facts(
            "Simulation",
            ("engine", f"{result.engine}, seed {result.seed}"),
            ("runs", "; ".join([f"{taken} in all", *_why_ended(result)])),
            ("states", f"{result.distinct_states:,} distinct{', all that there are' if result.all_seen else ''}"),
            ("terminal states", f"{counted(result.terminal_states, 'run')} ended in a state without a next step"),
            ("left", f"{counted(result.left_constraint, 'run')} ended in a state outside the state constraint"),
            ("longest", f"a run of {counted(result.longest + 1, 'state')}"),
            ("time", timed(result.wall_seconds)),
            ("traces", self.replayed.sentence),
            ("cross-check", "" if result.cross_check is None else repeated_in_words(result.cross_check)),
        )
        if result.not_judged:
            page.title("Not checked")
            page.line(f"- {not_judged(result)}", indent=2)
        page.title("Actions")
        total = sum(steps for _, steps in result.actions)
        page.table(
            [(name, f"{steps:,}", f"{100 * steps / total if total else 0:.1f} %") for name, steps in result.actions],
            header=("ACTION", "STEPS", "SHARE"),
            right=(1, 2),
        )
        page.warnings(warnings_of(result))
        if run is not None:
            page.title("Violation")
            page.lines(str(run).splitlines(), indent=2)
            if told := self._shortened:
                page.line(told, indent=2)
            asked = "".join(
                f" --property {one.member.asked_as}" for one in result.properties if one.verdict == "violated"
            )
            again = f"epochal check {quoted(self.reference)} {other_bounds(result.protocol)}".rstrip()
            page.commands([f"{again}{asked}  # finds a shortest run"])
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


def headline(result: Simulation) -> str:
    """The verdict in one sentence."""
    violated = [p.member.name for p in result.properties if p.verdict == "violated"]
    if violated:
        return f"{', '.join(violated)} violated"
    if result.error is not None:
        return "a rule of the specification could not be evaluated"
    if result.exit_code == ExitCode.VACUOUS:
        return f"nothing is violated in these runs, {LESS}"
    return "nothing is violated in these runs, which proves nothing about others"


def warnings_of(result: Simulation) -> list[str]:
    """What the reader should know although it is no violation."""
    missed = result.never_taken
    return [
        *nothing_declared(result.protocol),
        *([f"never taken in these runs: {', '.join(missed)}"] if missed else []),
    ]


def not_judged(result: Simulation) -> str:
    """Return what these runs say nothing about, and which command checks it."""
    optional = [one.name for one in result.protocol.members("leads_to") if one.mark.optional]
    unchecked = [name for name in result.not_judged if name not in optional]
    found = [
        *([f"liveness properties, which epochal check checks ({', '.join(unchecked)})"] if unchecked else []),
        *([f"optional liveness properties: epochal check --optional ({', '.join(optional)})"] if optional else []),
    ]
    return "; ".join(found)


def _why_ended(result: Simulation) -> list[str]:
    """Why no more runs were taken, where that is not that they were as many as asked for."""
    if result.ended_after_violation:
        return ["after a violation no more, unless --runs asks for them"]
    return [result.cut] if result.cut else []
