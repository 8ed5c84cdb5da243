"""`epochal catalogue`: the known bugs, searched; `epochal counterexamples`: the folder of their runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from epochal.errors import ExpectationMissed
from epochal.exit_codes import ExitCode

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
def catalogue_command(ids: tuple[str, ...], listed: bool, output: Output, **asked: Any) -> int:
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


@click.command(
    "counterexamples", cls=EpochalCommand, examples=("epochal counterexamples", "epochal counterexamples --check")
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("counterexamples"),
    show_default=True,
    metavar="DIR",
    help="The folder.",
)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 20 if the folder is out of date.")
@engine_option
def counterexamples_command(out: Path, only_check: bool, engine: str) -> int:
    """Regenerate the folder of known protocol bugs.

    Every registered protocol is searched at its default bounds, and at the bounds that a known bug needs; so is every
    catalogue entry without its rule. For each violated property the shortest run is written as ITF and as a story, and
    README.md lists all runs. Exit code 21: a known bug is not found.
    """
    from epochal.checker.base.installed import require_solver

    require_solver()  # for its last entry: better said before the searches than after them
    from epochal.checker.base.files import write_atomically, writing
    from epochal.checker.search.confirm import replay_all
    from epochal.checker.search.engines import search_of
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.kafka.catalogue import (
        differing,
        everything,
        found_entries,
        induction_entry,
        missing_bugs,
        rendered,
        shown_by,
        stale,
    )
    from epochal.report.page import open_page
    from epochal.spec.bugs.catalogue import CATALOGUE

    page = open_page(sys.stdout)
    if not only_check:
        OutputFolder(out)
    wanted = everything()
    search = search_of(engine)

    def report(name: str) -> None:
        click.echo(f"searching {name}", err=True)

    entries = found_entries(wanted, search, report)
    missing = missing_bugs(entries, wanted)
    if missing:
        listed = "".join(f"\n  {line}" for line in missing)
        raise ExpectationMissed(f"known bugs were not found:{listed}")
    for searched in wanted:
        replay_all(searched.protocol, [entry.trace for entry in entries if entry.searched is searched])
    shown = shown_by(CATALOGUE, entries, search, report)
    for one in shown:
        if one.entry not in entries:
            replay_all(one.entry.searched.protocol, [one.entry.trace])
    induction = induction_entry()
    replay_all(induction.trace.protocol, [induction.trace])
    files = rendered(entries, out.as_posix(), induction, shown)
    if only_check:
        different = differing(out, files)
        if not different:
            page.line(f"{out}: {len(files)} files are up to date", "good")
            return ExitCode.HOLDS
        page.line(f"{out} is out of date:", "bad")
        page.lines(different, indent=2)
        page.line("Run: epochal counterexamples")
        return ExitCode.DRIFTED
    for name, text in files.items():
        with writing(out / name):
            write_atomically(out / name, text)
        page.line(str(out / name))
    for name in stale(out, files):
        page.line(f"{out / name} is no longer generated: remove it", "warn")
    return ExitCode.HOLDS
