"""A sweep on executors: the rows of processes here, each task one of Spark's."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal

SWEEP = """
[[task]]
check = ["kip-101", "kip-320"]
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = [0, 1] }

[[task]]
check = "kip-320"
bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }
max-states = 10
"""


@pytest.mark.xdist_group("spark")
def test_executors_say_the_same(spark: str, tmp_path: Path) -> None:
    """Byte for byte; and what one place has answered the other does not ask again."""
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP)
    on_spark = epochal.sweep(file, out=tmp_path / "spark", engine="spark", master=spark)
    here = epochal.sweep(file, out=tmp_path / "here", workers=1)
    assert on_spark.sweep.failed == here.sweep.failed == []
    assert on_spark.exit_code == here.exit_code == 0 and on_spark.sweep.done == 5
    assert (tmp_path / "spark" / "results.jsonl").read_bytes() == (tmp_path / "here" / "results.jsonl").read_bytes()
    assert epochal.sweep(file, out=tmp_path / "spark", workers=1).sweep.done == 0
