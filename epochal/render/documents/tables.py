"""The document of `epochal export`."""

from __future__ import annotations

from typing import TypedDict

from epochal.render.documents.common import Bounds, Head


class TableOf(TypedDict):
    """One table: how many rows it has, its files relative to `out`, and their bytes."""

    name: str
    rows: int
    bytes: int
    files: list[str]


class Export(Head):
    """`epochal export`: of which search which tables were written. Not `exhaustive` says that states are missing."""

    protocol: str
    bounds: Bounds
    run: str
    out: str
    states: int
    levels: int
    exhaustive: bool
    tables: list[TableOf]
