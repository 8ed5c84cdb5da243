"""Random programs, searched by Epochal and by TLC: states, depth, verdicts, and the lengths of shortest runs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from epochal.checker.search import native
from epochal.checker.search.result import Options
from epochal.checker.tla.module import export
from epochal.errors import EpochalError
from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import loaded
from tests.checker.random_programs.searches import ECONOMY

from .compared import changes_nothing
from .tlc import only, run

MOST = 3_000
"""Programs with more states are left out."""


@dataclass(frozen=True)
class Asked:
    """What came of a program: the `same` in both, `refused` by the language or for TLA+, `large`, or `different`."""

    verdict: str
    said: str = ""


def ask(seed: int, folder: Path) -> Asked:
    """Search a random program with both; where properties are violated, TLC looks for one of them, too."""
    made = program(seed)
    with loaded(made.text, f"tla_{seed}") as module:
        try:
            protocol = module.P()
            ours = native.check(protocol, Options(all_violations=True, max_states=MOST, workers=1), tuning=ECONOMY)
        except EpochalError as error:
            return Asked("not in the language", str(error))
        if ours.cut:
            return Asked("large")
        try:
            exported = export(protocol)
        except EpochalError as error:
            return Asked("refused", str(error))
        quiet = changes_nothing(ours)
        found_by = {one.member.name: one.length for one in ours.properties if one.length is not None}
        lengths = {name: length for name, length in found_by.items() if name not in quiet}
        hold = [exported.names[one.member.name] for one in ours.properties if one.length is None]
        whole = run(exported, only(exported, *hold), folder)
        if ours.error is not None:
            return Asked("fails in both") if whole.violated else Asked("different", f"{ours.error}: TLC does not fail")
        if (whole.states, whole.depth, whole.violated) != (ours.distinct_states, ours.depth, ""):
            return Asked(
                "different", f"{ours.distinct_states} {ours.depth}, not {whole.states} {whole.depth}\n{whole.text}"
            )
        if lengths:
            name = random.Random(seed).choice(sorted(lengths))
            found = run(exported, only(exported, exported.names[name]), folder)
            if (found.violated, found.length) != (exported.names[name], lengths[name]):
                return Asked("different", f"{name}: {lengths[name]} states, not {found.length}\n{found.text}")
        return Asked("same", f"{ours.distinct_states} states")
