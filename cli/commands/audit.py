"""`epochal audit`: what a cluster guarantees to each of its topics, and what to change."""

from __future__ import annotations

from pathlib import Path

import click

from ..app.command import EpochalCommand
from ..app.options import Output, budget_option, output, workers_option

CLUSTER = "tests/audit/clusters/kafka-4.3.1/healthy"


@click.command(
    "audit",
    cls=EpochalCommand,
    examples=(
        f"epochal audit {CLUSTER}",
        f"epochal audit {CLUSTER} --what-if topic:orders:min.insync.replicas=2 --brief",
        f"epochal audit {CLUSTER} --diff tests/audit/clusters/kafka-4.3.1/broker-down --format json",
        f"epochal audit {CLUSTER}/topics.txt --kafka 4.1 --policy examples/audit.toml",
    ),
)
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--kafka", metavar="VERSION", help="The release that runs. Default: as the files say.")
@click.option(
    "--producer",
    "producers",
    multiple=True,
    metavar="PATTERN=FILE",
    help="The topics of a producer's file: 'orders*=app.properties'. May be repeated.",
)
@click.option("--policy", type=click.Path(path_type=Path), metavar="FILE", help="The required guarantees, in TOML.")
@click.option(
    "--what-if", multiple=True, metavar="CHANGE", help="Try topic:NAME:SETTING=VALUE, cluster:kafka=4.3. Repeatable."
)
@click.option("--diff", type=click.Path(path_type=Path), metavar="OLD", help="Show the changes since these files.")
@click.option("--accept", "accepting", multiple=True, metavar="RULE/TOPIC", help="Accept a finding; needs --reason.")
@click.option("--reason", metavar="TEXT", help="The reason for accepting it.")
@click.option(
    "--lock",
    type=click.Path(path_type=Path),
    default="epochal-audit.lock.json",
    metavar="FILE",
    show_default=True,
    help="The file with the accepted findings.",
)
@click.option("--no-search", is_flag=True, help="Do not search: leave undecided answers open.")
@budget_option
@workers_option
@output("Write the report as a page, JSON and SARIF, and one run for each loss, to this folder.")
def command(
    paths: tuple[Path, ...],
    producers: tuple[str, ...],
    no_search: bool,
    output: Output,
    budget: float | None,
    workers: int | None,
    **asked: object,
) -> int:
    """Report what a cluster guarantees to each of its topics, and what to change.

    FILES are files and folders that describe the cluster; audit never connects to it. Collect them as below, and add
    server.properties of nodes, properties of producers, or Strimzi resources. Each file is recognised by its content.

    \b
      kafka-topics --bootstrap-server HOST:9092 --describe > dump/topics.txt
      kafka-features --bootstrap-server HOST:9092 describe > dump/features.txt
      kafka-configs ... --describe --all --entity-type topics > dump/configs.txt
      kafka-configs ... --describe --all --entity-type brokers > dump/brokers.txt
      kafka-configs ... --describe --entity-type brokers --entity-default > dump/all.txt
      kafka-metadata-quorum ... describe --replication > dump/quorum.txt

    A search of the release decides each answer, as it was shipped and as it was designed, and each fix again. An error
    means that the settings lose acknowledged records; a warning means a smaller loss, or one that only the release
    causes. Exit code 0: no errors; 12: errors; 20: the policy is violated; 30: some answers are open.
    """
    from epochal.api.audit import audit
    from epochal.api.result import partial_result
    from epochal.errors import UsageError

    pairs = dict(one.rpartition("=")[::2] for one in producers)
    if "" in pairs or "" in pairs.values():
        raise UsageError("--producer is PATTERN=FILE, such as 'orders*=app.properties'")
    folder = output.folder()
    with output.reporting() as report:
        result = partial_result(
            audit,
            *paths,
            producers=pairs,
            searches=not no_search,
            budget=budget,
            workers=workers,
            progress=report,
            **asked,  # type: ignore[arg-type]  # options by the names of keywords
        )
        files = result.write(folder.path) if folder is not None else []
    return output.show(result, files)
