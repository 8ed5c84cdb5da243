"""Findings that somebody has looked at and accepted, with the reason: a lock file beside the configuration.

An acceptance is of a rule and a topic, `rack/payments` or `rack/pay*`, and of what was broken when it was given: if
more breaks later, the finding is there again.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from epochal.checker.host.files import write_atomically, writing
from epochal.errors import EpochalError, UsageError
from epochal.evidence.place import escaped
from epochal.exit_codes import ExitCode

from .finding import Finding

LOCK = "epochal-audit.lock.json"
FORMAT = 1


class LockError(EpochalError):
    """A lock file that cannot be read."""

    exit_code = ExitCode.BAD_CONFIGURATION


@dataclass(frozen=True)
class Acceptance:
    """What was accepted, why, and which faults broke something then."""

    key: str
    reason: str
    broken: tuple[str, ...]

    def covers(self, key: str, finding: Finding) -> bool:
        """Whether a finding about a subject is accepted: nothing is broken now that was not then."""
        return fnmatch.fnmatchcase(key, self.key) and set(finding.broken) <= set(self.broken)


def read_acceptances(path: Path) -> tuple[Acceptance, ...]:
    """The acceptances of a lock file; none if it is not there. Raises LockError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as wrong:
        raise LockError(f"{path}: {getattr(wrong, 'strerror', None) or wrong}") from wrong
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise LockError(f"{path}: format {escaped(str(document['format'])[:60])} is not known; {FORMAT} is")
        return tuple(
            Acceptance(str(one["finding"]), str(one["reason"]), tuple(map(str, one["broken"])))
            for one in document["accepted"]
        )
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise LockError(f"{path} is no lock file of an audit", "Restore it, or remove it and accept again.") from wrong


def sorted_out(findings: Sequence[Finding], given: Sequence[Acceptance]) -> tuple[list[Finding], list[Finding]]:
    """The findings that are left, and those that are accepted, each with the reason."""
    left, accepted = [], []
    for finding in findings:
        reasons: dict[str, list[str]] = {}
        open_ = []
        for subject, key in zip(finding.subjects, finding.keys, strict=True):
            by = next((one for one in given if one.covers(key, finding)), None)
            if by is None:
                open_.append(subject)
            else:
                reasons.setdefault(by.reason, []).append(subject)
        if open_ or not finding.subjects:
            left.append(finding.about(open_) if reasons else finding)
        accepted += [finding.about(subjects, reason) for reason, subjects in reasons.items()]
    return left, accepted


def accept(path: Path, findings: Sequence[Finding], keys: Sequence[str], reason: str) -> tuple[Acceptance, ...]:
    """Accept findings, and write the lock file; all acceptances there are now.

    Raises UsageError for a key that no finding has, or without a reason.
    """
    if not reason.strip():
        raise UsageError("an acceptance needs a reason", "Add --reason 'why this is so'.")
    found = {one.key: one for one in read_acceptances(path)}
    for key in keys:
        covered = [one for one in findings if any(fnmatch.fnmatchcase(name, key) for name in one.keys)]
        if not covered:
            known = sorted({name for one in findings for name in one.keys})
            raise UsageError(
                f"there is no finding {escaped(key)!r}", f"There is {', '.join(known[:12]) or 'none at all'}."
            )
        broken = sorted({fault for one in covered for fault in one.broken})
        found[key] = Acceptance(key, reason.strip(), tuple(broken))
    document = {
        "format": FORMAT,
        "accepted": [
            {"finding": one.key, "reason": one.reason, "broken": list(one.broken)}
            for one in sorted(found.values(), key=lambda one: one.key)
        ],
    }
    with writing(path):
        write_atomically(path, json.dumps(document, indent=1) + "\n")
    return tuple(found.values())


__all__ = ["LOCK", "Acceptance", "LockError", "accept", "read_acceptances", "sorted_out"]
