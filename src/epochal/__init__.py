"""Epochal: a model checker for Kafka's replication protocol, whose specification is executable Python.

`load` returns a protocol within bounds, and `protocols` the registered names. Each query is a function. Its result
prints the report of the command line: `check` explores every reachable state; `liveness` shows which fairness each
liveness property needs; `prove` proves invariants by induction; `bounded` asks Z3; `simulate` takes random runs;
`graph` draws a small state space, and `export` writes a large one as tables; `compare` finds the steps that a change
adds or removes; `mutate` removes guards; `guarantees` shows what Kafka guarantees under which faults; `catalogue`
searches the known bugs; `sweep` runs many queries in parallel; `replay` runs a trace again; `gate` compares behaviour
with a baseline; `conform` checks what brokers left behind; `lockstep_controller` runs Kafka's own classes; `audit`
shows what a cluster guarantees to its topics:

    result = epochal.check(epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1))
    print(result.counterexample)

Specifications of one's own are written with `epochal.language`. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.api.audit import ClusterAudit, audit
    from epochal.api.bounded import BoundedResult, bounded
    from epochal.api.catalogue import CatalogueResult, catalogue
    from epochal.api.check import CheckResult, assert_holds, check, liveness
    from epochal.api.compare import Comparison, compare
    from epochal.api.conform import Conformance, conform
    from epochal.api.export import ExportResult, export
    from epochal.api.gate import GateResult, gate
    from epochal.api.graph import GraphResult, graph
    from epochal.api.guarantees import Guarantees, guarantees
    from epochal.api.lockstep_catalogue import HolesOnKafka, lockstep_catalogue
    from epochal.api.lockstep_controller import LockstepControllerResult, lockstep_controller
    from epochal.api.lockstep_controller_coverage import ControllerBranchesOnKafka, lockstep_controller_coverage
    from epochal.api.lockstep_coverage import CoverageOnKafka, lockstep_coverage
    from epochal.api.lockstep_lines import PlayedLines, lockstep_lines
    from epochal.api.lockstep_run import PlayedRun, lockstep_run
    from epochal.api.lockstep_runs import RandomRuns, lockstep_runs
    from epochal.api.mutate import MutationResult, mutate
    from epochal.api.prove import ProofResult, UnboundedResult, prove
    from epochal.api.replay import ReplayResult, replay
    from epochal.api.result import Result
    from epochal.api.simulate import SimulationResult, simulate
    from epochal.checker.search.result import Options
    from epochal.checker.trace.trace import Trace
    from epochal.errors import EpochalError
    from epochal.exit_codes import ExitCode
    from epochal.spec.loading import load, protocols
    from epochal.sweeps.sweep import SweepResult, sweep

_WHERE = {
    name: module
    for module, names in {
        "epochal.api.audit": "ClusterAudit audit",
        "epochal.api.bounded": "BoundedResult bounded",
        "epochal.api.catalogue": "CatalogueResult catalogue",
        "epochal.api.check": "CheckResult assert_holds check liveness",
        "epochal.api.compare": "Comparison compare",
        "epochal.api.conform": "Conformance conform",
        "epochal.api.export": "ExportResult export",
        "epochal.api.gate": "GateResult gate",
        "epochal.api.graph": "GraphResult graph",
        "epochal.api.guarantees": "Guarantees guarantees",
        "epochal.api.lockstep_catalogue": "HolesOnKafka lockstep_catalogue",
        "epochal.api.lockstep_controller": "LockstepControllerResult lockstep_controller",
        "epochal.api.lockstep_controller_coverage": "ControllerBranchesOnKafka lockstep_controller_coverage",
        "epochal.api.lockstep_coverage": "CoverageOnKafka lockstep_coverage",
        "epochal.api.lockstep_lines": "PlayedLines lockstep_lines",
        "epochal.api.lockstep_run": "PlayedRun lockstep_run",
        "epochal.api.lockstep_runs": "RandomRuns lockstep_runs",
        "epochal.api.mutate": "MutationResult mutate",
        "epochal.api.prove": "ProofResult UnboundedResult prove",
        "epochal.api.replay": "ReplayResult replay",
        "epochal.api.result": "Result",
        "epochal.api.simulate": "SimulationResult simulate",
        "epochal.checker.search.result": "Options",
        "epochal.checker.trace.trace": "Trace",
        "epochal.errors": "EpochalError",
        "epochal.exit_codes": "ExitCode",
        "epochal.spec.loading": "load protocols",
        "epochal.sweeps.sweep": "SweepResult sweep",
    }.items()
    for name in names.split()
}

__all__ = [
    "BoundedResult",
    "CatalogueResult",
    "CheckResult",
    "ClusterAudit",
    "Comparison",
    "Conformance",
    "ControllerBranchesOnKafka",
    "CoverageOnKafka",
    "EpochalError",
    "ExitCode",
    "ExportResult",
    "GateResult",
    "GraphResult",
    "Guarantees",
    "HolesOnKafka",
    "LockstepControllerResult",
    "MutationResult",
    "Options",
    "PlayedLines",
    "PlayedRun",
    "ProofResult",
    "RandomRuns",
    "ReplayResult",
    "Result",
    "SimulationResult",
    "SweepResult",
    "Trace",
    "UnboundedResult",
    "assert_holds",
    "audit",
    "bounded",
    "catalogue",
    "check",
    "compare",
    "conform",
    "export",
    "gate",
    "graph",
    "guarantees",
    "liveness",
    "load",
    "lockstep_catalogue",
    "lockstep_controller",
    "lockstep_controller_coverage",
    "lockstep_coverage",
    "lockstep_lines",
    "lockstep_run",
    "lockstep_runs",
    "mutate",
    "protocols",
    "prove",
    "replay",
    "simulate",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'epochal' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
