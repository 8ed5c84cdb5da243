"""`epochal audit`: what a cluster promises to each of its topics, and what to change."""

from __future__ import annotations

from pathlib import Path

import click

from ..app.command import EpochalCommand
from ..app.groups import Output, output
from ..app.options import budget_option, workers_option

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
@click.option("--kafka", metavar="VERSION", help="The release that runs; else as the files say.")
@click.option(
    "--producer",
    "producers",
    multiple=True,
    metavar="PATTERN=FILE",
    help="Which topics a file of a producer is for: 'orders*=app.properties'. May be repeated.",
)
@click.option("--policy", type=click.Path(path_type=Path), metavar="FILE", help="What must be kept, a TOML file.")
@click.option(
    "--what-if", multiple=True, metavar="CHANGE", help="Try topic:NAME:SETTING=VALUE, cluster:kafka=4.3. Repeatable."
)
@click.option("--diff", type=click.Path(path_type=Path), metavar="OLD", help="Say what has changed since these files.")
@click.option("--accept", "accepting", multiple=True, metavar="RULE/TOPIC", help="Accept a finding; it needs --reason.")
@click.option("--reason", metavar="TEXT", help="Why it is accepted.")
@click.option(
    "--lock",
    type=click.Path(path_type=Path),
    default="epochal-audit.lock.json",
    metavar="FILE",
    show_default=True,
    help="Where accepted findings are kept.",
)
@click.option("--no-search", is_flag=True, help="Leave open what is not decided yet, and search nothing.")
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
    """Say what a cluster promises to each of its topics, and what to change.

    FILES are files and folders with what describes the cluster; nothing is connected to. Bring them so, and add
    server.properties of nodes, properties of producers, or resources of Strimzi. Each is recognised by its content.

    \b
      kafka-topics --bootstrap-server HOST:9092 --describe > dump/topics.txt
      kafka-features --bootstrap-server HOST:9092 describe > dump/features.txt
      kafka-configs ... --describe --all --entity-type topics > dump/configs.txt
      kafka-configs ... --describe --all --entity-type brokers > dump/brokers.txt
      kafka-configs ... --describe --entity-type brokers --entity-default > dump/all.txt
      kafka-metadata-quorum ... describe --replication > dump/quorum.txt

    Each answer is decided by a search of the release, as it was shipped and as it was designed, and each fix is decided
    again. An error loses acknowledged records by its settings; a warning gives up something else, or comes with the
    release. Exit code 0: no errors; 12: errors; 20: the policy is missed; 30: something is not decided.
    """
    from epochal.door.audit import audit
    from epochal.door.question import as_far_as_it_came
    from epochal.errors import UsageError

    pairs = dict(one.rpartition("=")[::2] for one in producers)
    if "" in pairs or "" in pairs.values():
        raise UsageError("--producer is PATTERN=FILE, such as 'orders*=app.properties'")
    folder = output.folder()
    with output.reporting() as report:
        result = as_far_as_it_came(
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
