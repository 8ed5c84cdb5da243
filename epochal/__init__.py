"""Epochal: a model checker for Kafka's replication protocol, whose specification is executable Python.

`load` gives a protocol within bounds, `protocols` the names that it knows, and `check` explores every reachable state:

    result = epochal.check(epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1))
    print(result.counterexample)

Specifications of one's own are written with `epochal.language`. Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

_here = Path(__file__).resolve().parent
if (_here / "spec").is_symlink():  # a checkout: the packages are beside this folder, and reports show them there
    __path__.insert(0, str(_here.parent))

if TYPE_CHECKING:
    from epochal.checker.door import check
    from epochal.checker.search.result import CheckResult, Options
    from epochal.checker.trace.trace import Trace
    from epochal.spec.door import load, protocols

_WHERE = {
    "CheckResult": "epochal.checker.search.result",
    "Options": "epochal.checker.search.result",
    "Trace": "epochal.checker.trace.trace",
    "check": "epochal.checker.door",
    "load": "epochal.spec.door",
    "protocols": "epochal.spec.door",
}

__all__ = ["CheckResult", "Options", "Trace", "check", "load", "protocols"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'epochal' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
