"""`epochal mutate`: take away each guard of a protocol in turn, and see whether anybody notices."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..app.command import ProtocolCommand
from ..app.groups import Limits, Output, limits, printed
from ..app.options import engine_option, properties_option, protocol_argument, symmetry_option, workers_option
from ..app.patience import begun_at
from ..app.questions import liveness_option

if TYPE_CHECKING:
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
@liveness_option
@limits
@printed
def command(
    subject: Subject,
    properties: tuple[str, ...],
    only: str | None,
    survivors: Path | None,
    engine: str,
    workers: int | None,
    symmetry: bool,
    liveness: bool,
    limits: Limits,
    output: Output,
) -> int:
    """Take away each guard of PROTOCOL in turn, and tell which property breaks without it.

    Each `require` that its actions use goes away, each operand of an `and`, each truncation of a log, each comparison
    of epochs; in rules that are inherited or shared as well. The protocol is searched once, and then each mutant until
    its first violation; where there is none, the promises that the protocol keeps (leads_to) are judged. --budget is
    for all of it, --max-states and --max-memory for each search. Properties keep their meaning, and those that the
    protocol itself violates are not judged.

    A mutant is killed if a property or promise breaks, a rule can no longer be evaluated, or something that must be
    reachable is not. It survives if its states and steps are the same. Exit code 0: no mutant survives, or only those
    that --survivors lists; 21: another one survives; 20: a listed one does not; 30: a budget is spent.
    """
    from epochal.door.mutate import mutate
    from epochal.door.question import as_far_as_it_came
    from epochal.render.mutation_progress import shown_mutants

    result = as_far_as_it_came(
        mutate,
        subject.protocol,
        only=only,
        survivors=survivors,
        engine=engine,
        properties=properties or None,
        workers=workers,
        symmetry=symmetry,
        liveness=liveness,
        reporting=partial(shown_mutants, output.progress, sys.stderr),
        reference=subject.reference,
        begun=begun_at(),
        **vars(limits),
    )
    return output.show(result)
