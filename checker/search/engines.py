"""From the name of an engine to its search and its reading. Engines are imported only when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from epochal.errors import EngineError, UsageError
from epochal.sentences import Given

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

    from ..ir.model import Model
    from ..semantics.semantics import Semantics
    from .result import CheckResult, Options
    from .spark.choice import ClusterChoice


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
    from .spark.choice import NO_CLUSTER, check_on_spark, native_then_spark

    cluster = cluster or NO_CLUSTER
    if engine == SPARK:
        return check_on_spark(cluster)
    return native_then_spark(local_search(NATIVE), cluster, tell)


def semantics_of(engine: str, protocol: Protocol, model: Model | None = None) -> Semantics:
    """The semantics of an engine: what takes single steps and checks single states. `model` saves compiling it again.
    Raises EngineMissing if the engine cannot be loaded."""
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
