"""What has a reading for every choice of the bounds, rule by rule, and what to write where there is none."""

from __future__ import annotations

import inspect

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
    try:
        reading = ParametricReading(kind)
    except NoReading as refused:
        page.line(f"{protocol.name}: no rule can be read for every choice of the bounds", "bad")
        page.lines(str(refused).splitlines(), indent=2)
        return
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
    for said in dict.fromkeys(map(str, refusals)):
        page.line()
        page.lines(said.splitlines(), indent=2)
