"""What the explorer asks of the command line: each question as the words of a command, from the fields of a form.

A search runs as the command that anybody could type, in a process of its own: the page shows that command, the server
stays free, and a search that is stopped or dies takes nothing with it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epochal.checker.properties import all_properties
from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.kraft.guarantees import FAULTS
from epochal.spec.language.configurable import settings_of, with_configuration
from epochal.spec.language.reference import as_options, split_reference
from epochal.spec.registry import registered

from .address import Address, read_address
from .shelf import Opened, Shelf
from .walk import walk

Fields = Mapping[str, str]
"""What a form says."""

MOST_LENGTH: Final = 40
"""The longest run that a form asks Z3 for."""


HERE: Final = "run.itf.json"
"""How the page calls the file with the run from which a search begins."""


@dataclass(frozen=True)
class Question:
    """A question as a command: its words after `epochal`, what it is called, and whether its answer is JSON alone.

    `of` is where the question was asked, the query of an address. A command that is `quiet` writes no files. `good` is
    what it means that it ends well; `file` is a file that it reads, which the page names otherwise.
    """

    title: str
    words: tuple[str, ...]
    of: str = ""
    as_json: bool = False
    quiet: bool = False
    good: str = ""
    file: str = ""

    @property
    def command(self) -> str:
        """The command as people type it."""
        words = (word.replace(self.file, HERE) if self.file else word for word in self.words)
        return shlex.join(("epochal", *words))


def question(shelf: Shelf, fields: Fields, folder: Path) -> Question:
    """The question of a form. What a command reads is written to `folder`. Raises EpochalError for nonsense."""
    kind = fields.get("kind", "")
    if kind not in KINDS:
        raise UsageError(f"no question is called {kind[:LONGEST]!r}", "Begin again from the start page.")
    return KINDS[kind](shelf, fields, folder)


def subject_words(opened: Opened) -> list[str]:
    """A protocol within bounds, as the command line takes it."""
    name, _, settings = opened.reference.partition(" ")
    return [name, *shlex.split(settings), *as_options(dict(opened.own_bounds))]


def _asked(shelf: Shelf, fields: Fields) -> tuple[Address, Opened]:
    address = read_address(fields.get("from", ""))
    return address, shelf.open(address.protocol, address.bounds)


def _property(opened: Opened, fields: Fields) -> list[str]:
    """The property that is asked about, if one is."""
    name = fields.get("property", "")
    if not name:
        return []
    promises = opened.protocol.members("leads_to")
    if name not in {one.name for one in (*all_properties(opened.protocol, False), *promises)}:
        raise UsageError(f"{opened.reference} has no property {name[:LONGEST]!r}")
    return ["--property", name]


def _length(fields: Fields) -> str:
    text = fields.get("length", "")
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:4]) <= MOST_LENGTH):
        raise UsageError(f"a number of steps from 1 to {MOST_LENGTH} is needed, not {text[:LONGEST]!r}")
    return text


def _budget(fields: Fields) -> list[str]:
    text = fields.get("budget", "") or "10"
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= 100_000):
        raise UsageError(f"a budget is a number of minutes, not {text[:LONGEST]!r}")
    return ["--budget", f"{text}m"]


def _check(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    more = ["--all-violations"] if fields.get("all") else []
    more += ["--symmetry"] if fields.get("symmetry") else []
    words = ["check", *subject_words(opened), *_property(opened, fields), *more, *_budget(fields)]
    return Question(f"Search of {opened.reference}", tuple(words), address.query())


def _bounded(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    words = ["bmc", *subject_words(opened), "--length", _length(fields), *_property(opened, fields)]
    good = f"nothing is violated within {_length(fields)} steps"
    return Question(f"Z3 on runs of {opened.reference}", tuple(words), address.query(), good=good)


def _from_here(shelf: Shelf, fields: Fields, folder: Path) -> Question:
    address, opened = _asked(shelf, fields)
    run = walk(opened, address)
    file = folder / "here.itf.json"
    run.trace.save(file)
    start = ["--from", f"{file}:{run.address.at}"]
    words = ["bmc", *subject_words(opened), "--length", _length(fields), *start, *_property(opened, fields)]
    title = f"Z3 from state {run.address.at} of a run of {opened.reference}"
    good = f"nothing is violated within {_length(fields)} steps from there"
    return Question(title, tuple(words), address.query(), good=good, file=str(file))


def _prove(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    words = ["prove", *subject_words(opened), *_property(opened, fields)]
    return Question(f"Proof of {opened.reference}", tuple(words), address.query())


def _compare(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    other = fields.get("other", "")
    shelf.kind(other)
    name, *settings = shlex.split(opened.reference)
    if settings or split_reference(other)[1]:
        raise UsageError("two protocols with settings are compared on the command line", "epochal compare --help")
    words = ["compare", name, other, *as_options(dict(opened.own_bounds)), *_budget(fields)]
    return Question(f"{opened.reference} and {other}", tuple(words), address.query())


def _guarantees(_: Shelf, fields: Fields, __: Path) -> Question:
    known = settings_of(registered("kraft"))
    said: dict[str, object] = {}
    for name, setting in known.items():
        text = fields.get(name, "")
        if text:
            said[name] = setting.value(text == "true" if setting.kind == "switch" else text)
    with_configuration(registered("kraft"), said)  # which refuses what Kafka does not know
    factor = fields.get("replication_factor", "") or "3"
    if factor not in ("1", "2", "3", "4"):
        raise UsageError(f"a replication factor is 1 to 4, not {factor[:LONGEST]!r}")
    words = ["guarantees", *as_options(said), "--replication-factor", factor]
    fault = fields.get("fault", "")
    if fault:
        if fault not in {one.id for one in FAULTS}:
            raise UsageError(f"no fault is called {fault[:LONGEST]!r}")
        return Question(f"The runs of a fault: {fault}", (*words, "--fault", fault, "--story", *_budget(fields)))
    return Question("What Kafka promises", (*words, *_budget(fields)), as_json=True, quiet=True, good="decided")


def _catalogue(_: Shelf, fields: Fields, __: Path) -> Question:
    from epochal.spec.bugs.catalogue import CATALOGUE

    key = fields.get("key", "")
    if key not in {entry.id for entry in CATALOGUE}:
        raise UsageError(f"the catalogue has no entry {key[:LONGEST]!r}")
    return Question(f"Catalogue entry {key}", ("catalogue", key, *_budget(fields)))


KINDS: Final[Mapping[str, Callable[[Shelf, Fields, Path], Question]]] = {
    "check": _check,
    "bmc": _bounded,
    "from-here": _from_here,
    "prove": _prove,
    "compare": _compare,
    "guarantees": _guarantees,
    "catalogue": _catalogue,
}
"""The questions by the names that forms give them."""
