"""One protocol within bounds, searched by Epochal and by TLC: what each counts and finds."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import epochal
from epochal.checker.search.result import CheckResult
from epochal.checker.tla.module import TlaModule, export
from epochal.spec.language import Protocol

from .tlc import only, run


@dataclass(frozen=True)
class Compared:
    """What both say. `violated` has the properties that are violated, `witnessed` what happens, each with the number
    of states of a shortest run; `differences` is empty where both agree."""

    states: int
    depth: int
    violated: dict[str, int]
    witnessed: dict[str, int]
    differences: tuple[str, ...]


def compare(protocol: Protocol, witnesses: bool = False) -> Compared:
    """Search with both. TLC looks for each violation on its own, and with `witnesses` for all that must happen, too.

    Raises LanguageError for a protocol that cannot be exported.
    """
    module = export(protocol)
    options: dict[str, Any] = {"liveness": False, "all_violations": True, "witnesses": True}
    ours = epochal.check(protocol, **options).search
    with tempfile.TemporaryDirectory() as name:
        return _compared(module, Path(name), ours, witnesses)


def _compared(module: TlaModule, folder: Path, ours: CheckResult, witnesses: bool) -> Compared:
    differences = []
    shown = {one.member.name: one.length for one in ours.properties if one.length is not None}
    reachable = {one.member.name for one in ours.properties if one.member.mark.kind == "reachable"}
    violated = {name: length for name, length in shown.items() if name not in reachable}
    witnessed = {name: length for name, length in shown.items() if name in reachable}
    hold = [module.names[one.member.name] for one in ours.properties if one.length is None]
    whole = run(module, only(module, *hold), folder)
    if (whole.states, whole.depth, whole.violated) != (ours.distinct_states, ours.depth, ""):
        said = f"{whole.states} states, depth {whole.depth} {whole.violated}"
        differences.append(f"TLC: {said}; Epochal: {ours.distinct_states} states, depth {ours.depth}")
    quiet = changes_nothing(ours)
    for name, length in {**violated, **(witnessed if witnesses else {})}.items():
        if name in quiet:
            continue
        found = run(module, only(module, module.names[name]), folder)
        if (found.length, found.violated) != (length, module.names[name]):
            differences.append(f"{name}: TLC {found.violated}, {found.length} states; Epochal {length} states")
    return Compared(ours.distinct_states, ours.depth, violated, witnessed, tuple(differences))


def changes_nothing(ours: CheckResult) -> set[str]:
    """The properties of steps that are shown by a step that changes nothing. TLA+ has no such step: in TLC they hold,
    or are shown by another step."""
    shown = {one.member.name: one.trace for one in ours.properties if one.trace is not None}
    steps = {name: run.states for name, run in shown.items() if len(run.states) > 1}
    return {name for name, states in steps.items() if states[-1] == states[-2]}
