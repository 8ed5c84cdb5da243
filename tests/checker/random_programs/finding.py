"""What is written down of a program that shows a defect: a small file that can be run, and what was expected."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.checker.random_programs.program import program
from tests.checker.random_programs.running import Effort, Outcome, run
from tests.checker.random_programs.shrinking import shrunk

THOROUGH = Effort(typed=40, walked=16)
"""A program that is made smaller has other states: more of them are looked at, so that it stays found."""


def slug(cause: str) -> str:
    """A cause as a part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "_", cause.lower()).strip("_")[:60]


def smallest(seed: int, cause: str, tries: int) -> tuple[str, Outcome]:
    """The program of a seed made small, as long as it fails for one cause; and what came of it.

    A closer look may name another cause than the run that found the program: then it is that one which stays.
    """
    made = program(seed)
    outside = "bmc" in cause or "bounded" in cause
    effort = replace(THOROUGH, bounded=outside, always=True)

    def outcome(text: str) -> Outcome:
        return run(text, str(seed), symmetric=made.symmetric, effort=effort)

    seen = outcome(made.text)
    if seen.verdict != "failed":
        return made.text, run(made.text, str(seed), symmetric=made.symmetric)
    text = shrunk(made.text, lambda text: outcome(text).cause == seen.cause, tries)
    return text, outcome(text)


def written(folder: Path, seed: int, cause: str, text: str, outcome: Outcome) -> Path:
    """The file of a found program."""
    folder.mkdir(parents=True, exist_ok=True)
    at = folder / f"{slug(cause)}_{seed}.py"
    detail = outcome.detail if len(outcome.detail) < 3000 else outcome.detail[-3000:]
    head = [
        f"Seed {seed}: {cause}",
        *detail.splitlines(),
        "",
        f"python -m tests.checker.random_programs --file {at.name}",
    ]
    lines = [f"# {line}".rstrip() for line in head]
    at.write_text("\n".join(lines) + "\n" + text, encoding="utf-8")
    return at
