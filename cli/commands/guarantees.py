"""`epochal guarantees`: which faults break which promise of Kafka, for given settings."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epochal.cli.command import ProtocolCommand
from epochal.cli.options import budget_option, format_option, progress_option, workers_option

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

BOUNDS = {
    "replication_factor": 3,
    "records": 2,
    "max_epoch": 3,
    "metadata_lag": 1,
    "shrinks": 1,
    "elections": 0,
}
"""As `spec.kraft.guarantees.BOUNDS`, which the help does not import; a test holds them together."""

FAULTS = (
    *("none", "clean", "two-clean", "fencing", "lossy-spared", "lossy", "lossy-and-clean", "two-lossy", "unclean"),
)
"""The faults by id, likewise."""


@click.command(
    "guarantees",
    cls=ProtocolCommand,
    protocol="kraft",
    bounds=BOUNDS,
    examples=(
        "epochal guarantees",
        "epochal guarantees --kafka 3.9 --acks 1 --min-insync-replicas 1",
        "epochal guarantees --matrix --acks all --min-insync-replicas 2 --no-unclean-leader-election --records 1",
        "epochal guarantees --fault lossy --fault lossy-and-clean --replication-factor 2 --records 1 --out found",
    ),
)
@click.option(
    "--matrix",
    "varied",
    is_flag=True,
    help="Vary generation, acks, min.insync.replicas and unclean election, those that are not given. Takes minutes.",
)
@click.option(
    "--fault",
    "chosen",
    multiple=True,
    type=click.Choice(FAULTS),
    metavar="ID",
    help=f"Ask about this fault only; may be repeated: {', '.join(FAULTS)}.",
)
@budget_option
@workers_option
@format_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the shortest run of every NO to this folder, as ITF and as a story.",
)
@progress_option
def command(
    subject: Subject,
    varied: bool,
    chosen: tuple[str, ...],
    budget: float | None,
    workers: int | None,
    output_format: str,
    out: Path | None,
    progress: str,
) -> int:
    """Say what Kafka promises under which faults, each answer decided by a search.

    The settings are Kafka's own; without any they are those of the newest version with acks=all and
    min.insync.replicas=2. --kafka takes a generation as its KIPs describe it (G4 to G9), or a version as it was
    shipped, with the holes that were found later. --budget is for each fault. Results are kept, so that only what has
    changed is searched again. Exit code 0: every question is decided, whatever the answer; 30: a budget left one open.
    """
    from epochal.cli.artifacts import OutputFolder
    from epochal.cli.guarantees import Wish, decided_faults, exit_code
    from epochal.cli.guarantees_folder import write_runs
    from epochal.cli.render.guarantees_json import guarantees_document
    from epochal.cli.render.guarantees_text import render_guarantees, render_matrix
    from epochal.cli.render.page import open_page
    from epochal.cli.render.progress import shown_progress
    from epochal.spec.kraft.guarantees import FAULTS as KNOWN
    from epochal.spec.kraft.guarantees import faults_for, matrix
    from epochal.spec.language.configurable import configuration_of, reference_to, with_words
    from epochal.spec.registry import registered

    said = configuration_of(subject.protocol)
    bounds = {name: getattr(subject.protocol.bounds, name) for name in BOUNDS}
    folder = OutputFolder(out) if out is not None else None
    wish = Wish(budget, workers, traces=folder is not None)

    def told(text: str) -> None:
        if progress != "none":
            click.echo(f"searching: {text}", err=True)

    shown = [fault for fault in KNOWN if not chosen or fault.id in chosen]
    tables = []
    missing = 0
    with shown_progress(progress, sys.stderr) as report:
        for words in matrix(said) if varied else [said]:
            reference = reference_to("kraft", with_words(registered("kraft"), words))
            if varied:
                told(reference)
            asked = [fault for fault in faults_for(words) if fault in shown]
            decided = list(decided_faults(asked, words, bounds, wish, told, report))
            tables.append((reference, words, decided))
            missing = len(asked) - len(decided)
            if missing:
                break
    code = exit_code([one for _, _, decided in tables for one in decided], missing)
    files = write_runs(folder, tables) if folder is not None else []
    if output_format == "json":
        click.echo(json.dumps(guarantees_document(tables, bounds, code), indent=1))
        return code
    page = open_page(sys.stdout)
    if varied:
        rows = [(reference, decided) for reference, _, decided in tables]
        render_matrix(page, rows, bounds, shown, files)
    else:
        reference, words, decided = tables[0]
        render_guarantees(page, with_words(registered("kraft"), words), reference, bounds, decided, missing, files)
    return code
