"""`epochal gate add`: a protocol becomes a model of the gate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epochal.checker.gate.settings import PROFILES, ModelSettings
from epochal.render.shown import tell

from ..app.command import ProtocolCommand
from ..app.options import budget_option, engine_option, progress_option, protocol_argument
from ..app.setting_options import BOUNDS

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "add",
    cls=ProtocolCommand,
    examples=("epochal gate add truncate-to-hw --replicas 2 --expect-violated weak_isr --expect-violated strong_isr",),
)
@protocol_argument
@click.option("--name", metavar="NAME", help="The name of the model. Default: the name of the protocol.")
@click.option(
    "--expect-violated", multiple=True, metavar="ID", help="A property that must be violated. May be repeated."
)
@click.option(
    "--expect-never", multiple=True, metavar="ACTION", help="An action that is never enabled at these bounds."
)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default=PROFILES[0],
    show_default=True,
    help="The profile that checks the model.",
)
@budget_option
@engine_option
@progress_option
def add(
    subject: Subject,
    name: str | None,
    expect_violated: tuple[str, ...],
    expect_never: tuple[str, ...],
    profile: str,
    budget: float | None,
    engine: str,
    progress: str,
) -> None:
    """Add PROTOCOL, within these bounds, to the models of the gate, and record its behaviour.

    PROTOCOL is a registered name, or path/to/file.py:Name for one of your own. The model is written to epochal.toml, or
    to pyproject.toml if that has a [tool.epochal] table, and its behaviour to epochal.lock.json. Commit both. Bounds
    that are not given are the protocol's defaults; for kraft and its variants they are small ones at which every action
    occurs, including a crash that loses data, and at which a search takes seconds.
    """
    from epochal.checker.gate.baseline import add_model
    from epochal.checker.gate.bounds import bounds_of
    from epochal.render.page import open_page
    from epochal.spec.language.configurable import configuration_of
    from epochal.spec.language.reference import split_reference

    settings = ModelSettings(
        name or "",
        split_reference(subject.reference)[0],
        bounds_of(subject.protocol, bool(click.get_current_context().meta.get(BOUNDS))),
        expect_violated,
        expect_never,
        profile,
        configuration=configuration_of(subject.protocol),
    )
    told = (lambda _: None) if progress in ("none", "json") else tell
    page = open_page(sys.stdout)
    for line in add_model(Path.cwd(), settings, engine, budget, told):
        page.line(line)
