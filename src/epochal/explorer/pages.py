"""The pages of the explorer as HTML: the pieces of a trace's report, with links that go on from there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from epochal.checker.properties import all_properties
from epochal.checker.trace.report.document import Report
from epochal.checker.trace.report.html import environment
from epochal.checker.version import tool_version
from epochal.errors import EpochalError
from epochal.render.protocol import summary
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.language.configurable import configuration_of, settings_of
from epochal.spec.registry import FAMILIES, REGISTRY, family_of, is_registered, registered

from .address import Address
from .asked import ask
from .beside import Beside, beside
from .job_answers import answers_of
from .jobs import Job
from .shelf import Opened, Shelf
from .walk import Walk

if TYPE_CHECKING:
    from jinja2 import Environment


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
        choices, broken = walk.choices(), walk.false_here()
        asked = [one for one in address.asked if one in self.allowed and not self.read_only]
        other = self._other(walk)
        states = walk.trace.states
        return self._page(
            "run.html.j2",
            "run",
            back=address.query(),
            walk=walk,
            report=report,
            choices=choices,
            names=_names(opened),
            broken=broken,
            whole=report.whole(address.at),
            accused={
                lane for lane in report.lanes for one in broken if re.search(rf"\b{re.escape(lane)}\b", one.because)
            },
            initial=0 if address.codes else len(opened.initial_states),
            answers=[ask(one, walk.protocol, states) for one in asked],
            waiting=[] if self.read_only else [one for one in address.asked if one not in self.allowed],
            wrong_in=_wrong_in(report),
            near=self.near(opened),
            judged=_judged(opened),
            other=other,
            other_address=None if other is None else _same_schedule(address, other.opened),
            other_rows="" if other is None else self._rows(other, address.at),
            example=_example(opened),
            command=_command(walk),
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

    def _other(self, walk: Walk) -> Beside | None:
        """The other protocol on the same schedule, if one is asked for."""
        name = walk.address.beside
        return beside(self.shelf.open_beside(name, walk.protocol), walk) if name else None

    def _rows(self, other: Beside, at: int) -> Any:
        """The rows of the other protocol, whose lanes are its own."""
        from markupsafe import Markup

        text = _templates().get_template("other.html.j2").render(report=other.report, at=at)
        return Markup(text)

    def _page(self, template: str, here: str, back: str = "", **values: object) -> str:
        return (
            _templates()
            .get_template(template)
            .render(
                here=here, back=back, read_only=self.read_only, version=tool_version(), link=Address.query, **values
            )
        )


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


def _example(opened: Opened) -> str:
    """An expression that means something in this protocol."""
    name = next(iter(opened.protocol.variables), "bounds")
    return f"self.{name}"


def _command(walk: Walk) -> str:
    """How the page is opened from a shell."""
    from .questions import subject_words

    return f"epochal explore {' '.join(subject_words(walk.opened))}"
