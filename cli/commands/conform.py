"""`epochal conform`: whether what brokers left behind is a run of the specification."""

from __future__ import annotations

from pathlib import Path

import click

from ..app.command import EpochalCommand
from ..app.groups import Output, output
from ..app.options import budget_option


@click.command(
    "conform",
    cls=EpochalCommand,
    examples=(
        "epochal conform tests/evidence/leader-change-4.3.1.tar.xz",
        "epochal conform tests/evidence/unclean-election-3.9.2.tar.xz --kafka 4.1 --brief",
        "epochal conform tests/evidence/reproduced-s24-4.3.1.tar.xz --out found",
    ),
)
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--kafka", metavar="VERSION", help="The version whose rules are meant; else the one that the logs name.")
@click.option(
    "--protocol",
    default="kraft",
    metavar="FILE:NAME",
    help="A change to kraft that the evidence is held against instead; it is loaded and run.",
)
@budget_option
@output("Write the run that explains a partition as a trace, and one for each property that fails in it.")
def command(paths: tuple[Path, ...], kafka: str | None, protocol: str, budget: float | None, output: Output) -> int:
    """Say whether what Kafka left behind is a run of the specification.

    FILES are files, folders and archives (.gz, .xz, .bz2, .tar, .zip) with what brokers and controllers write: segments
    and snapshots of __cluster_metadata-0, or kafka-dump-log of them, state-change.log, and server.log, which names the
    version; and log directories, with a history of clients. Each file is recognised by its content; several nodes may
    have copies.

    Every change of a partition must be a step of the specification from the state before it, under the registrations
    at that moment, and none that is due may be missing. What brokers say of roles, ISR answers, truncations and log
    starts must agree with that and with the rules for leaders and followers; and one run of the specification must
    explain all of a partition together, with hidden steps where nobody tells of them. Acknowledged records that the
    present leader has not got are told, and what may explain it. Exit code 0: accepted; 20: some place is refused, and
    the report says what was expected; 30: nothing could be judged, or --budget was spent before all
    partitions were looked at.
    """
    from epochal.door.conform import conform
    from epochal.render.conform_progress import ConformTelling

    folder = output.folder()
    with output.reporting(ConformTelling()) as report:
        result = conform(*paths, protocol=protocol, kafka=kafka, budget=budget, progress=report)
    files: list[str] = []
    if folder is not None:
        files = [str(folder.write_trace("kraft-observed", name, one)) for name, one in result.traces.items()]
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)
