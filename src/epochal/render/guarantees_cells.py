"""What stands in the cells of the tables of guarantees."""

from __future__ import annotations

import functools

from epochal.checker.host.numbers import counted
from epochal.kafka.guarantees import Decided, Promise
from epochal.render.page import Style
from epochal.spec.bugs.catalogue import CATALOGUE

NO_TICKET = "no ticket known"

Cell = tuple[str, Style]

NOT_ASKED: Cell = ("", "faint")


def answered(answer: Promise) -> Cell:
    """An answer: `yes`, or `NO, 13 states: N1`."""
    if answer.verdict == "violated":
        return f"NO, {counted(answer.length or 0, 'state')}{_because(answer.behind)}", "bad"
    words: dict[str, Cell] = {
        "holds": ("yes", "good"),
        "open": ("open", "warn"),
        "nothing": ("nothing acknowledged", "faint"),
    }
    return words[answer.verdict]


def _because(behind: tuple[str, ...]) -> str:
    """What is behind it: the ticket where it was reported, or the number of a finding that has none."""
    return f": {', '.join(map(called, behind))}" if behind else ""


def called(id: str) -> str:
    """A known bug by its ticket, with its number where others have that ticket; by its number if no ticket is known."""
    ticket = _tickets().get(id)
    if ticket is None:
        return id
    return ticket if list(_tickets().values()).count(ticket) == 1 else f"{ticket} ({id})"


@functools.cache
def _tickets() -> dict[str, str]:
    """The first ticket of every known bug that has one."""
    known = (bug for bug in CATALOGUE if NO_TICKET not in bug.source)
    return {bug.id: ticket for bug in known if (ticket := next(iter(bug.references()), None))}


def kept(one: Decided | None, logs: bool) -> Cell:
    """Whether records stay, acknowledged or read, and whether `logs` match, in one cell."""
    if one is None:
        return NOT_ASKED
    asked = {name: promise for name, promise in one.answers.items() if name != "logs" or logs}
    said = {name: answered(promise) for name, promise in asked.items() if promise.verdict != "nothing"}
    style: Style = next((style for style in ("bad", "warn") if any(cell[1] == style for cell in said.values())), "good")
    if len(said) == len(asked) and len(set(said.values())) == 1:
        return next(iter(said.values()))[0], style
    told: dict[str, list[str]] = {}
    for name, (text, _) in said.items():
        told.setdefault(text, []).append(name)
    parts = [f"{' and '.join(names)} {text}" for text, names in told.items()]
    return "; ".join(parts if len(said) == len(asked) else [*parts, "nothing acknowledged"]), style


def writes(possible: bool | None) -> Cell:
    """Whether writes go on."""
    return ("-", "faint") if possible is None else ("yes", "good") if possible else ("no", "warn")
