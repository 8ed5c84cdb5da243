"""A trace as a report has it: lanes and steps, with guards and source, what else was possible, what was true when."""

from __future__ import annotations

import inspect
import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from epochal.spec.language import Member, Protocol
from epochal.spec.language.errors import SpecificationError, printable
from epochal.spec.language.marks import Kind
from epochal.spec.language.protocol import evaluated

from ..explain import (
    Change,
    ExplainedStep,
    claim,
    explain,
    promise_label,
    property_of,
    protocol_name,
    shown_bounds,
)
from ..for_ever_text import closing_lines, fair_lines, from_here_on, stuck_lines, waiting_from
from ..lanes import Arrow, drawn, lanes_of
from ..run import DEADLOCK, NOT_INDUCTIVE, Codes, Run
from ..text import because
from .elsewhere import Elsewhere, elsewhere
from .events import events
from .executed import Called, SourceText, executed
from .guards import Guard
from .pictures import Card, cards

LONGEST = 60
"""Runs of more steps are told without what else was possible."""

MOST_JUDGED = 300
"""Of runs of more steps no table says what was true when."""

Truth = Literal["true", "false", "reached", "", "fails"]
"""Whether a property is true in a state; "" where it says nothing."""


@dataclass(frozen=True)
class Moment:
    """A state of a run, with the step that leads to it; the first has none.

    `cards` are the lanes that look different than before (of the first all), `fields` what no lane tells. `events` say
    what the step did to logs and leaders. `guards` are all that it met, `source` are its lines, `called` the methods
    that it called, and `others` the guards that none of these shows.
    """

    number: int
    step: ExplainedStep | None
    arrows: tuple[Arrow, ...]
    cards: dict[str, Card]
    fields: dict[str, Card]
    changes: tuple[Change, ...]
    description: str = ""
    guards: tuple[Guard, ...] = ()
    source: tuple[SourceText, ...] = ()
    elsewhere: Elsewhere | None = None
    events: tuple[str, ...] = ()
    called: tuple[Called, ...] = ()
    others: tuple[Guard, ...] = ()


@dataclass(frozen=True)
class PropertyRow:
    """A property, and what it says of each state: of a property of steps, of the step that leads there."""

    member: Member
    truths: tuple[Truth, ...]

    @property
    def is_shown(self) -> bool:
        """Whether it is not the same everywhere."""
        return len(set(self.truths) - {""}) > 1 or bool({"false", "reached"} & set(self.truths))


