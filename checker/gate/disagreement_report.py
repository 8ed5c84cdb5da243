"""A disagreement of two semantics as a report: its run is kept, and what it says is written for people and as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epochal.exit_codes import ExitCode

from ..command_lines import bounds_as_options
from ..trace.output_folder import trace_name

if TYPE_CHECKING:
    from pathlib import Path

    from ..crosscheck.cross_check import Disagreement, SemanticsDisagree
    from ..trace.trace import Trace
    from .verdict import GateFinding


FOLDER = "disagreements"
"""The part of the cache folder where runs are kept that no --out asks for."""


def kept(found: Disagreement, reference: str, folder: Path | None = None) -> tuple[Path | None, str]:
    """Where the run to a disagreement was written, or why it was not; in the cache folder if no other is given."""
    if found.trace is None:
        return None, "what was reached is no state, which no trace can show"
    from ..base.cache import cache_folder
    from ..trace.itf import write_trace

    at = folder if folder is not None else cache_folder() / FOLDER
    path = at / trace_name(found.protocol.name, f"disagreement {found.about}")
    try:
        at.mkdir(parents=True, exist_ok=True)
        write_trace(path, named(found.trace, reference))
    except OSError as error:
        return None, f"{path} cannot be written: {error.strerror or error}"
    return path, ""


def disagreement_finding(error: SemanticsDisagree, reference: str) -> GateFinding:
    """A disagreement as what the gate says of a model: it has no verdict."""
    from .verdict import GateFinding

    found = error.disagreement.alone
    path, problem = kept(found, reference)
    trace = None if found.trace is None else named(found.trace, reference)
    text = message(found, reference, path, problem)
    return GateFinding("semantics disagree", ExitCode.READINGS_DISAGREE, text, "", found.where, trace)


def named(trace: Trace, reference: str) -> Trace:
    """The trace, which says how its protocol is called."""
    return replace(trace, facts={**trace.facts, "protocol": reference})


def message(found: Disagreement, reference: str, path: Path | None, problem: str) -> str:
    """The disagreement for people: the rule, both answers, the state, the run, and what to do."""
    from epochal.spec.language.configurable import quoted

    bounds = bounds_as_options(found.protocol.bounds.as_dict())
    run = f"the run to it: {path} ('epochal replay' takes it in every semantics)" if path else f"no run: {problem}"
    python = " ".join(part for part in ("epochal check", quoted(reference), bounds, "--engine python") if part)
    return "\n  ".join(
        [
            *found.lines(),
            run,
            "Nothing that was found counts. This is a bug in Epochal: report it with these lines and the file of the "
            "specification.",
            f"The Python semantics define what the specification means: {python}",
        ]
    )
