"""A task of a sweep: one question as plain data, and the key by which its answer is found again.

The key is a digest of everything that the answer depends on: the question, the code that decides and its versions, and
what somebody's own specification was compiled to. Where a task runs, and with how many others, is not in it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from epochal.checker.host.cache import Key
from epochal.checker.identity.engine import key_of


@dataclass(frozen=True)
class Task:
    """One question. `about` is which of several of a protocol: a mutant, a fault, an entry, the first seed of walks.

    `meaning` is the digest of what the specification was compiled to; "" for one of Epochal's own, whose sources are
    part of the engine. `engine` is the digest of the code that decides, told once for all tasks of a sweep.
    """

    kind: str
    protocol: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    about: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    engine: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """The question as JSON values."""
        return {
            "kind": self.kind,
            "protocol": self.protocol,
            "bounds": dict(self.bounds),
            "about": self.about,
            "options": dict(self.options),
        }

    @functools.cached_property
    def key(self) -> Key:
        """What its answer is found by."""
        return key_of(self.engine, "sweep", self.document, self.meaning)

    def __str__(self) -> str:
        """A few words about it, for the progress."""
        values = "/".join(map(str, self.bounds.values()))
        return " ".join(part for part in (self.kind, self.protocol, values, self.about) if part)
