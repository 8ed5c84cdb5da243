"""`epochal catalogue`: the known bugs, each searched without its rule and with it."""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, engine_option, options, output


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
@options("listed", engine_option, "workers budget max_memory")
@output("Write catalogue.json and the trace of every counterexample (ITF) to this folder.")
def command(ids: tuple[str, ...], listed: bool, output: Output, **asked: Any) -> int:
    """Search the catalogue of known bugs of Kafka's replication, or only the entries that a KEY names.

    A KEY is a ticket (KAFKA-18106), a KIP (KIP-966), a catalogue number (S15, N2), or a Kafka version (3.5), which
    selects all bugs of that version.

    Each entry is searched twice within the same bounds: without its rule, where its property must be violated, and with
    its rule, where the property must hold in every state. For a single entry the report shows the story of the shortest
    counterexample. --budget covers all searches. Exit code 0: all as expected; 12: a property is violated despite the
    rule; 21: a known bug is not found; 30: a budget is spent.
    """
    from epochal.api.catalogue import TELLING, catalogue

    folder = output.folder()
    result = output.ask(catalogue, *ids, telling=TELLING, listed=listed, **asked)
    files: list[str] = []
    if folder is not None and not listed:
        for one in result.results or ():
            if one.trace is not None:
                name, about = one.scenario.without_rule, one.scenario.property_id
                files.append(str(folder.write_trace(name, about, one.trace)))
        folder.write_document("catalogue.json", result.to_dict())
    return output.show(result, files)
