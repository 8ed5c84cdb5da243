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

if TYPE_CHECKING:  # what is imported as itself is public
    from epochal.api.audit import ClusterAudit as ClusterAudit
    from epochal.api.audit import audit as audit
    from epochal.api.bounded import BoundedResult as BoundedResult
    from epochal.api.bounded import bounded as bounded
    from epochal.api.catalogue import CatalogueResult as CatalogueResult
    from epochal.api.catalogue import catalogue as catalogue
    from epochal.api.check import CheckResult as CheckResult
    from epochal.api.check import assert_holds as assert_holds
    from epochal.api.check import check as check
    from epochal.api.check import liveness as liveness
    from epochal.api.compare import Comparison as Comparison
    from epochal.api.compare import compare as compare
    from epochal.api.conform import Conformance as Conformance
    from epochal.api.conform import conform as conform
    from epochal.api.export import ExportResult as ExportResult
    from epochal.api.export import export as export
    from epochal.api.gate import GateResult as GateResult
    from epochal.api.gate import gate as gate
    from epochal.api.graph import GraphResult as GraphResult
    from epochal.api.graph import graph as graph
    from epochal.api.guarantees import Guarantees as Guarantees
    from epochal.api.guarantees import guarantees as guarantees
    from epochal.api.lockstep import CoverageOnKafka as CoverageOnKafka
    from epochal.api.lockstep import HolesOnKafka as HolesOnKafka
    from epochal.api.lockstep import PlayedLines as PlayedLines
    from epochal.api.lockstep import PlayedRun as PlayedRun
    from epochal.api.lockstep import RandomRuns as RandomRuns
    from epochal.api.lockstep import lockstep_catalogue as lockstep_catalogue
    from epochal.api.lockstep import lockstep_coverage as lockstep_coverage
    from epochal.api.lockstep import lockstep_lines as lockstep_lines
    from epochal.api.lockstep import lockstep_run as lockstep_run
    from epochal.api.lockstep import lockstep_runs as lockstep_runs
    from epochal.api.lockstep_controller import ControllerBranchesOnKafka as ControllerBranchesOnKafka
    from epochal.api.lockstep_controller import LockstepControllerResult as LockstepControllerResult
    from epochal.api.lockstep_controller import lockstep_controller as lockstep_controller
    from epochal.api.lockstep_controller import lockstep_controller_coverage as lockstep_controller_coverage
    from epochal.api.mutate import MutationResult as MutationResult
    from epochal.api.mutate import mutate as mutate
    from epochal.api.prove import prove as prove
    from epochal.api.proved import ProofResult as ProofResult
    from epochal.api.proved import UnboundedResult as UnboundedResult
    from epochal.api.replay import ReplayResult as ReplayResult
    from epochal.api.replay import replay as replay
    from epochal.api.result import Result as Result
    from epochal.api.simulate import SimulationResult as SimulationResult
    from epochal.api.simulate import simulate as simulate
    from epochal.checker.search.result import Options as Options
    from epochal.checker.trace.trace import Trace as Trace
    from epochal.errors import EpochalError as EpochalError
    from epochal.exit_codes import ExitCode as ExitCode
    from epochal.spec.loading import load as load
    from epochal.spec.loading import protocols as protocols
    from epochal.sweeps.sweep import SweepResult as SweepResult
    from epochal.sweeps.sweep import sweep as sweep

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
        "epochal.api.lockstep": (
            "CoverageOnKafka HolesOnKafka PlayedLines PlayedRun RandomRuns lockstep_catalogue lockstep_coverage "
            "lockstep_lines lockstep_run lockstep_runs"
        ),
        "epochal.api.lockstep_controller": (
            "ControllerBranchesOnKafka LockstepControllerResult lockstep_controller lockstep_controller_coverage"
        ),
        "epochal.api.mutate": "MutationResult mutate",
        "epochal.api.prove": "prove",
        "epochal.api.proved": "ProofResult UnboundedResult",
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

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'epochal' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
