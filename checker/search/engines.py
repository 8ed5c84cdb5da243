"""From the name of an engine to its search and its reading. Engines are imported only when they are used."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epochal.errors import EngineError, UsageError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given

from .spark.master import PARTITION_LIMIT, ClusterError, chosen_master, on_this_machine

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

    from ..ir.model import Model
    from ..semantics.semantics import Semantics
    from .result import CheckResult, Options


Search = Callable[["Protocol", "Options"], "CheckResult"]

AUTO, NATIVE, SPARK, PYTHON = "auto", "native", "spark", "python"
ENGINES = (NATIVE, PYTHON)
"""The engines of this machine alone; Spark needs to be told where it is."""
SEARCHES = (AUTO, NATIVE, SPARK, PYTHON)
"""What a search may be asked for; auto is native, as long as that fits into the memory budget."""
PLACES = ("local", "spark")
"""Where many questions are answered: in processes of this machine, or on a cluster."""


_OF_SPARK = (Given("master"), ", ", Given("storage"), " and ", Given("conf"))


class EngineMissing(EngineError):
    """An engine that cannot be used on this machine, and what to do about it."""


def local_search(engine: str) -> Search:
    """The breadth-first search of an engine. Raises EngineMissing if it cannot be loaded."""
    if engine == PYTHON:
        from . import reference_engine

        return reference_engine.check
    try:
        from . import native as breadth_first
    except (ImportError, OSError) as error:
        raise _no_native(error) from error
    return breadth_first.check


def search_of(
    engine: str, cluster: ClusterChoice | None = None, tell: Callable[[str], None] = lambda _: None
) -> Search:
    """The breadth-first search of an engine: auto, native, spark or python.

    auto is native as long as that fits into the memory budget; `cluster` says what Spark is to be used then, and
    `tell` hears when it is. Raises EngineMissing, and UsageError for what does not go together.
    """
    if engine not in SEARCHES:
        raise UsageError(f"engine is one of {', '.join(SEARCHES)}, not {engine!r}")
    if engine not in (AUTO, SPARK):
        if cluster is not None and cluster.asked:
            raise UsageError((*_OF_SPARK, " are for ", Given("engine", SPARK), f", not {engine}."))
        return local_search(engine)
    cluster = cluster or NO_CLUSTER
    if engine == SPARK:
        return check_on_spark(cluster)
    return native_then_spark(local_search(NATIVE), cluster, tell)


def semantics_of(engine: str, protocol: Protocol, model: Model | None = None) -> Semantics:
    """The semantics of an engine: what takes single steps and checks single states. `model` saves compiling it again.

    Raises EngineMissing if the engine cannot be loaded.
    """
    if engine == PYTHON:
        from ..semantics.semantics import PythonSemantics

        return PythonSemantics(protocol)
    try:
        from ..native.backend import NativeBackend
    except (ImportError, OSError) as error:
        raise _no_native(error) from error
    return NativeBackend(protocol, model)


def _no_native(error: ImportError | OSError) -> Exception:
    """What it means that the native engine cannot be imported: llvmlite is missing, or else a bug of our own."""
    if isinstance(error, ImportError) and not (error.name or "").startswith("llvmlite"):
        return error
    return EngineMissing(
        (
            f"the native engine cannot be loaded: {error}.\n"
            "  Install llvmlite (pip install llvmlite), or use the slow reference engine: ",
            Given("engine", PYTHON),
            ".",
        )
    )


# -- on spark ---------------------------------------------------------------------------------------------------------
# A search on Spark: what is said of the cluster, and the search that it asks for.

OWN_SETTINGS = {
    "spark.epochal.threshold": "threshold",
    "spark.epochal.ahead": "ahead",
    "spark.epochal.partitions": "shards",
    "spark.epochal.cacheDir": "cache",
}
"""Settings of ours among those of Spark, and the field of `Cluster` that each sets."""


@dataclass(frozen=True)
class ClusterChoice:
    """What is said of Spark. None and empty where nothing is said. `conf` are texts KEY=VALUE.

    `session` is one that somebody has made: it is used as it is, wherever it runs.
    """

    engine: str = "auto"
    master: str | None = None
    storage: str | None = None
    conf: tuple[str, ...] = ()
    resume: str | None = None
    session: Any = None

    @property
    def asked(self) -> bool:
        """Whether anything was said that only Spark can do."""
        return bool(self.master or self.storage or self.conf)

    @property
    def native_resume(self) -> str | None:
        """What the native engine is to go on from, if it is the one that goes on."""
        return None if self.engine == "spark" or self.asked else self.resume


NO_CLUSTER = ClusterChoice()


def check_on_spark(choice: ClusterChoice) -> Search:
    """The search on Spark that was asked for. Raises EpochalError for settings that make no sense."""
    settings = _settings(choice.conf)
    own = {field: settings.pop(key) for key, field in OWN_SETTINGS.items() if key in settings}
    threshold, shards, ahead = _whole("threshold", own), _whole("shards", own), _whole("ahead", own)
    storage = choice.storage
    if choice.resume not in (None, "last"):
        if storage not in (None, choice.resume):
            raise UsageError("--resume names another storage than --storage.\n  Give only one of them.")
        storage = choice.resume
    if choice.resume and storage is None:
        raise UsageError("--resume last needs --storage: which run is to be resumed?")
    session = choice.session
    master = chosen_master(choice.master) if session is None else str(session.sparkContext.master)
    if storage is None and not on_this_machine(master):
        raise UsageError(
            f"a search on {master} needs --storage: a folder that the driver and every executor can write to.\n"
            "  A path that is mounted everywhere, or a URI that pyarrow.fs knows, such as s3://bucket/folder.",
        )

    def search(protocol: Protocol, options: Options) -> CheckResult:
        from .spark.session import spark_problem

        problem = spark_problem()
        if problem:
            raise ClusterError(problem)
        if options.symmetry:
            raise UsageError("--symmetry needs the native engine.\n  Leave out --engine spark.")
        if options.dominance:
            raise UsageError(
                (
                    Given("dominance"),
                    " needs the native engine.\n  Leave it out, or leave out ",
                    Given("engine", SPARK),
                    ".",
                )
            )
        from .spark.driver import THRESHOLD, Cluster, ahead_at, check
        from .spark.tasks import OnSpark

        with _storage(storage) as folder:
            cluster = Cluster(
                master,
                folder,
                settings,
                resume=bool(choice.resume),
                threshold=THRESHOLD if threshold is None else threshold,
                shards=shards or 0,
                cache=own.get("cache", ""),
                ahead=(ahead_at(master) if threshold is None else 0) if ahead is None else ahead,
                start=None if session is None else lambda _, program, group: OnSpark(session, program, group),
            )
            return check(protocol, options, cluster)

    return search


def native_then_spark(native: Search, choice: ClusterChoice, tell: Callable[[str], None]) -> Search:
    """The native search; if the memory budget ends it, the same search on Spark, or the advice to use it.

    Spark is taken if it is said where (a master or a storage); `tell` hears the reason.
    """
    on_spark = check_on_spark(choice) if choice.asked else None

    def search(protocol: Protocol, options: Options) -> CheckResult:
        if choice.resume and on_spark is not None:
            return on_spark(protocol, options)
        result = native(protocol, options)
        if options.symmetry or options.dominance or not _out_of_memory(result):
            return result
        reached = f"{result.cut}, after {result.distinct_states:,} states"
        if on_spark is None:
            advice = (
                f"the native engine stopped: {reached}. Spark keeps states on disk and on other machines: "
                "--engine spark --storage DIR, with --master for a cluster"
            )
            return dataclasses.replace(result, warnings=(*result.warnings, advice))
        tell(f"the native engine stopped: {reached}. Searching on Spark instead.")
        return on_spark(protocol, dataclasses.replace(options, max_memory=None))

    return search


def _out_of_memory(result: CheckResult) -> bool:
    """Whether memory is what ended a search that found no violation."""
    return result.limit == "memory" and result.exit_code == ExitCode.INCONCLUSIVE


def _storage(chosen: str | None) -> AbstractContextManager[str]:
    """The storage: what was chosen, else a folder that is removed after the search."""
    if chosen is not None:
        return nullcontext(chosen)
    return tempfile.TemporaryDirectory(prefix="epochal-storage-", ignore_cleanup_errors=True)


def _settings(conf: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in conf:
        key, equals, value = text.partition("=")
        if not equals or not key.startswith("spark."):
            raise UsageError(f"--conf {text!r} is no setting.\n  Write --conf spark.some.key=value.")
        if key.startswith("spark.epochal.") and key not in OWN_SETTINGS:
            raise UsageError(f"there is no setting {key}.\n  There are {', '.join(OWN_SETTINGS)}.")
        found[key] = value
    return found


def _whole(field: str, own: dict[str, str]) -> int | None:
    """The whole number that one of our settings gives, if it does."""
    text = own.get(field)
    if text is None:
        return None
    key = next(key for key, name in OWN_SETTINGS.items() if name == field)
    if not text.isdecimal() or (field == "shards" and not 1 <= int(text) <= PARTITION_LIMIT):
        needed = f" from 1 to {PARTITION_LIMIT}" if field == "shards" else ""
        raise UsageError(f"{key} must be a whole number{needed}, not {text!r}.")
    return int(text)
