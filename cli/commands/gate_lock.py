"""`epochal gate approve` and `show`: the behaviour that is approved, in epochal.lock.json."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from epochal.errors import ConfigurationError
from epochal.render.shown import tell

from ..app.command import EpochalCommand
from ..app.options import budget_option, engine_option, progress_option
from .gate_add import add

reason_option = click.option("--reason", metavar="TEXT", help="The reason for the change; stored in the lock file.")


@click.command(
    "approve",
    cls=EpochalCommand,
    examples=("epochal gate approve", "epochal gate approve kip-320 --reason 'the fence of KIP-320'"),
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@reason_option
@budget_option
@engine_option
@progress_option
def approve(models: tuple[str, ...], reason: str | None, budget: float | None, engine: str, progress: str) -> None:
    """Approve the present behaviour of every configured model, or of the MODELS given.

    --reason is required if behaviour differs from the lock file. An unexpected violation, a missing witness or an
    action that is never enabled is refused: correct it, or declare it in the configuration first.
    """
    from epochal.checker.gate.baseline import update_lock
    from epochal.render.page import open_page

    told = (lambda _: None) if progress in ("none", "json") else tell
    page = open_page(sys.stdout)
    for line in update_lock(Path.cwd(), models, reason, engine, budget, told):
        page.line(line)


@click.command("show", cls=EpochalCommand, examples=("epochal gate show",))
def show() -> None:
    """List the approved behaviour of the lock file."""
    from epochal.checker.gate import lock_file
    from epochal.checker.gate.lock_file import NAME
    from epochal.render.gate_text import render_lock
    from epochal.render.page import open_page

    lock = lock_file.read(Path(NAME))
    if lock is None:
        raise ConfigurationError(f"there is no {NAME}.\n  Make it: epochal gate approve")
    render_lock(open_page(sys.stdout), lock)


COMMANDS: Final = {"add": add, "approve": approve, "show": show}
"""The commands below `epochal gate`, by name."""
