"""What the catalogue tells of a bug is what happens in its run: the brokers and records of a story are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from epochal.checker.trace.explain import ExplainedStep, explain
from epochal.checker.trace.output_folder import trace_name
from epochal.checker.trace.protocol_of import TraceReader
from epochal.checker.trace.trace import Trace
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug
from tests.each import for_each

FOLDER = Path(__file__).resolve().parents[2] / "counterexamples"
TOLD = [bug for bug in KNOWN_BUGS if bug.story]
NAME = re.compile(r"\b[bvr][0-9]\b")
HELD = re.compile(r"\b(b[0-9])\b(?:(?!\bb[0-9]\b|\br[0-9]\b|\bwithout\b|\black)[^.,;:])*?\b(r[0-9])\b")
"""A broker and a record in one clause, as in `b1 appends r0`: the broker has the record at some time."""


def run_of(bug: KnownBug) -> Trace:
    """The shortest run that shows a bug, as the folder of counterexamples has it."""
    others = "".join(f"-{name}-{value}" for name, value in bug.other_bounds)
    return TraceReader((), ()).read(FOLDER / trace_name(bug.without_rule, bug.property_id + others))


def words(steps: list[ExplainedStep]) -> str:
    """All that is told of a run."""
    return "\n".join(f"{step.sentence}\n" + "\n".join(map(str, step.told)) for step in steps)


def held(steps: list[ExplainedStep]) -> Iterator[tuple[str, str]]:
    """Which broker has which record in its log, at some time of a run."""
    for told in (told for step in steps for told in step.told):
        log = re.search(r"(?:^|; )log ([^,;]*)", told.text)
        yield from ((told.lane, record) for record in re.findall(r"\b(r[0-9])@", log[1] if log else ""))


@for_each("bug", TOLD)
def test_a_story_is_that_of_its_run(bug: KnownBug) -> None:
    steps = explain(run_of(bug))
    assert set(NAME.findall(bug.story)) <= set(NAME.findall(words(steps)))
    assert set(HELD.findall(bug.story)) <= set(held(steps))


def test_some_stories_name_brokers_and_records() -> None:
    assert sum(bool(NAME.search(bug.story)) for bug in TOLD) > 20
    assert sum(bool(HELD.search(bug.story)) for bug in TOLD) >= 10
