"""The page of options at once: what can be composed, and what searches of all pairs have found (tests/spec/kraft)."""

from __future__ import annotations

import itertools
import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from epochal.spec.kraft.composed import OPTIONS, WIDEST, clashes, includes

from .markdown import docstring, page, table

KEPT: Final = Path(__file__).resolve().parents[2] / "tests" / "spec" / "kraft" / "pairs.json.xz"

INTRODUCTION = """
Searches of `kraft` with two or three options at once: `kraft+consumer+retention`. Every rule is in place, and
`min.insync.replicas` is as named. A broker may crash and lose nothing, or lose the end of its log where two copies are
wanted; one is fenced, and another leads. [What they found](../kafka/pairs.md) is told elsewhere.

All invariants and action properties are checked. A search ends after 300,000 states, with a record and a fencing more
after 1,000,000; "up to depth 12" says that it has ended there, and has seen every state in fewer steps. "Alone, too" is
what one of the options violates by itself at the same bounds.
"""

SHORT: Final[Mapping[str, str]] = {
    "replication_factor": "replicas",
    "max_epoch": "epochs",
    "metadata_lag": "lag",
    "lossy_crashes": "lossy",
}
"""How a bound is called in a cell."""


def pairs() -> str:
    """Which options there are, which of them clash, and each search."""
    rows = json.loads(lzma.decompress(KEPT.read_bytes()))
    together = [row for row in rows if row["only together"]]
    parts = [
        f"## How many\n\n{_counts(rows)}",
        f"## Options\n\n{table(('option', 'what it is'), [(f'`{one}`', _sentence(one)) for one in WIDEST])}",
        f"## What cannot be composed\n\n{table(('option', 'and', 'because'), _clashes())}",
        f"## Violated together only\n\n{_searches(together) if together else 'Nothing.'}",
        f"## Every search\n\n{len(rows):,} searches.\n\n{_searches(rows)}",
    ]
    return page("Options at once", INTRODUCTION, *parts)


def _counts(rows: list[dict[str, Any]]) -> str:
    """How many pairs there are, and how many of them were searched."""
    beyond = [row for row in rows if row.get("larger")]
    rows = [row for row in rows if not row.get("larger")]
    every = [
        (one, other)
        for one, other in itertools.combinations(WIDEST, 2)
        if not includes(one, other) and not includes(other, one)
    ]
    composable = [pair for pair in every if not clashes(*pair)]
    searched = [tuple(row["options"]) for row in rows]
    asked = {size: {one for one in searched if len(one) == size} for size in (2, 3)}
    twice = sum(searched.count(pair) > 1 for pair in asked[2])
    situations = f"{twice} in both situations and the others in one" if twice else "each in one of two situations"
    seldom = [one for one in WIDEST if not any(one in options for options in searched)]
    depths = [row["depth"] for row in rows if row["cut"]]
    return "\n\n".join(
        (
            f"{len(WIDEST)} options have {len(every)} pairs of which neither includes the other. {len(composable)} can "
            f"be composed. {len(asked[2])} of these were searched, {situations}, and {len(asked[3])} triples. "
            f"{len(rows) - len(depths)} of these {len(rows)} searches saw every state; the others ended at depths from "
            f"{min(depths)} to {max(depths)}.",
            f"{len(beyond)} pairs were searched once more with one record and one fencing more, those first that have "
            f"the fewest states; {sum(not row['cut'] for row in beyond)} of these searches saw every state.",
            *((f"No pair was searched with {', '.join(f'`{one}`' for one in seldom)}.",) if seldom else ()),
        )
    )


def _sentence(option: str) -> str:
    return docstring(OPTIONS[option]).split("\n\n")[0]


def _clashes() -> list[tuple[str, str, str]]:
    return [
        (f"`{one}`", f"`{other}`", "; ".join(why))
        for one, other in itertools.combinations(WIDEST, 2)
        if (why := clashes(one, other))
    ]


def _searches(rows: list[dict[str, Any]]) -> str:
    header = ("options", "min ISR", "bounds", "states", "verdict", "seconds")
    return table(header, [_search(row) for row in rows])


def _search(row: Mapping[str, Any]) -> tuple[str, ...]:
    bounds = ", ".join(f"{SHORT.get(name, name)} {value}" for name, value in row["bounds"].items() if value)
    cut = f", up to depth {row['depth']}" if row["cut"] else ""
    return (
        ", ".join(f"`{one}`" for one in row["options"]),
        str(row["settings"]["min_insync_replicas"]),
        bounds,
        f"{row['states']:,}{cut}",
        _verdict(row),
        str(row["seconds"]),
    )


def _verdict(row: Mapping[str, Any]) -> str:
    only = row["only together"]
    alone = [name for name in row["violated"] if name not in only]
    said = [f"`{name}` in {length} states" for name, length in only.items()]
    said += [f"alone, too: {', '.join(f'`{name}`' for name in alone)}"] if alone else []
    return "; ".join(said) or "holds"
