"""A policy: what must be kept for which topics, so that a repository of topics is checked before it is merged.

[[require]]
topics = "pay*"
keep = ["clean", "two-clean", "lossy"]
writes-with-down = 1
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epochal.checker.host.numbers import counted
from epochal.errors import EpochalError
from epochal.evidence.place import escaped
from epochal.exit_codes import ExitCode
from epochal.spec.language.suggestions import advice

from .asked import Audited
from .cluster import MIN_ISR
from .decided import FAULT, severity
from .finding import Finding
from .topic_class import Classified

KEYS = ("topics", "keep", "as-shipped", "writes-with-down")


class PolicyError(EpochalError):
    """A policy that cannot be read, or asks for what nobody knows."""

    exit_code = ExitCode.BAD_CONFIGURATION


@dataclass(frozen=True)
class Requirement:
    """What must be kept for topics of some names. `as_shipped` asks for the release with its holes, not its design."""

    topics: tuple[str, ...]
    keep: tuple[str, ...]
    as_shipped: bool
    writes_with_down: int

    def covers(self, topic: str) -> bool:
        """Whether it is about a topic."""
        return any(fnmatch.fnmatchcase(topic, pattern) for pattern in self.topics)


def read_policy(path: Path) -> tuple[Requirement, ...]:
    """The requirements of a file. Raises PolicyError."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise PolicyError(f"{path}: {wrong.strerror or wrong}") from wrong
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise PolicyError(f"{path}: no TOML: {escaped(str(wrong)[:200])}") from wrong
    _known(path, document, ("require",))
    listed = document.get("require")
    if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
        raise PolicyError(f"{path}: nothing is required", 'Write [[require]], topics = "pay*" and keep = ["clean"].')
    return tuple(_requirement(path, one) for one in listed)


def _known(path: Path, table: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in table:
        if name not in known:
            raise PolicyError(f"{path}: {escaped(name)!r} is not known", advice(name, known, "keys"))


def _requirement(path: Path, said: Mapping[str, Any]) -> Requirement:
    _known(path, said, KEYS)
    keep = _texts(path, "keep", said.get("keep", []))
    for fault in keep:
        if fault not in FAULT:
            raise PolicyError(f"{path}: keep: {escaped(fault)!r} is no fault", advice(fault, list(FAULT), "faults"))
    down = said.get("writes-with-down", 0)
    if isinstance(down, bool) or not isinstance(down, int) or not 0 <= down <= 2:
        raise PolicyError(f"{path}: writes-with-down is 0, 1 or 2, not {escaped(repr(down)[:60])}")
    shipped = said.get("as-shipped", False)
    if not isinstance(shipped, bool):
        raise PolicyError(f"{path}: as-shipped is true or false, not {escaped(repr(shipped)[:60])}")
    topics = _texts(path, "topics", said.get("topics", []))
    if not topics or not (keep or down):
        raise PolicyError(f"{path}: a requirement names topics, and what is kept or written")
    return Requirement(topics, keep, shipped, down)


def _texts(path: Path, name: str, said: object) -> tuple[str, ...]:
    several = [said] if isinstance(said, str) else said
    if not isinstance(several, list) or not all(isinstance(one, str) and one for one in several):
        raise PolicyError(f"{path}: {name} is a text or a list of texts, not {escaped(repr(said)[:60])}")
    return tuple(several)


def missed(audited: Audited, policy: Sequence[Requirement], file: str) -> Iterator[Finding]:
    """What the policy asks for and is not so; and requirements that no topic has the name for."""
    for number, one in enumerate(policy, start=1):
        topics = [topic for topic in audited.topics if one.covers(topic.topic.name)]
        if not topics:
            yield Finding(
                "policy",
                "error",
                (f"requirement {number}",),
                f"no topic is called {' or '.join(one.topics)}, so that nothing is required ({file})",
            )
        for topic in topics:
            wrong = list(_wrong(audited, topic, one))
            if wrong:
                yield Finding(
                    "policy",
                    "error",
                    (topic.topic.name,),
                    f"{'; '.join(wrong)} (requirement {number} of {file})",
                    places=(topic.topic.place,),
                    broken=tuple(wrong),
                )


def _wrong(audited: Audited, topic: Classified, required: Requirement) -> Iterator[str]:
    """What is not so, for the worst of its partitions, and with each value that may be in force."""
    for case in topic.cases:
        supposed = "" if case.supposed is None else f"if {MIN_ISR} is {case.supposed}: "
        for fault in required.keep:
            answers = [audited.decider.under(kind, fault) for kind in case.kinds]
            outcome = min((one.worst if required.as_shipped else one.designed for one in answers), key=severity)
            if outcome.word != "kept":
                length = f", {counted(outcome.length, 'state')}" if outcome.length else ""
                yield f"{supposed}{fault}: {'not decided' if outcome.word == 'open' else outcome.word}{length}"
        down = required.writes_with_down
        if down and any(audited.decider.writes(kind, down) is not True for kind in case.kinds):
            yield f"{supposed}no write with {down} down"
