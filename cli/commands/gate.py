"""`epochal gate`: what a change to a specification changes in its behaviour, and whether that is approved."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from epochal.api.options import OWN
from epochal.checker.gate.configuration import ModelSettings
from epochal.errors import ConfigurationError
from epochal.report.page import tell

from ..app.command import BOUNDS, CommandWithOthers, EpochalCommand, EpochalGroup, ProtocolCommand
from ..app.options import Output, option, options, output, protocol_argument
from ..app.watch import watched

if TYPE_CHECKING:
    from epochal.checker.gate.verdict import GateResult
    from epochal.spec.loading import Subject


def tell_github(result: GateResult, prefix: str, fallback: str, err: bool) -> None:
    """Annotate and summarise, if GitHub Actions runs this process. With `err` annotations go to stderr.

    `prefix` is the working folder below the top of the repository, `fallback` the file of findings that have no line.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from epochal.checker.gate.reports import summary, within, workflow_commands

    for line in workflow_commands(within(result, Path.cwd(), fallback), prefix):
        click.echo(line, err=err)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(summary(result, {}))


def _print_schema(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from epochal.checker.gate.reports import gate_schema

        click.echo(json.dumps(gate_schema(), indent=1))
        ctx.exit()


@click.command(
    "gate",
    cls=CommandWithOthers,
    others=(
        ("add", "Add a protocol to the models of the gate, and record its behaviour."),
        ("approve", "Approve the present behaviour of the models."),
        ("show", "List the approved behaviour of the lock file."),
    ),
    others_from="epochal.cli.commands.gate",
    examples=(
        "epochal gate",
        "epochal gate --base HEAD --out report",
        "epochal gate --profile nightly --budget 20m --fail-on narrowed",
        "epochal gate --only-changed --format json",
        "epochal gate --schema",
    ),
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@options("base baseline profile budget only_changed fail_on engine", of="gate")
@output("Write result.json, summary.md, JUnit, SARIF and traces to this folder.")
@watched("Run again whenever a file that matters is saved, until Ctrl-C.")
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON schema of result.json.",
)
def command(models: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Check every configured model and compare its behaviour with the approved behaviour.

    The models are those of [tool.epochal.model.*]; 'epochal gate add' writes them. The approved behaviour is recorded
    in epochal.lock.json. With --base the gate compares with the specification of another commit, step by step. Exit
    code 0: every change is approved; 12: a property is violated; 20: an unapproved change of behaviour; 21: a known bug
    or a witness is no longer found; 22: an action is never enabled; 30: a budget is spent.
    """
    from epochal.api.gate import gate
    from epochal.report.page import tell

    output.folder()
    silent = output.progress in ("none", "json")
    result = output.ask(gate, *models, tell=(lambda _: None) if silent else tell, **asked)
    output.show(result, result.write(output.out) if output.out is not None else [])
    run = result.run
    tell_github(run.result, run.prefix, run.fallback, err=output.output_format == "json")
    return result.exit_code


# -- gate add ---------------------------------------------------------------------------------------------------------
# `epochal gate add`: a protocol becomes a model of the gate.


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
@option("profile", replace(OWN["gate"]["profile"], help="The profile that checks the model."))
@options("budget engine progress", of="gate")
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
    from epochal.checker.gate.baseline import add_model, bounds_of
    from epochal.report.page import open_page
    from epochal.spec.language.configurable import configuration_of, split_reference

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


# -- gate lock --------------------------------------------------------------------------------------------------------
# `epochal gate approve` and `show`: the behaviour that is approved, in epochal.lock.json.


@click.command(
    "approve",
    cls=EpochalCommand,
    examples=("epochal gate approve", "epochal gate approve kip-320 --reason 'the fence of KIP-320'"),
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--reason", metavar="TEXT", help="The reason for the change; stored in the lock file.")
@options("budget engine progress", of="gate")
def approve(models: tuple[str, ...], reason: str | None, budget: float | None, engine: str, progress: str) -> None:
    """Approve the present behaviour of every configured model, or of the MODELS given.

    --reason is required if behaviour differs from the lock file. An unexpected violation, a missing witness or an
    action that is never enabled is refused: correct it, or declare it in the configuration first.
    """
    from epochal.checker.gate.baseline import update_lock
    from epochal.report.page import open_page

    told = (lambda _: None) if progress in ("none", "json") else tell
    page = open_page(sys.stdout)
    for line in update_lock(Path.cwd(), models, reason, engine, budget, told):
        page.line(line)


@click.command("show", cls=EpochalCommand, examples=("epochal gate show",))
def show() -> None:
    """List the approved behaviour of the lock file."""
    from epochal.api.gate import render_lock
    from epochal.checker.gate.record import NAME, read_lock
    from epochal.report.page import open_page

    lock = read_lock(Path(NAME))
    if lock is None:
        raise ConfigurationError(f"there is no {NAME}.\n  Make it: epochal gate approve")
    render_lock(open_page(sys.stdout), lock)


COMMANDS: Final = {"add": add, "approve": approve, "show": show}
"""The commands below `epochal gate`, by name."""


@click.group(
    "baseline",
    cls=EpochalGroup,
    commands={"add": add, "update": approve, "show": show},
    examples=("epochal gate add kip-320 --max-epoch 1", "epochal gate approve", "epochal gate show"),
)
def baseline() -> None:
    """Record, show or extend the behaviour that is approved: the former name of 'epochal gate add, approve, show'."""
