"""Where questions are answered: in processes of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial

from epochal.errors import not_installed
from epochal.sentences import Given

from .pool import A, Engine, Make, P, Q, Workers, one_by_one, usable_processes
from .worker import answers_for_another


@dataclass(frozen=True)
class Where:
    """`engine` is local or spark; None of `workers` means all processors, of `master` those of this machine."""

    engine: str = "local"
    workers: int | None = None
    master: str | None = None


HERE = Where()
"""All processors of this machine."""

WITHOUT_SPARK = (", or use ", Given("engine", "local"))


def chosen_engine(
    where: Where, make: Make[P, Q, A], order: Callable[[Sequence[tuple[int, Q]]], Iterable[tuple[int, Q]]] = list
) -> AbstractContextManager[Engine[P, Q, A]]:
    """The engine, to be used in a `with` statement. Raises EngineError where Spark is asked for and cannot be used."""
    if where.engine == "spark":
        try:
            from ..search.spark.master import chosen_master
            from .on_spark import on_spark
        except ImportError as error:
            raise not_installed("Spark", error.name or "pyspark", "spark", WITHOUT_SPARK) from error
        return nullcontext(on_spark(chosen_master(where.master), make, order))
    return Workers(usable_processes(where.workers), make, order)


def apart(
    where: Where, make: Make[P, Q, A], count: int, lost: Callable[[Q], A] | None = None
) -> AbstractContextManager[Engine[P, Q, A]]:
    """The engine for `count` searches: each in a process that is not this one, so that Ctrl-C ends it; or on executors.

    What a process of this machine could not answer because it ended is answered by `lost`. A process that answers for
    another starts none: it answers by itself. Raises EngineError likewise.
    """
    if answers_for_another():
        return nullcontext(partial(one_by_one, make))
    if where.engine == "spark":
        return chosen_engine(where, make)
    workers = min(usable_processes(where.workers), count)
    return Workers(workers, make, here=False, each=1, solves=False, lost=lost)
