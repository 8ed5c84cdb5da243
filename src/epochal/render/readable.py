"""What has a reading for every choice of the bounds, rule by rule, and what to write where there is none."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from epochal.checker.parametric.obstacles import obstacles
from epochal.checker.parametric.refused import NoReading
from epochal.checker.parametric.rules import ParametricReading
from epochal.render.page import Page
from epochal.spec.language import Protocol
from epochal.spec.language.marks import Kind

KINDS: tuple[Kind, ...] = ("action", "lemma", "invariant")


def render_readable(page: Page, protocol: Protocol) -> None:
    """Write the rules that are read, and of each that is refused the line and the advice."""
    kind = type(protocol)
    rules = [(word, member) for word in KINDS for member in kind.members(word)]
    if found := obstacles(kind):
        page.line(f"{protocol.name}: no rule can be read for every choice of the bounds", "bad")
        _refusals(page, found)
        return
    reading = ParametricReading(kind)
    refusals: list[NoReading] = []
    rows: list[tuple[str, str, str]] = []
    for word, member in rules:
        try:
            if word == "action":
                reading.action(member)
            elif len(inspect.signature(member.function).parameters) == 1:
                reading.predicate(member)
            rows.append((word, member.name, "read"))
        except NoReading as refused:
            refusals.append(refused)
            rows.append((word, member.name, "refused"))
    read = len(rows) - len(refusals)
    page.line(f"{protocol.name}: {read} of {len(rows)} rules can be read for every choice of the bounds")
    page.table(rows)
    if refusals:
        page.line()
        _refusals(page, refusals)


def _refusals(page: Page, refused: Sequence[NoReading]) -> None:
    """Each line that is refused, with its advice."""
    for number, said in enumerate(dict.fromkeys(map(str, refused))):
        if number:
            page.line()
        page.lines(said.splitlines(), indent=2)
