"""`epochal explain`: the exit codes, in words."""

from __future__ import annotations

import sys

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand


@click.command("explain", cls=EpochalCommand, examples=("epochal explain 12", "epochal explain"))
@click.argument("code", required=False, metavar="[CODE]")
def command(code: str | None) -> None:
    """Say in words what an exit code means and what to do; without CODE, list them all."""
    from epochal.render.page import open_page

    page = open_page(sys.stdout)
    if code is None:
        rows = [(str(e.value), e.title, e.meaning) for e in sorted(ExitCode)]
        page.table(rows, header=("CODE", "NAME", "MEANING"), right=(0,))
        return
    found = next((e for e in ExitCode if str(e.value) == code.strip()), None)
    if found is None:
        known = ", ".join(str(e.value) for e in sorted(ExitCode))
        raise click.UsageError(f"{code!r} is not an exit code of epochal. The codes are {known}.")
    page.line(f"{found.value}: {found.title}", "title")
    page.line(found.meaning, indent=2)
    page.line(found.advice, indent=2)
