"""`epochal mutate`: take away each guard of a protocol in turn, and see whether anybody notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..app.command import ProtocolCommand
from ..app.options import Output, engine_option, options, printed, protocol_argument

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
@options("properties only survivors", engine_option, "workers symmetry liveness budget max_states max_memory")
@printed
def command(subject: Subject, properties: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Remove each guard of PROTOCOL in turn, and report which property breaks without it.

    A mutant lacks one `require`, one operand of an `and`, one truncation of a log, or one comparison of epochs, in
    inherited and shared rules as well. The protocol is searched once, and each mutant up to its first violation. A
    mutant without a violation is also checked against the liveness properties that the protocol satisfies. --budget
    covers all searches, --max-states and --max-memory each one. Properties keep their meaning. Properties that the
    protocol itself violates are not checked.

    A mutant is killed if it violates a property, if a rule can no longer be evaluated, or if a state that must be
    reachable is not. It survives if its states and steps are the same. Exit code 0: no mutant survives, except those
    that --survivors lists; 21: another mutant survives; 20: a listed one is killed; 30: a budget is spent.
    """
    from epochal.api.mutate import TELLING, mutate

    return output.show(output.ask_about(subject, mutate, properties, telling=TELLING, **asked))
