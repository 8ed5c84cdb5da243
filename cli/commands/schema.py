"""`epochal schema`: the JSON schema of what `--format json` prints."""

from __future__ import annotations

import json

import click

from ..app.command import EpochalCommand


@click.command("schema", cls=EpochalCommand, examples=("epochal schema check", "epochal schema"))
@click.argument("command_name", required=False, metavar="[COMMAND]")
def command(command_name: str | None) -> None:
    """Print the JSON schema of the --format json output of COMMAND; without COMMAND, of all commands.

    The schemas follow JSON Schema, draft 2020-12. New versions add keys; they rename none.
    """
    from epochal.report.schema import COMMANDS, schema_of

    if command_name is not None:
        click.echo(json.dumps(schema_of(command_name), indent=1))
    else:
        click.echo(json.dumps({name: schema_of(name) for name in COMMANDS}, indent=1))
