"""`epochal simulate`: random runs, where every state is too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from epochal.errors import UsageError

from ..app.command import ProtocolCommand
from ..app.groups import Output, output
from ..app.options import chosen_cross_check, protocol_argument
from ..app.patience import begun_at
from ..app.questions import walk_question

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
        "epochal simulate async-isr --runs 50 --depth 20 --traces 10 --out vectors",
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
@click.option(
    "--traces", type=click.IntRange(min=0), default=0, metavar="N", help="Write the first N runs that differ, to --out."
)
@walk_question
@output("Write runs as ITF traces, what was found with a page for the browser, and result.json there.")
def command(
    subject: Subject,
    runs: int,
    depth: int,
    seed: int,
    traces: int,
    properties: tuple[str, ...],
    engine: str,
    cross_check: int | Literal["all", "off"] | None,
    budget: float | None,
    output: Output,
) -> int:
    """Take random runs of PROTOCOL: each step is chosen among the enabled ones with equal chances.

    It finds shallow bugs quickly where checking takes too long, and shows which actions happen at all. A violation that
    it finds is real, but its run is not the shortest; finding none proves nothing.
    """
    from epochal.door.question import as_far_as_it_came
    from epochal.door.simulate import simulate
    from epochal.render.progress import SIMULATION

    repeated, folder = chosen_cross_check(cross_check, engine), output.folder()
    if traces and folder is None:
        raise UsageError("--traces says how many runs to write, and nothing where", "Add --out DIR.")
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
            traces=traces,
            progress=report,
            reference=subject.reference,
            budget=budget,
            begun=begun_at(),
        )
    return output.show(result, [] if folder is None else result.write(folder))
