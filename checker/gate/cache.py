"""Results by content: whoever asks the same question about the same rules gets the kept answer, on any branch.

A question is the specification digest, which covers the rules, the properties and the bounds, or plain data that names
its whole content; every key holds the engine, too (`checker.identity.engine`), so an engine that was repaired is asked
again. The number of workers changes no answer. Only exhaustive results are kept. Entries are those of
`checker.base.cache`, so only who made one believes it, and only as the answer to its own question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.cache import Cache, Key
from ..identity.engine import Part, key
from .record import Record, RecordError, decode_record, encode_record

RESULTS = Cache("results", "json", most=500)


@dataclass(frozen=True)
class CachedResult:
    """An entry of the cache, for the list: its file, its size in bytes, and its record."""

    file: Path
    size: int
    record: Record


def folder() -> Path:
    """Where results are kept."""
    return RESULTS.folder


def find_record(digest: str) -> Record | None:
    """The kept record of a specification digest."""
    found = _record(_read(_record_key(digest)))
    return found if found is not None and found.specification == digest else None


def _record(data: dict[str, Any] | None) -> Record | None:
    try:
        return None if data is None else decode_record(data)
    except (RecordError, KeyError, TypeError, ValueError):  # of another version, or no record
        return None


def keep_record(record: Record) -> None:
    """Keep the record of an exhaustive search. A cache that cannot be written is not used."""
    if record.exhaustive:
        _write(_record_key(record.specification), encode_record(record, runs=True))


def find_rules(digest: str) -> dict[str, Any] | None:
    """The kept rules of a specification digest, as `difference.rules.encode_rules` made them."""
    return _read(_rules_key(digest))


def has_rules(digest: str) -> bool:
    """Whether the rules of a specification digest are kept."""
    return RESULTS.read(_rules_key(digest)) is not None


def keep_rules(digest: str, rules: dict[str, Any]) -> None:
    """Keep rules: an approved behaviour can then be compared step by step although its text is gone."""
    _write(_rules_key(digest), rules)


def find_answer(*question: object, part: Part = "answers") -> dict[str, Any] | None:
    """A kept answer to any other question: plain data that names its whole content but the code that decides."""
    return _read(key(part, *question))


def keep_answer(answer: dict[str, Any], *question: object, part: Part = "answers") -> None:
    """Keep the answer to such a question."""
    _write(key(part, *question), answer)


def _record_key(digest: str) -> Key | None:
    return key("answers", "record", digest)


def _rules_key(digest: str) -> Key | None:
    return key("answers", "rules", digest)


def _read(at: Key | None) -> dict[str, Any] | None:
    kept = RESULTS.read(at)
    content: dict[str, Any] | None = None if kept is None else json.loads(kept)
    return content


def _write(at: Key | None, content: dict[str, Any]) -> None:
    if RESULTS.write(at, json.dumps(content).encode()):
        RESULTS.forget_oldest()


def entries() -> Iterator[CachedResult]:
    """The kept records that would be believed now, by protocol and bounds."""
    found = []
    for at in RESULTS.entries():
        record = _record(_read(at))
        if record is not None and _record_key(record.specification) == at:
            path = RESULTS.path(at)
            found.append(CachedResult(path, path.stat().st_size, record))
    found.sort(key=lambda one: (one.record.protocol, sorted(one.record.bounds.items()), one.record.specification))
    yield from found


def clear() -> tuple[int, int]:
    """Remove every kept result; how many files, and their bytes. Compiled code stays. Raises OSError."""
    count = size = 0
    for path in sorted(map(RESULTS.path, RESULTS.entries())):
        size += path.stat().st_size
        path.unlink(missing_ok=True)
        count += 1
    return count, size
