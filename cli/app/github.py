"""What GitHub Actions reads of a run: annotations on the output, and the summary of the step."""

from __future__ import annotations

import os
from pathlib import Path

import click

from epochal.checker.gate.reports import summary, within, workflow_commands
from epochal.checker.gate.verdict import GateResult


def tell_github(result: GateResult, prefix: str, fallback: str, err: bool) -> None:
    """Annotate and summarise, if GitHub Actions runs this process. With `err` annotations go to stderr.

    `prefix` is the working folder below the top of the repository, `fallback` the file of findings that have no line.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for line in workflow_commands(within(result, Path.cwd(), fallback), prefix):
        click.echo(line, err=err)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(summary(result, {}))
