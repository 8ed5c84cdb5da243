"""`epochal mutate`: take away each guard of a protocol in turn, and see whether anybody notices."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epochal.cli.command import ProtocolCommand
from epochal.cli.options import (
    budget_option,
    engine_option,
    format_option,
    max_memory_option,
    max_states_option,
    progress_option,
    properties_option,
    protocol_argument,
    symmetry_option,
    workers_option,
)
from epochal.errors import EpochalError, UsageError
from epochal.exit_codes import ExitCode

if TYPE_CHECKING:
    from epochal.checker.mutation.mutants import Mutant
    from epochal.checker.search.result import CheckResult
    from epochal.spec.language import Protocol
    from epochal.spec.loading import Subject


@click.command(
    "mutate",
    cls=ProtocolCommand,
    examples=(
        "epochal mutate async-isr --replicas 2 --max-offset 1 --max-version 1",
        "epochal mutate kip-320 --only become_follower",
        "epochal mutate kraft --only 'may_join: drop conjunct #4' --replication-factor 2 --max-epoch 1 --symmetry",
        "epochal mutate kip-320 --only 'leader_expands_isr: drop require #4' --max-epoch 1 --format json",
    ),
)
@protocol_argument
@properties_option
@click.option(
    "--only",
    metavar="PATTERN",
    help="Only the mutants whose id contains this text; * stands for anything.",
)
@click.option(
    "--survivors",
    type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path),
    metavar="FILE",
    help="A TOML file of the survivors that are accepted, each with a reason. Others end with exit code 21, and listed "
    "ones that no longer survive with 20.",
)
@engine_option
@workers_option
@symmetry_option
@budget_option
@max_states_option
@max_memory_option
@format_option
@progress_option
def command(
    subject: Subject,
    properties: tuple[str, ...],
    only: str | None,
    survivors: Path | None,
    engine: str,
    workers: int | None,
    symmetry: bool,
    budget: float | None,
    max_states: int | None,
    max_memory: int | None,
    output_format: str,
    progress: str,
) -> int:
    """Take away each guard of PROTOCOL in turn, and tell which property breaks without it.

    Each `require` that its actions use goes away, each operand of an `and`, each truncation of a log, each comparison
    of epochs; in rules that are inherited or shared as well. The protocol is searched once, and then each mutant until
    its first violation; the budgets are for each search. Properties keep their meaning, and those that the protocol
    itself violates are not judged.

    A mutant is killed if a property breaks, a rule can no longer be evaluated, or something that must be reachable is
    not. It survives if its states and steps are the same. Exit code 0: no mutant survives, or only those that
    --survivors lists; 21: another one survives; 20: a listed one does not; 30: a budget is spent.
    """
    from epochal.checker.mutation.mutants import mutants_of
    from epochal.checker.mutation.outcomes import Judge
    from epochal.checker.mutation.result import MutationResult, chosen
    from epochal.checker.search.result import Options
    from epochal.cli.engines import search_of
    from epochal.cli.render.mutation_json import mutation_document
    from epochal.cli.render.mutation_progress import shown_mutants
    from epochal.cli.render.mutation_text import render_mutation
    from epochal.cli.render.page import open_page
    from epochal.cli.survivors import read_survivors

    wall, cpu = time.monotonic(), time.process_time()
    protocol, search = subject.protocol, search_of(engine)
    accepted = read_survivors(survivors, protocol) if survivors is not None else None
    every = mutants_of(protocol)
    wanted = _chosen(every, only, protocol)
    options = Options(properties or None, True, budget, max_states, max_memory, workers=workers, symmetry=symmetry)
    original = _searched(search(protocol, options), subject.reference)
    judge = Judge(original, search, replace(options, all_violations=False))
    outcomes = []
    with shown_mutants(progress, sys.stderr, len(wanted)) as report:
        for outcome in judge.outcomes(wanted):
            outcomes.append(outcome)
            report(outcome)
    result = MutationResult(
        original,
        wanted,
        tuple(outcomes),
        None if accepted is None else chosen(accepted, (m.id for m in wanted), (m.id for m in every)),
        time.monotonic() - wall,
        time.process_time() - cpu,
    )
    if output_format == "json":
        click.echo(json.dumps(mutation_document(result, subject.reference), indent=1))
    else:
        render_mutation(open_page(sys.stdout), result, len(every))
    return result.exit_code


def _chosen(mutants: tuple[Mutant, ...], only: str | None, protocol: Protocol) -> tuple[Mutant, ...]:
    """The mutants whose id contains the pattern. Fails if there are none."""
    if not mutants:
        raise UsageError(f"{protocol.name} has no guard that could be taken away: no require, no truncation.")
    found = tuple(m for m in mutants if only is None or fnmatchcase(m.id, f"*{_literal(only)}*"))
    if not found:
        raise UsageError(
            f"no mutant of {protocol.name} has {only!r} in its id.\n"
            f"  There are {len(mutants)}; the first is '{mutants[0].id}'.",
        )
    return found


def _literal(pattern: str) -> str:
    """A pattern in which only * is special."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def _searched(result: CheckResult, reference: str) -> CheckResult:
    """The search of the original, which must be complete: everything is compared with it."""
    if result.error is not None:
        raise EpochalError(
            f"a rule of {result.protocol.name} cannot be evaluated even without a mutation: {result.error.message}.\n"
            f"  'epochal check {reference}' shows the run.",
            exit_code=ExitCode.EVALUATION_FAILED,
        )
    if not result.exhaustive:
        raise EpochalError(
            f"{result.protocol.name} itself cannot be searched completely, so its mutants have nothing to be compared "
            f"with: {result.cut}.\n  Use smaller bounds, or a larger budget.",
            exit_code=ExitCode.ENGINE_FAILURE if result.engine_failed else ExitCode.INCONCLUSIVE,
        )
    return result
