"""Writes the kept answers of Kafka's classes anew, with the jars of releases: `python -m tests.lockstep.record`.

They are those to the counterexample of N1, on a release and with its fix, which tests play without Java; those to the
lines of H5, Q12 and Q13, which readers play; and what each release shows of the known holes (`shown.py`), of which
docs/kafka/reproduced.md is made.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from epochal.checker.trace.itf_reader import TraceReader
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.directed import play
from epochal.kafka.lockstep.driven import Harness
from epochal.kafka.lockstep.harness import CLUSTER, QUORUM, running
from epochal.kafka.lockstep.lines import story
from tests.lockstep.quorum_lines import KEPT, KEPT_OF, kept_file
from tests.lockstep.shown import RELEASES, asked, keep, story_of_h5

HERE: Final = Path(__file__).resolve().parent
TRACE: Final = HERE.parents[1] / "counterexamples" / "kraft-n1-leader-candidate-completeness.itf.json"
RELEASE: Final = "4.4.0"
SHOWN: Final = HERE / "kept" / f"n1-{RELEASE}.steps"
FIXED: Final = HERE / "kept" / f"n1-fixed-{RELEASE}.steps"
H5: Final = HERE / "kept" / f"h5-{RELEASE}.steps"


class Recorded:
    """A harness whose lines and answers are kept."""

    def __init__(self, kafka: Harness) -> None:
        self._kafka = kafka
        self.lines: list[str] = []
        self.answers: list[str] = []

    def ask(self, lines: Sequence[str]) -> list[str]:
        answers = self._kafka.ask(lines)
        self.lines += lines
        self.answers += answers
        return answers


def record(path: Path, fixes: Sequence[str], told: str) -> None:
    """Play N1 on the release with these fixes, and keep what is said."""
    with running(CLUSTER, kafka_classes(RELEASE, None, fixes=fixes)) as kafka:
        recorded = Recorded(kafka)
        play(recorded, TraceReader(()).read(TRACE))
    path.write_text(f"# {told}\n{story(recorded.lines, recorded.answers)}", encoding="utf-8")


def record_h5() -> None:
    """Keep the lines of H5 with their answers: docs/kafka/findings/h5.md has readers put them to Kafka again."""
    lines = story_of_h5(RELEASE)
    with running(CLUSTER, kafka_classes(RELEASE, None)) as kafka:
        answers = kafka.ask(lines)
    H5.write_text(f"# H5 on Kafka {RELEASE}\n{story(lines, answers)}", encoding="utf-8")


def record_findings_of_the_quorum() -> None:
    """Keep the lines of Q12 and Q13 with their answers, which their pages have readers put to Kafka again."""
    with running(QUORUM, kafka_classes(KEPT_OF, None)) as kafka:
        for finding, lines in KEPT.items():
            told = f"# {finding} on Kafka {KEPT_OF}\n{story(lines, kafka.ask(lines))}"
            kept_file(finding).write_text(told, encoding="utf-8")


def main() -> None:
    """Write all of them, or what the releases show that are named."""
    for release in sys.argv[1:] or RELEASES:
        keep(release, asked(release))
    if len(sys.argv) > 1:
        return
    of = "N1 in every order of replicas that was tried, on Kafka"
    record(SHOWN, (), f"{of} {RELEASE}")
    record(FIXED, ["N1"], f"{of} {RELEASE} with its fix")
    record_h5()
    record_findings_of_the_quorum()


if __name__ == "__main__":
    main()
