"""The page of commands, from click's own help."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from docs.generator.markdown import fenced, page, table
from epochal.cli.app.command import CommandWithOthers
from epochal.cli.main import main

INTRODUCTION = """
Every command has `--help`, and its help ends with examples. Where a command takes PROTOCOL, the bounds and the words
of that protocol are options as well: `epochal check kip-320 --help` lists them, and so does `epochal show kip-320`.
Options may stand in `epochal.toml`, or in `pyproject.toml` under `tool.epochal`. Exit codes have [their
page](exit-codes.md).
"""


def commands() -> str:
    """One section a command.

    The context is as the entry point makes it: a command keeps the help option of the first that asks it for one.
    """
    context = click.Context(main, info_name="epochal", **main.context_settings)
    return page("Commands", INTRODUCTION, *_sections(main, context))


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        below = click.Context(command, info_name=name, parent=context)
        level = "##" if group is main else "###"
        yield f"{level} {below.command_path}\n\n{_told(command, below)}"
        if isinstance(command, click.Group):
            yield from _sections(command, below)
        elif isinstance(command, CommandWithOthers):
            for inner_name, inner in command.commands.items():
                within = click.Context(inner, info_name=f"{name} {inner_name}", parent=context)
                yield f"### {within.command_path}\n\n{_told(inner, within)}"


def _told(command: click.Command, context: click.Context) -> str:
    usage = re.sub(r"^Usage: ", "", command.get_usage(context).strip())
    parts = [fenced(" ".join(usage.split()))]
    parts += [" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n")]
    options = [record for one in command.get_params(context) if (record := one.get_help_record(context))]
    rows = [(names, told) for names, told in options if names.startswith("-") and "--help" not in names]
    if rows:
        parts.append(table(("option", "what it does"), ((_code(names), told) for names, told in rows)))
    examples = getattr(command, "examples", ())
    if examples:
        parts.append(fenced("\n".join(examples), "sh"))
    return "\n\n".join(parts)


def _code(names: str) -> str:
    """Names of an option in code; a bar within them is written so that a table keeps it."""
    return f"<code>{names.replace('|', '&#124;')}</code>"
