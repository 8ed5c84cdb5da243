"""Writes the kept answers of Kafka's classes anew, with the jars of a release: `python -m tests.lockstep.record`.

They are those to the counterexample of N1, on the release and with its fix before it. The tests play them without Java.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from epochal.checker.trace.protocol_of import TraceReader
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.directed import play
from epochal.kafka.lockstep.driven import Harness
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.lines import story

HERE: Final = Path(__file__).resolve().parent
TRACE: Final = HERE.parents[1] / "counterexamples" / "kraft-n1-leader-candidate-completeness.itf.json"
RELEASE: Final = "4.4.0"
SHOWN: Final = HERE / "kept" / f"n1-{RELEASE}.steps"
FIXED: Final = HERE / "kept" / f"n1-fixed-{RELEASE}.steps"


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


def record(path: Path, classes: Sequence[Path], told: str) -> None:
    """Play N1 with these classes before the release, and keep what is said."""
    with running(CLUSTER, kafka_classes(RELEASE, None, classes)) as kafka:
        recorded = Recorded(kafka)
        play(recorded, TraceReader(()).read(TRACE))
    path.write_text(f"# {told}\n{story(recorded.lines, recorded.answers)}", encoding="utf-8")


def main() -> None:
    """Write both files."""
    from .patches import N1_FIXED

    of = "N1 in every order of replicas that was tried, on Kafka"
    record(SHOWN, (), f"{of} {RELEASE}")
    with tempfile.TemporaryDirectory() as folder:
        record(FIXED, [N1_FIXED.made(RELEASE, Path(folder))], f"{of} {RELEASE} with its fix")


if __name__ == "__main__":
    main()
