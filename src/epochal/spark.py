"""`epochal.spark`: searches in a Spark session of one's own, and their results as DataFrames, for notebooks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.api.check import CheckResult
from epochal.api.check import check as check_with
from epochal.api.export import require_arrow
from epochal.api.options import SearchKeywords, run_named
from epochal.errors import UsageError, not_installed
from epochal.spec.language import Protocol
from epochal.spec.loading import load

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from epochal.checker.tables.kept_run import KeptRun

__all__ = ["check", "findings", "levels", "runs", "states", "trace_steps"]

OF_JOBS = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""What a job is called by, of the thread that begins it."""

OURS = "spark.epochal."


def check(
    spark: SparkSession,
    protocol: Protocol | str,
    *,
    storage: str | Path | None = None,
    resume: bool = False,
    conf: Mapping[str, object] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **given: Any,
) -> CheckResult:
    """Search on the executors of a session: `check(spark, "kip-320", log_size=3, storage="dbfs:/tmp/run")`.

    The session is used as it is: nothing of its settings is changed, and nothing of it is stopped. Epochal must be
    installed where its executors run. `protocol` is one within bounds, or a name, with bounds and settings among
    `given`; the rest of `given` are the options of `epochal.check`. `storage` is a folder that the driver and all
    executors see, or a URI that `pyarrow.fs` knows; it may be left out where the session runs on this machine alone,
    and the log is removed afterwards. With `resume` the search that is there goes on. `conf` are settings of Epochal
    (`spark.epochal.threshold`, `.ahead`, `.partitions`, `.cacheDir`).

    Raises EngineError for a session without a Spark context (Spark Connect), UsageError for what means nothing.
    """
    from epochal.checker.search.engines import ClusterChoice

    _require(spark)
    options = {name: given.pop(name) for name in tuple(given) if name in OPTIONS}
    if isinstance(protocol, str):
        protocol = load(protocol, **given)
    elif given:
        names = ", ".join(given)
        raise UsageError(f"the protocol has its settings and bounds already: give {names} to epochal.load")
    settings = dict(conf or {})
    for name in settings:
        if not name.startswith(OURS):
            raise UsageError(
                f"{name} is a setting of the session, which is yours", "Set it where you make the session."
            )
    choice = ClusterChoice(
        "spark",
        storage=None if storage is None else run_named("storage", storage),
        conf=tuple(f"{name}={value}" for name, value in settings.items()),
        resume="last" if resume else None,
        session=spark,
    )
    with _jobs_as_before(spark):
        return check_with(protocol, engine="spark", cluster=choice, tell=tell, **options)


OPTIONS = frozenset(
    {*SearchKeywords.__annotations__, "static", "reference", "witnesses"}
    - {"workers", "spill", "compact", "checkpoint"}
)
"""What `check` takes for the search itself; anything else is a bound or a setting."""


def states(spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None = None) -> DataFrame:
    """The states of a search that was kept, a row each, with a column for each field: as `epochal export` writes them.

    `run` is the storage of a search on Spark, or the folder of a checkpoint, which executors read too. They do when the
    DataFrame is used, so the search must stay there; its rows come in no order. `protocol` names what the search was
    of, unless that is a registered protocol without settings.

    Raises EngineError for a session without a Spark context, UsageError for what is no search or one of other rules.
    """
    from epochal.checker.tables.tables import states_frame

    with _opened(spark, run, protocol) as kept:
        frame: DataFrame = states_frame(spark, kept)
        return frame


def levels(spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None = None) -> DataFrame:
    """How many states each level of a search has."""
    return _small("levels", spark, run, protocol)


def findings(spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None = None) -> DataFrame:
    """What is known of each property after a search, and in how many steps a run shows it."""
    return _small("findings", spark, run, protocol)


def trace_steps(spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None = None) -> DataFrame:
    """The runs that show the findings of a search: a row for each state, with its fields and the step to it."""
    return _small("trace_steps", spark, run, protocol)


def runs(spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None = None) -> DataFrame:
    """A row about the search: protocol, bounds, states, digests, and whether it has seen every state."""
    return _small("runs", spark, run, protocol)


def _small(name: str, spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None) -> DataFrame:
    with _opened(spark, run, protocol) as kept:
        from epochal.checker.tables import tables

        made: DataFrame = spark.createDataFrame(getattr(tables, name)(kept))
        return made


@contextlib.contextmanager
def _opened(spark: SparkSession, run: str | Path, protocol: str | type[Protocol] | None) -> Iterator[KeptRun]:
    require_arrow()
    _require(spark)
    from epochal.checker.tables.kept_run import opened

    with opened(run_named("run", run), protocol) as kept:
        yield kept


def _require(spark: Any) -> None:
    """Raise EngineError unless this is a session of Spark that has executors for us."""
    from epochal.checker.search.spark.session import refuse_connect, spark_installed

    if not spark_installed():
        raise not_installed("Spark", "pyspark", "spark")
    if not hasattr(type(spark), "createDataFrame"):
        raise UsageError(f"spark is a SparkSession, not {spark!r}", "In a notebook it is often there, called spark.")
    refuse_connect(spark)


@contextlib.contextmanager
def _jobs_as_before(spark: SparkSession) -> Iterator[None]:
    """Jobs that are begun here afterwards are called as before."""
    context = spark.sparkContext
    before = {name: context.getLocalProperty(name) for name in OF_JOBS}
    try:
        yield
    finally:
        for name, value in before.items():
            context.setLocalProperty(name, value)  # type: ignore[arg-type]  # None takes it away
