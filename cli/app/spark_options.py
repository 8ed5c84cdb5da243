"""The options of a search on Spark: --master, --storage and --conf."""

from __future__ import annotations

from dataclasses import dataclass

import click

from epochal.checker.search.spark.choice import ClusterChoice

from .groups import packed


@dataclass(frozen=True)
class Spark:
    """What the command line says of Spark; None and empty where it says nothing."""

    master: str | None
    storage: str | None
    conf: tuple[str, ...]

    def choice(self, engine: str, resume: str | None) -> ClusterChoice:
        """The cluster that a search with this engine is to use."""
        return ClusterChoice(engine, self.master, self.storage, self.conf, resume)


spark_options = packed(
    Spark,
    "spark",
    click.option(
        "--master",
        metavar="URL",
        envvar="EPOCHAL_MASTER",
        help="With --engine spark: the Spark master, such as spark://host:7077. Default: the master of spark-submit or "
        "spark-defaults.conf, else local[*].",
    ),
    click.option(
        "--storage",
        metavar="URI",
        envvar="EPOCHAL_STORAGE",
        help="With --engine spark: the folder of the search's log, writable by the driver and all executors: a path, "
        "or a URI that pyarrow.fs knows. Required unless the master is local.",
    ),
    click.option(
        "--conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="With --engine spark: a Spark setting, or spark.epochal.threshold, spark.epochal.ahead, "
        "spark.epochal.partitions, spark.epochal.cacheDir; may be repeated.",
    ),
)
