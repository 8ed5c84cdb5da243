"""`epochal counterexamples`: the folder of known protocol bugs, regenerated or compared."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from epochal.errors import ExpectationMissed
from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand
from ..app.options import engine_option


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
def command(out: Path, only_check: bool, engine: str) -> int:
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
