"""Where Spark runs, and what can go wrong there, other than with the specification.

It runs where it was asked for, else where Spark itself was told, else on the processors of this machine. A search that
went on here although `spark-submit --master yarn app.py` or `spark.master` in Spark's own configuration says otherwise
would silently take one machine for the cluster that somebody has paid for.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from epochal.errors import EngineError, UsageError

DEFAULT_MASTER = "local[*]"
PARTITION_LIMIT = 1 << 15
"""How many partitions there may be: their numbers take two bytes in the log."""

TRIES = 4
"""How often a task is tried on this machine, as it is on a cluster: one killed worker process must not end a search."""


class ClusterError(EngineError):
    """Spark, Java or the storage let the search down. The message says what to do; the manifest is intact."""


class LogDamaged(ClusterError):
    """A file of the log is not what the manifest says it is."""


class ResumeRefused(UsageError):
    """The storage cannot be used as asked: it holds no run, another run, or one that was not to be continued."""


def chosen_master(said: str | None) -> str:
    """The master: what was said, else what spark-submit or Spark's configuration says, else this machine."""
    return said or submitted_master() or configured_master() or DEFAULT_MASTER


def submitted_master() -> str | None:
    """The master that spark-submit was given, if it has started this process."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()  # how PySpark itself reads what was submitted
    return SparkConf(True, SparkContext._jvm).get("spark.master", None)


def configured_master() -> str | None:
    """The `spark.master` of spark-defaults.conf, where SPARK_CONF_DIR or SPARK_HOME says that it lies."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (f"{home}/conf" if home else None)
    if folder is None:
        return None
    try:
        text = (Path(folder) / "spark-defaults.conf").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.findall(r"^\s*spark\.master(?:\s*[=:]\s*|\s+)(\S+)\s*$", text, re.MULTILINE)
    return found[-1] if found else None


def with_retries(master: str) -> str:
    """The same master; one of this machine tries every task several times, which Spark's own does not."""
    found = re.fullmatch(r"local(?:\[(\d+|\*)\])?", master)
    return master if found is None else f"local[{found[1] or 1},{TRIES}]"


def on_this_machine(master: str) -> bool:
    """Whether tasks run in threads of the driver: no other machine has to see the storage."""
    return re.fullmatch(r"local(\[[^\]]*\])?", master) is not None
