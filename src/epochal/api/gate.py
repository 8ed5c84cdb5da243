"""`epochal.gate`: what a change to a specification changes in its behaviour, and whether that is approved."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epochal.checker.base.numbers import counted, timed
from epochal.checker.gate.record import Lock
from epochal.checker.gate.reports import headline
from epochal.checker.gate.session import GateRequest, GateRun, run_gate
from epochal.checker.gate.verdict import GateResult as Outcomes
from epochal.checker.gate.verdict import Kind, ModelOutcome, changes
from epochal.checker.search.result import Progress
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.report.page import Page, Style
from epochal.spec.language.members import title

from .result import Result, question


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
        return headline(self.outcomes)

    @property
    def counterexample(self) -> Trace | None:
        """The run of the first finding that has one."""
        found = (finding.trace for model in self.outcomes.models for finding in model.findings)
        return next((trace for trace in found if trace is not None), None)

    def to_dict(self) -> dict[str, Any]:
        from epochal.checker.gate.reports import gate_document

        return gate_document(self.outcomes, {})

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        result = self.outcomes
        page.line(self.headline, "bad" if result.exit_code else "good")
        page.line(f"compared with {result.base}, profile {result.profile}, {timed(result.seconds)}", indent=2)
        if result.stopped:
            page.line(f"the run was stopped: {result.stopped}", "warn", indent=2)
        page.title("Models")
        page.table([_row(model) for model in result.models])
        if result.skipped:
            page.line(f"unchanged and left out: {', '.join(result.skipped)}", indent=2)
        for model in result.models:
            _model(page, model)
        if result.link_warnings:
            page.title("Code and models")
            page.lines((f"- {text}" for text in result.link_warnings), indent=2)
        _worst_run(page, result)
        page.written(files)
        if any(finding.code in DRIFTED for model in result.models for finding in model.findings):
            page.title("If the change is meant")
            if any(finding.code not in (0, *DRIFTED) for model in result.models for finding in model.findings):
                page.line("First the rest of what fails, or no approval can be recorded. Then:", indent=2)
            page.line("epochal gate approve --reason '...', and commit epochal.lock.json with the change", indent=2)

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


GOOD: tuple[Kind, ...] = ("unchanged", "refactored")
DRIFTED = (ExitCode.DRIFTED, ExitCode.REFINEMENT_FAILS)
"""What an approval settles."""


def _row(model: ModelOutcome) -> tuple[tuple[str, Style], str, str, str]:
    style: Style = "bad" if model.code else "good" if model.verdict in GOOD else "warn"
    record = model.record
    states = counted(record.distinct_states, "state") if record else ""
    origin = {"cache": "from the cache", "search": timed(model.seconds), "": ""}[model.source]
    return (model.verdict, style), model.name, states, origin


def _model(page: Page, model: ModelOutcome) -> None:
    judgement = model.judgement
    turned = judgement.turned if judgement else ()
    notes = judgement.notes if judgement else ()
    difference = model.difference
    if not (model.findings or turned or notes):
        return
    within = ", ".join(f"{name} {value}" for name, value in model.bounds.items())
    page.title(f"{model.name} ({within})" if within else model.name)
    for finding, after in itertools.zip_longest(model.findings, model.findings[1:]):
        where = f"  [{finding.where}]" if finding.where is not None else ""
        page.line(f"{finding.kind}: {finding.message}{where}", "bad" if finding.code else "", indent=2)
        if finding.advice and (after is None or after.advice != finding.advice):
            page.line(f"{finding.advice}.", indent=4)
    page.lines((f"{name}: {before} before, {after} now" for name, before, after in turned), indent=2)
    page.lines(notes, indent=2)
    if judgement is not None and judgement.approved is not None:
        page.line(f"approved in the lock file: {judgement.approved or '(no reason)'}", indent=2)
    if difference is not None and (found := changes(difference)):
        page.table(
            [(title(a.action), a.kind, f"{a.lost.steps:,}", f"{a.gained.steps:,}") for a in found],
            header=("ACTION", "", "STEPS GONE", "STEPS NEW"),
            right=(2, 3),
        )
        if difference.cut:
            page.line(f"not in every state: {difference.cut}", "warn", indent=2)


def _worst_run(page: Page, result: Outcomes) -> None:
    """The run of the most severe finding that has one."""
    told = next((f for _, f in (*result.failures(), *result.warnings()) if f.trace is not None), None)
    if told is not None and told.trace is not None:
        page.title("Counterexample" if told.kind == "violated" else "The shallowest step of its kind")
        page.lines(story(told.trace), indent=2)


def render_lock(page: Page, lock: Lock) -> None:
    """What is recorded in a lock file, a row a model."""
    rows = []
    for name, locked in lock.models.items():
        record = locked.record
        bounds = ", ".join(f"{bound} {value}" for bound, value in record.bounds.items())
        expected = f"violated: {', '.join(locked.expected_violations)}" if locked.expected_violations else "holds"
        states = f"{record.distinct_states:,}{'' if record.exhaustive else ' so far'}"
        rows.append((name, record.protocol, states, str(record.depth), bounds, expected, locked.reason))
    header = ("MODEL", "PROTOCOL", "STATES", "DEPTH", "BOUNDS", "EXPECTED", "REASON")
    page.table(rows, header=header, right=(2, 3))
