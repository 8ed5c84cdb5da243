"""Results by content: whoever asks the same question about the same rules gets the kept answer, on any branch.

The question is the specification digest, which covers the rules, the properties and the bounds; neither the engine nor
the number of workers changes the answer. Only exhaustive results are kept. Entries are those of `checker.host.cache`,
so only who made one believes it, and only as the answer to its own question.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..host.cache import Cache
from .naming import FORMAT
from .record import Record, RecordError, decode_record, encode_record

RESULTS = Cache("results", "json", most=500)
RECORD = f"record-{FORMAT}-"
RULES = f"rules-{FORMAT}.2-"
"""The second form of the rules: with failures, and what the states and the arguments are made of."""


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
    data = _read(f"{RECORD}{digest}")
    try:
        found = None if data is None else decode_record(data)
    except (RecordError, KeyError, TypeError, ValueError):  # of another version: as good as missing
        return None
    return found if found is not None and found.specification == digest else None


def keep_record(record: Record) -> None:
    """Keep the record of an exhaustive search. A cache that cannot be written is not used."""
    if record.exhaustive:
        _write(f"{RECORD}{record.specification}", encode_record(record, runs=True))


def find_rules(digest: str) -> dict[str, Any] | None:
    """The kept rules of a specification digest, as `difference.rules.encode_rules` made them."""
    return _read(f"{RULES}{digest}")


def has_rules(digest: str) -> bool:
    """Whether the rules of a specification digest are kept."""
    return RESULTS.read(f"{RULES}{digest}") is not None


def keep_rules(digest: str, rules: dict[str, Any]) -> None:
    """Keep rules: an approved behaviour can then be compared step by step although its text is gone."""
    _write(f"{RULES}{digest}", rules)


def find_answer(question: str) -> dict[str, Any] | None:
    """A kept answer to any other question that is named by its whole content."""
    return _read(_answer(question))


def keep_answer(question: str, answer: dict[str, Any]) -> None:
    """Keep the answer to such a question."""
    _write(_answer(question), answer)


def _answer(question: str) -> str:
    return f"answer-{FORMAT}-{hashlib.blake2b(question.encode(), digest_size=16).hexdigest()}"


def _read(key: str) -> dict[str, Any] | None:
    kept = RESULTS.read(key)
    content: dict[str, Any] | None = None if kept is None else json.loads(kept)
    return content


def _write(key: str, content: dict[str, Any]) -> None:
    if RESULTS.write(key, json.dumps(content).encode()):
        RESULTS.forget_oldest()


def entries() -> Iterator[CachedResult]:
    """The kept records, by protocol and bounds."""
    found = []
    for key in RESULTS.entries():
        record = find_record(key.removeprefix(RECORD)) if key.startswith(RECORD) else None
        if record is not None:
            path = RESULTS.path(key)
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
