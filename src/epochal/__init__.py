"""Epochal: a model checker for Kafka's replication protocol, whose specification is executable Python.

`load` returns a protocol within bounds, and `protocols` the registered names. Each query is a function. Its result
prints the report of the command line: `check` explores every reachable state; `liveness` shows which fairness each
liveness property needs; `prove` proves invariants by induction; `bounded` asks Z3; `simulate` takes random runs;
`graph` draws a small state space, and `export` writes a large one as tables, `export_tla` a protocol in TLA+;
`compare` finds the steps that a change adds or removes; `mutate` removes guards; `guarantees` shows what Kafka
guarantees under which faults; `catalogue` searches the known bugs; `sweep` runs many queries in parallel; `replay`
runs a trace again; `gate` compares behaviour with a baseline; `conform` checks what brokers left behind;
`lockstep_controller` runs Kafka's own classes; `policy` generates policies that refuse topics; `audit` shows what a
cluster guarantees to its topics:

    result = epochal.check(epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1))
    print(result.counterexample)

Specifications of one's own are written with `epochal.language`. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

_NAMES = (pkgutil.get_data(__name__, "__init__.pyi") or b"").decode()
_FOUND = re.findall(r"(?m)^from (epochal\S*) import (\w+) as", _NAMES)
_WHERE: dict[str, str] = {name: module for module, name in _FOUND}
"""The modules of the public names, which stand in `__init__.pyi` alone. It tells type checkers, too."""

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'epochal' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
