"""Searches in a Spark session of one's own, and searches that were kept as DataFrames."""

from epochal.api.on_spark import check, findings, levels, runs, states, trace_steps

__all__ = ["check", "findings", "levels", "runs", "states", "trace_steps"]
