"""The other ways to search, each for some programs: two workers, renamed identifiers, Spark's tasks."""

from __future__ import annotations

import tempfile
from dataclasses import replace

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster
from epochal.spec.language import LanguageError, Protocol
from tests.checker.random_programs.searches import ECONOMY, compare_reduced, compare_searches
from tests.checker.search.spark.faults import in_process


def compare_workers(protocol: Protocol, options: Options, alone: CheckResult) -> None:
    """Two workers from the first state on, which judge eight states at once, against one that does not."""
    tuning = replace(ECONOMY, share_from=0, eight=True)
    shared = breadth_first.check(protocol, replace(options, workers=2), tuning=tuning)
    compare_searches(alone, shared, "two workers")


def compare_symmetry(protocol: Protocol, options: Options) -> str:
    """The search of representatives in both engines, and against that of all states; what came of it."""
    reduced = replace(options, symmetry=True)
    try:
        native = breadth_first.check(protocol, reduced, tuning=ECONOMY)
    except LanguageError:  # some rule tells the identifiers apart, or there are none
        return "symmetry refused"
    compare_searches(reference_engine.check(protocol, reduced, tuning=ECONOMY), native, "symmetry")
    compare_reduced(breadth_first.check(protocol, options, tuning=ECONOMY), native)
    return "symmetry"


def compare_spark(protocol: Protocol, options: Options, native: CheckResult, master: str = "") -> None:
    """Spark's supersteps: on a master, or their tasks one by one in this process."""
    with tempfile.TemporaryDirectory(prefix="random-programs-") as folder:
        cluster = Cluster(master, f"{folder}/storage", threshold=0, shards=2, cache=f"{folder}/cache")
        found = driver.check(protocol, options, cluster if master else replace(cluster, start=in_process))
    compare_searches(native, found, "Spark")
