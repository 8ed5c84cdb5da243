"""Kafka with eligible leader replicas, with the lemmas that prove that no committed record is lost."""

from __future__ import annotations

from typing import ClassVar

from .commit_lemmas import CommitLemmas
from .configuration import ConfigurableKraft
from .log_lemmas import LogLemmas
from .metadata_lemmas import MetadataLemmas


class KraftProof(MetadataLemmas, LogLemmas, CommitLemmas, ConfigurableKraft):
    """KRaft with eligible leader replicas as designed, and the lemmas that prove that nothing committed is lost.

    The steps are those of `kraft`, under all its settings. `epochal prove kraft` shows that each preserves the lemmas,
    which imply every invariant; of a version with a hole it shows which lemma breaks, and by which step.
    """

    name: ClassVar[str] = "kraft-proof"
