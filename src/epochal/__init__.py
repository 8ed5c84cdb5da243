"""Epochal: a model checker for Kafka's replication protocol, whose specification is executable Python.

`load` gives a protocol within bounds, `protocols` the names that it knows. A question is a function, its answer a
result that prints as the report of the command line: `check` explores every reachable state, `liveness` says which
fairness it takes that something happens in the end, `prove` proves invariants by induction, `bounded` asks Z3,
`simulate` takes random runs, `graph` draws a small state space, `export` writes a large one as tables, `compare` finds
the steps of a change, `mutate` takes guards away, `guarantees` says what Kafka promises, `catalogue` searches its known
bugs, `sweep` asks many questions side by side, `replay` runs a trace again, `gate` watches behaviour, `conform` judges
what brokers left behind, `audit` says what a cluster promises:

    result = epochal.check(epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1))
    print(result.counterexample)

Specifications of one's own are written with `epochal.language`. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epochal.checker.search.result import Options
    from epochal.checker.trace.trace import Trace
    from epochal.door.asserts import assert_holds
    from epochal.door.audit import ClusterAudit, audit
    from epochal.door.bounded import BoundedResult, bounded
    from epochal.door.catalogue import CatalogueResult, catalogue
    from epochal.door.check import CheckResult, check
    from epochal.door.compare import Comparison, compare
    from epochal.door.conform import Conformance, conform
    from epochal.door.export import ExportResult, export
    from epochal.door.gate import GateResult, gate
    from epochal.door.graph import GraphResult, graph
    from epochal.door.guarantees import Guarantees, guarantees
    from epochal.door.liveness import liveness
    from epochal.door.mutate import MutationResult, mutate
    from epochal.door.prove import ProofResult, prove
    from epochal.door.prove_unbounded import UnboundedResult
    from epochal.door.replay import ReplayResult, replay
    from epochal.door.result import Result
    from epochal.door.simulate import SimulationResult, simulate
    from epochal.errors import EpochalError
    from epochal.exit_codes import ExitCode
    from epochal.spec.door import load, protocols
    from epochal.sweeps.door import SweepResult, sweep

_WHERE = {
    "BoundedResult": "epochal.door.bounded",
    "CatalogueResult": "epochal.door.catalogue",
    "CheckResult": "epochal.door.check",
    "ClusterAudit": "epochal.door.audit",
    "Comparison": "epochal.door.compare",
    "Conformance": "epochal.door.conform",
    "EpochalError": "epochal.errors",
    "ExitCode": "epochal.exit_codes",
    "ExportResult": "epochal.door.export",
    "GateResult": "epochal.door.gate",
    "GraphResult": "epochal.door.graph",
    "Guarantees": "epochal.door.guarantees",
    "MutationResult": "epochal.door.mutate",
    "Options": "epochal.checker.search.result",
    "ProofResult": "epochal.door.prove",
    "ReplayResult": "epochal.door.replay",
    "Result": "epochal.door.result",
    "SimulationResult": "epochal.door.simulate",
    "SweepResult": "epochal.sweeps.door",
    "Trace": "epochal.checker.trace.trace",
    "UnboundedResult": "epochal.door.prove_unbounded",
    "assert_holds": "epochal.door.asserts",
    "audit": "epochal.door.audit",
    "bounded": "epochal.door.bounded",
    "catalogue": "epochal.door.catalogue",
    "check": "epochal.door.check",
    "compare": "epochal.door.compare",
    "conform": "epochal.door.conform",
    "export": "epochal.door.export",
    "gate": "epochal.door.gate",
    "graph": "epochal.door.graph",
    "guarantees": "epochal.door.guarantees",
    "liveness": "epochal.door.liveness",
    "load": "epochal.spec.door",
    "mutate": "epochal.door.mutate",
    "protocols": "epochal.spec.door",
    "prove": "epochal.door.prove",
    "replay": "epochal.door.replay",
    "simulate": "epochal.door.simulate",
    "sweep": "epochal.sweeps.door",
}

__all__ = [
    "BoundedResult",
    "CatalogueResult",
    "CheckResult",
    "ClusterAudit",
    "Comparison",
    "Conformance",
    "EpochalError",
    "ExitCode",
    "ExportResult",
    "GateResult",
    "GraphResult",
    "Guarantees",
    "MutationResult",
    "Options",
    "ProofResult",
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
