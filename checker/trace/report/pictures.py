"""What a lane looks like in a state: its words, and its logs cell by cell.

An identifier has a log if a variable of the protocol has one for it (`brokers[b1].log`); so has a variable that is a
log itself (`committed`). Only logs of records with an epoch are drawn. A field beside it that says how far the log is
committed is marked in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from epochal.spec.language import Log, Protocol
from epochal.spec.language.domains import Domain, IdentifierDomain, IntegerDomain, LogDomain, MapDomain, StructDomain
from epochal.spec.language.views import shown, told_lines

from ..verdicts import Codes

MARKS = {"hw": "high watermark", "high_watermark": "high watermark", "log_start": "log start"}
"""What fields beside a log mark in it, by their names."""


@dataclass(frozen=True)
class Cell:
    """A record of a log: its offset, its text, and the epoch that it was appended in."""

    offset: int
    text: str
    epoch: int


@dataclass(frozen=True)
class DrawnLog:
    """A log: its name, its records, and offsets that are marked, by what they are."""

    name: str
    cells: tuple[Cell, ...]
    marks: tuple[tuple[str, int], ...]

    @property
    def records(self) -> str:
        """The records, as views say them."""
        return ", ".join(cell.text for cell in self.cells)

    @property
    def words(self) -> str:
        """The log as a sentence, for who does not see it."""
        records = ", ".join(f"{cell.offset}: {cell.text}" for cell in self.cells) or "empty"
        return "; ".join([f"{self.name} {records}", *(f"{what} {offset}" for what, offset in self.marks)])

    def marked(self, offset: int) -> tuple[str, ...]:
        """What is marked before the record at an offset, or at the end."""
        return tuple(what for what, at in self.marks if at == offset)


@dataclass(frozen=True)
class Card:
    """A lane in a state: its words, phrase by phrase, and its logs."""

    words: tuple[str, ...]
    logs: tuple[DrawnLog, ...]


def cards(protocol: Protocol, codes: Codes, all_fields: bool = False) -> dict[str, Card]:
    """What each lane, and each variable that is told by itself, looks like in a state.

    With `all_fields` every field is told, and no view. Raises LanguageError for a view that fails.
    """
    lines, logs = told_lines(protocol, codes, all_fields), dict[str, list[DrawnLog]]()
    for lane, log in _logs(protocol.at(codes)):
        logs.setdefault(lane, []).append(log)
    found = {}
    for lane in dict.fromkeys((*lines, *logs)):
        drawn = tuple(logs.get(lane, ()))
        words = lines[lane].split("; ") if lane in lines else []
        kept = words if all_fields else [phrase for phrase in words if not _is_drawn(lane, phrase, drawn)]
        found[lane] = Card(tuple(kept), drawn)
    return found


def _is_drawn(lane: str, phrase: str, logs: tuple[DrawnLog, ...]) -> bool:
    """Whether a phrase says what is drawn: `log r0@e0, hw 0`, `empty log`, or the records of a log that is a lane."""
    return any(
        phrase.startswith(f"{one.name} ")
        or phrase == f"empty {one.name}"
        or (one.name == lane and phrase == one.records)
        for one in logs
    )


def _logs(state: Protocol) -> Iterator[tuple[str, DrawnLog]]:
    for name, variable in state.variables.items():
        value, domain = getattr(state, name), variable.domain
        if _has_epochs(domain):
            yield name, _drawn(name, value, ())
        if not (isinstance(domain, MapDomain) and isinstance(domain.key, IdentifierDomain)):
            continue
        for key in value:
            if _has_epochs(domain.value):
                yield str(key), _drawn(name, value[key], ())
            elif isinstance(domain.value, StructDomain):
                entry, fields = value[key], domain.value.field_domains
                marks = tuple((MARKS[field], getattr(entry, field)) for field in fields if field in MARKS)
                for field, of in fields.items():
                    if _has_epochs(of):
                        yield str(key), _drawn(field, getattr(entry, field), marks)


def _has_epochs(domain: Domain) -> bool:
    """Whether something is a log of records that have an epoch."""
    return (
        isinstance(domain, LogDomain)
        and isinstance(domain.entry, StructDomain)
        and isinstance(domain.entry.field_domains.get("epoch"), IntegerDomain)
    )


def _drawn(name: str, log: Log[Any], marks: tuple[tuple[str, int], ...]) -> DrawnLog:
    cells = tuple(Cell(offset, shown(record), record.epoch) for offset, record in enumerate(log))
    return DrawnLog(name.replace("_", " "), cells, marks)
