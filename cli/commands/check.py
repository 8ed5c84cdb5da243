"""`epochal check`: explore every reachable state within the bounds, and judge every property."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

import click

from epochal.errors import EngineError
from epochal.render.shown import tell

from ..app.command import ProtocolCommand
from ..app.groups import Limits, Output, limits, output
from ..app.options import (
    chosen_cross_check,
    cross_check_option,
    lemmas_option,
    protocol_argument,
    questions_option,
    refuse_workers,
    search_engine_option,
    symmetry_option,
    workers_option,
)
from ..app.patience import begun_at
from ..app.spark_options import Spark, spark_options
from ..app.storage_options import Kept, remember, storage_of, storage_options

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
@questions_option
@lemmas_option
@search_engine_option
@workers_option
@symmetry_option
@limits
@storage_options
@spark_options
@click.option("--all-violations", is_flag=True, help="Go on after the first violation, until every state is explored.")
@click.option(
    "--static",
    "static",
    is_flag=True,
    help="Ask Z3, too, what holds of any typed state: whether an index or a value can leave its domain, an action can "
    "happen at all, a property can be false. Without it Z3 is asked only about actions that the search never takes.",
)
@cross_check_option
@output("Write result.json, and the trace (ITF) of every violation and of what must be reachable, to this folder.")
@click.option("--watch", is_flag=True, help="Check again whenever a file that matters is saved, until Ctrl-C.")
def command(
    subject: Subject,
    properties: tuple[str, ...],
    lemmas: bool,
    engine: str,
    workers: int | None,
    symmetry: bool,
    limits: Limits,
    kept: Kept,
    spark: Spark,
    all_violations: bool,
    static: bool,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
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
        from ..app.watch import watch_command

        return watch_command(sys.argv[1:])
    from epochal.checker.confirm import found_traces
    from epochal.door.check import check

    refuse_workers(engine)
    repeated = chosen_cross_check(cross_check, engine)
    cluster = spark.choice(engine, kept.resume)
    folder = output.folder()
    stored = storage_of(subject.protocol, engine, kept, cluster.native_resume)
    with output.reporting() as report:
        result = check(
            subject.protocol,
            engine=engine,
            cluster=cluster,
            static=static,
            reference=subject.reference,
            witnesses=output.in_full,
            tell=lambda said: tell(f"epochal: {said}"),
            properties=properties or None,
            all_violations=all_violations,
            lemmas=lemmas,
            workers=workers,
            symmetry=symmetry,
            cross_check=repeated,
            begun=begun_at(),
            progress=report,
            **vars(limits),
            **vars(stored),
        )
    if result.search.checkpoint is not None:
        remember(result.search.checkpoint)
    written: dict[str, str] = {}
    unwritten: EngineError | None = None
    if folder is not None:
        try:
            written = folder.write_traces(result.protocol.name, found_traces(result.search))
            written["result"] = str(folder.write_document("result.json", result.to_dict()))
        except EngineError as error:  # the report of a long search is still worth having
            unwritten = error
    output.show(result.naming(written))
    if unwritten is not None:
        raise unwritten
    return result.exit_code
