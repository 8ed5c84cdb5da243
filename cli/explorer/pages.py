"""The pages of the explorer as HTML: the pieces of a trace's report, with links that go on from there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import TYPE_CHECKING, Any

from epochal.checker.base.installed import tool_version
from epochal.checker.semantics.properties import all_properties
from epochal.checker.trace.report.document import Report
from epochal.checker.trace.report.html import environment
from epochal.checker.trace.run import Codes
from epochal.errors import EpochalError, UsageError
from epochal.report.protocol import summary
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import configuration_of, settings_of
from epochal.spec.language.domains import IdentifierDomain, MapDomain
from epochal.spec.language.errors import printable, said
from epochal.spec.language.views import shown
from epochal.spec.registry import FAMILIES, REGISTRY, family_of, is_registered, registered

from .jobs import Job, answers_of, subject_words
from .walk import LONGEST_ASKED, Address, Opened, Refused, Shelf, Walk, walk

if TYPE_CHECKING:
    from jinja2 import Environment


# -- asked ------------------------------------------------------------------------------------------------------------
# An expression of `self` in every state of a run: what the person at the keyboard asks, in Python.
#
# It is evaluated as a specification is, with the names of its module, and identifiers by their names (`b1`); so it may
# do whatever a specification may. One is evaluated when somebody at this explorer has typed or allowed it; none runs
# because it stands in an address that was sent, and an explorer that is read-only evaluates none.

LONGEST_EXPRESSION = LONGEST_ASKED
LONGEST_VALUE = 120


@dataclass(frozen=True)
class Answer:
    """What an expression is in a state; `same` says that it was so in the state before."""

    text: str
    fails: bool
    same: bool


@dataclass(frozen=True)
class Asked:
    """An expression, and what it is in each state of a run; or why it is none."""

    expression: str
    answers: tuple[Answer, ...]
    wrong: str = ""


def refuse_no_expression(expression: str) -> None:
    """Raise UsageError for what cannot be evaluated at all."""
    _, wrong = _compiled(expression)
    if wrong:
        raise UsageError(
            f"{printable(expression)[:LONGEST_VALUE]!r}: {wrong}", "Write one such as len(self.quorum.isr)."
        )


def ask(expression: str, protocol: Protocol, states: Sequence[Codes]) -> Asked:
    """Evaluate an expression in every state of a run. Nothing that it raises ends the explorer."""
    code, wrong = _compiled(expression)
    if code is None:
        return Asked(expression[:LONGEST_EXPRESSION], (), wrong)
    found: list[Answer] = []
    names = _names_asked(protocol)
    for codes in states:
        text, fails = _evaluated(code, {**names, "self": protocol.at(codes)})
        found.append(Answer(text, fails, bool(found) and found[-1].text == text))
    return Asked(expression, tuple(found))


def _compiled(expression: str) -> tuple[CodeType | None, str]:
    """An expression as code, or why it is none."""
    if len(expression) > LONGEST_EXPRESSION:
        return None, f"it has more than {LONGEST_EXPRESSION} characters"
    try:
        return compile(expression.strip(), "<asked>", "eval"), ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        return None, f"it is no expression of Python ({said(wrong)})"


def _names_asked(protocol: Protocol) -> dict[str, Any]:
    """What names mean besides `self`: those of the specification's module, and of identifiers."""
    module = sys.modules.get(type(protocol).__module__)
    names = {} if module is None else dict(vars(module))
    for leaf_domain in _identifiers(protocol):
        for value in leaf_domain.values():
            name = leaf_domain.show(value)
            if name.isidentifier():
                names.setdefault(name, value)
    return names


def _identifiers(protocol: Protocol) -> Iterator[IdentifierDomain]:
    """The domains of identifiers that keys of the state and parameters of actions are of."""
    for variable in protocol.variables.values():
        if isinstance(variable.domain, MapDomain) and isinstance(variable.domain.key, IdentifierDomain):
            yield variable.domain.key
    for action in protocol.members("action"):
        for parameter in protocol.parameters(action.function):
            if isinstance(parameter.domain, IdentifierDomain):
                yield parameter.domain


