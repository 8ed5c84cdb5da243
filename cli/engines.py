"""From the name of an engine to its search and to its reading. Engines are imported only when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import codes
from .boundary import Failure
from .cluster import NO_CLUSTER, ClusterChoice, check_on_spark, native_then_spark

if TYPE_CHECKING:
    from epochal.checker.compile.model import Model
    from epochal.checker.reading import Reading
    from epochal.checker.search.result import CheckResult, Options
    from epochal.spec.language import Protocol

Search = Callable[["Protocol", "Options"], "CheckResult"]


def search_of(engine: str, cluster: ClusterChoice = NO_CLUSTER) -> Search:
    """The breadth-first search of an engine: auto, native, spark or python.

    auto is native as long as that fits into the memory budget; `cluster` says what Spark is to be used then.
    """
    if cluster.asked and engine not in ("spark", "auto"):
        raise Failure(codes.USAGE, f"--master, --storage and --conf are for --engine spark, not {engine}.")
    if engine == "spark":
        return check_on_spark(cluster)
    if engine == "auto":
        return native_then_spark(search_of("native"), cluster)
    if engine == "python":
        from epochal.checker.search import interpreter

        return interpreter.check
    try:
        from epochal.checker.search import breadth_first
    except (ImportError, OSError) as error:
        raise _no_native(error) from error
    return breadth_first.check


def reading_of(engine: str, protocol: Protocol, model: Model | None = None) -> Reading:
    """The reading of an engine: what takes single steps and judges single states. `model` saves compiling it again."""
    if engine == "python":
        from epochal.checker.reading import PythonReading

        return PythonReading(protocol)
    try:
        from epochal.checker.native.reading import NativeReading
    except (ImportError, OSError) as error:
        raise _no_native(error) from error
    return NativeReading(protocol, model)


def _no_native(error: ImportError | OSError) -> Exception:
    """What it means that the native engine cannot be imported: llvmlite is missing, or else a bug of our own."""
    if isinstance(error, ImportError) and not (error.name or "").startswith("llvmlite"):
        return error
    return Failure(
        codes.ENGINE_FAILURE,
        f"the native engine cannot be loaded: {error}.\n"
        "  Install llvmlite (pip install llvmlite), or use the slow reference engine: --engine python.",
    )
