"""`epochal gate add`, `approve` and `show`: the behaviour that is approved, in epochal.lock.json."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from epochal.checker.gate.settings import PROFILES, ModelSettings
from epochal.errors import ConfigurationError
from epochal.render.shown import tell

from ..app.command import EpochalCommand, ProtocolCommand
from ..app.options import budget_option, engine_option, protocol_argument

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

reason_option = click.option("--reason", metavar="TEXT", help="Why behaviour changed; stored in the lock file.")


@click.command(
    "approve",
    cls=EpochalCommand,
    examples=("epochal gate approve", "epochal gate approve kip-320 --reason 'the fence of KIP-320'"),
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@reason_option
@budget_option
@engine_option
def approve(models: tuple[str, ...], reason: str | None, budget: float | None, engine: str) -> None:
    """Record the present behaviour of every configured model, or of those named, as the approved one.

    --reason is required where behaviour differs from what is recorded. A violation that is not expected, a missing
    witness or an action that can never happen is refused: correct it, or declare it in the configuration first.
    """
    from epochal.checker.gate.baseline import update_lock
    from epochal.render.page import open_page

    page = open_page(sys.stdout)
    for line in update_lock(Path.cwd(), models, reason, engine, budget, tell):
        page.line(line)


@click.command("show", cls=EpochalCommand, examples=("epochal gate show",))
def show() -> None:
    """List what is recorded in the lock file."""
    from epochal.checker.gate import lock_file
    from epochal.checker.gate.lock_file import NAME
    from epochal.render.page import open_page

    lock = lock_file.read(Path(NAME))
    if lock is None:
        raise ConfigurationError(f"there is no {NAME}.\n  Make it: epochal gate approve")
    rows = []
    for name, locked in lock.models.items():
        record = locked.record
        bounds = ", ".join(f"{bound} {value}" for bound, value in record.bounds.items())
        expected = f"violated: {', '.join(locked.expected_violations)}" if locked.expected_violations else "holds"
        states = f"{record.distinct_states:,}{'' if record.exhaustive else ' so far'}"
        rows.append((name, record.protocol, states, str(record.depth), bounds, expected, locked.reason))
    header = ("MODEL", "PROTOCOL", "STATES", "DEPTH", "BOUNDS", "EXPECTED", "REASON")
    open_page(sys.stdout).table(rows, header=header, right=(2, 3))


@click.command(
    "add",
    cls=ProtocolCommand,
    examples=("epochal gate add truncate-to-hw --replicas 2 --expect-violated weak_isr --expect-violated strong_isr",),
)
@protocol_argument
@click.option("--name", metavar="NAME", help="What the model is called; else as the protocol.")
@click.option(
    "--expect-violated", multiple=True, metavar="ID", help="A property that must be violated; may be repeated."
)
@click.option("--expect-never", multiple=True, metavar="ACTION", help="An action that cannot happen at these bounds.")
@click.option(
    "--profile", type=click.Choice(PROFILES), default=PROFILES[0], show_default=True, help="When it is checked."
)
@budget_option
@engine_option
def add(
    subject: Subject,
    name: str | None,
    expect_violated: tuple[str, ...],
    expect_never: tuple[str, ...],
    profile: str,
    budget: float | None,
    engine: str,
) -> None:
    """Add PROTOCOL, within these bounds, to the models of the gate, and record its behaviour.

    PROTOCOL is a registered name, or path/to/file.py:Name for one of your own. The model is written to epochal.toml, or
    to pyproject.toml if that has a [tool.epochal] table, and its behaviour to epochal.lock.json. Commit both.
    """
    from epochal.checker.gate.baseline import add_model
    from epochal.render.page import open_page
    from epochal.spec.language.configurable import configuration_of
    from epochal.spec.language.reference import split_reference

    settings = ModelSettings(
        name or "",
        split_reference(subject.reference)[0],
        subject.protocol.bounds.as_dict(),
        expect_violated,
        expect_never,
        profile,
        configuration=configuration_of(subject.protocol),
    )
    page = open_page(sys.stdout)
    for line in add_model(Path.cwd(), settings, engine, budget, tell):
        page.line(line)


COMMANDS: Final = {"add": add, "approve": approve, "show": show}
"""The commands below `epochal gate`, by name."""
