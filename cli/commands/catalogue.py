"""`epochal catalogue`: the known bugs, each searched without its rule and with it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand
from ..app.options import (
    budget_option,
    engine_option,
    format_option,
    max_memory_option,
    progress_option,
    workers_option,
)


@click.command(
    "catalogue",
    cls=EpochalCommand,
    examples=(
        "epochal catalogue S25",
        "epochal catalogue KAFKA-15221",
        "epochal catalogue --list 4.1",
        "epochal catalogue S3 S4 S6 --format json",
        "epochal catalogue S12 --out found",
        "epochal catalogue --list",
    ),
)
@click.argument("ids", nargs=-1, metavar="[KEY]...")
@click.option("--list", "only_list", is_flag=True, help="Say what is in the catalogue, and search nothing.")
@engine_option
@workers_option
@budget_option
@max_memory_option
@format_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write catalogue.json and the trace of every counterexample (ITF) to this folder.",
)
@progress_option
def command(
    ids: tuple[str, ...],
    only_list: bool,
    engine: str,
    workers: int | None,
    budget: float | None,
    max_memory: int | None,
    output_format: str,
    out: Path | None,
    progress: str,
) -> int:
    """Search the catalogue of known bugs of Kafka's replication, or only the entries that a KEY names.

    A KEY is a number of the catalogue (S15, N2), a ticket (KAFKA-18106), a KIP (KIP-966), or a Kafka version (3.5),
    which means all that it had.

    Each entry is searched twice within the same bounds: without its rule, where its property must be violated, and with
    it, where the property must hold in every state. A single entry is told with the story of its shortest
    counterexample. --budget is for all of it. Exit code 0: all as expected; 12: a property is violated although the
    rule is there; 21: a known bug is not found; 30: a budget is spent.
    """
    from epochal.checker.engines import search_of
    from epochal.checker.search.result import Options
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.kafka.catalogue import chosen, exit_code_of, run
    from epochal.render.page import open_page
    from epochal.render.progress import shown_progress
    from epochal.render.scenario_json import catalogue_document
    from epochal.render.scenario_text import CatalogueTelling, render_catalogue, render_entries, render_scenario
    from epochal.spec.bugs.catalogue import CATALOGUE
    from epochal.spec.bugs.not_modelled import NOT_MODELLED

    begun = time.monotonic()
    wanted = chosen(ids, CATALOGUE)
    others = () if ids else NOT_MODELLED
    page = open_page(sys.stdout)
    if only_list:
        if output_format == "json":
            click.echo(json.dumps(catalogue_document(wanted, (), others), indent=1))
        else:
            render_entries(page, wanted, others)
        return ExitCode.HOLDS
    search, folder = search_of(engine), OutputFolder(out) if out is not None else None
    options = Options(budget=budget, max_memory=max_memory, workers=workers, begun=begun)
    with shown_progress(progress, sys.stderr, CatalogueTelling()) as report:
        results = list(run(wanted, search, options, report))
    left = len(wanted) - len(results)
    document = catalogue_document(wanted, results, others, left)
    file = None
    if folder is not None:
        for one in results:
            if one.trace is not None:
                file = str(folder.write_trace(one.scenario.without_rule, one.scenario.property_id, one.trace))
        folder.write_document("catalogue.json", document)
    if output_format == "json":
        click.echo(json.dumps(document, indent=1))
    elif len(wanted) == len(results) == 1:
        render_scenario(page, results[0], file)
    else:
        render_catalogue(page, results, others, left)
    return exit_code_of(results, left)
