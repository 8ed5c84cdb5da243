"""`epochal simulate`: random runs, where every state is too many."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Literal

import click

from epochal.cli.command import ProtocolCommand
from epochal.cli.options import (
    chosen_cross_check,
    cross_check_option,
    engine_option,
    format_option,
    progress_option,
    properties_option,
    protocol_argument,
)

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
    help="How many steps a run has, unless it comes to a dead end.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**64 - 1),
    default=0,
    metavar="N",
    show_default=True,
    help="The same seed gives the same runs.",
)
@properties_option
@engine_option
@cross_check_option
@format_option
@progress_option
def command(
    subject: Subject,
    runs: int,
    depth: int,
    seed: int,
    properties: tuple[str, ...],
    engine: str,
    cross_check: int | Literal["all", "off"] | None,
    output_format: str,
    progress: str,
) -> int:
    """Take random runs of PROTOCOL: each step is chosen among the enabled ones with equal chances.

    It finds shallow bugs quickly where checking takes too long, and shows which actions happen at all. A violation that
    it finds is real, but its run is not the shortest; finding none proves nothing.
    """
    from epochal.checker.confirm import replay_all, simulated_traces, with_seed
    from epochal.checker.engines import reading_of
    from epochal.checker.search.patience import COMPILING, Patience
    from epochal.checker.search.simulate import simulate
    from epochal.checker.trace.text import story
    from epochal.cli.render.page import open_page
    from epochal.cli.render.progress import SIMULATION, shown_progress
    from epochal.cli.render.simulation import first_violation, render_simulation, simulation_document

    protocol, repeated = subject.protocol, chosen_cross_check(cross_check, engine)
    with shown_progress(progress, sys.stderr, SIMULATION) as report:
        with Patience(progress=report).watching(COMPILING):
            reading = reading_of(engine, protocol)
        found = simulate(
            protocol,
            reading,
            runs=runs,
            depth=depth,
            seed=seed,
            properties=properties or None,
            progress=report,
            cross_check=repeated,
        )
    result = with_seed(found, subject.reference)
    replayed = replay_all(protocol, simulated_traces(result))
    if output_format == "json":
        click.echo(json.dumps(simulation_document(result, subject.reference, replayed.readings), indent=1))
        return result.exit_code
    told = first_violation(result)
    render_simulation(
        open_page(sys.stdout), result, story(told) if told is not None else [], subject.reference, replayed.sentence
    )
    return result.exit_code
