"""`epochal check`: explore every reachable state within the bounds, and check every property."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from epochal.errors import EngineError
from epochal.report.shown import tell

from ..app.command import ProtocolCommand
from ..app.options import (
    Output,
    chosen_cross_check,
    options,
    output,
    protocol_argument,
    questions_option,
    refuse_workers,
)
from ..app.storage_options import remember, storage_of
from ..app.watch import watched

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
        "epochal check balancing-kraft --brokers 2 --property policy_is_satisfied",
    ),
)
@protocol_argument
@options(
    questions_option,
    "lemmas engine workers symmetry budget max_states max_memory compact spill checkpoint resume master storage conf "
    "all_violations static liveness optional fair unfair deadlock cross_check",
)
@output("Write result.json, and the trace (ITF) of every violation and of what must be reachable, to this folder.")
@watched("Check again whenever a file that matters is saved, until Ctrl-C.")
def command(
    subject: Subject,
    engine: str,
    resume: str | None,
    master: str | None,
    storage: str | None,
    conf: tuple[str, ...],
    compact: bool,
    spill: Path | None,
    checkpoint: Path | None,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
    **asked: Any,
) -> int:
    """Explore every reachable state of PROTOCOL within its bounds, and check every property.

    PROTOCOL is a registered name (see 'epochal list'), or path/to/file.py:Name for a protocol of your own. The search
    is breadth-first, so a counterexample is a shortest one. It stops at the first violation unless --all-violations is
    given. Exit code 0: everything holds within the bounds; 12: a property is violated; 13: a liveness property is
    violated; 11: a deadlock, with --deadlock; 22: everything holds, but an action is never enabled; 30: a budget is
    spent; 40: the engine disagrees with Python about a state ('epochal explain' lists all codes).
    """
    from epochal.api.check import check
    from epochal.checker.search.engines import ClusterChoice

    refuse_workers(engine)
    cluster = ClusterChoice(engine, master, storage, conf, resume)
    folder = output.folder()
    stored = storage_of(subject.protocol, engine, cluster.native_resume, compact, spill, checkpoint)
    result = output.ask_about(
        subject,
        check,
        engine=engine,
        cluster=cluster,
        witnesses=output.in_full,
        tell=lambda said: tell(f"epochal: {said}"),
        cross_check=chosen_cross_check(cross_check, engine),
        **asked,
        **stored,
    )
    if result.search.checkpoint is not None:
        remember(result.search.checkpoint)
    if folder is not None:
        try:
            result = result.naming(result.write(folder))
        except EngineError as error:  # the report of a long search is still worth having
            tell(f"epochal: {error}")
            result = result.without_files(error)
    return output.show(result)
