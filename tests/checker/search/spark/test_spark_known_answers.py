"""The published figures on Spark, with the digests of the native engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from tests.checker.search.spark.comparison import same_as_native
from tests.checker.search.spark.in_process import in_process
from tests.spec.classic.known_answers import KNOWN_ANSWERS, KnownAnswer
from tests.spec.classic.test_known_answers import compare, protocol_at

EVERYTHING = Options(all_violations=True)
ON_SPARK = (("truncate-to-hw", (2, 1, 1, 1)), ("kip-320", (3, 2, 2, 1)), ("async-isr", (3, 2, 2)))
SMALL = 12_000


def named(known: KnownAnswer) -> str:
    """The name of a case."""
    return f"{known.protocol}-{'/'.join(map(str, known.bounds))}"


@pytest.mark.parametrize("known", [k for k in KNOWN_ANSWERS if k.distinct_states <= SMALL], ids=named)
def test_tasks(known: KnownAnswer, cluster: Cluster) -> None:
    """Every small entry, with the tasks of four partitions from the first level on, in this process."""
    protocol = protocol_at(known.protocol, known.bounds)
    result = check(protocol, EVERYTHING, replace(cluster, start=in_process))
    compare(result, known)
    same_as_native(result, protocol, EVERYTHING)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("known", [k for k in KNOWN_ANSWERS if (k.protocol, k.bounds) in ON_SPARK], ids=named)
def test_on_spark(known: KnownAnswer, cluster: Cluster, spark: str) -> None:
    """Some entries on Spark, from about their widest level on."""
    protocol = protocol_at(known.protocol, known.bounds)
    cluster = replace(cluster, master=spark, threshold=known.distinct_states // 10)
    result = check(protocol, EVERYTHING, cluster)
    compare(result, known)
    same_as_native(result, protocol, EVERYTHING)
    assert any(Path(cluster.cache).rglob("head")), "Spark did its part"


@pytest.mark.long
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("known", KNOWN_ANSWERS, ids=named)
def test_everything_on_spark(known: KnownAnswer, cluster: Cluster, spark: str) -> None:
    """Every entry, on Spark after the first few states."""
    protocol = protocol_at(known.protocol, known.bounds)
    result = check(protocol, EVERYTHING, replace(cluster, master=spark, threshold=10))
    compare(result, known)
    same_as_native(result, protocol, EVERYTHING)
