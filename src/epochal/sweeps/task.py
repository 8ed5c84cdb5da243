"""A task of a sweep: one question as plain data, and the key by which its answer is found again.

The key is a digest of everything that the answer depends on: the question, the code that decides and its versions, and
what somebody's own specification was compiled to. Where a task runs, and with how many others, is not in it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.checker.base.cache import Key
from epochal.checker.base.machine import without_collection
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.engine import key_of
from epochal.checker.identity.specification import reached, whole_digest
from epochal.spec.kraft.guarantees import FAULTS, own_fault
from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate, load_protocol


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


# -- subject ----------------------------------------------------------------------------------------------------------
# The protocol that a task is about, loaded where the task runs, and found to be what the task says.


@dataclass(frozen=True)
class Subject:
    """A class of protocols, and that within the bounds of a task."""

    kind: type[Protocol]
    protocol: Protocol


class Changed(Exception):
    """A specification does not mean here what it meant when the sweep began."""


class Subjects:
    """The protocols of tasks. Each is loaded once, so that all its tasks here are about the same."""

    def __init__(self) -> None:
        self._kinds: dict[str, type[Protocol]] = {}
        self._known: dict[tuple[object, ...], tuple[Subject, str]] = {}

    def of(self, task: Task) -> Subject:
        """What a task is about. Raises Changed if it means something else here, and what loading raises."""
        bounds = _bounds_of(task)
        at = task.protocol, tuple(bounds.items()), task.kind in HIDDEN, bool(task.meaning)
        if at not in self._known:
            if task.protocol not in self._kinds:
                self._kinds[task.protocol] = load_protocol(task.protocol)
            kind = self._kinds[task.protocol]
            protocol = instantiate(kind, dict(bounds))
            self._known[at] = Subject(kind, protocol), _meaning_here(protocol, task)
        subject, meaning = self._known[at]
        if meaning != task.meaning:
            del self._known[at]
            raise Changed(task.protocol)
        return subject


class NobodyCanTell(Exception):
    """A rule names a value of which nobody can tell what it is, and an answer may depend on that."""


HIDDEN: Final = ("mutate", "guarantees")
"""The kinds of tasks that look behind conditions: a mutant takes one away, a fault or a bug that is closed has other
settings. They depend on code that was not compiled, and on the values that it names."""


def meaning_of(protocol: Protocol, kind: str) -> str:
    """The digest of all of a specification that an answer of a kind of tasks may depend on.

    Raises what compiling raises, and NobodyCanTell.
    """
    with without_collection():
        compiled = whole_digest(compile_protocol(protocol, lemmas=True))
    if kind not in HIDDEN:
        return compiled
    code = reached(protocol)
    if code is None:
        raise NobodyCanTell
    return hashlib.blake2b(json.dumps([compiled, code]).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _meaning_here(protocol: Protocol, task: Task) -> str:
    if not task.meaning:
        return ""
    try:
        return meaning_of(protocol, task.kind)
    except NobodyCanTell:
        return meaning_of(protocol, "")


def _bounds_of(task: Task) -> Mapping[str, int]:
    """The bounds of what is searched: a fault has some of its own."""
    if task.kind != "guarantees":
        return task.bounds
    fault = next((one for one in FAULTS if one.id == task.about), None) or own_fault(task.about)
    return fault.bounds(dict(task.bounds))
