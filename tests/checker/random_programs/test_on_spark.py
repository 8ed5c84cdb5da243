"""Random programs on Spark itself, one task at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark.session import open_session
from epochal.spec.language import EvaluationError, LanguageError
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import loaded
from tests.checker.random_programs.searches import compare_spark

PROGRAMS, LEAST, MOST = 12, 20, 2_000


@pytest.fixture(scope="module")
def master() -> Iterator[str]:
    """A session with one core."""
    session = open_session("local[1]", {"spark.driver.memory": "1g"})
    yield "local[1]"
    session.stop()


@pytest.mark.long
def test_spark_finds_the_same(master: str) -> None:
    options, compared = Options(all_violations=True, max_states=MOST), 0
    for seed in range(50_000, 51_000):
        with loaded(program(seed).text, str(seed)) as module:
            try:
                protocol = module.P()
                native = breadth_first.check(protocol, options)
            except (LanguageError, EvaluationError):
                continue
            if native.cut or native.distinct_states < LEAST:
                continue
            compare_spark(protocol, options, native, master)
        compared += 1
        if compared == PROGRAMS:
            break
    assert compared == PROGRAMS
