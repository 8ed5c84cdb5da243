"""From the name of a folder, or of a storage, to the search that was kept there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate, load_protocol
from epochal.spec.questions import with_questions
from epochal.spec.registry import is_registered, registered

from ..search.checkpoint import FORMAT, MANIFEST
from ..search.resume import Checkpoint
from ..search.spark.heads import heads_in
from ..search.spark.manifest import read_manifest
from ..search.spark.storage import Storage, open_storage
from . import from_checkpoint, from_log
from .run import RUN_PROTOCOL, Asked, KeptRun, RunRefused, document_of


@contextlib.contextmanager
def opened(
    run: str, protocol: str | type[Protocol] | None = None, questions: tuple[str, ...] = ()
) -> Iterator[KeptRun]:
    """The search in a folder or storage, held as long as this lasts.

    `protocol` is the one that it was of, a class or a reference that is loaded; None: the registered one that the
    search names. `questions` are functions of files that were asked of it. Raises RunRefused, LogDamaged and
    CheckpointError for what cannot be read.
    """
    storage, checkpoint = found_at(run)
    with contextlib.ExitStack() as held:
        if checkpoint is not None:
            asked = from_checkpoint.asked_of(Checkpoint(checkpoint).document)
            made = _protocol(asked, protocol, questions)
            kept: KeptRun = from_checkpoint.CheckpointRun(checkpoint, made, held)
        else:
            manifest = read_manifest(storage)
            if manifest is None:
                raise RunRefused(f"the search in {run} ended before anything was recorded", "Search again.")
            made = _protocol(from_log.asked_of(manifest), protocol, questions)
            kept = from_log.LoggedRun(storage, manifest, made)
        yield kept


def found_at(run: str) -> tuple[Storage, Path | None]:
    """The storage that a name means, and the folder of the checkpoint if it is one. Raises RunRefused."""
    if "://" not in run and not Path(run).is_dir():
        said = "is a file" if Path(run).exists() else "does not exist"
        raise RunRefused(f"{run} {said}", "Name the folder of --checkpoint, or the --storage of a search on Spark.")
    storage = open_storage(run)
    try:
        if heads_in(storage):
            return storage, None
        text = bytes(storage.read(MANIFEST))
    except OSError as error:
        said = "it has no manifest" if isinstance(error, FileNotFoundError) else str(error)
        advice = "A search leaves its states with --checkpoint DIR, or on Spark with --storage DIR."
        raise RunRefused(f"there is no search in {run}: {said}", advice) from error
    document = document_of(storage.path(MANIFEST), text)
    return storage, storage.local if document.get("format") == FORMAT else None


def _protocol(asked: Asked, said: str | type[Protocol] | None, questions: tuple[str, ...]) -> Protocol:
    """The protocol that a search was of. What the search says of it is compared, and never loaded."""
    if said is None and not is_registered(asked.protocol):
        raise RunRefused(
            f"the search is of {asked.protocol}, no registered protocol; no file runs because a search names it",
            ("If you trust its file, name it; settings of a registered one stand after its name: ", RUN_PROTOCOL, "."),
        )
    kind = registered(asked.protocol) if said is None else load_protocol(said) if isinstance(said, str) else said
    kind = with_questions(kind, questions)
    known = set(kind.bounds_type().declared())
    if set(asked.bounds) != known:
        raise RunRefused(f"the search is of {asked.protocol}, whose bounds {kind.name} does not have")
    return instantiate(kind, asked.bounds)
