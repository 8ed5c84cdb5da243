"""What Kafka's own classes did beside the specification, for people."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from epochal.checker.base.numbers import counted, timed
from epochal.checker.trace.explain import sentence, told_as
from epochal.kafka.lockstep.layers import layer_of

from .page import Page, Row
from .progress import Counted

if TYPE_CHECKING:
    from epochal.checker.trace.trace import Trace
    from epochal.kafka.lockstep.class_path import KafkaClasses
    from epochal.kafka.lockstep.compared import LeafDifference
    from epochal.kafka.lockstep.directed import Played, PlayProgress
    from epochal.kafka.lockstep.known import HolesProgress, KnownHole
    from epochal.kafka.lockstep.lines import AnsweredLine
    from epochal.kafka.lockstep.runs import Runs, RunsProgress


def render_played(page: Page, played: Played, headline: str, name: str, kafka: KafkaClasses) -> None:
    """How far Kafka followed, where it went elsewhere, and how to ask again."""
    page.line(headline, "bad" if played.holds is False else "good")
    order = f"replicas in the order {', '.join(played.order)}; " if played.order else ""
    page.line(f"{order}every step compared with {layer_of(played.trace.protocol).with_what}", indent=2)
    if played.differs:
        render_step(page, played.trace, played.taken, played.differs)
    if name.endswith(".json"):  # a file, and no trace of the caller's
        page.commands(
            [
                f"epochal trace show {shlex.quote(name)}",
                f"epochal lockstep run {shlex.quote(name)} {shlex.join(kafka.told)} --out found",
            ]
        )


def render_runs(page: Page, found: Runs, headline: str, kafka: KafkaClasses, files: Sequence[str]) -> None:
    """What was compared, and the shortest run of each kind of difference."""
    page.line(headline, "bad" if found.differing else "good")
    page.line(f"steps: {shown_steps(found)}", indent=2)
    if found.second_rounds:
        page.line(f"{counted(found.second_rounds, 'fetch', 'fetches')} of two rounds, as by a former leader", indent=2)
    for reason, count in sorted(found.left_out.items()):
        page.line(f"left out: {reason}: {count:,} times", "faint", indent=2)
    render_kinds(page, found, kafka, files)


def shown_steps(found: Runs) -> str:
    """How many steps of each action were compared."""
    return ", ".join(f"{action} {count:,}" for action, count in sorted(found.steps.items())) or "none"


def render_kinds(page: Page, found: Runs, kafka: KafkaClasses, files: Sequence[str]) -> None:
    """The shortest run of each kind of difference."""
    traces = [name for name in files if name.endswith(".itf.json")]
    for place, (one, runs) in enumerate(found.kinds):
        alike = f"the shortest of {counted(runs, 'run')} like it: " if runs > 1 else ""
        page.title(f"{alike}run {one.number}, Kafka says {' '.join(one.said)}")
        render_step(page, one.trace, len(one.trace.steps), one.differs)
        if place < len(traces):
            page.commands([f"epochal lockstep run {shlex.quote(traces[place])} --same {shlex.join(kafka.told)}"])


def render_holes(page: Page, holes: Sequence[KnownHole], headline: str) -> None:
    """Each hole with what became of it; first those that are not as the model says."""
    page.line(headline, "good" if all(one.as_expected for one in holes) else "bad")
    rows: list[Row] = []
    for one in sorted(holes, key=lambda one: (one.as_expected, one.played is None)):
        expected = "" if one.as_expected else f"; the model of the release: {one.expected.value}"
        rows.append((one.id, one.title, (f"{one.says}{expected}", "" if one.as_expected else "bad")))
    page.table(rows, header=("ID", "HOLE", "ON THIS KAFKA"))


def render_lines(page: Page, lines: Sequence[AnsweredLine], headline: str) -> None:
    """Every line with its answer now, and where the file has another."""
    page.line(headline, "good" if all(one.same for one in lines) else "bad")
    for one in lines:
        page.verbatim(one.line)
        page.verbatim(one.now, "" if one.same else "bad", indent=4)
        if not one.same:
            page.verbatim(f"in the file: {one.kept}", "warn", indent=4)


def render_step(page: Page, trace: Trace, number: int, differs: Sequence[LeafDifference]) -> None:
    """A step after which the states differ, and each leaf with both values."""
    if number:
        instance = trace.steps[number - 1].instance
        page.title(f"Step {number}")
        page.line(told_as(instance.label, sentence(instance)), indent=2)
    else:
        page.title("Initial state")
    page.table([(one.leaf, one.kafka, one.model) for one in differs], header=("", "KAFKA", "MODEL"))


class RunsTelling:
    """The progress of `epochal lockstep runs`."""

    def in_words(self, now: RunsProgress) -> str:
        """The progress on one line."""
        runs = f"run {now.runs:,}" + (f" of {now.asked:,}" if now.asked is not None else "")
        return f"{runs}, {counted(now.steps, 'step')}, {now.differing:,} differ, {timed(now.seconds)}"

    def document(self, now: RunsProgress) -> dict[str, Any]:
        """The progress as an object."""
        return {**dataclasses.asdict(now), "seconds": round(now.seconds, 3)}

    def far(self, now: RunsProgress) -> Counted | None:
        """How many of the runs are done."""
        return None if now.asked is None else Counted(now.runs - 1, now.asked)


class HolesTelling:
    """The progress of `epochal lockstep catalogue`."""

    def in_words(self, now: HolesProgress) -> str:
        """The progress on one line."""
        return f"{now.done} of {counted(now.asked, 'hole')}, now {now.id}, {timed(now.seconds)}"

    def document(self, now: HolesProgress) -> dict[str, Any]:
        """The progress as an object."""
        return {**dataclasses.asdict(now), "seconds": round(now.seconds, 3)}

    def far(self, now: HolesProgress) -> Counted:
        """How many of the holes are done."""
        return Counted(now.done, now.asked)


class PlayTelling:
    """The progress of `epochal lockstep run`."""

    def in_words(self, now: PlayProgress) -> str:
        """The progress on one line."""
        return f"order {now.order} of {now.orders} of the replicas, {timed(now.seconds)}"

    def document(self, now: PlayProgress) -> dict[str, Any]:
        """The progress as an object."""
        return {"order": now.order, "orders": now.orders, "seconds": round(now.seconds, 3)}

    def far(self, now: PlayProgress) -> None:
        """Not said: a run ends with the first order in which Kafka follows."""
