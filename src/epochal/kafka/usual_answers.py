"""Answers that are decided already and come with the package: the usual settings, each by a search of every state.

`usual_answers.json` has one entry for each protocol within bounds, by the key of its rules (`rules_key`): an answer of
other rules is not found, and searched for. With each stands the digest of the compiled program that was searched: its
steps and the properties that are asked about. The file is made by `epochal.kafka.decide_usual`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import TypedDict

from epochal.checker.identity.in_files import as_in_files


class Answer(TypedDict):
    """What one search decided. `verdicts` has, by property, the verdict and the states of a shortest violation.

    `behind` are, by violated property, the known bugs each of which, closed alone, stops that run; `holes` is the key
    of the known bugs that were looked at for it (`holes_key`). `specification` is the digest of the compiled program
    (`program_digest`), "" if it was not asked for.
    """

    verdicts: dict[str, tuple[str, int | None]]
    behind: dict[str, list[str]]
    holes: str
    states: int
    depth: int
    cut: str
    specification: str


FILE = "usual_answers.json"
FAMILY = "epochal.spec.kraft."
"""What the names of modules begin with whose rules decide."""


def find_usual(key: str, holes: str) -> Answer | None:
    """The answer that came with the package; None if there is none for these rules, settings and bounds.

    Nor is there one if other bugs were known when it was decided, or if other rules run in this process than those of
    the files, by which it is found.
    """
    found = _answers().get(key) if as_in_files(FAMILY) else None
    return found if found is not None and found["holes"] == holes else None


def not_searched(asked: Iterable[str]) -> Answer:
    """What is known of properties without a search: nothing."""
    return {
        "verdicts": dict.fromkeys(asked, ("unknown", None)),
        "behind": {},
        "holes": "",
        "states": 0,
        "depth": 0,
        "cut": "not searched",
        "specification": "",
    }


@functools.cache
def _answers() -> dict[str, Answer]:
    found: dict[str, Answer] = json.loads(files("epochal.kafka").joinpath(FILE).read_bytes())["answers"]
    return found
