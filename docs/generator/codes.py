"""The page of exit codes, from the table that `epochal explain` reads."""

from __future__ import annotations

from click.testing import CliRunner

from epochal.cli.main import main

from .markdown import page

INTRODUCTION = """
What a command ends with says what it has found, for scripts and for CI. This is what `epochal explain` prints;
`epochal explain 12` says of one code what to do next.
"""


def codes() -> str:
    """The codes with their meanings."""
    done = CliRunner().invoke(main, ["explain"], prog_name="epochal")
    lines = done.stdout.splitlines()
    name, meaning = lines[0].index("NAME"), lines[0].index("MEANING")
    rows = [(line[:name].strip(), line[name:meaning].strip(), line[meaning:].strip()) for line in lines[1:] if line]
    told = "\n".join(f"| {code} | {title} | {what} |" for code, title, what in rows)
    return page("Exit codes", INTRODUCTION, f"| code | name | meaning |\n| ---: | --- | --- |\n{told}")
