"""The report of a mutation run for people. Everything in it comes from the one `MutationResult`."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from epochal.checker.base.numbers import counted, timed
from epochal.checker.documents import document
from epochal.checker.mutation.result import MutationResult, Outcome, survivor_heading, survivor_tables
from epochal.checker.search.result import PropertyResult
from epochal.exit_codes import ExitCode

from .check import scope_lines
from .documents import search
from .page import Page, Row, Style, plain_wanted
from .progress import Counted, Estimate, about


def headline(result: MutationResult) -> str:
    """The verdict in one sentence."""
    tried = counted(len(result.outcomes), "mutant")
    if result.unexpected:
        many = len(result.unexpected)
        return f"{many} of {tried} {'survives' if many == 1 else 'survive'}, and nobody has said why"
    if result.stale:
        return f"{counted(len(result.stale), 'listed survivor')} out of date"
    if result.exit_code == ExitCode.INCONCLUSIVE:
        return "inconclusive: not every mutant could be searched"
    if not result.could_notice:
        return "no property holds that a mutant could violate"
    survivors = len(result.with_verdict("survived"))
    listed = f"; {counted(survivors, 'survivor')}, all of them listed with a reason" if survivors else "; none survives"
    changed = len(result.with_verdict("changed"))
    if changed:
        is_killed = "1 is killed" if len(result.killed) == 1 else f"{len(result.killed)} are killed"
        only = "1 only changes" if changed == 1 else f"{changed} only change"
        return f"of {tried} {is_killed}, {only} states or steps{listed}"
    return f"every guard matters, as far as {tried} can tell{listed}"


def render_mutation(page: Page, result: MutationResult, every: int) -> None:
    """Who was killed and by what, what only changes the state space, and who survives. `every` counts all mutants."""
    original = result.original
    tones: dict[int, Style] = {ExitCode.HOLDS: "good", ExitCode.INCONCLUSIVE: "warn"}
    page.line(f"{original.protocol.name}: {headline(result)}", tones.get(result.exit_code, "bad"))
    page.lines(scope_lines(original.protocol), indent=2)
    _group(page, "Killed", [_killed(one) for one in result.killed], ("BY", "LENGTH", "LINE", "MUTANT AND TEXT"))
    changed = [(f"{one.states:+,}", *_named(one)) for one in result.with_verdict("changed")]
    _group(page, "No property breaks, but states or steps are others", changed, ("STATES", "LINE", "MUTANT AND TEXT"))
    survivors = [_survivor(one, result) for one in result.with_verdict("survived")]
    _group(page, "Nothing changes", survivors, ("", "LINE", "MUTANT AND TEXT"))
    alive = result.with_verdict("survived", "changed")
    remarks = dict.fromkeys(said for one in alive for said in one.mutant.remarks)
    if remarks:
        page.title("What the search of these does not tell")
        page.lines((f"{said}." for said in remarks), indent=2)
    _group(
        page, "Open", [(one.message, *_named(one)) for one in result.with_verdict("open")], ("WHY", "LINE", "MUTANT")
    )
    if result.stale:
        page.title("Listed, and no longer a survivor")
        page.lines((f"{one.mutant}: {why}" for one, why in result.stale), indent=2)
    _effort(page, result, every)
    if result.unexpected:
        page.title("To accept survivors, with a reason each (--survivors FILE)")
        if result.accepted is None:
            page.lines(survivor_heading(original.protocol), indent=2)
        page.lines(survivor_tables(result.unexpected), indent=2)


def _group(page: Page, title: str, rows: Sequence[Row], header: tuple[str, ...]) -> None:
    if rows:
        page.title(f"{title}: {len(rows)}")
        page.table(rows, header=header)


def _named(one: Outcome) -> tuple[str, str]:
    return str(one.mutant.where), f"{one.mutant.id}: {one.mutant.removed}"


def _killed(one: Outcome) -> Row:
    if one.verdict == "failed":
        by, length = f"cannot be evaluated: {one.message}", str(one.length)
    elif one.verdict == "refused":
        by, length = f"static checks: {one.message}", "-"
    elif one.verdict == "unreached":
        by, length = f"{one.property} unreachable", "-"
    else:
        by, length = one.property, f"{one.length}" if one.round is None else f"{one.length}, {one.round} for ever"
    return (by, length, *_named(one))


def _survivor(one: Outcome, result: MutationResult) -> Row:
    accepted = result.reason(one)
    sign: tuple[str, Style] = ("listed", "good") if accepted else ("NEW", "bad")
    where, text = _named(one)
    return (sign, where, text + (f" ({accepted})" if accepted else ""))


def _why_not_judged(one: PropertyResult) -> str:
    """Why a property tells nothing of mutants: the protocol itself does not have it."""
    if one.verdict == "not applicable":
        return "it does not apply within these bounds and settings"
    if one.verdict == "unknown":
        return "open in the protocol itself"
    if one.member.mark.kind != "reachable":
        return "violated by the protocol itself"
    return "it happens in the protocol itself, although it does not apply" if one.out_of_place else UNREACHED


UNREACHED = "not reached by the protocol itself within these bounds"


def _effort(page: Page, result: MutationResult, every: int) -> None:
    original = result.original
    unjudged: dict[str, list[str]] = {}
    for one in original.properties:
        if one.verdict != "holds":
            unjudged.setdefault(_why_not_judged(one), []).append(one.member.name)
    for promise in original.liveness.promises:
        if promise.verdict != "holds":
            why = original.liveness.reason or "violated by the protocol itself"
            unjudged.setdefault(why, []).append(promise.member.name)
    judged = ", ".join(result.judged)
    covered = f"{len(result.covered)} not tried: what they weaken in one call changes nothing in all of them"
    same = sum(one.same_program for one in result.outcomes)
    page.title("Search")
    page.table(
        [
            ("original", f"{original.distinct_states:,} distinct states, depth {original.depth}"),
            ("mutants", f"{len(result.mutants)} of {every} asked for, {len(result.outcomes)} tried"),
            *((("calls", covered),) if result.covered else ()),
            *((("same code", f"{same} of the survivors compile to the code of the original"),) if same else ()),
            ("checked", judged or "nothing: no property of the protocol itself holds"),
            *(("not checked", f"{', '.join(names)}: {why}") for why, names in unjudged.items()),
            *((("interrupted", f"{counted(result.untried, 'mutant')} not tried"),) if result.untried else ()),
            ("time", f"{timed(result.wall_seconds)}, of processors {timed(result.cpu_seconds)}"),
        ]
    )


# -- mutation json ----------------------------------------------------------------------------------------------------
# The result of a mutation run as one JSON object.


def mutation_document(result: MutationResult, asked: object) -> search.Mutate:
    """The document. `accepted` of a survivor is the reason that the list of survivors gives, or null."""
    return document(
        search.Mutate,
        result,
        result.original,
        asked,
        mutants=[document(search.Mutant, one, accepted=result.reason(one) or None) for one in result.outcomes],
        stale=[{"id": one.mutant, "removed": one.removed, "why": why} for one, why in result.stale],
    )


# -- mutation progress ------------------------------------------------------------------------------------------------
# Progress of a mutation run, on stderr: how many mutants were tried, and what became of them.

PLAIN_EVERY = 2.0


@contextlib.contextmanager
def shown_mutants(kind: str, stream: TextIO, total: int) -> Iterator[Callable[[Outcome], None]]:
    """What to call with each outcome, for `--progress auto|plain|json|none`."""
    if kind == "none":
        yield lambda outcome: None
    elif kind == "json":
        yield _JsonLines(stream, total)
    elif kind == "plain" or plain_wanted(stream):
        yield _PlainLines(stream, total)
    else:
        from rich.console import Console

        with Console(file=stream).status("mutants ...") as status:
            counted, estimate = _Counted(total), Estimate()
            estimate.left(counted, Counted(0, total))

            def update(outcome: Outcome) -> None:
                counted.count(outcome)
                left = estimate.left(counted, Counted(counted.done, total))
                said = "" if left is None else f"{about(left)}: "
                status.update(f"{said}{counted.in_words()}: {outcome.mutant.id}")

            yield update


class _Counted:
    """How many mutants were tried, and what became of them."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.survived = total, 0, 0
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.began

    def count(self, outcome: Outcome) -> None:
        """Take one more outcome into account."""
        self.done += 1
        self.survived += outcome.verdict == "survived"

    def in_words(self) -> str:
        """The progress on one line."""
        spent = timed(self.seconds)
        return f"{self.done} of {self.total} mutants tried, {self.survived} survived, {spent}"


class _PlainLines(_Counted):
    """A line every two seconds."""

    def __init__(self, stream: TextIO, total: int) -> None:
        super().__init__(total)
        self.stream, self.next = stream, self.began + PLAIN_EVERY

    def __call__(self, outcome: Outcome) -> None:
        self.count(outcome)
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + PLAIN_EVERY
            self.stream.write(self.in_words() + "\n")
            self.stream.flush()


class _JsonLines(_Counted):
    """One JSON object for each mutant."""

    def __init__(self, stream: TextIO, total: int) -> None:
        super().__init__(total)
        self.stream = stream

    def __call__(self, outcome: Outcome) -> None:
        self.count(outcome)
        document = {"done": self.done, "of": self.total, "mutant": outcome.mutant.id, "verdict": outcome.verdict}
        self.stream.write(json.dumps(document) + "\n")
        self.stream.flush()
