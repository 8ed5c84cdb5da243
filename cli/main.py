"""The entry point: `epochal COMMAND ...`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

from .app.command import LazyCommand, LazyGroup

COMMANDS: Final = (
    LazyCommand("list", "List the protocols that can be checked by name.", module="protocols:list_protocols"),
    LazyCommand("new", "Write a specification of your own to start from.", module="protocols:new"),
    LazyCommand("show", "Show a protocol: bounds, state, actions, properties, size.", module="protocols:show"),
    LazyCommand("check", "Explore every reachable state and check every property."),
    LazyCommand("explore", "Step through a protocol or a run in the browser."),
    LazyCommand("liveness", "Check liveness properties, and the fairness they need.", module="check:liveness_command"),
    LazyCommand("prove", "Prove invariants for any number of steps, by induction.", module="solver:prove_command"),
    LazyCommand("bmc", "Ask Z3 for a shortest violation within a number of steps.", module="solver:bmc_command"),
    LazyCommand("compare", "Show which steps a change takes away, and which it adds."),
    LazyCommand("guarantees", "Show what Kafka guarantees under which faults, by search."),
    LazyCommand("gate", "Show what a change changes, and whether that is approved."),
    LazyCommand(
        "baseline", "The former name of 'epochal gate add, approve, show'.", hidden=True, module="gate:baseline"
    ),
    LazyCommand("cache", "Show or clear the results that are kept on this machine.", module="about:cache"),
    LazyCommand("mutate", "Take away each guard in turn, and see which property breaks."),
    LazyCommand(
        "catalogue", "Search the known bugs, each without its rule and with it.", module="bugs:catalogue_command"
    ),
    LazyCommand("catalog", "The same as 'catalogue'.", hidden=True, module="bugs:catalogue_command"),
    LazyCommand("bugs", "The same as 'catalogue'.", hidden=True, module="bugs:catalogue_command"),
    LazyCommand("simulate", "Take random runs: a first look where checking is too long."),
    LazyCommand("graph", "Draw every state of a small protocol, and every step.", module="states:graph_command"),
    LazyCommand("export", "Write the states of a search as tables, for SQL.", module="states:export_command"),
    LazyCommand("export-tla", "Write a protocol in TLA+, for TLC.", module="states:export_tla_command"),
    LazyCommand("sweep", "Run many queries side by side, into a table.", module="states:sweep_command"),
    LazyCommand("replay", "Run a stored trace again, step by step.", module="traces:replay"),
    LazyCommand("audit", "Show what a cluster guarantees topics, and what to change.", module="clusters:audit_command"),
    LazyCommand("policy", "Write a policy that refuses topics which lose records.", module="clusters:policy_command"),
    LazyCommand("conform", "Check what brokers left behind: is it a run of Kafka?", module="clusters:conform_command"),
    LazyCommand("lockstep", "Run Kafka's own classes, step by step with the specification."),
    LazyCommand("trace", "Show a stored trace, or export it as a diagram or a story.", module="traces:trace"),
    LazyCommand(
        "counterexamples",
        "Regenerate the folder of known protocol bugs.",
        hidden=True,
        module="bugs:counterexamples_command",
    ),
    LazyCommand("explain", "Explain a word: an exit code, a property, a setting, a KIP.", module="about:explain"),
    LazyCommand("schema", "Print the JSON schema of what --format json prints.", module="about:schema"),
    LazyCommand("mcp", "Serve coding agents: queries as tools, over stdin and stdout."),
    LazyCommand("doctor", "Check that this machine has what Epochal needs.", module="about:doctor"),
)

START = """\
Epochal checks Kafka's replication protocol: it explores every state of an executable specification, and shows each
bug as its shortest run.

  epochal check kip-101          find the bug that Kafka 0.11 was left with, as a story
  epochal show kip-320           what the repair consists of: state, actions, properties
  epochal prove kip-320          that it holds, for any number of steps
  epochal guarantees             what Kafka guarantees under which faults
  epochal list                   what else there is to check, and where to start
  epochal new mine.py            a specification of your own, which checks at once

epochal --help lists every command, epochal COMMAND --help its options, and epochal explain WORD says what words mean.
"""
"""What `epochal` alone prints."""

EXAMPLES: Final = (
    "epochal list",
    "epochal check kip-101",
    "epochal check kip-320 --replicas 3 --log-size 2 --records 2 --max-epoch 2",
)


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from epochal.checker.base.installed import checked_out, tool_version

        commit = checked_out()
        click.echo(f"epochal {tool_version()}{f' ({commit})' if commit else ''}")
        ctx.exit()


@click.group(
    "epochal",
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    examples=EXAMPLES,
    invoke_without_command=True,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version, and the commit of a checkout.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Check Kafka's replication protocol: explore every state of an executable specification, and show each bug as
    its shortest run."""
    if ctx.invoked_subcommand is None:
        click.echo(START, nl=False)


def _steady_output() -> None:
    """Make sure there is an output that takes every character, also where the terminal or the caller gives none."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


_steady_output()

if __name__ == "__main__":
    main()
