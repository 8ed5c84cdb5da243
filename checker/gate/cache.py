"""Results by content: whoever asks the same question about the same rules gets the kept answer, on any branch.

The question is the specification digest, which covers the rules, the properties and the bounds; neither the engine nor
the number of workers changes the answer. Only exhaustive results are kept. An entry is a file of its own, written under
another name and then renamed, so that concurrent runs never see half of one; what cannot be read counts as missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.cache import cache_folder
from checker.files import write_atomically

from .naming import FORMAT
from .record import Record, RecordError, decode_record, encode_record

FOLDER = "results"
ENTRIES = 500


@dataclass(frozen=True)
class CachedResult:
    """An entry of the cache, for the list: its file, its size in bytes, and its record."""

    file: Path
    size: int
    record: Record


def folder() -> Path:
    """Where results are kept."""
    return cache_folder() / FOLDER


def _file(kind: str, digest: str) -> Path:
    return folder() / f"{kind}-{FORMAT}-{digest}.json"


def find_record(digest: str) -> Record | None:
    """The kept record of a specification digest."""
    data = _read(_file("record", digest))
    try:
        found = None if data is None else decode_record(data)
    except (RecordError, KeyError, TypeError, ValueError):  # of another version: as good as missing
        return None
    return found if found is not None and found.specification == digest else None


def keep_record(record: Record) -> None:
    """Keep the record of an exhaustive search. A cache that cannot be written is not used."""
    if record.exhaustive:
        _write(_file("record", record.specification), encode_record(record, runs=True))


def find_rules(digest: str) -> dict[str, Any] | None:
    """The kept rules of a specification digest, as `rules.encode_rules` made them."""
    return _read(_file("rules", digest))


def has_rules(digest: str) -> bool:
    """Whether the rules of a specification digest are kept."""
    return _file("rules", digest).exists()


def keep_rules(digest: str, rules: dict[str, Any]) -> None:
    """Keep rules: an approved behaviour can then be compared step by step although its text is gone."""
    _write(_file("rules", digest), rules)


def find_answer(question: str) -> dict[str, Any] | None:
    """A kept answer to any other question that is named by its whole content."""
    return _read(_file("answer", hashlib.blake2b(question.encode(), digest_size=16).hexdigest()))


def keep_answer(question: str, answer: dict[str, Any]) -> None:
    """Keep the answer to such a question."""
    _write(_file("answer", hashlib.blake2b(question.encode(), digest_size=16).hexdigest()), answer)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stored, dict) or not isinstance(stored.get("content"), dict):
        return None
    content: dict[str, Any] = stored["content"]
    return content if stored.get("seal") == _seal(content) else None


def _write(path: Path, content: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"seal": _seal(content), "content": content}))
        _forget_oldest(path.parent)
    except OSError:  # a full disk or a read-only home: the answer is computed again next time
        return


def _seal(content: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _forget_oldest(where: Path) -> None:
    kept = sorted((p.stat().st_mtime, p.name, p) for p in where.glob("*.json"))
    for _, _, path in kept[:-ENTRIES]:
        path.unlink(missing_ok=True)


def entries() -> Iterator[CachedResult]:
    """The kept records, by protocol and bounds."""
    found = []
    for path in folder().glob(f"record-{FORMAT}-*.json"):
        record = find_record(path.stem.rsplit("-", 1)[1])
        if record is not None:
            found.append(CachedResult(path, path.stat().st_size, record))
    found.sort(key=lambda one: (one.record.protocol, sorted(one.record.bounds.items()), one.record.specification))
    yield from found


def clear() -> tuple[int, int]:
    """Remove every kept result; how many files, and their bytes. Compiled code stays. Raises OSError."""
    count = size = 0
    for path in sorted(folder().glob("*.json")):
        size += path.stat().st_size
        path.unlink(missing_ok=True)
        count += 1
    return count, size
