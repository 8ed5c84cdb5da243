"""`epochal gate`: what a change to a specification changes in its behaviour, and whether that is approved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from epochal.checker.gate.settings import FAIL_ON, PROFILES

from ..app.group import CommandWithOthers
from ..app.groups import Output, output
from ..app.options import budget_option, engine_option
from ..app.watch import watched


def _print_schema(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from epochal.checker.gate.reports.schema import gate_schema

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
    others_from="epochal.cli.commands.gate_lock",
    examples=(
        "epochal gate",
        "epochal gate --base HEAD --out report",
        "epochal gate --profile nightly --budget 20m --fail-on narrowed",
        "epochal gate --only-changed --format json",
        "epochal gate --schema",
    ),
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--base", metavar="REF", help="Compare with this commit, such as origin/main, instead of the lock file.")
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The lock file.  [default: epochal.lock.json]",
)
@click.option(
    "--profile", type=click.Choice(PROFILES), default=PROFILES[0], show_default=True, help="Which models to check."
)
@budget_option
@click.option("--only-changed", is_flag=True, help="Skip models whose rules are unchanged.")
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    multiple=True,
    help="Also fail on this result, which is a warning by default.",
)
@engine_option
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
    from epochal.door.gate import gate
    from epochal.door.question import as_far_as_it_came
    from epochal.render.shown import tell

    from ..app.github import tell_github

    output.folder()
    silent = output.progress in ("none", "json")
    with output.reporting() as report:
        result = as_far_as_it_came(gate, *models, progress=report, tell=(lambda _: None) if silent else tell, **asked)
    output.show(result, result.write(output.out) if output.out is not None else [])
    run = result.run
    tell_github(run.result, run.prefix, run.fallback, err=output.output_format == "json")
    return result.exit_code
