"""Which run a storage is for: a new one, or the one that it holds, if that asks the same."""

from __future__ import annotations

import uuid
from collections.abc import Set
from typing import Any

from ...ir.model import Model
from ..errors import in_words
from .errors import ResumeRefused
from .manifest import Manifest, read_manifest
from .storage import Storage


def question_of(model: Model, chosen: Set[str], all_violations: bool) -> dict[str, Any]:
    """What a search asks, as JSON values: the protocol, its bounds and the properties."""
    protocol = model.protocol
    return {
        "protocol": protocol.name or type(protocol).__name__,
        "bounds": protocol.bounds.as_dict(),
        "properties": sorted(chosen),
        "all_violations": all_violations,
    }


def manifest_for(storage: Storage, question: dict[str, Any], digest: str, pending: int, resume: bool) -> Manifest:
    """The manifest to go on from: a new one, or that of the run which is to be resumed.

    Raises ResumeRefused if the storage holds another run, none that could be resumed, or one that was not to be.
    """
    found = read_manifest(storage)
    if found is None:
        if resume:
            raise ResumeRefused(f"there is no run to resume in {storage.uri}.\n  Leave out --resume to begin one.")
        return Manifest(uuid.uuid4().hex[:12], question, digest, 0, pending)
    if not resume:
        raise ResumeRefused(
            f"{storage.uri} holds a run of {found.question['protocol']} ({found.states:,} states).\n"
            "  Go on with it: --resume last. Or give --storage an empty folder."
        )
    if found.question != question:
        raise ResumeRefused(_other_question(storage, found.question, question))
    if found.digest != digest:
        raise ResumeRefused(
            f"{storage.uri} holds a run of another version of {question['protocol']}: its rules have changed."
            "\n  Search again with an empty --storage."
        )
    return found


def _other_question(storage: Storage, found: dict[str, Any], asked: dict[str, Any]) -> str:
    differing = [key for key in asked if found.get(key) != asked[key]]
    lines = [f"{storage.uri} holds a run of another question, which cannot be continued by this one."]
    lines += [f"  {key}: {in_words(found.get(key))} there, {in_words(asked[key])} asked for." for key in differing]
    return "\n".join([*lines, "  Ask the same question, or give --storage an empty folder."])