class Report:
    """Everything that a report of a trace shows; what else was possible only with `branches`.

    Raises LanguageError for a view that fails.
    """

    def __init__(self, trace: Run, all_fields: bool = False, branches: bool = True) -> None:
        self.trace, self.protocol, self.all_fields, self.branches = trace, trace.protocol, all_fields, branches
        self.name, self.claim, self.bounds = protocol_name(trace), claim(trace), shown_bounds(trace.protocol)
        self.member = property_of(trace)
        self.subject = promise_label(trace) or trace.property_id
        self.because = because(trace)
        self._steps = explain(trace)
        self.lanes = lanes_of(trace.protocol, self._steps)

    @property
    def wrong(self) -> bool:
        """Whether the run ends where something is wrong."""
        return self.trace.verdict in ("violated", "error", DEADLOCK, NOT_INDUCTIVE)

    @property
    def note(self) -> str:
        """What is known besides, as one paragraph."""
        return " ".join(printable(self.trace.note, lines=True).split())

    @cached_property
    def fairness(self) -> list[str]:
        """Why it is fair that a goal never comes, or what refuses each step where nothing more happens."""
        return [line.strip() for line in (*fair_lines(self.trace), *stuck_lines(self.trace))]

    @cached_property
    def _waits(self) -> int | None:
        return waiting_from(self.trace)

    def said_at(self, number: int) -> list[str]:
        """What is said of a state besides its step: from where on a promise waits, and where a round begins."""
        lines = from_here_on(self.trace, self._waits, number)
        if number == self.trace.loop and self.trace.closing is None:
            lines += closing_lines(self.trace, 0)
        said = [line.removeprefix("-- ") for line in lines]
        return [line[:1].upper() + line[1:] for line in said]

    @property
    def closing(self) -> list[str]:
        """How a run that goes on for ever comes back."""
        return [] if self.trace.closing is None else [line.strip() for line in closing_lines(self.trace, 0)]

    @cached_property
    def moments(self) -> list[Moment]:
        """The states, from the first on."""
        states = self.trace.states
        pictures = [cards(self.protocol, codes, self.all_fields) for codes in states]
        found = []
        for number, codes in enumerate(states):
            picture, before = pictures[number], pictures[number - 1] if number else {}
            changed = {lane: card for lane, card in picture.items() if before.get(lane) != card}
            gone = {lane: Card(("nothing",), ()) for lane in before if lane not in picture}
            found.append(self._moment(number, codes, {**changed, **gone}, events(before, picture)))
        return found

    @property
    def last(self) -> tuple[dict[str, Card], dict[str, Card]]:
        """The whole last state: the lanes, and what no lane tells."""
        return self.whole(len(self.trace.states) - 1)

    def whole(self, number: int) -> tuple[dict[str, Card], dict[str, Card]]:
        """All of a state: the lanes, and what no lane tells."""
        picture = cards(self.protocol, self.trace.states[number], self.all_fields)
        lanes = {lane: card for lane, card in picture.items() if lane in self.lanes}
        return lanes, {name: card for name, card in picture.items() if name not in lanes}

    def _moment(self, number: int, codes: Codes, changed: dict[str, Card], said: tuple[str, ...]) -> Moment:
        lanes = {lane: card for lane, card in changed.items() if lane in self.lanes}
        fields = {name: card for name, card in changed.items() if name not in self.lanes}
        elsewhere = self._elsewhere(number, codes)
        if not number:
            return Moment(0, None, (), lanes, fields, (), elsewhere=elsewhere)
        step, instance = self._steps[number - 1], self.trace.steps[number - 1].instance
        arrows, _ = drawn(step, self.lanes)
        before = self.trace.states[number - 1]
        ran = executed(self.protocol, before, instance)
        return Moment(
            number,
            step,
            tuple(arrows),
            lanes,
            fields,
            step.changes,
            inspect.getdoc(instance.action.function) or "",
            ran.guards,
            ran.source,
            elsewhere,
            said,
            ran.called,
            ran.others,
        )

    @property
    def is_cut(self) -> bool:
        """Whether the run is so long that what else was possible is left out."""
        return len(self._steps) > LONGEST

    @property
    def left_out(self) -> str:
        """What a long run is told without."""
        if len(self._steps) > MOST_JUDGED:
            return f"The run has more than {MOST_JUDGED} steps: what was possible and what was true when is left out."
        return f"The run has more than {LONGEST} steps: what else was possible is left out." if self.is_cut else ""

    def _elsewhere(self, number: int, codes: Codes) -> Elsewhere | None:
        if self.is_cut or not self.branches:
            return None
        following = self.trace.steps[number].instance if number < len(self._steps) else self.trace.closing
        return elsewhere(self.protocol, codes, following)

    @cached_property
    def properties(self) -> list[PropertyRow]:
        """What was true when: properties and lemmas, and of promises the one that the run is about."""
        if len(self._steps) > MOST_JUDGED:
            return []
        kinds: tuple[Kind, ...] = ("invariant", "action_property", "reachable", "lemma")
        members = [member for kind in kinds for member in self.protocol.members(kind)]
        rows = [PropertyRow(member, tuple(self._truths(member))) for member in members]
        if self.member is not None and self.member.mark.kind == "leads_to":
            rows.insert(0, PropertyRow(self.member, tuple(self._promised(self.member))))
        about = self.member.name if self.member is not None else ""
        return sorted(rows, key=lambda row: (row.member.name != about, not row.is_shown))

    def _truths(self, member: Member) -> list[Truth]:
        states = [self.protocol.at(codes) for codes in self.trace.states]
        if member.mark.kind == "action_property" or member.function.__code__.co_argcount > 1:
            pairs = itertools.pairwise(states)
            found: list[Truth] = ["", *(_truth(member, before, after) for before, after in pairs)]
        else:
            found = [_truth(member, state) for state in states]
        if member.mark.kind == "reachable":
            names: dict[Truth, Truth] = {"true": "reached", "false": ""}
            found = [names.get(truth, truth) for truth in found]
        return found

    def _promised(self, member: Member) -> list[Truth]:
        """Whether the goal holds, or is still to come after the premise."""
        found, waits = list[Truth](), False
        for codes in self.trace.states:
            try:
                premise, goal = evaluated(member.function, self.protocol.at(codes), *self.trace.arguments)
            except SpecificationError:
                found.append("fails")
                continue
            waits = not goal and (waits or bool(premise))
            found.append("true" if goal else "false" if waits else "")
        return found

    def draws(self, sign: Literal["arrow", "answer", "record", "mark"]) -> bool:
        """Whether a sign is drawn somewhere, so that it is worth a word."""
        return sign in self._drawn

    @cached_property
    def _drawn(self) -> frozenset[str]:
        arrows = [arrow for moment in self.moments for arrow in moment.arrows]
        logs = [
            log
            for moment in self.moments
            for card in (*moment.cards.values(), *moment.fields.values())
            for log in card.logs
        ]
        found = {
            "arrow": bool(arrows),
            "answer": any(arrow.answers for arrow in arrows),
            "record": any(log.cells for log in logs),
            "mark": any(log.cells and log.marks for log in logs),
        }
        return frozenset(sign for sign, is_drawn in found.items() if is_drawn)

    @cached_property
    def accused(self) -> frozenset[str]:
        """The lanes that what makes the property false is about."""
        said = self.subject if self.trace.loop is not None else self.because
        return frozenset(re.findall(r"\w+", said)) & {*self.lanes}


def _truth(member: Member, *states: Protocol) -> Truth:
    try:
        return "true" if evaluated(member.function, *states) else "false"
    except SpecificationError:
        return "fails"
