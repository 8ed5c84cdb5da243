"""A small protocol that the judgements of the gate are tried on, and ways to say that its search found something."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.difference.difference import ActionDifference, Difference, Example, Explored, ScopeAnswer
from epochal.checker.gate.record import Digests, Record, Run, record_of
from epochal.checker.gate.verdict import Baseline, Expectations, Judgement, judge
from epochal.checker.identity.specification import part_digests, property_digests, specification_digest, text_digest
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.language import Integers, Protocol, SourceLine, action, invariant, reachable, require


class Lamp(Protocol):
    """A lamp that is pressed up to three times."""

    name: ClassVar[str] = "lamp"
    presses: Annotated[int, Integers(0, 3)]
    on: bool

    @action
    def press(self) -> None:
        """Somebody presses the switch."""
        require(self.presses < 3)
        self.presses += 1
        self.on = not self.on

    @action
    def rest(self) -> None:
        """Nobody does."""
        require(self.presses == 3)

    @invariant
    def dark(self) -> bool:
        """It is dark at first. Later it need not be."""
        return self.presses > 0 or not self.on

    @reachable
    def lit(self) -> bool:
        """It shines."""
        return self.on


LAMP = Lamp()
MODEL = compile_protocol(LAMP)
DIGESTS = Digests(specification_digest(MODEL), text_digest(LAMP), property_digests(MODEL), part_digests(MODEL))
RECORD = record_of(breadth_first.check(LAMP, Options()), DIGESTS)
OTHER_RULES = replace(RECORD, specification="other rules", text="other text", step_digest="other steps")
FIRST = (0, 0)
PRESSED = Run(FIRST, (("press", (), (1, 1)),))


def own(action: str, steps: int, example: Example | None = None) -> ActionDifference:
    """So many steps of an action that only one of two specifications takes."""
    return ActionDifference(action, action, {"reachable": ScopeAnswer("differs", steps, example)})


GAINED = Difference(gained=(own("press", 1_234),))
LOST = Difference(lost=(own("press", 2), own("rest", 1)))
BOTH = Difference(gained=(own("press", 1),), lost=(own("press", 1_002),))


def cut(difference: Difference, reason: str) -> Difference:
    """A difference of which not every state was compared."""
    return replace(difference, explored=(Explored(cut=reason), Explored(cut=reason)))


def says(verdict: str, name: str = "dark", **more: Any) -> Record:
    """The record with another verdict on a property."""
    one = replace(RECORD.properties[name], verdict=verdict, **more)
    return replace(RECORD, properties={**RECORD.properties, name: one})


def line(name: str) -> SourceLine | None:
    """Where a member of the lamp stands."""
    members = {m.name: m for kind in ("action", "invariant", "reachable") for m in LAMP.members(kind)}
    return members[name].where


def judged(
    record: Record,
    base: Record | None = RECORD,
    difference: Difference | None = None,
    approval: tuple[Record, str] | None = None,
    dead: tuple[str, ...] = (),
    **expected: Any,
) -> Judgement:
    """The judgement on a record of the lamp.

    Records are made up here: that two of the same rules disagree is told by `test_same_question` alone.
    """
    baseline = None if base is None else Baseline("main", base)
    judgement = judge(record, LAMP, dead, baseline, difference, Expectations(**expected), approval)
    said = tuple(finding for finding in judgement.findings if finding.kind != "semantics disagree")
    return replace(judgement, findings=said)


def told(judgement: Judgement) -> list[tuple[int, str]]:
    """The findings: code and message."""
    return [(finding.code, finding.message) for finding in judgement.findings]
