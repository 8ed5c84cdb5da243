"""`epochal mcp`: the queries as tools for coding agents, by the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from epochal.errors import not_installed

from ..app.command import Duration, EpochalCommand, Size

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(
    "mcp",
    cls=EpochalCommand,
    examples=("epochal mcp", "epochal mcp --read tests/audit/clusters --run examples --time 2m --memory 4G"),
)
@click.option(
    "--read",
    "readable",
    type=_FOLDER,
    multiple=True,
    metavar="DIR",
    help="Let conform and audit read the files below this folder. May be repeated. Without it they read nothing.",
)
@click.option(
    "--run",
    "runnable",
    type=_FOLDER,
    multiple=True,
    metavar="DIR",
    help="Let agents run the specifications below this folder, with all your permissions. May be repeated. Without it "
    "only registered protocols are checked.",
)
@click.option(
    "--time", "seconds", type=Duration(), default="60s", show_default=True, help="The time that a call may take."
)
@click.option(
    "--memory", type=Size(), default="2G", show_default=True, help="The memory that the process of a call may use."
)
def command(readable: tuple[Path, ...], runnable: tuple[Path, ...], seconds: float, memory: int) -> None:
    """Serve coding agents: queries as tools of the Model Context Protocol, over stdin and stdout.

    The tools are check, show, explain, guarantees, catalogue, conform, audit and counterexample. An agent starts this
    command itself; its configuration names it. Each call is answered by a process of its own, which ends with the call,
    also if it is cancelled. An answer is the report, and the document of --format json; what is longer than 50,000
    characters is in a file that the answer names. The command needs 'epochal[mcp]'. It ends when its client leaves,
    with exit code 0; 153: the extra is not installed.
    """
    try:
        from ..mcp.server import ServerLimits, run
    except ModuleNotFoundError as missing:
        raise not_installed("the server for agents", str(missing.name).partition(".")[0], "mcp") from missing
    run(ServerLimits(tuple(map(Path.resolve, readable)), tuple(map(Path.resolve, runnable)), seconds, memory))
