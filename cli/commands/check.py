"""`epochal check`: explore every reachable state within the bounds, and judge every property."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from epochal.cli.cluster import ClusterChoice, cluster_options
from epochal.cli.command import ProtocolCommand
from epochal.cli.options import (
    budget_option,
    chosen_cross_check,
    cross_check_option,
    format_option,
    lemmas_option,
    max_memory_option,
    max_states_option,
    progress_option,
    properties_option,
    protocol_argument,
    refuse_workers,
    search_engine_option,
    symmetry_option,
    workers_option,
)
from epochal.cli.patience import begun_at
from epochal.cli.storage import remember, storage_of, storage_options
from epochal.errors import EngineError

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "check",
    cls=ProtocolCommand,
    examples=(
        "epochal check kip-101",
        "epochal check kip-320 --replicas 3 --log-size 2 --records 2 --max-epoch 2",
        "epochal check truncate-to-hw --replicas 2 --property weak_isr --out found",
        "epochal check kip-320 --max-epoch 1 --format json --budget 5m",
        "epochal check async-isr --engine python --replicas 2",
        "epochal check kip-320 --replicas 4 --max-epoch 1 --symmetry",
        "epochal check kip-320 --max-epoch 1 --engine spark --master 'local[2]' --storage run",
        "epochal check kip-320-proof --max-epoch 1 --lemmas",
        "epochal check kip-320 --workers 1 --compact",
        "epochal check async-isr --replicas 2 --static",
        "epochal check kip-320 --max-epoch 1 --cross-check 200",
    ),
)
@protocol_argument
@properties_option
@lemmas_option
@search_engine_option
@workers_option
@symmetry_option
@budget_option
@max_states_option
@max_memory_option
@storage_options
@cluster_options
@click.option("--all-violations", is_flag=True, help="Go on after the first violation, until every state is explored.")
@click.option(
    "--static",
    "static",
    is_flag=True,
    help="Ask Z3, too, what holds of any typed state: whether an index or a value can leave its domain, an action can "
    "happen at all, a property can be false. Without it Z3 is asked only about actions that the search never takes.",
)
@cross_check_option
@format_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write result.json and the trace of every violation (ITF) to this folder.",
)
@progress_option
@click.option("--watch", is_flag=True, help="Check again whenever a file that matters is saved, until Ctrl-C.")
def command(
    subject: Subject,
    properties: tuple[str, ...],
    lemmas: bool,
    engine: str,
    workers: int | None,
    symmetry: bool,
    budget: float | None,
    max_states: int | None,
    max_memory: int | None,
    compact: bool,
    spill: Path | None,
    checkpoint: Path | None,
    resume: str | None,
    master: str | None,
    storage: str | None,
    conf: tuple[str, ...],
    all_violations: bool,
    static: bool,
    cross_check: int | Literal["all", "off"] | None,
    output_format: str,
    out: Path | None,
    progress: str,
    watch: bool,
) -> int:
    """Explore every reachable state of PROTOCOL within its bounds, and judge every property.

    PROTOCOL is a registered name (see 'epochal list'), or path/to/file.py:Name for a protocol of your own. The search
    is breadth-first: a counterexample is a shortest one. It stops at the first violation unless --all-violations is
    given. Exit code 0: everything holds within the bounds; 12: a property is violated; 22: it holds, but an action
    can never happen; 30: a budget is spent; 40: the Python reading says otherwise of a state that was reached
    ('epochal explain' lists all).
    """
    if watch:
        from epochal.cli.watch import watch_command

        return watch_command(sys.argv[1:])
    from epochal.checker.confirm import found_traces, replay_all, with_facts
    from epochal.checker.properties import all_properties
    from epochal.checker.search.result import Options
    from epochal.checker.trace.text import story
    from epochal.cli.artifacts import OutputFolder
    from epochal.cli.engines import search_of
    from epochal.cli.render.check_json import check_document
    from epochal.cli.render.check_text import first_counterexample, render_check
    from epochal.cli.render.page import open_page
    from epochal.cli.render.progress import shown_progress
    from epochal.cli.static import with_static_answers

    protocol = subject.protocol
    refuse_workers(engine)
    repeated = chosen_cross_check(cross_check, engine)
    cluster = ClusterChoice(engine, master, storage, conf, resume)
    search = search_of(engine, cluster)
    folder = OutputFolder(out) if out is not None else None
    kept = storage_of(protocol, engine, compact, spill, checkpoint, cluster.native_resume)
    with shown_progress(progress, sys.stderr) as report:
        options = Options(
            properties or None,
            all_violations,
            budget,
            max_states,
            max_memory,
            report,
            lemmas,
            workers,
            symmetry=symmetry,
            cross_check=repeated,
            begun=begun_at(),
            **vars(kept),
        )
        result = with_facts(search(protocol, options), subject.reference)
    if result.checkpoint is not None:
        remember(result.checkpoint)
    result, answered = with_static_answers(result, static)

    shown_in_full = output_format == "json" or folder is not None
    replayed = replay_all(protocol, found_traces(result, witnesses=shown_in_full), result.model)
    document = check_document(result, subject.reference, replayed.readings, answered)
    written: dict[str, str] = {}
    unwritten: EngineError | None = None
    if folder is not None:
        try:
            written = folder.write_traces(protocol.name, found_traces(result, witnesses=False))
            written["result"] = str(folder.write_document("result.json", document))
        except EngineError as error:  # the report of a long search is still worth having
            unwritten = error
    if output_format == "json":
        click.echo(json.dumps(document, indent=1))
    else:
        told = first_counterexample(result)
        asked = {one.member.name for one in result.properties}
        render_check(
            open_page(sys.stdout),
            result,
            story(told) if told is not None else [],
            reference=subject.reference,
            replayed=replayed.sentence,
            others=tuple(m.name for m in all_properties(protocol, lemmas) if m.name not in asked),
            files=written,
            static=answered.lines if answered is not None else (),
        )
    if unwritten is not None:
        raise unwritten
    return result.exit_code
