"""Epochal: a model checker for Kafka's replication protocol, whose specification is executable Python."""

from __future__ import annotations

from pathlib import Path

_here = Path(__file__).resolve().parent
if (_here / "spec").is_symlink():  # a checkout: the packages are beside this folder, and reports show them there
    __path__.insert(0, str(_here.parent))
