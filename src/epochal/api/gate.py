"""`epochal.gate`: what a change to a specification changes in its behaviour, and whether that is approved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.checker.gate.session import GateRequest, GateRun, run_gate
from epochal.exit_codes import ExitCode

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.gate.verdict import GateResult as Outcomes
    from epochal.checker.gate.verdict import ModelOutcome
    from epochal.checker.search.result import Progress
    from epochal.checker.trace.trace import Trace
    from epochal.report.page import Page


@dataclass(frozen=True, repr=False)
class GateResult(Result):
    """A run of the gate: a verdict on every model. `run` has what its reports need."""

    run: GateRun

    @property
    def outcomes(self) -> Outcomes:
        """The whole result."""
        return self.run.result

    @property
    def models(self) -> dict[str, ModelOutcome]:
        """What was found out about each model, by its name."""
        return {one.name: one for one in self.outcomes.models}

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each model, by its name: "unchanged", "refactored", "changed", "violated" ..."""
        return {one.name: one.verdict for one in self.outcomes.models}

    @property
    def exit_code(self) -> ExitCode:
        """The code of the most severe finding; 0 if nothing changed that is not approved."""
        return self.outcomes.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C, or whoever asked the process to end, has stopped the run."""
        return bool(self.outcomes.stopped)

    @property
    def findings(self) -> list[str]:
        """The models that fail, each with its verdict."""
        return [f"{one.name}: {one.verdict}" for one in self.outcomes.models if one.code]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        from epochal.checker.gate.reports import headline

        return headline(self.outcomes)

    @property
    def counterexample(self) -> Trace | None:
        """The run of the first finding that has one."""
        found = (finding.trace for model in self.outcomes.models for finding in model.findings)
        return next((trace for trace in found if trace is not None), None)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        from epochal.checker.gate.reports import gate_document

        return gate_document(self.outcomes, {})

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.gate import render_gate

        render_gate(page, self.outcomes, list(files))

    def write(self, folder: str | Path) -> list[str]:
        """Write every report to a folder: summary, JSON, SARIF, JUnit and traces; the paths to start from."""
        from epochal.checker.gate.reports import GateFolder

        return GateFolder(Path(folder)).write(self.outcomes, self.run.prefix, self.run.fallback, self.run.started)


@question
def gate(
    *models: str,
    base: str | None = None,
    baseline: str | Path | None = None,
    profile: str = "pr",
    budget: float | None = None,
    only_changed: bool = False,
    fail_on: str | Iterable[str] = (),
    engine: str = "auto",
    progress: Callable[[Progress], None] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> GateResult:
    """Check the models that are configured in the working folder, and compare their behaviour with what is approved.

    `models` are names (none: all of the `profile`). What is approved is in the lock file `baseline` (None:
    epochal.lock.json); with `base` the comparison is with the specification as of that commit. `budget` is in seconds,
    for the whole run. `tell` hears what is done, a line each.

    Raises ConfigurationError for a configuration or lock file that cannot be used, UsageError for an unknown model.
    """
    request = GateRequest(
        models=models,
        base=base,
        baseline=None if baseline is None else Path(baseline),
        profile=profile,
        budget=budget,
        only_changed=only_changed,
        fail_on=tuple(fail_on),
        engine=engine,
    )
    return GateResult(run_gate(request, progress, tell))
