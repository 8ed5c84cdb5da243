"""The lock file: the behaviour of every model that somebody has approved, as JSON that can be read in a diff.

It is canonical: sorted, one value a line, the same bytes for the same content. It is written by `epochal gate
approve` only; committed together with a change, it is the approval of what the change does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epochal.errors import ConfigurationError

from ..base.files import write_atomically
from .record import Record, RecordError, decode_record, encode_record

NAME = "epochal.lock.json"
FORMAT = "epochal-lock"
VERSION = 1
CONFLICT = re.compile(r"^(<{7}|={7}|>{7}|\|{7})( |\r?$)", re.MULTILINE)


class LockError(ConfigurationError):
    """The lock file cannot be used. The message says why and what to do."""


@dataclass(frozen=True)
class Locked:
    """What is approved of one model: its record, the violations it is expected to have, and why it changed last."""

    record: Record
    expected_violations: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Lock:
    """A lock file: what is approved, by the name of the model."""

    models: Mapping[str, Locked] = field(default_factory=dict)


def dumps(lock: Lock) -> str:
    """The text of a lock file."""
    models = {
        name: {
            **encode_record(locked.record, runs=False),
            "expected_violations": sorted(locked.expected_violations),
            "reason": locked.reason,
        }
        for name, locked in lock.models.items()
    }
    data = {"format": FORMAT, "version": VERSION, "models": models}
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def loads(text: str, name: str = NAME) -> Lock:
    """The lock file with this text. Raises LockError; `name` is how the message calls it."""
    if CONFLICT.search(text):
        raise LockError(
            f"{name} holds an unresolved merge conflict.\n"
            "  Take either side (git checkout --ours or --theirs), then run: epochal gate approve --reason '...'"
        )
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise LockError(
            f"{name} is damaged: {why}.\n  Restore it (git checkout -- {name}), or make it again with: "
            "epochal gate approve --reason '...'"
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("version"), int):
        raise LockError(f'{name} is not a lock file of epochal: "format" must be "{FORMAT}".')
    if data["version"] > VERSION:
        raise LockError(
            f"{name} was written by a newer version of epochal (its format is {data['version']}, this one knows "
            f"{VERSION}).\n  Install the version that wrote it."
        )
    models = data.get("models")
    if not isinstance(models, dict):
        raise LockError(f"{name} is damaged: models is missing.\n  Restore it: git checkout -- {name}")
    return Lock({key: _locked(name, key, one) for key, one in models.items()})


def _locked(name: str, key: str, data: Any) -> Locked:
    try:
        record = decode_record(data)
        expected, reason = data["expected_violations"], data["reason"]
        if not isinstance(expected, list) or not isinstance(reason, str):
            raise RecordError("expected_violations or reason has another type")
    except (RecordError, KeyError, TypeError) as error:
        said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise LockError(
            f"{name} is damaged: models.{key}: {said}.\n  Restore it (git checkout -- {name}), or make it again with: "
            "epochal gate approve --reason '...'"
        ) from error
    return Locked(record, tuple(expected), reason)


def read(path: Path) -> Lock | None:
    """The lock file at a path; None if there is none. Raises LockError, and OSError if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise LockError(
            f"{path.name} is damaged: it is not UTF-8.\n  Restore it: git checkout -- {path.name}"
        ) from error
    return loads(text, path.name)


def write(path: Path, lock: Lock) -> None:
    """Write a lock file, whole or not at all. Raises OSError."""
    write_atomically(path, dumps(lock))
