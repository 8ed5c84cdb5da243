"""Annotations of GitHub Actions: workflow commands that put a finding beside the line it is about.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from typing import Final

from ..outcome import GateResult, ModelOutcome
from ..verdict import GateFinding, Kind
from .places import repository_path

WARNED: Final[tuple[Kind, ...]] = ("narrowed", "inconclusive", "widened", "changed", "unseen")
"""The verdicts that are told where they do not fail."""

MOST = 10
"""GitHub shows no more of a kind for one step."""


def workflow_commands(result: GateResult, prefix: str) -> list[str]:
    """The commands, worst first: at most ten errors and how many more there are, then as many warnings."""
    failures = result.failures()
    told = [(m, f) for m, f in result.warnings() if f.kind in WARNED]
    lines = [_command("error", model, finding, prefix) for model, finding in failures[:MOST]]
    if len(failures) > MOST:
        lines.append(f"::error::+{len(failures) - MOST} more; see the summary")
    lines += [_command("warning", model, finding, prefix) for model, finding in told[:MOST]]
    return lines + [f"::warning::{_data(text)}" for text in result.link_warnings[:MOST]]


def _command(level: str, model: ModelOutcome, finding: GateFinding, prefix: str) -> str:
    title = f"epochal: {model.name}: {finding.kind}"
    place = ""
    if finding.where is not None:
        path = repository_path(finding.where, prefix)
        place = f"file={_property(path)},line={finding.where.line},"
    return f"::{level} {place}title={_property(title)}::{_data(finding.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
