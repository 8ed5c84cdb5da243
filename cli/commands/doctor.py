"""`epochal doctor`: whether this machine has what Epochal needs."""

from __future__ import annotations

import sys

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand


@click.command("doctor", cls=EpochalCommand, examples=("epochal doctor",))
def command() -> int:
    """Check Python, the compiler, processors, memory and the folders that Epochal writes to.

    What `epochal lockstep` needs, a JDK and the jars of a Kafka, is listed; without them everything else works.

    Exit code 153: a requirement is missing; the report says how to install it.
    """
    from epochal.checker.doctor import examined
    from epochal.kafka.lockstep import needed
    from epochal.report.page import open_page

    findings = [*examined(), *needed.examined()]
    page = open_page(sys.stdout)
    page.table([(("ok", "good") if f.ok else ("PROBLEM", "bad"), f.subject, f.found) for f in findings])
    for finding in findings:
        if not finding.ok:
            page.line()
            page.line(f"{finding.subject}: {finding.advice}", "warn")
    return ExitCode.HOLDS if all(f.ok for f in findings) else ExitCode.ENGINE_FAILURE