def _evaluated(code: CodeType, names: dict[str, Any]) -> tuple[str, bool]:
    """What an expression is, as text, and whether it fails."""
    try:
        return _shown(eval(code, names)), False
    except (Exception, SystemExit) as wrong:  # the expression is the user's: whatever it raises is its answer
        return printable(said(wrong))[:LONGEST_VALUE], True


def _shown(value: Any) -> str:
    """A value as stories show it; of a generator its items."""
    if hasattr(value, "__next__"):
        value = list(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(map(shown, value)) if isinstance(value, set | frozenset) else list(map(shown, value))
        text = f"[{', '.join(items)}]"
    else:
        text = shown(value)
    text = printable(text)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


# -- beside -----------------------------------------------------------------------------------------------------------
# Two protocols on one schedule: the steps of a run are taken in another one, too, until that one refuses.
#
# The other may have other variables, and more or fewer steps: steps are told apart by their labels.


@dataclass(frozen=True)
class Beside:
    """What another protocol does on the schedule of a run.

    `report` is its run as the page shows it, as far as it goes along; `refused` is the step that it does not take, None
    if it goes along to the end; `differs_at` the first state that people read otherwise.
    """

    opened: Opened
    report: Report
    refused: Refused | None
    differs_at: int | None

    @property
    def said(self) -> str:
        """What came of it, in a sentence."""
        name = self.opened.reference
        if self.refused is None:
            return f"{name} goes along: every step of this run is possible there, too."
        step = self.refused.number
        return f"{name} cannot go along beyond state {step - 1}: step {step} is not possible there."


def beside(opened: Opened, run: Walk) -> Beside:
    """Take the steps of a run in another protocol, from its own first state."""
    steps = tuple(run.opened.labels[step.instance.number] for step in run.trace.steps)
    first = run.address.first if run.address.first < len(opened.initial_states) else 0
    other = walk(opened, Address(opened.reference, opened.own_bounds, first=first, steps=steps))
    report = other.report()
    return Beside(opened, report, other.refused, _first_difference(run.report(), report))


def _first_difference(one: Report, other: Report) -> int | None:
    """The first state that people read otherwise; None if there is none as far as both go."""
    for mine, theirs in zip(one.moments, other.moments, strict=False):
        if (mine.cards, mine.fields) != (theirs.cards, theirs.fields):
            return mine.number
    return None


@dataclass
class Pages:
    """Makes the pages. With `read_only` nothing is searched and no expression is evaluated.

    `allowed` are the expressions that somebody at this explorer has typed: an address that was sent may have others,
    which wait for a word.
    """

    shelf: Shelf
    read_only: bool = False
    allowed: set[str] = field(default_factory=set)

    def start(self) -> str:
        """The protocols that can be opened, by family."""
        named = [(name, summary(kind)) for name, kind in self.shelf.named.items()]
        families = [("Named on the command line", named)] if named else []
        for family, title in FAMILIES.items():
            names = [name for name in self.shelf.names if name not in self.shelf.named and _family(name) == family]
            families.append((f"{family}: {title}", [(name, summary(registered(name))) for name in names]))
        return self._page("start.html.j2", "start", families=families)

    def run(self, walk: Walk) -> str:
        """A run, what can be done next, what is true when, and what was asked."""
        address, opened = walk.address, walk.opened
        report = walk.report()
        broken = walk.false_here()
        asked = [one for one in address.asked if one in self.allowed and not self.read_only]
        other = beside(self.shelf.open_beside(address.beside, walk.protocol), walk) if address.beside else None
        return self._page(
            "run.html.j2",
            "run",
            back=address.query(),
            walk=walk,
            report=report,
            choices=walk.choices(),
            names=_names(opened),
            broken=broken,
            whole=report.whole(address.at),
            accused={
                lane for lane in report.lanes for one in broken if re.search(rf"\b{re.escape(lane)}\b", one.because)
            },
            initial=0 if address.codes else len(opened.initial_states),
            answers=[ask(one, walk.protocol, walk.trace.states) for one in asked],
            waiting=[] if self.read_only else [one for one in address.asked if one not in self.allowed],
            wrong_in=_wrong_in(report),
            near=self.near(opened),
            judged=_judged(opened),
            other=other,
            other_address=None if other is None else _same_schedule(address, other.opened),
            other_rows="" if other is None else self._rows(other, address.at),
            example=f"self.{next(iter(opened.protocol.variables), 'bounds')}",
            command=f"epochal explore {' '.join(subject_words(opened))}",
        )

    def ask(self, opened: Opened, address: Address, jobs: Sequence[Job]) -> str:
        """The questions about a protocol, its bounds and settings."""
        kind = type(opened.protocol)
        said, chosen = opened.protocol.bounds.as_dict(), configuration_of(kind)
        declared = kind.bounds_type().declared()
        return self._page(
            "ask.html.j2",
            "ask",
            back=address.query(),
            opened=opened,
            bounds=", ".join(f"{name} {value}" for name, value in said.items()) or "no bounds",
            bound_fields=[(name, one, said[name]) for name, one in declared.items()],
            settings=[(one, chosen.get(name)) for name, one in settings_of(kind).items()],
            judged=_judged(opened),
            near=self.near(opened),
            jobs=jobs,
        )

    def job(self, job: Job) -> str:
        """A search: what it does or has found."""
        job = replace(job, said=list(job.said))  # it may end meanwhile, and a page is of one moment
        return self._page("job.html.j2", "ask", back=job.question.of, job=job, **answers_of(job))

    def guarantees(self) -> str:
        """The form for Kafka's settings."""
        settings = list(settings_of(registered("kraft")).values())
        return self._page("guarantees.html.j2", "guarantees", settings=settings)

    def catalogue(self) -> str:
        """The known bugs."""
        return self._page("catalogue.html.j2", "catalogue", bugs=CATALOGUE)

    def wrong(self, error: EpochalError) -> str:
        """What cannot be shown, and what to do about it."""
        return self._page("wrong.html.j2", "", message=error.message, advice=error.advice)

    def near(self, opened: Opened) -> list[str]:
        """The protocols that a person may want beside one: the same with or without a rule, then its family."""
        name = opened.reference.partition(" ")[0]
        pairs = [{bug.without_rule, bug.with_rule} for bug in CATALOGUE]
        twins = [one for pair in pairs if name in pair for one in sorted(pair)]
        family = _family(name)
        kin = [one for one in self.shelf.names if family in ("", _family(one)) or one in self.shelf.named]
        return [one for one in dict.fromkeys((*twins, *kin)) if one != name]

    def _rows(self, other: Beside, at: int) -> Any:
        """The rows of the other protocol, whose lanes are its own."""
        from markupsafe import Markup

        return Markup(_templates().get_template("other.html.j2").render(report=other.report, at=at))

    def _page(self, template: str, here: str, back: str = "", **values: object) -> str:
        page = _templates().get_template(template)
        common = {"read_only": self.read_only, "version": tool_version(), "link": Address.query}
        return page.render(here=here, back=back, **common, **values)


def _templates() -> Environment:
    made = environment(__package__ or "")
    made.filters["query"] = lambda name: Address(name).query()
    return made


def _family(name: str) -> str:
    """The family of a protocol; those that the catalogue makes of settings are kraft's. "" for one of a file."""
    if name in REGISTRY:
        return family_of(name)
    return "kraft" if is_registered(name) else ""


def _names(opened: Opened) -> Mapping[str, str]:
    """The labels by which addresses name steps, by those that pages show."""
    shown: dict[str, str] = {}
    for instance, label in zip(opened.protocol.instances, opened.labels, strict=True):
        shown.setdefault(instance.label, label)
    return shown


def _wrong_in(report: Report) -> frozenset[int]:
    """The states in which something is false that must be true."""
    rows = [row for row in report.properties if row.member.mark.kind in ("invariant", "action_property", "lemma")]
    return frozenset(number for row in rows for number, truth in enumerate(row.truths) if truth == "false")


def _judged(opened: Opened) -> list[str]:
    return [member.name for member in all_properties(opened.protocol, False)]


def _same_schedule(address: Address, other: Opened) -> Address:
    """The same steps in the other protocol."""
    return Address(other.reference, other.own_bounds, first=address.first, steps=address.steps, at=address.at)
