"""What two protocols promise: the properties and promises of both, judged in each, and where the verdicts differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.checker.host.numbers import counted
from epochal.checker.search.result import CheckResult
from epochal.render.page import Page, Row, Style

if TYPE_CHECKING:
    from epochal.checker.trace.trace import Trace
    from epochal.render.documents import solver

Judged = tuple[CheckResult, CheckResult]
"""The searches of the first protocol and of the second."""

HERE_ONLY = "not there"


@dataclass(frozen=True)
class Said:
    """The verdict on one property in one protocol; `trace` is the run that shows it, if there is one.

    `round` is how many steps of that run go on for ever, where a promise is broken.
    """

    verdict: str
    trace: Trace | None = None
    round: int | None = None

    @property
    def violated(self) -> bool:
        """Whether the property is violated, or the promise broken."""
        return self.verdict == "violated"

    @property
    def word(self) -> tuple[str, Style]:
        """The verdict as a table shows it."""
        length = f" in {counted(self.trace.length, 'state')}" if self.violated and self.trace is not None else ""
        for_ever = ", then for ever" if self.round is not None and self.violated else ""
        tones: Mapping[str, Style] = {"violated": "bad", "holds": "good"}
        said = "VIOLATED" if self.violated else self.verdict
        return (f"{said}{length}{for_ever}", tones.get(self.verdict, "warn"))


@dataclass(frozen=True)
class Verdicts:
    """What both protocols say of one property; one that a protocol does not have is `not there`."""

    name: str
    kind: str
    first: Said
    second: Said

    @property
    def differ(self) -> bool:
        """Whether it holds in one of them alone, or is known of one alone."""
        return self.first.verdict != self.second.verdict


def verdicts(judged: Judged) -> list[Verdicts]:
    """The properties and promises of both, in the order of the first, then those of the second alone."""
    said = [_said(one) for one in judged]
    names = list(dict.fromkeys([*said[0], *said[1]]))
    nothing = ("", Said(HERE_ONLY))
    return [
        Verdicts(name, (said[0].get(name) or said[1][name])[0], *(one.get(name, nothing)[1] for one in said))
        for name in names
    ]


def _said(result: CheckResult) -> dict[str, tuple[str, Said]]:
    found: dict[str, tuple[str, Said]] = {}
    for one in result.properties:
        missed = one.member.mark.kind == "reachable" and one.verdict == "violated" and one.trace is None
        said = Said("not reached" if missed else one.verdict, one.trace)
        found[one.member.name] = (one.member.mark.kind, said)
    for promise in result.liveness.promises:
        found[promise.member.name] = ("leads_to", Said(promise.verdict, promise.trace, promise.round))
    return found


def runs_of_differences(judged: Judged) -> list[tuple[str, Trace]]:
    """The runs that break what the other protocol keeps, each with a name for its file."""
    found = []
    for one in verdicts(judged):
        for which, said in (("first", one.first), ("second", one.second)):
            if one.differ and said.violated and said.trace is not None:
                found.append((f"{which} breaks {one.name}", said.trace))
    return found


def render_verdicts(page: Page, judged: Judged, references: Sequence[str]) -> None:
    """Where the verdicts differ, as a table; how many are the same; and why something is not known."""
    every = verdicts(judged)
    page.title("What holds")
    differing = [one for one in every if one.differ]
    rows: list[Row] = [(one.name, one.first.word, one.second.word) for one in differing]
    if rows:
        page.table(rows, header=("PROPERTY", *references))
    same = [one for one in every if not one.differ]
    for verdict in dict.fromkeys(one.first.verdict for one in same):
        names = ", ".join(one.name for one in same if one.first.verdict == verdict)
        page.line(f"{verdict} in both: {names}", indent=2)
    for reference, result in zip(references, judged, strict=True):
        for why in _why_unknown(result):
            page.line(f"{reference}: {why}", "warn", indent=2)


def _why_unknown(result: CheckResult) -> list[str]:
    """Why not everything is known of a protocol."""
    if result.error is not None:
        return [f"a rule cannot be evaluated: {result.error.message}"]
    if result.cut:
        return [f"not every state was explored: {result.cut}"]
    return [f"promises are not judged: {result.liveness.reason}"] if result.liveness.reason else []


def verdicts_document(judged: Judged | None) -> list[solver.PropertyInBoth] | None:
    """The verdicts as plain data; None if nobody asked for them."""
    if judged is None:
        return None
    return [
        {"property": one.name, "kind": one.kind, "first": _plain(one.first), "second": _plain(one.second)}
        for one in verdicts(judged)
    ]


def _plain(said: Said) -> solver.SaidOfProperty:
    return {
        "verdict": said.verdict,
        "length": None if said.trace is None else said.trace.length,
        "round": said.round,
    }
