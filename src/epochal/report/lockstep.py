"""What Kafka's own classes did beside the specification, for people."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from epochal.checker.base.numbers import timed
from epochal.checker.trace.explain import sentence, told_as

from .page import Page

if TYPE_CHECKING:
    from epochal.api.lockstep_run import PlayProgress
    from epochal.checker.trace.trace import Trace
    from epochal.kafka.lockstep.class_path import KafkaClasses
    from epochal.kafka.lockstep.compared import LeafDifference
    from epochal.kafka.lockstep.directed import Played


def render_played(page: Page, played: Played, headline: str, name: str, kafka: KafkaClasses) -> None:
    """How far Kafka followed, where it went elsewhere, and how to ask again."""
    page.line(headline, "bad" if played.holds is False else "good")
    order = ", ".join(played.order)
    page.line(f"replicas in the order {order}; every step compared with Kafka's controller and brokers", indent=2)
    if played.differs:
        render_step(page, played.trace, played.taken, played.differs)
    page.commands([f"epochal lockstep run {shlex.quote(name)} {shlex.join(kafka.told)}"])


def render_step(page: Page, trace: Trace, number: int, differs: Sequence[LeafDifference]) -> None:
    """A step after which the states differ, and each leaf with both values."""
    if number:
        instance = trace.steps[number - 1].instance
        page.title(f"Step {number}")
        page.line(told_as(instance.label, sentence(instance)), indent=2)
    else:
        page.title("Initial state")
    page.table([(one.leaf, one.kafka, one.model) for one in differs], header=("", "KAFKA", "MODEL"))


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
