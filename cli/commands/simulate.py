"""`epochal simulate`: random runs, where every state is too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from ..app.command import ProtocolCommand
from ..app.groups import Output, printed
from ..app.options import chosen_cross_check, cross_check_option, engine_option, protocol_argument, questions_option

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

RUNS = 1000
DEPTH = 60


@click.command(
    "simulate",
    cls=ProtocolCommand,
    examples=(
        "epochal simulate kip-320 --runs 1000 --depth 60 --seed 7",
        "epochal simulate truncate-to-hw --replicas 2 --runs 200 --depth 30 --engine python",
        "epochal simulate async-isr --replicas 2 --runs 50 --depth 20 --engine python --format json",
    ),
)
@protocol_argument
@click.option(
    "--runs", type=click.IntRange(min=1), default=RUNS, metavar="N", show_default=True, help="How many runs to take."
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=DEPTH,
    metavar="N",
    show_default=True,
    help="How many steps a run has, unless it comes to a dead end; it has one state more.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**64 - 1),
    default=0,
    metavar="N",
    show_default=True,
    help="The same seed gives the same runs.",
)
@questions_option
@engine_option
@cross_check_option
@printed
def command(
    subject: Subject,
    runs: int,
    depth: int,
    seed: int,
    properties: tuple[str, ...],
    engine: str,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
) -> int:
    """Take random runs of PROTOCOL: each step is chosen among the enabled ones with equal chances.

    It finds shallow bugs quickly where checking takes too long, and shows which actions happen at all. A violation that
    it finds is real, but its run is not the shortest; finding none proves nothing.
    """
    from epochal.door.question import as_far_as_it_came
    from epochal.door.simulate import simulate
    from epochal.render.progress import SIMULATION

    repeated = chosen_cross_check(cross_check, engine)
    with output.reporting(SIMULATION) as report:
        result = as_far_as_it_came(
            simulate,
            subject.protocol,
            runs=runs,
            depth=depth,
            seed=seed,
            properties=properties or None,
            engine=engine,
            cross_check=repeated,
            progress=report,
            reference=subject.reference,
        )
    return output.show(result)
